"""Commands in comments, carried out: `/verify`, `/apply`, help. The App and the Action use it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.base.errors import UserError
from bot.base.messages import Language, message, sentence_of
from bot.check.translate import in_words
from bot.github.blobs import Contents
from bot.github.commands import CommentCommand, Misunderstood, commands
from bot.github.errors import LimitedError, UnreachableError
from bot.github.publish import EVERYWHERE, Channels
from bot.github.pull import PullId, read_pull
from bot.github.remote import GitHubChange
from bot.github.talk import (
    COOLDOWN,
    REPLY,
    Asker,
    Lately,
    Reaction,
    asker_of,
    lately,
    react,
    reactions,
    reply,
    unreact,
)
from bot.render.escape import clip, code_span, markdown_inline
from bot.render.markdown import MARKER
from bot.review.check import CheckRequest, configuration
from bot.review.commit import CommitResult, commit_fixes
from bot.review.pull import AnsweredPull, answer_pull

if TYPE_CHECKING:
    from bot.base.config import Config, Role
    from bot.check.request import CheckOptions
    from bot.evidence.links import RunLink
    from bot.github.client import Client

HELP: Final = """\
| command, on a line of its own | does |
| --- | --- |
| `/verify` | checks the newest commit again |
| `/verify LINK` | compares with this run; a link in the description holds longer |
| `/verify LINK SCRIPT.sh` | the same where the pull request holds several scripts |
| `/verify SHA` | checks only if this is still the newest commit |
| `/apply` | commits the safe fixes and the rows of the page to this branch |

`/verify` is for the pull request's author and for people with {verify} rights here, `/apply` for \
people with {apply} rights. 👀 seen · 🚀 done · 😕 not done, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRequest:
    """Somebody's words on a pull request."""

    pull: PullId
    author: str
    body: str
    before: str = ""
    """The text before an edit; empty for a new comment."""
    comment: int | None = None
    """Its id; None for the button of a check run, on which nobody can react."""
    head: str | None = None
    """The commit whose check run has the button; what it does is good for no other."""


@dataclass(slots=True, kw_only=True)
class CommandResult:
    """What came of it."""

    commands: tuple[CommentCommand | Misunderstood, ...] = ()
    said: list[str] = field(default_factory=list)
    """What was replied, in Markdown."""
    refused: bool = False
    answered: AnsweredPull | None = None
    """The last check that was published."""


class _RefusedError(Exception):
    """Not done; the message is the sentence, in Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """Everything that carrying out a command needs."""

    client: Client
    writer: Callable[[], Client]
    asking: CommandRequest
    asked: CheckRequest
    contents: Contents
    channels: Channels
    language: Language = "en"
    """That of the base's configuration, once it is read."""


def handle_command(
    client: Client,
    asking: CommandRequest,
    asked: CheckRequest,
    *,
    writer: Callable[[], Client] | None = None,
    contents: Contents | None = None,
    channels: Channels = EVERYWHERE,
) -> CommandResult:
    """Carry out the commands that a comment, or its edit, brings; others are none of our business.

    `writer` makes the client that commits, where that is another one. Doing it twice does no harm.
    Raises GitHubError when GitHub cannot be asked, or the token may not even react.
    """
    found = commands(asking.body, asking.before)
    ours = REPLY in asking.body or MARKER in asking.body
    if not found or ours:
        return CommandResult()
    done = CommandResult(commands=found)
    recent = _recent(client, asking)
    if recent is None:
        return done
    way = _Way(
        client=client,
        writer=writer or (lambda: client),
        asking=asking,
        asked=asked,
        contents=contents or Contents(),
        channels=channels,
    )
    if recent.wait:
        time_ = (
            message("{count} seconds", count=recent.wait)
            if recent.wait != 1
            else message("1 second")
        )
        why = message("A command of yours ran here a moment ago; wait {time}.", time=time_)
        _refuse(way if recent.refused else _with_language(way), done, recent, why)
    else:
        _carry_out(way, found, done, recent)
    if asking.comment is not None:
        kind: Reaction = "confused" if done.refused else "rocket"
        react(client, asking.pull.repository, asking.comment, kind)
        if recent.confused is not None and not done.refused:
            unreact(client, asking.pull.repository, asking.comment, recent.confused)
    return done


def _recent(client: Client, asking: CommandRequest) -> Lately | None:
    """What this person asked for a moment ago; None when this very comment is done already."""
    if asking.comment is None:
        return Lately()
    repository = asking.pull.repository
    seen = react(client, repository, asking.comment, "eyes")
    mine = reactions(client, repository, asking.comment, seen.us)
    rocket, confused = mine.get("rocket"), mine.get("confused")
    if not rocket and not confused:
        return lately(client, asking.pull, asking.author, asking.comment, seen)
    if not asking.before:
        return None
    # The 👀 of an edited comment is as old as the comment, so that our own clock is asked.
    left = round(COOLDOWN - (time.time() - rocket.at)) if rocket else 0
    return Lately(
        wait=max(0, min(left, COOLDOWN)),
        refused=confused is not None,
        confused=confused.id if confused else None,
    )


def _with_language(way: _Way) -> _Way:
    """The way in the language of the base, asked for the sake of one reply; else in English."""
    try:
        pull = read_pull(way.client, way.asking.pull)
        config = way.asked.config or configuration(GitHubChange(way.client, pull, way.contents))
    except (LimitedError, UnreachableError):
        raise
    except UserError:
        return way
    return replace(way, language=config.language)


