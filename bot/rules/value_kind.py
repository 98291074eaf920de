"""RLB033: a text where verl needs a number or a boolean, a fraction where it counts."""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex
from bot.base.spelling import slip
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.settings.key_table import Key
from bot.frameworks.settings.setting import Setting
from bot.report import Severity
from bot.rules._support.base import (
    Example,
    Hit,
    Hits,
    Message,
    Meta,
    RuleContext,
    TextEdit,
    message,
)
from bot.rules._support.example import verl
from bot.rules._support.keys import is_own

META = Meta(
    id="RLB033",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="A value is of another kind than the setting's default.",
    why=(
        "Hydra takes any value for any setting. A text in a number's place stops the training when "
        "it is used, hours later perhaps; one in a boolean's place counts as true, also `Flase`."
    ),
    instead="Write a number, True or False. Hydra knows no yes, no, on and off.",
    limits=(
        "verl alone: OpenRLHF and TRL check the kinds of their options themselves. Compared with "
        "the default of the configuration that counts; nothing is said where that is null or a "
        "text. A fraction is reported for settings that count (sizes, lengths, GPUs); of steps it "
        "is a warning, since verl only compares their number with the step that it is at. "
        "A text for a boolean is a warning, and so is one for a setting that a repository adds to "
        "verl's: its code may take words."
    ),
    source=(
        "the defaults of verl's configuration; https://hydra.cc/docs/1.3/advanced/"
        "override_grammar/basic/ for what is a number or a boolean"
    ),
    example=Example(
        bad=verl("data.max_prompt_length=5l2"), good=verl("data.max_prompt_length=512")
    ),
)

_COUNTS = regex(
    r"(?:\A|_)(?:size|length|len|steps|step|epochs|epoch|freq|nnodes|n|num|rank|tokens|tokens_per_gpu|"
    r"len_per_gpu|size_per_gpu|per_node|seqs|turns|workers|gpus)\Z"
)
"""The last word of a setting that counts something."""
_COMPARED = regex(r"(?:_|\.)(?:steps|freq)\Z")
"""Of those, what steps are only compared with: 3.0 is 3, and 0.1 starts too, whatever it means."""
_WORDS: Final = frozenset(
    ("yes", "no", "on", "off", "y", "n", "t", "f", "enable", "disable",
     "bf16", "fp16", "fp32", "bfloat16", "float16", "float32")
)  # fmt: skip
"""What a boolean is called elsewhere, and the data types that stand in the place of one.

Another text may be a fork's own way of saying which."""
_TEXTS: Final = {
    "trainer.save_freq": ("after_each_epoch",),
    "trainer.test_freq": ("after_each_epoch",),
}
"""Texts that verl takes for a number (trainer/sft_trainer.py)."""


def check(context: RuleContext) -> Hits:
    """Compare each value with the default of its setting."""
    for plan in context.plans:
        table = plan.table
        if not isinstance(table, HydraTable):
            continue
        tree = table.tree_for(plan.settings)
        for setting in plan.settings:
            given = isinstance(setting.value, (str, float)) and setting.operator != "~"
            key = table.key_in(tree, setting.key) if given else None
            problem = _problem(key, setting) if key is not None else None
            if problem is not None:
                what, severity = problem
                own = is_own(plan, setting.key)
                yield _hit(context, setting, what, "warning" if own else severity)


def _problem(key: Key, setting: Setting) -> tuple[Message, Severity | None] | None:
    value, kind, name = setting.value, key.type, setting.key
    if isinstance(value, str):
        if value in ("", "None", "null", "auto") or value in _TEXTS.get(name, ()) or "${" in value:
            return None
        if kind in ("int", "float") and not _is_number(value):
            what = message("{key} is {value}, where a number belongs", key=name, value=value)
            return what, None
        if kind == "bool" and (value.lower() in _WORDS or slip(value, ("True", "False"))):
            what = message(
                "{key} is {value}, a text that counts as true: True or False belongs here",
                key=name,
                value=value,
            )
            return what, "warning"
    if isinstance(value, float) and kind == "int" and _is_count(name, key):
        compared = _COMPARED.search(name) is not None
        if compared and value.is_integer():
            return None
        what = message("{key} is {value}, where a whole number belongs", key=name, value=value)
        return what, "warning" if compared else None
    return None


def _is_count(name: str, key: Key) -> bool:
    last = name.rsplit(".", 1)[-1]
    return bool(_COUNTS.search(last)) and isinstance(key.default, int)


def _is_number(text: str) -> bool:
    try:
        # Bounds are written lower_upper: rollout_is_threshold=0.5_4.0.
        return [float(part) for part in text.split("_")] != []
    except ValueError:
        return False


def _hit(context: RuleContext, setting: Setting, what: Message, severity: Severity | None) -> Hit:
    written = setting.value if isinstance(setting.value, str) else ""
    near = slip(written, ("True", "False"))
    span = setting.value_span
    exact = near is not None and context.source.written(span) == written
    return Hit(
        message=what,
        span=span,
        severity=severity,
        help=message("did you mean {near}?", near=near) if near else None,
        fix_title=message("write {name}", name=near) if exact and near else None,
        edits=(TextEdit(span=span, text=near),) if exact and near else (),
    )
