"""The commit of a contribution: a script and its row on a branch of their own, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.files import make_folder, replace_file, write_new_file
from bot.base.messages import sentence_of
from bot.check.request import PageText, ScriptFile
from bot.check.script import row_edit
from bot.github.branch import Clone, FileState
from bot.report import ScriptReport
from bot.table import PageChange
from bot.table.rst import UNKNOWN_CELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What is added to a clone."""

    clone: Clone
    script: ScriptFile
    state: FileState
    """What the script is beside the last commit."""
    report: ScriptReport
    page: PageText | None = None
    change: PageChange | None = None
    """The page with the row; None where it has the row already, or there is no page."""

    @classmethod
    def of(
        cls, clone: Clone, script: ScriptFile, page: PageText | None, report: ScriptReport
    ) -> Contribution:
        """What a checked script adds, of which nothing is written yet."""
        change = None
        if page is not None and report.row is not None and report.page_edit is not None:
            made = row_edit(page, report.row, report.page_edit.section)
            change = made if made.edit.action != "none" else None
        return cls(
            clone=clone,
            script=script,
            state=clone.state(script.path),
            report=report,
            page=page,
            change=change,
        )

    @property
    def branch(self) -> str:
        """The branch that it is made on."""
        return f"tuning/{PurePosixPath(self.script.path).stem}"

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it alters; none where script and row are there already."""
        script = (self.script.path,) if self.state != "same" else ()
        return script if self.page is None or self.change is None else (*script, self.page.path)

    @property
    def title(self) -> str:
        """The subject of the commit and the pull request, in English, as the project's own are."""
        row = self.report.row
        cells = (row.model, row.task, row.resource) if row is not None else ()
        known = ", ".join(cell for cell in cells if cell != UNKNOWN_CELL)
        what = {"new": "Add a tuning script", "changed": "Change a tuning script"}.get(self.state)
        if what is None:
            added = self.change is not None and self.change.edit.action == "add"
            what = f"{'Add' if added else 'Update'} the row of a tuning script"
        return f"{what}: {known or PurePosixPath(self.script.path).name}"

    def body(self, link: str | None, checked: str) -> str:
        """The description of the pull request, in Markdown.

        `checked` is the result of the check, shown where nobody else can read the run.
        """
        script = f"`{self.script.path}`"
        row = self.change.edit.action if self.change is not None else "none"
        if self.state == "same":
            verb, preposition = ("Adds", "to") if row == "add" else ("Updates", "in")
            what = f"{verb} the row of {script} {preposition} the table."
        else:
            verb = "Adds" if self.state == "new" else "Changes"
            what = f"{verb} {script}{' and its row in the table' if row != 'none' else ''}."
        if link:
            return f"{what}\n\nRun: {link}\n"
        return f"{what}\n\nThe run lies on no server. What its records say:\n\n{checked}\n"

    def commit(self) -> None:
        """Write the files and commit them, and nothing else, on the branch.

        Raises UserError; files, index and branch are then as they were.
        """
        target = self.clone.root / self.script.path
        try:
            with _made(target, self.script.data), self._edited():
                self.clone.commit(self.branch, self.files, self.title)
        except UserError as error:
            raise UserError(
                "Nothing was committed, and the clone is as it was. {error}",
                error=sentence_of(error),
            ) from None

    @contextmanager
    def _edited(self) -> Iterator[None]:
        """The page with the row; as it was where what follows fails."""
        if self.page is None or self.change is None:
            yield
            return
        path = self.clone.root / self.page.path
        old, new = self.page.text.encode(), self.change.text.encode()
        replace_file(path, old, new)
        try:
            yield
        except BaseException:
            replace_file(path, new, old)
            raise


@contextmanager
def _made(target: Path, data: bytes) -> Iterator[None]:
    """The script in its folder where it was not there; neither where what follows fails."""
    if target.exists():
        yield
        return
    missing = [folder for folder in target.parents if not folder.exists()]
    try:
        make_folder(target.parent)
        write_new_file(target, data, mode=0o755)
        yield
    except BaseException:
        target.unlink(missing_ok=True)
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise
