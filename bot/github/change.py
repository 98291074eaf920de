"""A change as the check sees it, from a local branch or a pull request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final, Protocol

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, plural_message

MAX_BLOB = 1 << 24
"""Bytes; a larger file is not read."""

MAX_FILES = 1_000
"""Files of a folder that are read at most."""

MAX_SCRIPTS = 200
"""Scripts of one change that are read at most; the others are named as not checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file that the change adds or alters."""

    path: str
    data: bytes | None
    """None when it was not read; `reason` says why."""
    reason: str = ""
    contributor: str | None = None
    """GitHub login where it is known, else the commit author's `name <address>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSelection:
    """What the check needs of a change; it is asked for at once, so that few requests are made."""

    script: Callable[[str], bool]
    """True for the path of a tuning script."""
    page: str | None = None
    """The documentation page: read at the head where the change alters it, else at the base."""
    others: Callable[[Sequence[str], Mapping[str, bytes]], Sequence[str]] | None = None
    """Of the paths of all regular files of the head, and of the scripts with their contents, which
    files are read too; called once where there are scripts or a page."""
    alone: bool = True
    """Whether nothing is read where the change itself holds neither a script nor the page."""
    later: tuple[str, ...] = ()
    """Folders of the head that may be asked for afterwards; their names come along for nothing."""
    ahead: Callable[[bytes | None], Sequence[tuple[str, str]]] | None = None
    """Given the page, the (commit, path) of files that will be asked for, and with them the scripts
    in those folders: they are read together with `others`. None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFiles:
    """What a change holds of what was wanted."""

    scripts: tuple[ChangedFile, ...]
    """Added and altered ones, in path order."""
    recipes: tuple[ChangedFile, ...] = ()
    """The YAML recipes among them, which have no runs and no rows."""
    page: bytes | None = None
    page_changed: bool = False
    """True when the page was read at the head, because the change adds or alters it."""
    page_before: bytes | None = None
    """The page at the base, when the change alters it."""
    page_removed: bool = False
    """True when the change takes the page away."""
    scripts_removed: bool = False
    """True when the change removes or renames tuning scripts: rows that lead there stay behind."""
    config: bytes | None = None
    """The configuration at the head, when the change alters it; never applied."""
    others: Mapping[str, bytes] = field(default_factory=dict)
    """Path to content of the other files of the head that were wanted."""
    gaps: tuple[tuple[str, str], ...] = ()
    """What could not be looked at: a name and a sentence for each."""


class ChangeLookup(Protocol):
    """What can be looked up of a change while it is checked. Raises UserError with a sentence."""

    @property
    def base(self) -> str:
        """Commit of the base, 40 digits."""

    @property
    def head(self) -> str:
        """Commit of the head, 40 digits: nothing else of the change is read."""

    @property
    def web_url(self) -> str | None:
        """The https address of the repository that permalinks go to; None when there is none."""

    def head_file(self, path: str, most: int = MAX_BLOB, /) -> bytes | None:
        """The content of a regular file at the head; None when there is none.

        A link, and what has more than `most` bytes, is a UserError.
        """

    def below(
        self, commit: str, folder: str, suffix: str | tuple[str, ...], /
    ) -> Mapping[str, bytes]:
        """The regular files below a folder whose names end so, by their paths.

        Empty when there is no such folder; too much to be read is a UserError.
        """

    def files(self, places: Sequence[tuple[str, str]], /) -> Mapping[tuple[str, str], bytes | None]:
        """The regular files at (commit, path), whose commits are full ids.

        None where the commit has no such path; missing where the commit is not known, and where
        something else than a file that can be read stands there.
        """

    def texts(self) -> tuple[str, ...]:
        """What the change's author wrote about it, oldest first; links to runs may stand there."""


class ChangeSource(ChangeLookup, Protocol):
    """A change that can be read."""

    @property
    def changes(self) -> Mapping[str, str]:
        """Path to ADDED, MODIFIED, DELETED, …; RENAMED where the old path is not known."""

    def paths(self, commit: str, /) -> Sequence[str]:
        """The paths of all regular files of the base or the head; UserError for too many."""

    def chosen(self, choose: Callable[[Sequence[str]], Sequence[str]], /) -> Mapping[str, bytes]:
        """The regular files of the head that are selected of all paths; UserError for too much."""

    def base_file(self, path: str, /) -> bytes | None:
        """The content of a regular file at the base, where configuration is read from.

        None when there is none.
        """

    def read(self, wanted: FileSelection, /) -> ChangeFiles:
        """Everything that is wanted, where the change touches a script or the page."""


WHOLE: Final = message("the repository")
"""The folder of `too_much` that is none."""


def too_large(path: str, size: int, most: int) -> str:
    """Why a file was not read."""
    return message(
        "{path} has {size} bytes; at most {limit} are read.",
        path=path,
        size=f"{size:,}",
        limit=f"{most:,}",
    )


OVER_LIMIT: Final = message(
    "At most {limit} scripts of one change are read; split it.", limit=f"{MAX_SCRIPTS:,}"
)
"""Why a script beyond MAX_SCRIPTS was not read."""


def odd_file(path: str, *, link: bool) -> str:
    """Why what stands at a path is not read: a symbolic link, a submodule."""
    if link:
        return message("{path} is a symbolic link; commit a file.", path=path)
    return message("{path} is not a regular file; commit a file.", path=path)


def too_much(folder: str, number: int, suffix: str | tuple[str, ...]) -> str:
    """Why a folder was not read."""
    count = f"{number:,}"
    if not suffix:
        return plural_message(
            "{folder} holds too much to be read: {count} more file.",
            "{folder} holds too much to be read: {count} more files.",
            number,
            folder=folder,
            count=count,
        )
    return plural_message(
        "{folder} holds too much to be read: {count} {suffix} file.",
        "{folder} holds too much to be read: {count} {suffix} files.",
        number,
        folder=folder,
        count=count,
        suffix=suffix if isinstance(suffix, str) else "/".join(suffix),
    )
