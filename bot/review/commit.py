"""`/apply`: commits safe fixes and the page's rows to the branch of a pull request.

Two commits at most: the fixes, and, once the result is checked, the rows. Each stands on the commit
that was checked, whose comment the person who asked could see; when the branch moves meanwhile,
nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Final, Literal

from bot.base.fast_dataclass import dataclass
from bot.base.isolated import IsolationLimits
from bot.base.messages import Language, mark, message, sentence_of, translated
from bot.github.client import Client
from bot.github.command_comment import Asker
from bot.github.commit import Branch, MovedError, NewFile, commit_files
from bot.github.errors import GitHubError, NotAllowedError, NotFoundError, Refusal, RefusedError
from bot.github.pull import PullRequest
from bot.github.remote import GitHubChange
from bot.render.escape import clip, code_span, markdown_inline
from bot.render.wording import row_cells
from bot.review.apply import fixed_scripts, with_rows
from bot.review.check import CheckedChange, CheckRequest, check_change

_NO_SCRIPT: Final = mark(
    "There is nothing to write: this pull request adds or alters no tuning script."
)
_MENTIONED = 5
"""Scripts without a row that a reply names."""


@dataclass(slots=True, kw_only=True)
class CommitResult:
    """What `/apply` did."""

    commits: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    """Markdown."""
    written: list[str] = field(default_factory=list)
    """Markdown: each fix and each row that was committed."""
    change: GitHubChange | None = None
    """The pull request with the commits; None without any."""
    done: bool = True
    """False when something was to be written and could not be."""
    language: Language = "en"
    """The language of the sentences."""

    @property
    def text(self) -> str:
        """All sentences, one after the other, and a list of what was written."""
        text = ("" if self.language == "zh" else " ").join(self.sentences)
        return text + "\n" * bool(self.written) + "".join(f"\n- {item}" for item in self.written)

    def add(self, sentence: str) -> None:
        """Add a sentence, Markdown with its values escaped."""
        self.sentences.append(translated(sentence, self.language))

    def fail(self, *sentences: str) -> None:
        """Add sentences on what could not be written."""
        for sentence in sentences:
            self.add(sentence)
        self.done = False

    def plain(self, sentence: str) -> str:
        """Any other sentence as Markdown, to stand within one."""
        return markdown_inline(translated(sentence, self.language))


class _UnseenError(Exception):
    """Who asked could not know what would be committed."""


def commit_fixes(
    change: GitHubChange,
    request: CheckRequest,
    writer: Client,
    asker: Asker,
    *,
    unseen: str,
) -> CommitResult:
    """Check a pull request, then commit what can be; `writer` may write contents.

    Written are only tuning scripts that the pull request brings and the documentation page.
    `unseen` is a sentence on why the person who asked could not see the check of this commit; then
    nothing is written. Raises UserError when it cannot be read or checked.
    """
    checked = check_change(change, replace(request, ahead="page"))
    result = CommitResult(language=checked.config.language)
    if refusal := _refusal(change.pull):
        result.fail(refusal, _paste())
        return result
    try:
        found = change.head_entries(list(checked.sources))
        scripts = {path: e.data for path, e in found.items() if e.data is not None}
        if fixed := fixed_scripts(checked.report, scripts, checked.options, request.limits):
            read = _Checked(change, checked, writer, asker, unseen)
            made = read.commit(fixed, _subject("fix", list(fixed)), result)
            read.list_fixes(fixed, result)
            change = result.change = change.with_commit(made, fixed)
            checked = check_change(change, request)
        _commit_rows(_Checked(change, checked, writer, asker, unseen), result, request.limits)
    except _UnseenError:
        result.fail(unseen)
    except MovedError as error:
        late = message("The branch moved on after this commit, so that no row was written.")
        result.fail(late if result.commits else result.plain(sentence_of(error)))
    except (NotAllowedError, NotFoundError, RefusedError) as error:
        where = code_span(f"{change.pull.head_repository}:{change.pull.head_branch}")
        result.fail(
            message("The token of rlbot may not write to {where}.", where=where),
            _remedy(change.pull, error) or result.plain(sentence_of(error)),
            _paste(),
        )
    return result


def _remedy(pull: PullRequest, error: GitHubError) -> str:
    """What helps against a refusal; empty where GitHub's own words say so."""
    if error.refusal is not Refusal.READ_ONLY:
        return ""
    if pull.from_fork:
        return message(
            "It belongs to an App or a workflow, and neither may write to a fork, although the "
            "author allows edits by maintainers: a person has to push."
        )
    return message(
        "Grant `contents: write`: to the job in the workflow, or to the App in its settings."
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    """A pull request as it was checked, and who commits to its branch for whom."""

    change: GitHubChange
    checked: CheckedChange
    writer: Client
    asker: Asker
    unseen: str

    def commit(self, new: Mapping[str, bytes], subject: str, result: CommitResult) -> str:
        """Commit files that the pull request brings, or the page. Raises GitHubError."""
        if self.unseen and not result.commits:
            raise _UnseenError
        pull, page = self.change.pull, self.checked.config.page
        if stray := [path for path in new if path not in self.checked.sources and path != page]:
            raise AssertionError(f"not ours to write: {stray}")
        found = self.change.head_entries(list(new))
        commit = commit_files(
            self.writer,
            Branch(
                repository=pull.head_repository or pull.id.repository,
                name=pull.head_branch,
                head=pull.head,
            ),
            [NewFile(path=path, data=data, mode=found[path].mode) for path, data in new.items()],
            f"{subject}\n\n{_co_author(self.asker)}\n",
        )
        result.commits.append(commit)
        result.add(message("{what}: {commit}.", what=result.plain(subject), commit=commit))
        return commit

    def list_fixes(self, fixed: Mapping[str, bytes], result: CommitResult) -> None:
        """Name each fix of these scripts."""
        for script in self.checked.report.scripts:
            for finding in script.findings if script.path in fixed else ():
                if finding.fix and finding.fix.safe:
                    place = code_span(f"{script.path}:{finding.line}")
                    result.written.append(f"{place} {result.plain(clip(finding.fix.title, 200))}")

    def list_rows(self, paths: Sequence[str], result: CommitResult) -> None:
        """Name the cells of the rows of these scripts."""
        for script in self.checked.report.scripts:
            if script.path in paths and script.row is not None:
                cells = markdown_inline(clip(" · ".join(filter(None, row_cells(script.row))), 400))
                result.written.append(f"{code_span(script.path)} {cells}")


def _commit_rows(read: _Checked, result: CommitResult, limits: IsolationLimits) -> None:
    page = read.checked.config.page
    entry = read.change.head_entries([page]).get(page) if page else None
    if page is None or entry is None or entry.data is None:
        _say_no_page(read, page, result)
        return
    try:
        text = entry.data.decode("utf-8")
    except UnicodeDecodeError:
        result.fail(message("{page} is not UTF-8; convert it first.", page=code_span(page)))
        return
    rows = with_rows(read.checked.report, text, page, limits)
    if rows.scripts:
        new = {page: rows.text.encode()}
        made = read.commit(new, _subject("row", rows.scripts), result)
        result.change = read.change.with_commit(made, new)
        read.list_rows(rows.scripts, result)
    for path, why in rows.left[:_MENTIONED]:
        result.fail(
            message("No row for {script}: {why}", script=code_span(path), why=result.plain(why))
        )
    if (more := len(rows.left) - _MENTIONED) > 0:
        result.add(message("{count} more got no row.", count=more))
    if not result.commits and not rows.left:
        holds = message("There is nothing to fix, and the page holds every row.")
        result.add(holds if read.checked.report.scripts else message(_NO_SCRIPT))


def _say_no_page(read: _Checked, page: str | None, result: CommitResult) -> None:
    """Say what becomes of the rows where the branch has no page that can be written."""
    if not read.checked.report.scripts:
        if not result.commits:
            result.add(message(_NO_SCRIPT))
    elif page is not None:
        result.fail(
            message("No row was written: {page} is not on the branch.", page=code_span(page))
        )
    elif not result.commits:
        result.add(message("There is nothing to fix, and no page is configured."))


def _refusal(pull: PullRequest) -> str:
    if pull.head_repository is None:
        return message("The fork of this pull request is gone.")
    if pull.from_fork and not pull.maintainer_can_modify:
        return message("The author does not allow edits by maintainers on this branch.")
    return ""


def _paste() -> str:
    return message("The comment of the check has the row to paste.")


def _co_author(asker: Asker) -> str:
    """Who asked for it, as GitHub notes who applies a suggestion."""
    number = f"{asker.id}+" if asker.id is not None else ""
    address = f"{number}{asker.login}@users.noreply.github.com"
    return f"Co-authored-by: {asker.login} <{address}>"


def _subject(what: Literal["fix", "row"], paths: Sequence[str]) -> str:
    """The first line of a commit's message."""
    name = clip(paths[0].rsplit("/", 1)[-1], 100).replace("\n", " ")
    more = message(" and {count} more", count=len(paths) - 1) if len(paths) > 1 else ""
    if what == "fix":
        return message("Fix {name}{more}", name=name, more=more)
    return message("Add the row of {name}{more}", name=name, more=more)
