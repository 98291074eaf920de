"""A change read from two commits of a local repository: blobs only, nothing is checked out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bot.base.config import FILE_NAME
from bot.base.digits import whole_number
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.base.regex import regex
from bot.github.blobs import is_blob
from bot.github.change import (
    MAX_BLOB,
    MAX_FILES,
    MAX_SCRIPTS,
    OVER_LIMIT,
    WHOLE,
    ChangedFile,
    ChangeFiles,
    FileSelection,
    odd_file,
    too_large,
    too_much,
)
from bot.github.errors import TooMuchError
from bot.github.git import changed_entries, git, outside

_GONE = "000000"
"""git's mode of what a change takes away."""
_NOREPLY = regex(r"(?:\d+\+)?([A-Za-z0-9-]+)@users\.noreply\.github\.com\Z")
_REMOTE = regex(
    r"(?:https://|ssh://git@|git@)([A-Za-z0-9.-]+)[/:]([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+?)(?:\.git)?/?\Z"
)


@dataclass(frozen=True, slots=True)
class LocalChange:
    """A `ChangeSource`: what a branch would change, in a local repository."""

    repository: LocalRepository
    base: str
    head: str
    fork: str
    """Commit that the two have in common."""
    entries: tuple[tuple[str, str, str], ...]
    """Mode, blob and path of what the change adds or alters."""
    removed: frozenset[str] = frozenset()
    """Paths of what it takes away."""
    renamed: frozenset[str] = frozenset()
    """Paths that renamed files had before."""

    @property
    def web_url(self) -> str | None:
        """The address of the remote `origin`."""
        return self.repository.web_url()

    def base_file(self, path: str) -> bytes | None:
        """The content of a regular file at the base. Raises UserError."""
        return self.repository.blob(self.base, path)

    def head_file(self, path: str, most: int = MAX_BLOB) -> bytes | None:
        """The content of a regular file at the head. Raises UserError."""
        return self.repository.blob(self.head, path, most)

    def read(self, wanted: FileSelection) -> ChangeFiles:
        """Everything that is wanted of the change. Raises UserError."""
        scripts = sorted(entry[::-1] for entry in self.entries if wanted.script(entry[2]))
        changed = any(path == wanted.page for _, _, path in self.entries)
        removed = wanted.page in self.removed
        gone = any(wanted.script(path) for path in self.removed | self.renamed)
        if wanted.alone and not scripts and not changed and not removed and not gone:
            return ChangeFiles(scripts=())
        files = [
            self.repository.changed(mode, digest, path, self.fork, self.head)
            for path, digest, mode in scripts[:MAX_SCRIPTS]
        ]
        over = [path for path, _, _ in scripts[MAX_SCRIPTS:]]
        files += [ChangedFile(path=path, data=None, reason=OVER_LIMIT) for path in over]
        page, before, gaps = None, None, []
        if wanted.page and not removed:
            try:
                page = self.repository.blob(self.head if changed else self.base, wanted.page)
            except UserError as error:
                gaps.append(("page", sentence_of(error)))
        if wanted.page and changed:
            with suppress(UserError):  # Then everything in the page is new.
                before = self.repository.blob(self.base, wanted.page)
        config = None
        if any(path == FILE_NAME for _, _, path in self.entries):
            try:
                config = self.repository.blob(self.head, FILE_NAME)
            except UserError:
                config = None  # A link or a huge file: the base's own stays what it is.
        others: Mapping[str, bytes] = {}
        if wanted.others is not None:
            contents = {file.path: file.data or b"" for file in files}
            choose = wanted.others
            try:
                others = self.chosen(lambda every: choose(every, contents))
            except UserError as error:
                gaps.append(("configuration", sentence_of(error)))
        return ChangeFiles(
            scripts=tuple(files),
            page=page,
            page_changed=changed,
            page_before=before,
            page_removed=removed,
            scripts_removed=gone,
            config=config,
            others=others,
            gaps=tuple(gaps),
        )

    @property
    def changes(self) -> Mapping[str, str]:
        """Path to how it is changed."""
        kept = {path: "MODIFIED" for _, _, path in self.entries}
        return {**dict.fromkeys(self.removed | self.renamed, "DELETED"), **kept}

    def paths(self, commit: str) -> Sequence[str]:
        """The paths of all regular files of a commit. Raises UserError."""
        return self.repository.paths(commit)

    def chosen(self, choose: Callable[[Sequence[str]], Sequence[str]]) -> Mapping[str, bytes]:
        """The files of the head that `choose` selects. Raises UserError."""
        return self.repository.chosen(self.head, choose)

    def below(self, commit: str, folder: str, suffix: str | tuple[str, ...]) -> Mapping[str, bytes]:
        """The regular files below a folder whose names end so. Raises UserError."""
        return self.repository.below(commit, folder, suffix)

    def files(self, places: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], bytes | None]:
        """The regular files at (commit, path)."""
        return self.repository.files(places)

    def texts(self) -> tuple[str, ...]:
        """Nothing: a branch has no description."""
        return ()


