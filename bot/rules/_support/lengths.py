"""From which length of sequences on a launch is likely to run out of memory.

How long a run's prompts and responses are is in no script, and most of a wrong verdict is lengths
that were taken for granted. Of 76 public runs that were likely to fail at any length 65 ran out of
memory; of 123 at the lengths that were assumed, and not at shorter ones, 93 did (`make unseen`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log10, sqrt
from typing import Final

from bot.base.devices import Device
from bot.frameworks.plan import Plan
from bot.memory.from_plan import PlanEstimate
from bot.memory.readers.lengths import ASSUMED, Measured
from bot.memory.readers.settings import NoEstimateError
from bot.report import EstimateLengths
from bot.rules._support.base import RuleContext

_LEAST: Final = 0.02
"""The shortest sequences that are looked at, in assumed ones; the longest are as long as allowed,
`ASSUMED` times those."""
_NEAR: Final = 1.03
"""Lengths that are no farther apart than by this factor are one."""
_OOM: Final = ("likely OOM", "impossible")


def by_lengths(
    context: RuleContext, plan: Plan, card: Device | str | None, gpus: int | None
) -> EstimateLengths | None:
    """At which lengths the launch is likely to run out of memory.

    None where no length alone decides: some settings make a long mean cheaper than a short one with
    a long tail, and one that is not modelled leaves some lengths without an estimate.
    """
    made = context.estimate(plan, card, gpus=gpus)

    def fails(times: float) -> bool:
        run = _scaled(made, times)
        return context.estimate(plan, card, gpus=gpus, run=run).estimate.outcome in _OOM

    try:
        least, most = fails(_LEAST), fails(ASSUMED)
        if least == most:
            sure = most == (made.estimate.outcome in _OOM)
            return EstimateLengths(oom="any" if most else "none") if sure else None
        turn = _turn(fails) if most else None
    except NoEstimateError:
        return None
    if turn is None:
        return None
    return EstimateLengths(oom="from", from_tokens=_rounded(turn * made.workload.sequence_mean))


def _scaled(made: PlanEstimate, times: float) -> Measured:
    """Lengths so many times those that were assumed."""
    prompt, whole = made.workload.prompt_mean, made.workload.sequence_mean
    if whole - prompt < 1:  # Samples, for which nothing is generated.
        return Measured(response_mean=times * whole)
    return Measured(prompt_mean=times * prompt, response_mean=times * (whole - prompt))


def _turn(fails: Callable[[float], bool]) -> float:
    """From how many times what was assumed on it fails; at the shortest it does not."""
    low, high = _LEAST, ASSUMED
    while high > low * _NEAR:
        middle = sqrt(low * high)
        if fails(middle):
            high = middle
        else:
            low = middle
    return high


def _rounded(tokens: float) -> int:
    """With two digits that count."""
    return int(round(tokens, 1 - int(log10(max(1.0, tokens)))))
