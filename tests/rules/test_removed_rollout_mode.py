from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, found, marked, quiet

SLUG = "removed-rollout-mode"
KEY = "actor_rollout_ref.rollout.mode"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{KEY}=async"),
        verl(f"{KEY}=$mode"),
        verl(f"{KEY}=sync", before="# verl: 0.6.1"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=sync", "trainer.nnodes=1"),
        verl("trainer.nnodes=1", f"{KEY}=sync"),
        verl(f"{KEY}=sync", before="# verl: 0.9.1"),
        verl(f"{KEY}=$mode", before="mode=sync"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_the_fix_takes_the_line_away() -> None:
    script = verl(f"{KEY}=sync", "trainer.nnodes=1")
    assert fixed(SLUG, script) == verl("trainer.nnodes=1")


def test_a_release_that_the_settings_speak_for_is_a_guess_too() -> None:
    (one,) = found(SLUG, verl(f"{KEY}=sync", "trainer.use_legacy_worker_impl=auto"))
    assert one.severity == "warning"
