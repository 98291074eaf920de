"""RLB305: a row's tag is none, or not the one that its script asks for."""

from __future__ import annotations

from bot.base.messages import mark
from bot.script.header import TAGS
from bot.table.checks._support.base import Hits, Meta, PageContext, hit, message, rewrite
from bot.table.tag import deserved_tag

_NONE = mark('the tag is "{tag}"; the page knows MIN and RECOMMENDED')
_STATED = mark("the row says {tag}, a comment of {script} says {stated}")
_UNEARNED = mark("the row says MIN, but {script} does not have every memory saving on")
_USE = mark("write {tag}")

META = Meta(
    id="RLB305",
    severity="warning",
    added_in="0.1.0",
    summary="A row's tag is neither MIN nor RECOMMENDED, or not what its script says.",
    why=(
        "MIN promises that nothing smaller would fit, RECOMMENDED that nothing costs time without "
        "need. A reader picks hardware by it."
    ),
    instead="Write the tag that the script states (`# tag: MIN`) or that its settings earn.",
    limits=(
        "A row without a tag is left alone. MIN on a script without offload or gradient "
        "checkpointing is a note, since what else saves memory is for its author to say."
    ),
)


def check(context: PageContext) -> Hits:
    """Compare each tag with the known ones, the script's comment, and its settings."""
    for entry in context.entries:
        cell, subject = entry.cell("tag"), entry.subject
        if cell is None:
            continue
        tag = cell.text.upper()
        stated = subject.header.tag.text if subject and subject.header.tag else None
        if tag not in TAGS:
            yield hit(
                cell.span,
                _NONE,
                tag=cell.text,
                help=message(_USE, tag=stated) if stated in TAGS else None,
            )
        elif stated in TAGS and stated != tag:
            yield hit(
                cell.span,
                _STATED,
                tag=tag,
                script=entry.script,
                stated=stated,
                help=message(_USE, tag=stated),
                edits=rewrite(cell, stated),
                fix_safe=True,
            )
        elif tag == "MIN" and not stated and subject and subject.plans:
            deserved = [deserved_tag(plan) for plan in subject.plans]
            if all(one.tag == "RECOMMENDED" for one in deserved):
                yield hit(
                    cell.span,
                    _UNEARNED,
                    script=entry.script,
                    help=deserved[0].reason,
                    severity="note",
                )
