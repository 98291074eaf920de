"""Starting and stopping: the web process, its workers, and workers of their own."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeAlias

from bot.base.errors import UserError, system_reason
from bot.base.isolated import prepare
from bot.github.addresses import Addresses
from bot.github.app import AppIdentity
from bot.service import logs
from bot.service.job import Work
from bot.service.jobs import JobClient, migrate
from bot.service.lease import Guard, lease_for
from bot.service.metrics import Metrics
from bot.service.repeated import Repeated
from bot.service.settings import ServiceSettings, identity_of, require_secret
from bot.service.sweep import INTERVAL, sweep
from bot.service.verifications import Verifications
from bot.service.worker import Worker

MakeWork: TypeAlias = Callable[[ServiceSettings, Metrics], Work]

LOST = 75
"""Exit status when another worker may have taken our jobs: restart the process."""
NICE = 10
"""Niceness of a worker in a process of its own."""
DAY = 86_400
SWEEP = "the sweep"
"""Whose lease the process holds that sweeps."""

_log = logging.getLogger("rlbot.run")


class SupervisedWorker:
    """A worker with its lease and its guard: everything that runs jobs in this process."""

    def __init__(self, settings: ServiceSettings, work: Work, metrics: Metrics) -> None:
        """Takes the lease; raises UserError when another process runs under the same id."""
        self._lease = lease_for(settings.database, settings.worker_id)
        self._lease.take()
        self._jobs = JobClient(settings.database)
        self._verifications = Verifications(settings.database)
        self._retention = settings.retention_days * DAY
        self._repeated = [Repeated("retention", self._keep, DAY)]
        if settings.app_id is not None and settings.private_key is not None:
            identity = identity_of(settings, os.environ)
            self._repeated.append(Repeated("sweep", lambda: self._sweep(identity), INTERVAL))
        self._worker = Worker(settings, work, ended=metrics.ended)
        self._guard = Guard(self._lease, self._jobs, _end_at_once, active=self._worker.active)

    def start(self) -> None:
        """Start."""
        # Workers compute in the process that answers webhooks: they switch more often.
        sys.setswitchinterval(0.0005)
        prepare("bot.service.preload")
        self._worker.start()
        self._guard.start()
        for each in self._repeated:
            each.start()

    def stop(self) -> None:
        """Stop; running jobs get half a minute to finish a step."""
        for each in self._repeated:
            each.stop()
        self._guard.stop(10)
        self._worker.stop()
        self._jobs.close()
        self._verifications.close()
        self._lease.release()

    def _keep(self) -> None:
        """Remove what is older than the retention."""
        if removed := self._jobs.purge(self._retention):
            _log.info("removed %d jobs older than the retention", removed)

    def _sweep(self, identity: AppIdentity) -> None:
        """Sweep, in one process of all."""
        with self._lease.over(SWEEP) as ours:
            if ours:
                sweep(identity, self._jobs.submit, self._verifications.shown_repositories)


def serve(
    settings: ServiceSettings,
    *,
    host: str,
    port: int,
    make_work: MakeWork | None,
) -> None:
    """Serve webhooks and pages until told to stop; with `make_work`, run the jobs here too.

    Raises UserError when no secret is set, the id is in use, or the database cannot be used.
    """
    import uvicorn

    from bot.service.app import checks, create_app
    from bot.service.connections import server_config
    from bot.service.pages import pages

    require_secret(settings)
    listening = _listen(host, port)
    logs.configure(settings.secrets(os.environ))
    settings.database.carry_out(lambda: migrate(settings.database))
    verifications = Verifications(settings.database)
    settings.database.carry_out(verifications.migrate)
    metrics = Metrics()
    client = JobClient(settings.database)
    metrics.watch_jobs(client.counts, client.oldest_waiting)
    # Not on the server's event loop, on which the engine refuses to be started.
    worker = _start_worker(settings, make_work, metrics) if make_work else None
    app = create_app(settings, client, metrics, checks=tuple(checks(settings)))
    app.include_router(pages(verifications, server=Addresses.of(os.environ).server))
    _log.info("serving on http://%s:%d with %s", host, port, settings.database.shown)
    server = uvicorn.Server(server_config(app))
    for name in (signal.SIGTERM, signal.SIGINT):
        # uvicorn ends gracefully, and then gives the signal to whoever had it before.
        signal.signal(name, lambda *_: sys.exit(0))
    try:
        server.run(sockets=[listening])
    finally:
        if worker:
            worker.stop()
        client.close()
        verifications.close()


def work(
    settings: ServiceSettings,
    make_work: MakeWork,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
) -> None:
    """Run jobs until told to stop, and show state and figures at a port where one is given.

    Raises UserError when the id or the port is in use, or the database cannot be used.
    """
    listening = _listen(host, port) if port is not None else None
    logs.configure(settings.secrets(os.environ))
    # On a machine that it shares with the web process or the database, answers come first.
    os.nice(NICE)
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    metrics = Metrics()
    worker = _start_worker(settings, make_work, metrics)
    if listening is not None:
        _show_state(settings, metrics, listening)
    _log.info("working as %s with %s", settings.worker_id, settings.database.shown)
    while not stop.wait(3600):
        pass
    worker.stop()


def _show_state(settings: ServiceSettings, metrics: Metrics, listening: socket.socket) -> None:
    """Serve the state and the figures of a worker, in a thread that ends with the process."""
    import uvicorn

    from bot.service.app import checks, create_worker_app
    from bot.service.connections import server_config

    client = JobClient(settings.database)
    app = create_worker_app(client, metrics, checks=tuple(checks(settings)))
    server = uvicorn.Server(server_config(app))
    sockets = {"sockets": [listening]}
    threading.Thread(target=server.run, kwargs=sockets, name="state", daemon=True).start()


def _start_worker(
    settings: ServiceSettings, make_work: MakeWork, metrics: Metrics
) -> SupervisedWorker:
    def start() -> SupervisedWorker:
        worker = SupervisedWorker(settings, make_work(settings, metrics), metrics)
        worker.start()
        return worker

    return settings.database.carry_out(start)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UserError(
                "Port {port} of {host} is in use. Stop what listens there, or give another --port.",
                port=port,
                host=host,
            ) from None
        raise UserError(
            "Cannot listen on {host}, port {port}: {why}.",
            host=host,
            port=port,
            why=system_reason(error),
        ) from None


def _end_at_once() -> None:
    """End without another step: whoever holds our jobs now would run them a second time."""
    logging.shutdown()
    time.sleep(0.1)
    os._exit(LOST)
