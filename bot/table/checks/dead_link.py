"""RLB301: a row's link leads to a file that is not there."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.table import rst
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext, ScriptEntry, Skip

_GONE = "the link leads to {path}, which is not there"
_GONE_AT = "the link leads to {path}, which {commit} does not have"
_MEANT = "link to {path}"
_LOOK = "link to the script, at a commit that has it"
_OPEN = "line {line}: {reason}"
_OPEN_MANY = "lines {lines}: {reason}"
ELSEWHERE = "the link {address} leads to no file on GitHub; nothing is fetched."
FOREIGN = "the link leads to the repository {repository}, which is not this one."
UNREACHED = "the link could not be followed. {reason}"
"""Why it cannot be told where a link leads; said where links are looked up."""

META = Meta(
    id="RLB301",
    slug="dead-link",
    severity="error",
    added_in="0.1.0",
    summary="A row's link leads to a file that is not there.",
    why=(
        "The script is what a row is about: without it nobody can repeat the run, and nothing in "
        "the row can be checked."
    ),
    instead="Link to the script at a commit that has it, which stays true when the script moves.",
    limits=(
        "Nothing is fetched. A link to the branch main, or one without a commit, is looked up in "
        "the files given; one to a commit in the history of the local repository, or on GitHub in "
        "the pull request's own. Other repositories, other branches, and commits that the "
        "repository does not have are reported as not checked. The old and the new name of a "
        "repository that was renamed are one."
    ),
    zh=Chinese(
        summary="某一行的链接指向不存在的文件。",
        why="一行的依据就是脚本：没有脚本，谁也无法复现，该行的内容也无从核对。",
        instead="链接到包含该脚本的提交；这样即使脚本移动，链接也依然有效。",
        limits=(
            "不访问网络。指向 main 分支或不带提交的链接在给定的文件中查找；指向某个提交的链接在本地"
            "仓库的历史中查找，检查 GitHub 上的拉取请求时则在其仓库中查找。其他仓库、其他分支以及"
            "仓库中没有的提交会报告为未核对。仓库改名前后的两个名字视为同一个。"
        ),
        sentences={
            _GONE: "链接指向 {path}，但该文件不存在",
            _GONE_AT: "链接指向 {path}，但提交 {commit} 中没有该文件",
            _MEANT: "改为链接到 {path}",
            _LOOK: "链接到包含该脚本的提交",
            ELSEWHERE: "链接 {address} 不指向 GitHub 上的文件；不访问网络。",
            FOREIGN: "链接指向仓库 {repository}，不是本仓库。",
            UNREACHED: "无法跟随该链接。{reason}",
            _OPEN: "第 {line} 行：{reason}",
            _OPEN_MANY: "第 {lines} 行：{reason}",
        },
    ),
)


def check(context: PageContext) -> Iterator[Hit | Skip]:
    """Look at where each link leads."""
    reasons: dict[str, list[str]] = {}
    for entry in context.entries:
        cell, target = entry.row.cell("link"), entry.target
        if cell is None:
            continue
        if target.state == "unknown":
            reasons.setdefault(target.reason, []).append(str(context.page.line_of(cell.start)))
        elif target.state == "missing":
            text = (
                message(_GONE_AT, path=target.path, commit=target.commit[:10])
                if target.commit
                else message(_GONE, path=target.path)
            )
            meant = entry.meant
            help_ = message(_MEANT, path=meant.path) if meant else message(_LOOK)
            yield Hit(
                message=text,
                start=cell.start,
                end=cell.end,
                help=help_,
                fix_title=help_ if meant else None,
                text=_mended(entry, cell.source),
                safe=True,
            )
    for reason, lines in reasons.items():
        if len(lines) == 1:
            yield Skip(reason=message(_OPEN, line=lines[0], reason=reason))
        else:
            yield Skip(reason=message(_OPEN_MANY, lines=", ".join(lines), reason=reason))


def _mended(entry: ScriptEntry, source: str) -> str | None:
    """The link with the path of the script that is meant; None when that cannot be written."""
    address, path, meant = entry.target.address, entry.target.path, entry.meant
    if meant is None or not path or address.count(path) != 1 or source.count(address) != 1:
        return None
    return source.replace(address, address.replace(path, rst.quote(meant.path)))
