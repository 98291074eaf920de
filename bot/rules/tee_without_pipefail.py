"""RLB044: a pipe hides that the training failed."""

from __future__ import annotations

from collections.abc import Iterator

from bot.rules._example import verl
from bot.rules.base import Case, Example, Hit, Meta

META = Meta(
    id="RLB044",
    slug="tee-without-pipefail",
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


def check(case: Case) -> Iterator[Hit]:
    """Launches in a pipe whose status is lost."""
    if "PIPESTATUS" in case.source.text:
        return
    for plan in case.plans:
        command = plan.launch.command
        if command.pipeline and not command.pipefail:
            yield Hit(
                message=(
                    f"the launch is piped into {command.pipeline[-1]} without pipefail, "
                    "so a failed run exits with 0"
                ),
                span=command.argv[0].span,
                help="put set -o pipefail above the launch",
            )
