"""Files of commits, read through the API: each content is proved against its git object id.

PyGithub reads one file a request and proves none; one GraphQL question gives many.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.github import queries
from bot.github.change import MAX_BLOB, odd_file, too_large, too_much
from bot.github.client import Client
from bot.github.errors import GitHubError, TooMuchError
from bot.github.failures import understood

_AT_ONCE = 25
"""Files asked for in one request: GitHub gives up on a question after ten seconds."""
_KEPT = 1 << 26
_FILE_MODES = (0o100644, 0o100755)
_LINK = 0o120000


@dataclass(frozen=True, slots=True)
class BlobName:
    """A file below a folder."""

    path: str
    """Within the folder."""
    mode: int
    oid: str
    size: int


Blobs: TypeAlias = Mapping[str, tuple[str, bytes]]
"""Path to the object id and the content of a file."""


def altered_names(
    names: Sequence[BlobName], blobs: Blobs, folder: str = ""
) -> tuple[BlobName, ...]:
    """The files below a folder, once these have other contents."""
    return tuple(
        replace(name, oid=blobs[folder + name.path][0], size=len(blobs[folder + name.path][1]))
        if folder + name.path in blobs
        else name
        for name in names
    )


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """What a path of a commit holds."""

    oid: str
    kind: str
    """blob, tree or commit (a submodule)."""
    data: bytes | None
    """None when it is no regular file or could not be read; `reason` says why."""
    reason: str = ""
    names: tuple[BlobName, ...] | None = None
    """The files below a folder; None where GraphQL did not give them all."""
    mode: int = 0
    """As git has it, for a file whose content is here."""

    def altered(self, path: str, blobs: Blobs) -> TreeEntry:
        """The entry at `path`, once these files have other contents."""
        if self.kind == "blob" and path in blobs:
            oid, data = blobs[path]
            return replace(self, oid=oid, data=data, reason="")
        if self.kind == "tree" and self.names is not None:
            return replace(self, names=altered_names(self.names, blobs, f"{path}/"))
        return self


@dataclass(slots=True)
class Contents:
    """Contents by object id, so that none is asked for twice; several readers may share it."""

    _known: dict[str, bytes] = field(default_factory=dict)
    _size: int = 0

    def get(self, oid: str) -> bytes | None:
        """The content, when it is known."""
        return self._known.get(oid)

    def put(self, oid: str, data: bytes) -> None:
        """Keeps a content; the oldest go when it becomes too much."""
        if oid in self._known:
            return
        self._known[oid] = data
        self._size += len(data)
        while self._size > _KEPT and len(self._known) > 1:
            oldest = next(iter(self._known))
            self._size -= len(self._known.pop(oldest))


@dataclass(frozen=True, slots=True)
class BlobReader:
    """Reads files of one repository, its forks' pull requests included."""

    client: Client
    repository: str
    contents: Contents = field(default_factory=Contents)

    @understood
    def entries(
        self, wanted: Sequence[tuple[str, str]], most: int = MAX_BLOB
    ) -> dict[tuple[str, str], TreeEntry]:
        """What stands at each (commit, path); paths that hold nothing are missing.

        Of a file with more than `most` bytes only the reason comes back that it was not read.

        One request for 25 files, one more for each that GraphQL does not give whole. Raises
        GitHubError.
        """
        found: dict[tuple[str, str], TreeEntry] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            variables = self._name()
            for n, (commit, path) in enumerate(part):
                variables |= {f"c{n}": commit, f"p{n}": path}
            data = self.client.graphql(queries.entries(len(part)), variables, name="entries")
            answers = data["repository"]
            for n, key in enumerate(part):
                entry = (answers.get(f"e{n}") or {}).get("file")
                if entry:
                    found[key] = self.entry(entry, key[1], most)
        return found

    def entry(self, node: Mapping[str, Any], path: str, most: int = MAX_BLOB) -> TreeEntry:
        """An entry of GraphQL's answer with its content. Raises GitHubError."""
        thing = node.get("object") or {}
        oid = thing.get("oid") or node.get("oid") or ""
        kind = node.get("type") or ("blob" if "byteSize" in thing else "tree")
        mode = node["mode"]
        if kind == "tree":
            return TreeEntry(
                oid, kind, None, message("{path} is a folder.", path=path), _named(thing)
            )
        if mode not in _FILE_MODES:
            return TreeEntry(oid, kind, None, odd_file(path, link=mode == _LINK))
        size = thing.get("byteSize") or 0
        if size > most:
            return TreeEntry(oid, kind, None, too_large(path, size, most))
        return TreeEntry(oid, kind, self.content(oid, thing, path), mode=mode)

    @understood
    def content(self, oid: str, node: Mapping[str, Any], path: str) -> bytes:
        """A blob's content: GraphQL's text where it is the whole content, else through REST.

        Raises GitHubError when neither gives the content that the id stands for.
        """
        cached = self.contents.get(oid)
        if cached is not None:
            return cached
        text = node.get("text")
        data = text.encode("utf-8", "surrogatepass") if text is not None else None
        if data is None or not is_blob(oid, data):
            # Not UTF-8, or longer than GraphQL gives.
            answer = self.client.get(f"/repos/{self.repository}/git/blobs/{oid}")
            data = _decoded(answer)
            if data is None or not is_blob(oid, data):
                raise GitHubError(
                    message(
                        "GitHub gave another content for {path} than the commit holds; try again.",
                        path=path,
                    )
                )
        self.contents.put(oid, data)
        return data

    def below(self, tree: TreeEntry, folder: str, suffix: str, most: int) -> dict[str, bytes]:
        """The regular files below a tree whose names end so, by path within it.

        One request for each 100 contents that are not known, and one for the names where they are
        not. Raises TooMuchError when there are more than `most`, more than MAX_BLOB bytes, or
        GitHub lists only a part, and other GitHubErrors.
        """
        names = self._listed(tree.oid, folder) if tree.names is None else tree.names
        wanted = [n for n in names if n.mode in _FILE_MODES and n.path.endswith(suffix)]
        if len(wanted) > most or sum(name.size for name in wanted) > MAX_BLOB:
            raise TooMuchError(too_much(folder, len(wanted), suffix))
        return self._contents(wanted, folder)

    def listed(self, commit: str) -> tuple[BlobName, ...]:
        """The regular files of a commit, in one request; paths from the root.

        Raises TooMuchError when GitHub lists only a part, and other GitHubErrors.
        """
        whole = message("the repository")
        return tuple(n for n in self._listed(commit, whole) if n.mode in _FILE_MODES)

    def named(self, wanted: Sequence[BlobName], most: int) -> dict[str, bytes]:
        """The contents of files, by path: one request for each 100 that are not known.

        Raises TooMuchError for more than `most` or MAX_BLOB bytes, and other GitHubErrors.
        """
        whole = message("the repository")
        if len(wanted) > most or sum(name.size for name in wanted) > MAX_BLOB:
            raise TooMuchError(too_much(whole, len(wanted), ""))
        return self._contents(wanted, whole)

    def _contents(self, wanted: Sequence[BlobName], what: str) -> dict[str, bytes]:
        self._fetch(dict.fromkeys(name.oid for name in wanted), what)
        return {
            name.path: self.content(name.oid, {}, name.path)
            for name in sorted(wanted, key=lambda name: name.path)
        }

    @understood
    def existing_commits(self, commits: Iterable[str]) -> frozenset[str]:
        """Those of the commits, by their full ids, that the repository has. Raises GitHubError."""
        variables = list(dict.fromkeys(commits))
        found: set[str] = set()
        for start in range(0, len(variables), _AT_ONCE):
            part = variables[start : start + _AT_ONCE]
            ids = self._name() | {f"b{n}": oid for n, oid in enumerate(part)}
            data = self.client.graphql(queries.blobs(len(part)), ids, name="blobs")["repository"]
            found |= {oid for n, oid in enumerate(part) if data.get(f"b{n}")}
        return frozenset(found)

    @understood
    def _listed(self, tree: str, folder: str) -> tuple[BlobName, ...]:
        answer = self.client.get(f"/repos/{self.repository}/git/trees/{tree}", recursive=1)
        if answer.get("truncated"):
            raise TooMuchError(too_much(folder, len(answer["tree"]), ""))
        return tuple(
            BlobName(item["path"], int(item["mode"], 8), item["sha"], item.get("size") or 0)
            for item in answer["tree"]
            if item["type"] == "blob"
        )

    @understood
    def _fetch(self, oids: Iterable[str], what: str) -> None:
        missing = [oid for oid in oids if self.contents.get(oid) is None]
        for start in range(0, len(missing), 4 * _AT_ONCE):
            part = missing[start : start + 4 * _AT_ONCE]
            variables = self._name() | {f"b{n}": oid for n, oid in enumerate(part)}
            data = self.client.graphql(queries.blobs(len(part)), variables, name="blobs")[
                "repository"
            ]
            for n, oid in enumerate(part):
                self.content(oid, data.get(f"b{n}") or {}, what)

    def _name(self) -> dict[str, Any]:
        owner, _, name = self.repository.partition("/")
        return {"owner": owner, "name": name}


