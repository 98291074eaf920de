"""RLB026: a setting is given twice."""

from __future__ import annotations

from bot.base.regex import regex
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.code import shortened
from bot.rules._support.example import verl
from bot.rules._support.keys import shown
from bot.shell.source import Span

META = Meta(
    id="RLB026",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    summary="One launch sets the same key twice.",
    why=(
        "The last value wins silently. A reader who finds the first one learns a setting that the "
        "run never had."
    ),
    instead="Keep one of them.",
    limits=(
        "The same value twice is a note, and so is an override in another array or branch. "
        "Where a value cannot be known, only the text is compared. "
        "`+key` twice is an error of its own (plus-on-existing-key)."
    ),
    source="https://hydra.cc/docs/1.3/advanced/override_grammar/basic/: later overrides win",
    example=Example(
        bad=verl("data.train_batch_size=1024", "data.train_batch_size=512"),
        good=verl("data.train_batch_size=512"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Keys that occur a second time, with the same or another value."""
    places = set[tuple[str, Span]]()
    for plan in context.plans:
        last: dict[str, Setting] = {}
        for setting in plan.settings:
            earlier = last.get(setting.key)
            last[setting.key] = setting
            if earlier is None or setting.operator in ("+", "~") or earlier.operator == "~":
                continue
            files = {context.source.part(at.key_span.start)[0].path for at in (earlier, setting)}
            if len(files) > 1 or _called(earlier) or _called(setting):
                continue  # What is given beside a file, or to another script, is meant to win.
            if (setting.key, setting.key_span) in places:
                continue  # Another round of a loop, whose values are other ones.
            places.add((setting.key, setting.key_span))
            key = shown(plan, setting.key)
            line = context.source.place(earlier.key_span).line
            if _same_value(earlier, setting):
                yield hit(
                    setting.key_span,
                    "{key} is set to the same value at line {line} already",
                    key=key,
                    line=line,
                    severity="note",
                    help=message("remove one of the two"),
                )
            else:
                yield hit(
                    setting.key_span,
                    "{key} is set twice: to {first} at line {line}, to {second} here; "
                    "the last one wins",
                    key=key,
                    first=_value(context, earlier),
                    line=line,
                    second=_value(context, setting),
                    severity="note" if _in_other_branch(context, earlier, setting) else None,
                    help=message("remove the one at line {line}", line=line),
                )


_BETWEEN = regex(r"\n[ \t]*(?:\)|if\b|fi\b|else\b|elif\b|esac\b|;;|\w+\+?=\()")


def _called(setting: Setting) -> bool:
    """Whether it stands in a script that this one runs: all of it has the place of the call."""
    return setting.key_span == setting.value_span


def _in_other_branch(context: RuleContext, first: Setting, second: Setting) -> bool:
    """True when another array or branch sets the second one: a deliberate override."""
    start, end = sorted((first.key_span.start, second.key_span.start))
    return bool(_BETWEEN.search(context.source.text, start, end))


def _same_value(first: Setting, second: Setting) -> bool:
    if first.known and second.known:
        # True is not 1: the two are told apart by type as well.
        return type(first.value) is type(second.value) and first.value == second.value
    return first.text == second.text


def _value(context: RuleContext, setting: Setting) -> str:
    """The value, or the text that stands for one that cannot be known."""
    known = setting.known
    return shortened(setting.text if known else context.source.written(setting.value_span))
