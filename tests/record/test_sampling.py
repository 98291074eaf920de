"""When the recorder looks: by a clock that moves by what looks and waits take."""

from __future__ import annotations

import pytest

from bot.record.sampling import Sampler
from bot.report.manifest import ManifestMinute


class _Clock:
    """The clock, and the end of the recording: it comes after the last look."""

    def __init__(self, *looks: float) -> None:
        self.now, self.began = 0.0, list[float]()
        self._looks = list(looks)

    def time(self) -> float:
        return self.now

    monotonic = time

    def look(self, root: int) -> list[int]:
        self.began.append(self.now)
        self.now += self._looks.pop(0)
        return [root]

    def wait(self, seconds: float) -> bool:
        assert seconds >= 0
        self.now += seconds
        return not self._looks

    def set(self) -> None:
        """It has ended by itself."""


def _looked(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> list[ManifestMinute]:
    written: list[ManifestMinute] = []
    monkeypatch.setattr("bot.record.sampling.time", clock)
    monkeypatch.setattr("bot.record.sampling.tree", clock.look)
    monkeypatch.setattr("bot.record.sampling.resident", lambda _pids: 0)
    sampler = Sampler(None, 1, written.append)
    monkeypatch.setattr(sampler, "_ended", clock)
    sampler.start()
    sampler.stop()
    return written


def test_a_second_has_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = _Clock(0.25, 0.5, 0.25, 0.25)
    (minute,) = _looked(clock, monkeypatch)
    assert (clock.began, minute.looks) == ([0, 1, 2, 3], 4)


def test_looks_that_a_busy_machine_misses_are_not_made_up_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = _Clock(0.25, 5.5, 0.25, 0.25)
    (minute,) = _looked(clock, monkeypatch)
    assert (clock.began, minute.looks) == ([0, 1, 6.5, 7.5], 4)


def test_sixty_looks_are_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = _looked(_Clock(*[0.25] * 61), monkeypatch)
    assert [(one.number, one.began, one.looks) for one in (first, second)] == [
        (0, 0.0, 60),
        (1, 59.25, 1),
    ]
