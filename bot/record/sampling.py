"""Samples memory once a second, and writes a record every minute."""

from __future__ import annotations

import base64
import os
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from bot.record.nvml import Nvml, NvmlError
from bot.report.manifest import ManifestMinute

INTERVAL: Final = 1.0
LOOKS: Final = 60
"""Of a minute."""
_LARGE: Final = 32
"""Processes above which a tree is listed at every fifth look alone: that takes 50 us for each."""
_MIB: Final = 20


class Sampler:
    """A thread that looks while the command runs."""

    def __init__(
        self,
        nvml: Nvml | None,
        root: int,
        write: Callable[[ManifestMinute], None],
        *,
        interval: float = INTERVAL,
    ) -> None:
        self._nvml, self._root, self._write, self._interval = nvml, root, write, interval
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._gpus = 0 if nvml is None else len(nvml.used())
        self.minutes = 0
        self._empty()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and write the minute that is not over."""
        self._ended.set()
        self._thread.join()
        if self._looks:
            self._close()

    def _empty(self) -> None:
        self._began = time.time()
        self._looks = 0
        self._used: list[list[int]] = [[] for _ in range(self._gpus)]
        self._peaks: list[int] = [0] * self._gpus
        self._tree_peaks: list[int | None] = [None] * self._gpus
        self._host = self._processes = 0

    def _run(self) -> None:
        due = time.monotonic()
        while True:
            self._look()
            if self._looks >= LOOKS:
                self._close()
            due = max(due + self._interval, time.monotonic())
            if self._ended.wait(due - time.monotonic()):
                return

    def _look(self) -> None:
        if self._processes <= _LARGE or self._looks % 5 == 0:
            self._pids = tree(self._root)
            self._members = frozenset(self._pids)
            self._host = max(self._host, resident(self._pids))
            self._processes = max(self._processes, len(self._pids))
        self._looks += 1
        if self._nvml is None:
            return
        try:
            used = self._nvml.used()
        except NvmlError:
            return
        for gpu, value in enumerate(used):
            self._used[gpu].append(value >> _MIB)
            self._peaks[gpu] = max(self._peaks[gpu], value)
            own = self._nvml.used_by(gpu, self._members)
            if own is not None:
                self._tree_peaks[gpu] = max(own, self._tree_peaks[gpu] or 0)

    def _close(self) -> None:
        minute = ManifestMinute(
            kind="minute",
            number=self.minutes,
            began=round(self._began, 3),
            looks=self._looks,
            peak_bytes=tuple(self._peaks),
            tree_peak_bytes=tuple(self._tree_peaks),
            samples=packed(self._used),
            host_peak_bytes=self._host,
            processes=self._processes,
        )
        self.minutes += 1
        self._empty()
        self._write(minute)


def packed(gpus: list[list[int]]) -> str:
    """The looks at each GPU as `ManifestMinute.samples` holds them."""
    out = bytearray()
    for values in gpus:
        last = 0
        for value in values:
            difference, last = value - last, value
            zigzag = difference * 2 if difference >= 0 else -2 * difference - 1
            while zigzag > 0x7F:
                out.append(zigzag & 0x7F | 0x80)
                zigzag >>= 7
            out.append(zigzag)
    packer = zlib.compressobj(9, wbits=-15)
    return base64.b85encode(packer.compress(bytes(out)) + packer.flush()).decode()


_MOST: Final = 20_000
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def tree(root: int) -> list[int]:
    """The process and all its descendants that are still there."""
    found: list[int] = []
    waiting = [root]
    while waiting and len(found) < _MOST:
        pid = waiting.pop()
        found.append(pid)
        with suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - a tenth of the time
                with suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as file:  # noqa: PTH123
                    waiting += map(int, file.read().split())
    return found


def resident(pids: list[int]) -> int:
    """Bytes that are resident of these processes; shared pages count in each."""
    pages = 0
    for pid in pids:
        with suppress(OSError, IndexError, ValueError), open(f"/proc/{pid}/statm") as file:  # noqa: PTH123
            pages += int(file.read().split()[1])
    return pages * _PAGE
