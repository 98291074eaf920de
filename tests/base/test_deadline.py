"""Deadlines in processor time, one within another."""

from __future__ import annotations

from contextlib import suppress

import pytest

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
