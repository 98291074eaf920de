"""The stand-in's GraphQL API: graphql-core runs the questions against GitHub's own schema."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLResolveInfo,
    OperationType,
    build_schema,
    execute_sync,
    parse,
    validate,
)
from graphql.language import DocumentNode, OperationDefinitionNode

from tests.github.context import INTEGRATION, Context, ProblemError
from tests.github.contract import OFFICIAL
from tests.github.objects import Entry
from tests.github.store import Account, CheckRun, Comment, Pull, Repository, Review

SCHEMA = build_schema((OFFICIAL / "schema.graphql").read_text(encoding="utf-8"), assume_valid=True)
_PATCH_STATUS = {"removed": "DELETED"}
_REACTIONS = {
    "THUMBS_UP": "+1",
    "THUMBS_DOWN": "-1",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}
"""Each reaction by its name in GraphQL."""
_KINDS = {
    404: "NOT_FOUND",
    403: "FORBIDDEN",
    409: "STALE_DATA",
    422: "UNPROCESSABLE",
    429: "RATE_LIMITED",
}
_TEXT_LIMIT = 512_000
"""Bytes of a blob that GraphQL gives as text."""


@dataclass(frozen=True)
class Question:
    name: str
    mutation: bool


_parsed = lru_cache(maxsize=64)(parse)
"""The program asks a handful of questions over and over."""


@lru_cache(maxsize=64)
def _question_of(text: str) -> DocumentNode:
    """The document; AssertionError where GitHub's schema has no such question."""
    document = _parsed(text)
    if problems := validate(SCHEMA, document):
        raise AssertionError(f"not a question to GitHub: {problems[0].message}")
    return document


def question(text: str) -> Question:
    """Name and kind of the operation in a document; a name is wanted, for the log."""
    for node in _parsed(text).definitions:
        if isinstance(node, OperationDefinitionNode):
            name = node.name.value.lower() if node.name else ""
            return Question(name, node.operation is OperationType.MUTATION)
    return Question("", False)


def answer(asked: Context) -> dict[str, Any]:
    """The answer to a question; errors are part of it, as GraphQL has it."""
    done = execute_sync(
        SCHEMA,
        _question_of(asked.body["query"]),
        root_value={name: _unless_refused(asked, act) for name, act in _root(asked).items()},
        variable_values=asked.body.get("variables"),
    )
    result: dict[str, Any] = {"data": done.data}
    if done.errors:
        result["errors"] = [_error(error) for error in done.errors]
    return result


def _unless_refused(asked: Context, act: Callable[..., Any]) -> Callable[..., Any]:
    """A field that a fault of its own may refuse, while the others of the request are answered."""

    def field(info: GraphQLResolveInfo[Any], **given: Any) -> Any:
        for fault in asked.store.faults:
            if fault.method == "FIELD" and fault.times and fault.path == info.path.key:
                fault.times -= 1
                raise ProblemError(fault.status, fault.body)
        return act(info, **given)

    return field


def _error(error: GraphQLError) -> dict[str, Any]:
    original = error.original_error
    if original is not None and not isinstance(original, (ProblemError, GraphQLError)):
        raise original
    shown: dict[str, Any] = {"message": error.message, "path": error.path}
    if isinstance(original, ProblemError):
        shown["type"] = _KINDS[original.status]
    return shown


def _root(asked: Context) -> dict[str, Any]:
    return {
        "viewer": lambda _info: _user(asked.asker().account),
        "rateLimit": lambda _info, **_: {"limit": 5_000, "cost": 1, "remaining": 1, "resetAt": ""},
        "repository": lambda _info, owner, name, **_: _found(asked, owner, name),
        "node": lambda _info, **given: _node(asked, given["id"]),
        "addReaction": lambda _info, **given: _add_reaction(asked, given["input"]),
        "removeReaction": lambda _info, **given: _remove_reaction(asked, given["input"]),
        "addComment": lambda _info, **given: _add_comment(asked, given["input"]),
        "updateIssueComment": lambda _info, **given: _edit_comment(asked, given["input"]),
        "minimizeComment": lambda _info, **given: _minimize(asked, given["input"], True),
        "unminimizeComment": lambda _info, **given: _minimize(asked, given["input"], False),
        "createCommitOnBranch": lambda _info, **given: _commit_on_branch(asked, given["input"]),
        "createCheckRun": lambda _info, **given: _create_check(asked, given["input"]),
        "updateRefs": lambda _info, **given: _update_refs(asked, given["input"]),
    }


