"""Write the tables of a framework's settings from its released packages.

A maintainer runs this when a release appears; the result is a new file (verl) or the new release
in the file of all releases (the others), which is all that the program needs to know it:

    python schemas/frameworks/generate.py --download verl==0.9.1 openrlhf==0.11.2
    python schemas/frameworks/generate.py --wheel verl-0.9.1-py3-none-any.whl
    python schemas/frameworks/generate.py --wheel trl-….whl --beside transformers-….whl …
    python schemas/frameworks/generate.py --open-instruct CHECKOUT --month 2026.8 --commit SHA

Nothing of a package is imported or run. verl's settings are the YAML files of the wheel, composed
by hydra-core as verl itself would (`bot/frameworks/hydra/compose.py`); OpenRLHF's are the
`add_argument` calls of its sources (`bot/frameworks/python/argparse_options.py`), TRL's and
open-instruct's the fields of their dataclasses (`dataclass_options.py`), read with `ast`. Format of
a file of verl, `verl/<release>.json`:

- `kind`: "hydra"; `source`: the package's file name and SHA-256;
- `entries`: module that is started → root configuration that it uses;
- `classes`: class that `_target_` of a section names → the fields that it takes beside those that
  each such section has (since 0.6.0);
- `groups` (configuration group → options), `pool` (mappings that occur more than once, each once;
  `{"=": 3}` stands for the fourth, `{"=": 3, "lr": 1}` for that with another or a further `lr`),
  and `roots`: name → `tree` (the composed configuration;
  mappings are objects, `???` is a mandatory value, `${…}` refers to another setting), `choices`
  (group key → default option) and `alternatives` (group key → other option → the `tree` and
  `choices` with that option alone, null when Hydra refuses it).

`bot/frameworks/settings/timeline.py` describes the file of the others,
`<framework>/options.json`. The types of an option: "int", "float", "str", "any"; with a question
mark the word none is taken too; "bool" takes a word such as true; "flag" (switches on) and "off"
(switches off) take no value. Arity is "", "0", "?", "*", "+" or a count; "?true" is "?" that is
True where it is given without a value.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from dataclass_releases import open_instruct_release, texts_of, trl_release
from options_file import fold

from bot.frameworks.files.config_files import ComposeError, ConfigLimits
from bot.frameworks.hydra.compose import Composer, groups_of
from bot.frameworks.python.argparse_options import options_of
from bot.frameworks.repository.verl_copies import VerlCopies
from bot.frameworks.settings.releases import release_key
from bot.frameworks.settings.timeline import Modules, Timeline

Tree: TypeAlias = dict[str, Any]
WORKERS = ("actor", "rollout", "model")
"""The sections below `actor_rollout_ref` that verl makes objects of."""

HERE = Path(__file__).resolve().parent
SHARED = "="


# Hydra


def hydra_entries(package: Path) -> dict[str, tuple[Path, str]]:
    """Module → (folder of its configuration, root), from the `@hydra.main(…)` of its sources."""
    entries: dict[str, tuple[Path, str]] = {}
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "hydra.main" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "hydra.main"):
                continue
            given = {
                keyword.arg: keyword.value.value
                for keyword in node.keywords
                if isinstance(keyword.value, ast.Constant)
            }
            if isinstance(given.get("config_path"), str) and given.get("config_name"):
                module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
                folder = (path.parent / str(given["config_path"])).resolve()
                entries[module] = (folder, str(given["config_name"]))
    return entries


def roots_of(folder: Path, named: Iterable[str]) -> list[str]:
    """The root configurations of a folder: those that a module names, and every other trainer."""
    wanted = set(named)
    return sorted(
        path.stem
        for path in folder.glob("*.yaml")
        if path.stem in wanted or (path.stem.endswith("_trainer") and path.stem[0] != "_")
    )


def files_of(folder: Path) -> dict[str, bytes]:
    """The configuration files of a folder: path relative to it → content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.yaml")
    }


