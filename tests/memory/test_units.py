"""Bytes never mix with plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.memory.units import NOTHING, Bytes, together

amounts = st.integers(min_value=0, max_value=1 << 50).map(Bytes)
MIXTURES: tuple[Callable[[Any], Any], ...] = (
    lambda b: b + 1,
    lambda b: 1 + b,
    lambda b: b - 1,
    lambda b: b * b,
    lambda b: 2 / b,
    lambda b: b * True,
    lambda b: b < 1,
    lambda b: b >= 1.0,
    lambda b: sum([b, b]),
)


@pytest.mark.parametrize("mixture", MIXTURES)
def test_a_number_is_no_amount(mixture: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        mixture(Bytes(5))


@given(amounts, amounts, amounts)
def test_sums_do_not_depend_on_order(one: Bytes, two: Bytes, three: Bytes) -> None:
    assert (one + two) + three == together([three, two, one])
    assert (one + two) - two == one
    assert one + NOTHING == one


@given(amounts, amounts, st.floats(min_value=0, max_value=16))
def test_scaling_keeps_the_order(one: Bytes, two: Bytes, factor: float) -> None:
    low, high = sorted((one, two))
    assert low * factor <= high * factor
    assert low.less(high) == NOTHING
    assert factor * low == low * factor


def test_what_it_prints() -> None:
    assert str(Bytes.gib(70.94)) == "70.9 GiB"
    assert Bytes.gib(3) / Bytes.gib(2) == 1.5
    assert Bytes(10) / 4 == Bytes(3)
    assert not NOTHING
