"""The same work on many scripts on every processor, with what it makes in the scripts' order.

Each process has a stretch of the scripts, since neighbours share a configuration, and a pipe of its
own, by which it hears of the next one and sends what it made; who is done helps at another's end.
There is no queue and no lock, so that a process may be ended at any moment: the pool of
`concurrent.futures` waited for ever when Ctrl-C came while it handed out work (Python 3.11).
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar, cast

from bot.base.errors import UserError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
R = TypeVar("R")

_INTERRUPTED = 130
"""Exit status of a process that Ctrl-C ended."""
_WORTH = 8
"""Scripts a process: with fewer, starting it costs what it saves."""
_AHEAD = 2
"""Scripts that a process knows of, so that it need not wait for the next."""


def processes_for(count: int, jobs: int | None) -> int:
    """How many processes `count` scripts get: `jobs` at most, one for each processor without.

    One where this process has threads, which a fork would not take along, or cannot fork.
    """
    if threading.active_count() > 1 or not hasattr(os, "fork"):
        return 1
    if jobs is None:
        jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(jobs or 1, count // _WORTH))


def in_order(work: Callable[[T], R], items: Sequence[T], processes: int) -> Iterator[R]:
    """`work` of each item, in order; with several processes the results are pickled.

    Raises what `work` raises, and UserError where a process was killed.
    """
    # What the first one imports and keeps, the processes have too.
    shared = len(items) if processes == 1 else 1
    yield from map(work, items[:shared])
    if left := items[shared:]:
        yield from _forked(work, left, processes)


def _forked(work: Callable[[T], R], items: Sequence[T], processes: int) -> Iterator[R]:
    from multiprocessing import get_context
    from multiprocessing.connection import wait

    context = get_context("fork")
    started: dict[Connection, ForkProcess] = {}
    stretches: dict[Connection, deque[int]] = {}
    made: dict[int, list[Any]] = {}
    # A process that is being forked must not miss Ctrl-C, nor answer it with a traceback.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for stretch in _stretches(len(items), processes):
            ours, theirs = context.Pipe()
            started[ours] = context.Process(target=_carry_out, args=(work, items, theirs))
            started[ours].start()
            theirs.close()
            stretches[ours] = stretch
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for end in started:
            for _ in range(_AHEAD):
                _hand_out(end, stretches)
        for number in range(len(items)):
            while number not in made:
                for end in cast("list[Connection]", wait(list(started))):
                    done, *made[done] = _received(end, started[end])
                    _hand_out(end, stretches)
            result, error = made.pop(number)
            if error is not None:
                raise error
            yield result
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for process in started.values():
            process.kill()
        for process in started.values():  # Their memory is given back side by side.
            process.join()


def _stretches(count: int, processes: int) -> list[deque[int]]:
    """The numbers up to `count` in as many stretches, which are of one length but for one."""
    bounds = [count * at // processes for at in range(processes + 1)]
    return [deque(range(*pair)) for pair in pairwise(bounds)]


def _hand_out(end: Connection, stretches: Mapping[Connection, deque[int]]) -> None:
    """Name the next of its stretch to a process, else the last of the longest that is left."""
    own = stretches[end]
    left = own or max(stretches.values(), key=len)
    if left:
        with suppress(ConnectionError):  # Whose process was ended is said when it is asked.
            end.send(left.popleft() if left is own else left.pop())


def _received(end: Connection, process: ForkProcess) -> Any:
    try:
        return end.recv()
    except (EOFError, ConnectionError):
        process.join()
        if process.exitcode == _INTERRUPTED:  # It may hear of Ctrl-C before this process does.
            raise KeyboardInterrupt from None
        raise UserError(
            "A process that read scripts was ended from outside, perhaps for want of memory; "
            "use --jobs 1."
        ) from None


def _carry_out(work: Callable[[T], R], items: Sequence[T], end: Connection) -> None:
    # Ctrl-C reaches every process of the terminal: these have nothing to say about it.
    signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    while True:
        number = end.recv()
        try:
            end.send((number, work(items[number]), None))
        except Exception as error:
            end.send((number, None, error))