def share(roots: Mapping[str, Tree]) -> tuple[dict[str, Tree], list[Tree]]:
    """The roots with every mapping that occurs twice or more replaced by its number in the pool.

    One that differs little from a mapping in the pool becomes that one's number and the difference.
    """
    seen: Counter[str] = Counter()

    def count(node: Any) -> Any:
        if isinstance(node, dict) and node:
            text = json.dumps(node, sort_keys=True)
            seen[text] += 1
            if seen[text] == 1:
                for below in node.values():
                    count(below)
        return node

    pool: list[Tree] = []
    whole: list[Tree] = []
    numbers: dict[str, int] = {}

    def replace(node: Any) -> Any:
        if not isinstance(node, dict) or not node:
            return node
        text = json.dumps(node, sort_keys=True)
        if text in numbers:
            return {SHARED: numbers[text]}
        plain = {name: replace(below) for name, below in node.items()}
        packed = shortest(plain, whole)
        if seen[text] < 2 or len(text) < 12:
            return packed
        numbers[text] = len(pool)
        pool.append(packed)
        whole.append(plain)
        return {SHARED: numbers[text]}

    for root in roots.values():
        _changed(root, count)
    return {name: _changed(root, replace) for name, root in roots.items()}, pool


def shortest(node: Tree, bases: Sequence[Tree]) -> Tree:
    """A mapping as it is, or as the number of one whose keys it begins with, and what differs."""
    ways = [node]
    for at, base in enumerate(bases):
        if list({**base, **node}) == list(node):
            same = {name for name, value in base.items() if line(value) == line(node[name])}
            rest = {name: value for name, value in node.items() if name not in same}
            ways.append({SHARED: at, **rest})
    return min(ways, key=lambda way: len(line(way)))


def _changed(root: Tree, change: Callable[[Any], Any]) -> Tree:
    """A root with `change` applied to its tree and choices and to those of its alternatives."""

    def both(composed: Tree) -> Tree:
        return {"tree": change(composed["tree"]), "choices": change(composed["choices"])}

    return {
        **both(root),  # First: most of what its alternatives hold differs little from it.
        "alternatives": {
            key: {option: composed and both(composed) for option, composed in options.items()}
            for key, options in root["alternatives"].items()
        },
    }


def with_alternatives(composer: Composer, root: str) -> Tree:
    """One root with every choice of a group that differs from the default, one at a time.

    `{"tree", "choices", "alternatives": {group key: {option: {"tree", "choices"} or None}}}`,
    None where Hydra refuses the option. Raises `ComposeError` when it refuses the default.
    """
    tree, choices = composer.compose(root, {})
    groups = composer.groups()
    alternatives: dict[str, dict[str, Tree | None]] = {}
    for key, default in sorted(choices.items()):
        for option in groups.get(key.split("@")[0], ()):
            if option != default:
                alternatives.setdefault(key, {})[option] = alternative(composer, root, key, option)
    return {"tree": tree, "choices": choices, "alternatives": alternatives}


def alternative(composer: Composer, root: str, key: str, option: str) -> Tree | None:
    """The root with one choice other than the default; None when Hydra refuses it."""
    try:
        tree, choices = composer.compose(root, {key: option})
    except ComposeError:
        return None
    return {"tree": tree, "choices": choices}


def hydra_release(package: Path) -> Tree:
    """The tables of an unpacked package whose modules start with `@hydra.main`."""
    entries = hydra_entries(package)
    main = package / "trainer" / "config"
    folders = sorted({folder for folder, _ in entries.values() if folder.is_dir()})
    roots: dict[str, Tree] = {}
    for folder in folders:
        search = [] if folder == main else [files_of(main)]
        composer = Composer(files_of(folder), *search, limits=ConfigLimits(all_nodes=1 << 40))
        for root in roots_of(folder, [name for at, name in entries.values() if at == folder]):
            try:
                roots[root] = with_alternatives(composer, root)
            except ComposeError as error:
                sys.stderr.write(f"  {root} left out: {error}\n")
    classes = classes_of(package, roots)
    packed, pool = share(roots)
    return {
        "kind": "hydra",
        "entries": {m: root for m, (_, root) in sorted(entries.items()) if root in roots},
        "groups": groups_of(files_of(folder) for folder in folders),
        **({"classes": classes} if classes else {}),
        "roots": packed,
        "pool": pool,
    }


