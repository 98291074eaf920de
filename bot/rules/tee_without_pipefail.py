"""RLB044: a pipe hides that the training failed."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, TextEdit, hit, message
from bot.rules._support.code import first_line_after_shebang
from bot.rules._support.example import verl
from bot.shell.source import Span

META = Meta(
    id="RLB044",
    severity="note",
    confidence="certain",
    added_in="0.1.0",
    summary="The launch is piped into another program without `set -o pipefail`.",
    why=(
        "A pipe's exit status is that of its last program. A training that runs out of memory then "
        "ends with 0, and whatever started the script believes that it passed."
    ),
    instead="Put `set -o pipefail` above the launch.",
    limits="Silent when the script reads PIPESTATUS.",
    source="https://www.gnu.org/software/bash/manual/bash.html#Pipelines",
    example=Example(
        bad=verl(end=" 2>&1 | tee run.log"),
        good=verl(before="set -o pipefail", end=" 2>&1 | tee run.log"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Launches in a pipe whose status is lost."""
    if "PIPESTATUS" in context.source.text:
        return
    for plan in context.plans:
        command = plan.launch.command
        if command.piped_to is not None and not command.pipefail:
            yield hit(
                command.argv[0].span,
                "the launch is piped into {program} without pipefail, so a failed run exits with 0",
                program=command.piped_to,
                help=message("put set -o pipefail above the launch"),
                edits=(_edit(context, command.span.start),),
            )


def _edit(context: RuleContext, launch: int) -> TextEdit:
    """A line at the top: the status of earlier pipes may matter from then on, so it is judged."""
    at = min(first_line_after_shebang(context), launch)
    return TextEdit(span=Span(at, at), text="set -o pipefail\n")
