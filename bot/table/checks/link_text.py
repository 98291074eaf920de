"""RLB316: the text of a link names another script than its address."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.table.checks._support.base import Chinese, Hit, Meta, PageContext
from bot.table.checks._support.names import bare_stem
from bot.table.parts import file_name

_OTHER = "the link reads {text}, its address leads to {file}"
_HELP = "write the name of the script that the link leads to"

META = Meta(
    id="RLB316",
    slug="link-text",
    severity="warning",
    added_in="0.1.0",
    summary="The text of a link names another script than its address.",
    why="A row that was copied often keeps one of the two, and a reader lands at another script.",
    instead="Let the link read as the script is called.",
    limits=(
        "Only texts in the form of a script's name are compared; the ending .sh, the case, and "
        "dashes for underscores do not count."
    ),
    zh=Chinese(
        summary="链接文字写的脚本与地址指向的不同。",
        why="复制的行常常只改了其中一处，读者会打开另一个脚本。",
        instead="让链接文字与脚本同名。",
        limits="只比较形如脚本名的文字；不计后缀 .sh、大小写以及连字符与下划线之别。",
        sentences={
            _OTHER: "链接文字为 {text}，地址却指向 {file}",
            _HELP: "写链接所指脚本的名字",
        },
    ),
)


def check(context: PageContext) -> Iterator[Hit]:
    """Compare text and address."""
    for entry in context.entries:
        cell = entry.cell("link")
        link = cell.link if cell else None
        if cell is None or link is None or link.text == link.url:
            continue
        name = file_name(link.url) or ""
        scriptlike = link.text.endswith(".sh") or link.text.count("_") > 2
        if scriptlike and bare_stem(link.text) != bare_stem(name):
            text = message(_OTHER, text=link.text, file=name)
            yield Hit(message=text, start=cell.start, end=cell.end, help=message(_HELP))
