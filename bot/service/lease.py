"""A worker's lease: its id is in use while it lives, and peers can tell when it has died.

The engine resumes a worker's jobs only when that worker comes back. So every worker holds a lock
named after its id, and a peer that can take the lock may give the jobs to others. On SQLite the
lock is on a file beside the database; on PostgreSQL it is an advisory lock on a connection of its
own, which the server drops when the connection dies.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bot.base.errors import UserError
from bot.service.database import Database
from bot.service.jobs import JobClient
from bot.service.repeated import Repeated

NAMESPACE = 0x726C626F
"""First key of our advisory locks; the second is a checksum of the worker's id."""
PATIENCE = 5.0
"""Seconds that a start waits for a peer which is just looking whether this worker is dead."""
INTERVAL = 2.0
"""Seconds between two looks at the peers."""
LOOKS = 30
"""Looks in a row that find a job stored as running here, and not running, before it goes on: one
that was just taken is about to run, and the end of another about to be stored."""

_log = logging.getLogger("rlbot.lease")


class Lease(ABC):
    """The right to run under an id."""

    def __init__(self, worker: str) -> None:
        self.worker = worker

    def take(self) -> None:
        """Take the lease; raises UserError when a living process holds it."""
        end = time.monotonic() + PATIENCE
        while not self._take():
            if time.monotonic() > end:
                raise UserError(
                    'A worker with the id "{worker}" is already running. Stop it, or give '
                    "this one another id with --id or RLBOT_WORKER_ID.",
                    worker=self.worker,
                )
            time.sleep(0.2)

    @abstractmethod
    def _take(self) -> bool:
        """Try once; False when another process holds it."""

    @abstractmethod
    def alive(self) -> bool:
        """False when the lease was lost: another worker may be running our jobs."""

    @abstractmethod
    @contextmanager
    def over(self, worker: str) -> Iterator[bool]:
        """Whether another worker has died; while the block runs it cannot come back."""

    @abstractmethod
    def release(self) -> None:
        """Release the id."""


class FileLease(Lease):
    """On a file beside an SQLite database: the operating system frees it with the process."""

    def __init__(self, worker: str, database: Path) -> None:
        super().__init__(worker)
        self._folder = database.with_name(f"{database.name}.workers")
        self._held: int | None = None

    def _take(self) -> bool:
        self._held = self._lock(self.worker)
        return self._held is not None

    def alive(self) -> bool:
        """See `Lease.alive`."""
        return self._held is not None

    @contextmanager
    def over(self, worker: str) -> Iterator[bool]:
        """See `Lease.over`."""
        taken = self._lock(worker)
        try:
            yield taken is not None
        finally:
            if taken is not None:
                os.close(taken)

    def release(self) -> None:
        """See `Lease.release`."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _lock(self, worker: str) -> int | None:
        self._folder.mkdir(parents=True, exist_ok=True)
        file = os.open(self._folder / quote(worker, safe=""), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return file


class AdvisoryLease(Lease):
    """An advisory lock of PostgreSQL, on a connection that the server watches closely."""

    def __init__(self, worker: str, url: str) -> None:
        super().__init__(worker)
        self._url = url.replace("postgresql+psycopg://", "postgresql://", 1)
        self._connection: Any = None
        self._busy = threading.Lock()

    def _take(self) -> bool:
        import psycopg

        try:
            if self._connection is None or self._connection.closed:
                self._connection = psycopg.connect(
                    self._url,
                    autocommit=True,
                    connect_timeout=10,
                    keepalives_idle=3,
                    keepalives_interval=2,
                    keepalives_count=2,
                    # The server, too, must notice a machine that went away without a word.
                    options="-c tcp_keepalives_idle=3 -c tcp_keepalives_interval=2 "
                    "-c tcp_keepalives_count=2 -c statement_timeout=5000",
                )
            return self._try(self.worker)
        except psycopg.Error as error:
            raise UserError(
                "The database cannot be reached: {why}.", why=str(error).strip().splitlines()[0]
            ) from None

    def alive(self) -> bool:
        """See `Lease.alive`."""
        import psycopg

        try:
            with self._busy:
                self._connection.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    @contextmanager
    def over(self, worker: str) -> Iterator[bool]:
        """See `Lease.over`."""
        # The lock is re-entrant within a session: our own id would seem free.
        taken = worker != self.worker and self._try(worker)
        try:
            yield taken
        finally:
            if taken:
                with self._busy:
                    self._connection.execute("SELECT pg_advisory_unlock(%s, %s)", self._key(worker))

    def release(self) -> None:
        """See `Lease.release`."""
        if self._connection is not None:
            self._connection.close()

    def _try(self, worker: str) -> bool:
        with self._busy:
            row = self._connection.execute(
                "SELECT pg_try_advisory_lock(%s, %s)", self._key(worker)
            ).fetchone()
        return bool(row[0])

    @staticmethod
    def _key(worker: str) -> tuple[int, int]:
        checksum = zlib.crc32(worker.encode())
        return NAMESPACE, checksum - (1 << 32) if checksum >= 1 << 31 else checksum


def lease_for(database: Database, worker: str) -> Lease:
    """The kind of lease that fits the database."""
    if database.is_sqlite:
        return FileLease(worker, database.path)
    return AdvisoryLease(worker, database.url)


class Guard(Repeated):
    """Watches the own lease, and lets jobs go on that nobody runs.

    Those are the jobs of dead peers, and the own ones whose end the database did not take: the
    engine goes on with those at the next start only, and their lane would wait until then.
    """

    def __init__(
        self,
        lease: Lease,
        jobs: JobClient,
        lost: Callable[[], None],
        *,
        active: Callable[[], Set[str]] | None = None,
        interval: float = INTERVAL,
    ) -> None:
        """`lost` is called once when the own lease is gone: it must end the process.

        `active` gives the jobs that this process runs.
        """
        super().__init__("guard", self._watch, interval)
        self._lease = lease
        self._jobs = jobs
        self._lost = lost
        self._active = active
        self._seen: Mapping[str, int] = {}

    def look(self) -> int:
        """Look once; returns how many jobs go on, here or at another living worker."""
        moved = 0
        for worker, jobs in self._jobs.running().items():
            if worker == self._lease.worker:
                moved += self._jobs.resume(self._stalled_jobs(jobs))
                continue
            with self._lease.over(worker) as dead:
                if dead:
                    moved += self._jobs.give_up(worker)
        return moved

    def _stalled_jobs(self, jobs: Set[str]) -> list[str]:
        """Those of the own jobs that have not been running for a while."""
        if self._active is None:
            return []
        self._seen = {one: self._seen.get(one, 0) + 1 for one in jobs - self._active()}
        return [one for one, looks in self._seen.items() if looks > LOOKS]

    def _watch(self) -> None:
        if not self._lease.alive():
            _log.critical("the lease is lost; ending, so that no job runs twice")
            self.stop()
            self._lost()
            return
        # A database that is down for a while is nothing to tell of every other second.
        with suppress(Exception):
            if moved := self.look():
                _log.warning("jobs that nobody ran go on here or elsewhere: %d", moved)
