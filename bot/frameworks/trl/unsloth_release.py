"""Which release of unsloth trains a program's model, where an install or a file near it says so.

Its loss is unsloth_zoo's, whose releases have the months of unsloth's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

from bot.base.messages import message
from bot.frameworks.checkout import ScriptPlace
from bot.frameworks.plan import Plan
from bot.frameworks.repository.pins import asked_of, asks_before, installed
from bot.shell.words import Command

LOSSES: Final = ("2023.11", "2024.11.8", "2025.8.4", "2025.9.1", "2026.7.1", "2026.9.3")
"""The releases since which its supervised loss cuts logits in another way."""
_LATER: Final = "9999"
_PACKAGES: Final = ("unsloth-zoo", "unsloth")


def with_release(
    plan: Plan, commands: Iterable[Command], place: ScriptPlace | None, programs: Iterable[str]
) -> Plan:
    """The plan with what names unsloth's release, where unsloth makes its model."""
    if plan.written is None or plan.written.unsloth is None:
        return plan
    words = [*installed(commands)]
    for package in _PACKAGES:
        for text, reason in _asked(package, words, place, programs):
            if (found := _loss_of(package, text)) is not None:
                made = replace(plan.written.unsloth, loss_of=found, asked=reason)
                return replace(plan, written=replace(plan.written, unsloth=made))
    return plan


def _asked(
    package: str, words: list[str], place: ScriptPlace | None, programs: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Texts that may ask for a package, and where they stand: installs first, then the nearest."""
    for word in reversed(words):
        yield word, message("{requirement}, which the script installs", requirement=word)
    if place is None:
        return
    for near in (place.path, *programs):
        for path in (near, *place.checkout.pinning(near)):
            for text in asked_of(package, place.checkout.files, (path,), (path,)):
                yield text, message("{requirement} in {path}", requirement=text.strip(), path=path)


def _loss_of(package: str, text: str) -> str | None:
    """The release of `LOSSES` that counts for what a text leaves; None where that is the newest."""
    for since, until in pairwise((*LOSSES, _LATER)):
        if asks_before(package, until, (text,)):
            return since
    return None
