"""RLB024: a word of the launch that the framework cannot parse."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext
from bot.rules._support.example import verl

META = Meta(
    id="RLB024",
    slug="bad-override",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A word of the launch that the framework cannot take as a setting.",
    why="The framework parses every word before it starts, and stops at the first that it cannot.",
    instead=(
        "Quote the value for Hydra as well as for the shell, such as "
        "'data.train_files=[\"a.parquet\"]', and write one key=value in each word."
    ),
    limits="Words with a part that cannot be known are not judged.",
    source="https://hydra.cc/docs/1.3/advanced/override_grammar/basic/: the grammar itself is used",
    example=Example(
        bad=verl("trainer.logger='[console,wandb'"),
        good=verl("trainer.logger='[console,wandb]'"),
    ),
    zh=Chinese(
        summary="启动命令中有框架无法解析为设置的词。",
        why="框架启动前会解析每一个词，遇到第一个无法解析的即终止。",
        instead=(
            "值既要为 shell 也要为 Hydra 加引号，例如 'data.train_files=[\"a.parquet\"]'，"
            "且每个词只写一个 key=value。"
        ),
        limits="含有无法确定部分的词不判断。",
        sentences={
            "{problem}": "无法解析：{problem}",
        },
    ),
)


def check(context: RuleContext) -> Iterator[Hit]:
    """The words that could not be taken."""
    for plan in context.plans:
        for bad in plan.bad_arguments:
            yield Hit(message=message("{problem}", problem=bad.message), span=bad.span)
