"""Releases of frameworks that a repository's own files ask for.

A lock, or an exact requirement, names a release. A range leaves several. A version file of a fork
says which release it has left behind, no more: "0.1" means after 0.1. The address of somebody's
fork leaves all open, and none of them need be what is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice, pairwise
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.frameworks.files.named_files import above, text_of
from bot.frameworks.repository.requirements import LOCK, of_script, requirements
from bot.frameworks.settings.releases import find_release, release_key, releases
from bot.shell.words import Command

_PIN_FILES: Final = regex(
    r"((?:.+/)?)(?:requirements[\w.-]*\.txt|requirements/[\w.-]+\.txt|pyproject\.toml|setup\.py"
    r"|setup\.cfg|\.gitmodules|verl/version/version|openrlhf/version\.txt|version\.txt|trl/version\.py"
    r"|(?:uv|poetry|pdm)\.lock|(?:[\w.-]{0,99}env|conda)[\w.-]{0,99}\.ya?ml)\Z"
)
"""Paths that may hold a pin; the group is the folder that it counts for."""
_FORMER: Final = tuple(
    f"{sign}{word}.txt"
    for sign in "._-"
    for word in ("orig", "original", "old", "backup", "bak", "prev")
)
"""How the name of a file ends that another one has come in the place of."""
_PROJECT: Final = ("requirements.txt", "pyproject.toml", "setup.py", "setup.cfg", ".gitmodules")
"""The files that say first what is installed, in this order."""
_PATCHES: Final = (".patch", ".diff")
"""How the names of files end that change what is installed; they count for the whole repository."""
_ENDS: Final = (
    *_PATCHES, ".txt", "pyproject.toml", "setup.py", "setup.cfg", "/version", "/version.py",
    ".gitmodules", ".lock", ".yml", ".yaml",
)  # fmt: skip
"""How such paths end: asked first, since a repository has thousands of others."""
_VERSIONS: Final = {
    "verl": "verl/version/version",
    "openrlhf": "version.txt",
    "trl": "trl/version.py",
}
_NUMBER: Final = r"v?[0-9]+(?:\.[0-9]+)*(?:\.?post[0-9]+)?"
_CLAUSE = regex(rf"(===|==|~=|!=|>=|<=|>|<)\s*({_NUMBER})(\.\*)?\s*\Z")
_ADDRESS = regex(
    r"(?:git(?:\+|\s{0,9}=\s{0,9}[\"'])|url\s{0,9}=\s{0,9})"
    r"(?:(?:https|ssh)://(?:\w{1,99}@)?[\w.-]{1,99}/|git@[\w.-]{1,99}:)"
    r"([\w.-]{1,99})/([\w.-]{1,99})"
)
"""A repository that a package, or a submodule, comes from: its owner and its name."""
_MODULE = regex(r"\[submodule \"(?:[^\"\n]{0,400}/)?([^\"/\n]{1,99})\"\]")
"""The place of a submodule, whatever the repository is called that it comes from."""
_COMMIT = regex(r"(?:@|[\"'],\s{0,9}rev\s{0,9}=\s{0,9}[\"'])[0-9a-f]{7,40}\b")
_OWNERS: Final = {
    "verl": ("volcengine", "verl-project"),
    "openrlhf": ("openrlhf",),
    "trl": ("huggingface",),
    "open-instruct": ("allenai",),
}
"""Who publishes the releases."""
_OWN_NAME = regex(r"\bname\s{0,9}=\s{0,9}[\"']verl[\"']")
"""How a fork's `setup.py` or `pyproject.toml` calls itself."""
_ELSEWHERE: Final = regex(r"\bdynamic\s{0,9}=\s{0,9}\[[^\]]{0,300}[\"']dependencies[\"']")
"""What a project says that leaves its dependencies to the `setup.py` beside it."""
_PIP = frozenset(("pip", "pip3", "uv"))
"""Programs that install packages, perhaps as modules: `python -m pip install`."""
_UV = frozenset(("uv", "uvx"))
_WITH = frozenset(("--with", "--from", "-w"))
"""Options of uv's that install packages for one run."""
_LONGEST = 200
"""Characters of a requirement."""
_MOST = 100
"""Requirements of one framework in a file."""


