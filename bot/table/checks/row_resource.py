"""RLB308: the hardware of a row is not the hardware of its script."""

from __future__ import annotations

from bot.base.devices import by_token, gpu_count, label_of
from bot.base.messages import mark
from bot.base.regex import regex
from bot.table import rst
from bot.table.checks._support.base import (
    Hit,
    Hits,
    Meta,
    PageContext,
    ScriptEntry,
    Skip,
    hit,
    message,
    rewrite,
)
from bot.table.checks._support.compare import USE
from bot.table.parts import Cell

_FORM = mark('the resource is "{cell}"; write number*device, such as 8*H20')
_COUNT = mark("the row says {told}, {script} uses {used}")
_NAME = mark("the row says {told}, the name of {script} says {used}")
_UNKNOWN = mark(
    "line {line}: neither the settings nor the name of {script} tell the number of GPUs, so the "
    "resource was not compared."
)

META = Meta(
    id="RLB308",
    severity="error",
    added_in="0.1.0",
    summary="The number or the kind of GPUs of a row is not that of its script.",
    why="It is what the page is for: a reader rents this hardware.",
    instead="Write nodes × GPUs per node, a star, and the device: 8*H20.",
    limits=(
        "The number comes from the settings, and from the name where they do not give it; the "
        "device from the name, which is all that states it. Names of one device are one (4090 and "
        "RTX4090). A form other than number*device is a warning."
    ),
)

_RESOURCE = regex(r"(\d{1,6})\s*[*x×X]\s*(\S+)\Z")


def check(context: PageContext) -> Hits:
    """Compare number and device."""
    for entry in context.entries:
        cell, subject = entry.cell("resource"), entry.subject
        if cell is None:
            continue
        found = _RESOURCE.match(cell.text)
        if not found:
            yield hit(cell.span, _FORM, cell=cell.text, severity="warning")
        elif subject:
            yield from _compare(context, entry, cell, int(found[1]), found[2])


def _compare(context: PageContext, entry: ScriptEntry, cell: Cell, count: int, device: str) -> Hits:
    subject = entry.subject
    if subject is None:
        return
    used = [plan.gpus.value for plan in subject.plans]
    named = subject.name.gpus
    known = [number for number in used if number is not None]
    right, template = count, _COUNT
    if count not in known:
        if known and len(known) == len(used):
            right = known[0]
        elif named is not None:
            right, template = named, _NAME
        elif not known:
            line = context.page.line_of(cell.start)
            yield Skip(reason=message(_UNKNOWN, line=line, script=entry.script))
    label = label_of(subject.name.device or "")
    other = label if label and not _same_device(device, label) else None
    if right == count and other is None:
        return
    text = f"{right}*{other or device}"
    sides: dict[str, str] = {"told": gpu_count(count), "used": gpu_count(right)}
    if right == count:
        sides, template = {"told": device, "used": other or device}, _NAME
    yield Hit(
        message=message(template, script=entry.script, **sides),
        span=cell.span,
        help=message(USE, used=text),
        edits=rewrite(cell, rst.cell(text)),
        fix_safe=True,
    )


def _same_device(one: str, other: str) -> bool:
    """Whether two words may mean one device."""
    left, right = by_token(_bare(one)), by_token(_bare(other))
    if left and right:
        return bool({d.label for d in left} & {d.label for d in right})
    return _bare(one) == _bare(other)


def _bare(device: str) -> str:
    return "".join(device.casefold().split())
