"""RLB031: a setting takes its value from a variable that the script never sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from bot.base.messages import message
from bot.frameworks.setting import Setting
from bot.rules._support.base import Example, Hit, Meta, RuleContext
from bot.rules._support.example import verl
from bot.rules._support.keys import shown
from bot.shell.source import Span
from bot.shell.words import Hole

META = Meta(
    id="RLB031",
    slug="undefined-variable",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="A setting takes its value from a variable that the script never sets.",
    why=(
        "The variable is empty unless the caller happens to have it, so the setting is empty too, "
        "and nobody else can run the script."
    ),
    instead="Set the variable, mend its name, or give it a default: ${DATA_DIR:-data}.",
    limits=(
        "An error only for a name with lower-case letters: names in upper case are by custom the "
        "caller's (clusters set them), and are a note. Silent after `source`, when the file that "
        "may set the variable cannot be read. A default in the script settles it; one that needs "
        "the variable itself is a note, unless `set -u` stops there."
    ),
    source="https://www.gnu.org/software/bash/manual/bash.html#Shell-Parameter-Expansion",
    example=Example(
        bad=verl(
            "data.train_files=$data_path",
            before="gsm8k_train_path=data/gsm8k/train.parquet",
        ),
        good=verl(
            "data.train_files=$gsm8k_train_path",
            before="gsm8k_train_path=data/gsm8k/train.parquet",
        ),
    ),
)


_NOUNSET = re.compile(r"(?m)^\s*set\s.*?(?:-[a-z]*u|nounset)")


def check(context: RuleContext) -> Iterator[Hit]:
    """Holes that a variable without a value leaves in a setting."""
    names = {variable.name for variable in context.reading.variables}
    # What the reader passes over may set a variable as well.
    elsewhere = any(
        problem.kind in ("limit", "unsupported") for problem in context.reading.problems
    )
    strict = bool(_NOUNSET.search(context.source.text))
    for plan in context.plans:
        for setting in plan.settings:
            for hole, span, default in _unset(setting):
                name = hole.name or ""
                if not name or name in names:
                    continue
                certain = name != name.upper() and not elsewhere and (strict or not default)
                near = get_close_matches(name, sorted(names), n=1, cutoff=0.75)
                key = shown(plan, setting.key)
                yield _hit(key, name, span, near, certain=certain)


def _unset(setting: Setting) -> Iterator[tuple[Hole, Span, bool]]:
    for piece in setting.word.pieces:
        if isinstance(piece.text, Hole) and piece.text.kind == "unset":
            yield piece.text, piece.span, piece.default_of is not None


def _hit(key: str, name: str, span: Span, near: Sequence[str], *, certain: bool) -> Hit:
    return Hit(
        message=message(
            "{key} needs the variable {name}, which the script never sets",
            key=key,
            name=name,
        ),
        span=span,
        severity=None if certain else "note",
        help=(
            message("did you mean ${near}?", near=near[0])
            if near
            else message("set {name}, or give it a default: ${{{name}:-…}}", name=name)
        ),
    )
