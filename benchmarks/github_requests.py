"""Requests to GitHub for one check of a pull request: `python -m benchmarks.github_requests`.

A server over real git repositories stands in for GitHub (`tests/github`). Reads are counted apart
from writes. What was asked more than once is named: the comments before and after something is
written, since other runs may write too; the files once for each 100.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from bot.github.client import Client
from bot.github.pull import PullId
from bot.github.remote import read_change
from bot.review.pull import answer_pull
from tests.github.server import Server
from tests.github.world import BROKEN, GOOD, SCRIPT, asked, world

PULL = PullId("verl-project/verl", 1)
TREE = {
    "verl/trainer/config/ppo_trainer.yaml": "actor_rollout_ref: {}\n",
    **{f"verl/trainer/config/actor/{n}.yaml": f"number: {n}\n" for n in range(60)},
}


def _scripts(number: int, more: bytes = b"") -> dict[str, bytes]:
    if number == 1:
        return {SCRIPT: GOOD + more}
    return {SCRIPT.replace("2_h800", f"{n}_h800"): GOOD + more for n in range(1, number + 1)}


def _measured(name: str, client: Client) -> tuple[int, int]:
    answer_pull(read_change(client, PULL), asked())
    writes = sum(sent.write for sent in client.log)
    reads = len(client.log) - writes
    twice = [p for p, n in Counter(s.path for s in client.log if not s.write).items() if n > 1]
    again = f", more than once: {', '.join(twice)}" if twice else ""
    print(f"{name:<58} {reads:>3} reads {writes:>3} writes{again}")
    return reads, writes


def measure(base: Mapping[str, str], label: str) -> dict[str, tuple[int, int]]:
    """Reads and writes of several pull requests against a repository with these files."""
    found: dict[str, tuple[int, int]] = {}
    changes: dict[str, Mapping[str, bytes | str]] = {
        "no script": {"README.md": "word\n"},
        "one script": _scripts(1),
        "one script among 250 files": _scripts(1) | {f"a/{n}": b"x" for n in range(249)},
        "twenty scripts": _scripts(20),
    }
    for name, files in changes.items():
        with tempfile.TemporaryDirectory() as folder, Server(Path(folder) / "github") as server:
            here = world(server, base)
            here.pull(files)
            token = here.store.workflow_token(here.base)
            found[name] = _measured(f"{label}, {name}", here.client(token))
            if name == "one script":
                _measured(f"{label}, {name}, again", here.client(token))
                here.push(_scripts(1, b"# more\n"))
                _measured(f"{label}, {name}, same verdict", here.client(token))
                here.push({SCRIPT: BROKEN})
                _measured(f"{label}, {name}, other verdict", here.client(token))
    return found


def main() -> None:
    """Print the table."""
    measure({}, "a repository")
    measure(TREE, "verl itself")


if __name__ == "__main__":
    main()
