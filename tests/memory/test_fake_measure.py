"""Activations and logits against what PyTorch's own tracker measured, recorded as data."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from bot.memory import constants
from bot.memory.activations import (
    all_layers_bytes_per_token,
    checkpoint_bytes_per_token,
    layer_bytes_per_token,
)
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


@pytest.mark.parametrize("name", RECORDED["hybrid"])
def test_what_layers_of_linear_and_of_full_attention_keep(name: str) -> None:
    model = find(name)
    assert model is not None
    shape, measured = model.shape, RECORDED["hybrid"][name]
    assert layer_bytes_per_token(shape) == pytest.approx(max(measured.values()), rel=0.01)
    every = shape.layers * (3 * measured["linear"] + measured["full"]) / 4
    assert all_layers_bytes_per_token(shape) == pytest.approx(every, rel=0.01)


def test_what_a_logit_takes() -> None:
    measured = RECORDED["logits"]
    assert measured["log-softmax fp32"] == pytest.approx(constants.LOG_SOFTMAX_FP32, rel=0.03)
    assert measured["eager entropy without gradient"] == pytest.approx(
        constants.FORWARD_EAGER, rel=0.03
    )
    spared = measured["eager entropy"] - measured["checkpointed entropy"]
    assert (
        pytest.approx(spared, rel=0.03) == constants.ENTROPY_EAGER - constants.ENTROPY_CHECKPOINTED
    )
    # The leanest form of the eager path; verl's own one has another fp32 copy and its gradient.
    assert measured["eager entropy"] <= constants.ENTROPY_EAGER


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("torch", "transformers"))),
    reason="torch and transformers are not installed: the recorded figures stand",
)
def test_the_recorded_figures_are_still_measured() -> None:
    from tests.memory.fake_measure import measure

    assert measure() == RECORDED
