"""RLB095: `NAME = value`, which is a command called NAME."""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex
from bot.rules._support.base import Example, Hits, Meta, RuleContext, TextEdit, hit, message
from bot.rules._support.example import verl
from bot.shell.source import Span
from bot.shell.world.session import shorten

META = Meta(
    id="RLB095",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    shell_only=True,
    summary="Blanks around the = of an assignment.",
    why=(
        "With a blank before the `=` the shell runs a command of that name, and with one behind it "
        "the value is run as a command. The variable stays empty."
    ),
    instead="Write NAME=value without blanks.",
    limits="With a blank behind the `=` alone, only for numbers and booleans.",
    source="https://www.gnu.org/software/bash/manual/bash.html#Shell-Parameters",
    example=Example(
        bad=verl("trainer.nnodes=$NODES", before="NODES = 1"),
        good=verl("trainer.nnodes=$NODES", before="NODES=1"),
    ),
)

_NAME: Final = regex(r"[A-Za-z_]\w*")
_PARTS: Final = 3
"""Words of `NAME = value`."""
_VALUE: Final = regex(r"[0-9][\w.]*|[Tt]rue|[Ff]alse")


def check(context: RuleContext) -> Hits:
    """Look for commands whose first argument begins with `=`, and for values that are run."""
    seen: set[int] = set()
    for command in context.reading.commands:
        words = [word.text for word in command.argv]
        first = command.argv[0].span if command.argv else Span(0, 0)
        sign = len(words) > 1 and words[1].startswith("=") and not command.argv[1].pieces[0].quoted
        if sign and _NAME.fullmatch(words[0]):
            value = words[1][1:] or (words[2] if len(words) > 2 else "")
            start, name = first.start, words[0]
        elif len(command.prefix) == 1 and len(words) == 1 and _VALUE.fullmatch(words[0]):
            (assigned,) = command.prefix
            if assigned.value.text:
                continue
            start, name, value = command.span.start, assigned.name, words[0]
        else:
            continue
        if start in seen:
            continue
        seen.add(start)
        span = Span(start, command.argv[-1].span.end)
        joined = f"{name}={value}"
        left, _, right = context.source.written(span).partition("=")
        written = f"{left.rstrip()}={right.lstrip()}"
        unknown = not all(word.complete for word in command.argv)
        simple = written == joined or (unknown and len(words) <= _PARTS)
        if unknown:
            joined = written
        yield hit(
            span,
            "{name} is not set: blanks stand around its =",
            name=name,
            help=message("write {name}", name=shorten(joined)),
            edits=(TextEdit(span=span, text=joined),) if simple else (),
        )
