from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, marked, page, quiet, row, section

SLUG = "row-tag"


OFFLOAD = (
    "actor_rollout_ref.model.enable_gradient_checkpointing=True",
    "actor_rollout_ref.actor.fsdp_config.param_offload=True",
    "actor_rollout_ref.actor.fsdp_config.optimizer_offload=True",
)


@pytest.mark.parametrize("tag", ["RECOMMENDED", "recommended", "\\"])
def test_stays_silent(tag: str) -> None:
    assert quiet(SLUG, page(section(row(Tag=tag))))


def test_min_that_is_earned_or_stated() -> None:
    earned, stated = verl(*OFFLOAD), verl(before="# tag: MIN")
    assert quiet(SLUG, page(section(row(Tag="MIN"))), {PATH: earned})
    assert quiet(SLUG, page(section(row(Tag="MIN"))), {PATH: stated})


@pytest.mark.parametrize("tag", ["FAST", "MIN"])
def test_tells(tag: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Tag=tag)))) == snapshot


@pytest.mark.parametrize("tag", ["FAST", "RECOMMENDED"])
def test_the_scripts_own_comment(tag: str, snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl(before="# tag: MIN")}
    assert marked(SLUG, page(section(row(Tag=tag))), scripts) == snapshot
