from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-infer"


@pytest.mark.parametrize("cell", ["vllm", "vllm0.8.3", "vLLM 0.8.3", "vllm==0.11.0", "\\"])
def test_stays_silent(cell: str) -> None:
    assert quiet(SLUG, page(section(row(Infer=cell))))


@pytest.mark.parametrize("cell", ["sglang", "sglang0.4.6"])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Infer=cell)))) == snapshot


def test_a_release_is_never_made_up(snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl("actor_rollout_ref.rollout.name=sglang")}
    assert marked(SLUG, page(section(row())), scripts) == snapshot
    assert marked(SLUG, page(section(row(Infer="vllm"))), scripts) == snapshot