class LocalRepository:
    """Reads one repository through git's plumbing: no hooks, filters, or external programs."""

    def __init__(self, folder: Path) -> None:
        """Raises UserError when `folder` is not inside a git repository."""
        self._folder = folder
        self._git("rev-parse", "--git-dir", wrong=outside(folder))

    def commit(self, ref: str) -> str:
        """The commit that `ref` names; raises UserError when there is none."""
        wrong = message(
            '"{ref}" names no commit here; fetch it, or name another branch or commit.', ref=ref
        )
        arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return self._git(*arguments, wrong=wrong).decode().strip()

    def blob(self, commit: str, path: str, most: int = MAX_BLOB) -> bytes | None:
        """The content of a regular file at a commit; None when there is none.

        Raises UserError with the reason when it is a link or has more than `most` bytes.
        """
        mode, kind, digest = self._entry(commit, path)
        if kind in ("tree", ""):
            return None
        if reason := self._unreadable(mode, digest, path, most):
            raise UserError(reason)
        return self._git("cat-file", "blob", digest)

    def _entry(self, commit: str, path: str) -> tuple[str, str, str]:
        """Mode, kind and object id of what stands at a path; empty when there is nothing."""
        listed = self._git("ls-tree", "-z", "--full-tree", commit, "--", f":(literal,top){path}")
        mode, kind, digest = listed.split(b"\t", 1)[0].decode().split() or ("", "", "")
        return mode, kind, digest

    def files(self, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes | None]:
        """The regular files at (ref, path).

        None where nothing stands there; missing where the commit is not here, and where something
        else than a file that can be read stands there.
        """
        found: dict[tuple[str, str], bytes | None] = {}
        for ref, path in dict.fromkeys(places):
            with suppress(UserError):
                commit = self.commit(ref)
                if self._entry(commit, path)[1] in ("blob", ""):
                    found[ref, path] = self.blob(commit, path)
        return found

    def below(self, commit: str, folder: str, suffix: str | tuple[str, ...]) -> dict[str, bytes]:
        """The regular files below a folder whose names end so, by their paths.

        Empty when there is no such folder. Raises TooMuchError above MAX_FILES or MAX_BLOB
        bytes.
        """
        every = self._regular(commit, "--", f"{folder}/")
        wanted = {path: found for path, found in every.items() if path.endswith(suffix)}
        return self._contents(wanted, folder, suffix)

    def paths(self, commit: str) -> Sequence[str]:
        """The paths of all regular files of a commit. Raises UserError."""
        return sorted(self._regular(commit))

    def chosen(
        self, commit: str, choose: Callable[[Sequence[str]], Sequence[str]]
    ) -> dict[str, bytes]:
        """The regular files of a commit that `choose` selects of all paths.

        Raises TooMuchError above MAX_FILES or MAX_BLOB bytes.
        """
        every = self._regular(commit)
        wanted = {path: every[path] for path in choose(sorted(every))}
        return self._contents(wanted, WHOLE, "")

    def _regular(self, commit: str, *within: str) -> dict[str, tuple[str, int]]:
        """Path to blob and size of the regular files."""
        listed = self._git("ls-tree", "-r", "-z", "-l", "--full-tree", commit, *within)
        found: dict[str, tuple[str, int]] = {}
        for entry in filter(None, listed.split(b"\0")):
            facts, path = entry.split(b"\t", 1)
            mode, _, digest, size = facts.decode().split()
            if mode in ("100644", "100755"):
                # Of a file that a partial clone lacks git says BAD; it has no size yet.
                found[path.decode("utf-8", "surrogateescape")] = (digest, whole_number(size) or 0)
        return found

    def _contents(
        self, wanted: Mapping[str, tuple[str, int]], what: str, suffix: str | tuple[str, ...]
    ) -> dict[str, bytes]:
        if len(wanted) > MAX_FILES or sum(size for _, size in wanted.values()) > MAX_BLOB:
            raise TooMuchError(too_much(what, len(wanted), suffix))
        return {path: self._git("cat-file", "blob", digest) for path, (digest, _) in wanted.items()}

    def change(self, base: str, head: str) -> LocalChange:
        """What `head` adds, alters and takes away since it left `base`.

        Raises UserError when a ref names no commit or the two have no common ancestor.
        """
        base_commit, head_commit = self.commit(base), self.commit(head)
        wrong = message("{base} and {head} have no common ancestor.", base=base, head=head)
        fork = self._git("merge-base", base_commit, head_commit, wrong=wrong).decode().strip()
        arguments = ("diff-tree", "-r", "-z", "-M", "--raw", "--no-ext-diff", "--no-textconv")
        raw = self._git(*arguments, "--diff-filter=AMRCTD", fork, head_commit)
        found, renamed = changed_entries(raw)
        removed = frozenset(path for mode, _, path in found if mode == _GONE)
        kept = tuple(entry for entry in found if entry[0] != _GONE)
        return LocalChange(self, base_commit, head_commit, fork, kept, removed, renamed)

    def uncommitted(self, commit: str, wanted: Callable[[str], bool]) -> list[str]:
        """Wanted files of the working tree that are not as a commit has them, in path order.

        None where there is no working tree. `git status` would run the filters that the
        repository's attributes name. Raises UserError.
        """
        try:
            top = Path(os.fsdecode(self._git("rev-parse", "--show-toplevel").removesuffix(b"\n")))
        except UserError:
            return []
        which = ("--cached", "--others", "--exclude-standard", "--full-name")
        listed = self._git("ls-files", "-z", *which, "--", ":(top)").split(b"\0")
        there = self._regular(commit)
        paths = {path.decode("utf-8", "surrogateescape") for path in listed if path} | set(there)
        return [
            path
            for path in sorted(filter(wanted, paths))
            if not _is_as(top / path, there[path][0] if path in there else None)
        ]

    def lasting_commit(self, commit: str, path: str) -> str | None:
        """The newest commit of HEAD's history with the file that another commit has.

        None where that commit is in the history itself, and where no commit surely has the file: of
        a commit that is not here only the path is known, so that the file may never have changed.
        Raises UserError.
        """
        if self._git("rev-parse", "--is-shallow-repository").strip() == b"true":
            return None
        try:
            known = self.commit(commit)
        except UserError:
            known = None
        if known is not None and self._is_in_history(known):
            return None
        every = self._git("log", "--format=%H", "HEAD", "--", f":(literal,top){path}")
        candidates = every.decode().split()
        if known is None:
            return candidates[0] if len(candidates) == 1 else None
        wanted = self._entry(known, path)
        same = (each for each in candidates if self._entry(each, path) == wanted)
        return next(same, None) if all(wanted) else None

    def _is_in_history(self, commit: str) -> bool:
        try:
            return self._git("merge-base", commit, "HEAD").decode().strip() == commit
        except UserError:  # They have nothing in common.
            return False

    def web_url(self) -> str | None:
        """The https address of the remote `origin`; None when there is none or it is local."""
        try:
            remote = self._git("remote", "get-url", "origin").decode().strip()
        except UserError:
            return None
        found = _REMOTE.match(remote)
        return f"https://{found[1]}/{found[2]}/{found[3]}" if found else None

    def changed(self, mode: str, digest: str, path: str, fork: str, head: str) -> ChangedFile:
        """One file of a change with its content, or the reason why it was not read."""
        try:
            path.encode()
        except UnicodeEncodeError:
            shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            odd = message("The path {path} is not UTF-8; rename the file.", path=shown)
            return ChangedFile(path=shown, data=None, reason=odd)
        if reason := self._unreadable(mode, digest, path):
            return ChangedFile(path=path, data=None, reason=reason)
        return ChangedFile(
            path=path,
            data=self._git("cat-file", "blob", digest),
            contributor=self._author(path, fork, head),
        )

    def _unreadable(self, mode: str, digest: str, path: str, most: int = MAX_BLOB) -> str:
        if mode not in ("100644", "100755"):
            return odd_file(path, link=mode == "120000")
        size = int(self._git("cat-file", "-s", digest))
        return too_large(path, size, most) if size > most else ""

    def _author(self, path: str, fork: str, head: str) -> str | None:
        arguments = ("log", "-1", "--no-show-signature", "--format=%an%x00%ae", f"{fork}..{head}")
        line = (
            self._git(*arguments, "--", f":(literal,top){path}").decode("utf-8", "replace").strip()
        )
        name, _, address = line.partition("\0")
        return author_of(name, address)

    def _git(self, *arguments: str, wrong: str | None = None) -> bytes:
        return git(self._folder, *arguments, wrong=wrong)


def author_of(name: str, address: str) -> str | None:
    """A GitHub login where the address is one of GitHub's, else `name <address>`."""
    found = _NOREPLY.match(address)
    if found:
        return found[1]
    return f"{name} <{address}>" if name or address else None


def _is_as(file: Path, digest: str | None) -> bool:
    """Whether a file has the content of a blob, but for the ends of lines; None for no file."""
    try:
        data = file.read_bytes() if file.is_file() else None
    except OSError:
        return True
    if data is None or digest is None:
        return data is None and digest is None
    return is_blob(digest, data) or is_blob(digest, data.replace(b"\r\n", b"\n"))
