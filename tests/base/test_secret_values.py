"""Secrets that are known, covered wherever they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.base.secret_values import COVERED, KnownSecrets

_TEXTS = st.text("ab", max_size=60)


@given(st.sets(st.text("ab", min_size=8, max_size=12), max_size=6), _TEXTS)
def test_what_is_left_is_what_no_secret_covers(secrets: set[str], text: str) -> None:
    hidden = [False] * len(text)
    for secret in secrets:
        for at in range(len(text)):
            if text.startswith(secret, at):
                hidden[at : at + len(secret)] = [True] * len(secret)
    shown = KnownSecrets(secrets).cover(text)
    left = "".join(char for char, gone in zip(text, hidden, strict=True) if not gone)
    assert shown.replace(COVERED, "") == left
    assert (COVERED in shown) is any(hidden)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a=first-key,second-key", "a=***,***"),
        ("first-keysecond-key", "******"),
        ("first-key-and-more", "***"),
        ("first-ke", "first-ke"),
        ("short", "short"),
    ],
)
def test_each_is_covered_once(text: str, shown: str) -> None:
    known = KnownSecrets(["first-key", "second-key", "first-key-and-more", "short"])
    assert known.cover(text) == shown


def test_many_that_begin_alike_uncover_nothing() -> None:
    """After a while nobody looks which of them it is."""
    start = "a" * 20
    secrets = [f"{start}{'b' * length}" for length in range(5_000)]
    known = KnownSecrets(secrets)
    for _ in range(20):
        assert known.cover(f"x {start}{'b' * 7} {start}{'b' * 3}c")[:5] == f"x {COVERED}"
    assert known.cover("x") == "x"
