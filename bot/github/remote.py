"""A change read from a pull request on GitHub: nothing is checked out, few requests are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import PurePosixPath
from typing import Any

from bot.base.config import FILE_NAME, SCRIPT_SUFFIXES
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.github.blobs import BlobName, BlobReader, Contents, TreeEntry, altered_names, blob_id
from bot.github.change import (
    MAX_BLOB,
    MAX_FILES,
    MAX_SCRIPTS,
    OVER_LIMIT,
    ChangedFile,
    ChangeFiles,
    FileSelection,
)
from bot.github.client import Client
from bot.github.errors import GitHubError, LimitedError, TooMuchError, UnreachableError
from bot.github.pull import PullId, PullRequest, read_pull


@dataclass(frozen=True, slots=True)
class GitHubChange:
    """A `ChangeSource`: the files of a pull request at the head that `pull` names."""

    client: Client
    pull: PullRequest
    contents: Contents = field(default_factory=Contents)
    _seen: dict[tuple[str, str], TreeEntry | None] = field(default_factory=dict, repr=False)
    """What stands at each (commit, path) that was asked for: nothing is asked for twice."""
    _listed: dict[str, tuple[BlobName, ...]] = field(default_factory=dict, repr=False)
    """The files of commits that were listed whole."""
    _existing: dict[str, bool] = field(default_factory=dict, repr=False)
    """Whether the repository has a commit."""

    @property
    def base(self) -> str:
        """Commit at the tip of the base branch."""
        return self.pull.base

    @property
    def head(self) -> str:
        """Commit of the head."""
        return self.pull.head

    @property
    def web_url(self) -> str:
        """Address of the base's repository: it keeps a pull request's commits for good."""
        return f"{self.client.addresses.server}/{self.pull.id.repository}"

    def reread(self) -> GitHubChange:
        """The pull request as it is now; what was read of its commits is kept.

        Raises GitHubError.
        """
        return replace(self, pull=read_pull(self.client, self.pull.id))

    def with_commit(self, commit: str, written: Mapping[str, bytes]) -> GitHubChange:
        """The pull request with a commit of ours on its head; nothing is read anew.

        `written` are the contents of the files that the commit alters, by path; each was there.
        """
        kinds = dict(self.pull.files)
        for path in written:
            if kinds.get(path, "DELETED") == "DELETED":
                kinds[path] = "MODIFIED"
        new = len(kinds.keys() - self.pull.files.keys())
        blobs = {p: (blob_id(data, len(commit)), data) for p, data in written.items()}
        for oid, data in blobs.values():
            self.contents.put(oid, data)
        seen = dict(self._seen)
        for (at, path), entry in self._seen.items():
            above = f"{path}/"
            if at != self.head or entry is None:
                continue
            if (
                entry.kind == "tree"
                and entry.names is None
                and any(p.startswith(above) for p in blobs)
            ):
                continue  # Only GitHub knows that folder.
            seen[commit, path] = entry.altered(path, blobs)
        listed = dict(self._listed)
        if self.head in listed:
            listed[commit] = altered_names(listed[self.head], blobs)
        pull = replace(
            self.pull,
            head=commit,
            files=kinds,
            changed_files=self.pull.changed_files + new,
            checks=(),
        )
        return replace(self, pull=pull, _seen=seen, _listed=listed)

    def require_head(self, head: str) -> None:
        """Raise UserError unless the head is this commit; its beginning is enough."""
        if not self.head.startswith(head.lower()):
            raise UserError(
                "The head of {pull} is {head}, not {asked}: it has moved on.",
                pull=self.pull.id,
                head=self.head[:12],
                asked=head[:40],
            )

    def base_file(self, path: str) -> bytes | None:
        """The content of a regular file at the base; None when there is none.

        Costs no request for the configuration, which came along. Raises GitHubError.
        """
        reader = self._reader()
        if path == FILE_NAME and self.pull.config is not None:
            return reader.entry(self.pull.config, path).data
        if path == FILE_NAME and self.pull.base_known:
            return None
        entry = self._entries([(self.base, path)]).get((self.base, path))
        return entry.data if entry else None

    def head_file(self, path: str, most: int = MAX_BLOB) -> bytes | None:
        """The content of a regular file at the head; None when there is none. Raises GitHubError.

        Costs a request, unless the file was read before.
        """
        entry = self._entries([(self.head, path)], most).get((self.head, path))
        if entry is None or entry.kind == "tree":
            return None
        if entry.data is None:
            raise GitHubError(entry.reason)
        return entry.data

    def read(self, wanted: FileSelection) -> ChangeFiles:
        """Everything that is wanted, in one request for 25 files. Raises GitHubError."""
        listed = self.pull.files
        present = sorted(path for path, kind in listed.items() if kind != "DELETED")
        paths = [path for path in present if wanted.script(path)]
        gaps = []
        if (missing := self.pull.changed_files - len(listed)) > 0:
            gaps.append(("files", _unlisted(len(listed), missing)))
        page_path = wanted.page or ""
        page_kind = listed.get(page_path, "")
        # GitHub names a renamed file by its new path alone.
        removed = any(
            (kind == "DELETED" and wanted.script(path))
            or (kind == "RENAMED" and path.endswith(SCRIPT_SUFFIXES))
            for path, kind in listed.items()
        )
        ending = PurePosixPath(page_path).suffix
        moved = bool(page_path and not page_kind) and any(
            kind == "RENAMED" and path.endswith(ending) for path, kind in listed.items()
        )
        if wanted.alone and not paths and not page_kind and not removed and not moved:
            alone = self._entries(self._changed_config()).get((self.head, FILE_NAME))
            return ChangeFiles(scripts=(), config=alone.data if alone else None, gaps=tuple(gaps))
        page_changed = page_kind not in ("", "DELETED")
        page_at = (self.head if page_kind else self.base, page_path)
        places = [(self.head, path) for path in paths[:MAX_SCRIPTS]]
        if page_path:
            # The head's page is what `/apply` writes to.
            places += [page_at, (self.base if page_changed else self.head, page_path)]
        found = self._entries([*places, *self._other_places(wanted)])
        # A renamed page is one that the base has and the head does not.
        moved = moved and (self.base, page_path) in found and (self.head, page_path) not in found
        gone = moved or page_kind == "DELETED"
        page = None if gone else found.get(page_at)
        before = found.get((self.base, page_path)) if page_changed else None
        if page and page.kind == "blob" and page.data is None:
            gaps.append(("page", page.reason))
        config = found.get((self.head, FILE_NAME))
        others: Mapping[str, bytes] = {}
        try:
            others = self._others(wanted, found, paths, page)
        except TooMuchError as error:
            gaps.append(("configuration", sentence_of(error)))
        return ChangeFiles(
            scripts=self._scripts(found, paths),
            page=page.data if page else None,
            page_changed=page_changed,
            page_before=before.data if before else None,
            page_removed=gone,
            scripts_removed=removed,
            config=config.data if config else None,
            others=others,
            gaps=tuple(gaps),
        )

    def _others(
        self,
        wanted: FileSelection,
        found: Mapping[tuple[str, str], TreeEntry],
        paths: Sequence[str],
        page: TreeEntry | None,
    ) -> Mapping[str, bytes]:
        """The other files of the head that are wanted, given the scripts and the page."""
        choose = wanted.others
        if choose is None:
            return {}
        contents = {path: entry.data or b"" for (_, path), entry in found.items() if path in paths}
        return self.chosen(
            lambda every: choose(every, contents),
            wanted.ahead(page.data if page else None) if wanted.ahead else (),
            self._later_scripts(wanted, found) if wanted.ahead else (),
        )

    def _other_places(self, wanted: FileSelection) -> list[tuple[str, str]]:
        """Where the configuration and the folders stand."""
        folders = [folder.rstrip("/") for folder in wanted.later if folder.strip("./")]
        # The base's are what a change of the page is compared with.
        places = [(at, path) for at in (self.head, self.base) for path in folders]
        return [*self._changed_config(), *places]

    def _changed_config(self) -> list[tuple[str, str]]:
        """Where the configuration stands, when the change alters it."""
        changed = self.pull.files.get(FILE_NAME, "DELETED") != "DELETED"
        return [(self.head, FILE_NAME)] if changed else []

    def _later_scripts(
        self, wanted: FileSelection, found: Mapping[tuple[str, str], TreeEntry]
    ) -> list[BlobName]:
        """The scripts of the head in the folders, where their names came along."""
        trees = [found.get((self.head, folder.rstrip("/"))) for folder in wanted.later]
        names = [name for tree in trees for name in (tree and tree.names) or ()]
        scripts = [name for name in names if name.path.endswith(SCRIPT_SUFFIXES)]
        return scripts if sum(name.size for name in scripts) <= MAX_BLOB else []

    def _scripts(
        self, found: Mapping[tuple[str, str], TreeEntry], paths: Sequence[str]
    ) -> tuple[ChangedFile, ...]:
        scripts = []
        for path in paths[:MAX_SCRIPTS]:
            entry = found.get((self.head, path))
            if entry is None or entry.data is None:
                gone = message(
                    "{path} is not in commit {commit}, though GitHub lists it.",
                    path=path,
                    commit=self.head[:12],
                )
                reason = entry.reason if entry else gone
                scripts.append(ChangedFile(path=path, data=None, reason=reason))
            else:
                author = self.pull.author or None
                scripts.append(ChangedFile(path=path, data=entry.data, contributor=author))
        over = paths[MAX_SCRIPTS:]
        scripts += [ChangedFile(path=path, data=None, reason=OVER_LIMIT) for path in over]
        return tuple(scripts)

    @property
    def changes(self) -> Mapping[str, str]:
        """Path to how it is changed."""
        return self.pull.files

    def chosen(
        self,
        choose: Callable[[Sequence[str]], Sequence[str]],
        places: Sequence[tuple[str, str]] = (),
        others: Sequence[BlobName] = (),
    ) -> Mapping[str, bytes]:
        """The files of the head that `choose` selects. Raises GitHubError.

        One request for the names, once, and one for each 100 contents that are not known; `places`
        and `others` are read along, so that they are known when they are asked for.
        """
        reader = self._reader()
        names = {name.path: name for name in self._names(self.head)}
        wanted = [names[path] for path in choose(sorted(names))]
        if len(wanted) + len(others) <= MAX_FILES and (places or others):
            try:
                self._entries(places, contents=reader.unknown([*wanted, *others]))
            except (LimitedError, UnreachableError):
                raise
            except GitHubError:
                pass  # Who needs it asks again, and says what is wrong.
        return reader.named(wanted, MAX_FILES)

    def paths(self, commit: str) -> Sequence[str]:
        """The paths of all regular files of a commit, in one request, once. Raises GitHubError."""
        return [name.path for name in self._names(commit)]

    def _names(self, commit: str) -> Sequence[BlobName]:
        if commit not in self._listed:
            self._listed[commit] = self._reader().listed(commit)
        return self._listed[commit]

    def below(self, commit: str, folder: str, suffix: str | tuple[str, ...]) -> Mapping[str, bytes]:
        """The regular files below a folder whose names end so. Raises GitHubError."""
        tree = self._entries([(commit, folder)]).get((commit, folder))
        if tree is None or tree.kind != "tree":
            return {}
        found = self._reader().below(tree, folder, suffix, MAX_FILES)
        return {f"{folder}/{path}": data for path, data in found.items()}

    def files(self, places: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], bytes | None]:
        """The regular files at (commit, path), in one request for 25. Raises GitHubError."""
        wanted = list(dict.fromkeys(places))
        found = self._entries(wanted)
        gone = [key for key in wanted if key not in found]
        asked = {commit for commit, _ in gone} - self._existing.keys()
        there = self._reader().existing_commits(asked)
        self._existing.update({commit: commit in there for commit in asked})
        commits = {commit for commit, _ in gone if self._existing[commit]}
        files = {key: entry.data for key, entry in found.items() if entry.data is not None}
        return {**files, **{key: None for key in gone if key[0] in commits}}

    def head_entries(self, paths: Sequence[str]) -> dict[str, TreeEntry]:
        """What stands at paths of the head, with the mode of each. Raises GitHubError."""
        found = self._entries([(self.head, path) for path in paths])
        return {path: entry for (_, path), entry in found.items()}

    def texts(self) -> tuple[str, ...]:
        """The description and the author's comments."""
        return self.pull.texts()

    def _entries(
        self,
        places: Sequence[tuple[str, str]],
        most: int = MAX_BLOB,
        contents: Sequence[str] = (),
    ) -> dict[tuple[str, str], TreeEntry]:
        missing = [key for key in dict.fromkeys(places) if key not in self._seen]
        found = self._reader().entries(missing, most, contents)
        self._seen.update({key: found.get(key) for key in missing})
        return {key: entry for key in places if (entry := self._seen[key]) is not None}

    def _reader(self) -> BlobReader:
        return BlobReader(self.client, self.pull.id.repository, self.contents)


def read_change(
    client: Client, pull: PullId, found: Mapping[str, Any] | None = None
) -> GitHubChange:
    """Read a pull request; everything else is read at the head that it has now.

    `found` is GraphQL's answer on it, where there is one. Raises GitHubError.
    """
    return GitHubChange(client, read_pull(client, pull, found))


def _unlisted(listed: int, missing: int) -> str:
    return message(
        "GitHub lists {listed} of the {all} changed files; tuning scripts among the other "
        "{missing} were not looked at. Split the pull request.",
        listed=f"{listed:,}",
        all=f"{listed + missing:,}",
        missing=f"{missing:,}",
    )