def _found(asked: Context, owner: str, name: str) -> dict[str, Any]:
    full_name = f"{owner}/{name}"
    found = asked.store.repositories.get(full_name) or asked.store.moved.get(full_name)
    if found is None or found.gone or not asked.sees(found):
        sentence = f"Could not resolve to a Repository with the name '{full_name}'."
        raise ProblemError(404, sentence)
    return _repository(asked, found)


def _repository(asked: Context, found: Repository) -> dict[str, Any]:
    def pull(_info: object, number: int) -> dict[str, Any]:
        there = asked.store.pulls.get((found.id, number))
        if there is None:
            sentence = f"Could not resolve to a PullRequest with the number of {number}."
            raise ProblemError(404, sentence)
        return _pull(asked, there)

    def thing(_info: object, oid: str | None = None, expression: str | None = None) -> Any:
        return _object(found, oid or expression or "")

    return {
        "id": f"R_{found.id}",
        "databaseId": found.id,
        "name": found.name,
        "nameWithOwner": found.full_name,
        "owner": _user(found.owner),
        "url": f"https://github.com/{found.full_name}",
        "isPrivate": found.private,
        "isArchived": found.archived,
        "isFork": found.parent is not None,
        "pullRequest": pull,
        "pullRequests": lambda _info, states=None, **page: _connection(
            [
                _pull(asked, there)
                for (repository, _), there in sorted(asked.store.pulls.items(), reverse=True)
                if repository == found.id and (not states or there.state.upper() in states)
            ]
        )(_info, **page),
        "object": thing,
        "ref": lambda _info, **given: _ref(asked, found, given["qualifiedName"]),
    }


def _ref(asked: Context, found: Repository, name: str) -> dict[str, Any] | None:
    at = found.head(name.removeprefix("refs/heads/"))
    return at and {"name": name, "target": _object(found, at, asked)}  # type: ignore[return-value]


def _user(account: Account) -> dict[str, Any]:
    bot = account.kind == "Bot"
    return {
        "__typename": "Bot" if bot else "User",
        "id": f"U_{account.id}",
        "databaseId": account.id,
        # A bot's login has its suffix in REST alone.
        "login": account.login.removesuffix("[bot]"),
        "url": f"https://github.com/{account.login}",
    }


def _pull(asked: Context, pull: Pull) -> dict[str, Any]:
    repository = pull.repository
    changes = repository.objects.changes(pull.base, pull.head)
    listed = [
        {
            "path": change.path,
            "changeType": _PATCH_STATUS.get(change.status, change.status.upper()),
            "additions": change.additions,
            "deletions": change.deletions,
        }
        for change in changes[: asked.store.files_limit]
    ]
    base = repository.head(pull.base_branch)
    return {
        "id": f"PR_{repository.id}_{pull.number}",
        "number": pull.number,
        "state": pull.state.upper(),
        "title": pull.title,
        "body": pull.body,
        "locked": pull.locked,
        "changedFiles": len(changes),
        "maintainerCanModify": pull.maintainer_can_modify,
        "author": _user(pull.author),
        "baseRefName": pull.base_branch,
        "baseRefOid": pull.base,
        "headRefName": pull.head_branch,
        "headRefOid": pull.head,
        "isCrossRepository": pull.head_repository is not repository,
        "headRepository": pull.head_repository and _repository(asked, pull.head_repository),
        "baseRef": base and {"name": pull.base_branch, "target": _object(repository, base)},
        "repository": lambda _info: _repository(asked, repository),
        "files": _connection(listed),
        "isDraft": pull.draft,
        "commits": _connection([{"commit": _object(repository, pull.head, asked)}]),
        "comments": _connection([_comment(asked, c) for c in pull.comments if not c.deleted]),
        "reviews": _connection([_review(asked, review) for review in pull.reviews]),
        "url": f"https://github.com/{repository.full_name}/pull/{pull.number}",
    }