def pinned_folder(path: str) -> str | None:
    """The folder, "" for the root, for which a file may hold a pin; None for another file."""
    if not path.endswith(_ENDS):
        return None
    if path.endswith(_PATCHES):
        return ""
    found = _PIN_FILES.match(path)
    return (found[1] or "").rstrip("/") if found else None


@dataclass(frozen=True, slots=True)
class Pin:
    """The releases that a file leaves open."""

    path: str
    releases: tuple[str, ...]
    """Those that fit, the most likely one first."""
    reason: str
    """Where it stands, in words."""
    beyond: bool = False
    """Whether none is known that fits, and the nearest one stands for it."""


def read_fork(framework: str, files: Mapping[str, bytes], script: str) -> str:
    """The file nearest above a script by which no release is installed; empty without one.

    It installs somebody's fork, or is a fork of verl's own.
    """
    for path, text in _projects(files, script):
        own = framework == "verl" and _OWN_NAME.search(text) and _builds(path, text, files)
        if own or _names_fork(framework, text):
            return path
    return ""


def _builds(path: str, text: str, files: Mapping[str, bytes]) -> bool:
    """Whether a file can make the package; verl-recipe keeps verl's project for its linters."""
    beside = path.removesuffix("pyproject.toml") + "setup.py"
    return path.endswith("setup.py") or beside in files or not _ELSEWHERE.search(text)


def installs_fork(framework: str, files: Mapping[str, bytes], script: str) -> bool:
    """Whether a file above a script installs somebody's fork, as a submodule does."""
    return any(_names_fork(framework, text) for _, text in _projects(files, script))


def _names_fork(framework: str, text: str) -> bool:
    return any(foreign for foreign, _ in _addresses(framework, text))


def read_commit(framework: str, files: Mapping[str, bytes], script: str) -> str:
    """The file nearest above a script that installs a commit of the publisher's; empty without.

    A submodule is one.
    """
    for path, text in _projects(files, script):
        module = path.endswith(".gitmodules")
        found = _addresses(framework, text)
        if any(not foreign and (module or _COMMIT.match(rest)) for foreign, rest in found):
            return path
    return ""


def _projects(files: Mapping[str, bytes], script: str) -> Iterator[tuple[str, str]]:
    """The files that say what is installed for a script, the nearest first, with their texts."""
    for folder in above(script):
        for name in _PROJECT:
            path = f"{folder}/{name}".lstrip("/")
            if path in files:
                yield path, files[path].decode("utf-8", "replace")


def read_patch(framework: str, files: Mapping[str, bytes], names: Set[str]) -> str:
    """A patch of a framework that adds one of these names of settings; empty without one."""
    package = f"b/{framework.replace('-', '_')}/"
    for path in sorted(path for path in files if path.endswith(_PATCHES)):
        changed = ""
        for line in files[path].decode("utf-8", "replace").splitlines():
            changed = line if line.startswith("+++ ") else changed
            added = package in changed and line[0:1] == "+" and line is not changed
            if added and not names.isdisjoint(re.findall(r"\w+", line)):
                return path
    return ""


def _addresses(framework: str, text: str) -> Iterator[tuple[bool, str]]:
    """For each address of a framework's repository whether it is a fork's, and what follows it."""
    module = False
    for line in text.splitlines():
        if place := _MODULE.match(line):
            module = place[1] == framework
        found = _ADDRESS.search(line) if "git" in line and len(line) <= _LONGEST else None
        if found is None:
            continue
        stated = line.lstrip(" -\"'")
        asked = _asks(framework, stated)
        named = asked is not None and stated[asked.end() :].lstrip()[:1] in ("@", "=")
        if named or module or found[2].removesuffix(".git") == framework:
            yield found[1].lower() not in _OWNERS[framework], line[found.end() :]


