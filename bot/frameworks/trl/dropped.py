"""Options that transformers has dropped, and not TRL: an older transformers still has them."""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex
from bot.frameworks.releases import timeline

_TRAINERS: Final = ("dpo", "grpo", "kto", "reward", "sft")
"""Of TRL's programs those that have every option of transformers' `TrainingArguments`."""
_READ_WITH: Final = regex(r"(?:\A|; )transformers-([0-9.]{1,20})-")


def dropped_by(option: str) -> str:
    """The release of transformers that has no longer an option; "" for all other options.

    Each table of TRL is read with one release of transformers. What all trainers had until the
    first table with a newer one is transformers'; TRL dropped what ends between two with the same.
    """
    options = timeline("trl")
    if options is None:
        return ""
    having = {options.having(option, f"trl.scripts.{name}")[-1:] for name in _TRAINERS}
    last = having.pop() if len(having) == 1 else ()
    after = options.releases.index(last[0]) + 1 if last else len(options.releases)
    if after == len(options.releases):
        return ""
    found = [
        _READ_WITH.search(options.sources[one]) for one in options.releases[after - 1 : after + 1]
    ]
    before, without = (one[1] if one else "" for one in found)
    return without if before != without else ""
