"""RLB079: a script of the least memory leaves out an option that saves some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.base.fast_dataclass import dataclass
from bot.frameworks.plan_values import PlanValues
from bot.rules._support import openrlhf
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, MIN_ONLY, adapter_trained, gib, sized, tag
from bot.rules._support.verl import ACTOR, is_fsdp, trainers

_FSDP = f"{ACTOR}.fsdp_config"
_MODEL = "actor_rollout_ref.model"
_ALL_ON = (
    f"{_FSDP}.param_offload=True",
    f"{_FSDP}.optimizer_offload=True",
    f"{_MODEL}.enable_activation_offload=True",
    f"{ACTOR}.entropy_checkpointing=True",
    f"{ACTOR}.entropy_from_logits_with_chunking=True",
    f"{_MODEL}.use_fused_kernels=True",
)

META = Meta(
    id="RLB079",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="A script tagged MIN leaves an option off that would save memory.",
    why=(
        "MIN means that every memory-saving option is applied and nothing smaller would fit. With "
        "one left out, fewer GPUs or a larger batch may do."
    ),
    instead="Switch the option on and try again, or say in the pull request why it does not help.",
    limits=(
        f"{MIN_ONLY} verl's PPO trainer with FSDP, and OpenRLHF's Ray trainer. Gradient "
        "checkpointing has a rule of its own. The saving is arithmetic: bytes by the parameter "
        "count in the model's name, over the GPUs."
    ),
    source=(
        f"{GUIDE} and verl's docs/perf/device_tuning.rst (offload, gradient checkpointing, …); "
        "AdamW in fp32 keeps 8 bytes a parameter, fp32 weights take 4"
    ),
    example=Example(
        bad=verl(*_ALL_ON[1:], before="# tag: MIN"),
        good=verl(*_ALL_ON, before="# tag: MIN"),
    ),
)


@dataclass(frozen=True, slots=True)
class _Option:
    key: str
    wanted: str
    """As it should be written."""
    saving: Message


def check(context: RuleContext) -> Hits:
    """The options that are known to be off."""
    if tag(context) != "MIN":
        return
    for values in trainers(context):
        off = [option for option in _of_verl(values) if values.flag(option.key) is False]
        if off:
            yield _hit(values, off)
    for values in openrlhf.ray_trainers(context):
        yield from _stage(values)
        off = list(_of_openrlhf(values))
        if off:
            yield _hit(values, off)


def _hit(values: PlanValues, off: Sequence[_Option]) -> Hit:
    parts = [
        message("{key} would {saving}", key=option.wanted.split("=")[0], saving=option.saving)
        for option in off
    ]
    listed = parts[-1]
    for part in reversed(parts[:-1]):
        listed = message("{first}; {rest}", first=part, rest=listed)
    return hit(
        values.place(*(option.key for option in off)),
        "tagged MIN, but options that save memory are off: {options}",
        options=listed,
        help=message("set {key}", key=" ".join(option.wanted for option in off)),
    )


def _of_verl(values: PlanValues) -> Iterator[_Option]:
    if not is_fsdp(values):
        return
    if values.flag(f"{_FSDP}.offload_policy") is not True:
        full = adapter_trained(values.plan) is False
        yield _option(f"{_FSDP}.param_offload", _weights(values))
        if full:
            yield _option(f"{_FSDP}.optimizer_offload", _states(values))
        else:
            yield _option(
                f"{_FSDP}.optimizer_offload", message("move optimizer states to the host")
            )
    yield _option(f"{_MODEL}.enable_activation_offload", message("move activations to the host"))
    if values.flag(f"{_MODEL}.use_fused_kernels") is not True:
        yield _option(
            f"{ACTOR}.entropy_checkpointing",
            message("compute the entropy again instead of keeping it"),
        )
        yield _option(
            f"{ACTOR}.entropy_from_logits_with_chunking", message("compute the entropy in chunks")
        )
        yield _option(f"{_MODEL}.use_fused_kernels", message("avoid whole logits"))


def _stage(values: PlanValues) -> Hits:
    keys = ("ds.zero_stage", "zero_stage")
    stage = values.whole(*keys)
    if stage is None or stage >= 3:
        return
    name = openrlhf.option(values, *keys)
    yield hit(
        values.place(*keys),
        "tagged MIN, but {key} is {value}: {wanted} would {saving}",
        key=name,
        value=stage,
        wanted=3,
        saving=message("shard the weights over the GPUs"),
        help=message("set {key}", key=f"{name} 3"),
    )


def _of_openrlhf(values: PlanValues) -> Iterator[_Option]:
    for keys, saving in (
        (("ds.adam_offload", "adam_offload"), message("move optimizer states to the host")),
        (
            ("ref.offload", "ref_reward_offload"),
            message("keep the reference's weights on the host"),
        ),
    ):
        if values.on(*keys) is False:
            name = openrlhf.option(values, *keys)
            yield _Option(name.removeprefix("--"), name, saving)


def _option(key: str, saving: Message) -> _Option:
    return _Option(key, f"{key}=True", saving)


def _weights(values: PlanValues) -> Message:
    known = sized(values)
    dtype = values.text(f"{_FSDP}.model_dtype")
    if known is None or dtype not in ("fp32", "bf16"):
        return message("move weights to the host")
    size = gib(known[0], 4 if dtype == "fp32" else 2, known[1])
    return message("move {gib} GiB of weights a GPU to the host", gib=size)


def _states(values: PlanValues) -> Message:
    known = sized(values)
    if known is None:
        return message("move optimizer states to the host")
    return message(
        "move {gib} GiB of optimizer states a GPU to the host", gib=gib(known[0], 8, known[1])
    )