def read_pin(framework: str, files: Mapping[str, bytes]) -> Pin | None:
    """What these files of one folder say of a framework; None where they say nothing.

    Locks come before requirements, those before version files. A statement that leaves every known
    release open, or none, says nothing.
    """
    known = releases(framework)
    if not known:
        return None
    if (pin := joined(_stated(framework, files))) is not None:
        return pin
    for path, data in files.items():
        if f"/{path}".endswith(f"/{_VERSIONS.get(framework, '?')}"):
            found = re.search(_NUMBER, data.decode("utf-8", "replace"))
            after = tuple(r for r in known if found and release_key(r) > release_key(found[0]))
            if found and after and len(after) < len(known):
                reason = message("after {version}, as {path} says", version=found[0], path=path)
                return Pin(path, after, reason)
    return None


def _stated(framework: str, files: Mapping[str, bytes]) -> Iterator[Pin]:
    """What each requirement of a framework leaves open, in the order of `_rank`."""
    for path, data in sorted(files.items(), key=lambda item: _rank(item[0])):
        if path.lower().endswith(_FORMER) and len(files) > 1:
            continue
        stated = requirements(framework, path, data.decode("utf-8", "replace"))
        asking = (asked for asked in stated if _asks(framework, asked))
        for asked in islice(dict.fromkeys(asking), _MOST):
            reason = message("{requirement} in {path}", requirement=asked.strip(), path=path)
            if pin := _pin(framework, asked, path, reason):
                yield pin


def _pin(framework: str, requirement: str, path: str, reason: str) -> Pin | None:
    """What one requirement leaves open; None where that is every release known, or none."""
    known = releases(framework)
    fitting = _fitting(framework, requirement)
    if fitting:
        return Pin(path, tuple(reversed(fitting)), reason) if len(fitting) < len(known) else None
    asked = _asks(framework, requirement)
    clauses = _clauses(requirement[asked.end() :]) if asked else ()
    ends = (
        (known[0], ("==", "===", "~=", "<", "<="), -1),
        (known[-1], ("==", "===", ">", ">="), 1),
    )
    for nearest, operators, side in ends if known else ():
        if any(
            operator in operators and side * _compared(version, nearest) > 0
            for operator, version, _ in clauses
        ):
            reason = message("{reason}, beyond the releases known", reason=reason)
            return Pin(path, (nearest,), reason, beyond=True)
    return None


def read_installs(framework: str, commands: Iterable[Command]) -> Pin | None:
    """What the last `pip install trl==0.22.2` of a script says; None where none names a release."""
    found = None
    for word in installed(commands):
        own = any(not foreign for foreign, _ in _addresses(framework, word))
        asked = f"{framework} @ {word}" if own else word
        reason = message("{requirement}, which the script installs", requirement=word)
        found = _pin(framework, asked, "", reason) or found
    return found


def read_scripts(framework: str, files: Mapping[str, bytes], paths: Iterable[str]) -> Pin | None:
    """What the first Python program of these asks for in its metadata; None where none does."""
    for path in paths:
        for asked in _of_script(framework, files, path):
            reason = message("{requirement} in {path}", requirement=asked.strip(), path=path)
            if _asks(framework, asked) and (pin := _pin(framework, asked, path, reason)):
                return pin
    return None


def _of_script(package: str, files: Mapping[str, bytes], path: str) -> Iterator[str]:
    if path.endswith(".py") and path in files:
        yield from of_script(package, text_of(files, path))


def installed(commands: Iterable[Command]) -> Iterator[str]:
    """What `pip install` and `uv run --with` are given by a script, packages among other words."""
    for command in commands:
        words = [word.text for word in command.argv]
        names = [word.rpartition("/")[2] for word in words[:3]]
        if "install" in words[1:4] and _PIP.intersection(names):
            yield from words[2:]
        elif _UV.intersection(names):
            for option, value in pairwise(words):
                given = value if option in _WITH else option.removeprefix("--with=")
                yield from given.split(",") if given != option else ()


def asked_of(
    package: str, files: Mapping[str, bytes], programs: Iterable[str], pinning: Iterable[str]
) -> Iterator[str]:
    """What programs, and the files that may pin a release, ask for: texts about any package."""
    for path in programs:
        yield from _of_script(package, files, path)
    for path in pinning:
        yield from requirements(package, path, text_of(files, path))


