"""Deadlines in processor time, one within another."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from bot.base import isolated
from bot.base.deadline import DeadlineError, deadline


def _spin() -> None:
    while True:
        pass


def test_work_without_end_ends() -> None:
    with pytest.raises(DeadlineError), deadline(0.05):
        _spin()


def test_the_nearer_of_two_ends_holds() -> None:
    with pytest.raises(DeadlineError), deadline(0.05), deadline(3_600):
        _spin()


def test_an_inner_one_leaves_the_outer_one_in_force() -> None:
    with pytest.raises(DeadlineError), deadline(0.1):
        _spin_after_a_deadline()


def _spin_after_a_deadline() -> None:
    with suppress(DeadlineError), deadline(0.05):
        _spin()
    _spin()


_WHERE_MEMORY_ENDS = [deadline.__wrapped__, isolated.worked]  # type: ignore[attr-defined]


@pytest.mark.parametrize("function", _WHERE_MEMORY_ENDS)
def test_a_handler_is_near_the_start_of_its_function(function: Callable[..., Any]) -> None:
    """CPython 3.11 makes an integer of a place beyond 256, and tries for ever without room."""
    assert len(function.__code__.co_code) // 2 <= 256


def test_handlers_are_set_without_an_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no memory was left, one in forty readings hung, and its caller waited for 120 seconds.

    `Enum.__new__` has a `finally` that CPython 3.11 tries to enter for ever then.
    """

    def refused(*_given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(signal, "_int_to_enum", refused)
    with deadline(60):
        pass
