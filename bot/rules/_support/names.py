"""Comparing what a file's name says with what the plans say."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import TypeVar

from bot.base.devices import by_token
from bot.base.digits import is_digits
from bot.base.regex import regex
from bot.frameworks.plan import Field, Plan
from bot.rules._support.base import Message, RuleContext, message
from bot.script.name import model_size, naming_parts, plain_sizes
from bot.shell.source import Span

T = TypeVar("T")

FILE = Span(0, 0)
"""The place of a finding about the file as a whole: its first character."""

# Words that say how a model was tuned for use, not which model it is.
_TUNED = regex(r"-(?:instruct|chat|base|it|hf|thinking|bf16|fp8|v\d+(?:\.\d+)*|\d{4,})(?=-|\Z)")
# Words that make another model of the same family and size.
_VARIANTS = ("coder", "math", "vl", "omni", "audio", "distill", "embedding", "reranker")
# Makers that hub names carry in front of the family.
_MAKERS = regex(r"\A(?:meta-|google-|ibm-)+")
_FAMILIES = regex(
    r"qwen|qwq|llama|deepseek|gemma|mistral|mixtral|phi|glm|kimi|moonlight|gpt-?oss|internlm|"
    r"internvl|baichuan|falcon|olmo|smollm|minicpm|minimax|nemotron|mimo|seed|ernie|hunyuan|yi-"
)


def where(plan: Plan, span: Span | None) -> Span:
    """The place, or the start of the launch when the value is the framework's default."""
    return span if span is not None else plan.launch.command.argv[0].span


def is_run_form(context: RuleContext) -> bool:
    """True for a name of the other form, run_<model>_<train>.sh, read by the profile `tuning`."""
    return context.name.profile == "tuning" and context.name.file_name.startswith("run_")


def asked(context: RuleContext) -> bool:
    """True below a folder called tuning, for whose scripts the page asks.

    Also in a folder named after a size, where the folders above it are not known.
    """
    parts = PurePosixPath(context.name.path).parts
    return "tuning" in parts[:-1] or (context.name.folder is not None and len(parts) == 2)


def proposed(context: RuleContext, new: str, way_out: Message) -> tuple[Message, str | None]:
    """The help of a finding that wants the script at `new`, a path from its folder, and that path.

    Where another file is there, that is the help, and no path is proposed.
    """
    place = context.place
    if place is not None and place.taken is not None:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(place.path), new))
        # Of a file system without capitals the script itself is found.
        if path.lower() != place.path.lower() and place.taken(path):
            return message("{path} is there already: keep one of the two", path=path), None
    return way_out, new


def legible(context: RuleContext) -> bool:
    """True when the parts of the name stand where they should, so that they can be compared.

    The number of GPUs is the part that cannot be taken for another one; where nobody asks for the
    form, a device that is known has to stand behind it.
    """
    name = context.name
    if name.profile != "tuning":
        return name.valid
    if name.gpus is None or is_run_form(context):
        return False
    return asked(context) or bool(by_token(name.device or ""))


def contradictions(
    context: RuleContext, field: Callable[[Plan], Field[T]], agrees: Callable[[T], bool]
) -> Iterator[tuple[Plan, Field[T], T]]:
    """The plans' fields, when every one of them is known and none agrees with a legible name.

    One launch that agrees, or one that is not known, is enough to stay silent: a script may start
    several, and the name need not be about each.
    """
    if not legible(context):
        return
    found: list[tuple[Plan, Field[T], T]] = []
    for plan in context.choice.plans:
        known = field(plan)
        if known.value is None or agrees(known.value):
            return
        found.append((plan, known, known.value))
    yield from found


def model_label(model: str) -> str | None:
    """A model's path as a name would write it: "qwen2.5-7b" for Qwen/Qwen2.5-7B-Instruct.

    None when the path does not look like a model of a known family.
    """
    last = plain_sizes("".join(naming_parts(model)[-1:]).lower().replace("_", "-"))
    last = _TUNED.sub("", _MAKERS.sub("", last))
    if not _FAMILIES.match(last) or not model_size(last):
        return None
    return last if re.fullmatch(r"[a-z0-9][a-z0-9.\-]*", last) else None


def up_to_size(label: str) -> str | None:
    """The part of a name that ends with the size and names a known family; else None."""
    label = plain_sizes(label)
    size = model_size(label)
    if size is None or not _FAMILIES.match(label):
        return None
    return label[: label.index(size) + len(size)]


def family(label: str) -> str:
    """A label without size and separators: "llama3.1" for llama-3.1-8b."""
    label = plain_sizes(_TUNED.sub("", _MAKERS.sub("", label.lower().replace("_", "-"))))
    size = model_size(label)
    if size:
        # The active parameters of a mixture (a3b) go with the size.
        label = re.sub(
            rf"-?(?<![0-9.a-z]){re.escape(size)}(?:-a\d+(?:\.\d+)?b)?", "", label, count=1
        )
    return label.replace("-", "")


def same_family(named: str, used: str) -> bool:
    """True unless two families (see `family`) are surely different.

    A name may leave out words, and a name without a version fits every version; a version that
    differs, or a variant such as "coder" on one side alone, makes another model.
    """
    if named.replace(".", "") == used.replace(".", ""):
        return True  # Names often leave the point out: qwen35, llama31.
    if any((v in named) != (v in used) for v in _VARIANTS):
        return False
    short, long = sorted((named, used), key=len)
    if not long.startswith(short):
        return False
    rest = long[len(short) :]
    if rest[0].isalpha():
        return True
    return short == named and not any(map(is_digits, named))
