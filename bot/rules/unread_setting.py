"""RLB130: a setting that the release has, and that nothing reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, enumeration
from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.frameworks.verl.verl import BESIDE_MEGATRON
from bot.report import JsonValue, Severity
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown, title
from bot.rules._support.verl import ACTOR, ROLLOUT, trainers

META = Meta(
    id="RLB130",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="A setting that the framework declares, and that no part of the release reads.",
    why=(
        "The framework takes the setting without a word and trains as if it were not there: "
        "workers that read it were removed, or the engine is never told."
    ),
    instead="Do what the message says, or remove the setting.",
    limits=(
        "Of verl checked for `verl.trainer.main_ppo`, and only where the value would change "
        "something. A note where nobody names the release. A copy of verl in the repository counts "
        "only where all of its Python is there and has no such name. Knows "
        "freeze_vision_tower, grad_clip, nccl_timeout and the actor's fsdp_config.strategy "
        "(since 0.8.0), lora.rank without Megatron (all weights are "
        "then trained), over_sample_rate (since 0.7.0), ignore_eos (0.7.0 to 0.8.0), filter_groups "
        "(before 0.9.0, where recipes alone read it), and enable_chunked_prefill and "
        "enable_prefix_caching switched off for vLLM (0.7.0 to 0.9.0). Of TRL the address of a "
        "server of vLLM, where vllm_mode is colocate, as it is by default since 1.0.0."
    ),
    source=(
        "the Python of verl's wheels, which names these settings in the declarations alone; "
        "build_cli_args_from_config in verl/workers/rollout/vllm_rollout/utils.py, which drops "
        "False (until 0.9.0); VLLMGeneration in trl/generation/vllm_generation.py; "
        "_is_lora in verl/workers/engine/fsdp/transformer_impl.py; https://github.com/verl-project/verl/issues/7815"
    ),
    example=Example(
        bad=verl(f"{ACTOR}.grad_clip=0.5", before="# verl: 0.9.1"),
        good=verl(f"{ACTOR}.optim.clip_grad=0.5", before="# verl: 0.9.1"),
    ),
)


@dataclass(frozen=True, slots=True)
class _Unread:
    """A setting, and the releases in which nothing reads it."""

    key: str
    since: tuple[int, ...]
    idle: JsonValue
    """The value that changes nothing."""
    until: tuple[int, ...] = (9999,)
    """The first release that reads it again."""
    counts: str = ""
    """The setting that counts in its place: nothing is lost where it has the same value."""
    under: tuple[str, ...] = ()
    """The training backends that do not read it, which one does; none where nothing does."""


_MODEL: Final = "actor_rollout_ref.model"
_UNREAD: Final[Sequence[_Unread]] = (
    _Unread(f"{ACTOR}.freeze_vision_tower", (0, 8), False),
    _Unread(f"{ACTOR}.grad_clip", (0, 8), None, counts=f"{ACTOR}.optim.clip_grad"),
    # FSDPActorConfig.__post_init__ writes the actor's strategy over it.
    _Unread(f"{ACTOR}.fsdp_config.strategy", (0, 8), None, counts=f"{ACTOR}.strategy"),
    _Unread(f"{_MODEL}.lora.rank", (0, 6), 0, counts=f"{_MODEL}.lora_rank", under=BESIDE_MEGATRON),
    _Unread("critic.grad_clip", (0, 8), None, counts="critic.optim.clip_grad"),
    _Unread("actor_rollout_ref.nccl_timeout", (0, 8), 600),
    _Unread("critic.nccl_timeout", (0, 8), 600),
    _Unread(f"{ROLLOUT}.over_sample_rate", (0, 7), 0),
    _Unread(f"{ROLLOUT}.ignore_eos", (0, 7), False, until=(0, 9)),
    _Unread("algorithm.filter_groups.enable", (0, 4), False, until=(0, 9)),
)
_ENGINE: Final = f"{ROLLOUT}.name"
_NEVER_OFF: Final = (f"{ROLLOUT}.enable_chunked_prefill", f"{ROLLOUT}.enable_prefix_caching")
"""What verl tells vLLM to switch on, and never to switch off, from 0.7.0 to 0.9.0."""


_SERVER: Final = tuple(f"vllm_server_{name}" for name in ("base_url", "host", "port"))


def check(context: RuleContext) -> Hits:
    """The settings of each launch that its release passes over."""
    for plan in context.plans:
        if plan.framework == "trl" and not plan.own_trainer:
            yield from _of_server(values_of(plan))
    for values in trainers(context):
        given = {setting.key for setting in values.plan.settings}
        for one in _UNREAD:
            if one.key in given and _matters(values, one) and _is_unread(context, values, one):
                yield _passed_over(values, one)
        if _is_of_release(values, (0, 7), (0, 9, 1)) and values.text(_ENGINE) == "vllm":
            for key in _NEVER_OFF:
                if key in given and values.flag(key) is False:
                    yield hit(
                        values.place(key),
                        "{what} does not tell vLLM that {key} is False: it stays on",
                        what=title(values.plan),
                        key=key,
                        severity=_severity(values),
                        help=message("remove the setting, or use verl 0.9.1 or later"),
                    )


def _of_server(values: PlanValues) -> Hits:
    """Where TRL's trainers find a server of vLLM, which they ask for nothing beside their own."""
    plan, mode = values.plan, values.get("vllm_mode")
    given = [key for key in _SERVER if plan.last(key) is not None]
    if not given or values.flag("use_vllm") is not True or mode is None or mode.value != "colocate":
        return
    names = {"keys": enumeration([shown(plan, key) for key in given]), "mode": "vllm_mode"}
    text = (
        message("{mode} is colocate, the default: nothing reads {keys}", **names)
        if plan.last("vllm_mode") is None
        else message("{mode} is colocate: nothing reads {keys}", **names)
    )
    yield hit(
        values.place(given[0]),
        text,
        severity=_severity(values),
        help=message("set {mode} server", mode=shown(plan, "vllm_mode")),
    )


