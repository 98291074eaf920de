"""Stores what arrives together in one transaction, so that a storm costs few commits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from bot.service.database import is_outage
from bot.service.job import Job

MOST = 100
"""Jobs of one transaction: a longer one would keep workers from the database."""

StoreAll = Callable[[Sequence[Job]], Sequence[str]]


class Inbox:
    """Hands jobs to one thread that stores all that wait; each caller gets its own job's answer."""

    def __init__(self, store: StoreAll) -> None:
        """`store` answers for every job in order, or raises when none was stored."""
        self._store = store
        self._waiting: list[tuple[Job, Future[str]]] = []
        self._changed = threading.Condition()
        self._closed = False
        # A daemon: a database that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="inbox", daemon=True)

    def start(self) -> None:
        """Begin to store."""
        self._thread.start()

    def close(self, patience: float = 5.0) -> None:
        """Store what waits, for at most `patience` seconds, and end."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join(patience)

    async def put(self, job: Job) -> str:
        """Store a job; says whether it was new. Raises what `store` raises."""
        done: Future[str] = Future()
        with self._changed:
            self._waiting.append((job, done))
            self._changed.notify()
        return await asyncio.wrap_future(done)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                if not taken:
                    return
            # Whoever got a 503 meanwhile delivers again; nothing is stored for them now.
            self._settle(
                [(job, done) for job, done in taken if done.set_running_or_notify_cancel()]
            )

    def _settle(self, taken: list[tuple[Job, Future[str]]]) -> None:
        if not taken:
            return
        try:
            answers = self._store([job for job, _ in taken])
        except Exception as error:
            if len(taken) > 1 and not (is_outage(error) or isinstance(error, OSError)):
                # One that cannot be stored must not keep the others out.
                for one in taken:
                    self._settle([one])
                return
            for _, done in taken:
                done.set_exception(error)
            return
        for (_, done), answer in zip(taken, answers, strict=True):
            done.set_result(answer)
