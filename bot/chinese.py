"""What the ground floor and the check itself say, in Chinese: English template to Chinese one.

Rules carry their own sentences (`Meta.zh`), renderers theirs (`bot.render.chinese`). A room that
makes sentences with `say` adds a catalogue of its own and hands it to `bot.language.translated`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # bot/naming.py
    'the name does not end in ".sh": {name}': "文件名未以 .sh 结尾：{name}",
    "the name has upper-case letters; write {name}.sh": "文件名含大写字母，应写作 {name}.sh",
    "the name has {count} parts between underscores where {form} has {wanted}": (
        "文件名按下划线分为 {count} 段，而 {form} 应有 {wanted} 段"
    ),
    "[{part}] is '{text}': letters, digits, dots and dashes are allowed": (
        "[{part}] 为“{text}”：只允许字母、数字、点和连字符"
    ),
    "[{part}] is '{text}': write the number of GPUs, such as 8": (
        "[{part}] 为“{text}”：应写 GPU 数量，例如 8"
    ),
    "the name does not have the form {form}": "文件名不符合 {form} 的形式",
    "the name ends in {text}, which is no training backend; {form} is asked for": (
        "文件名以 {text} 结尾，但它不是训练后端；应采用 {form} 的形式"
    ),
    "the name holds {word}, which the form {form} leaves to a variable of the script": (
        "文件名含有 {word}；按 {form} 的形式，它应由脚本中的变量选择"
    ),
}
