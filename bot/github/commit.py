"""A commit on the branch of a pull request, made on GitHub: nothing is checked out.

`createCommitOnBranch` compares the branch with the commit that it was read at and moves it, in one
signed request. It writes regular files alone, so that an executable one goes through the Git data
API, and `updateRefs` compares and moves. PyGithub has neither mutation.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.github import queries
from bot.github.client import Client
from bot.github.errors import GitHubError, NotFoundError, RefusedError, UnreachableError
from bot.github.failures import understood

_REGULAR: Final = 0o100644


class MovedError(GitHubError):
    """The branch is no longer where it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A file as it should be."""

    path: str
    data: bytes
    mode: int
    """As it is in git: 0o100644 or 0o100755; a commit keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch, as it was read."""

    repository: str
    name: str
    head: str
    """The commit at its tip."""


@understood
def commit_files(client: Client, branch: Branch, files: Sequence[NewFile], text: str) -> str:
    """Commit files on top of a branch's head; gives the new commit. `text` is its message.

    The branch is moved only from its head: raises MovedError where it has been pushed to, set back
    or deleted, so that nothing of its author is undone. Raises other GitHubErrors.
    """
    try:
        if all(file.mode == _REGULAR for file in files):
            return _commit_on_branch(client, branch, files, text)
        return _commit_tree(client, branch, files, text)
    except (RefusedError, NotFoundError, UnreachableError) as error:
        made = _made_already(client, branch, text, error)
        if made is None:
            raise
        return made


def _commit_on_branch(client: Client, branch: Branch, files: Sequence[NewFile], text: str) -> str:
    headline, _, body = text.partition("\n\n")
    given = {
        "branch": {"repositoryNameWithOwner": branch.repository, "branchName": branch.name},
        "expectedHeadOid": branch.head,
        "message": {"headline": headline, "body": body},
        "fileChanges": {
            "additions": [{"path": f.path, "contents": _base64(f.data)} for f in files]
        },
    }
    done = client.graphql(queries.operation("Commit"), {"input": given}, repeat=False)
    return str(done["createCommitOnBranch"]["commit"]["oid"]) if done else ""


def _commit_tree(client: Client, branch: Branch, files: Sequence[NewFile], text: str) -> str:
    api = f"/repos/{branch.repository}/git"
    base = client.get(f"{api}/commits/{branch.head}")["tree"]["sha"]
    entries = [_entry(client, api, file) for file in files]
    tree = client.write("POST", f"{api}/trees", {"base_tree": base, "tree": entries})["sha"]
    body = {"message": text, "tree": tree, "parents": [branch.head]}
    commit = str(client.write("POST", f"{api}/commits", body)["sha"])
    move = {"name": f"refs/heads/{branch.name}", "beforeOid": branch.head, "afterOid": commit}
    given = {"repositoryId": _tip(client, branch)[0], "refUpdates": [move]}
    client.graphql(queries.operation("Move"), {"input": given}, repeat=False)
    return commit


def _entry(client: Client, api: str, file: NewFile) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": file.path, "mode": f"{file.mode:06o}", "type": "blob"}
    try:
        return {**entry, "content": file.data.decode("utf-8")}
    except UnicodeDecodeError:
        body = {"content": _base64(file.data), "encoding": "base64"}
        return {**entry, "sha": client.write("POST", f"{api}/blobs", body)["sha"]}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _tip(client: Client, branch: Branch) -> tuple[str, list[dict[str, Any]]]:
    """Where a branch is now: the node id of its repository, and its newest commits, the tip first.

    None of them when the branch is gone.
    """
    variables = queries.about(branch.repository, ref=f"refs/heads/{branch.name}")
    found = client.graphql(queries.operation("Branch"), variables).get("repository") or {}
    history = ((found.get("ref") or {}).get("target") or {}).get("history") or {}
    return str(found.get("id") or ""), list(history.get("nodes") or ())


def _made_already(client: Client, branch: Branch, text: str, error: GitHubError) -> str | None:
    """The commit, where only GitHub's answer was lost; None where the branch stands as it was.

    Raises MovedError where it does not, and `error` where GitHub may not be asked.
    """
    try:
        _, commits = _tip(client, branch)
    except NotFoundError:
        raise error from None
    for commit in commits:
        parents = [parent["oid"] for parent in commit["parents"]["nodes"] or ()]
        if parents == [branch.head] and commit["message"].strip() == text.strip():
            return str(commit["oid"])
    if commits and commits[0]["oid"] == branch.head:
        return None
    gone = message("The branch {branch} was deleted; nothing was committed.", branch=branch.name)
    moved = message(
        "The branch {branch} moved on meanwhile; nothing was committed.", branch=branch.name
    )
    raise MovedError(moved if commits else gone, 409) from None
