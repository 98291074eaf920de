"""The GraphQL questions: those of `queries.graphql`, and those for any number of things.

PyGithub sends a question; which one is the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bot.base.regex import regex

_HEAD = regex(r"^(?:query|mutation|fragment) (\w+)", re.MULTILINE)
_END = "\n}\n"
_SPREAD = regex(r"\.\.\.(\w+)")


@cache
def operation(name: str) -> str:
    """The question or the mutation of this name in `queries.graphql`."""
    return with_fragments(_definitions()[name])


def with_fragments(text: str) -> str:
    """A document with the fragments of `queries.graphql` that it uses."""
    every, used, waiting = _definitions(), dict[str, str](), [text]
    while waiting:
        for name in _SPREAD.findall(waiting.pop()):
            if name in every and name not in used:
                used[name] = every[name]
                waiting.append(every[name])
    return "\n".join([text, *used.values()])


@cache
def _definitions() -> Mapping[str, str]:
    text = Path(__file__).with_suffix(".graphql").read_text(encoding="utf-8")
    parts = ((part, _HEAD.search(part)) for part in text.split(_END))
    return {head[1]: part[head.start() :] + _END for part, head in parts if head is not None}


def about(repository: str, **more: Any) -> dict[str, Any]:
    """The variables of a question about a repository, `OWNER/REPO`."""
    owner, _, name = repository.partition("/")
    return {"owner": owner, "name": name, **more}


def entries(count: int, contents: int = 0) -> str:
    """Asks for `count` files of commits by path: the variables are c0, p0 and so on.

    Of a folder it gives the names, down to LEVELS below it. With `contents`, so many blobs come
    along: b0 and so on.
    """
    declared = [f"$c{n}: GitObjectID!, $p{n}: String!" for n in range(count)]
    fields = [
        f"    e{n}: object(oid: $c{n}) {{ ... on Commit {{ file(path: $p{n}) "
        f"{{ mode type oid object {{ ...Content ...Names }} }} }} }}"
        for n in range(count)
    ]
    declared += [f"$b{n}: GitObjectID!" for n in range(contents)]
    fields += [f"    b{n}: object(oid: $b{n}) {{ ...Content }}" for n in range(contents)]
    name, names = ("Entries", _names()) if count else ("Blobs", "")
    asked = "\n".join(fields)
    return with_fragments(
        f"query {name}($owner: String!, $name: String!, {', '.join(declared)}) {{\n"
        f"  repository(owner: $owner, name: $name) {{\n{asked}\n  }}\n}}\n{names}"
    )


def ours(count: int) -> str:
    """Asks which of `count` comments the token wrote: the variables are i0 and so on."""
    declared = ", ".join(f"$i{n}: ID!" for n in range(count))
    fields = "\n".join(
        f"  n{n}: node(id: $i{n}) {{ ... on IssueComment {{ viewerDidAuthor }} }}"
        for n in range(count)
    )
    return f"query Ours({declared}) {{\n{fields}\n}}\n"


LEVELS = 4
"""Folders in each other whose names one question gives."""


def _names() -> str:
    # GraphQL has no recursion: each level is written out.
    inner = ""
    for _ in range(LEVELS):
        below = f" object {{ ... on Tree {{ {inner} }} }}" if inner else ""
        inner = f"entries {{ name mode type oid size{below} }}"
    return f"fragment Names on Tree {{ {inner} }}\n"
