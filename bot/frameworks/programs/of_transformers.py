"""Options of transformers', which its releases add and drop, whatever TRL's are.

TRL does not say which release it is with. Each of its tables is read with one: an option that all
trainers get or lose at once, between two tables with different ones, is transformers'.
"""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex
from bot.frameworks.settings.releases import timeline
from bot.frameworks.settings.timeline import Timeline

_TRAINERS: Final = ("dpo", "grpo", "kto", "reward", "sft")
"""Of TRL's programs those that have every option of transformers' `TrainingArguments`."""
_READ_WITH: Final = regex(r"(?:\A|; )transformers-([0-9.]{1,20})-")


def dropped_by(option: str) -> str:
    """The release of transformers that has no longer an option; "" for all other options."""
    return _change(option, end=True)[1]


def added_after(option: str) -> str:
    """A release of transformers after which it has got an option; "" for all other options."""
    return _change(option, end=False)[0]


def _change(option: str, *, end: bool) -> tuple[str, str]:
    """The releases of transformers between which an option was dropped, or else added."""
    options = timeline("trl")
    if options is None:
        return "", ""
    having = {
        options.having(option, f"trl.scripts.{name}")[-1 if end else 0 :][:1] for name in _TRAINERS
    }
    one = having.pop() if len(having) == 1 else ()
    if not one:
        return "", ""
    changed = options.releases.index(one[0]) + end
    if not 0 < changed < len(options.releases):
        return "", ""
    before, after = (_read_with(options, at) for at in (changed - 1, changed))
    return (before, after) if before != after else ("", "")


def _read_with(options: Timeline, at: int) -> str:
    found = _READ_WITH.search(options.sources[options.releases[at]])
    return found[1] if found else ""