def classes_of(package: Path, roots: Mapping[str, Tree]) -> dict[str, list[str]]:
    """The fields of the classes that sections become objects of, by the classes' names.

    Without those that are in every such section; empty for a release whose workers make no object
    of a section as a whole.
    """
    made = package / "workers" / "fsdp_workers.py", package / "workers" / "engine_workers.py"
    texts = [path.read_text(encoding="utf-8") for path in made if path.is_file()]
    if not any("omega_conf_to_dataclass(self.config.rollout" in text for text in texts):
        return {}
    every = sorted(package.rglob("*"))
    suffixes = (".py", ".yaml")
    files = {
        path.relative_to(package.parent).as_posix(): path.read_bytes()
        for path in every
        if path.suffix in suffixes
    }
    copies = VerlCopies(files)
    held: dict[str, set[str]] = {}
    for tree in _trees(roots):
        workers = tree.get("actor_rollout_ref")
        sections = [workers.get(one) for one in WORKERS] if isinstance(workers, dict) else []
        for target, keys in _targets([*sections, tree.get("critic")]):
            held[target] = held.get(target, keys) & keys
    fields = {target: copies.fields("run.sh", target) for target in sorted(held)}
    return {
        target.rpartition(".")[2]: sorted(found - held[target])
        for target, found in fields.items()
        if found is not None and not target.startswith("verl.utils.")
    }


def _trees(node: Mapping[str, Any]) -> Iterator[Tree]:
    """Every composed configuration of the roots and of their alternatives."""
    for name, below in node.items():
        if name == "tree":
            yield below
        elif isinstance(below, dict):
            yield from _trees(below)


def _targets(nodes: Iterable[object]) -> Iterator[tuple[str, set[str]]]:
    """What `_target_` of sections and of those below names, and the section's keys."""
    for node in nodes:
        if isinstance(node, dict):
            if isinstance(target := node.get("_target_"), str):
                yield target, set(node)
            yield from _targets(node.values())


# argparse


def argparse_release(package: Path) -> Tree:
    """The tables of an unpacked package whose command-line modules lie in `cli/`."""
    roots: dict[str, Tree] = {}
    for path in sorted((package / "cli").glob("*.py")):
        options = options_of(path.read_text(encoding="utf-8"))
        if options:
            roots[f"{package.name}.cli.{path.stem}"] = dict(sorted(options.items()))
    return {"kind": "argparse", "entries": {root: root for root in roots}, "roots": roots}


# Packages

READERS = {"verl": hydra_release, "openrlhf": argparse_release}
LAUNCHER = "accelerate.commands.launch"
"""Its options are taken by `trl NAME` too, beside those of the script."""


def named(path: Path) -> str:
    """A package's file name and digest."""
    return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def read_trl(wheel: Path, beside: Sequence[Path]) -> Tree:
    """The table of a TRL wheel, with the transformers and accelerate wheels that it works with."""
    parts = {path.name.split("-")[0]: path for path in beside}
    data = trl_release(wheel, parts["transformers"])
    launch = texts_of(parts["accelerate"], ("accelerate/commands/launch.py",))
    # `trl NAME --accelerate_config zero2` names a preset of TRL's, or a file.
    preset = {"accelerate_config": ["accelerate_config", "str", "", None, None]}
    options = preset | options_of(*launch.values())
    data["roots"][LAUNCHER] = dict(sorted(options.items()))
    source = "; ".join(named(path) for path in (wheel, parts["transformers"], parts["accelerate"]))
    return {"framework": "trl", "version": wheel.name.split("-")[1], "source": source, **data}


