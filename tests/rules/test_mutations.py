"""A defect that is put into a clean script is named at its line."""

from __future__ import annotations

import random

import pytest

from tests.rules.mutations import CLASSES, Count, clean, measure

EACH = 10
"""Defects of a class; `python -m tests.rules.mutations` takes more."""


def _all(counts: dict[str, Count]) -> float:
    return sum(c.named for c in counts.values()) / sum(c.tried for c in counts.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_nine_of_ten_defects_are_named_at_their_line(seed: int) -> None:
    counts = measure(seed, EACH)
    assert set(counts) == {mutation.__name__ for mutation in CLASSES}
    for name, count in counts.items():
        assert count.tried == EACH, name
        assert count.share >= 0.8, (name, count.missed)
    assert _all(counts) >= 0.9


def test_a_generator_of_the_same_seed_makes_the_same() -> None:
    lines = [clean("verl", random.Random("7")).lines() for _ in range(2)]  # noqa: S311
    assert lines[0] == lines[1]
