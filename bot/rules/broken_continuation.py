"""RLB025: the rest of a launch runs as a command of its own."""

from __future__ import annotations

import re

from bot.base.messages import plural_message
from bot.rules._support.base import (
    Example,
    Hit,
    Hits,
    Message,
    Meta,
    RuleContext,
    TextEdit,
    message,
)
from bot.rules._support.code import shortened
from bot.rules._support.continuation import stray_settings
from bot.rules._support.example import lines, verl
from bot.shell.source import Span
from bot.shell.words import Command

META = Meta(
    id="RLB025",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A setting stands where a command's name should: the launch ended on a line before it.",
    why=(
        "A backslash continues a line only when it is the line's last character and the next line "
        "goes on. After a comment, a blank line or a space behind the backslash the launch ends "
        "there, starts without the settings that follow, and bash then looks for a program named "
        "like the first of them."
    ),
    instead=(
        "Move comments above the command, remove blank lines inside it, and end every line but the "
        "last with a bare backslash."
    ),
    limits=(
        "Recognized by a first word that looks like a setting (`trainer.nnodes=1`, `--bf16`); bash "
        "takes a word without a dot, such as `model_engine=megatron`, for an assignment."
    ),
    source="https://www.gnu.org/software/bash/manual/bash.html#Escape-Character",
    example=Example(
        bad=(
            lines(
                "algorithm.adv_estimator=grpo",
                "actor_rollout_ref.actor.use_dynamic_bsz=True",
                end=" \\",
            )
            + "    # one node\n    trainer.nnodes=1\n"
        ),
        good=verl("trainer.nnodes=1", before="# one node"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Commands whose first word is a setting; those of adjoining lines are one finding."""
    for group in _adjoining(context):
        first = group[0].argv[0]
        cause, edits, safe = _cause(context, first.span)
        rest = _lost_words(len(group[0].argv))
        if len(group) > 1:
            edits = tuple(edit for one in group for edit in _cause(context, one.argv[0].span)[1])
            rest = message("they are no part of the launch")
        yield Hit(
            message=_message(context, group, cause),
            span=first.span,
            help=message("{rest}; join the lines", rest=rest) if edits else rest,
            fix_title=message("join the lines"),
            fix_safe=safe,
            edits=edits,
        )


def _adjoining(context: RuleContext) -> list[list[Command]]:
    """The commands, together where each begins on the line below the one before."""
    groups: list[list[Command]] = []
    commands = {command.argv[0].span.start: command for command in stray_settings(context)}
    below = 0
    for _, command in sorted(commands.items()):
        at = context.source.place(command.argv[0].span).line
        if at == below:
            groups[-1].append(command)
        else:
            groups.append([command])
        end = command.argv[-1].span.end
        below = context.source.place(Span(end, end)).line + 1
    return groups


def _message(context: RuleContext, group: list[Command], cause: Message) -> Message:
    name = shortened(group[0].argv[0].text.split("=")[0], 80)
    if len(group) == 1:
        return message("{name} runs as a command of its own: {cause}", name=name, cause=cause)
    last = context.source.place(group[-1].argv[0].span).line
    return message(
        "{name} and what follows it up to line {last} run as {count} commands of their own: "
        "{cause}",
        name=name,
        last=last,
        count=len(group),
        cause=cause,
    )


def _cause(context: RuleContext, word: Span) -> tuple[Message, tuple[TextEdit, ...], bool]:
    """Why the line before does not continue, the edit that joins the two, and its safety."""
    source = context.source
    at = source.place(word).line
    here = source.line(at)[: source.place(word).column - 1]
    if here.strip() or at == 1:
        return message("a command ends before it"), (), False
    above = at - 1
    skipped: list[int] = []
    while above > 1 and (not source.line(above).strip() or source.line(above).strip()[0] == "#"):
        skipped.append(above)
        above -= 1
    end = source.line(above)
    if end.endswith("\\") and skipped:
        first, last = skipped[-1], skipped[0]
        comment = next((n for n in reversed(skipped) if source.line(n).strip()), None)
        what = (
            message("the comment at line {line}", line=comment)
            if comment
            else message("the blank line {line}", line=first)
        )
        start = source.offset(first, 1)
        stop = source.offset(last + 1, 1)
        # A blank line says nothing; a comment may matter to someone.
        return (
            message("{what} ends the command above", what=what),
            (TextEdit(span=Span(start, stop), text=""),),
            comment is None,
        )
    bare = end.rstrip()
    if not skipped and bare.endswith("\\") and end != bare:
        start = source.offset(above, 1) + len(bare)
        edit = TextEdit(span=Span(start, start + len(end) - len(bare)), text="")
        return message("a space follows the backslash of line {line}", line=above), (edit,), True
    if not skipped and re.search(r"\\[ \t]+#", end):
        return (
            message("a space and a comment follow the backslash of line {line}", line=above),
            (),
            False,
        )
    if not skipped and bare.endswith("\\\\"):
        start = source.offset(above, 1) + len(bare)
        edit = TextEdit(span=Span(start - 1, start), text="")
        return message("line {line} ends in two backslashes", line=above), (edit,), False
    if not skipped and bare and not bare.endswith("\\"):
        start = source.offset(above, 1) + len(bare)
        edit = TextEdit(span=Span(start, start), text=" \\")
        return message("line {line} has no backslash at its end", line=above), (edit,), False
    return message("the command above ends at line {line}", line=above), (), False


def _lost_words(count: int) -> Message:
    if count == 1:
        return message("it is no part of the launch")
    return plural_message(
        "it and the word after it are no part of the launch",
        "it and the {count} words after it are no part of the launch",
        count - 1,
    )
