"""RLB034: a value that is nearly one that the framework knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.base.spelling import slip
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, TextEdit, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown, texts
from bot.rules._support.verl import ENTRY, ESTIMATORS, has_code_for

META = Meta(
    id="RLB034",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="A value is a misspelling of one that the framework knows.",
    why=(
        "verl takes most names as they are and looks them up when it needs them: after the models "
        "were loaded, or after the first rollout."
    ),
    instead="Write the name that is meant.",
    limits=(
        "Only names that are one letter away from a known one or written with other capitals, and "
        "that the repository's own copy of verl does not write either. loss_agg_mode, kl_loss_type "
        "and kl_penalty have rules of their own. A policy loss or DAPO as the estimator is "
        "reported for `verl.trainer.main_ppo` alone: a recipe may register an estimator of that "
        "name."
    ),
    source=(
        "verl/trainer/ppo/core_algos.py (AdvantageEstimator, register_policy_loss), "
        "verl/workers/rollout/base.py, verl/utils/tracking.py, verl/utils/torch_functional.py, "
        "verl/workers/config (verl 0.2 to 0.9.1); the choices of OpenRLHF's and TRL's options"
    ),
    example=Example(
        bad=verl("algorithm.adv_estimator=grop"), good=verl("algorithm.adv_estimator=grpo")
    ),
)

_SCHEDULES = ("constant", "cosine", "linear", "inverse-square-root", "constant_with_warmup")
_TYPES = ("float32", "float16", "bfloat16", "fp32", "fp16", "bf16", "auto", "half", "float")
_LOGGERS = (
    "console", "wandb", "mlflow", "swanlab", "vemlp_wandb", "tensorboard", "clearml", "trackio",
    "file", "rl_insight",
)  # fmt: skip
_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "adv_estimator": ESTIMATORS,
    "rollout.name": ("vllm", "sglang", "hf", "trtllm", "vllm_omni", "naive"),
    "rollout.mode": ("sync", "async"),
    "strategy": (
        "fsdp", "fsdp2", "megatron", "veomni", "torchtitan", "automodel", "mindspeed",
    ),
    "loss_mode": (
        "vanilla", "clip_cov", "kl_cov", "clip-cov", "kl-cov", "gpg", "gspo", "sapo", "geo_mean",
        "cispo", "dppo_kl", "dppo_tv", "dro", "bypass_mode",
    ),
    "kl_ctrl.type": ("fixed", "adaptive"),
    "truncation": ("error", "left", "right", "middle"),
    "resume_mode": ("auto", "disable", "resume_path"),
    "warmup_style": _SCHEDULES,
    "lr_scheduler_type": _SCHEDULES,
    "lr_warmup_style": _SCHEDULES,
    "lr_decay_style": _SCHEDULES,
    "load_format": (
        "auto", "dummy", "dummy_dtensor", "dummy_megatron", "dummy_hf", "safetensors", "dtensor",
        "megatron", "hf", "pt",
    ),
    "rollout.dtype": _TYPES,
    "model_dtype": _TYPES,
    "reward_manager": ("naive", "prime", "batch", "dapo", "gdpo", "remote", "limited"),
    "multi_turn.format": ("hermes", "glm", "kimi", "minimax", "seed", "gpt-oss", "qwen3_coder"),
    "trainer.logger": _LOGGERS,
    "trainer.device": ("cuda", "npu", "cpu"),
}  # fmt: skip
"""End of verl's key to the names that its releases know."""
_ESTIMATOR: Final = "algorithm.adv_estimator"
_DAPO: Final = "dapo"
_NO_ESTIMATORS: Final = (*_KNOWN["loss_mode"], _DAPO)
_LAST: Final = frozenset(key.rpartition(".")[2] for key in _KNOWN)
_ANY_CASE: Final = ("dtype", "model_dtype", "load_format", "device")
"""Last parts of keys whose names vLLM or torch take in capitals, too."""
_OPEN: Final = ("adv_estimator", "loss_mode", "reward_manager", "format")
"""Names that a fork may add to by registering its own."""


def check(context: RuleContext) -> Hits:
    """Compare the names that are given with those that are known."""
    for plan in context.plans:
        for setting in plan.settings:
            known = _known_values(setting.key) if plan.framework == "verl" else ()
            for written in texts(setting) if known else ():
                if written in known:
                    continue
                near = _nearest(setting.key.rsplit(".", 1)[-1], written, known)
                estimator = setting.key == _ESTIMATOR and plan.launch.entry == ENTRY
                wrong = near is not None or (estimator and written in _NO_ESTIMATORS)
                # Whether the repository writes it is asked last: that reads all of it.
                if not wrong or has_code_for(context, written):
                    continue
                if near is not None:
                    yield _hit(context, shown(plan, setting.key), setting, written, near)
                else:
                    yield _no_estimator(setting, written)


def _nearest(last: str, written: str, known: tuple[str, ...]) -> str | None:
    plain = written.lower().replace("-", "_")
    if plain in known and plain != written and last not in _ANY_CASE:
        return plain
    return slip(written, known, other_from=5 if last in _OPEN else 3)


def _no_estimator(setting: Setting, written: str) -> Hit:
    key = setting.key
    if written == _DAPO:
        return hit(
            setting.value_span,
            "{key} is {written}, which is a reward manager of verl and no estimator",
            key=key,
            written=written,
            help=message("write {key}=grpo, the estimator that DAPO trains with", key=key),
        )
    return hit(
        setting.value_span,
        "{key} is {written}, which is a policy loss of verl and no estimator",
        key=key,
        written=written,
        help=message(
            "write {key}=grpo, and actor_rollout_ref.actor.policy_loss.loss_mode={written}",
            key=key,
            written=written,
        ),
    )


def _known_values(key: str) -> tuple[str, ...]:
    above, _, last = key.rpartition(".")
    if last not in _LAST:
        return ()
    return _KNOWN.get(last) or _KNOWN.get(f"{above.rpartition('.')[2]}.{last}", ())


def _hit(context: RuleContext, key: str, setting: Setting, written: str, near: str) -> Hit:
    span = setting.value_span
    there = context.source.written(span)
    edits = (TextEdit(span=span, text=there.replace(written, near)),) if written in there else ()
    return hit(
        span,
        "{key} is {written}, which is no known name",
        key=key,
        written=written,
        help=message("did you mean {near}?", near=near),
        fix_title=message("write {name}", name=near),
        edits=edits,
    )
