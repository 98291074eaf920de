"""Commands in comments, carried out: `/verify`, `/apply`, help. The App and the Action use it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import field, replace
from functools import partial

from bot.base.config import Config, RepositoryRole
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language, message, seconds_of, sentence_of, translated
from bot.github.answer import mark_of
from bot.github.client import Client
from bot.github.command_comment import (
    COOLDOWN,
    REPLY,
    Acknowledged,
    Asker,
    Closing,
    CommandRequest,
    Reaction,
    RecentCommands,
    acknowledge,
    asker_of,
    earlier_commands,
    react,
    reactions,
    recent_commands,
    reply,
    unreact,
)
from bot.github.commands import CommentCommand, Misunderstood, commands, only_help
from bot.github.errors import GitHubError, LimitedError, UnreachableError
from bot.github.publish import EVERYWHERE, Channels
from bot.github.pull import IssueComment, PullRequest
from bot.github.remote import GitHubChange, read_change
from bot.render.escape import code_span, markdown_inline
from bot.render.markdown import MARKER
from bot.review.check import CheckRequest, base_config
from bot.review.command_replies import HELP, misunderstood, not_allowed
from bot.review.commit import commit_fixes
from bot.review.pull import AnsweredPull, answer_pull
from bot.review.runs import runs_of_command


@dataclass(slots=True, kw_only=True)
class CommandResult:
    """What became of the commands of a comment."""

    commands: tuple[CommentCommand | Misunderstood, ...] = ()
    replies: list[str] = field(default_factory=list)
    """Markdown; also those that were not posted, since the person was refused a moment ago."""
    refused: bool = False
    answered: AnsweredPull | None = None
    """The last check that was published."""
    verified: CommentCommand | None = None
    """The `/verify` whose check that was; None for that of `/apply`."""


def handle_command(
    client: Client,
    request: CommandRequest,
    check: CheckRequest,
    *,
    writer: Callable[[], Client] | None = None,
    channels: Channels = EVERYWHERE,
) -> CommandResult:
    """Carry out the commands that a comment, or its edit, brings; do nothing where it has none.

    `writer` makes the client that commits, where that is another one. Doing it twice does no harm.
    Raises GitHubError when GitHub cannot be asked, or the token may not even react.
    """
    found = commands(request.body, request.before)
    ours = REPLY in request.body or MARKER in request.body
    if not found or ours:
        return CommandResult()
    look = _first_look(client, request)
    if look is None:
        return CommandResult(commands=found)
    recent, seen = look
    handler = _Handler(
        client=client,
        writer=writer or (lambda: client),
        request=request,
        check=check,
        channels=channels,
        recent=recent,
        seen=seen,
        result=CommandResult(commands=found),
    )
    try:
        handler.carry_out()
        handler.finish()
    except GitHubError:
        if handler.closing is not None:
            handler.closing.take_back(client)
        raise
    confused = recent.confused
    if request.comment is not None and confused is not None and not handler.result.refused:
        unreact(client, request.pull.repository, request.comment, confused)
    return handler.result


def command_check(check: CheckRequest, command: CommentCommand | None) -> CheckRequest:
    """The check that `/verify` asks for; None for that of a push."""
    if command is None:
        return check
    return replace(check, runs=partial(runs_of_command, command), ahead="runs")


def _first_look(
    client: Client, request: CommandRequest
) -> tuple[RecentCommands, Acknowledged | None] | None:
    """Leaves 👀; what the comment itself says of what was done, None when it is done already.

    With our 👀 and the pull request where the person's other commands are still to be looked at.
    """
    if request.comment is None:
        return RecentCommands(), None
    repository = request.pull.repository
    seen = acknowledge(client, repository, request.comment, request.node)
    if not seen.answered:
        return RecentCommands(), seen
    if not request.before:
        return None
    us = react(client, repository, request.comment, "eyes").login
    mine = reactions(client, repository, request.comment, us)
    rocket, confused = mine.get("rocket"), mine.get("confused")
    # The 👀 of an edited comment is as old as the comment, so that our own clock is asked.
    left = round(COOLDOWN - (time.time() - rocket.at)) if rocket else 0
    recent = RecentCommands(
        wait=max(0, min(left, COOLDOWN)),
        refused=confused is not None,
        confused=confused.id if confused else None,
    )
    return recent, None


class _RefusedError(Exception):
    """Not done; the message is the sentence, in Markdown."""


@dataclass(slots=True, kw_only=True)
class _Handler:
    """The commands of one comment while they are carried out."""

    client: Client
    writer: Callable[[], Client]
    request: CommandRequest
    check: CheckRequest
    channels: Channels
    recent: RecentCommands
    seen: Acknowledged | None
    result: CommandResult
    language: Language = "en"
    """That of the base's configuration, once it is read."""
    comments: tuple[IssueComment, ...] | None = None
    """Those of the pull request, once it is read; None where not all were."""
    asker: Asker | None = None
    node: str = ""
    """The pull request's id for GraphQL, once it is read."""
    is_last: bool = False
    """True while the last command is carried out."""
    waiting: str | None = None
    """A reply that is still to be posted; the last one is posted together with the reaction."""
    closing: Closing | None = None

    def carry_out(self) -> None:
        """Carry out each command; the pull request is read once for all of them."""
        try:
            change = self._read_pull()
            if self.recent.wait:
                self._refuse_for_now(change)
                return
            config = self._config(change)
        except (LimitedError, UnreachableError):
            raise
        except UserError as error:
            self._refuse(self._plain(error))
            return
        button = self.request.head
        if button is not None and button != change.head:
            old, new = code_span(button[:7]), code_span(change.head[:7])
            self._refuse(
                message(
                    "The button was that of {old}, and the head is {new} now: press the one of its "
                    "check.",
                    old=old,
                    new=new,
                )
            )
            return
        for command in self.result.commands:
            self._post()
            self.is_last = command is self.result.commands[-1]
            try:
                change = self._carry_out_one(command, change, config)
            except (LimitedError, UnreachableError):
                raise
            except _RefusedError as error:
                self._refuse(sentence_of(error))
            except UserError as error:
                self._refuse(self._plain(error))

    def _read_pull(self) -> GitHubChange:
        seen = self.seen
        change = read_change(self.client, self.request.pull, seen.pull if seen else None)
        pull, comment = change.pull, self.request.comment
        self.node = pull.node
        self.comments = pull.comments if pull.comments_complete else None
        if seen is not None and comment is not None:
            author = self.request.author
            helps = only_help(self.result.commands)
            others = earlier_commands(pull, author, comment, seen.at, helps=helps)
            repository = pull.id.repository
            self.recent = recent_commands(self.client, repository, comment, others, seen.at)
        return change

    def _config(self, change: GitHubChange) -> Config:
        config = self.check.config or base_config(change)
        self.language = config.language
        return config

    def _refuse_for_now(self, change: GitHubChange) -> None:
        """Say how long to wait before the next command."""
        time_ = seconds_of(self.recent.wait)
        # For the language of the reply alone; English where it cannot be read.
        try:
            self._config(change)
        except (LimitedError, UnreachableError):
            raise
        except UserError:
            pass
        self._refuse(message("A command of yours ran here a moment ago; wait {time}.", time=time_))

    def _carry_out_one(
        self,
        command: CommentCommand | Misunderstood,
        change: GitHubChange,
        config: Config,
    ) -> GitHubChange:
        """Carry out one command; gives the pull request as it was read last."""
        if isinstance(command, Misunderstood):
            raise _RefusedError(misunderstood(command))
        rights = config.permissions
        if command.name == "help":
            self._reply(message(HELP, verify=rights.verify, apply=rights.apply))
            return change
        verify = command.name == "verify"
        least: RepositoryRole = rights.verify if verify else rights.apply
        author = self.request.author.lower() == change.pull.author.lower()
        if not (verify and author) and not self._asker(change).may(least):
            raise _RefusedError(not_allowed(command, least))
        if change.pull.state != "OPEN":
            raise _RefusedError(message("The pull request is closed."))
        return self._verify(command, change) if verify else self._apply(change)

    def _asker(self, change: GitHubChange) -> Asker:
        """Who asks; GitHub is asked once, and only where a role matters."""
        if self.asker is None:
            repository = change.pull.id.repository
            self.asker = asker_of(self.client, repository, self.request.author)
        return self.asker

    def _verify(self, command: CommentCommand, change: GitHubChange) -> GitHubChange:
        check = command_check(self.check, command)
        answered = answer_pull(change, check, head=command.head, channels=self.channels)
        self.result.answered, self.result.verified = answered, command
        if answered.published.superseded:
            raise _RefusedError(
                message("The head moved while it was checked; its newest commit comes next.")
            )
        if not answered.checked.touches:
            self._reply(
                message("This pull request alters neither a tuning script nor the page of rows.")
            )
        return answered.change

    def _apply(self, change: GitHubChange) -> GitHubChange:
        asker, unseen = self._asker(change), self._unseen(change.pull)
        result = commit_fixes(change, self.check, self.writer(), asker, unseen=unseen)
        if result.change is not None:
            # A push of a workflow's token starts no workflow: its result is checked here.
            # The reply notifies, so that the comment is edited.
            refused = self.result.refused or not result.done
            if self.is_last and result.text and not (refused and self.recent.refused):
                text = translated(result.text, self.language)
                self.closing = self._closing(text, "confused" if refused else "rocket")
            channels = replace(self.channels, notifies=False, closing=self.closing)
            answered = answer_pull(result.change, self.check, channels=channels)
            self.result.answered, self.result.verified = answered, None
            change = answered.change
        if not result.done:
            raise _RefusedError(result.text)
        if result.text:
            self._reply(result.text)
        return change

    def _unseen(self, pull: PullRequest) -> str:
        """Why the comment's writer could not see the check of the head; empty where they could."""
        if self.request.comment is None or not self.channels.comment:
            return ""
        written = {c.id: c.written for c in pull.comments}.get(self.request.comment, "")
        marks = [(c.written, mark_of(c.body)) for c in pull.comments if c.ours and not c.hidden]
        shown = [at for at, mark in marks if mark is not None and mark.head == pull.head]
        if any(at <= written for at in shown):
            return ""
        head = pull.head[:7]
        if shown:
            return message(
                "The check of {head} was shown after you wrote this; read it, then write `/apply` "
                "again.",
                head=head,
            )
        return message(
            "No comment of this token shows the check of {head}, the newest commit, yet: wait for "
            "it, or write `/verify`, and `/apply` after it.",
            head=head,
        )

    def _plain(self, error: UserError) -> str:
        """What an error says, as Markdown."""
        return markdown_inline(translated(sentence_of(error), self.language))

    def _reply(self, sentence: str) -> None:
        text = translated(sentence, self.language)
        if text not in self.result.replies:
            self.result.replies.append(text)
            self._post()
            self.waiting = text

    def _post(self) -> None:
        """Post the reply that waits."""
        text, self.waiting = self.waiting, None
        if text is not None:
            reply(self.client, self.request.pull, text, to=self._act, known=self.comments)

    def finish(self) -> None:
        """End with the last reply and 🚀, or 😕; nothing is done again after that."""
        kind: Reaction = "confused" if self.result.refused else "rocket"
        if self.closing is None and self.waiting is not None:
            self.closing = self._closing(self.waiting, kind)
        if self.closing is not None:
            self.closing.finish(self.client)
            return
        self._post()
        if self.request.comment is not None:
            react(self.client, self.request.pull.repository, self.request.comment, kind)

    def _closing(self, text: str, kind: Reaction) -> Closing | None:
        """The end of the command; None where it cannot be told to GraphQL."""
        request, seen = self.request, self.seen
        if request.comment is None or seen is None or not self.node:
            return None
        return Closing(
            pull=request.pull,
            subject=self.node,
            comment=request.comment,
            node=seen.node,
            text=text,
            to=self._act,
            content=kind,
            known=self.comments,
        )

    @property
    def _act(self) -> str:
        """What a reply answers: an edit is another act than the comment before it."""
        request = self.request
        return f"{request.comment}\0{request.author}\0{request.before}"

    def _refuse(self, sentence: str) -> None:
        """😕 and one sentence; 😕 alone for who was refused a moment ago."""
        self.result.refused = True
        if self.recent.refused:
            self.result.replies.append(translated(sentence, self.language))
        else:
            self._reply(sentence)
