"""The change of a file as a patch that `git apply` takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff


def patch(path: str, before: bytes, after: bytes) -> str:
    r"""The unified diff, empty when nothing changes; bytes that are no UTF-8 as lone surrogates.

    Lines end at `\n` alone, as in git, so that a `\r` stays part of its line; a last line without
    an end is marked as git marks it. An absolute path is written without its slash.
    """
    if before == after:
        return ""
    name = path.removeprefix("/")
    lines = list(unified_diff(_lines(before), _lines(after), n=3))[2:]
    head = f"--- {_name(f'a/{name}')}\n+++ {_name(f'b/{name}')}\n"
    return head + "".join(_ended(lines))


def _lines(data: bytes) -> list[str]:
    return re.findall(r"[^\n]+\n?|\n", data.decode("utf-8", "surrogateescape"))


def _ended(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _name(path: str) -> str:
    """A file's name as git quotes it."""
    if re.search(r'[\x00-\x1f\x7f"\\]', path) or not path.isascii():
        octal = "".join(
            chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}"
            for byte in path.encode("utf-8", "surrogateescape")
        )
        return f'"{octal}"'
    # git ends a name with a tab when it holds a space.
    return path + "\t" if " " in path else path
