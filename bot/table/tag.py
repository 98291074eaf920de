"""The tag that a plan's settings deserve by the page's own definition.

Source: verl's docs/perf/device_tuning.rst. MIN is a script "after applying all memory optimization
techniques", of which it names offload and gradient checkpointing; RECOMMENDED one that avoids
what costs time.
"""

from __future__ import annotations

from typing import Literal

from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration, message, plural_message
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import UNKNOWN

_ACTOR = "actor_rollout_ref.actor."
_CHECKPOINTING = "actor_rollout_ref.model.enable_gradient_checkpointing"
# Megatron has its own switch, which is on when it says how much to recompute.
_RECOMPUTE = _ACTOR + "megatron.override_transformer_config.recompute_granularity"


@dataclass(frozen=True, slots=True)
class Deserved:
    """A tag, or None when the settings cannot tell, with the reason as a sentence."""

    tag: Literal["MIN", "RECOMMENDED"] | None
    reason: str


def deserved_tag(plan: Plan) -> Deserved:
    """MIN when parameters and optimizer are offloaded and gradients checkpointed."""
    states = {"verl": _verl, "openrlhf": _openrlhf, "trl": _trl}.get(plan.framework, _nothing)(plan)
    unknown = [name for name, state in states if state is None]
    off = [name for name, state in states if state is False]
    if off:
        return Deserved(
            "RECOMMENDED",
            message(
                "The tag is RECOMMENDED because the settings leave {options} off; a comment "
                "`# tag: MIN` in the script overrides it.",
                options=enumeration(off),
            ),
        )
    if unknown:
        return Deserved(
            None,
            plural_message(
                "The tag is unknown because the settings do not tell whether {options} is on; "
                "state it with a comment `# tag: MIN` or `# tag: RECOMMENDED` in the script.",
                "The tag is unknown because the settings do not tell whether {options} are on; "
                "state it with a comment `# tag: MIN` or `# tag: RECOMMENDED` in the script.",
                len(unknown),
                options=enumeration(unknown),
            ),
        )
    return Deserved(
        "MIN",
        message(
            "The tag is MIN because the settings turn {options} on; a comment "
            "`# tag: RECOMMENDED` in the script overrides it.",
            options=enumeration(n for n, _ in states),
        ),
    )


_States = list[tuple[str, bool | None]]


def _verl(plan: Plan) -> _States:
    if plan.train.value is None:
        return _nothing(plan)
    if plan.train.value == "megatron":
        engine, checkpointing = "megatron.", _RECOMPUTE
    else:
        engine, checkpointing = "fsdp_config.", _CHECKPOINTING
    # FSDP2 has one policy that offloads parameters, gradients and optimizer state together.
    policy = _state(plan, _ACTOR + "fsdp_config.offload_policy")
    whole = plan.train.value == "fsdp2" and policy
    return [
        (message("parameter offload"), whole or _state(plan, _ACTOR + engine + "param_offload")),
        (
            message("optimizer offload"),
            whole or _state(plan, _ACTOR + engine + "optimizer_offload"),
        ),
        (message("gradient checkpointing"), _state(plan, checkpointing)),
    ]


def _openrlhf(plan: Plan) -> _States:
    # Releases before 0.10 and after it group the options differently; the last part stayed.
    return [
        (message("optimizer offload"), _flag(plan, "adam_offload")),
        (message("gradient checkpointing"), _flag(plan, "gradient_checkpoint")),
    ]


def _trl(plan: Plan) -> _States:
    from bot.memory.readers.trl.saving import saving_of

    saved = saving_of(plan)
    return [
        (message("parameter offload"), saved.weights),
        (message("optimizer offload"), saved.optimizer),
        (message("gradient checkpointing"), saved.checkpointing),
    ]


def _nothing(_plan: Plan) -> _States:
    return [(message("offload"), None), (message("gradient checkpointing"), None)]


def _state(plan: Plan, key: str) -> bool | None:
    """Whether a setting is on, by the script or by the release's default; None when unknown."""
    setting = plan.last(key)
    if setting is not None and setting.operator != "~":
        return None if setting.value is UNKNOWN else _on(setting.value)
    if plan.table is None:
        return None
    entry = plan.table.get(key)
    return False if entry is None else _on(entry.default)


def _flag(plan: Plan, beginning: str) -> bool | None:
    """Whether an option is given whose last part begins so; options of this kind default to off."""
    for setting in reversed(plan.settings):
        if setting.key.rsplit(".", 1)[-1].startswith(beginning):
            return None if setting.value is UNKNOWN else _on(setting.value, bare=True)
    return False


def _on(value: object, *, bare: bool = False) -> bool | None:
    """The truth of a value; `bare` says that an option without one is on."""
    if value is None:
        return bare
    if isinstance(value, str):
        if "${" in value:  # a reference to another setting
            return None
        return value.strip().lower() not in ("", "false", "0", "no", "none", "null")
    return bool(value)
