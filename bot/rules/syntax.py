"""RLB001: the script is not valid bash, or not text."""

from __future__ import annotations

from bot.base.messages import pmessage
from bot.base.regex import regex
from bot.rules._support.base import (
    Example,
    Hit,
    Hits,
    Message,
    Meta,
    RuleContext,
    Skip,
    hit,
    message,
)
from bot.rules._support.example import verl
from bot.shell.words import Problem

META = Meta(
    id="RLB001",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Bash would refuse the script, or the file is not text.",
    why=(
        "Bash stops at a syntax error, so the lines after it never run. What follows such a place "
        "cannot be read reliably either."
    ),
    instead="Mend the place that is named; `bash -n SCRIPT` shows bash's own message.",
    limits=(
        "A construct that is valid but is not evaluated is a note, because only the settings that "
        "depend on it are unknown. A bound of the reader that was reached is reported as something "
        "that could not be checked, with the bound."
    ),
    source=(
        "The grammar of bash: https://www.gnu.org/software/bash/manual/bash.html#Shell-Syntax; "
        "`bash -n` judges the same."
    ),
    example=Example(
        bad=verl('trainer.experiment_name="first'),
        good=verl('trainer.experiment_name="first"'),
    ),
)


_PLACEHOLDER = regex(r"(?<![^\s=:/,\"])<[^\W\d_][^<>\n]{0,80}(?<!\s)>")

_MOST_LINES = 100
"""Of a command that are looked at."""


def check(context: RuleContext) -> Hits:
    """What the reader could not take as it stands."""
    for problem in context.reading.problems:
        if problem.kind == "limit":
            place = context.source.place(problem.span)
            yield Skip(
                reason=message(
                    "line {line}: {problem}", line=place.line, problem=_clause(problem.message)
                )
            )
        elif problem.kind == "unsupported":
            yield hit(
                problem.span,
                "{problem}; what depends on it is not checked",
                problem=_clause(problem.message),
                severity="note",
            )
        else:
            yield Hit(
                message=pmessage("syntax", "{problem}", problem=_clause(problem.message)),
                span=problem.span,
                help=_help(context, problem),
            )


def _help(context: RuleContext, problem: Problem) -> Message | None:
    """What to do where a placeholder is what bash takes for redirections: `MODEL=<PATH>`.

    It may stand in a line above that goes on here.
    """
    if problem.kind != "syntax":
        return None
    last = context.source.place(problem.span).line
    for at in range(last, max(0, last - _MOST_LINES), -1):
        line = context.source.line(at)
        if at != last and not line.endswith("\\"):
            break
        if found := _PLACEHOLDER.search(line):
            return message("replace {text}, which bash takes for redirections", text=found[0])
    return None


def _clause(sentence: str) -> str:
    return sentence if isinstance(sentence, Message) else sentence.rstrip().rstrip(".")
