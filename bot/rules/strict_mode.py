"""RLB091: a command that fails does not stop the script."""

from __future__ import annotations

import re

from bot.base.regex import regex
from bot.rules._support.base import Example, Hits, Meta, RuleContext, TextEdit, hit, message
from bot.rules._support.code import first_line_after_shebang
from bot.rules._support.example import verl
from bot.shell.source import Span
from bot.shell.words import Command

META = Meta(
    id="RLB091",
    severity="note",
    confidence="certain",
    added_in="0.1.0",
    shell_only=True,
    summary="Commands before the launch may fail without stopping the script.",
    why=(
        "Without `set -e` bash goes on after an error: a download or an installation that failed "
        "is found out much later, or a training runs with what was there before."
    ),
    instead="Put `set -e` at the top, or `set -euo pipefail` where no variable may be unset.",
    limits=(
        "Only scripts that run other programs before the launch. Builtins, `ray stop` and commands "
        "whose status is looked at do not count."
    ),
    source="https://www.gnu.org/software/bash/manual/bash.html#The-Set-Builtin",
    example=Example(
        bad=verl(before="pip install verl==0.9.1"),
        good=verl(before="set -e\npip install verl==0.9.1"),
    ),
)

_PROGRAMS = regex(
    r"(?:pip3?|uv|conda|apt(?:-get)?|git|wget|curl|hf|huggingface-cli|modelscope|python3?|bash|sh|"
    r"ray|tar|unzip|cp|mv|rsync|aws|gsutil|make)\Z"
)
_SET = regex(r"\bset(?=\s)")
_ERREXIT = regex(r"\s(?:-[A-Za-df-z]*e[A-Za-z]*+|-o\s+errexit)(?![\w-])")


def check(context: RuleContext) -> Hits:
    """The first program before the launch of a script without errexit."""
    launches = {plan.launch.command.span.start for plan in context.plans}
    if not launches or _stops(context):
        return
    first = next((c for c in context.reading.commands if _fails(c, min(launches))), None)
    if first is None:
        return
    at = first_line_after_shebang(context)
    yield hit(
        first.argv[0].span,
        "{command} may fail before the launch, and the script goes on",
        command=" ".join(word.text for word in first.argv[:2])[:60],
        help=message("put set -e at the top"),
        edits=(TextEdit(span=Span(at, at), text="set -e\n"),),
    )


def _stops(context: RuleContext) -> bool:
    first = context.source.line(1)
    if first.startswith("#!") and re.search(r"sh\s+-[A-Za-z]*e", first):
        return True
    lines = (line for line in context.source.text.split("\n") if "set" in line)
    return any(
        (found := _SET.search(code)) and _ERREXIT.search(code, found.end())
        for code in (line.partition("#")[0] for line in lines)
    )


def _fails(command: Command, launch: int) -> bool:
    if not command.argv or command.status_read or command.span.start >= launch:
        return False
    words = [word.text for word in command.argv]
    return bool(_PROGRAMS.match(words[0].rsplit("/", 1)[-1])) and words[:2] != ["ray", "stop"]