def _named(tree: Mapping[str, Any], above: str = "") -> tuple[BlobName, ...] | None:
    """The files below a tree of GraphQL's answer; None when it ends at a folder."""
    if tree.get("entries") is None:
        return None
    found: list[BlobName] = []
    for entry in tree["entries"]:
        path = above + entry["name"]
        if entry["type"] == "tree":
            below = _named(entry.get("object") or {}, f"{path}/")
            if below is None:
                return None
            found += below
        elif entry["type"] == "blob":
            found.append(BlobName(path, entry["mode"], entry["oid"], entry.get("size") or 0))
    return tuple(found)


def is_blob(oid: str, data: bytes) -> bool:
    """True when `oid` is the git object id of a blob with this content, SHA-1 or SHA-256."""
    return blob_id(data, len(oid)) == oid


def blob_id(data: bytes, length: int) -> str:
    """The git object id of a blob with this content, of 40 digits (SHA-1) or 64 (SHA-256)."""
    kind = hashlib.sha256 if length == 64 else hashlib.sha1
    return kind(b"blob %d\0" % len(data) + data).hexdigest()


def _decoded(answer: Mapping[str, Any]) -> bytes | None:
    if answer.get("encoding") == "base64":
        try:
            return base64.b64decode(answer["content"])
        except (binascii.Error, ValueError):
            return None
    text = answer.get("content")
    return text.encode() if isinstance(text, str) else None
