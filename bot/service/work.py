"""What a job does: check and publish, in steps that can be resumed."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from bot.base.adapters import adapter_of
from bot.base.config import Config
from bot.base.errors import UserError
from bot.base.messages import mark, sentence_of
from bot.check.request import CheckOptions
from bot.evidence.facts import Facts
from bot.evidence.links import RunLink
from bot.github.answer import Answer, failure_of
from bot.github.app import AppIdentity, repository_state
from bot.github.checks import renew_check
from bot.github.client import Client, Patience
from bot.github.command_comment import CommandRequest
from bot.github.errors import GitHubError, LimitedError
from bot.github.publish import Channels, publish
from bot.github.pull import PullId
from bot.github.remote import GitHubChange, read_change
from bot.report import Report
from bot.review.check import CheckRequest, base_config, check_change
from bot.review.commands import command_check, handle_command
from bot.review.pull import answer_for
from bot.service.job import Job, JsonObject
from bot.service.limits import RateLimits, outages, passes
from bot.service.metrics import Metrics
from bot.service.rechecks import command_of, named_by, next_recheck, watched, watching
from bot.service.retries import Slots
from bot.service.settings import JOBS, ServiceSettings, identity_of
from bot.service.verifications import Publication, Verifications
from bot.service.visibility import VisibilityWork

if TYPE_CHECKING:
    from bot.evidence.online import Access

READERS = 4
"""Runs that are read at once, half of them at most for one repository: each reading is a process
of its own."""


_reads_for: ContextVar[str] = ContextVar("reads_for", default="")


@contextmanager
def reading_for(repository: str) -> Iterator[None]:
    """Runs that are read within the block are those of a repository's pull request."""
    token = _reads_for.set(repository.lower())
    try:
        yield
    finally:
        _reads_for.reset(token)


def access_of(config: Config, environment: Mapping[str, str], *, private_runs: bool) -> Access:
    """How runs are read for a repository with this configuration.

    The key is the operator's and the configuration is the repository's, so both must want private
    runs to be read: else whoever may install the App could show what its key sees.
    """
    from bot.evidence.online import Access

    return Access.from_environment(
        environment, allow_private_runs=private_runs and config.allow_private_runs
    )


def check_request(
    metrics: Metrics, *, private_runs: bool = False, environment: Mapping[str, str] = os.environ
) -> CheckRequest:
    """Options for the App; W&B is read with WANDB_API_KEY, or without a key."""
    from bot.evidence.online import read_online

    slots = Slots(READERS, threading.Event())

    def options(config: Config) -> CheckOptions:
        access = access_of(config, environment, private_runs=private_runs)

        @watched
        def linked(link: RunLink) -> Facts:
            with slots.taken(_reads_for.get()):
                started = time.perf_counter()
                try:
                    return read_online(link, access)
                finally:
                    metrics.wandb_seconds.observe(time.perf_counter() - started)

        hosts = access.run_hosts(config.wandb_hosts, config.mlflow_hosts)
        return CheckOptions(config=config, evidence="required", linked=linked, hosts=hosts)

    return CheckRequest(options=options)


_FAULT = mark(
    "rlbot itself failed on this pull request. The fault is in the App's log; its operator can run "
    "the check again, and so can the button of this check run."
)
_log = logging.getLogger("rlbot.work")


