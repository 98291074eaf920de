"""What to know before the first run of a series."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce

from bot.base.messages import message
from bot.base.regex import regex
from bot.bisect.candidates import Candidates
from bot.frameworks.plan_values import values_of
from bot.memory.estimate import MemoryEstimate

_OWN_PLACE = regex(r"\bBASH_SOURCE\b|\$0\b|\$\{0\b|^[^\S\n]*(?:source|\.)\s", re.MULTILINE)


def _and(what: str, more: str) -> str:
    return message("{what}; {more}", what=what, more=more)


def notes(
    candidates: Candidates, estimate: MemoryEstimate | None, *, fits: bool = True
) -> Iterator[str]:
    """Sentences about the script and its runs; those of the prediction first.

    `fits`: whether some value may fit.
    """
    if not fits:
        yield message(
            "By the prediction no value fits; rlbot estimate names the options that would help."
        )
    if estimate is not None and estimate.assumptions:
        yield message("Assumed: {what}.", what=reduce(_and, estimate.assumptions))
    plan = candidates.plans(candidates.knob.value)[0]
    if candidates.standing_errors:
        yield message(
            "The linter finds errors in the script that no batch settles; fix them first "
            "(rlbot lint {path}).",
            path=candidates.script.path,
        )
    if plan.framework == "verl" and plan.algorithm.value != "sft":
        values = values_of(plan)
        every, resume = values.number("trainer.save_freq"), values.text("trainer.resume_mode")
        if every is not None and every > 0 and resume != "disable":
            yield message(
                "The runs share trainer.experiment_name, and verl resumes from the checkpoints "
                "of the one before: set trainer.resume_mode=disable, or trainer.save_freq=-1."
            )
    if _OWN_PLACE.search(candidates.script.data.decode("utf-8", "replace")):
        yield message(
            "The script looks for files beside itself or sources others: see that it finds "
            "them from where the series is written."
        )
