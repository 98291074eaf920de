"""RLB001: the script is not valid bash, or not text."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import Message, message
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext, Skip
from bot.rules._support.example import verl

META = Meta(
    id="RLB001",
    slug="syntax",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Bash would refuse the script, or the file is not text.",
    why=(
        "Bash stops at a syntax error, so the lines after it never run. What follows such a place "
        "cannot be read reliably either."
    ),
    instead="Mend the place that is named; `bash -n SCRIPT` shows bash's own message.",
    limits=(
        "A construct that is valid but is not evaluated is a note, because only the settings that "
        "depend on it are unknown. A bound of the reader that was reached is reported as something "
        "that could not be checked, with the bound."
    ),
    source=(
        "The grammar of bash: https://www.gnu.org/software/bash/manual/bash.html#Shell-Syntax; "
        "`bash -n` judges the same."
    ),
    example=Example(
        bad=verl('trainer.experiment_name="first'),
        good=verl('trainer.experiment_name="first"'),
    ),
    zh=Chinese(
        summary="bash 会拒绝该脚本，或文件不是文本。",
        why="bash 遇到语法错误即停止，其后各行都不会执行；该处之后的内容也无法可靠读取。",
        instead="修正指出的位置；`bash -n SCRIPT` 会显示 bash 自己的信息。",
        limits=(
            "有效但未求值的结构只是提示，因为只有依赖它的设置不确定。达到读取上限时报告"
            "为“无法检查”，并给出上限。"
        ),
        sentences={
            "line {line}: {problem}": "第 {line} 行：{problem}",
            "{problem}; what depends on it is not checked": "{problem}；依赖它的内容没有检查",
            "{problem}": "bash 无法读取：{problem}",
        },
    ),
)


def check(context: RuleContext) -> Iterator[Hit | Skip]:
    """What the reader could not take as it stands."""
    for problem in context.reading.problems:
        if problem.kind == "limit":
            place = context.source.place(problem.span)
            yield Skip(
                reason=message(
                    "line {line}: {problem}", line=place.line, problem=_clause(problem.message)
                )
            )
        elif problem.kind == "unsupported":
            yield Hit(
                message=message(
                    "{problem}; what depends on it is not checked", problem=_clause(problem.message)
                ),
                span=problem.span,
                severity="note",
            )
        else:
            yield Hit(
                message=message("{problem}", problem=_clause(problem.message)), span=problem.span
            )


def _clause(sentence: str) -> str:
    return sentence if isinstance(sentence, Message) else sentence.rstrip().rstrip(".")