class GitHubWork:
    """Checks pull requests as an installation of the App, and publishes the answers."""

    def __init__(
        self,
        identity: AppIdentity,
        request: CheckRequest,
        metrics: Metrics,
        verifications: Verifications,
    ) -> None:
        self._identity = identity
        self._request = request
        self._metrics = metrics
        self._verifications = verifications
        self._limits = RateLimits()
        self._visibility = VisibilityWork(identity, verifications, metrics)

    def check(self, job: Job) -> JsonObject:
        """Read and check the pull request at its present head."""
        if job.kind == "hide":
            return self._visibility.hide(job)
        return self._with_client(job, lambda client: self._check(client, job))

    def publish(self, job: Job, checked: JsonObject) -> JsonObject:
        """Bring the pull request to the wanted state; a moved head is checked anew."""
        if job.kind == "hide":
            return self._visibility.show(job, checked)

        def act(client: Client) -> JsonObject:
            result = self._publish(client, job, checked)
            if button := job.detail.get("check_run"):
                renew_check(client, job.repository, int(button))
            return result

        return self._with_client(job, act)

    def _check(self, client: Client, job: Job) -> JsonObject:
        if job.kind == "command":
            # Nothing to store: a command reads, checks and publishes in the next step.
            return {"command": True}
        change = read_change(client, PullId(job.repository, job.number))
        pull = change.pull
        if pull.state != "OPEN":
            return {"outcome": "nothing"}
        command = command_of(job)
        if command is not None and job.head != change.head:
            # The command was about another commit, and the newest has its own check.
            return {"outcome": "superseded"}
        try:
            with watching(again=next_recheck(job, {}) is not None) as missed:
                checked = check_change(change, command_check(self._request, command))
        except UserError as error:
            if isinstance(error, GitHubError) and passes(error):
                raise
            return self._failed_check(change, sentence_of(error))
        except Exception:
            with suppress(UserError):
                self._publish(client, job, self._failed_check(change, _FAULT))
            raise
        return {
            "repository": pull.id.repository,
            "public": not pull.private,
            "answer": _stored(Answer, answer_for(pull, checked)),
            "report": _stored(Report, checked.report),
            "unread": bool(missed),
        }

    def _failed_check(self, change: GitHubChange, sentence: str) -> JsonObject:
        """The answer to a pull request that could not be checked: silence would look like us."""
        _log.warning("could not be checked: %s", sentence)
        try:
            config = self._request.config or base_config(change, self._request.unstated)
        except UserError:
            # It may be what is wrong.
            config = Config(language=self._request.unstated)
        return {
            "repository": change.pull.id.repository,
            "public": not change.pull.private,
            "answer": _stored(Answer, failure_of(change.head, sentence, config)),
            "report": None,
        }

    def _handle_command(self, client: Client, job: Job) -> JsonObject:
        with ExitStack() as committing, watching() as missed:

            def writer() -> Client:
                number = job.installation or 0
                pace = self._limits.pace(number)
                other = self._identity.installation(number, write_contents=True, pace=pace)
                return committing.enter_context(self._metrics.counted(other))

            result = handle_command(
                client,
                _command_request(job),
                self._request,
                writer=writer,
                channels=Channels(buttons=True),
            )
        done = result.answered
        if done is not None and done.checked.touches and not done.published.superseded:
            self._record(client, job, done.pull.id, done.checked.report, done.answer.body)
        outcome = "refused" if result.refused else "published" if result.commands else "nothing"
        found: JsonObject = {"outcome": outcome, "said": result.replies}
        if done is not None and not done.published.superseded:
            found["unread"] = bool(missed)
            if missed:
                found |= {"head": done.change.head, "named": named_by(result.verified)}
        return found

    def _publish(self, client: Client, job: Job, checked: JsonObject) -> JsonObject:
        if job.kind == "command":
            return self._handle_command(client, job)
        answer: Answer = _from_stored(Answer, checked["answer"])
        pull = PullId(checked["repository"], job.number)
        # Without a report nobody knows whether the change concerns us: the check run says enough.
        complete = checked["report"] is not None
        channels = Channels(comment=complete, suggestions=complete, buttons=True)
        published = publish(client, pull, answer, channels)
        for sentence in published.notes:
            _log.warning("%s", sentence)
        if published.unsettled is not None:
            # What was posted is found by the next attempt.
            raise published.unsettled
        if published.superseded:
            # A delivery for the new head is on its way, or the next sweep finds it.
            return {"outcome": "superseded"}
        if answer.touches and complete:
            report: Report = _from_stored(Report, checked["report"])
            self._record(client, job, pull, report, answer.body)
        return {
            "outcome": "published" if answer.touches else "nothing",
            "said": published.notes,
            # Of a check that failed it is not known.
            "unread": checked.get("unread"),
        }

    def _record(
        self, client: Client, job: Job, pull: PullId, report: Report, markdown: str
    ) -> None:
        """Store what was published; whether it may be seen is asked now, not when it was read."""
        state = repository_state(client, pull.repository)
        same = job.repository_id in (None, state.id)
        public = same and not state.private and state.name.lower() == pull.repository.lower()
        self._verifications.record(
            Publication(
                pull=pull,
                markdown=markdown,
                public=public,
                repository_id=state.id,
                installation=job.installation,
            ),
            report,
        )
        self._metrics.verdicts.labels(report.verdict).inc()

    def _with_client(self, job: Job, act: Callable[[Client], JsonObject]) -> JsonObject:
        if job.installation is None:
            return {"outcome": "refused", "reason": "the delivery names no installation"}
        self._limits.hold(job.installation)
        pace = self._limits.pace(job.installation)
        installation = self._identity.installation(job.installation, pace=pace)
        with outages(), reading_for(job.repository), self._metrics.counted(installation) as client:
            try:
                return act(client)
            except LimitedError as error:
                raise self._limits.met(job.installation, error) from None


def _command_request(job: Job) -> CommandRequest:
    """The words of a comment, or the button of a check run that stands for them."""
    detail = job.detail
    comment = detail.get("comment")
    return CommandRequest(
        pull=PullId(job.repository, job.number),
        author=str(detail.get("author") or ""),
        body=str(detail.get("body") or (f"/{detail['command']}" if "command" in detail else "")),
        before=str(detail.get("before") or ""),
        comment=int(comment) if comment is not None else None,
        node=str(detail.get("node") or ""),
        head=job.head if "command" in detail else None,
    )


def make_work(settings: ServiceSettings, metrics: Metrics, patience: Patience = JOBS) -> GitHubWork:
    """The work of a worker with these settings; raises UserError when they are incomplete."""
    verifications = Verifications(settings.database)
    verifications.migrate()
    request = check_request(metrics, private_runs=settings.private_runs)
    identity = identity_of(settings, os.environ, patience)
    return GitHubWork(identity, request, metrics, verifications)


def _stored(kind: type, value: object) -> Any:
    return adapter_of(kind).dump_python(value, mode="json")


def _from_stored(kind: type, stored: object) -> Any:
    return adapter_of(kind).validate_json(json.dumps(stored))