def asks_before(package: str, release: str, asked: Iterable[str]) -> bool:
    """Whether one of these requirements leaves of a package only what is older than a release."""
    for text in asked:
        found = _asks(package, text)
        for operator, version, star in _clauses(text[found.end() :]) if found else ():
            limits = operator in ("==", "===", "~=", "<", "<=") and _compared(version, release) <= 0
            if limits and not _satisfies(release, operator, version, star):
                return True
    return False


def joined(pins: Iterable[Pin | None]) -> Pin | None:
    """The first, with the releases of the next one that asks for others; None where all are."""
    found = [pin for pin in pins if pin is not None]
    for other in found[1:]:
        first = found[0]
        if len(first.releases) == 1 and first.releases[0] not in other.releases:
            reason = message("{one}, but {other}", one=first.reason, other=other.reason)
            return Pin(first.path, first.releases + other.releases, reason)
    return found[0] if found else None


def _rank(path: str) -> tuple[int, str]:
    name = path.rsplit("/", 1)[-1]
    if name.endswith(LOCK):
        return -1, path
    return (_PROJECT.index(name) if name in _PROJECT else len(_PROJECT)), path


def _asks(framework: str, text: str) -> re.Match[str] | None:
    """The name at the beginning of a requirement of this framework; None for any other text."""
    if len(text) > _LONGEST:
        return None
    name = framework.replace("-", "[-_.]")
    return re.match(rf"\s*{name}\s*(?:\[[^\]]*\])?", text, re.IGNORECASE)


def _fitting(framework: str, text: str) -> tuple[str, ...]:
    """The known releases that a requirement such as `verl>=0.7.1,<0.9.0` leaves; none for others.

    A requirement with an address names a release by its tag alone: `verl @ git+https://…@v0.4.1`.
    """
    found = _asks(framework, text)
    if found is None:
        return ()
    rest = _stripped(text[found.end() :])
    if rest.startswith("@"):
        tag = re.search(rf"@({_NUMBER})\Z", rest[1:].partition("#")[0])
        release = find_release(framework, tag[1]) if tag else None
        return (release,) if release else ()
    bounds = _clauses(rest)
    if not bounds:
        return ()
    return tuple(
        release
        for release in releases(framework)
        if all(_satisfies(release, *bound) for bound in bounds)
    )


def _stripped(rest: str) -> str:
    """What follows a name, without a marker, a comment, or the hashes of a locked one."""
    return re.split(r";| #| --", rest, maxsplit=1)[0].strip(" ()\\")


def _clauses(rest: str) -> list[tuple[str, str, bool]]:
    """Operator, version, and whether all below it are meant (`==0.7.*`); none for other texts."""
    parts = [part.strip() for part in _stripped(rest).split(",")]
    found = [_CLAUSE.match(part) for part in parts if part]
    return [(c[1], c[2].removeprefix("v"), bool(c[3])) for c in found if c] if all(found) else []


def _compared(one: str, other: str) -> int:
    """-1, 0 or 1: a release is before another, the same, or after it."""
    a, b = release_key(one)[0], release_key(other)[0]
    return (a > b) - (a < b)


def _satisfies(release: str, operator: str, version: str, star: bool) -> bool:
    """PEP 440's comparison, a post-release counting as its release."""
    own, other = release_key(release)[0], release_key(version)[0]
    written = tuple(int(n) for n in re.findall(r"[0-9]+", version.partition(".post")[0]))
    if star or operator == "~=":
        prefix = written if star else written[:-1]
        padded = own + (0,) * max(0, len(prefix) - len(own))
        same = padded[: len(prefix)] == prefix and (star or own >= other)
        return same if operator != "!=" else not same
    verdicts = {
        "==": own == other, "===": own == other, "!=": own != other,
        ">=": own >= other, "<=": own <= other, ">": own > other, "<": own < other,
    }  # fmt: skip
    return verdicts[operator]
