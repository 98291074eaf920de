from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rules._support import multiples
from tests.profiles import scaled

small = st.integers(1, 40)


@settings(max_examples=scaled(200))
@given(value=st.integers(-5, 60), factor=small, divisor=small)
def test_they_are_what_counting_finds(value: int, factor: int, divisor: int) -> None:
    right = [b for b in range(1, 60 + divisor) if b * factor % divisor == 0]
    step = multiples.step(factor, divisor)
    assert step == right[0]
    assert multiples.at_least(value, step) == next(b for b in right if b >= value)
    assert multiples.below(value, step) == max((b for b in right if b < value), default=None)
