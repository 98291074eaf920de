"""The Link cell of a row: where it leads, and the address that a new row gets.

A path in this repository, at its head or at a commit; on github.com, and on the server that holds
the repository.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote, urlsplit

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex

COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
"""A commit in full."""
_BLOB = regex(r"\A/([^/]+)/([^/]+)/(?:blob|tree|raw)/(?:refs/(?:heads|tags)/)?([^/]+)/(.+)\Z")
_RAW = regex(r"\A/([^/]+)/([^/]+)/(?:refs/(?:heads|tags)/)?([^/]+)/(.+)\Z")
_PREFIX = regex(r"\Ahttps?://[^/]+/[^/]+/[^/]+/blob/(?:refs/heads/)?[^/]+/")
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


@dataclass(frozen=True, slots=True)
class Website:
    """The repository that holds a page, on the web."""

    address: str | None = None
    """https://SERVER/OWNER/NAME; None where it is not known."""

    @property
    def name(self) -> str | None:
        """OWNER/NAME."""
        return self.address.split("/", 3)[-1] if self.address else None

    @property
    def host(self) -> str:
        """The server's host, in lower case; empty where it is not known."""
        return urlsplit(self.address or "").netloc.lower()


def read_address(address: str, page: str, host: str) -> FileLink | None:
    """The file that an address names; None for any other address.

    `page` is the path of the page, which relative addresses start from; one that starts with a
    slash starts at the root of the repository. The branch main or master is the page's own state.
    `host` is a server whose addresses are read beside those of github.com.
    """
    parts = urlsplit(address)
    if not parts.scheme and not parts.netloc:
        return _beside(unquote(parts.path), page)
    forms = {"github.com": _BLOB, "www.github.com": _BLOB, "raw.githubusercontent.com": _RAW}
    form = {host: _BLOB, **forms}.get(parts.netloc.lower())
    found = form.match(parts.path) if form and parts.scheme in ("http", "https") else None
    if not found:
        return None
    ref = unquote(found[3])
    return FileLink(
        repository=repository_name(f"{found[1]}/{found[2]}"),
        ref=None if ref in _HEADS else ref,
        path=posixpath.normpath(unquote(found[4])),
    )


def branch_prefix(links: Mapping[str, FileLink]) -> str | None:
    """What addresses begin with that name a branch; None where as many pin a commit, or most do.

    `links` are the links of a page into its repository, by their addresses.
    """
    forms = Counter[str | None]()
    for address, link in links.items():
        found = _PREFIX.match(address)
        if found and link.repository:
            forms[None if link.ref else found[0]] += 1
    common = forms.most_common(1)
    return common[0][0] if common and common[0][1] > forms[None] else None


def new_address(
    path: str,
    links: Mapping[str, FileLink],
    website: Website,
    commit: str | None,
    page: str | None = None,
) -> str:
    """The address that the row of a script gets: in the form of the page's other rows.

    They name a branch, or they pin commits; a page without links gets a permalink. `commit` is one
    that has the script; without it the default branch is named. Where nobody knows where the
    repository is, the address starts from `page`, the page's path; without that it is the path.
    """
    prefix = branch_prefix(links)
    if prefix is None and website.address:
        prefix = f"{website.address}/blob/{commit or 'HEAD'}/"
    if prefix is None and page is not None:
        beside = posixpath.relpath(path, posixpath.dirname(page) or ".")
        return quote(beside if beside.startswith("../") else f"./{beside}")
    return f"{prefix}{quote(path)}" if prefix else path


def leads_to_branch(link: FileLink, address: str, links: Mapping[str, FileLink], own: str) -> bool:
    """Whether a link names the page's own state in the repository `own`, or as the others do."""
    if link.ref is not None:
        return False
    prefix = branch_prefix(links)
    standing = bool(prefix) and address.startswith(prefix or "")
    return standing or link.repository in (None, repository_name(own))


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
