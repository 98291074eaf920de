"""Where the Link cell of a row leads: a path in this repository, at its head or at a commit."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_BLOB = re.compile(r"\A/([^/]+)/([^/]+)/(?:blob|tree|raw)/(?:refs/(?:heads|tags)/)?([^/]+)/(.+)\Z")
_RAW = re.compile(r"\A/([^/]+)/([^/]+)/(?:refs/(?:heads|tags)/)?([^/]+)/(.+)\Z")
_HEADS = frozenset({"main", "master", "HEAD"})
_MOVED = {"volcengine/verl": "verl-project/verl"}
"""Repositories that were renamed: GitHub answers under both names."""


@dataclass(frozen=True, slots=True)
class FileLink:
    """A file of a repository on GitHub, or beside the page."""

    repository: str | None
    """OWNER/NAME in lower case, by its newest name; None for an address relative to the page."""
    ref: str | None
    """Commit, tag or branch; None for the state that the page itself is in."""
    path: str


def read_address(address: str, page: str) -> FileLink | None:
    """The file that an address names; None for any other address.

    `page` is the path of the page, which relative addresses start from; one that starts with a
    slash starts at the root of the repository. The branch main or master is the page's own state.
    """
    parts = urlsplit(address)
    if not parts.scheme and not parts.netloc:
        return _beside(unquote(parts.path), page)
    form = {"github.com": _BLOB, "www.github.com": _BLOB, "raw.githubusercontent.com": _RAW}.get(
        parts.netloc.lower()
    )
    found = form.match(parts.path) if form and parts.scheme in ("http", "https") else None
    if not found:
        return None
    ref = unquote(found[3])
    return FileLink(
        repository=repository_name(f"{found[1]}/{found[2]}"),
        ref=None if ref in _HEADS else ref,
        path=posixpath.normpath(unquote(found[4])),
    )


def repository_name(name: str) -> str:
    """OWNER/NAME as it is compared: in lower case, a renamed repository by its newest name."""
    name = name.lower().removesuffix(".git")
    return _MOVED.get(name, name)


def own_repositories(links: Iterable[FileLink], known: str | None) -> frozenset[str]:
    """The names that stand for the repository that holds the page.

    `known` is OWNER/NAME of its remote. A fork keeps the links to the repository it comes from, so
    that every owner of a repository of the same name counts. Without a remote it is the one that
    most links lead to.
    """
    named = Counter(link.repository for link in links if link.repository)
    if known is None:
        return frozenset(name for name, _ in named.most_common(1))
    own = repository_name(known)
    last = own.rsplit("/", 1)[-1]
    return frozenset({own, *(name for name in named if name.rsplit("/", 1)[-1] == last)})


def _beside(path: str, page: str) -> FileLink | None:
    if not path:
        return None
    folder = "" if path.startswith("/") else posixpath.dirname(page)
    whole = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    return None if whole.startswith("..") else FileLink(None, None, whole)
