"""Git objects of a network of forks: one bare repository, as GitHub keeps them.

Objects and refs are written and read here, in git's own format, so that a test starts git only
for what git alone can do: differences, and whatever it asks by itself.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
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


_FOLDER = "040000"
_COMPARED: dict[tuple[str, ...], bytes] = {}


@dataclass
class Objects:
    """New objects are kept here until git, or who asks for `folder`, has to see them."""

    _folder: Path
    _known: dict[str, tuple[str, bytes]] = field(default_factory=dict, repr=False)
    _fresh: dict[str, bytes] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        for name in ("objects", "refs/heads"):
            (self._folder / name).mkdir(parents=True)
        (self._folder / "HEAD").write_text("ref: refs/heads/main\n")
        (self._folder / "config").write_text(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
        )

    @property
    def folder(self) -> Path:
        """The bare repository, with every object that there is by now."""
        with self._lock:
            while self._fresh:
                oid, whole = self._fresh.popitem()
                path = self._loose(oid)
                if not path.exists():
                    path.parent.mkdir(exist_ok=True)
                    half = path.with_suffix(".half")
                    half.write_bytes(zlib.compress(whole, 1))
                    half.replace(path)
        return self._folder

    def git(self, *arguments: str) -> bytes:
        folder = str(self.folder)
        done = subprocess.run(
            ["git", "-C", folder, *arguments],
            env={
                "PATH": os.environ["PATH"],
                "HOME": folder,
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
        """Of commits named in full: the same in every test, so that nothing is compared twice."""
        if arguments not in _COMPARED:
            _COMPARED[arguments] = self.git(*arguments)
        return _COMPARED[arguments]

    def write(self, kind: str, data: bytes) -> str:
        """The id of an object, which is there from now on."""
        whole = b"%b %d\0%b" % (kind.encode(), len(data), data)
        oid = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        with self._lock:
            if oid not in self._known:
                self._known[oid] = (kind, data)
                self._fresh[oid] = whole
        return oid

    def read(self, oid: str) -> tuple[str, bytes]:
        """Kind and content of an object; LookupError when there is none."""
        if oid not in self._known:
            try:
                whole = zlib.decompress(self._loose(oid).read_bytes())
            except (OSError, ValueError):
                raise LookupError(f"no object {oid}") from None
            head, _, data = whole.partition(b"\0")
            self._known[oid] = (head.split()[0].decode(), data)
        return self._known[oid]

    def _loose(self, oid: str) -> Path:
        return self._folder / "objects" / oid[:2] / oid[2:]

    def ref(self, ref: str) -> str | None:
        """The commit of a ref or of a full id; None when there is none."""
        with suppress(OSError, ValueError):
            ref = (self._folder / ref).read_text().strip()
        try:
            return ref if self.kind(ref) == "commit" else None
        except LookupError:
            return None

    def move(self, ref: str, oid: str) -> None:
        path = self._folder / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(f".{threading.get_ident()}")
        half.write_text(f"{oid}\n")
        half.replace(path)

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
        changes: dict[str, tuple[str, str] | None] = {}
        for path, content in files.items():
            if content is None:
                changes[path] = None
                continue
            mode = "120000" if isinstance(content, Link) else "100755" if executable else "100644"
            text = content.target if isinstance(content, Link) else content
            data = text.encode() if isinstance(text, str) else text
            changes[path] = (mode, self.write("blob", data))
        tree = self.grown(self.tree_of(parent) if parent else None, changes)
        parents = (parent,) if parent else ()
        made = self.committed(tree, parents, message, f"{author} {date} +0000")
        self.move(ref, made)
        return made

    def committed(self, tree: str, parents: Iterable[str], message: str, who: str) -> str:
        """The id of a new commit; `who` is author and committer with a date as git writes it."""
        lines = [f"tree {tree}", *(f"parent {one}" for one in parents)]
        lines += [f"author {who}", f"committer {who}", "", message]
        return self.write("commit", "\n".join(lines).encode())

    def grown(self, tree: str | None, changes: Mapping[str, tuple[str, str] | None]) -> str:
        """The id of `tree` with other files, each a mode and a blob; None removes one."""
        entries = {e.path: (e.mode, e.oid) for e in self._entries(tree)} if tree else {}
        folders: dict[str, dict[str, tuple[str, str] | None]] = {}
        for path, change in changes.items():
            name, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(name, {})[rest] = change
            elif change is None:
                entries.pop(name, None)
            else:
                entries[name] = change
        for name, inside in folders.items():
            mode, old = entries.pop(name, ("", ""))
            made = self.grown(old if mode == _FOLDER else None, inside)
            if made != EMPTY_TREE:
                entries[name] = (_FOLDER, made)
        # git sorts a folder as if its name ended with a slash.
        order = sorted(entries, key=lambda n: os.fsencode(n + "/" * (entries[n][0] == _FOLDER)))
        lines = []
        for name in order:
            mode, oid = entries[name]
            lines.append(
                b"%b %b\0%b" % (mode.lstrip("0").encode(), os.fsencode(name), bytes.fromhex(oid))
            )
        return self.write("tree", b"".join(lines))

    def tree_of(self, oid: str) -> str:
        """The tree of a commit, or the tree itself."""
        kind, data = self.read(oid)
        return data[5:45].decode() if kind == "commit" else oid

    def parents(self, commit: str) -> list[str]:
        """The commits that a commit follows."""
        head = self.read(commit)[1].decode("utf-8", "replace").partition("\n\n")[0]
        return [line[7:] for line in head.split("\n") if line.startswith("parent ")]

    def message(self, commit: str) -> str:
        return self.read(commit)[1].decode("utf-8", "replace").partition("\n\n")[2]

    def entry(self, commit: str, path: str) -> Entry | None:
        """What stands at a path of a commit or tree; None when nothing does."""
        found = Entry(_FOLDER, "tree", self.tree_of(commit), "", None)
        for name in filter(None, path.split("/")):
            inside = self._entries(found.oid) if found.kind == "tree" else ()
            one = next((entry for entry in inside if entry.path == name), None)
            if one is None:
                return None
            found = one
        return replace(found, path=path.rstrip("/"))

    def tree(self, oid: str, *, recursive: bool) -> list[Entry]:
        found = []
        for entry in self._entries(self.tree_of(oid)):
            found.append(entry)
            if recursive and entry.kind == "tree":
                inside = self.tree(entry.oid, recursive=True)
                found += [replace(one, path=f"{entry.path}/{one.path}") for one in inside]
        return found

    def _entries(self, tree: str) -> list[Entry]:
        data, at, found = self.read(tree)[1], 0, []
        while at < len(data):
            end = data.index(b"\0", at)
            mode, _, name = data[at:end].partition(b" ")
            oid = data[end + 1 : end + 21].hex()
            kind = {b"40000": "tree", b"160000": "commit"}.get(mode, "blob")
            size = len(self.blob(oid)) if kind == "blob" else None
            found.append(Entry(mode.decode().zfill(6), kind, oid, os.fsdecode(name), size))
            at = end + 21
        return found

    def blob(self, oid: str) -> bytes:
        return self.read(oid)[1]

    def kind(self, oid: str) -> str:
        return self.read(oid)[0]

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
