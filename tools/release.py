"""`python -m tools.release TAG`: whether a release may be built; prints its notes.

The tag must be the version of the package, and the changelog must have a dated section for it.
"""

from __future__ import annotations

import re
import sys
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


def main(arguments: list[str]) -> int:
    """Print the notes of a tag; the exit status is 1 when there can be no release."""
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
