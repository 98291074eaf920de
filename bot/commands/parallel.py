"""The same work on many scripts on every processor, with what it makes in the scripts' order.

Each process has every n-th script and a pipe of its own, from which its results are read in turn.
There is no queue and no lock, so that a process may be ended at any moment: the pool of
`concurrent.futures` waited for ever when Ctrl-C came while it handed out work (Python 3.11).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from bot.base.errors import UserError
from bot.base.messages import message

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
R = TypeVar("R")

_INTERRUPTED = 130
"""Exit status of a process that Ctrl-C ended."""
_WORTH = 8
"""Scripts a process: with fewer, starting it costs what it saves."""


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

    context = get_context("fork")
    ends: list[Connection] = []
    started = []
    # A process that is being forked must not miss Ctrl-C, nor answer it with a traceback.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for number in range(processes):
            ours, theirs = context.Pipe(duplex=False)
            ends.append(ours)
            process = context.Process(
                target=_carry_out, args=(work, items[number::processes], theirs)
            )
            process.start()
            started.append(process)
            theirs.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in range(len(items)):
            yield _next(ends[number % processes], started[number % processes])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for process in started:
            process.kill()
            process.join()


def _next(end: Connection, process: ForkProcess) -> Any:
    try:
        made, error = end.recv()
    except EOFError:
        process.join()
        if process.exitcode == _INTERRUPTED:  # It may hear of Ctrl-C before this process does.
            raise KeyboardInterrupt from None
        raise UserError(
            message(
                "A process that read scripts was ended from outside, perhaps for want of memory; "
                "use --jobs 1."
            )
        ) from None
    if error is not None:
        raise error
    return made


def _carry_out(work: Callable[[T], R], items: Sequence[T], end: Connection) -> None:
    # Ctrl-C reaches every process of the terminal: these have nothing to say about it.
    signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for item in items:
        try:
            end.send((work(item), None))
        except Exception as error:
            end.send((None, error))
            return
