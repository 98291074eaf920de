from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "spaced-assignment"


@pytest.mark.parametrize(
    "script",
    [
        verl(before="NODES=2"),
        verl(before="NODES=2 env"),
        verl(before='if [ "$A" = "b" ]; then NODES=1; fi'),
        verl(before="[[ $A = b ]] && echo yes"),
        verl(before="expr 1 = 1"),
        verl(before="let NODES=2"),
        verl(before="declare NODES=2"),
        verl(before="EMPTY= python3 x.py"),
        verl(before="awk 'BEGIN { x = 1 }'"),
        verl(before="# NODES = 2"),
        verl(before='log_separator "="'),  # gbangban/ai-ideology-study
        verl(before="draw '=' 40"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(before="NODES = 2"),
        verl(before="NODES =2"),
        verl(before="NODES= 2"),
        verl(before='MODEL = "Qwen/Qwen3-8B"'),
        verl(before="for i in 1 2; do NODES = 2; done"),
        verl(before='JOB = $(az ml job create --file "$FILE" --query name)'),  # azureml-examples
    ],
)
def test_an_assignment_with_blanks(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
