"""Judge the tables on real scripts; for developers, not part of the test suite.

    python -m tests.frameworks.corpus --wheel verl-0.9.1-py3-none-any.whl DIR…
    python -m tests.frameworks.corpus --checkout verl DIR…
    python -m tests.frameworks.corpus --openrlhf CLONE [--tag v0.9.10 …]

The first two read every `*.sh` below the folders, take the configuration of each verl wheel or
checkout, and compare the verdict on each override with Hydra's: the configuration and its group
choices are composed by `hydra.compose`, and Hydra applies each of the other overrides to it, one
after the other, a refused one leaving no trace. The third takes the example scripts of each tagged
release out of a clone of OpenRLHF and compares the verdict on each launch with argparse's, whose
parser is made of the `add_argument` calls in the sources of the same tag. Nothing of a script,
wheel, checkout or clone is run. Values that are not known are replaced by 1. The exit status is 1
when a judge disagrees.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import io
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bot.frameworks import plans, read_tree
from bot.frameworks.plan import Plan
from bot.frameworks.python import argparse_options
from bot.frameworks.settings.releases import releases
from bot.frameworks.verl.verl import Verl
from bot.shell import read
from bot.shell.words import Reading, Word

PLACEHOLDER = "1"


@dataclass
class Figures:
    """Counts of one judgement."""

    scripts: int = 0
    launches: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Launches that were not judged, by reason."""
    agreed: int = 0
    undecided: int = 0
    refused: int = 0
    """Of those agreed on, how many both refuse."""
    disagreed: list[str] = field(default_factory=list)

    def add(self, ours: bool | None, judge: bool, what: str) -> None:
        """Count one verdict."""
        if ours is None:
            self.undecided += 1
        elif ours == judge:
            self.agreed += 1
            self.refused += not judge
        else:
            says = "accepted, the judge refuses" if ours else "refused, the judge accepts"
            self.disagreed.append(f"{what}: {says}")

    def show(self, title: str) -> bool:
        """Print the figures; true when nothing disagrees."""
        judged = self.agreed + len(self.disagreed)
        share = self.agreed / judged if judged else 1.0
        sys.stdout.write(
            f"{title}: {self.scripts} scripts, {self.launches} launches; {judged} verdicts, "
            f"{self.agreed} agree ({share:.4%}; both refuse {self.refused}), "
            f"{len(self.disagreed)} disagree, {self.undecided} undecided\n"
        )
        for reason, count in self.skipped.most_common():
            sys.stdout.write(f"  not judged: {count} × {reason}\n")
        for line, count in Counter(self.disagreed).most_common():
            sys.stdout.write(f"  {count} × {line}\n")
        return not self.disagreed


def text_of(word: Word) -> str:
    """The word with a placeholder for what is not known."""
    return "".join(
        piece.text if isinstance(piece.text, str) else PLACEHOLDER for piece in word.pieces
    )


# verl


