"""The front end for GitHub Actions: an event in, an answer on the pull request, an exit status out.

Everything that is printed stands between `::stop-commands::` and its end, so that no text of a
pull request is a command to the runner; our own annotations, escaped, come after it.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bot.base.errors import UserError, system_reason
from bot.base.fast_dataclass import dataclass
from bot.base.files import write_output
from bot.commands.output import notice
from bot.render.escape import markdown_inline, terminal, workflow_command

if TYPE_CHECKING:
    from bot.base.config import Config
    from bot.check.request import CheckOptions
    from bot.github.actions import OfPull
    from bot.github.client import Client
    from bot.github.command_comment import CommandRequest
    from bot.github.publish import Channels
    from bot.review.check import CheckRequest
    from bot.review.pull import AnsweredPull

PASS, FAIL, USAGE, FAULT = 0, 1, 2, 70
_FAIL_ON = {"fail": ("fail",), "inconclusive": ("fail", "inconclusive"), "never": ()}
_ORDER = ("none", "pass", "inconclusive", "fail")
_EVENT_BYTES = 1 << 25


@dataclass(slots=True)
class _Step:
    """One step of a workflow: its environment and its log, and what it came to."""

    environment: Mapping[str, str]
    out: TextIO
    verdict: str = "none"
    report: str = ""
    """Path of the JSON report."""
    comment: str = ""
    """Address of the comment."""
    annotations: list[str] = field(default_factory=list)
    """Workflow commands, escaped."""

    def handle_event(self) -> None:
        """Check the pull requests of the event, or carry out the commands of its comment."""
        from bot.github.actions import Ignored, OfHead, OfPull, pulls_with, subject_of
        from bot.github.command_comment import CommandRequest

        environment = self.environment
        event = environment.get("GITHUB_EVENT_NAME", "")
        # All inputs are read before anything is posted.
        _fail_on(environment)
        _annotations(environment)
        channels = _channels(environment)
        subject = subject_of(event, _payload(environment), _input(environment, "PULL_REQUEST"))
        if isinstance(subject, Ignored):
            self.log(subject.reason)
            return
        client = _client(environment)
        if isinstance(subject, CommandRequest):
            self._handle_comment(client, subject, channels)
            return
        pulls = [subject] if isinstance(subject, OfPull) else []
        if isinstance(subject, OfHead):
            pulls = [OfPull(pull) for pull in pulls_with(client, subject)]
            if not pulls:
                self.log(f"No open pull request has the head {subject.head[:12]} any more.")
        for pull in pulls:
            self._check(client, pull, event, channels)

    def _check(self, client: Client, subject: OfPull, event: str, channels: Channels) -> None:
        from bot.github.remote import read_change
        from bot.review.pull import answer_pull

        if event == "pull_request" and subject.from_fork:
            # The token of a fork's workflow is read-only: one refusal says it, three would be
            # noise.
            channels = replace(channels, check=False, suggestions=False)
        change = read_change(client, subject.pull)
        answered = answer_pull(change, _request(self.environment), channels=channels)
        self._note(answered, event)

    def _handle_comment(self, client: Client, asked: CommandRequest, channels: Channels) -> None:
        from bot.review.commands import handle_command

        result = handle_command(client, asked, _request(self.environment), channels=channels)
        if not result.commands:
            self.log("The comment holds no command.")
        for text in result.replies:
            self.log(text)
        if result.answered:
            self._note(result.answered, "issue_comment")

    def _note(self, answered: AnsweredPull, event: str) -> None:
        """Keep what an answer came to: report, summary, annotations, outputs."""
        from bot.github.answer import step_summary
        from bot.render.github import github
        from bot.render.json_report import to_json

        checked, published = answered.checked, answered.published
        for sentence in published.notes:
            self.log(sentence)
        pull = answered.pull.id
        if published.superseded:
            self.log(f"{pull} moved on while it was checked; nothing is posted for it.")
            return
        if not checked.touches:
            self.log(f"{pull} alters neither a tuning script nor the page of rows.")
            return
        self.log(f"{pull}: {answered.answer.title}")
        self.log(published.comment_url or "The summary of this workflow run shows the rest.")
        report = checked.report
        verdict = str(report.verdict)
        if _ORDER.index(verdict) >= _ORDER.index(self.verdict):
            self.verdict = verdict
            self.comment = published.comment_url or ""
            self.report = str(_write_report(self.environment, to_json(report)))
        summary = step_summary(report, tuple(published.notes), checked.conversation)
        _append(self.environment, "GITHUB_STEP_SUMMARY", summary)
        wanted = _annotations(self.environment)
        # The check run has annotations of its own; and only an event of the pull request itself
        # puts the step's annotations on its page.
        useful = event == "pull_request" and not published.annotated
        if wanted == "always" or (wanted == "auto" and useful):
            self.annotations.append(github(report))

    def log(self, sentence: str) -> None:
        """Print a sentence for people."""
        self.out.write(f"{terminal(sentence)}\n")
        self.out.flush()


def run(environment: Mapping[str, str], out: TextIO) -> int:
    """Carry out one event; gives the exit status of the step."""
    step, status, wrong = _Step(environment, out), PASS, ""
    with _stopped_commands(out):
        try:
            step.handle_event()
        except UserError as error:
            status, wrong = USAGE, str(error)
        except Exception as error:
            if environment.get("RLBOT_TRACEBACK"):
                raise
            status = FAULT
            wrong = (
                f"A fault of rlbot itself ({type(error).__name__}), not of the pull request. "
                "Please report it with the log of a run with RLBOT_TRACEBACK=1 in `env`."
            )

    for line in step.annotations:
        out.write(line)
    if wrong:
        out.write(f"::error title=rlbot::{workflow_command(wrong)}\n")
        _append(environment, "GITHUB_STEP_SUMMARY", f"> {markdown_inline(wrong)}\n")
    _outputs(step)
    out.flush()
    if status == PASS and step.verdict in _fail_on(environment):
        return FAIL
    return status


def _request(environment: Mapping[str, str]) -> CheckRequest:
    from bot.check.request import CheckOptions
    from bot.commands.runs import linked
    from bot.evidence.online.access import Access
    from bot.review.check import CheckRequest

    def options(config: Config) -> CheckOptions:
        access = Access.from_environment(environment, allow_private_runs=config.allow_private_runs)
        return CheckOptions(
            config=config,
            evidence="required",
            linked=linked(access),
            hosts=access.run_hosts(config.wandb_hosts, config.mlflow_hosts),
        )

    return CheckRequest(options=options)


def _client(environment: Mapping[str, str]) -> Client:
    from bot.base.secrets import Secret
    from bot.github.client import client_of

    token = Secret(environment.get("GITHUB_TOKEN", ""))
    if not token:
        raise UserError("The input `token` is empty; leave it out to take the workflow's own.")
    return client_of(token, environment)


def _payload(environment: Mapping[str, str]) -> Mapping[str, Any]:
    path = Path(environment.get("GITHUB_EVENT_PATH", ""))
    try:
        with path.open("rb") as file:
            data = file.read(_EVENT_BYTES + 1)
        payload = json.loads(data[:_EVENT_BYTES])
    except (OSError, ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise UserError(
            "GITHUB_EVENT_PATH names no event; this is for GitHub Actions, `rlbot pr` for a shell."
        )
    return payload


def _channels(environment: Mapping[str, str]) -> Channels:
    from bot.github.publish import Channels

    return Channels(
        comment=_yes(environment, "COMMENT"),
        check=_yes(environment, "CHECK"),
        suggestions=_yes(environment, "SUGGESTIONS"),
    )


def _yes(environment: Mapping[str, str], name: str) -> bool:
    return _choice(environment, name, "true", "false") == "true"


def _annotations(environment: Mapping[str, str]) -> str:
    return _choice(environment, "ANNOTATIONS", "auto", "always", "never")


def _fail_on(environment: Mapping[str, str]) -> tuple[str, ...]:
    return _FAIL_ON[_choice(environment, "FAIL_ON", *_FAIL_ON)]


def _choice(environment: Mapping[str, str], name: str, *choices: str) -> str:
    """What an input says, the first choice where it is empty; raises UserError for any other."""
    text = _input(environment, name) or choices[0]
    if text not in choices:
        named = name.lower().replace("_", "-")
        raise UserError(f"{named}: {text[:40]!r} is none of {', '.join(choices)}.")
    return text


def _input(environment: Mapping[str, str], name: str) -> str:
    return environment.get(f"RLBOT_INPUT_{name}", "").strip()


def _write_report(environment: Mapping[str, str], text: str) -> Path:
    path = Path(environment.get("RUNNER_TEMP", ".")) / "rlbot-report.json"
    write_output(path, text.encode())
    return path


def _outputs(step: _Step) -> None:
    values = {"verdict": step.verdict, "report": step.report, "comment-url": step.comment}
    for name, value in values.items():
        # With a delimiter that nobody can guess a value is one, whatever it holds.
        end = f"end-{secrets.token_hex(16)}"
        _append(step.environment, "GITHUB_OUTPUT", f"{name}<<{end}\n{value}\n{end}\n")


def _append(environment: Mapping[str, str], name: str, text: str) -> None:
    if (path := environment.get(name)) and text:
        try:
            with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text if text.endswith("\n") else f"{text}\n")
        except OSError as error:
            # What was posted stands all the same.
            notice("{name} could not be written: {why}.", name=name, why=system_reason(error))


@contextmanager
def _stopped_commands(out: TextIO) -> Iterator[None]:
    """The runner reads no commands from what is printed meanwhile, on either stream."""
    word = secrets.token_hex(16)
    out.write(f"::stop-commands::{word}\n")
    out.flush()
    try:
        yield
    finally:
        sys.stderr.flush()
        out.write(f"::{word}::\n")
        out.flush()


def main() -> int:
    """Run with the environment of the step."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(encoding="utf-8", errors="backslashreplace")
    return run(os.environ, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
