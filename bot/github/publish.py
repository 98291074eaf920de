"""Publishing an answer: compares what is wanted with what stands there, and makes the least calls.

Any number of runs may do this at once, on one machine or many. Nothing locks a pull request, so
every run that wrote looks again afterwards: of several comments all runs keep the same one, and a
run whose commit is no longer the head says so, for its caller to check the new head.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.base.messages import message, plural_message
from bot.github import queries
from bot.github.answer import Answer, mark_of
from bot.github.checks import publish_check
from bot.github.client import Client
from bot.github.errors import GitHubError, LimitedError, NotFoundError, UnreachableError
from bot.github.posted import Posted, read_posted
from bot.github.pull import IssueComment, PullId
from bot.github.reviews import publish_suggestions

_ROUNDS = 3


@dataclass(slots=True, kw_only=True)
class PublishResult:
    """What publishing came to."""

    superseded: bool = False
    """True when the head moved: what was checked is not the pull request's state any more."""
    wrote: bool = False
    """True when something was written; with `superseded`, the new head must be checked."""
    comment_url: str | None = None
    annotated: bool = False
    """True when a check run with the annotations stands on the head."""
    unsettled: GitHubError | None = None
    """A limit or an outage that kept something from being posted: another attempt may succeed."""
    notes: list[str] = field(default_factory=list)
    """Sentences on what could not be posted, for the step summary and the log."""

    @property
    def limited(self) -> bool:
        """True when a rate limit stands: further writes make it longer."""
        return isinstance(self.unsettled, LimitedError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """Where an answer goes."""

    comment: bool = True
    check: bool = True
    """A check run; a commit status where the token may not make one."""
    suggestions: bool = True
    buttons: bool = False
    """On the check run, to verify again and to apply the row; an App hears of them."""


EVERYWHERE = Channels()


def publish(
    client: Client, pull: PullId, answer: Answer, channels: Channels = EVERYWHERE
) -> PublishResult:
    """Brings a pull request to the wanted state; what is there already is left alone.

    Nothing is written when the head has moved, when the pull request is closed, or when it touches
    neither a tuning script nor the page, and never did. What may not be written is noted in the
    result, and the rest is written. Raises GitHubError when the pull request cannot be read.
    """
    done = PublishResult()
    suggesting = channels.suggestions and bool(answer.suggestions)
    posted = read_posted(client, pull, reviews=suggesting)
    if posted.head != answer.head:
        done.superseded = True
        return done
    if posted.state != "OPEN":
        done.notes.append(message("The pull request is closed, so nothing was posted."))
        return done
    before = _writes(client)
    if channels.comment:
        _try(
            done, "The comment was not posted", lambda: _comment(client, pull, answer, posted, done)
        )
    if answer.touches and not done.superseded and not done.limited:
        if channels.check:
            _try(
                done,
                "The check run was not posted",
                lambda: _check(client, pull, answer, done, buttons=channels.buttons),
            )
        if suggesting and not done.limited:
            _try(
                done,
                "The suggestions were not posted",
                lambda: _suggestions(client, pull, answer, posted, done),
            )
    done.wrote = _writes(client) > before
    return done


def _writes(client: Client) -> int:
    return sum(sent.write for sent in client.log)


def _try(done: PublishResult, what: str, act: Callable[[], object]) -> None:
    try:
        act()
    except GitHubError as error:
        done.notes.append(f"{what}: {error}")
        if isinstance(error, LimitedError | UnreachableError):
            done.unsettled = done.unsettled or error


def _check(
    client: Client, pull: PullId, answer: Answer, done: PublishResult, *, buttons: bool
) -> None:
    refused = publish_check(client, pull, answer, buttons=buttons)
    done.annotated = refused is None
    if refused is not None:
        done.notes.append(f"A commit status stands in the place of the check run. {refused}")


def _suggestions(
    client: Client, pull: PullId, answer: Answer, posted: Posted, done: PublishResult
) -> None:
    hidden = publish_suggestions(client, pull, answer, posted)
    if hidden:
        done.notes.append(
            plural_message(
                "{count} suggested change is outside of what the pull request's diff shows, where "
                "GitHub takes no suggestion; the comment has it.",
                "{count} suggested changes are outside of what the pull request's diff shows, "
                "where GitHub takes no suggestion; the comment has them.",
                hidden,
            )
        )


def _comment(
    client: Client, pull: PullId, answer: Answer, posted: Posted, done: PublishResult
) -> None:
    """Leaves exactly one visible comment of ours, with this answer."""
    for _ in range(_ROUNDS):
        current = posted.current()
        before = _writes(client)
        if current is None:
            if answer.touches:
                _create(client, pull, answer, done)
        else:
            done.comment_url = current.url
            try:
                _bring_up(client, pull, answer, current, done)
            except NotFoundError:
                # Somebody, or a run beside this one, deleted it: look again.
                posted = read_posted(client, pull)
                continue
        if _writes(client) > before:
            # A run beside this one may have written too, and the head may have moved.
            posted = read_posted(client, pull)
        _tidy(client, pull, posted)
        done.superseded = posted.head != answer.head
        return


def _bring_up(
    client: Client, pull: PullId, answer: Answer, current: IssueComment, done: PublishResult
) -> None:
    mark = mark_of(current.body)
    if mark is not None and mark.digest == answer.mark.digest and mark.head == answer.head:
        return
    if mark is not None and answer.touches and mark.verdict not in (answer.verdict, "none"):
        # A changed verdict is news, and an edit notifies nobody.
        _create(client, pull, answer, done)
        _minimize(client, current)
        return
    path = f"/repos/{pull.repository}/issues/comments/{current.id}"
    client.write("PATCH", path, {"body": answer.body})


def _create(client: Client, pull: PullId, answer: Answer, done: PublishResult) -> None:
    path = f"/repos/{pull.repository}/issues/{pull.number}/comments"

    def standing() -> dict[str, str] | None:
        ours = read_posted(client, pull).ours
        urls = [c.url for c in ours if not c.hidden and mark_of(c.body) == answer.mark]
        return {"html_url": urls[-1]} if urls else None

    created = client.create(path, {"body": answer.body}, standing)
    done.comment_url = (created or {}).get("html_url")


def _tidy(client: Client, pull: PullId, posted: Posted) -> None:
    """Keeps one comment: its twins go, older ones are folded away."""
    kept = posted.current()
    for comment in posted.ours:
        if kept is None or comment.hidden or comment.id == kept.id:
            continue
        mine, its = mark_of(kept.body), mark_of(comment.body)
        try:
            if mine and its and (mine.head, mine.verdict) == (its.head, its.verdict):
                path = f"/repos/{pull.repository}/issues/comments/{comment.id}"
                client.write("DELETE", path, {})
            else:
                _minimize(client, comment)
        except NotFoundError:
            continue


def _minimize(client: Client, comment: IssueComment) -> None:
    client.graphql(queries.MINIMIZE, {"id": comment.node}, name="minimize", write=True)
