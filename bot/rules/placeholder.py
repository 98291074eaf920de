"""RLB032: a value that was to be filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.base.messages import message
from bot.rules._support.base import Example, Hit, Meta, RuleContext
from bot.rules._support.code import from_default
from bot.rules._support.example import verl
from bot.rules._support.keys import shown

META = Meta(
    id="RLB032",
    slug="placeholder",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="A setting holds a placeholder, such as /path/to/model or YOUR_KEY.",
    why="The script cannot run until someone replaces it, and nobody else knows with what.",
    instead=(
        "Write the value that the run used, or a default that a caller can change: "
        "${MODEL_PATH:-Qwen/Qwen2.5-7B}."
    ),
    limits=(
        "Knows path/to, your_…, <…>, xxx and TODO. A note where the caller can set another value, "
        "as in ${MODEL:-/path/to/model}."
    ),
    source="verl's docs/perf/device_tuning.rst asks for a configuration that has been tested",
    example=Example(
        bad=verl("actor_rollout_ref.model.path=/path/to/Qwen2.5-7B-Instruct"),
        good=verl("actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct"),
    ),
)

_HOLE = re.compile(r"\$\{\?[^}]{0,500}\}")
_HOLDER = re.compile(
    r"(?<![\w.\-])/?path[/_]to[/_][\w.\-/]*|(?<![A-Za-z])your?[_\-][A-Za-z][\w.\-]*"
    r"|<[A-Za-z][\w \-/.]{0,40}>|(?<![A-Za-z0-9])(?:x{3,}|TODO|FIXME|CHANGE_?ME)(?![A-Za-z0-9])",
    re.IGNORECASE,
)


def check(context: RuleContext) -> Iterator[Hit]:
    """Placeholders in the settings of each launch."""
    for plan in context.plans:
        for setting in plan.settings:
            found = _HOLDER.search(_HOLE.sub("", setting.text))
            if found is None:
                continue
            at = setting.word.text.rfind(found[0])
            yield Hit(
                message=message(
                    "{key} holds the placeholder {text}",
                    key=shown(plan, setting.key),
                    text=found[0],
                ),
                span=setting.word.span_of(at, at + len(found[0]))
                if at >= 0
                else setting.value_span,
                severity="note" if at >= 0 and from_default(setting.word, at) else None,
                help=message("write the value that the run used"),
            )
