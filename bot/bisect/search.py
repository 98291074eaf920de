"""The search: doubling until a run fails, then bisection.

An end of the predicted band stands in for one that no run has shown yet, and is left out once runs
are past it. Of k values, some number from 0 to k fits: k + 1 outcomes, that is ceil(log2(k + 1))
runs in the worst case. Within that bound each run is as near to the prediction as it can be.
"""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.bisect.candidates import LARGEST, Band, Candidates

_NEAR = 64
"""How far above a doubled value the next one that may be tried is looked for."""


@dataclass(frozen=True, slots=True)
class NextValue:
    """What is to be tried next, between two ends."""

    value: int | None
    """None when nothing is left to try."""
    lower: int | None
    """The end of the band that is the lower one; None where it is what ran."""
    upper: int | None = None
    """The end of the band that is the upper one; None where it is what failed."""
    runs: int | None = None
    """Runs in the worst case between the two; None while there is no upper end."""


def next_value(
    candidates: Candidates, band: Band, ran: int | None, failed: int | None
) -> NextValue:
    """What to try between what ran and what failed, and within the band."""
    low, high = ran or 0, failed if failed is not None else LARGEST + 1
    lower = band.lower if band.lower is not None and low < band.lower < high else None
    upper = band.upper if band.upper is not None and low < band.upper < high else None
    end = failed if upper is None else upper
    if end is None:
        # Twice what ran, or the first value above it that may be tried.
        least = max(candidates.knob.value if ran is None else 2 * ran, lower or 0)
        near = range(least, min(least + _NEAR, LARGEST) + 1)
        return NextValue(next(filter(candidates.valid, near), None), lower)
    unit = candidates.knob.unit
    least, most = (low if lower is None else lower - 1) // unit + 1, (end - 1) // unit
    wanted = pick(least, most, None if band.expected is None else band.expected // unit)
    value = _nearest(candidates, least, most, wanted)
    if value is None and (lower is not None or upper is not None):
        return next_value(candidates, Band(expected=band.expected), ran, failed)
    return NextValue(value, lower, upper, most_runs(most - least + 1))


def most_runs(count: int) -> int:
    """Runs that decide among so many values in the worst case: ceil(log2(count + 1))."""
    return max(count, 0).bit_length()


def pick(least: int, most: int, expected: int | None) -> int:
    """What to try from `least` to `most`; `expected` is the largest that should fit.

    What either answer leaves can be decided with one run less than the worst case of the whole.
    """
    half = (1 << max(most_runs(most - least + 1) - 1, 0)) - 1
    near = (least + most + 1) // 2 if expected is None else expected
    return min(max(near, least, most - half), least + half, most)


def _nearest(candidates: Candidates, least: int, most: int, wanted: int) -> int | None:
    """The valid value nearest to so many units; None where no value between is valid."""
    for away in range(most - least + 1):
        for units in (wanted - away, wanted + away):
            if least <= units <= most and candidates.valid(units * candidates.knob.unit):
                return units * candidates.knob.unit
    return None
