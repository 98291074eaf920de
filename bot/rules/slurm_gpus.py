"""RLB150: the script asks Slurm for fewer nodes or GPUs than its launch uses."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import plural_message
from bot.frameworks.plan import Plan
from bot.rules._support.base import (
    Example,
    Hit,
    Hits,
    Message,
    Meta,
    RuleContext,
    hit,
    message,
)
from bot.rules._support.example import verl
from bot.shell.run.slurm import alters_step, header_words, job_size
from bot.shell.source import Span

META = Meta(
    id="RLB150",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="The script's #SBATCH lines ask for fewer nodes or GPUs than its launch uses.",
    why=(
        "A job gets what it asks for, whatever else the node has: Ray never finds the GPUs, and of "
        "torchrun's processes those without a device fail. The job waits in the queue before it "
        "does."
    ),
    instead="Ask for the nodes and the GPUs that the launch uses, or use those that are asked for.",
    limits=(
        "Only where both numbers are known, and GPUs are asked for in one way: `--gres`, "
        "`--gpus-per-node` or `--gpus`. Silent on `--exclusive`, where the script submits or "
        "allocates another job, where srun is asked for GPUs of its own, and on a launch that goes "
        "to a Ray cluster by its address. Options on the command line of sbatch count before those "
        "of the script."
    ),
    source=(
        "https://slurm.schedmd.com/sbatch.html: --gres, --gpus, --gpus-per-node and --nodes; "
        "https://github.com/verl-project/verl/blob/main/verl/single_controller/ray/base.py: "
        "ResourcePoolManager._check_resource_available"
    ),
    example=Example(
        bad=verl(
            "trainer.n_gpus_per_node=8",
            "trainer.nnodes=1",
            before="#SBATCH --nodes=1\n#SBATCH --gres=gpu:4",
        ),
        good=verl(
            "trainer.n_gpus_per_node=8",
            "trainer.nnodes=1",
            before="#SBATCH --nodes=1\n#SBATCH --gres=gpu:8",
        ),
    ),
)

_OTHER_JOBS = ("sbatch", "salloc", "flux", "ssh")
"""What starts commands on machines of its own."""
_APART = ("openrlhf", "open-instruct")
"""Frameworks that may take the GPUs of what they call a node from several."""
_STEP = 40
"""Words of a command among which srun stands."""


def check(context: RuleContext) -> Hits:
    """Compare what the lines above the first command ask for with each launch."""
    size = job_size(header_words(context.source.text))
    commands = context.reading.commands
    if not size or any(c.argv and c.argv[0].text in _OTHER_JOBS for c in commands):
        return
    for plan in context.plans:
        if _is_within(plan):
            yield from _lacking(plan, size)


def _is_within(plan: Plan) -> bool:
    """Whether a launch surely runs, on all that the job was given."""
    command = plan.launch.command
    elsewhere = plan.launch.sent_to_ray or "RAY_ADDRESS" in command.environment
    addressed = any(setting.key.endswith("ray_init.address") for setting in plan.settings)
    step = [word.text for word in command.argv[:_STEP]]
    stepped = "srun" in step and alters_step([word.pieces for word in command.argv])
    return not (elsewhere or addressed or stepped or command.assumptions)


def _lacking(plan: Plan, size: dict[str, tuple[int, Span]]) -> Iterator[Hit]:
    used = {"nodes": plan.nodes.value, "gpus": plan.gpus.value}
    if plan.framework in _APART:
        nodes, each = size.get("nodes"), size.get("gpus-per-node")
        if nodes and each:
            size = {**size, "gpus": (nodes[0] * each[0], each[1])}
    else:
        used["gpus-per-node"] = plan.gpus_per_node.value
    for name, (number, span) in size.items():
        if (wanted := used.get(name) or 0) > number:
            much = _amount(name, wanted)
            yield hit(
                span,
                "Slurm is asked for {asked}, and the launch uses {used}",
                asked=_amount(name, number),
                used=much,
                help=message("ask for {used}", used=much),
            )


def _amount(name: str, number: int) -> Message:
    if name == "nodes":
        return plural_message("{count} node", "{count} nodes", number)
    if name == "gpus":
        return plural_message("{count} GPU in all", "{count} GPUs in all", number)
    return plural_message("{count} GPU a node", "{count} GPUs a node", number)
