"""From a link to facts, or to a sentence that says why there are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from bot.base.errors import UserError
from bot.base.extras import need
from bot.base.messages import message, sentence_of
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.json_values import whole
from bot.evidence.links import RunLink
from bot.evidence.online.access import Access
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.failure import PASSING, ReadFailure, sentence
from bot.evidence.online.process import converse
from bot.evidence.online.wire import from_json

Progress: TypeAlias = Callable[[str, int, "int | None"], None]
"""Told what is being read, and how many rows of how many."""


def read_online(
    link: RunLink,
    access: Access,
    *,
    bounds: Bounds | None = None,
    progress: Progress | None = None,
) -> Facts:
    """Read the run that `link` names, from its server, within `bounds`.

    Raises EvidenceError with a sentence when the run may not, or cannot, be read; what is lost of a
    run that could be read is a sentence in `Facts.gaps`. Leaves no process and no file, also when
    it is interrupted.
    """
    if link.service == "wandb":
        try:
            need("wandb")
        except UserError as error:
            raise EvidenceError(sentence_of(error)) from None
    bounds = bounds or Bounds()
    key = access.key_for(link)
    request = {
        "service": link.service,
        "host": link.host,
        "api": access.api_of(link),
        "entity": link.entity,
        "project": link.project,
        "run": link.run_id,
        "key": key.reveal() if key is not None else None,
        "allow_private": access.allow_private_runs,
    }

    def on_message(text: dict[str, object]) -> None:
        if progress is not None and "stage" in text:
            progress(str(text["stage"]), whole(text.get("done")) or 0, whole(text.get("of")))

    outcome = converse(request, bounds, on_message)
    if outcome.facts is None:
        failure = outcome.failure or ReadFailure(kind="ended")
        raise EvidenceError(sentence(failure, link), passing=failure.kind in PASSING)
    facts = from_json(outcome.facts)
    if outcome.failure is not None:
        gap = message(
            "The other runs of the project were not looked at. {why}",
            why=sentence(outcome.failure, link),
        )
        facts = replace(facts, sibling_gaps=(*facts.sibling_gaps, gap))
    return facts
