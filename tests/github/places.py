"""Where a pull request can be opened: the stand-in, or a repository to spare on GitHub itself.

For GitHub set RLBOT_LIVE_REPO to OWNER/REPO, a repository that holds nothing of worth, and
GITHUB_TOKEN to a token that may write its contents and pull requests.
"""

from __future__ import annotations

import base64
import os
import uuid
from collections.abc import Mapping
from typing import Protocol

from bot.base.secrets import Secret
from bot.github.client import Client, client_of
from bot.github.pull import PullId, read_pull
from tests.github.world import World


class Place(Protocol):
    """A repository with one pull request."""

    def open(self, files: Mapping[str, bytes]) -> PullId: ...

    def push(self, files: Mapping[str, bytes]) -> str: ...

    def client(self) -> Client: ...

    def close(self) -> None: ...


class StandIn:
    def __init__(self, here: World) -> None:
        self._here = here
        self._token = here.store.workflow_token(here.base)

    def open(self, files: Mapping[str, bytes]) -> PullId:
        return PullId(self._here.base.full_name, self._here.pull(files).number)

    def push(self, files: Mapping[str, bytes]) -> str:
        return self._here.push(files)

    def client(self) -> Client:
        return self._here.client(self._token)

    def close(self) -> None:
        """Goes with the test."""


class Live:
    """GitHub itself: a branch and a pull request that are removed afterwards."""

    def __init__(self) -> None:
        self._repository = os.environ["RLBOT_LIVE_REPO"]
        self._root = f"/repos/{self._repository}"
        self._branch = f"rlbot-test-{uuid.uuid4().hex[:12]}"
        self._client = self.client()
        self._pull: int | None = None
        self._head = ""

    def client(self) -> Client:
        return client_of(Secret(os.environ["GITHUB_TOKEN"]))

    def open(self, files: Mapping[str, bytes]) -> PullId:
        base = self._client.get(self._root)["default_branch"]
        self._head = self._client.get(f"{self._root}/git/ref/heads/{base}")["object"]["sha"]
        made = {"ref": f"refs/heads/{self._branch}", "sha": self._head}
        self._client.write("POST", f"{self._root}/git/refs", made)
        self.push(files)
        asked = {"title": "A test of rlbot", "head": self._branch, "base": base, "body": ""}
        self._pull = self._client.write("POST", f"{self._root}/pulls", asked)["number"]
        return PullId(self._repository, self._pull)

    def push(self, files: Mapping[str, bytes]) -> str:
        entries = []
        for path, data in files.items():
            content = {"content": base64.b64encode(data).decode(), "encoding": "base64"}
            blob = self._client.write("POST", f"{self._root}/git/blobs", content)["sha"]
            entries.append({"path": path, "mode": "100644", "type": "blob", "sha": blob})
        parent = self._client.get(f"{self._root}/git/commits/{self._head}")
        tree = {"base_tree": parent["tree"]["sha"], "tree": entries}
        commit = {
            "message": "A test of rlbot",
            "tree": self._client.write("POST", f"{self._root}/git/trees", tree)["sha"],
            "parents": [self._head],
        }
        self._head = self._client.write("POST", f"{self._root}/git/commits", commit)["sha"]
        path = f"{self._root}/git/refs/heads/{self._branch}"
        self._client.write("PATCH", path, {"sha": self._head})
        return self._head

    def close(self) -> None:
        if self._pull is not None:
            path = f"{self._root}/pulls/{self._pull}"
            self._client.write("PATCH", path, {"state": "closed"})
        self._client.write("DELETE", f"{self._root}/git/refs/heads/{self._branch}", {})


def ours(place: Place, pull: PullId) -> list[tuple[str, bool]]:
    """Our comments, oldest first: first line, and whether it is folded away."""
    found = read_pull(place.client(), pull).comments
    return [(c.body.split(".", 1)[0], c.hidden) for c in found if c.ours]