def _connection(items: Sequence[Any]) -> Callable[..., dict[str, Any]]:
    """Pages of a list, by cursors that say how far one is."""

    def page(
        _info: object,
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        **_: object,
    ) -> dict[str, Any]:
        size = first if first is not None else last
        if size is None or not 1 <= size <= 100:
            raise GraphQLError("You must provide a `first` or `last` value between 1 and 100.")
        start = int(base64.b64decode(after)) if after else 0
        if last is not None and first is None:
            start = max(0, len(items) - last)
        shown = items[start : start + size]
        end = start + len(shown)
        return {
            "totalCount": len(items),
            "nodes": list(shown),
            "pageInfo": {
                "hasNextPage": end < len(items),
                "hasPreviousPage": start > 0,
                "startCursor": None,
                "endCursor": base64.b64encode(str(end).encode()).decode(),
            },
        }

    return page


def _comment_of(asked: Context, name: str) -> Comment:
    number = name.removeprefix("IC_")
    comment = asked.store.find_comment(int(number)) if number.isdigit() else None
    if comment is None:
        raise ProblemError(404, f"Could not resolve to a node with the global id of '{name}'.")
    return comment


def _node(asked: Context, name: str) -> dict[str, Any]:
    return _comment(asked, _comment_of(asked, name))


def _comment(asked: Context, comment: Comment) -> dict[str, Any]:
    page = f"https://github.com/{comment.pull.repository.full_name}/pull/{comment.pull.number}"
    return {
        "__typename": "IssueComment",
        "id": f"IC_{comment.id}",
        "fullDatabaseId": str(comment.id),
        "body": comment.body,
        "isMinimized": comment.minimized is not None,
        "minimizedReason": comment.minimized,
        "viewerDidAuthor": asked.identity is not None and comment.author is asked.identity.account,
        "url": f"{page}#issuecomment-{comment.id}",
        "author": _user(comment.author),
        "authorAssociation": "NONE",
        "createdAt": comment.created,
        "updatedAt": comment.updated,
        "lastEditedAt": comment.updated if len(comment.history) > 1 else None,
        "pullRequest": lambda _info: _pull(asked, comment.pull),
        "reactionGroups": lambda _info: _reaction_groups(asked, comment),
    }


def _reaction_groups(asked: Context, comment: Comment) -> list[dict[str, Any]]:
    """One group for each reaction that there is, whether somebody left it or not."""
    left = asked.store.reactions.get(comment.id, [])
    account = asked.identity.account if asked.identity else None
    return [
        {
            "content": content,
            "viewerHasReacted": any(
                each.account is account and each.content == name for each in left
            ),
        }
        for content, name in _REACTIONS.items()
    ]


def _add_reaction(asked: Context, given: dict[str, Any]) -> dict[str, Any]:
    from tests.github.rest import add_reaction

    comment = _comment_of(asked, given["subjectId"])
    made, _ = add_reaction(asked, comment, _REACTIONS[given["content"]])
    return {
        "reaction": {
            "id": f"REA_{made.id}",
            "databaseId": made.id,
            "content": given["content"],
            "createdAt": made.created,
        },
        "reactionGroups": _reaction_groups(asked, comment),
        "subject": _comment(asked, comment),
    }


def _remove_reaction(asked: Context, given: dict[str, Any]) -> dict[str, Any]:
    comment, content = _comment_of(asked, given["subjectId"]), _REACTIONS[given["content"]]
    asker = asked.need(comment.pull.repository, "issues", "pull_requests")
    there = asked.store.reactions.get(comment.id, [])
    ours = [r for r in there if r.account is asker.account and r.content == content]
    if not ours:
        raise ProblemError(404, "Could not resolve to a reaction of the viewer.")
    there.remove(ours[0])
    return {"reaction": {"id": f"REA_{ours[0].id}", "content": given["content"]}}


def _review(asked: Context, review: Review) -> dict[str, Any]:
    ours = asked.identity is not None and review.author is asked.identity.account
    notes = [
        {
            "id": f"PRRC_{review.id}_{number}",
            "body": note["body"],
            "path": note["path"],
            "line": note["line"],
            "viewerDidAuthor": ours,
        }
        for number, note in enumerate(review.comments)
    ]
    return {
        "id": f"PRR_{review.id}",
        "author": _user(review.author),
        "body": review.body,
        "state": "COMMENTED",
        "viewerDidAuthor": ours,
        "comments": _connection(notes),
    }


