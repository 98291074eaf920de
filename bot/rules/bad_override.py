"""RLB024: a word of the launch that the framework cannot parse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.base.messages import pmessage
from bot.base.regex import regex
from bot.frameworks.hydra.grammar import parse
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import BadArgument
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
from bot.rules._support.code import redirected
from bot.rules._support.continuation import cut_launches, follows_backslash
from bot.rules._support.example import verl
from bot.shell.source import Span

_ASSIGNED = regex(r"\s{0,40}(?:export\s{1,9})?(\w{1,99})=(?:\"[^\"]*|'[^']*)\s\Z")
"""What stands before a later word of a value in quotes."""

_MANY = 3
"""Options in the place of settings that are one mistake."""
_PLAIN = regex(r"[^\s\"'\[\]{}$\\,][^\"'\[\]{}\n$\\]{0,99}")
"""A value that may be meant as one text: no list, no mapping, and without quotes."""

META = Meta(
    id="RLB024",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A word of the launch that the framework cannot take as a setting.",
    why="The framework parses every word before it starts, and stops at the first that it cannot.",
    instead=(
        "Quote the value for Hydra as well as for the shell, such as "
        "'data.train_files=[\"a.parquet\"]', and write one key=value in each word."
    ),
    limits="Words with a part that cannot be known are not judged.",
    source="https://hydra.cc/docs/1.3/advanced/override_grammar/basic/: the grammar itself is used",
    refusal=True,
    example=Example(
        bad=verl("trainer.logger='[console,wandb'"),
        good=verl("trainer.logger='[console,wandb]'"),
    ),
)


def check(context: RuleContext) -> Hits:
    """The words that could not be taken."""
    places = set[Span]()
    cut = cut_launches(context)
    for plan in context.plans:
        cut_off = plan.launch.command.argv[0].span.start in cut
        for bad in _as_options(plan) or _causes(context, plan, cut=cut_off):
            if bad.span in places:
                continue  # Another round of a loop.
            places.add(bad.span)
            there = context.source.written(bad.span)
            sure = bad.instead is not None and "".join(there.split()) == bad.instead
            yield Hit(
                message=pmessage("bad-override", "{problem}", problem=bad.message),
                span=bad.span,
                help=_help(context, plan, bad, there),
                fix_title=message("write {name}", name=bad.instead) if sure else None,
                fix_safe=True,  # Hydra refuses the words as they are.
                edits=(TextEdit(span=bad.span, text=bad.instead),) if sure and bad.instead else (),
            )


def _help(context: RuleContext, plan: Plan, bad: BadArgument, there: str) -> Message | None:
    if bad.instead:
        return message("write {name}", name=bad.instead)
    if _parts_of_setting(context, plan, bad):
        return message("put quotes around the whole value, or take the blanks out of the variable")
    if name := _split(context, bad):
        return message(
            'write "${{{name}}}" in quotes where it is used, or its blanks end words', name=name
        )
    own = plan.launch.command.span
    inside = own.start <= bad.span.start < own.end
    if not inside and there.endswith(",") and "=" not in there:  # An item of `("a", "b")`.
        return message("remove the comma: blanks separate the items of a list of bash")
    if plan.framework == "verl" and (quoted := _quoted(context, bad)):
        if not _takes_text(plan, bad):
            meant = f"{bad.word.text.partition('=')[0]}={bad.word.text.rpartition('=')[2]}"
            return message("did you mean {key}?", key=meant)
        return message("quote the value for Hydra as well: {name}", name=quoted)
    return None


def _takes_text(plan: Plan, bad: BadArgument) -> bool:
    """Whether a text may stand where the word has its value: not where a flag or a number does."""
    known = plan.table.get(bad.word.text.partition("=")[0]) if plan.table is not None else None
    return known is None or known.default is None or isinstance(known.default, str)


def _quoted(context: RuleContext, bad: BadArgument) -> str:
    """A setting with its value in quotes of Hydra's, where that alone is wrong; else empty."""
    key, _, value = bad.word.text.partition("=")
    there = value in context.source.written(bad.word.span)
    plain = bad.word.complete and there and _PLAIN.fullmatch(value)
    quoted = f'{key}="{value}"'
    return f"'{quoted}'" if plain and not isinstance(parse(quoted), str) else ""


def _split(context: RuleContext, bad: BadArgument) -> str:
    """The variable of whose quoted value a word is a later part; empty for another word."""
    text, at = context.source.text, bad.span.start
    found = _ASSIGNED.match(text[text.rfind("\n", 0, at) + 1 : at])
    return found[1] if found else ""


def _parts_of_setting(context: RuleContext, plan: Plan, bad: BadArgument) -> list[BadArgument]:
    """The refused words that bash makes of one setting at the blanks of an expansion in it.

    Where its first one is no beginning that Hydra takes, all are one error at the setting itself.
    """
    written = context.source.written(bad.word.span)
    if "$" not in written.partition("=")[2]:
        return []
    parts = [other for other in plan.bad_arguments if other.word.span == bad.word.span]
    return parts if len(parts) > 1 and "=" in parts[0].word.text else []


def _as_options(plan: Plan) -> tuple[BadArgument, ...]:
    """One for all settings of a launch that are written as another parser has them.

    Their values, and what follows them, are refused because of them. Empty where few are.
    """
    options = [bad for bad in plan.bad_arguments if bad.word.text.startswith("--")]
    if plan.framework != "verl" or len(options) < _MANY:
        return ()
    name, _, value = options[0].word.text.lstrip("-").partition("=")
    said = message(
        "Hydra has no options such as {option}: all {count} settings of this launch that are "
        "written so belong in the form {form}",
        option=options[0].word.text,
        count=len(options),
        form=f"{name}={value or '…'}",
    )
    return (replace(options[0], message=said),)


def _in_parts(context: RuleContext, bad: BadArgument) -> Message:
    return message(
        "bash makes several words of {written}: "
        "a variable in it holds blanks, and is not in quotes",
        written=context.source.written(bad.word.span),
    )


def _causes(context: RuleContext, plan: Plan, *, cut: bool) -> Iterator[BadArgument]:
    """Those that another rule does not explain, and the first behind a backslash for all there.

    A placeholder is to be replaced, quotes around it help nobody, and one in angle brackets moves
    the words behind it; where a launch is cut off, that is said at its rest. Words after each other
    that are no options are one error, as `argparse` says it.
    """
    if any(redirected(context, plan)):
        return
    end = -1
    lines = set[int]()
    for bad in plan.bad_arguments:
        line = context.source.place(bad.span).line
        if line in lines or bad.placeholder:
            continue
        if parts := _parts_of_setting(context, plan, bad):
            if bad is parts[0]:
                yield replace(bad, span=bad.word.span, message=_in_parts(context, bad))
            continue
        between = context.source.text[end : bad.span.start] if 0 <= end < bad.span.start else "-"
        end = bad.span.end
        if plan.framework != "verl" and not between.strip(" "):
            continue
        if _split(context, bad):
            lines.add(line)
        if follows_backslash(context, bad.span.start):
            lines.add(line)
            if cut:
                continue
        yield bad
