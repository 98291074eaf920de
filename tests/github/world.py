"""A small world on the stand-in: verl's repository, a contributor's fork, a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.base.config import Config
from bot.base.secrets import Secret
from bot.check.request import CheckOptions
from bot.github.addresses import Addresses
from bot.github.client import Client, Patience
from bot.review.check import CheckRequest
from tests.github.objects import Link
from tests.github.server import Server
from tests.github.store import FULL, Pull, Repository, Store

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
OTHER = "examples/tuning/32b/qwen2.5-32b_grpo_8_h20_megatron_vllm.sh"
PAGE = "docs/perf/device_tuning.rst"
GOOD = (ROOT / SCRIPT).read_bytes()
BROKEN = GOOD.replace(b"data.train_batch_size", b"data.train_batch_sizes")
assert BROKEN != GOOD

QUICK = Patience(between_writes=0, first_pause=0.001, longest_wait=1.0, timeout=30)
"""For tests: nothing waits."""


@dataclass
class World:
    server: Server
    base: Repository
    fork: Repository

    @property
    def store(self) -> Store:
        return self.server.store

    def client(
        self,
        token: str | None = None,
        *,
        patience: Patience = QUICK,
        permissions: Mapping[str, str] = FULL,
    ) -> Client:
        """A client with a token of a workflow, or another."""
        from github import Auth

        text = token or self.store.workflow_token(self.base, permissions)
        addresses = Addresses.of(self.server.environment())
        return Client(Auth.Token(text), addresses, patience, secrets=(Secret(text),))

    def pull(
        self,
        files: Mapping[str, bytes | str | Link | None],
        *,
        branch: str = "tuning",
        body: str = "",
        title: str = "Add a tuning script",
    ) -> Pull:
        """A pull request from the fork."""
        self.push(files, branch=branch)
        return self.store.pull(self.base, self.fork, branch, body=body, title=title)

    def push(
        self, files: Mapping[str, bytes | str | Link | None], *, branch: str = "tuning"
    ) -> str:
        """One more commit on the contributor's branch."""
        return self.fork.commit(branch, files, start=self.base.head("main"))

    def requests(self, start: int = 0) -> list[str]:
        """What was asked since, reads and writes."""
        return [f"{call.method} {call.path}" for call in self.store.calls[start:]]


def asked(**runs: Path) -> CheckRequest:
    """What the front ends ask for, without runs from the network."""
    return CheckRequest(
        options=lambda config: CheckOptions(config=config, evidence="required"),
        runs=lambda scripts, _options: {path: runs[path] for path in scripts if path in runs},
    )


def world(server: Server, base_files: Mapping[str, bytes | str | None] | None = None) -> World:
    """The repository with the documentation page, and a fork of it."""
    store = server.store
    base = store.repository("verl-project/verl")
    base.collaborators |= {"maintainer": "maintain", "triager": "triage", "writer": "write"}
    for login in base.collaborators:
        store.account(login)
    files = {PAGE: (ROOT / PAGE).read_bytes(), "README.md": "# verl\n", **(base_files or {})}
    base.commit("main", files, author="Maintainer <maintainer@users.noreply.github.com>")
    fork = store.fork(base, "ada-l")
    return World(server, base, fork)


__all__ = ["Config", "World", "asked", "world"]
