"""Durable jobs on DBOS: only this module and `worker` use the engine.

One lane for each pull request, identity by meaning, results of steps stored, bounded retries. The
engine's defaults are changed where they do harm: JSON in place of pickle, a pinned application
version, SQLite in WAL, and an enqueue that fails in time when the database stalls.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer, EnqueueOptions
from dbos import error as dbos_error

from bot.base.fast_dataclass import dataclass
from bot.service.database import Database
from bot.service.job import Job, JobState

VERSION = "jobs-1"
"""Raised only when the set or the order of steps changes: it gates which jobs a worker resumes.
The release that raises it takes over the jobs of the one before, from their beginning."""
QUEUE = "pull-requests"
WORKFLOW = "pull_request_job"

Stored: TypeAlias = Literal["stored", "known", "again"]

STATES: dict[str, JobState] = {
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
    state: JobState
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
        self._database = database
        self._engine = database.engine(8)
        self._client = DBOSClient(
            system_database_engine=self._engine,
            serializer=DBOSPortableJSONSerializer(),
            lazy=True,
            retry_connection_errors=False,
            application_name="rlbot",
        )

    def submit(self, job: Job) -> Stored:
        """Store a job; one that failed before is run again, any other stored one is left alone.

        Raises what the database raises when it cannot store.
        """
        return self.submit_all([job])[0]

    def submit_all(self, jobs: Sequence[Job], *, after: float = 0.0) -> list[Stored]:
        """Store jobs in one transaction, all or none, to begin in `after` seconds; see `submit`."""
        answers: list[Stored] = []
        ended: list[int] = []
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
                except dbos_error.DBOSWorkflowIDInUseError as error:
                    answers.append("known")
                    if STATES[error.workflow_status] in ("failed", "cancelled"):
                        ended.append(at)
        for at in ended:
            if self.retry(jobs[at].id):
                answers[at] = "again"
        return answers

    def retry(self, job_id: str) -> bool:
        """Run a failed or cancelled job again from its start; False when it is neither."""
        found = self._find(workflow_ids=[job_id])
        if not found or STATES[found[0].status] not in ("failed", "cancelled"):
            return False
        self._client.rewind_workflow(
            job_id,
            application_version=VERSION,
            queue_name=QUEUE,
            queue_partition_key=found[0].queue_partition_key,
        )
        return True

    def later_check_waits(self, job: Job) -> bool:
        """True when another check of the same pull request waits; the kind stands in the id."""
        lane = f"{job.lane}:check:"
        # A delayed one is only a repetition, and must not take the place of a newer push's.
        waiting = self._find(status="ENQUEUED", workflow_id_prefix=lane)
        # The prefix is a pattern in SQL, where the underscore of a name stands for any character.
        ids = {one.workflow_id for one in waiting if one.workflow_id.startswith(lane)}
        return bool(ids - {job.id})

    def later_recheck_waits(self, job: Job) -> bool:
        """True when a repetition that was stored after this one waits for the same pull request."""
        lane = f"{job.lane}:check:look"
        mine = self._find(workflow_ids=[job.id])
        waiting = self._find(status="DELAYED", workflow_id_prefix=lane)
        return any(
            one.workflow_id.startswith(lane) and one.created_at > mine[0].created_at
            for one in waiting
            if mine and one.workflow_id != job.id
        )

    def read_since(self, job: Job) -> bool:
        """True when a later job of the same pull request has published a check of all runs."""
        lane = f"{job.lane}:"
        mine = self._find(workflow_ids=[job.id])
        ended = self._find(whole=True, status="SUCCESS", workflow_id_prefix=lane) if mine else ()
        return any(
            isinstance(one.output, dict) and one.output.get("unread") is False
            for one in ended
            # The engine stores whole seconds: of one in the same second nobody knows.
            if one.workflow_id.startswith(lane) and one.updated_at > mine[0].created_at
        )

    def show(self, job_id: str) -> JobStatus | None:
        """One job, or None when none has this id."""
        found = self._find(whole=True, workflow_ids=[job_id])
        return _status(found[0]) if found else None

    def jobs(
        self,
        states: Iterable[JobState] = (),
        *,
        limit: int | None = 100,
    ) -> list[JobStatus]:
        """Jobs, newest first."""
        wanted = set(states)
        return [
            _status(workflow)
            for workflow in self._find(
                whole=True,
                status=[name for name, state in STATES.items() if not wanted or state in wanted],
                limit=limit,
                sort_desc=True,
            )
        ]

    def counts(self) -> dict[JobState, int]:
        """How many jobs are in each state but `done`, which grows for ever, by a light query."""
        found = self._find(status=[name for name, state in STATES.items() if state != "done"])
        totals: dict[JobState, int] = {"waiting": 0, "running": 0, "failed": 0, "cancelled": 0}
        for one in found:
            totals[STATES[one.status]] += 1
        return totals

    def oldest_waiting(self) -> float | None:
        """Age in seconds of the job that has waited longest; None when none waits."""
        found = self._find(status="ENQUEUED", limit=1)
        return max(0.0, time.time() - float(found[0].created_at) / 1000) if found else None

    def purge(self, older_than: float, states: Iterable[JobState] = ("done", "cancelled")) -> int:
        """Delete jobs that ended more than `older_than` seconds ago; returns how many."""
        names = [name for name, state in STATES.items() if state in set(states)]
        end = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - older_than))
        total = 0
        while found := self._find(status=names, completed_before=end, limit=500):
            self._client.delete_workflows([one.workflow_id for one in found])
            total += len(found)
        return total

    def running(self) -> Mapping[str, set[str]]:
        """Ids of the running jobs by the worker that holds them, dead ones included."""
        held: dict[str, set[str]] = {}
        for one in self._find(status="PENDING"):
            if one.executor_id:
                held.setdefault(one.executor_id, set()).add(one.workflow_id)
        return held

    def give_up(self, worker: str) -> int:
        """Let others take what a dead worker was running; returns how many jobs."""
        found = self._find(status="PENDING", executor_id=worker)
        return self.resume([one.workflow_id for one in found])

    def resume(self, job_ids: list[str]) -> int:
        """Let running jobs go on at their last stored step, wherever; returns how many."""
        if job_ids:
            # The lane's key stays with the job, so it goes on in its own lane.
            self._client.resume_workflows(job_ids, queue_name=QUEUE)
        return len(job_ids)

    def ready(self) -> None:
        """Raise what the database raises when it cannot answer, or its disk when it is full."""
        self._client.check_connection()
        self._database.take_more()

    def close(self) -> None:
        """Close the connections."""
        self._client.destroy()
        self._engine.dispose()

    def _find(self, *, whole: bool = False, **filters: Any) -> list[Any]:
        """The stored jobs; with `whole` what went into them and came out of them too."""
        return self._client.list_workflows(
            name=WORKFLOW, load_input=whole, load_output=whole, **filters
        )


def _status(workflow: Any) -> JobStatus:
    state = STATES[workflow.status]
    job = None
    if workflow.input is not None and workflow.input["args"]:
        try:
            job = Job.from_json(workflow.input["args"][0])
        except TypeError:
            _log.warning("a stored job cannot be read", extra={"job": workflow.workflow_id})
    outcome = workflow.output.get("outcome") if isinstance(workflow.output, dict) else None
    return JobStatus(
        id=workflow.workflow_id,
        state=state,
        created=(workflow.created_at or 0) / 1000,
        updated=(workflow.updated_at or 0) / 1000,
        worker=workflow.executor_id,
        outcome=outcome,
        error=_error(workflow.error),
        job=job,
    )


def _error(error: Any) -> str | None:
    if error is None:
        return None
    # What a job raised comes back as its name and message, since it is stored as JSON.
    return f"{getattr(error, 'name', type(error).__name__)}: {error}"