def unpacked(wheel: Path, folder: Path) -> Path:
    """The configuration files of a wheel, below `folder`."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith("verl/") and name.endswith(".yaml") and ".." not in name:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(archive.read(name))
    return folder / "verl"


class Hydra:
    """Hydra's verdicts for the configuration of one wheel."""

    def __init__(self, package: Path) -> None:
        self.main = package / "trainer" / "config"
        self.folders = [self.main, *(p for p in package.rglob("config") if p != self.main)]
        self.composed = cache(self._compose)

    def folder_of(self, root: str) -> Path:
        """The folder that a root configuration lies in."""
        return next(folder for folder in self.folders if (folder / f"{root}.yaml").is_file())

    def _compose(self, root: str, groups: tuple[str, ...]) -> Any:
        """The configuration under some group choices; None when Hydra refuses it."""
        from hydra import compose, initialize_config_dir

        search = [f"hydra.searchpath=[file://{self.main}]"]
        with (
            warnings.catch_warnings(action="ignore"),
            initialize_config_dir(config_dir=str(self.folder_of(root)), version_base=None),
        ):
            try:
                return compose(config_name=root, overrides=[*search, *groups])
            except Exception:  # of Hydra, OmegaConf and what they let through: all refuse
                return None

    def verdicts(self, root: str, texts: Sequence[str]) -> list[bool]:
        """Whether Hydra takes each override: group choices first, then the others in order."""
        from hydra._internal.config_loader_impl import ConfigLoaderImpl
        from hydra.core.override_parser.overrides_parser import OverridesParser

        parser = OverridesParser.create()
        results: dict[int, bool] = {}
        others: list[tuple[int, Any]] = []
        groups: list[str] = []
        for at, text in enumerate(texts):
            try:
                parsed = parser.parse_override(text)
            except Exception:  # its grammar has several exceptions: all refuse
                results[at] = False
                continue
            if parsed.is_sweep_override():
                results[at] = False
            elif parsed.key_or_group == "hydra" or parsed.key_or_group.startswith("hydra."):
                results[at] = True
            elif self._is_group(root, parsed):
                results[at] = self.composed(root, (*groups, text)) is not None
                groups += [text] if results[at] else []
            else:
                others.append((at, parsed))
        composed = self.composed(root, tuple(groups))
        config = copy.deepcopy(composed)
        taken: list[Any] = []
        for at, parsed in others:
            try:
                ConfigLoaderImpl._apply_overrides_to_config([parsed], config)
                taken.append(parsed)
                results[at] = True
            except Exception:  # as above; what it changed before it refused is undone
                results[at] = False
                config = copy.deepcopy(composed)
                ConfigLoaderImpl._apply_overrides_to_config(taken, config)
        return [results[at] for at in range(len(texts))]

    def _is_group(self, root: str, parsed: Any) -> bool:
        """As Hydra decides it: a folder of that name, unless the value is a mapping."""
        if isinstance(parsed.value(), dict):
            return parsed.package is not None
        places = (self.folder_of(root), self.main)
        there = any((place / parsed.key_or_group).is_dir() for place in places)
        return there or parsed.package is not None or "/" in parsed.key_or_group


def judge_wheel(wheel: Path, scripts: Iterable[Path]) -> Figures:
    """Every launch of verl in the scripts, as for the release of the wheel."""
    version = wheel.name.split("-")[1]
    with tempfile.TemporaryDirectory() as folder:
        hydra = Hydra(unpacked(wheel, Path(folder)))
        return _judge_verl(
            hydra, scripts, lambda reading: plans(reading, versions={"verl": version})
        )


def judge_checkout(checkout: Path, scripts: Iterable[Path]) -> Figures:
    """Every launch of verl in the scripts, as for the configuration of a checkout."""
    tree = read_tree(checkout)
    hydra = Hydra(checkout / "verl")
    return _judge_verl(hydra, scripts, lambda reading: plans(reading, trees={"verl": tree}))


def _judge_verl(
    hydra: Hydra, scripts: Iterable[Path], plans_of: Callable[[Reading], Iterable[Plan]]
) -> Figures:
    figures = Figures()
    for path in scripts:
        figures.scripts += 1
        for plan in plans_of(read(path.read_bytes(), path.name)):
            if plan.framework == Verl.name:
                _judge_launch(plan, path, hydra, figures)
    return figures


def _judge_launch(plan: Plan, path: Path, hydra: Hydra, figures: Figures) -> None:
    if plan.table is None:
        figures.skipped["its configuration is not in the package"] += 1
        return
    if any(setting.key == "hydra.searchpath" for setting in plan.settings):
        figures.skipped["hydra.searchpath adds configuration of its own"] += 1
        return
    figures.launches += 1
    ours: list[tuple[bool | None, str, str]] = [
        (verdict.accepted, setting.key, text_of(setting.word))
        for setting, verdict in zip(plan.settings, plan.table.verdicts(plan.settings), strict=True)
    ]
    said = hydra.verdicts(plan.table.root, [text for _, _, text in ours])
    for (accepted, key, text), judged in zip(ours, said, strict=True):
        figures.add(accepted, judged, f"{plan.table.root} {key} ({text[:80]}; {path.name})")
    for bad in plan.bad_arguments:
        text = text_of(bad.word)
        if "=" in text and not text.startswith("-"):
            judged = hydra.verdicts(plan.table.root, [text])[0]
            figures.add(False, judged, f"{plan.table.root} {text[:80]} ({path.name})")


# OpenRLHF


def git(clone: Path, *arguments: str) -> str:
    """The output of git in a clone; empty when it fails."""
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode(
        "utf-8", "replace"
    )


