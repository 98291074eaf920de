"""`python -m tools.release TAG`: whether a release may be built; prints its notes.

The tag must be the version of the package, and the changelog must have a dated section for it.
`git tag | python -m tools.release --moving TAG` prints the tag of the major version where it is to
point at this release: `v1` for v1.4.0, nothing where v1.5.0 is out already.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from bot import __version__

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes_of(tag: str, version: str, changelog: str) -> str:
    """The changelog's section of a release. Raises ValueError with what is missing."""
    if tag != f"v{version}":
        raise ValueError(f"The tag is {tag}, and the package's version is {version}.")
    heading = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"
    section = re.search(heading, changelog, re.MULTILINE | re.DOTALL)
    if section is None or not section[1].strip():
        raise ValueError(f'CHANGELOG.md has no section "## [{version}] - YYYY-MM-DD".')
    return section[1].strip() + "\n"


def moving_tag(tag: str, released: Iterable[str]) -> str | None:
    """The major version's tag, when no later release of it is out; None otherwise."""
    version = _version(tag)
    if version is None:
        return None
    same = [one for one in map(_version, released) if one is not None and one[0] == version[0]]
    return f"v{version[0]}" if version >= max(same, default=version) else None


def _version(tag: str) -> tuple[int, ...] | None:
    found = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)", tag)
    return None if found is None else tuple(map(int, found.groups()))


def main(arguments: list[str]) -> int:
    """Print the notes of a tag; the exit status is 1 when there can be no release."""
    if arguments[:1] == ["--moving"]:
        sys.stdout.write(moving_tag(arguments[1], sys.stdin.read().split()) or "")
        return 0
    try:
        (tag,) = arguments
        notes = notes_of(tag, __version__, CHANGELOG.read_text(encoding="utf-8"))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(notes)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
