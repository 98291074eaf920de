"""What passes is outlasted; what GitHub asks for is waited; what cannot be settled is not tried."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from bot.github.errors import LimitedError
from bot.service.job import Transient
from bot.service.limits import RateLimits
from bot.service.retries import Retries, Stopping, retry


class Day:
    """A clock that moves by sleeping, and an other side that is down until a moment."""

    def __init__(self, down_for: float, *, says: bool = False, takes: float = 0.0) -> None:
        self.now = 0.0
        self.down_for = down_for
        self.says = says
        self.takes = takes
        self.asked: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def act(self) -> str:
        self.asked.append(self.now)
        self.now += self.takes
        if self.now < self.down_for:
            wait = self.down_for - self.now if self.says else None
            raise Transient("GitHub is down", wait=wait)
        return "done"

    def run(self, retries: Retries | None = None) -> str:
        return retry("check", self.act, retries or Retries(), sleep=self.sleep)


@pytest.mark.parametrize("takes", [0.0, 87.0], ids=["refused", "hanging"])
@pytest.mark.parametrize("minutes", [1, 10, 30])
def test_an_outage_is_outlasted_and_its_end_noticed_soon(minutes: int, takes: float) -> None:
    day = Day(minutes * 60.0, takes=takes)
    assert day.run() == "done"
    assert day.now - day.down_for <= Retries().longest_wait + 2 * takes
    assert len(day.asked) <= 6 + minutes


@pytest.mark.parametrize("minutes", [1, 10, 60])
def test_a_limit_is_waited_for_without_asking_in_between(minutes: int) -> None:
    day = Day(minutes * 60.0, says=True)
    assert day.run() == "done"
    assert len(day.asked) == 2
    assert day.now - day.down_for < 1 + 0.03 * day.down_for


def test_patience_ends() -> None:
    with pytest.raises(Transient, match="GitHub is down"):
        Day(float("inf")).run()
    with pytest.raises(Transient, match="GitHub is down"):
        Day(24 * 3_600.0, says=True).run()


def test_what_another_attempt_would_not_settle_is_tried_once() -> None:
    tried = []

    def act() -> None:
        tried.append(1)
        raise ValueError("this cannot be done")

    with pytest.raises(ValueError, match="cannot be done"):
        retry("check", act, Retries())
    assert tried == [1]


def test_a_database_that_is_locked_while_a_report_is_recorded_passes() -> None:
    locked = [sa.exc.OperationalError("INSERT", {}, Exception("database is locked"))] * 3
    waits: list[float] = []

    def act() -> str:
        if locked:
            raise locked.pop()
        return "recorded"

    assert retry("publish", act, Retries(), sleep=waits.append) == "recorded"
    assert waits == [2.0, 4.0, 8.0]


def test_a_process_that_ends_does_not_wait() -> None:
    def sleep(_seconds: float) -> None:
        raise Stopping

    with pytest.raises(Stopping):
        retry("check", Day(60.0).act, Retries(), sleep=sleep)


def test_what_one_job_learns_of_a_limit_the_others_keep_to() -> None:
    now = 1_000.0
    limits = RateLimits(lambda: now)
    limits.hold(1)
    met = LimitedError("GitHub limits the rate of requests.", 403)
    met.wait = 600.0
    assert limits.met(1, met).wait == 600.0
    limits.hold(2)
    now += 100
    with pytest.raises(Transient, match="limits the rate") as held:
        limits.hold(1)
    assert held.value.wait == 500.0
    shorter = LimitedError("GitHub limits the rate of requests.", 403)
    shorter.wait = 1.0
    limits.met(1, shorter)
    now += 499
    with pytest.raises(Transient):
        limits.hold(1)
    now += 1
    limits.hold(1)


def test_writers_of_one_installation_take_turns() -> None:
    limits = RateLimits()
    assert limits.pace(1) is limits.pace(1)
    first, second, third = (limits.pace(1).turn(1.0) for _ in range(3))
    assert first == 0.0
    assert 0.9 < second <= 1.0
    assert 1.9 < third <= 2.0
    assert limits.pace(2).turn(1.0) == 0.0
