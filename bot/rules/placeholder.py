"""RLB032: a value that was to be filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration, plural_message
from bot.base.regex import regex
from bot.frameworks.fields import placeholder
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.code import from_default, redirected, without_comments
from bot.rules._support.example import verl
from bot.rules._support.keys import shown
from bot.shell.source import Span
from bot.shell.words import Word

META = Meta(
    id="RLB032",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="A setting holds a placeholder, such as /path/to/model or YOUR_KEY, or no model.",
    why="The script cannot run until someone replaces it, and nobody else knows with what.",
    instead=(
        "Write the value that the run used, or a default that a caller can change: "
        "${MODEL_PATH:-Qwen/Qwen2.5-7B}."
    ),
    limits=(
        "Knows path/to, your_…, <…>, xxx and TODO. A note where the caller can set another value, "
        "as in ${MODEL:-/path/to/model}; an error where bash takes <…> for redirections. An empty "
        "value is named for the model alone, where nothing else in the script sets its variable."
    ),
    source="verl's docs/perf/device_tuning.rst asks for a configuration that has been tested",
    example=Example(
        bad=verl("actor_rollout_ref.model.path=/path/to/Qwen2.5-7B-Instruct"),
        good=verl("actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct"),
    ),
)


_NAMED = 3
"""Settings that a finding names."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A placeholder where it is written."""

    text: str
    span: Span
    default: bool
    """Whether the caller can set another value."""


_VALUE = regex(r"(?:\"\"|''|(?P<q>[\"']?)\$\{?(?P<name>[A-Za-z_]\w{0,80})\}?(?P=q))(?=[\s;)]|\Z)")
"""What a launch writes for an empty value: nothing in quotes, or a variable."""
_EVAL = regex(r"\beval\b")
_NOTHING = regex(r"=(?:\"\"|'')?(?=[\s;]|\Z)")


def check(context: RuleContext) -> Hits:
    """Placeholders in the words of each launch, those that the framework cannot take included."""
    yield from _redirections(context)
    # A variable that is to be filled in once may stand in many settings.
    keys: dict[_Held, dict[str, None]] = {}
    for plan in context.plans:
        yield from _no_model(context, plan)
        moved = [*redirected(context, plan)]
        # What the command says again of a file's setting is what counts.
        for setting in {one.key: one for one in plan.settings}.values():
            if _between(setting, moved):
                continue  # It is another option's, which bash takes for a file.
            if (found := placeholder(setting.text)) and not _is_tag(plan, found):
                held = _held(found, setting.word, setting.value_span)
                keys.setdefault(held, {})[shown(plan, setting.key)] = None
        for bad in plan.bad_arguments:
            if bad.placeholder:
                held = _held(bad.placeholder, bad.word, bad.span)
                keys.setdefault(held, {})[bad.word.text.partition("=")[0]] = None
    for held, named in keys.items():
        yield _hit(held, [*named])


def _is_tag(plan: Plan, text: str) -> bool:
    """Whether another setting has the end of a tag: `start=<information> end=</information>`."""
    return text[0] == "<" and any(f"</{text[1:]}" in setting.text for setting in plan.settings)


def _no_model(context: RuleContext, plan: Plan) -> Hits:
    """A model's name that the script leaves empty: `MODEL=""` of a template."""
    setting = plan.last(plan.model.key) if plan.model.key is not None else None
    if setting is None or setting.value != "":
        return
    written = _VALUE.match(context.source.text, setting.value_span.start)
    name = written["name"] if written else None
    if written is None or (name is not None and not _left_empty(context, name)):
        return
    key = shown(plan, setting.key)
    yield Hit(
        message=message("{key} is empty: {name} is set to nothing", key=key, name=name)
        if name
        else message("{key} is empty", key=key),
        span=setting.value_span,
        help=message("write the value that the run used"),
    )


def _left_empty(context: RuleContext, name: str) -> bool:
    """Whether all that the script does to a variable is to set it to nothing, once."""
    text = without_comments(context)
    if context.reading.unread or _EVAL.search(text):
        return False
    uses = re.finditer(rf"(?<!\w){name}(?!\w)", text)
    set_here = [one for one in uses if text[one.start() - 1 : one.start()] not in ("$", "{")]
    return len(set_here) == 1 and _NOTHING.match(text, set_here[0].end()) is not None


def _redirections(context: RuleContext) -> Hits:
    """Placeholders that are no words: bash reads the file `PATH` of `--model <PATH> --bf16`."""
    for at in dict.fromkeys(span for plan in context.plans for span in redirected(context, plan)):
        yield hit(
            at,
            "bash takes the placeholder {text} for redirections",
            text=context.source.written(at),
            severity="error",
            help=message("write the value that the run used"),
        )


def _between(setting: Setting, spans: Iterable[Span]) -> bool:
    """Whether one of these places lies between a setting's key and its value."""
    return any(setting.key_span.end <= at.start < setting.value_span.start for at in spans)


def _held(text: str, word: Word, value: Span) -> _Held:
    at = word.text.rfind(text)
    if at < 0:
        return _Held(text, value, default=False)
    behind = next((end for end in accumulate(p.width for p in word.pieces) if end > at), len(text))
    # What follows it in the value, such as a run's name, may be written elsewhere.
    there = word.span_of(at, min(at + len(text), behind))
    return _Held(text, there, default=from_default(word, at))


def _hit(held: _Held, keys: Sequence[str]) -> Hit:
    return Hit(
        message=plural_message(
            "{keys} holds the placeholder {text}",
            "{keys} hold the placeholder {text}",
            len(keys),
            keys=enumeration(keys, _NAMED),
            text=held.text,
        ),
        span=held.span,
        severity="note" if held.default else None,
        help=message("write the value that the run used"),
    )
