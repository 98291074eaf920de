from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, marked, quiet

SLUG = "unquoted-arguments"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(end=' "$@"'),
        verl(end=" ${@:2}"),
        verl('trainer.experiment_name="run $@ here"'),
        verl(before="echo $@"),
        verl(end=" # $@"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(end=" $@"),
        verl("trainer.nnodes=1", end=" ${*}"),
        verl(end=" $@ 2>&1 | tee log"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_the_fix_quotes() -> None:
    assert fixed(SLUG, verl(end=" $@")) == verl(end=' "$@"')
