"""Activations and logits against what PyTorch's own tracker measured, recorded as data."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from bot.memory import profiles
from bot.memory.activations import checkpoint_bytes_per_token, layer_bytes_per_token
from bot.memory.models import find

RECORDED = json.loads((Path(__file__).parent / "fake_measure.json").read_bytes())


@pytest.mark.parametrize("name", RECORDED["layers"])
def test_what_a_layer_keeps(name: str) -> None:
    model = find(name)
    assert model is not None
    measured = RECORDED["layers"][name]
    assert layer_bytes_per_token(model.shape) == pytest.approx(measured["whole"], rel=0.03)
    assert checkpoint_bytes_per_token(model.shape) == pytest.approx(
        measured["checkpointed"] * model.shape.layers, rel=0.03
    )


def test_what_a_logit_takes() -> None:
    measured = RECORDED["logits"]
    assert measured["log-softmax fp32"] == pytest.approx(profiles.LOG_SOFTMAX_FP32, rel=0.03)
    assert measured["eager entropy without gradient"] == pytest.approx(
        profiles.FORWARD_EAGER, rel=0.03
    )
    spared = measured["eager entropy"] - measured["checkpointed entropy"]
    assert pytest.approx(spared, rel=0.03) == profiles.ENTROPY_EAGER - profiles.ENTROPY_CHECKPOINTED
    # The leanest form of the eager path; verl's own one has another fp32 copy and its gradient.
    assert measured["eager entropy"] <= profiles.ENTROPY_EAGER


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("torch", "transformers"))),
    reason="torch and transformers are not installed: the recorded figures stand",
)
def test_the_recorded_figures_are_still_measured() -> None:
    from tests.memory.fake_measure import measure

    assert measure() == RECORDED
