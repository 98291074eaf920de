"""What is written to a pull request by GraphQL; several mutations may go in one request.

GitHub carries them out in their order, and each although another failed, so that what failed is
made good by who sent them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.github.client import Client
from bot.github.errors import GitHubError
from bot.github.queries import with_fragments

MutationOutcome: TypeAlias = Mapping[str, Any] | GitHubError | None
"""The payload of a mutation, or why it failed."""

_AFTERWARDS = "pullRequest { ...PullState }"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A mutation, and what is asked of its payload."""

    alias: str
    """What its outcome is called."""
    field: str
    given: Mapping[str, Any]
    """Its input."""
    gives: str


def post(subject: str, body: str) -> Mutation:
    """Posts the comment of a check; what stands there afterwards comes with the answer."""
    given = {"subjectId": subject, "body": body}
    gives = "commentEdge { node { id " + _AFTERWARDS + " } }"
    return Mutation(alias="post", field="addComment", given=given, gives=gives)


def edit(comment: str, body: str) -> Mutation:
    """Edits a comment; what stands there afterwards comes with the answer."""
    gives = "issueComment { id " + _AFTERWARDS + " }"
    given = {"id": comment, "body": body}
    return Mutation(alias="edit", field="updateIssueComment", given=given, gives=gives)


def check(given: Mapping[str, Any]) -> Mutation:
    """Makes a check run."""
    return Mutation(alias="check", field="createCheckRun", given=given, gives="checkRun { id }")


def reply(subject: str, body: str) -> Mutation:
    """Posts a reply."""
    given = {"subjectId": subject, "body": body}
    return Mutation(
        alias="reply", field="addComment", given=given, gives="commentEdge { node { id } }"
    )


def react(comment: str, content: str) -> Mutation:
    """Leaves a reaction; one that is there stays as it is."""
    given = {"subjectId": comment, "content": content}
    gives = "reaction { content }"
    return Mutation(alias="react", field="addReaction", given=given, gives=gives)


def take_back(comment: str, content: str) -> Mutation:
    """Takes a reaction of ours away."""
    given = {"subjectId": comment, "content": content}
    gives = "reaction { content }"
    return Mutation(alias="unreact", field="removeReaction", given=given, gives=gives)


def document(mutations: Sequence[Mutation]) -> str:
    """The mutations in one request, done in this order, each although another failed.

    The variables are their aliases, and `checks` where one gives what stands on a pull request.
    """
    declared = [f"${m.alias}: {m.field[0].upper()}{m.field[1:]}Input!" for m in mutations]
    if _gives_state(mutations):
        declared += ["$comments: String", "$checks: Boolean = false"]
    fields = "\n".join(
        f"  {m.alias}: {m.field}(input: ${m.alias}) {{ {m.gives} }}" for m in mutations
    )
    name = "_".join(m.alias.title() for m in mutations)
    return with_fragments(f"mutation {name}({', '.join(declared)}) {{\n{fields}\n}}\n")


def variables(mutations: Sequence[Mutation], *, checks: bool) -> dict[str, Any]:
    """The variables of the document; `checks` says whether the token may see check runs."""
    found: dict[str, Any] = {each.alias: each.given for each in mutations}
    return {**found, "checks": checks} if _gives_state(mutations) else found


def send(
    client: Client, mutations: Sequence[Mutation], *, checks: bool
) -> dict[str, MutationOutcome]:
    """Carry out several mutations in one request; gives what became of each, by alias.

    Empty where the answer was lost: any of them may have been carried out, or may not. Raises
    GitHubError where the request as a whole failed.
    """
    given = variables(mutations, checks=checks)
    return client.graphql(document(mutations), given, repeat=dict, parts=True)


def _gives_state(mutations: Sequence[Mutation]) -> bool:
    return any(_AFTERWARDS in each.gives for each in mutations)
