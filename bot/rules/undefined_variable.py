"""RLB031: a setting takes its value from a variable that the script never sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from bot.base.messages import message
from bot.frameworks.setting import Setting
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext
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
    zh=Chinese(
        summary="设置取自脚本从未设置的变量。",
        why="除非调用者恰好设置了它，否则变量为空，设置也为空，别人无法运行脚本。",
        instead="设置该变量，改正其名称，或给出默认值：${DATA_DIR:-data}。",
        limits=(
            "只有含小写字母的名称才是错误：大写名称按惯例由调用者（集群）设置，只是提示。"
            "`source` 了可能设置该变量、但无法读取的文件之后不报告。脚本中有默认值即可；默认"
            "值本身需要该变量时只是提示，除非 `set -u` 会在此终止。"
        ),
        sentences={
            "{key} needs the variable {name}, which the script never sets": (
                "{key} 需要变量 {name}，而脚本从未设置它"
            ),
            "did you mean ${near}?": "是否想写 ${near}？",
            "set {name}, or give it a default: ${{{name}:-…}}": (
                "设置 {name}，或给出默认值：${{{name}:-…}}"
            ),
        },
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