def _suites(asked: Context, oid: str) -> Callable[..., dict[str, Any]]:
    """The check suites of a commit: one for each App that made a check run there."""

    def page(_info: object, filterBy: dict[str, Any] | None = None, **page: Any) -> dict[str, Any]:  # noqa: N803
        granted = asked.identity.permissions if asked.identity else None
        if granted is not None and "checks" not in granted:
            raise ProblemError(403, INTEGRATION)
        wanted, name = (filterBy or {}).get("appId"), (filterBy or {}).get("checkName")
        runs = [r for r in asked.store.checks if r.head == oid and name in (None, r.name)]
        apps = {run.app.id for run in runs if wanted in (None, run.app.id)}
        suites = [
            {
                "id": f"CS_{app}_{oid}",
                "checkRuns": _runs([run for run in runs if run.app.id == app]),
            }
            for app in sorted(apps)
        ]
        return _connection(suites)(_info, **page)

    return page


def _runs(runs: Sequence[CheckRun]) -> Callable[..., dict[str, Any]]:
    def page(_info: object, filterBy: dict[str, Any] | None = None, **page: Any) -> dict[str, Any]:  # noqa: N803
        name = (filterBy or {}).get("checkName")
        return _connection(
            [
                {
                    "id": f"CR_{run.id}",
                    "externalId": run.external_id,
                    "status": run.status.upper(),
                }
                for run in runs
                if name in (None, run.name)
            ]
        )(_info, **page)

    return page


def _object(found: Repository, oid: str, asked: Context | None = None) -> dict[str, Any] | None:
    try:
        kind = found.objects.kind(oid)
    except LookupError:
        return None
    seen: dict[str, Any] = {
        "__typename": kind.capitalize(),
        "id": f"{kind}_{oid}",
        "oid": oid,
        "abbreviatedOid": oid[:7],
    }
    if kind == "blob":
        return seen | _blob(found.objects.blob(oid))
    if kind == "tree":
        listed = found.objects.tree(oid, recursive=False)
        return seen | {"entries": lambda _info: [_entry(found, entry) for entry in listed]}

    def file(_info: object, path: str) -> dict[str, Any] | None:
        entry = found.objects.entry(oid, path)
        return entry and _entry(found, entry)  # type: ignore[return-value]

    seen |= {"message": found.objects.message(oid), "parents": _parents(found, oid)}
    seen["history"] = _history(found, oid)
    if asked is not None:
        seen["checkSuites"] = _suites(asked, oid)
    return seen | {"file": file}


def _parents(found: Repository, oid: str) -> Callable[..., dict[str, Any]]:
    return lambda _info, **page: _connection(
        [{"oid": parent} for parent in found.objects.parents(oid)]
    )(_info, **page)


def _history(found: Repository, oid: str) -> Callable[..., dict[str, Any]]:
    """A commit and its first parents, newest first."""

    def page(_info: object, **page: Any) -> dict[str, Any]:
        chain = [oid]
        while (parents := found.objects.parents(chain[-1])) and len(chain) < 100:
            chain.append(parents[0])
        return _connection([_object(found, each) for each in chain])(_info, **page)

    return page


def _blob(data: bytes) -> dict[str, Any]:
    binary = b"\0" in data[:8_000]
    return {
        "byteSize": len(data),
        "isBinary": binary,
        "isTruncated": len(data) > _TEXT_LIMIT,
        # What is not UTF-8 loses characters on this way.
        "text": None if binary else data[:_TEXT_LIMIT].decode("utf-8", "replace"),
    }


def _entry(found: Repository, entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.path.rsplit("/", 1)[-1],
        "path": entry.path,
        "mode": int(entry.mode, 8),
        "type": entry.kind,
        "oid": entry.oid,
        "size": entry.size or 0,
        "object": lambda _info: _object(found, entry.oid),
    }


def _add_comment(asked: Context, given: dict[str, Any]) -> dict[str, Any]:
    from tests.github.rest import add_comment

    node = given["subjectId"]
    for pull in asked.store.pulls.values():
        if node == f"PR_{pull.repository.id}_{pull.number}" and asked.sees(pull.repository):
            made = add_comment(asked, pull, given["body"])
            return {"commentEdge": {"node": _comment(asked, made)}}
    raise ProblemError(404, f"Could not resolve to a node with the global id of '{node}'.")


def _edit_comment(asked: Context, given: dict[str, Any]) -> dict[str, Any]:
    from tests.github.rest import change_comment

    comment = _comment_of(asked, given["id"])
    change_comment(asked, comment, given["body"])
    return {"issueComment": _comment(asked, comment)}


