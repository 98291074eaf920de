"""RLB315: a row does not credit the contributor that its script names."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext

_NONE = "this row names no contributor"
_OTHER = "the row credits {cell}, a comment of {script} names {stated}"
_HELP = "write who measured it, with a link"
_AGREE = "make the two agree"

META = Meta(
    id="RLB315",
    slug="row-contributor",
    severity="note",
    added_in="0.1.0",
    summary="A row credits nobody, or another contributor than its script names.",
    why="A contributor can answer questions about the run, and deserves the credit.",
    instead="Write the contributor's name or login with a link.",
    limits=(
        "A table without the column is not looked at. A script names its contributor with a "
        "comment `# contributor: LOGIN`; where it differs from the row it is a warning."
    ),
    zh=Chinese(
        summary="某一行没有署名贡献者，或与脚本所写的贡献者不同。",
        why="贡献者可以回答关于运行的问题，也应得到署名。",
        instead="写贡献者的名字或账号，并加链接。",
        limits=(
            "没有该列的表格不检查。脚本用注释 `# contributor: LOGIN` 写明贡献者；与该行不同为警告。"
        ),
        sentences={
            _NONE: "该行没有写贡献者",
            _OTHER: "该行署名 {cell}，而 {script} 的注释写 {stated}",
            _HELP: "写明测量者，并加链接",
            _AGREE: "让两处一致",
        },
    ),
)


def check(context: PageContext) -> Iterator[Hit]:
    """Compare each credit with the script's comment."""
    for entry in context.entries:
        cell, subject = entry.row.cell("contributor"), entry.subject
        if cell is None:
            continue
        stated = subject.header.contributor.text if subject and subject.header.contributor else None
        if not cell.text:
            yield Hit(message=message(_NONE), start=cell.start, end=cell.end, help=message(_HELP))
        elif stated and not _same(cell.text, stated, cell.link.url if cell.link else ""):
            yield Hit(
                message=message(_OTHER, cell=cell.text, script=entry.script, stated=stated),
                start=cell.start,
                end=cell.end,
                help=message(_AGREE),
                severity="warning",
            )


def _same(cell: str, stated: str, url: str) -> bool:
    """Whether name, login or address of the two agree."""
    words = {stated, stated.split("<")[0], stated.partition("<")[2].rstrip("> ")}
    told = {cell, url, url.rstrip("/").rsplit("/", 1)[-1]}
    return bool({_bare(w) for w in words if w.strip()} & {_bare(t) for t in told if t.strip()})


def _bare(text: str) -> str:
    return text.strip().lstrip("@").casefold()
