"""TRL's adapters, and the modules that `lora_modules_to_save` trains in full beside one.

PEFT's `ModulesToSaveWrapper` trains a copy of each in the type that it was loaded in (its cast to
fp32 is of adapters alone, `cast_adapter_dtype`); the frozen original stays. Copies of tied ends are
two (`ensure_weight_tying` is off by default).
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory.readers.expert_factors import expert_factors
from bot.memory.readers.settings import MemorySettings, NoEstimateError, needed
from bot.memory.readers.trl.precision import Precision, embedding_moments, whole_experts
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Adapter, FullModules

_ENDS = ("embed_tokens", "lm_head")
_DEFAULT = frozenset(("q_proj", "v_proj"))
_TARGETS = "lora_target_modules"
_USUAL_RANK = 16
"""The rank of an adapter that is loaded: TRL's default; one of 64 in all layers is four times
as large, a few hundredths of the model."""
_SMALL = ("score", "norm")
"""A head of one output, a norm: nothing that counts."""


def adapter(get: MemorySettings, kind: str) -> Adapter:
    """The adapter of a plan, lora or dora; raises NoEstimateError where its rank is not known.

    Without `lora_target_modules` PEFT adapts queries and values
    (`TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING`); open-instruct names every matrix itself.
    """
    if goes_on(get.plan):
        return Adapter(kind="lora", rank=_USUAL_RANK, targets=None, dropout=_drops(get))
    rank = needed(get.count("lora_r", "lora_rank"), "The adapter's rank is not known.")
    unknown = message("an adapter in all linear layers, as {key} is not known", key=_TARGETS)
    named = get.value_or("all-linear", _TARGETS, unknown)
    listed = named if isinstance(named, list) else [named] if isinstance(named, str) else []
    targets = frozenset(str(name) for name in listed if str(name).endswith("_proj"))
    return Adapter(
        kind="dora" if kind == "dora" else "lora",
        rank=rank,
        targets=targets or (None if listed or get.plan.framework == "open-instruct" else _DEFAULT),
        dropout=get.number(0.0, "lora_dropout") > 0 and _drops(get),
        factors=expert_factors(
            get.value("lora_target_parameters"),
            cached=version_at_least(get.plan, 1, 2),
            views=version_at_least(get.plan, 0, 22) and not version_at_least(get.plan, 0, 28),
        ),
    )


def _drops(get: MemorySettings) -> bool:
    """Whether dropout is left on: trainers of preferences set each `nn.Dropout` to zero by default.

    That is done once the adapter is there (`disable_dropout_in_model`), whose inputs are then the
    layer's own.
    """
    return not get.on(False, "disable_dropout")


def goes_on(plan: Plan) -> bool:
    """Whether the adapter is one of an earlier training, so that its rank is not known."""
    program = plan.written
    return program is not None and program.goes_on


def refuse_unfollowed(plan: Plan, model: str | None) -> None:
    """Say where a program's model is not followed, and not only that it is not known.

    Raises NoEstimateError where neither options nor the program say what is trained.
    """
    program = plan.written
    if program is not None and program.unfollowed and (not model or not plan.adapter):
        raise NoEstimateError(
            "The program's model is not followed beyond `{part}`: give --set "
            "model_name_or_path=NAME and --set use_peft=true or false.",
            part=program.unfollowed,
        )


def assumed(get: MemorySettings, shape: Shape) -> Iterator[str]:
    """What is taken for granted of a model with an adapter, a clause for each."""
    yield from _unknown_modules(get)
    if getattr(shape.linear, "plain", False):
        yield message("layers of linear attention without the kernels of flash-linear-attention")
    if get.plan.adapter.value and shape.experts and whole_experts(get):
        yield message(
            "experts in 16 bits, since bitsandbytes quantizes none of those of transformers 5"
        )
    if goes_on(get.plan):
        yield message(
            "an adapter of rank {rank} in all linear layers, as the earlier training's is not "
            "known",
            rank=_USUAL_RANK,
        )


def full_modules(get: MemorySettings, shape: Shape, precision: Precision) -> FullModules | None:
    """The copies of embedding and head; None without one."""
    ends = [name for name in _modules(get) if name in _ENDS]
    if not ends:
        return None
    loaded = precision.loaded
    zero = precision.optimizer > 8  # DeepSpeed's fp32 copy is among them.
    wide = 0.0 if zero else embedding_moments(get)
    if zero or wide:  # 8-bit moments are as wide whatever the weights are in.
        each = precision.optimizer + wide * ends.count("embed_tokens") / len(ends)
    else:
        each = precision.optimizer / 4 * loaded
    return FullModules(
        parameters=len(ends) * shape.embedding,
        weight_bytes=loaded,
        gradient_bytes=loaded,
        optimizer_bytes=each,
    )


def _unknown_modules(get: MemorySettings) -> Iterator[str]:
    """An assumption, where a module is trained whose size is not known."""
    names = sorted(set(_modules(get)).difference(_ENDS, _SMALL))
    if names:
        yield message(
            "not counted, so that it takes more: lora_modules_to_save of {names}",
            names=", ".join(names),
        )


def _modules(get: MemorySettings) -> list[str]:
    """The names, without the modules that they stand in."""
    named = get.value("lora_modules_to_save")
    listed = named if isinstance(named, list) else [named] if isinstance(named, str) else []
    return [str(name).rpartition(".")[2] for name in listed]