def _create_check(asked: Context, given: dict[str, Any]) -> dict[str, Any]:
    from tests.github.rest import add_check

    number = given["repositoryId"].removeprefix("R_")
    found = next((r for r in asked.store.repositories.values() if str(r.id) == number), None)
    if found is None or not asked.sees(found):
        node = given["repositoryId"]
        raise ProblemError(404, f"Could not resolve to a node with the global id of '{node}'.")
    output = given.get("output") or {}
    body = {
        "name": given["name"],
        "head_sha": given["headSha"],
        "external_id": given.get("externalId", ""),
        "status": given.get("status", "QUEUED").lower(),
        "conclusion": (given.get("conclusion") or "").lower() or None,
        "actions": given.get("actions") or [],
        "output": {**output, "annotations": [_note(n) for n in output.get("annotations") or ()]},
    }
    made = add_check(asked, found, body)
    return {"checkRun": {"id": f"CR_{made.id}", "externalId": made.external_id}}


def _note(given: dict[str, Any]) -> dict[str, Any]:
    """An annotation as REST has it."""
    place = given["location"]
    note = {
        "path": given["path"],
        "start_line": place["startLine"],
        "end_line": place["endLine"],
        "start_column": place.get("startColumn"),
        "end_column": place.get("endColumn"),
        "annotation_level": given["annotationLevel"].lower(),
        "message": given["message"],
        "title": given.get("title"),
    }
    return {name: value for name, value in note.items() if value is not None}


def _minimize(asked: Context, given: dict[str, Any], hide: bool) -> dict[str, Any]:
    comment = _comment_of(asked, given["subjectId"])
    asker = asked.asker()
    if asker.permissions is not None:
        asked.need(comment.pull.repository, "pull_requests", "issues")
    elif comment.author is not asker.account:
        asked.need(comment.pull.repository, person="write")
    if not hide:
        comment.minimized = None
        return {"unminimizedComment": _comment(asked, comment)}
    comment.minimized = given["classifier"].lower()
    return {"minimizedComment": _comment(asked, comment)}


def _commit_on_branch(asked: Context, given: dict[str, Any]) -> dict[str, Any]:
    from tests.github.rest_git import may_push

    branch = given["branch"]
    full_name = branch.get("repositoryNameWithOwner") or ""
    found = asked.store.repositories.get(full_name)
    if found is None or not asked.sees(found):
        raise ProblemError(404, f"Could not resolve to a Repository with the name '{full_name}'.")
    try:
        may_push(asked, found)
    except ProblemError as error:
        raise ProblemError(error.status, INTEGRATION) from None
    name = branch["branchName"].removeprefix("refs/heads/")
    head = found.head(name)
    if head != given["expectedHeadOid"]:
        expected = given["expectedHeadOid"]
        sentence = f'Expected branch to point to "{expected}" but it did not.  Pull and try again.'
        raise ProblemError(409, sentence)
    changed = given.get("fileChanges") or {}
    files: dict[str, Any] = {
        addition["path"]: base64.b64decode(addition["contents"])
        for addition in changed.get("additions", ())
    }
    files |= {deletion["path"]: None for deletion in changed.get("deletions", ())}
    account = asked.asker().account
    message = given["message"]
    text = "\n\n".join(filter(None, (message["headline"], message.get("body"))))
    author = f"{account.login} <{account.id}+{account.login}@users.noreply.github.com>"
    made = found.commit(name, files, message=text, author=author)
    return {"commit": _object(found, made), "ref": {"name": name, "target": _object(found, made)}}


def _update_refs(asked: Context, given: dict[str, Any]) -> dict[str, Any]:
    """Moves branches, each only from where it is said to be, and forward unless forced."""
    from tests.github.rest_git import may_push

    number = int(given["repositoryId"].removeprefix("R_"))
    found = next(r for r in asked.store.repositories.values() if r.id == number)
    try:
        may_push(asked, found)
    except ProblemError as error:
        raise ProblemError(error.status, INTEGRATION) from None
    moves = []
    for update in given["refUpdates"]:
        name = update["name"].removeprefix("refs/heads/")
        old, new = found.head(name), update["afterOid"]
        if update.get("beforeOid") not in (None, old) or old is None:
            raise ProblemError(422, f"A reference could not be updated: {update['name']}")
        if not update.get("force") and found.objects.merge_base(old, new) != old:
            raise ProblemError(422, "Update is not a fast forward")
        moves.append((name, new))
    for name, new in moves:
        found.objects.move(found.ref(name), new)
    return {"clientMutationId": given.get("clientMutationId")}