def _passed_over(values: PlanValues, one: _Unread) -> Hit:
    place, severity, what = values.place(one.key), _severity(values), title(values.plan)
    if not one.under:
        text = message("nothing in {what} reads {key}", what=what, key=one.key)
    else:
        text = message(
            "{train} does not read {key} in {what}: no adapter is trained, but all weights",
            train=values.plan.train.value or "",
            key=one.key,
            what=what,
        )
    return hit(place, text, severity=severity, help=_help(one))


def _severity(values: PlanValues) -> Severity | None:
    """A note where nobody names the release: an older one may read the setting."""
    return "note" if values.plan.configuration.guessed else None


def _matters(values: PlanValues, one: _Unread) -> bool:
    """Whether the value would change something if it were read."""
    found = values.get(one.key)
    if found is None or found.value == one.idle:
        return False
    counting = values.get(one.counts) if one.counts else None
    if one.under:
        other = counting.value if counting is not None else one.idle
        return values.plan.train.value in one.under and other == one.idle
    return not one.counts or (counting is not None and counting.value != found.value)


def _is_unread(context: RuleContext, values: PlanValues, one: _Unread) -> bool:
    """Whether nothing reads it: in the release, or in the repository's own copy of verl."""
    if values.plan.configuration.source != "tree":
        return _is_of_release(values, one.since, one.until)
    *_, section, word = one.key.split(".")
    word = section if word == "enable" else word
    place = context.place
    return place is not None and place.checkout.verl.mentions(place.path, word) is False


def _is_of_release(values: PlanValues, since: tuple[int, ...], until: tuple[int, ...]) -> bool:
    """Whether the launch is read by a release from one on and before another."""
    plan = values.plan
    if plan.configuration.source == "tree":
        return False
    return version_at_least(plan, *since) and not version_at_least(plan, *until)


def _help(one: _Unread) -> Message:
    if one.counts:
        return message("use {key}, which counts", key=one.counts)
    if one.until[0] < 9999:
        return message(
            "use verl {release} or later, or remove the setting",
            release=".".join(map(str, (*one.until, 0))),
        )
    return message("remove the setting")