def _carry_out(
    way: _Way, found: Sequence[CommentCommand | Misunderstood], done: CommandResult, recent: Lately
) -> None:
    asking = way.asking
    try:
        pull = read_pull(way.client, asking.pull)
        config = way.asked.config or configuration(GitHubChange(way.client, pull, way.contents))
        asker = asker_of(way.client, pull.id.repository, asking.author)
    except (LimitedError, UnreachableError):
        raise
    except UserError as error:
        _refuse(way, done, recent, _plain(way, error))
        return
    way = replace(way, language=config.language)
    if asking.head is not None and asking.head != pull.head:
        old, new = code_span(asking.head[:7]), code_span(pull.head[:7])
        said = message(
            "The button was that of {old}, and the head is {new} now: press the one of its check.",
            old=old,
            new=new,
        )
        _refuse(way, done, recent, said)
        return
    author = asking.author.lower() == pull.author.lower()
    for command in found:
        try:
            _one(way, command, config, asker, done, author=author, state=pull.state)
        except (LimitedError, UnreachableError):
            raise
        except _RefusedError as error:
            _refuse(way, done, recent, sentence_of(error))
        except UserError as error:
            _refuse(way, done, recent, _plain(way, error))


def _one(
    way: _Way,
    command: CommentCommand | Misunderstood,
    config: Config,
    asker: Asker,
    done: CommandResult,
    *,
    author: bool,
    state: str,
) -> None:
    if isinstance(command, Misunderstood):
        word = ""
        if command.word and "alone" not in command.why and "of a kind" not in command.why:
            shown = code_span(clip(command.word, 80))
            word = message(" {word} is none of them.", word=shown)
        raise _RefusedError(
            message("{why}{word} `/verify help` says more.", why=command.why, word=word)
        )
    rights = config.permissions
    if command.name == "help":
        _say(way, done, message(HELP, verify=rights.verify, apply=rights.apply))
        return
    least: Role = rights.verify if command.name == "verify" else rights.apply
    allowed = asker.may(least) or (command.name == "verify" and author)
    if not allowed:
        raise _RefusedError(_not_allowed(command, least))
    if state != "OPEN":
        raise _RefusedError(message("The pull request is closed."))
    if command.name == "verify":
        _verify(way, command, done)
    else:
        _apply(way, asker, done)


def _not_allowed(command: CommentCommand, least: Role) -> str:
    if command.name == "verify":
        return message(
            "`/verify` is for this pull request's author and for people with {role} rights here. "
            "A maintainer can run it for you.",
            role=least,
        )
    return message(
        "`/apply` is for people with {role} rights here. A maintainer can do it for you.",
        role=least,
    )


def _verify(way: _Way, command: CommentCommand, done: CommandResult) -> None:
    def runs(scripts: Sequence[str], options: CheckOptions) -> Mapping[str, Path | RunLink]:
        return _runs(command, scripts, options)

    done.answered = answer_pull(
        way.client,
        way.asking.pull,
        replace(way.asked, runs=runs),
        head=command.head,
        contents=way.contents,
        channels=way.channels,
    )
    if done.answered.published.superseded:
        raise _RefusedError(
            message("The head moved while it was checked; its newest commit comes next.")
        )
    if not done.answered.checked.touches:
        _say(
            way,
            done,
            message("This pull request alters neither a tuning script nor the page of rows."),
        )


def _runs(
    command: CommentCommand, scripts: Sequence[str], options: CheckOptions
) -> Mapping[str, Path | RunLink]:
    """Which script the link of the command is for; raises UserError where that is not clear."""
    chosen = list(scripts)
    if command.script:
        named = command.script.removeprefix("./")
        chosen = [path for path in scripts if path == named or path.endswith(f"/{named}")]
        if not chosen:
            raise UserError(
                message("The pull request holds no tuning script {name}.", name=named[:200])
            )
        if len(chosen) > 1:
            raise UserError(
                message(
                    "The pull request holds more than one tuning script {name}.", name=named[:200]
                )
            )
    if command.link is None or not scripts:
        return {}
    if len(chosen) != 1:
        raise UserError(
            message(
                "The pull request holds {count} tuning scripts; name the one that the run is for: "
                "/verify LINK SCRIPT.sh.",
                count=len(chosen),
            )
        )
    from bot.evidence.facts import EvidenceError
    from bot.evidence.links import parse_link

    try:
        link = parse_link(command.link, options.hosts)
    except EvidenceError as error:
        raise UserError(sentence_of(error)) from None
    return {chosen[0]: link}


def _apply(way: _Way, asker: Asker, done: CommandResult) -> None:
    asking = way.asking
    written: CommitResult = commit_fixes(
        way.client, way.writer(), asking.pull, way.asked, asker, contents=way.contents
    )
    if written.commits:
        # A push of a workflow's token starts no workflow: its result is checked here.
        done.answered = answer_pull(
            way.client, asking.pull, way.asked, contents=way.contents, channels=way.channels
        )
    if not written.done:
        raise _RefusedError(written.text)
    if written.text:
        _say(way, done, written.text)


def _plain(way: _Way, error: UserError) -> str:
    """What an error says, as Markdown."""
    return markdown_inline(in_words(sentence_of(error), way.language))


def _say(way: _Way, done: CommandResult, sentence: str) -> None:
    text = in_words(sentence, way.language)
    done.said.append(text)
    asking = way.asking
    # An edit is another act than the comment before it.
    to = f"{asking.comment}\0{asking.author}\0{asking.before}"
    reply(way.client, asking.pull, text, to=to)


def _refuse(way: _Way, done: CommandResult, recent: Lately, sentence: str) -> None:
    """😕 and one sentence; to who was told no a moment ago, 😕 alone."""
    done.refused = True
    if recent.refused:
        done.said.append(in_words(sentence, way.language))
    else:
        _say(way, done, sentence)


__all__ = ["COOLDOWN", "CommandRequest", "CommandResult", "handle_command"]
