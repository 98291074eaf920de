from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, marked, quiet

SLUG = "invisible-characters"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(before="# 32√ → 64× 中文 é ✓"),
        verl().replace("\n", "\r\n"),
        verl(before="\tX=1"),
        "\ufeff" + verl(),
        verl(before="# \u3000\u3000终局率\u3000成功率\u00a0%"),
        verl(before='echo "\U0001f3cb\ufe0f\u200d\u2642\ufe0f Training"'),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_bytes_that_are_no_text_are_left_to_the_rule_syntax() -> None:
    assert quiet(SLUG, "echo a\n".encode("utf-16"))
    assert quiet(SLUG, bytes(range(256)) * 40)


def test_a_line_full_of_them_is_one_finding(snapshot: SnapshotAssertion) -> None:
    script = "echo\u00a0a\u00a0b\u200b\u00a0c\necho\u00a0d\n"
    assert marked(SLUG, script).replace("\u00a0", "?").replace("\u200b", "?") == snapshot
    assert fixed(SLUG, script) == "echo a b c\necho d\n"


@pytest.mark.parametrize(
    "script", ["echo a\u200db\n", "echo \u2642\u200db\n", "# a\u202eb\n", "# a\u200bb\n"]
)
def test_what_joins_no_emoji_or_turns_a_comment_round_is_named(script: str) -> None:
    assert not quiet(SLUG, script)


@pytest.mark.parametrize(
    "char", ["\u200b", "\u202e", "\u2066", "\u00a0", "\u3000", "\x1b", "\ufeff"]
)
def test_names_the_character(char: str, snapshot: SnapshotAssertion) -> None:
    said = marked(SLUG, f"echo a{char}b\n")
    assert said.replace(char, "?") == snapshot


def test_the_fix_removes_or_replaces_it() -> None:
    assert fixed(SLUG, "echo\u00a0a\u200bb # x\u202ey\n") == "echo ab # xy\n"