def parser_of(source: str) -> argparse.ArgumentParser:
    """argparse's parser with the options of a module, made of its `add_argument` calls."""
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    for call, names in argparse_options.options_added(
        ast.parse(source).body, {}, iter(range(100_000))
    ):
        given = {word.arg: word.value for word in call.keywords}
        flags = [argparse_options.constant(argument, names) for argument in call.args]
        if not all(isinstance(flag, str) and flag.startswith("-") for flag in flags):
            continue
        options: dict[str, Any] = {}
        for name in ("action", "nargs", "dest", "choices"):
            value = argparse_options.constant(given.get(name), names)
            if value is not None:
                options[name] = value
        kind = (
            {"int": int, "float": float}.get(ast.unparse(given["type"]), str)
            if ("type" in given)
            else str
        )
        if options.get("action", "store") == "store":
            options["type"] = kind
        if "choices" in options:
            options["choices"] = [*options["choices"], kind(PLACEHOLDER)]
        parser.add_argument(*flags, **options)
    return parser


def judge_openrlhf(clone: Path, tags: Sequence[str]) -> Mapping[str, Figures]:
    """The example scripts of each tagged release that has a table."""
    known = releases("openrlhf")
    found: dict[str, Figures] = {}
    for tag in tags or git(clone, "tag", "--sort=version:refname").split():
        version = tag.removeprefix("v")
        if version not in known:
            continue
        figures = found[version] = Figures()
        names = git(clone, "ls-tree", "-r", "--name-only", tag, "examples").split()
        parsers = {
            f"openrlhf.cli.{Path(name).stem}": parser_of(git(clone, "show", f"{tag}:{name}"))
            for name in git(clone, "ls-tree", "--name-only", tag, "openrlhf/cli/").split()
            if name.endswith(".py")
        }
        for name in names:
            if not name.endswith(".sh"):
                continue
            figures.scripts += 1
            reading = read(git(clone, "show", f"{tag}:{name}").encode(), name)
            for plan in plans(reading, versions={"openrlhf": version}):
                _judge_options(plan, name, parsers, figures)
    return found


def _judge_options(
    plan: Plan, name: str, parsers: Mapping[str, argparse.ArgumentParser], figures: Figures
) -> None:
    if plan.table is None or plan.launch.entry not in parsers:
        figures.skipped[f"{plan.launch.entry} is not in the release"] += 1
        return
    figures.launches += 1
    words: list[str] = []
    for word in plan.launch.argv:
        # A word that is not known at all may be any option, unless it follows one as its value.
        if word.text.startswith("${?") and not (words and words[-1].startswith("--")):
            continue
        words.append(text_of(word))
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            parsers[plan.launch.entry].parse_args(words)
            accepted = True
        except SystemExit:
            accepted = False
    ours = not plan.bad_arguments and all(plan.table.verdicts(plan.settings))
    reason = re.sub(r"\s+", " ", said.getvalue().rsplit("error:", 1)[-1]).strip()[:120]
    figures.add(ours, accepted, f"{plan.launch.entry} in {name} ({reason})")


# Command line


def scripts_of(folders: Iterable[Path]) -> Iterator[Path]:
    """Every shell script below the folders."""
    for folder in folders:
        yield from sorted(path for path in folder.rglob("*.sh") if path.is_file())


def main() -> int:
    """Judge what the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="*", help="with scripts of verl")
    parser.add_argument("--wheel", type=Path, action="append", default=[], help="of verl")
    parser.add_argument("--checkout", type=Path, action="append", default=[], help="of verl")
    parser.add_argument("--openrlhf", type=Path, metavar="CLONE", help="a clone of OpenRLHF")
    parser.add_argument("--tag", action="append", default=[], help="of OpenRLHF; else every one")
    given = parser.parse_args()
    good = True
    for wheel in given.wheel:
        for folder in given.folders:
            figures = judge_wheel(wheel, scripts_of([folder]))
            good &= figures.show(f"{wheel.name.rsplit('-', 3)[0]} on {folder.name}")
    for checkout in given.checkout:
        for folder in given.folders:
            figures = judge_checkout(checkout, scripts_of([folder]))
            good &= figures.show(f"the checkout {checkout.name} on {folder.name}")
    if given.openrlhf:
        for version, figures in judge_openrlhf(given.openrlhf, given.tag).items():
            good &= figures.show(f"openrlhf {version}")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
