"""A seeded sample of `make grid`: what is recommended is, to the digit, what estimate says."""

from __future__ import annotations

import pytest

from tests.recommend.grid import cases, contradictions

SAMPLE, PART = 300, 30


@pytest.mark.parametrize("part", range(SAMPLE // PART))
def test_what_is_recommended_is_what_estimate_says(part: int) -> None:
    asked = cases()[part * PART : (part + 1) * PART]
    assert [line for case in asked for line in contradictions(case, lint=False)] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_every_script_of_the_sample_is_clean(part: int) -> None:
    asked = cases()[SAMPLE + part * PART : SAMPLE + (part + 1) * PART]
    assert [line for case in asked for line in contradictions(case)] == []
