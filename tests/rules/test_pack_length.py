from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import open_instruct
from tests.rules.helpers import marked, quiet

SLUG = "pack-length"
LENGTHS = ("--max_prompt_token_length 1024", "--response_length 2048")


@pytest.mark.parametrize(
    "script",
    [
        open_instruct(*LENGTHS, "--pack_length 3072"),
        open_instruct(*LENGTHS, "--pack_length $PACK"),
        open_instruct(),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        open_instruct(*LENGTHS, "--pack_length 3071"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
