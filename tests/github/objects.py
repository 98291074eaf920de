"""Git objects of a network of forks: one bare repository, as GitHub keeps them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "C": "copied"}
STATUS["T"] = "changed"


@dataclass(frozen=True)
class Link:
    """A symbolic link, to be committed."""

    target: str


@dataclass(frozen=True)
class Change:
    """A file between two commits."""

    status: str
    path: str
    previous: str | None
    oid: str
    additions: int
    deletions: int


@dataclass(frozen=True)
class Entry:
    mode: str
    kind: str
    oid: str
    path: str
    size: int | None


@dataclass
class Objects:
    folder: Path
    _cache: dict[tuple[str, ...], bytes] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        self.git("init", "--quiet", "--bare", ".")

    def git(self, *arguments: str, data: bytes = b"") -> bytes:
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            input=data,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_LITERAL_PATHSPECS": "1",
            },
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise LookupError(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout

    def _kept(self, *arguments: str) -> bytes:
        """Of immutable objects, so that nothing is read twice."""
        if arguments not in self._cache:
            self._cache[arguments] = self.git(*arguments)
        return self._cache[arguments]

    def ref(self, ref: str) -> str | None:
        """The commit of a ref; None when there is none."""
        try:
            return (
                self.git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").decode().strip()
            )
        except LookupError:
            return None

    def commit(
        self,
        ref: str,
        files: Mapping[str, bytes | str | Link | None],
        *,
        parent: str | None,
        message: str = "change",
        author: str = "Ada <1815+ada-l@users.noreply.github.com>",
        executable: bool = False,
        date: int = 1_767_225_600,
    ) -> str:
        """Makes a commit on `ref` that adds, alters and (None) removes files."""
        stream = [f"commit {ref}\n".encode()]
        for who in ("author", "committer"):
            stream.append(f"{who} {author} {date} +0000\n".encode())
        stream.append(b"data %d\n%b\n" % (len(message.encode()), message.encode()))
        if parent:
            stream.append(f"from {parent}\n".encode())
        else:
            stream.append(b"deleteall\n")
        for path, content in files.items():
            quoted = _quoted(path)
            if content is None:
                stream.append(f"D {quoted}\n".encode())
                continue
            mode = "120000" if isinstance(content, Link) else "100755" if executable else "100644"
            text = content.target if isinstance(content, Link) else content
            data = text.encode() if isinstance(text, str) else text
            stream.append(f"M {mode} inline {quoted}\n".encode())
            stream.append(b"data %d\n%b\n" % (len(data), data))
        self.git("fast-import", "--quiet", "--force", data=b"".join(stream))
        made = self.ref(ref)
        assert made is not None
        return made

    def entry(self, commit: str, path: str) -> Entry | None:
        """What stands at a path of a commit or tree; None when nothing does."""
        if not path:
            tree = self._kept("rev-parse", f"{commit}^{{tree}}").decode().strip()
            return Entry("040000", "tree", tree, "", None)
        listed = self._entries("ls-tree", "-z", "-l", commit, "--", path.rstrip("/"))
        return listed[0] if len(listed) == 1 and listed[0].path == path.rstrip("/") else None

    def tree(self, oid: str, *, recursive: bool) -> list[Entry]:
        how = ("-r", "-t") if recursive else ()
        return self._entries("ls-tree", "-z", "-l", *how, oid)

    def _entries(self, *arguments: str) -> list[Entry]:
        found = []
        for line in filter(None, self._kept(*arguments).split(b"\0")):
            facts, path = line.split(b"\t", 1)
            mode, kind, oid, size = facts.decode().split()
            name = path.decode("utf-8", "replace")
            found.append(Entry(mode, kind, oid, name, int(size) if size.isdigit() else None))
        return found

    def blob(self, oid: str) -> bytes:
        return self._kept("cat-file", "blob", oid)

    def kind(self, oid: str) -> str:
        return self._kept("cat-file", "-t", oid).decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        return self._kept("merge-base", one, other).decode().strip()

    def changes(self, base: str, head: str) -> list[Change]:
        """What `head` changes since it left `base`, in path order."""
        fork = self.merge_base(base, head)
        raw = self._kept("diff-tree", "-r", "-z", "-M", "--raw", "--abbrev=40", fork, head)
        counts = self._counts(fork, head)
        parts = raw.split(b"\0")
        found, at = [], 0
        while at < len(parts) and parts[at].startswith(b":"):
            _, _, old, new, status = parts[at].decode().split()
            both = status[0] in "RC"
            first = parts[at + 1].decode("utf-8", "replace")
            path = parts[at + 2].decode("utf-8", "replace") if both else first
            added, removed = counts.get(path, (0, 0))
            oid = old if status[0] == "D" else new
            previous = first if both else None
            found.append(Change(STATUS[status[0]], path, previous, oid, added, removed))
            at += 3 if both else 2
        return sorted(found, key=lambda change: change.path)

    def _counts(self, fork: str, head: str) -> dict[str, tuple[int, int]]:
        raw = self._kept("diff-tree", "-r", "-z", "-M", "--numstat", fork, head).split(b"\0")
        found, at = {}, 0
        while at < len(raw) and raw[at]:
            added, removed, path = raw[at].decode("utf-8", "replace").split("\t")
            if not path:
                path = raw[at + 2].decode("utf-8", "replace")
                at += 2
            found[path] = tuple(int(n) if n.isdigit() else 0 for n in (added, removed))
            at += 1
        return found  # type: ignore[return-value]

    def patch(self, base: str, head: str, change: Change) -> str:
        """The hunks of one file."""
        paths = [change.path] if change.previous is None else [change.previous, change.path]
        fork = self.merge_base(base, head)
        text = self._kept("diff", "-M", fork, head, "--", *paths).decode("utf-8", "replace")
        start = text.find("\n@@ ")
        return text[start + 1 :].removesuffix("\n") if start >= 0 else ""


def _quoted(path: str) -> str:
    data = os.fsencode(path)
    plain = all(0x20 < byte < 0x7F and byte not in b'"\\' for byte in data)
    if plain:
        return path
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'
