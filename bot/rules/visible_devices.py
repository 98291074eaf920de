"""RLB043: the visible devices do not fit the GPUs that are used."""

from __future__ import annotations

from bot.base.devices import gpu_count
from bot.base.messages import plural_message
from bot.frameworks.fields import product
from bot.frameworks.launchers.processes import devices_listed
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ENTRY
from bot.shell.words import Word

META = Meta(
    id="RLB043",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="CUDA_VISIBLE_DEVICES lists another number of devices than a node uses.",
    why=(
        "With fewer devices than the launch asks for, Ray never gets its GPUs and the start fails. "
        "With more, a reader cannot tell which number the row means."
    ),
    instead="List exactly the devices that a node uses, or leave the variable to the caller.",
    limits=(
        "Compared with the GPUs of one node; recipes of verl may use more, vLLM of TRL up to "
        "0.15 takes one beside those of the training (`vllm_device`), and OpenRLHF's roles have "
        "theirs on it or on others. A job that is sent to a running Ray cluster gets its devices "
        "from there, so it is not judged. The variables of ROCm and Ascend are read too."
    ),
    source="https://docs.nvidia.com/cuda/cuda-c-programming-guide/#env-vars",
    example=Example(
        bad=verl("trainer.n_gpus_per_node=8", before="export CUDA_VISIBLE_DEVICES=0,1,2,3"),
        good=verl(
            "trainer.n_gpus_per_node=8", before="export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7"
        ),
    ),
)

_VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ASCEND_RT_VISIBLE_DEVICES",
)


def check(context: RuleContext) -> Hits:
    """Compare the devices listed with the GPUs per node."""
    for plan in context.plans:
        used = plan.gpus_per_node.value
        own = plan.framework == "verl" and plan.launch.entry != ENTRY
        beside = _beside(plan)
        if used is None or own or beside is None or plan.launch.sent_to_ray:
            continue
        for name in _VARIABLES:
            word = plan.launch.command.environment.get(name)
            listed = devices_listed(word) if word is not None else None
            if word is None or listed is None or used <= listed <= used + beside:
                continue
            yield _hit(plan, name, word, listed, used + beside * (listed > used))


def _beside(plan: Plan) -> int | None:
    """The GPUs beside those of the training's node that may be on it; None if they are unknown.

    vLLM's of TRL, and those of OpenRLHF's other roles, each of which has its own.
    """
    if plan.framework == "openrlhf":
        training = product(plan.gpus_per_node, plan.nodes).value
        every = plan.gpus.value
        return None if training is None or every is None else every - training
    values = values_of(plan)
    # Which of several older releases it is for, nobody says.
    older = plan.configuration.source == "settings" and plan.last("vllm_mode") is None
    return 1 if (older or values.on("vllm_device")) and values.on("use_vllm") else 0


def _hit(plan: Plan, name: str, word: Word, listed: int, used: int) -> Hit:
    ids = ",".join(str(number) for number in range(min(used, 16)))
    enough = message("list {used}, such as {ids}", used=used, ids=ids)
    if plan.gpus_per_node.default and (key := plan.gpus_per_node.key) is not None:
        enough = message("set {key}={listed}, or {enough}", key=key, listed=listed, enough=enough)
    return hit(
        word.span_of(0, len(word.text)),
        "{name} lists {listed}, {per} {used}",
        name=name,
        listed=plural_message("{count} device", "{count} devices", listed),
        per=message("a node uses") if (plan.nodes.value or 1) > 1 else message("the launch uses"),
        used=gpu_count(used),
        help=enough
        if listed < used
        else message("{enough}, or leave the variable to the caller", enough=enough),
    )
