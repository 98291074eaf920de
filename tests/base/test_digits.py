from __future__ import annotations

import pytest

from bot.base.digits import MAX_DIGITS, is_digits, natural_number, whole_number


@pytest.mark.parametrize("text", ["", "²", "٣", "１", "-1", "+1", "1_0", " 1", "1.0", "1e3", "0x1"])
def test_what_is_no_natural_number(text: str) -> None:
    assert not is_digits(text)
    assert natural_number(text) is None


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("008", 8), ("12", 12)])
def test_digits_are_a_natural_number(text: str, number: int) -> None:
    assert is_digits(text)
    assert natural_number(text) == number


def test_more_digits_than_python_reads() -> None:
    text = "9" * (MAX_DIGITS + 1_000)
    assert is_digits(text)
    assert natural_number(text) is None
    assert whole_number(f"-{text}") is None


def test_a_whole_number_has_a_sign() -> None:
    assert whole_number("-12") == -12
    assert whole_number("²") is None
