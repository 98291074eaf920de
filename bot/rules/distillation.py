"""RLB102: an on-policy distillation that verl refuses."""

from __future__ import annotations

from math import prod

from bot.frameworks.plan_values import PlanValues
from bot.frameworks.verl.teachers import ALONE, ENTRIES, teachers
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import (
    LIMITS,
    has_code_for,
    own_source,
    refuses,
    sequence_length,
    trainers,
)

_ON = "distillation.enabled"
_LOSS = "distillation.distillation_loss"
_POOL = ("distillation.n_gpus_per_node", "distillation.nnodes")
_TOP_K = "forward_kl_topk"
_LOSSES = (_TOP_K, "k1", "k2", "k3", "kl", "low_var_kl", "abs", "mse")
_PARALLEL = ("tensor_model", "data", "pipeline_model")
_TEACHER = (
    f"{_ON}=True",
    "distillation.n_gpus_per_node=4",
    f"{ENTRIES}.{ALONE}.model_path=Qwen/Qwen2.5-32B-Instruct",
)

META = Meta(
    id="RLB102",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="An on-policy distillation that verl refuses to start.",
    why=(
        "Teachers have GPUs of their own, distillation.nnodes of which there are none by default, "
        "and each replica of a teacher needs its share of them whole. Losses, too, exclude "
        "settings. verl checks all this before it starts."
    ),
    instead=(
        "Give the teachers nodes, and sizes whose product fits them; room for prompt, response and "
        "one token more; and a loss that verl knows."
    ),
    limits=f"{LIMITS} Since verl 0.8.",
    source=(
        "DistillationConfig and its parts in verl/workers/config/distillation.py and "
        "init_resource_pool_mgr in verl/trainer/main_ppo.py (verl 0.8.0 to 0.9.1)"
    ),
    example=Example(
        bad=verl(*_TEACHER),
        good=verl(*_TEACHER, "distillation.nnodes=1"),
        path="examples/tuning/7b/qwen2.5-7b_grpo_12_h100_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """The refusals of verl's configuration of a distillation."""
    if _ON not in context.source.text:
        return  # It is off by default; a script is searched faster than its settings.
    for values in trainers(context):
        if values.flag(_ON):
            yield from _loss(context, values)
            known = values.plan.table
            if known is not None and ENTRIES not in known:
                continue  # A copy from before there were several, with distillation.teacher_model.
            yield from _pool(context, values)
            yield from _dropped(values)
            for name in teachers(values.plan):
                yield from _teacher(context, values, f"{ENTRIES}.{name}")


def _pool(context: RuleContext, values: PlanValues) -> Hits:
    """Whether the teachers have GPUs, and as many as their replicas take."""
    per_node, nodes = (values.number(key) for key in _POOL)
    for key, size in zip(_POOL, (per_node, nodes), strict=True):
        if size is not None and size <= 0:
            yield hit(
                values.place(key, _ON),
                "{key} is {size}: the teacher has no GPUs",
                key=key,
                size=size,
                help=message("give it GPUs of its own: {key}=1", key=key),
            )
    if per_node is None or nodes is None or min(per_node, nodes) <= 0:
        return
    pool = per_node * nodes
    names = teachers(values.plan)
    replicas = [_replica(values, f"{ENTRIES}.{name}") for name in names]
    if names == (ALONE,):
        if (each := replicas[0]) and pool % each and refuses(context, "pool_size", "per_replica"):
            yield hit(
                values.place(f"{ENTRIES}.{ALONE}.inference.tensor_model_parallel_size", *_POOL),
                "a replica of the teacher takes {each} GPUs, which {pool} cannot be divided into",
                each=each,
                pool=pool,
                help=message("choose a tensor_model_parallel_size that divides {pool}", pool=pool),
            )
        return
    counts = [values.number(f"{ENTRIES}.{name}.num_replicas") for name in names]
    if None in replicas or None in counts or not refuses(context, "total_pool_size"):
        return
    taken = sum(a * b for a, b in zip(replicas, counts, strict=True) if a and b)
    if taken != pool:
        yield hit(
            values.place(*_POOL),
            "the teachers' replicas take {taken} GPUs, and distillation.n_gpus_per_node × nnodes "
            "are {pool}",
            taken=taken,
            pool=pool,
            help=message("both have to be the same: change num_replicas, or the GPUs"),
        )


def _replica(values: PlanValues, below: str) -> int | None:
    """GPUs of one replica of a teacher; None when a size is not known.

    An entry of its own has the defaults of verl's `RolloutConfig`.
    """
    sizes = []
    for kind in _PARALLEL:
        key = f"{below}.inference.{kind}_parallel_size"
        size = values.number(key)
        if size is None and values.plan.last(key) is None and not values.open_ended:
            size = 2 if kind == "tensor_model" else 1
        sizes.append(size)
    return None if None in sizes else prod(size for size in sizes if size)


def _loss(context: RuleContext, values: PlanValues) -> Hits:
    """Whether verl knows the loss, and takes what is set beside it."""
    key = f"{_LOSS}.loss_mode"
    mode = values.text(key)
    own = own_source(context)
    older = own is not None and own.has(_TOP_K) and not own.has(str(mode))
    if mode is not None and (older or mode not in _LOSSES) and not has_code_for(context, mode):
        yield hit(
            values.place(key),
            "verl knows no distillation loss {mode}",
            mode=mode,
            help=message("its losses are {names}", names=", ".join(_LOSSES)),
        )
    gradient = f"{_LOSS}.use_policy_gradient"
    if mode == "k1" and values.flag(gradient) is False and refuses(context, "use_policy_gradient"):
        yield hit(
            values.place(key, gradient),
            "the loss k1 has no gradient of its own: verl takes it as a reward alone",
            help=message(
                "set {key}=True, or take the loss k3 or {other}", key=gradient, other=_TOP_K
            ),
        )
    policy = values.text(f"{_LOSS}.policy_loss_mode")
    if policy not in (None, "vanilla") and refuses(context, "policy_loss_mode"):
        yield hit(
            values.place(f"{_LOSS}.policy_loss_mode"),
            "a distillation takes the policy loss vanilla alone, not {policy}",
            policy=policy,
            help=message("leave {key} out", key=f"{_LOSS}.policy_loss_mode"),
        )


def _dropped(values: PlanValues) -> Hits:
    """Whether the entry of verl's configuration names a model beside entries of one's own."""
    key = f"{ENTRIES}.{ALONE}.model_path"
    if values.plan.last(key) is not None and teachers(values.plan) != (ALONE,):
        yield hit(
            values.place(key),
            "{key} starts no teacher: verl drops this entry where another one is added",
            key=key,
            severity="warning",
            help=message("give it another name: +{entries}.NAME.model_path", entries=ENTRIES),
        )


def _teacher(context: RuleContext, values: PlanValues, below: str) -> Hits:
    """Whether a teacher is named, and has room for what its student writes."""
    if missing := _missing(values, below):
        yield hit(
            values.place(f"{below}.model_path", _ON),
            "{key} is not set: each teacher needs it",
            key=missing,
            help=message("name it: {key}=…", key=missing),
        )
    yield from _room(context, values, f"{below}.inference")


def _missing(values: PlanValues, below: str) -> str | None:
    alone = below.endswith(f".{ALONE}")
    for name in ("model_path",) if alone else ("model_path", "key", "num_replicas"):
        key = f"{below}.{name}"
        if values.plan.last(key) is None and not values.open_ended:
            found = values.get(key)
            if found is None or found.value is None:
                return key
    return None


def _room(context: RuleContext, values: PlanValues, inference: str) -> Hits:
    key = f"{inference}.max_model_len"
    room, lengths = values.number(key), sequence_length(values)
    short = room is not None and lengths is not None and room < sum(lengths) + 1
    if short and refuses(context, "max_model_len", "required_context_len"):
        prompt, response = lengths or (0, 0)
        yield hit(
            values.place(key),
            "a teacher that takes {room} tokens has no room for a prompt of {prompt}, a "
            "response of {response} and one token more",
            room=room,
            prompt=prompt,
            response=response,
            help=message("set {key}={least}, or more", key=key, least=prompt + response + 1),
        )
    top = values.number(f"{_LOSS}.topk")
    most = values.number(f"{inference}.engine_kwargs.vllm.max_logprobs")
    if values.text(f"{_LOSS}.loss_mode") != _TOP_K or top is None or most is None or most >= top:
        return
    yield hit(
        values.place(f"{inference}.engine_kwargs.vllm.max_logprobs"),
        "vLLM gives the teacher's {most} likeliest tokens, and the loss asks for {top}",
        most=most,
        top=top,
        help=message("leave max_logprobs out: verl sets it"),
    )
