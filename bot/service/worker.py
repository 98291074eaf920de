"""Runs stored jobs on DBOS, in threads of this process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

from bot.service.database import database_reason, is_outage
from bot.service.job import Job, JsonObject, Work
from bot.service.jobs import QUEUE, VERSION, WORKFLOW, JobClient
from bot.service.logs import SUBJECT
from bot.service.rechecks import WAITS, is_recheck, next_recheck
from bot.service.retries import WAITING, Retries, Slots, Stopping, retry
from bot.service.settings import ServiceSettings

RECOVERIES = 60
"""How often a job may be resumed after crashes before it counts as the crash's cause: innocent ones
that ran beside it are counted too, and must outlast some minutes of them."""
_log = logging.getLogger("rlbot.jobs")


class Worker:
    """Runs jobs in threads of this process; one in a process, since the engine is global."""

    def __init__(
        self,
        settings: ServiceSettings,
        work: Work,
        *,
        retries: Retries | None = None,
        rechecks: Sequence[float] = WAITS,
        ended: Callable[[Job, str], None] | None = None,
    ) -> None:
        """As many jobs act at once as the settings say, beside those that wait for a limit's end.

        `rechecks`: seconds before each further try to read a run that could not be read. `ended`
        is called with the outcome of each job, `failed` included.
        """
        database, concurrency = settings.database, settings.concurrency
        self._work = work
        self._retries = retries or Retries()
        self._rechecks = rechecks
        self._ended = ended or (lambda _job, _outcome: None)
        self._most = concurrency + WAITING
        self._stopping = threading.Event()
        self._slots = Slots(concurrency, self._stopping)
        self._active: set[str] = set()
        self._client = JobClient(database)
        config: DBOSConfig = {
            "name": "rlbot",
            "system_database_url": database.url,
            "executor_id": settings.worker_id,
            "application_version": VERSION,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "WARNING",
            "enable_otlp": False,
            "max_executor_threads": self._most,
            "db_engine_kwargs": {"connect_args": database.steps()},
        }
        DBOS(config=config)
        # The engine marks the function that it registers, and a bound method cannot be marked.
        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=RECOVERIES)(
            lambda stored: self._run(stored)
        )

    def start(self) -> None:
        """Begin to run jobs, first those that this worker left when it ended."""
        DBOS.launch()
        DBOS.register_queue(
            QUEUE,
            worker_concurrency=self._most,
            partition_concurrency=1,
            polling_interval_sec=0.3,
        )

    def stop(self, patience: int = 30) -> None:
        """Take no more jobs, and wait up to `patience` seconds for the running ones.

        What is still running then goes on at its last stored step, here or elsewhere.
        """
        self._stopping.set()
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=patience)
        self._client.close()

    def active(self) -> frozenset[str]:
        """Ids of the jobs that run here."""
        return frozenset(self._active)

    def _run(self, stored: JsonObject) -> JsonObject:
        job = Job.from_json(stored)
        SUBJECT.set({"job": job.id, "delivery": job.delivery})
        self._active.add(job.id)
        try:
            return self._finish(job)
        finally:
            self._active.discard(job.id)

    def _finish(self, job: Job) -> JsonObject:
        try:
            result = self._steps(job)
        except Exception as error:
            if is_outage(error):
                _log.warning(
                    "the job goes on later, a step was not stored: %s", database_reason(error)
                )
                raise Stopping from None
            _log.error("the job failed: %s: %s", type(error).__name__, error)
            self._ended(job, "failed")
            raise
        if result.get("unread"):
            self._schedule_recheck(job, result)
        outcome = str(result["outcome"])
        _log.info("the job ended: %s", outcome)
        self._ended(job, outcome)
        return result

    def _schedule_recheck(self, job: Job, result: JsonObject) -> None:
        following = next_recheck(job, result, self._rechecks)
        if following is None:
            _log.warning("a run could not be read for a day: it is not looked for again")
            return
        # Stored under its own name: after a crash in between it is found, not doubled.
        later, wait = following
        retry(
            "look",
            lambda: self._client.submit_all([later], after=wait),
            self._retries,
            sleep=self._sleep,
        )
        _log.info("a run could not be read: it is looked for again in %.0f s", wait)

    def _steps(self, job: Job) -> JsonObject:
        if self._superseded(job):
            return {"outcome": "superseded"}
        checked = self._step("check", self._work.check, job)
        if "outcome" in checked:
            return checked
        if self._superseded(job):
            return {"outcome": "superseded"}
        return self._step("publish", self._work.publish, job, checked)

    def _step(
        self, name: str, function: Callable[..., JsonObject], job: Job, *values: Any
    ) -> JsonObject:
        subject = SUBJECT.get()

        def act() -> JsonObject:
            with self._slots.taken(job.repository):
                return function(job, *values)

        def retried(*_values: Any) -> JsonObject:
            SUBJECT.set(subject)
            return retry(name, act, self._retries, sleep=self._sleep)

        # Retried here and not by the engine, which knows no limit's end and cannot be woken.
        return DBOS.run_step({"name": name, "retries_allowed": False}, retried, job, *values)

    def _sleep(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise Stopping

    def _superseded(self, job: Job) -> bool:
        """True when a later check of the same pull request waits: it will do this one's work.

        That of a repetition was also done where a later one has read all runs.
        """
        # Not stored as a step: a job that is resumed may ask anew, and only ends earlier by it.
        if job.kind != "check":
            return False
        try:
            return self._client.later_check_waits(job) or (
                is_recheck(job)
                and (self._client.later_recheck_waits(job) or self._client.read_since(job))
            )
        except Exception as error:
            if not is_outage(error):
                raise
            return False
