"""`/apply`: commits safe fixes and the page's rows to the branch of a pull request.

Two commits at most: the fixes, and, once the result is checked, the rows. Each stands on the commit
that was checked; when the branch moves meanwhile, nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.apply import fixed_scripts, with_rows
from bot.github.blobs import Contents, Entry, Reader
from bot.github.commit import MovedError, NewFile, commit_files
from bot.github.errors import NotAllowedError, NotFoundError
from bot.pulls import CheckedPull, check_pull
from bot.render.escape import clip, code_span, markdown_inline

if TYPE_CHECKING:
    from bot.check_change import Asked
    from bot.github.client import Client
    from bot.github.pull import PullId, PullRequest
    from bot.github.talk import Asker

_PASTE = "The comment of the check has the row to paste."
_MENTIONED = 5


@dataclass(slots=True, kw_only=True)
class WrittenBack:
    """What `/apply` did."""

    commits: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    """Markdown."""
    done: bool = True
    """False when something was to be written and could not be."""


def write_back(
    client: Client,
    writer: Client,
    pull: PullId,
    asked: Asked,
    asker: Asker,
    *,
    contents: Contents | None = None,
) -> WrittenBack:
    """Check the pull request, then commit what can be; `writer` may write contents.

    Written are only tuning scripts that the pull request brings and the documentation page. Raises
    UserError when it cannot be read or checked.
    """
    kept = contents or Contents()
    result = WrittenBack()
    read = check_pull(client, pull, asked, contents=kept)
    if refusal := _refusal(read.pull):
        return WrittenBack(sentences=[refusal], done=False)
    try:
        found = _entries(client, read, kept, list(read.checked.sources))
        scripts = {path: e.data for path, e in found.items() if e.data is not None}
        report, options = read.checked.report, read.checked.options
        fixed = fixed_scripts(report, scripts, options)
        if fixed:
            _commit(writer, read, found, fixed, _named("Fix", list(fixed)), asker, result)
            read = check_pull(client, pull, asked, contents=kept)
        _rows(client, writer, read, kept, asker, result)
    except MovedError as error:
        result.sentences.append(markdown_inline(str(error)))
        result.done = False
    except (NotAllowedError, NotFoundError) as error:
        where = code_span(f"{read.pull.head_repository}:{read.pull.head_branch}")
        result.sentences.append(
            f"The token of rlbot may not write to {where}. {markdown_inline(str(error))} {_PASTE}"
        )
        result.done = False
    return result


def _rows(
    client: Client,
    writer: Client,
    read: CheckedPull,
    contents: Contents,
    asker: Asker,
    result: WrittenBack,
) -> None:
    page = read.checked.config.page
    entry = _entries(client, read, contents, [page]).get(page) if page else None
    if page is None or entry is None or entry.data is None:
        if not result.commits:
            result.sentences.append("There is nothing to fix, and the branch has no page.")
        return
    try:
        text = entry.data.decode("utf-8")
    except UnicodeDecodeError:
        result.sentences.append(f"{code_span(page)} is not UTF-8; convert it first.")
        result.done = False
        return
    rows = with_rows(read.checked.report, text, page)
    if rows.scripts:
        message = _named("Add the row of", rows.scripts)
        _commit(writer, read, {page: entry}, {page: rows.text.encode()}, message, asker, result)
    for path, why in rows.left[:_MENTIONED]:
        result.sentences.append(f"No row for {code_span(path)}: {markdown_inline(why)}")
        result.done = False
    if more := len(rows.left) - _MENTIONED:
        result.sentences += [f"{more} more got no row."] if more > 0 else []
    if not result.commits and not rows.left:
        result.sentences.append("There is nothing to fix, and the page holds every row.")


def _refusal(pull: PullRequest) -> str:
    if pull.head_repository is None:
        return f"The fork of this pull request is gone. {_PASTE}"
    if pull.from_fork and not pull.maintainer_can_modify:
        return f"The author does not allow edits by maintainers on this branch. {_PASTE}"
    return ""


def _entries(
    client: Client, read: CheckedPull, contents: Contents, paths: Sequence[str]
) -> dict[str, Entry]:
    head = read.pull.head
    reader = Reader(client, read.pull.id.repository, contents)
    found = reader.entries([(head, path) for path in paths])
    return {path: entry for (_, path), entry in found.items()}


def _commit(
    writer: Client,
    read: CheckedPull,
    found: Mapping[str, Entry],
    new: Mapping[str, bytes],
    message: str,
    asker: Asker,
    result: WrittenBack,
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
        message=f"{message}\n\n{_asked_by(asker)}\n",
    )
    result.commits.append(made)
    result.sentences.append(f"{markdown_inline(message)}: {made}.")


def _asked_by(asker: Asker) -> str:
    """Who asked for it, as GitHub notes who applies a suggestion."""
    number = f"{asker.id}+" if asker.id is not None else ""
    address = f"{number}{asker.login}@users.noreply.github.com"
    return f"Co-authored-by: {asker.login} <{address}>"


def _named(what: str, paths: Sequence[str]) -> str:
    name = clip(paths[0].rsplit("/", 1)[-1], 100).replace("\n", " ")
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{what} {name}{more}"
