"""Durable jobs on DBOS: the only module that knows the engine.

One lane for each pull request, identity by meaning, results of steps stored, bounded retries.
Measured habits of the engine are met here: pickle is replaced by JSON, the application version is
pinned, SQLite runs in WAL, and an enqueue that a stalled database would hang is refused in time.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions
from dbos import error as dbos_error

from bot.service.database import Database, is_outage
from bot.service.job import Job, JsonObject, State, Work
from bot.service.logs import SUBJECT
from bot.service.readings import WAITS, next_look
from bot.service.retries import Retries, Stopping, patiently
from bot.service.slots import WAITING, Slots

VERSION = "jobs-2"
"""Raised only when the set or the order of steps changes: it gates which jobs a worker resumes."""
OLDER = ("jobs-1",)
"""Versions whose jobs are taken over: they begin anew, since their steps were others."""
QUEUE = "pull-requests"
WORKFLOW = "pull_request_job"
RECOVERIES = 20
"""How often a job may be resumed after crashes before it counts as the crash's cause: innocent ones
that ran beside it are counted too, and must outlast some minutes of them."""

Stored: TypeAlias = Literal["stored", "known", "again"]

STATES: dict[str, State] = {
    "ENQUEUED": "waiting",
    "DELAYED": "waiting",
    "PENDING": "running",
    "SUCCESS": "done",
    "ERROR": "failed",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
    "CANCELLED": "cancelled",
}
_log = logging.getLogger("rlbot.jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """A stored job, as an operator sees it."""

    id: str
    state: State
    kind: str
    created: float
    """Seconds since the epoch."""
    updated: float
    worker: str | None
    outcome: str | None = None
    error: str | None = None
    job: Job | None = None


def migrate(database: Database) -> None:
    """Make or update the engine's tables; a worker's start does it too.

    Raises what the database raises when it cannot be reached.
    """
    database.prepare()
    DBOS.migrate(database.url)


class JobClient:
    """Stores jobs and looks at them; runs none. Connects when first used."""

    def __init__(self, database: Database) -> None:
        database.prepare()
        self._engine = database.engine(8)
        self._client = DBOSClient(
            system_database_engine=self._engine,
            serializer=DBOSPortableJSONSerializer(),
            lazy=True,
            retry_connection_errors=False,
            application_name="rlbot",
        )

    def submit(self, job: Job) -> Stored:
        """Store a job; one that failed before runs again, any other known one is left alone.

        Raises what the database raises when it cannot store.
        """
        return self.submit_all([job])[0]

    def submit_all(self, jobs: Sequence[Job], *, after: float = 0.0) -> list[Stored]:
        """Store jobs in one transaction, all or none, to begin in `after` seconds; see `submit`."""
        answers: list[Stored] = []
        again: list[int] = []
        with self._engine.begin() as connection:
            for at, job in enumerate(jobs):
                options: EnqueueOptions = {
                    "workflow_name": WORKFLOW,
                    "queue_name": QUEUE,
                    "workflow_id": job.id,
                    "workflow_id_reuse_policy": "reject",
                    "queue_partition_key": job.lane,
                    "app_version": VERSION,
                }
                if after:
                    options["delay_seconds"] = after
                try:
                    self._client.enqueue_in_transaction(connection, options, job.to_json())
                    answers.append("stored")
                except dbos_error.DBOSWorkflowIDInUseError as known:
                    answers.append("known")
                    if STATES[known.workflow_status] in ("failed", "cancelled"):
                        again.append(at)
        for at in again:
            if self.retry(jobs[at].id):
                answers[at] = "again"
        return answers

    def retry(self, job_id: str) -> bool:
        """Run a failed or cancelled job again from its start; False when it is neither."""
        found = self._find(workflow_ids=[job_id], load_output=False)
        if not found or STATES[found[0].status] not in ("failed", "cancelled"):
            return False
        self._rewind(found[0])
        return True

    def later_check_waits(self, job: Job) -> bool:
        """True when another check of the same pull request waits; the kind stands in the id."""
        waiting = self._find(
            # One that is delayed only looks again, and must not take the place of a newer push's.
            status="ENQUEUED",
            workflow_id_prefix=f"{job.lane}:check:",
            load_input=False,
            load_output=False,
        )
        # The prefix is a pattern in SQL, where the underscore of a name stands for any character.
        lane = f"{job.lane}:check:"
        ids = {one.workflow_id for one in waiting if one.workflow_id.startswith(lane)}
        return bool(ids - {job.id})

    def show(self, job_id: str) -> JobStatus | None:
        """One job, or None when none has this id."""
        found = self._find(workflow_ids=[job_id])
        return _status(found[0]) if found else None

    def jobs(
        self,
        states: Iterable[State] = (),
        *,
        limit: int | None = 100,
    ) -> list[JobStatus]:
        """Jobs, newest first."""
        wanted = set(states)
        return [
            _status(found)
            for found in self._find(
                status=[name for name, state in STATES.items() if not wanted or state in wanted],
                limit=limit,
                sort_desc=True,
            )
        ]

    def counts(self) -> dict[State, int]:
        """How many jobs are in each state that does not grow for ever, by a light query."""
        found = self._find(
            status=[name for name, state in STATES.items() if state != "done"],
            load_input=False,
            load_output=False,
        )
        totals: dict[State, int] = {"waiting": 0, "running": 0, "failed": 0, "cancelled": 0}
        for one in found:
            totals[STATES[one.status]] += 1
        return totals

    def oldest_waiting(self) -> float | None:
        """Age in seconds of the job that has waited longest; None when none waits."""
        found = self._find(status="ENQUEUED", limit=1, load_input=False, load_output=False)
        return max(0.0, time.time() - float(found[0].created_at) / 1000) if found else None

    def purge(self, older_than: float, states: Iterable[State] = ("done", "cancelled")) -> int:
        """Delete jobs that ended more than `older_than` seconds ago; returns how many."""
        names = [name for name, state in STATES.items() if state in set(states)]
        end = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - older_than))
        total = 0
        while found := self._find(
            status=names, completed_before=end, limit=500, load_input=False, load_output=False
        ):
            self._client.delete_workflows([one.workflow_id for one in found])
            total += len(found)
        return total

    def running_workers(self) -> set[str]:
        """Ids of the workers that hold running jobs, dead ones included."""
        found = self._find(status="PENDING", load_input=False, load_output=False)
        return {one.executor_id for one in found if one.executor_id}

    def give_up(self, worker: str) -> int:
        """Let others take what a dead worker was running; returns how many jobs."""
        found = self._find(
            status="PENDING", executor_id=worker, load_input=False, load_output=False
        )
        if found:
            # The lane's key stays with the job, so it goes on in its own lane.
            self._client.resume_workflows([one.workflow_id for one in found], queue_name=QUEUE)
        return len(found)

    def adopt(self, held: Callable[[str], bool]) -> int:
        """Take over unfinished jobs of older releases; returns how many.

        `held` says whether a worker lives: what it runs is left to it.
        """
        found = self._find(
            status=["ENQUEUED", "DELAYED", "PENDING", "CANCELLED"],
            app_version=list(OLDER),
            limit=500,
            load_input=False,
            load_output=False,
        )
        taken = 0
        for one in found:
            if one.status == "PENDING" and one.executor_id and held(one.executor_id):
                continue
            # Only an ended job can begin anew; after a crash in between it is found cancelled.
            self._client.cancel_workflow(one.workflow_id)
            self._rewind(one)
            taken += 1
        return taken

    def ready(self) -> None:
        """Raise what the database raises when it cannot answer."""
        self._client.check_connection()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.destroy()
        self._engine.dispose()

    def _rewind(self, found: Any) -> None:
        self._client.rewind_workflow(
            found.workflow_id,
            application_version=VERSION,
            queue_name=QUEUE,
            # Stored with the job, and derived from its id where it was not.
            queue_partition_key=found.queue_partition_key or found.workflow_id.partition(":")[0],
        )

    def _find(self, **filters: Any) -> list[Any]:
        return self._client.list_workflows(
            name=WORKFLOW, **{k: v for k, v in filters.items() if v is not None}
        )


class Worker:
    """Runs jobs in threads of this process; one in a process, since the engine is global."""

    def __init__(
        self,
        database: Database,
        work: Work,
        *,
        worker: str,
        concurrency: int = 8,
        retries: Retries | None = None,
        looks: Sequence[float] = WAITS,
        ended: Callable[[Job, str], None] | None = None,
    ) -> None:
        """`concurrency`: jobs that act at once, beside those that wait for a limit's end.

        `looks` are the waits before a run that was away is looked for again. `ended` is called with
        the outcome of each job, `failed` included.
        """
        self._work = work
        self._retries = retries or Retries()
        self._looks = looks
        self._ended = ended or (lambda _job, _outcome: None)
        self._most = concurrency + WAITING
        self._stopping = threading.Event()
        self._slots = Slots(concurrency, self._stopping)
        self._client = JobClient(database)
        config: DBOSConfig = {
            "name": "rlbot",
            "system_database_url": database.url,
            "executor_id": worker,
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

    def _run(self, stored: JsonObject) -> JsonObject:
        job = Job.from_json(stored)
        SUBJECT.set({"job": job.id, "delivery": job.delivery})
        try:
            result = self._steps(job)
        except Exception as error:
            _log.error("the job failed: %s: %s", type(error).__name__, error)
            self._ended(job, "failed")
            raise
        if result.get("unread"):
            self._look_again(job)
        outcome = str(result["outcome"])
        _log.info("the job ended: %s", outcome)
        self._ended(job, outcome)
        return result

    def _look_again(self, job: Job) -> None:
        following = next_look(job, self._looks)
        if following is None:
            _log.warning("a run could not be read for a day: it is not looked for again")
            return
        # Stored under its own name: after a crash in between it is found, not doubled.
        later, wait = following
        patiently(
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

    def _step(self, name: str, function: Callable[..., JsonObject], *values: Any) -> JsonObject:
        subject = SUBJECT.get()

        def act() -> JsonObject:
            with self._slots.taken():
                return function(*values)

        def told(*_values: Any) -> JsonObject:
            SUBJECT.set(subject)
            return patiently(name, act, self._retries, sleep=self._sleep)

        # Retried here and not by the engine, which knows no limit's end and cannot be woken.
        return DBOS.run_step({"name": name, "retries_allowed": False}, told, *values)

    def _sleep(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise Stopping

    def _superseded(self, job: Job) -> bool:
        """True when a later check of the same pull request waits: it will do this one's work."""
        # Not stored as a step: a job that is resumed may look again, and only ends earlier by it.
        try:
            return job.kind == "check" and self._client.later_check_waits(job)
        except Exception as error:
            if not is_outage(error):
                raise
            return False


def _status(found: Any) -> JobStatus:
    state = STATES[found.status]
    job = None
    if found.input is not None and found.input["args"]:
        try:
            job = Job.from_json(found.input["args"][0])
        except TypeError:
            _log.warning("a stored job cannot be read", extra={"job": found.workflow_id})
    outcome = found.output.get("outcome") if isinstance(found.output, dict) else None
    return JobStatus(
        id=found.workflow_id,
        state=state,
        kind=job.kind if job else "",
        created=(found.created_at or 0) / 1000,
        updated=(found.updated_at or 0) / 1000,
        worker=found.executor_id,
        outcome=outcome,
        error=_error(found.error),
        job=job,
    )


def _error(error: Any) -> str | None:
    if error is None:
        return None
    # What a job raised comes back as its name and message, since it is stored as JSON.
    return f"{getattr(error, 'name', type(error).__name__)}: {error}"
