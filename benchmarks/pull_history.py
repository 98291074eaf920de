"""Every pull request of a repository that changes scripts, each under its own configuration.

`python -m benchmarks.pull_history CLONE [--pull N … | --head] [--judge]`: the clone holds the pull
requests as `refs/pull/N/head` (`git fetch origin 'refs/pull/*/head:refs/pull/*/head'`). What one
changes since it left the main branch is read from git's objects; nothing is checked out or run.
Prints each error, and the counts per rule. With `--judge`, Hydra itself composes the launches on
the configuration of the same commit, and each difference is printed: a launch that only one of the
two refuses for a setting. `--head` reads every script of the commit that the clone's HEAD is.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import chdir
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

from bot.base.errors import UserError
from bot.check.read import read_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_read
from bot.frameworks import Checkout, counts
from bot.frameworks.plan import Plan
from bot.report import Finding

CONFIG = "verl/trainer/config"
KEYS = frozenset(("RLB020", "RLB021", "RLB022", "RLB024", "RLB029"))
"""Rules that say what Hydra refuses."""


class Objects:
    """The objects of a clone."""

    def __init__(self, clone: Path) -> None:
        self._git = ["git", "-C", str(clone)]
        reader = subprocess.Popen(
            [*self._git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._asked, self._answers = (
            cast("IO[bytes]", reader.stdin),
            cast("IO[bytes]", reader.stdout),
        )

    def lines(self, *arguments: str) -> list[str]:
        """What a command prints; nothing when it fails."""
        done = subprocess.run([*self._git, *arguments], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "surrogateescape").splitlines()

    @lru_cache(maxsize=20_000)  # noqa: B019 - one object for the whole run
    def blob(self, name: str) -> bytes:
        """The content of a file."""
        self._asked.write(name.encode() + b"\n")
        self._asked.flush()
        size = int(self._answers.readline().split()[2])
        return self._answers.read(size + 1)[:-1]

    def tree(self, commit: str) -> dict[str, str]:
        """Path to blob of the regular files of a commit."""
        listed = (line.partition("\t") for line in self.lines("ls-tree", "-r", commit))
        files = ((head.split(), path) for head, _, path in listed)
        return {path: head[2] for head, path in files if head[0] in ("100644", "100755")}

    def pulls(self) -> list[int]:
        """The numbers of all pull requests."""
        refs = self.lines("for-each-ref", "--format=%(refname)", "refs/pull")
        return sorted(int(ref.split("/")[2]) for ref in refs if ref.endswith("/head"))


class Files(Mapping[str, bytes]):
    """The files of a commit that say which configuration counts, read on use."""

    def __init__(self, objects: Objects, names: Mapping[str, str]) -> None:
        self._objects = objects
        self.names = {path: name for path, name in names.items() if counts(path)}

    def __getitem__(self, path: str) -> bytes:
        return self._objects.blob(self.names[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


class Judge:
    """Hydra, on the configurations of a commit."""

    def __init__(self) -> None:
        self._answers: dict[object, str] = {}
        self._folder = TemporaryDirectory()
        self._written: object = None

    def refusal(self, files: Files, own: str, root: str, overrides: tuple[str, ...]) -> str:
        """Why Hydra refuses the overrides on the folder `own`; "" when it takes them."""
        held = {path: name for path, name in files.names.items() if path.endswith(".yaml")}
        commit = tuple(sorted(held.items()))
        key = (commit, own, root, overrides)
        if key not in self._answers:
            if self._written != commit:
                self._folder = TemporaryDirectory()
                for path in held:
                    place = Path(self._folder.name, path)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(files[path])
                self._written = commit
            place = Path(self._folder.name, own)
            # A search path is relative to where the launch is made: at the root of a copy of verl.
            roots = (folder for folder in place.parents if (folder / CONFIG).is_dir())
            with chdir(next(roots, place)):
                self._answers[key] = composed(str(place), root, overrides)
        return self._answers[key]


def composed(folder: str, root: str, overrides: tuple[str, ...]) -> str:
    """Why Hydra refuses the overrides on a folder of configurations; "" when it takes them."""
    from hydra import compose, initialize_config_dir

    try:
        with initialize_config_dir(config_dir=folder, version_base=None):
            compose(root, overrides=list(overrides))
    except Exception as error:
        return " ".join(str(error).split())[:200] or type(error).__name__
    return ""


class History:
    """What was counted."""

    def __init__(self, clone: Path, main_branch: str, judge: Judge | None) -> None:
        self._objects = Objects(clone)
        self._main = main_branch
        self._judge = judge
        self._seen: set[tuple[str, str]] = set()
        self.total: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()

    def pulls(self) -> list[int]:
        """The numbers of all pull requests."""
        return self._objects.pulls()

    def read(self, number: int) -> None:
        """Check what a pull request changes; each content of a path once."""
        head = f"refs/pull/{number}/head"
        base = self._objects.lines("merge-base", self._main, head)
        wanted = ("--name-only", "--diff-filter=AM", "--no-renames", *base, head, "--", "*.sh")
        changed = self._objects.lines("diff", *wanted) if base else []
        if not changed:
            return
        self.total["pull requests that change scripts"] += 1
        names = self._objects.tree(head)
        files = Files(self._objects, names)
        for path in changed:
            if path in names and (path, names[path]) not in self._seen:
                self._seen.add((path, names[path]))
                script = ScriptFile(path=path, data=self._objects.blob(names[path]))
                self._check(f"#{number} {path}", script, files)

    def read_head(self) -> None:
        """Check every script of the commit that HEAD is."""
        names = self._objects.tree("HEAD")
        files = Files(self._objects, names)
        for path in sorted(names):
            if path.endswith(".sh"):
                script = ScriptFile(path=path, data=self._objects.blob(names[path]))
                self._check(path, script, files)

    def _check(self, place: str, script: ScriptFile, files: Files) -> None:
        self.total["versions of scripts"] += 1
        options = CheckOptions(evidence="off", place=InCheckout(Checkout(files)))
        try:
            context = read_script(script, options)
            report = check_read(script, context, options).report
        except UserError as refusal:
            self.total["not readable"] += 1
            print(f"{place}: {refusal}")
            return
        errors = [found for found in report.findings if found.severity == "error"]
        self.total["launches"] += len(context.plans)
        self.total["launches without settings"] += sum(p.table is None for p in context.plans)
        self.total["versions with an error"] += bool(errors)
        self.rules.update(f"{found.id} {found.slug}" for found in errors)
        for found in errors:
            print(f"{place}:{found.line}: {found.id} {found.message}")
        if self._judge is None:
            return
        for plan in context.plans:
            self._ask(self._judge, place, files, plan, errors)

    def _ask(
        self, judge: Judge, place: str, files: Files, plan: Plan, errors: list[Finding]
    ) -> None:
        words = [*(s.word for s in plan.settings), *(b.word for b in plan.bad_arguments)]
        if plan.table is None or plan.configuration.source != "tree":
            return
        own = getattr(plan.configuration.reason, "values", {}).get("path", CONFIG)
        root = plan.table.root
        searched = [word.text for word in words if "hydra.searchpath" in word.text]
        if (
            f"{own}/{root}.yaml" not in files
            or searched
            or b"pkg://" in files[f"{own}/{root}.yaml"]
        ):
            return  # Hydra would look for packages of that name.
        known = tuple(w.text for w in words if w.complete and not w.text.startswith("-"))
        self.total["launches put to Hydra"] += 1
        refused = judge.refusal(files, own, root, known)
        ours = [found for found in errors if found.id in KEYS]
        if bool(refused) != bool(ours) and not (ours and len(known) < len(words)):
            self.total["launches on which Hydra differs"] += 1
            print(f"{place}: DIFFERS: Hydra: {refused or 'takes it'}")


def main() -> int:
    """Read, print; returns 1 where Hydra says otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--pull", type=int, action="append", help="only this one; repeatable")
    parser.add_argument("--head", action="store_true", help="every script of HEAD instead")
    parser.add_argument("--judge", action="store_true", help="ask Hydra as well")
    parser.add_argument("--main", default="HEAD", help="the main branch (default: HEAD)")
    arguments = parser.parse_args()
    judge = Judge() if arguments.judge else None
    history = History(arguments.clone, arguments.main, judge)
    if arguments.head:
        history.read_head()
    for number in [] if arguments.head else arguments.pull or history.pulls():
        history.read(number)
    print()
    for name, count in (*history.total.items(), *sorted(history.rules.items())):
        print(f"{count:>7,} {name}")
    return int(history.total["launches on which Hydra differs"] > 0)


if __name__ == "__main__":
    sys.exit(main())
