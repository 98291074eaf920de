"""`/apply`: commits safe fixes and the page's rows to the branch of a pull request.

Two commits at most: the fixes, and, once the result is checked, the rows. Each stands on the commit
that was checked; when the branch moves meanwhile, nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from bot.base.messages import Language, message, sentence_of
from bot.check.translate import in_words
from bot.github.blobs import BlobReader, Contents, TreeEntry
from bot.github.commit import MovedError, NewFile, commit_files
from bot.github.errors import NotAllowedError, NotFoundError
from bot.render.escape import clip, code_span, markdown_inline
from bot.review.apply import fixed_scripts, with_rows
from bot.review.pull import CheckedPull, check_pull

if TYPE_CHECKING:
    from bot.github.client import Client
    from bot.github.pull import PullId, PullRequest
    from bot.github.talk import Asker
    from bot.review.check import CheckRequest

_PASTE: Final = "The comment of the check has the row to paste."
_MESSAGES: Final = {"fix": "Fix {name}{more}", "row": "Add the row of {name}{more}"}
_MENTIONED = 5


@dataclass(slots=True, kw_only=True)
class CommitResult:
    """What `/apply` did."""

    commits: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    """Markdown."""
    done: bool = True
    """False when something was to be written and could not be."""
    language: Language = "en"
    """The language of the sentences."""

    @property
    def text(self) -> str:
        """All sentences, one after the other."""
        return ("" if self.language == "zh" else " ").join(self.sentences)

    def tell(self, sentence: str) -> None:
        """Add a sentence, Markdown with its values escaped."""
        self.sentences.append(in_words(sentence, self.language))

    def plain(self, sentence: str) -> str:
        """Any other sentence as Markdown, to stand within one."""
        return markdown_inline(in_words(sentence, self.language))


def commit_fixes(
    client: Client,
    writer: Client,
    pull: PullId,
    asked: CheckRequest,
    asker: Asker,
    *,
    contents: Contents | None = None,
) -> CommitResult:
    """Check the pull request, then commit what can be; `writer` may write contents.

    Written are only tuning scripts that the pull request brings and the documentation page. Raises
    UserError when it cannot be read or checked.
    """
    kept = contents or Contents()
    read = check_pull(client, pull, asked, contents=kept)
    result = CommitResult(language=read.checked.config.language)
    if refusal := _refusal(read.pull):
        result.tell(refusal)
        result.tell(message(_PASTE))
        result.done = False
        return result
    try:
        found = _entries(client, read, kept, list(read.checked.sources))
        scripts = {path: e.data for path, e in found.items() if e.data is not None}
        report, options = read.checked.report, read.checked.options
        fixed = fixed_scripts(report, scripts, options)
        if fixed:
            _commit(writer, read, found, fixed, _message("fix", list(fixed)), asker, result)
            read = check_pull(client, pull, asked, contents=kept)
        _rows(client, writer, read, kept, asker, result)
    except MovedError as error:
        result.tell(result.plain(sentence_of(error)))
        result.done = False
    except (NotAllowedError, NotFoundError) as error:
        where = code_span(f"{read.pull.head_repository}:{read.pull.head_branch}")
        result.tell(message("The token of rlbot may not write to {where}.", where=where))
        result.tell(result.plain(sentence_of(error)))
        result.tell(message(_PASTE))
        result.done = False
    return result


def _rows(
    client: Client,
    writer: Client,
    read: CheckedPull,
    contents: Contents,
    asker: Asker,
    result: CommitResult,
) -> None:
    page = read.checked.config.page
    entry = _entries(client, read, contents, [page]).get(page) if page else None
    if page is None or entry is None or entry.data is None:
        if not result.commits:
            result.tell(message("There is nothing to fix, and the branch has no page."))
        return
    try:
        text = entry.data.decode("utf-8")
    except UnicodeDecodeError:
        result.tell(message("{page} is not UTF-8; convert it first.", page=code_span(page)))
        result.done = False
        return
    rows = with_rows(read.checked.report, text, page)
    if rows.scripts:
        wording = _message("row", rows.scripts)
        _commit(writer, read, {page: entry}, {page: rows.text.encode()}, wording, asker, result)
    for path, why in rows.left[:_MENTIONED]:
        result.tell(
            message("No row for {script}: {why}", script=code_span(path), why=result.plain(why))
        )
        result.done = False
    if (more := len(rows.left) - _MENTIONED) > 0:
        result.tell(message("{count} more got no row.", count=more))
    if not result.commits and not rows.left:
        result.tell(message("There is nothing to fix, and the page holds every row."))


def _refusal(pull: PullRequest) -> str:
    if pull.head_repository is None:
        return message("The fork of this pull request is gone.")
    if pull.from_fork and not pull.maintainer_can_modify:
        return message("The author does not allow edits by maintainers on this branch.")
    return ""


def _entries(
    client: Client, read: CheckedPull, contents: Contents, paths: Sequence[str]
) -> dict[str, TreeEntry]:
    head = read.pull.head
    reader = BlobReader(client, read.pull.id.repository, contents)
    found = reader.entries([(head, path) for path in paths])
    return {path: entry for (_, path), entry in found.items()}


def _commit(
    writer: Client,
    read: CheckedPull,
    found: Mapping[str, TreeEntry],
    new: Mapping[str, bytes],
    text: str,
    asker: Asker,
    result: CommitResult,
) -> None:
    pull = read.pull
    page = read.checked.config.page
    if stray := [path for path in new if path not in read.checked.sources and path != page]:
        raise AssertionError(f"not ours to write: {stray}")
    made = commit_files(
        writer,
        pull.head_repository or pull.id.repository,
        pull.head_branch,
        head=pull.head,
        files=[NewFile(path=path, data=data, mode=found[path].mode) for path, data in new.items()],
        message=f"{text}\n\n{_asked_by(asker)}\n",
    )
    result.commits.append(made)
    result.tell(message("{what}: {commit}.", what=result.plain(text), commit=made))


def _asked_by(asker: Asker) -> str:
    """Who asked for it, as GitHub notes who applies a suggestion."""
    number = f"{asker.id}+" if asker.id is not None else ""
    address = f"{number}{asker.login}@users.noreply.github.com"
    return f"Co-authored-by: {asker.login} <{address}>"


def _message(what: Literal["fix", "row"], paths: Sequence[str]) -> str:
    """The first line of a commit's message."""
    name = clip(paths[0].rsplit("/", 1)[-1], 100).replace("\n", " ")
    more = message(" and {count} more", count=len(paths) - 1) if len(paths) > 1 else ""
    return message(_MESSAGES[what], name=name, more=more)
