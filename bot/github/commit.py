"""A commit on the branch of a pull request, through the Git data API: nothing is checked out.

Without an author in the request GitHub writes the one that the token stands for, and signs for it.
PyGithub's objects for trees and commits are read before they are used: twice the requests.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bot.base.messages import message
from bot.github.client import Client
from bot.github.errors import GitHubError, Refusal, RefusedError


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


def commit_files(client: Client, branch: Branch, files: Sequence[NewFile], message: str) -> str:
    """Commits files on top of a branch's head and moves the branch there; gives the new commit.

    Never forced: raises MovedError when the branch is not at its head, before and while it is
    moved, so that nobody's commit is lost; other GitHubErrors.
    """
    api = f"/repos/{branch.repository}/git"
    base = client.get(f"{api}/commits/{branch.head}")["tree"]["sha"]
    entries = [_entry(client, api, file) for file in files]
    tree = client.write("POST", f"{api}/trees", {"base_tree": base, "tree": entries})["sha"]
    body = {"message": message, "tree": tree, "parents": [branch.head]}
    commit = str(client.write("POST", f"{api}/commits", body)["sha"])
    name = f"heads/{quote(branch.name, safe='/')}"
    # GitHub refuses what is no fast forward; a branch that was set back is not that.
    if client.get(f"{api}/ref/{name}")["object"]["sha"] != branch.head:
        raise _moved(branch.name)
    try:
        client.write("PATCH", f"{api}/refs/{name}", {"sha": commit, "force": False})
    except RefusedError as error:
        if error.refusal is Refusal.NOT_A_FAST_FORWARD:
            raise _moved(branch.name) from None
        raise
    return commit


def _entry(client: Client, api: str, file: NewFile) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": file.path, "mode": f"{file.mode:06o}", "type": "blob"}
    try:
        return {**entry, "content": file.data.decode("utf-8")}
    except UnicodeDecodeError:
        body = {"content": base64.b64encode(file.data).decode(), "encoding": "base64"}
        return {**entry, "sha": client.write("POST", f"{api}/blobs", body)["sha"]}


def _moved(branch: str) -> MovedError:
    return MovedError(
        message("The branch {branch} moved on meanwhile; nothing was committed.", branch=branch),
        409,
    )
