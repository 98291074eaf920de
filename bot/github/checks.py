"""The check run on the head's commit; a commit status where the token may not make check runs.

PyGithub's check run is read before it is edited; what stands there is known here already.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from bot.github import failures, mutations
from bot.github.answer import BATCH, CHECK, Answer, status_description
from bot.github.client import Client
from bot.github.errors import NotAllowedError, NotFoundError, RefusedError
from bot.github.failures import understood
from bot.github.mutations import Mutation
from bot.github.posted import Posted, PostedCheck, mark, read_check
from bot.github.pull import NamedCheck, PullId

# What is inconclusive is neither passed nor failed. A check run has a word for that; the nearest
# of a commit status is that the check came to no result. One that waits would wait for good.
CONCLUSIONS = {"pass": "success", "fail": "failure", "inconclusive": "neutral"}
STATES = {"pass": "success", "fail": "failure", "inconclusive": "error"}


BUTTONS = (
    {
        "label": "Verify again",
        "description": "Check this commit and its runs anew",
        "identifier": "verify",
    },
    {
        "label": "Apply the row",
        "description": "Commit the row and the safe fixes",
        "identifier": "apply",
    },
)
"""Only an App hears when they are pressed."""


def has_check(checks: Sequence[NamedCheck] | None, pull: PullId, answer: Answer) -> bool:
    """Whether the only check run of ours on a head is finished and has this answer."""
    ours = _ours(checks, pull)
    return ours == [named(pull, answer)]


def _ours(checks: Sequence[NamedCheck] | None, pull: PullId) -> list[NamedCheck] | None:
    if checks is None:
        return None
    return [check for check in checks if check.external_id.startswith(mark(pull))]


@understood
def publish_check(
    client: Client,
    pull: PullId,
    answer: Answer,
    checks: Sequence[NamedCheck] | None,
    *,
    buttons: bool,
) -> NotAllowedError | None:
    """Leave one check run with this answer on its commit; gives why it is a commit status instead.

    Its external id names the pull request: two may share a commit, and when a button is pressed
    GitHub does not name pull requests from forks. `checks` are those on the commit, as they were
    seen just now; GitHub is asked where that is not enough. Raises GitHubError when neither may be
    written.
    """
    if has_check(checks, pull, answer):
        return None
    posted = None if _ours(checks, pull) == [] else read_check(client, pull, answer.head)
    if posted and posted.done and posted.external_id == _external_id(pull, answer):
        return None
    try:
        if client.is_person:
            raise failures.apps_only()
        _check_run(client, pull, answer, posted, buttons=buttons)
    except NotAllowedError as refused:
        publish_status(client, pull, answer, refused)
        return refused
    return None


@understood
def publish_status(client: Client, pull: PullId, answer: Answer, refused: NotAllowedError) -> None:
    """Leave a commit status, since a check run was refused; raises `refused` where it is too."""
    try:
        _status(client, pull.repository, answer)
    except NotAllowedError:
        raise refused from None


def first_check(
    client: Client, pull: PullId, answer: Answer, posted: Posted, *, buttons: bool
) -> Mutation | None:
    """The check run with this answer as a mutation; None where it takes more than one."""
    notes = [annotation.as_graphql() for annotation in answer.annotations]
    if client.is_person or _ours(posted.checks, pull) != [] or len(notes) > BATCH:
        return None
    return mutations.check(
        {
            "repositoryId": posted.repository,
            "headSha": answer.head,
            "name": CHECK,
            "externalId": _external_id(pull, answer),
            "status": "COMPLETED",
            "conclusion": CONCLUSIONS[answer.verdict].upper(),
            "output": {"title": answer.title, "summary": answer.summary, "annotations": notes},
            **({"actions": BUTTONS} if buttons else {}),
        }
    )


def named(pull: PullId, answer: Answer) -> NamedCheck:
    """How the check run with this answer is seen once it is there."""
    return NamedCheck(_external_id(pull, answer), done=True)


@understood
def renew_check(client: Client, repository: str, number: int) -> None:
    """Give a finished check run the present time, once what its button asked for is done.

    What GitHub signs of a press has no time of its own, so that the next press of the same button
    differs from a replay of this one by the check run alone. Raises GitHubError.
    """
    path = f"/repos/{repository}/check-runs/{number}"
    with suppress(NotAllowedError, NotFoundError, RefusedError):
        posted = client.get(path)
        if posted["status"] == "completed":
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            state = {"status": "completed", "conclusion": posted["conclusion"]}
            client.write("PATCH", path, {**state, "completed_at": now})


def _external_id(pull: PullId, answer: Answer) -> str:
    return f"{mark(pull)}{answer.digest}"


def _check_run(
    client: Client,
    pull: PullId,
    answer: Answer,
    posted: PostedCheck | None,
    *,
    buttons: bool,
) -> None:
    notes = [annotation.as_json() for annotation in answer.annotations]
    batches = [notes[at : at + BATCH] for at in range(0, len(notes), BATCH)] or [[]]
    path, external_id = f"/repos/{pull.repository}/check-runs", _external_id(pull, answer)
    body = {
        "name": CHECK,
        "external_id": external_id,
        **({"actions": BUTTONS} if buttons else {}),
        **_state(answer, batches[0], last=len(batches) == 1),
    }
    number: int | None = None
    sent = _batches_posted(posted, external_id, len(notes))
    if posted and sent:
        number = posted.id
    # Annotations only ever add up, so a check run that has some others is not written again:
    # GitHub shows the newest one of a name.
    elif posted and not posted.annotations:
        try:
            # Sent again, annotations would stand twice.
            client.write("PATCH", f"{path}/{posted.id}", body, repeat=not notes)
            number = posted.id
        except (NotAllowedError, NotFoundError, RefusedError):
            number = None  # Another App's, with our name on it.
    if number is None:

        def standing() -> dict[str, int] | None:
            there = read_check(client, pull, answer.head)
            return {"id": there.id} if there and there.external_id == external_id else None

        created = client.write("POST", path, {**body, "head_sha": answer.head}, repeat=standing)
        number = int((created or {}).get("id") or 0)
    for index, batch in enumerate(batches[max(sent, 1) :], start=max(sent, 1) + 1):
        state = _state(answer, batch, last=index == len(batches))
        client.write("PATCH", f"{path}/{number}", state, repeat=False)


def _batches_posted(posted: PostedCheck | None, external_id: str, notes: int) -> int:
    """How many batches of this very answer are there: the run that posted them ended half-way."""
    if posted is None or posted.done or posted.external_id != external_id:
        return 0
    whole = posted.annotations % BATCH == 0 and posted.annotations < notes
    return posted.annotations // BATCH if whole else 0


def _state(answer: Answer, notes: list[dict[str, str | int]], *, last: bool) -> dict[str, Any]:
    output = {"title": answer.title, "summary": answer.summary, "annotations": notes}
    if not last:
        return {"status": "in_progress", "output": output}
    conclusion = CONCLUSIONS[answer.verdict]
    return {"status": "completed", "conclusion": conclusion, "output": output}


def _status(client: Client, repository: str, answer: Answer) -> None:
    wanted = {"state": STATES[answer.verdict], "description": status_description(answer)}
    there = client.get(f"/repos/{repository}/commits/{answer.head}/status", per_page=100)
    for status in there.get("statuses") or ():
        if status["context"] == CHECK and wanted.items() <= status.items():
            return
    path = f"/repos/{repository}/statuses/{answer.head}"
    client.write("POST", path, {**wanted, "context": CHECK})
