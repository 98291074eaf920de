"""RLB113: a script that is tagged MIN could run on less."""

from __future__ import annotations

from bot.base.messages import plural_message
from bot.memory.estimate import TIGHT
from bot.memory.estimator import estimate_workload
from bot.memory.scale import on_half
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit
from bot.rules._support.estimates import LIMITS, SOURCE, estimates
from bot.rules._support.example import STATIC, verl
from bot.rules._support.names import where
from bot.rules._support.tuning import tag

_SETTINGS = (
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct",
    *STATIC,
    "actor_rollout_ref.rollout.tensor_model_parallel_size=1",
    "data.max_prompt_length=512",
    "data.max_response_length=512",
    "trainer.nnodes=1",
)
_FOLDER = "examples/tuning/0.5b/qwen2.5-0.5b_grpo"

META = Meta(
    id="RLB113",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="A script tagged MIN would also fit on half of its GPUs.",
    why="A MIN row tells readers the least hardware that a model needs.",
    instead="Try the script on half the GPUs, or tag it RECOMMENDED.",
    limits=(
        f"{LIMITS} Only for `# tag: MIN`, and only where the conservative estimate of half the "
        "GPUs fits with a tenth to spare. Not checked with Megatron, whose parallel sizes would "
        "have to change too."
    ),
    source=SOURCE,
    example=Example(
        bad=verl(*_SETTINGS, "trainer.n_gpus_per_node=8", before="# tag: MIN"),
        good=verl(*_SETTINGS, "trainer.n_gpus_per_node=1", before="# tag: MIN"),
        path=f"{_FOLDER}_1_h100_fsdp_vllm.sh",
        bad_path=f"{_FOLDER}_8_h100_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """MIN scripts whose workload fits half the GPUs at the conservative level."""
    if tag(context) != "MIN":
        return
    for plan, made in estimates(context):
        half = on_half(made.workload)
        if half is None:
            continue
        estimate = estimate_workload(half, made.estimate.device)
        peak, usable = estimate.peak("conservative"), estimate.usable
        if peak > usable * TIGHT:
            continue
        yield hit(
            where(plan, plan.gpus_per_node.span),
            "tagged MIN, but {half} × {device} would do by the conservative estimate: {peak} "
            "of {usable}",
            half=estimate.gpus,
            device=estimate.device.label,
            peak=str(peak),
            usable=str(usable),
            help=plural_message(
                "try it on {count} GPU, or tag it RECOMMENDED",
                "try it on {count} GPUs, or tag it RECOMMENDED",
                estimate.gpus,
            ),
        )
