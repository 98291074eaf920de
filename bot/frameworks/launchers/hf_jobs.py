"""What a job of Hugging Face runs on: `hf jobs uv run --flavor a100x4 train.py`.

Flavors are a card, a size of its machine or the number of its cards (`a10g-small`, `l40sx4`,
`a10g-largex2`): huggingface_hub, `SpaceHardware` in `_space_api.py`; `hf jobs hardware` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.base.device_words import only_card
from bot.base.regex import regex
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan import HF_JOB, Field, Launch, Plan

_FLAVOR = regex(r"([a-z0-9-]+?)(?:-(?:small|medium|large))?(?:x([1-9][0-9]?))?\Z")
_EXACT = {"a100": "a100-80gb"}
"""Cards of which the flavors have one of several: the A100 is that of 80 GB."""


def card_of_jobs(plans: Iterable[Plan]) -> str | None:
    """The card that the jobs of launches ask for; None where they ask for several, or for none."""
    return only_card(word for plan in plans if (word := _asked(plan.launch)[0]))


def cards_of_job(launch: Launch) -> Field[int] | None:
    """How many cards the job of a launch has; None where it is no such job, or asks for no card."""
    word, count = _asked(launch)
    return count if word is None or only_card([word]) else None


def _asked(launch: Launch) -> tuple[str | None, Field[int] | None]:
    """The word for the card that a job asks for, and how many of it, each where it is known."""
    given = launcher_option(launch, "flavor") if HF_JOB in launch.launcher else None
    if given is None:
        return None, None
    found = _FLAVOR.match(given.value or "")
    if found is None:
        return None, Field(None, span=given.span, key=given.name)
    word = _EXACT.get(found[1], found[1])
    return word, Field(int(found[2] or 1), span=given.span, key=given.name)
