"""The repository that a page lies in: its root, its remote, its history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError

if TYPE_CHECKING:
    from bot.check.page import CommitReader, LastingCommit
    from bot.check.request import PageText, ScriptFile
    from bot.github.local import LocalRepository
    from bot.table.links import Website


def page_root(page: Path, folders: tuple[str, ...]) -> Path:
    """The repository that holds the page: a git checkout, else the folder that holds the scripts.

    Without either it is the folder that the command was started in, when the page lies below it.
    """
    above = page.resolve().parents
    for folder in above:
        if (folder / ".git").exists():
            return folder
    for folder in above:
        if any((folder / scripts).is_dir() for scripts in folders):
            return folder
    here = Path.cwd().resolve()
    return here if here in above else page.resolve().parent


def page_history(root: Path) -> tuple[Website, CommitReader | None, LastingCommit | None]:
    """The remote of a checkout, its files by commit, and commits that last; without git nothing."""
    from bot.table.links import Website

    repository = _checkout(root)
    if repository is None:
        return Website(), None, None

    def blob(ref: str, path: str) -> bytes | None:
        return repository.blob(repository.commit(ref), path)

    return Website(repository.web_url()), blob, repository.lasting_commit


def row_link(page_path: Path, page: PageText, script: ScriptFile) -> str:
    """The link of the script's row; its name where it lies in another place than the page.

    Raises UserError when git cannot be asked.
    """
    from bot.check.links import LinkSource, script_links
    from bot.check.request import PageText
    from bot.table.links import Website

    root = page_root(page_path, ())
    file = Path(script.full_path or script.path).resolve()
    if not file.is_relative_to(root):
        return file.name
    path = file.relative_to(root).as_posix()
    repository = _checkout(root)
    source = LinkSource(
        website=Website(repository.web_url() if repository else None),
        commit=_commit_with(repository, path, script.data),
        contents=repository.files if repository else lambda _places: {},
    )
    within = PageText(path=page_path.resolve().relative_to(root).as_posix(), text=page.text)
    return script_links(within, {path: script.data}, source)[path]


def _checkout(root: Path) -> LocalRepository | None:
    from bot.github.local import LocalRepository

    return LocalRepository(root) if (root / ".git").exists() else None


def _commit_with(repository: LocalRepository | None, path: str, data: bytes) -> str | None:
    """HEAD, where it has the script as it stands."""
    if repository is None:
        return None
    try:
        head = repository.commit("HEAD")
        return head if repository.blob(head, path) == data else None
    except UserError:
        return None
