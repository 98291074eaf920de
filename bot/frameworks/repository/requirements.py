"""The texts of a repository's files that may be requirements of a framework."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from bot.base.regex import regex
from bot.frameworks.python.source import parsed

LOCK: Final = ".lock"
"""How the names of locks end: of uv, Poetry and PDM."""
_LOCKED = regex(r"^version = \"([^\"\n]{1,99})\"$", re.MULTILINE)
_FROM_ELSEWHERE = regex(
    r"^(?:source = \{ (?!registry)|type = \"(?:git|url|directory|file)\"|(?:git|url|path) = )",
    re.MULTILINE,
)
"""What such a lock says of a package that comes from no index."""
_ITEM = regex(r"^[ \t]{0,99}-[ \t]{1,9}[\"']?([^\"'#\n]{1,200})", re.MULTILINE)
"""A package in conda's description of an environment."""
_CONDA = regex(r"^([\w.-]{1,99}) ?=([0-9][^=\n]{0,99})(?:=.{0,99})?$")
"""As conda writes a release, perhaps with a build."""
_MOST_STEPS = 1_000_000
"""Of the standard library's reader, which takes the square of a dotted key's parts."""


def requirements(framework: str, path: str, text: str) -> Iterator[str]:
    """Each text of a file that may be a requirement of a framework: `trl>=0.22` and others."""
    if path.endswith(".toml"):
        return _of_project(framework, text)
    if path.endswith(".py"):
        return _of_program(text)
    if path.endswith(LOCK):
        return _of_lock(framework, text)
    if path.endswith((".yml", ".yaml")):
        return (_CONDA.sub(r"\1==\2", item) for item in _ITEM.findall(text))
    return iter(text.splitlines() if path.endswith((".txt", ".cfg")) else ())


def of_script(package: str, text: str) -> Iterator[str]:
    """The texts in a Python program's own metadata: `# /// script`, by which uv runs it.

    https://packaging.python.org/en/latest/specifications/inline-script-metadata/
    """
    _, opened, rest = f"\n{text}".replace("\r", "").partition("\n# /// script\n")
    block: list[str] = []
    for line in rest.split("\n") if opened else ():
        if line == "# ///":
            yield from _of_project(package, "\n".join(block))
        if line == "# ///" or not f"{line} ".startswith("# "):
            return
        block.append(line[2:])


def _of_program(text: str) -> Iterator[str]:
    """The texts in a `setup.py`."""
    for node in ast.walk(tree) if (tree := parsed(text)) is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _of_project(framework: str, text: str) -> Iterator[str]:
    """The texts in a `pyproject.toml`, or the tag of the repository that uv takes it from."""
    import tomllib  # A plain lint starts 6 ms earlier.

    if sum(line.count(".") ** 2 for line in text.splitlines()) > _MOST_STEPS:
        return
    try:
        project = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    if (tags := _tags_of_sources(framework, project)) is None:
        yield from _texts(project)
    elif len(tags) == 1:
        yield from (f"{framework} @ git@{tag}" for tag in tags)


def _of_lock(framework: str, text: str) -> Iterator[str]:
    """The releases of a framework that a lock takes from an index.

    A folder, an address or a commit has the version that it says of itself.
    """
    for part in f"\n{text}".replace("\r", "").split(f'\nname = "{framework}"\n')[1:]:
        package = part.partition("\n[[")[0]
        version = _LOCKED.search(package)
        if version and not _FROM_ELSEWHERE.search(package):
            yield f"{framework}=={version[1]}"


def _tags_of_sources(framework: str, project: dict[str, Any]) -> set[str] | None:
    """The tags or revisions of the git repositories that uv takes a package from; None for none.

    Whatever release the requirement itself names, this is what is installed, by an extra of the
    project or by all (https://docs.astral.sh/uv/concepts/projects/dependencies/#git).
    """
    found: Any = project
    for key in ("tool", "uv", "sources", framework):
        found = found.get(key) if isinstance(found, dict) else None
    sources = [entry for entry in (found if isinstance(found, list) else [found]) if entry]
    git = [entry for entry in sources if isinstance(entry, dict) and "git" in entry]
    return {str(entry.get("tag") or entry.get("rev")) for entry in git} if git else None


def _texts(project: dict[str, Any]) -> Iterator[str]:
    """Each text in the values of a file, however deep."""
    left: list[Any] = [project]
    while left:
        node = left.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            left.extend(reversed(node.values()))
        elif isinstance(node, list):
            left.extend(reversed(node))
