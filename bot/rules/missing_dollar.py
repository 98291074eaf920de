"""RLB030: a value is a variable's name where its content was meant."""

from __future__ import annotations

import re

from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, TextEdit, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown, texts
from bot.shell.source import Span

META = Meta(
    id="RLB030",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="A value is the name of a variable that the script sets: its `$` is missing.",
    why="The framework gets the name itself, and looks for a model or a file of that name.",
    instead="Put `$` before the name.",
    limits=(
        "The name must be one that the script sets, and must look like one: it holds an underscore "
        "or is in upper case, unless the setting is a number or a path. A value that is the "
        "setting's default, or the variable's own content, is not reported, nor a project or run "
        "with the name of a variable that holds a path."
    ),
    source="https://www.gnu.org/software/bash/manual/bash.html#Shell-Parameter-Expansion",
    example=Example(
        bad=verl(
            "actor_rollout_ref.model.path=MODEL_PATH",
            before="MODEL_PATH=Qwen/Qwen2.5-7B-Instruct",
        ),
        good=verl(
            "actor_rollout_ref.model.path=$MODEL_PATH",
            before="MODEL_PATH=Qwen/Qwen2.5-7B-Instruct",
        ),
    ),
)

_PATHS = ("path", "file", "files", "dir", "local_dir")
_LABELS = ("project_name", "experiment_name", "run_name")
_NUMBERS = ("int", "float", "bool")


def check(context: RuleContext) -> Hits:
    """Values, and items of lists, that are names of the script's variables."""
    contents: dict[str, set[str]] = {}
    for variable in context.reading.variables:
        contents.setdefault(variable.name, set()).add(variable.value.text)
    for plan in context.plans:
        for setting in plan.settings:
            for name in texts(setting):
                if name not in contents or name in contents[name]:
                    continue
                if _looks_meant(plan, setting, name, contents[name]):
                    yield _hit(context, plan, setting, name)


def _looks_meant(plan: Plan, setting: Setting, name: str, contents: set[str]) -> bool:
    key = plan.table.get(setting.key) if plan.table else None
    if key is not None and (key.default == name or name in key.choices):
        return False
    if key is not None and key.type in _NUMBERS:
        return True
    if re.split(r"[._]", setting.key)[-1] in _PATHS:
        return True
    if name.isupper():
        return len(name) > 1
    if setting.key.endswith(_LABELS) and any("/" in content for content in contents):
        return False  # A project is called as a dataset; where that lies is no label.
    return "_" in name.strip("_")


def _hit(context: RuleContext, plan: Plan, setting: Setting, name: str) -> Hit:
    start = setting.word.text.rfind(setting.text) if setting.text else -1
    at = setting.word.text.find(name, max(start, 0))
    span = setting.word.span_of(at, at + len(name)) if at >= 0 else setting.value_span
    literal = context.source.written(span) == name
    edits = (
        (TextEdit(span=span, text=f"${name}"),)
        if literal and _expands(context, setting, span)
        else ()
    )
    return hit(
        span,
        '{key} is the text "{name}", the name of a variable set here',
        key=shown(plan, setting.key),
        name=name,
        help=message("write ${name}", name=name),
        fix_safe=bool(edits),
        edits=edits,
    )


def _expands(context: RuleContext, setting: Setting, span: Span) -> bool:
    """True unless the place stands in single quotes, where a $ is only a character."""
    for piece in setting.word.pieces:
        if piece.span.start <= span.start < piece.span.end:
            before = context.source.text[max(0, piece.span.start - 1) : piece.span.start]
            return not (piece.quoted and before == "'")
    return False
