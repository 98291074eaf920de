"""RLB105: settings of an adapter without the option that makes one."""

from __future__ import annotations

from typing import Final

from bot.base.messages import enumeration
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of
from bot.frameworks.settings.setting import Setting
from bot.report import Severity
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import trl
from bot.rules._support.keys import shown

META = Meta(
    id="RLB105",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="Options of LoRA or of a quantized base for TRL, without --use_peft.",
    why=(
        "TRL makes no adapter without --use_peft, whatever the options of LoRA say: all weights "
        "are trained, which takes several times the memory. A quantized model without an adapter "
        "is refused by transformers' Trainer with a ValueError."
    ),
    instead="Add --use_peft, or remove the options.",
    limits=(
        "Silent where use_peft is given, in a file of settings that cannot be read, and for a "
        "program that makes its adapter itself; for a recipe without a launch that is any program "
        "of the repository with a `TrlParser`. A quantized base is an error for TRL's own "
        "scripts, but for those of PPO and of other online trainers: a warning."
    ),
    source=(
        "get_peft_config in trl/trainer/utils.py (0.13.0 to 1.16.0); Trainer.__init__ in "
        "transformers/trainer.py"
    ),
    example=Example(
        bad=trl("--lora_r 16", "--lora_alpha 32"),
        good=trl("--use_peft", "--lora_r 16", "--lora_alpha 32"),
        path="scripts/grpo.sh",
    ),
)

_LORA: Final = (
    "lora_r", "lora_alpha", "lora_dropout", "lora_target_modules", "lora_target_parameters",
    "lora_modules_to_save", "use_rslora", "use_dora",
)  # fmt: skip
_QUANTIZED: Final = ("load_in_4bit", "load_in_8bit")
_TRAINERS: Final = ("sft", "dpo", "grpo", "kto", "rm", "rloo")
"""Algorithms whose trainers hand the model to transformers' Trainer as it is."""


def check(context: RuleContext) -> Hits:
    """The options of adapters in launches that are known to have none."""
    for plan in context.plans:
        if plan.framework != "trl" or plan.adapter.value != "" or plan.last("use_peft"):
            continue
        if values_of(plan).flag("use_peft") is not False:
            continue  # It may hide in a word that only the run knows.
        if plan.launch.command.implied and _adapted(context):
            continue
        quantized = [one for one in plan.settings if one.key in _QUANTIZED and one.value is True]
        lora = [one for one in plan.settings if one.key in _LORA]
        if quantized:
            yield hit(
                quantized[0].key_span,
                "{option} needs {switch}: a quantized model is not trained without an adapter",
                option=shown(plan, quantized[0].key),
                switch=shown(plan, "use_peft"),
                severity=_severity(plan),
                help=message("add {switch}", switch=_switch(plan, quantized[0])),
            )
        elif lora:
            yield hit(
                lora[0].key_span,
                "{options} without {switch}: no adapter is made, all weights are trained",
                options=enumeration([shown(plan, one.key) for one in lora], 3),
                switch=shown(plan, "use_peft"),
                help=message("add {switch}", switch=_switch(plan, lora[0])),
            )


def _adapted(context: RuleContext) -> bool:
    """Whether a program of the repository, which may read the recipe, makes adapters itself."""
    return context.place is not None and context.place.checkout.makes_adapters()


def _severity(plan: Plan) -> Severity | None:
    own = plan.launch.entry.startswith(("trl.", "examples."))
    return "error" if own and plan.algorithm.value in _TRAINERS else None


def _switch(plan: Plan, beside: Setting) -> str:
    """The switch, as it is written beside another option."""
    name = shown(plan, beside.key)
    return "--use_peft" if name.startswith("--") else "use_peft: true"
