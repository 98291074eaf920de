"""What ends a command: a reply, and the reaction that says that it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from bot.base.fast_dataclass import dataclass
from bot.github import mutations
from bot.github.client import Client
from bot.github.errors import GitHubError, LimitedError
from bot.github.mutations import Mutation, MutationOutcome
from bot.github.pull import IssueComment, PullId
from bot.github.talk import Reaction, has_reply, react, reply, reply_body


@dataclass(slots=True, kw_only=True)
class Closing:
    """A reply and, after it, the reaction: in one request, also behind what else is written.

    A command with the reaction is not carried out again. Where the reply failed although the
    reaction was left, it is posted by itself, and where that fails too the reaction is taken back.
    """

    pull: PullId
    subject: str
    """The pull request's id for GraphQL."""
    comment: int
    """The id of the comment that gave the command."""
    node: str
    """Its id for GraphQL."""
    text: str
    to: str
    """Which act the reply answers, as `talk.reply` takes it."""
    content: Reaction
    known: Sequence[IssueComment] | None
    """The comments as they were read since the act; None where not all were."""
    replied: bool = False
    reacted: bool = False

    def mutations(self) -> list[Mutation]:
        """Both as mutations; empty where there are not two of them to be written."""
        known = self.known
        if self.done or known is None or has_reply(known, self.text, self.to):
            return []
        return [
            mutations.reply(self.subject, reply_body(self.text, self.to)),
            mutations.react(self.node, self.content.upper()),
        ]

    @property
    def done(self) -> bool:
        """True when nothing is left to be done."""
        return self.replied and self.reacted

    def take(self, outcomes: Mapping[str, MutationOutcome]) -> None:
        """Note what became of the mutations: nothing is known of those whose answer was lost."""
        # What was read before does not say any more what stands there.
        self.known = None
        self.replied = _is_done(outcomes.get("reply"))
        self.reacted = _is_done(outcomes.get("react"))

    def finish(self, client: Client) -> None:
        """Post what is not there yet. Raises GitHubError."""
        if parts := self.mutations():
            try:
                self.take(mutations.send(client, parts, checks=False))
            except LimitedError:
                raise
            except GitHubError:
                self.take({})
        try:
            if not self.replied:
                reply(client, self.pull, self.text, to=self.to, known=self.known)
                self.replied = True
            if not self.reacted:
                react(client, self.pull.repository, self.comment, self.content)
                self.reacted = True
        except GitHubError:
            self.take_back(client)
            raise

    def take_back(self, client: Client) -> None:
        """Withdraw the reaction where the reply is not there, so that the command is done again."""
        if self.reacted and not self.replied:
            with suppress(GitHubError):
                mutations.send(
                    client, [mutations.take_back(self.node, self.content.upper())], checks=False
                )
            self.reacted = False


def _is_done(outcome: MutationOutcome) -> bool:
    return outcome is not None and not isinstance(outcome, GitHubError)
