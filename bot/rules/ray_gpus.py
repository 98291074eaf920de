"""RLB049: the Ray that the script starts has fewer GPUs than its launch asks for."""

from __future__ import annotations

from bot.base.digits import natural_number
from bot.base.messages import plural_message
from bot.base.regex import regex
from bot.frameworks.plan import Plan
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ENTRY
from bot.shell.source import Span
from bot.shell.words import Command, Word

META = Meta(
    id="RLB049",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="The script starts Ray with fewer GPUs than its launch asks for.",
    why=(
        'verl asks Ray for its GPUs before it loads anything: "Total available GPUs 4 is less than '
        'total desired GPUs 8", and the job ends.'
    ),
    instead="Start Ray with the GPUs of the node, or leave --num-gpus out: Ray counts them itself.",
    limits=(
        "Only for verl's own entry on one node, and only where nothing in the script joins the "
        "cluster from elsewhere. A job that is sent with `ray job submit` is not judged, since it "
        "may go to another cluster."
    ),
    source=(
        "https://github.com/verl-project/verl/blob/main/verl/single_controller/ray/base.py: "
        "ResourcePoolManager._check_resource_available"
    ),
    example=Example(
        bad=verl(
            "trainer.n_gpus_per_node=8",
            "trainer.nnodes=1",
            before="ray start --head --num-gpus 4",
        ),
        good=verl(
            "trainer.n_gpus_per_node=8",
            "trainer.nnodes=1",
            before="ray start --head --num-gpus 8",
        ),
    ),
)

_OPTION = regex(r"--num-gpus(?:=(\d{1,4}))?\Z")


def check(context: RuleContext) -> Hits:
    """Compare the head that stands last before a launch with what the launch asks for."""
    starts = [c for c in context.reading.commands if _words(c, 2) == ["ray", "start"]]
    if any("--head" not in _words(c) for c in starts):
        return  # Another node joins.
    for plan in context.plans:
        used = plan.gpus_per_node.value
        if used is None or not _alone(plan):
            continue
        command = plan.launch.command
        before = [c for c in starts if c.span.start < command.span.start]
        given = _gpus_of_ray_start(before[-1]) if before else None
        if given is None or before[-1].assumptions or given[0] >= used:
            continue
        yield Hit(
            message=plural_message(
                "Ray is started with {count} GPU, and the launch asks for {used}",
                "Ray is started with {count} GPUs, and the launch asks for {used}",
                given[0],
                used=used,
            ),
            span=given[1],
            help=message("write --num-gpus {used}, or leave it out", used=used),
        )


def _alone(plan: Plan) -> bool:
    """Whether the launch is verl's own, on one node, on the cluster of this machine."""
    elsewhere = "RAY_ADDRESS" in plan.launch.command.environment
    own = plan.framework == "verl" and plan.launch.entry == ENTRY
    return own and plan.nodes.value == 1 and not plan.launch.sent_to_ray and not elsewhere


def _words(command: Command, count: int | None = None) -> list[str]:
    return [word.text for word in command.argv[:count]]


def _gpus_of_ray_start(command: Command) -> tuple[int, Span] | None:
    """The GPUs that `ray start` is told, with their place; None where that is not known."""
    if not all(word.complete for word in command.argv):
        return None
    found: tuple[int, Word] | None = None
    for at, word in enumerate(command.argv):
        option = _OPTION.match(word.text)
        following = command.argv[at + 1] if at + 1 < len(command.argv) else None
        if option and option[1]:
            found = int(option[1]), word
        elif option and following and (count := natural_number(following.text)) is not None:
            found = count, following
    return (found[0], found[1].span_of(0, len(found[1].text))) if found else None