def read_wheel(wheel: Path, beside: Sequence[Path] = ()) -> Tree:
    """The tables of a wheel, unpacked into a temporary folder as data."""
    if wheel.name.startswith("trl-"):
        return read_trl(wheel, beside)
    found = re.match(r"([a-z0-9_]+)-([^-]+)-", wheel.name)
    if found is None or found[1] not in READERS:
        raise SystemExit(f"{wheel.name} is no wheel of {' or '.join(READERS)}")
    framework, version = found[1], found[2]
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        base = Path(folder).resolve()
        for member in archive.infolist():
            # A wheel may keep pure Python files under <name>.data/purelib/.
            pattern = rf"(?:[^/]+\.data/purelib/)?({framework}/.*\.(?:py|yaml))\Z"
            inside = re.match(pattern, member.filename)
            if inside and ".." not in inside[1].split("/"):
                target = base / inside[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(member))
        data = READERS[framework](base / framework)
    return {"framework": framework, "version": version, "source": named(wheel), **data}


def line(value: object) -> str:
    """JSON in one line, as short as it can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def dump(data: Mapping[str, Any]) -> str:
    """JSON with one line for each root, shared mapping or option, so that changes can be read."""
    parts = []
    for name, value in data.items():
        if name in ("roots", "releases", "classes"):
            rows = ",\n".join(f"  {line(root)}: {line(found)}" for root, found in value.items())
            parts.append(f"{line(name)}: {{\n{rows}\n}}")
        elif name in ("pool", "modules", "options"):
            rows = ",\n".join(f"  {line(node)}" for node in value)
            parts.append(f"{line(name)}: [\n{rows}\n]")
        else:
            parts.append(f"{line(name)}: {line(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write(tables: Sequence[Tree], out: Path) -> list[Path]:
    """Write the tables of some releases, those of options into the file of all releases."""
    paths: dict[Path, str] = {}
    folded: dict[str, list[Tree]] = {}
    for data in tables:
        if data["kind"] == "argparse":
            folded.setdefault(data["framework"], []).append(data)
        else:
            paths[out / data["framework"] / f"{data['version']}.json"] = dump(data)
    for framework, added in folded.items():
        for file, part in (("options", "roots"), ("trainers", "trainers")):
            if all(part in data for data in added):
                path = out / framework / f"{file}.json"
                paths[path] = dump(with_releases(path, added, part))
    for path, text in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(paths)


def with_releases(path: Path, added: Sequence[Tree], part: str) -> Tree:
    """A file of all releases with some more, of which one part of each table counts."""
    sources: dict[str, str] = {}
    each: dict[str, Modules] = {}
    if path.is_file():
        known = Timeline(json.loads(path.read_bytes()))
        sources = dict(known.sources)
        each = {release: known.modules(release) for release in known.releases}
    for data in added:
        sources[data["version"]] = data["source"]
        each[data["version"]] = data[part]
    ordered = {release: sources[release] for release in sorted(sources, key=release_key)}
    return fold(added[0]["framework"], ordered, each, dashed="dashed" in added[0])


def download(requirement: str, folder: Path) -> Path:
    """The wheel of "verl==0.9.1", from the package index that pip is configured for."""
    before = set(folder.glob("*.whl"))
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command = [*pip, "--only-binary", ":all:", "--dest", str(folder), requirement]
    subprocess.run(command, check=True)  # noqa: S603
    (wheel,) = set(folder.glob("*.whl")) - before
    return wheel


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--wheel", type=Path, nargs="*", default=[], help="wheels on this machine")
    parser.add_argument("--download", nargs="*", default=[], help="such as verl==0.9.1")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="wheels that trl needs")
    parser.add_argument("--open-instruct", type=Path, help="a checkout of open-instruct")
    parser.add_argument("--month", help="of the checkout's commit, such as 2026.8")
    parser.add_argument("--commit", help="of the checkout")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the tables")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheels = [*given.wheel, *(download(name, Path(folder)) for name in given.download)]
        tables = [read_wheel(wheel, given.beside) for wheel in wheels]
        if given.open_instruct:
            source = f"https://github.com/allenai/open-instruct commit {given.commit}"
            head = {"framework": "open-instruct", "version": given.month, "source": source}
            tables.append({**head, **open_instruct_release(given.open_instruct)})
        for path in write(tables, given.out):
            sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
