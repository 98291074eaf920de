"""How well the model does on the cases, and what its fitted constants rest on.

    make calibrate

Two constants are fitted: the copy of a frozen shard under FSDP1 (`bot/memory/constants.py`), and
what the allocator holds besides (`bot/memory/workload.py`). Each is refitted with
every case left out in turn (the trials of one boundary count as one case, for they are one run's),
and the case that was left out is then predicted with the constants that did not see it. Peaks that
were collected after the constants were fixed (`held_out.json`) stand apart: nothing is fitted to
them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import mean, median

from bot.memory import constants
from bot.memory.estimator import estimate_workload
from bot.memory.workload import SLACK, Workload
from tests.memory.cases import Case, cases, held_out
from tests.memory.judge import Judged, table


@dataclass(frozen=True)
class Constants:
    """The fitted ones."""

    copy: float = constants.FROZEN_COPY
    slack: float = SLACK

    def put(self, workload: Workload) -> Workload:
        """The workload with these constants in the place of those in use."""
        pools = []
        for pool in workload.pools:
            roles = tuple(
                replace(
                    role,
                    slack=self.slack,
                    frozen_copy_bytes=self.copy if role.frozen_copy_bytes else 0.0,
                )
                for role in pool.roles
            )
            pools.append(replace(pool, roles=roles))
        return replace(workload, pools=tuple(pools))


GRID = tuple(
    Constants(copy, slack)
    for copy, slack in product((1.0, 1.5, 2.0, 2.5), (1.0, 1.005, 1.01, 1.02, 1.04))
)


@dataclass(frozen=True)
class Point:
    """A measured figure: a peak, or the edge between a batch that ran and the next one."""

    name: str
    rows: tuple[tuple[Case, Workload, float], ...]
    """Case, its workload, and the GiB that were there."""

    def error(self, constants: Constants) -> float:
        """Relative error of the prediction, signed; of an edge the mean of its two sides."""
        return mean(self._of(row, constants) for row in self.rows)

    def _of(self, row: tuple[Case, Workload, float], constants: Constants) -> float:
        case, workload, there = row
        put = constants.put(workload)
        if case.kind in ("ran", "oom"):
            return estimate_workload(put, case.device).peak().in_gib / there - 1
        return case.predicted_gib(put) / there - 1


def points() -> list[Point]:
    """Every measured figure among the cases, edges of one run together."""
    found: dict[str, list[tuple[Case, Workload, float]]] = {}
    for case in cases("peak"):
        found[case.id] = [(case, case.workload(), case.data["measured_gib"])]
    for case in cases("ran", "oom"):
        if case.data.get("edge"):
            row = (case, case.workload(), case.device.usable_gib)
            found.setdefault(case.id.rpartition("-")[0], []).append(row)
    return [Point(name, tuple(rows)) for name, rows in found.items()]


def fit(seen: Sequence[Point]) -> Constants:
    """The constants of the grid with the least sum of absolute errors: one case must not decide."""
    return min(GRID, key=lambda c: sum(abs(point.error(c)) for point in seen))


def left_out(known: Sequence[Point]) -> list[tuple[Point, Constants, float]]:
    """Each point with the constants that the others give, and its error under them."""
    rows = []
    for point in known:
        constants = fit([other for other in known if other is not point])
        rows.append((point, constants, point.error(constants)))
    return rows


def report() -> Iterable[str]:
    """The lines of the calibration table."""
    known, used = points(), Constants()
    peaks = [p for p in known if not p.name.startswith("boundary")]
    edges = [p for p in known if p.name.startswith("boundary")]
    yield f"constants in use: {used}"
    yield f"best on the grid: {fit(known)}"
    yield ""
    yield f"{'case':22} {'error':>8} {'left out':>9}  constants without it"
    rows = left_out(known)
    for point, fitted, error in rows:
        yield f"{point.name:22} {point.error(used):>+8.1%} {error:>+9.1%}  {fitted}"
    yield ""
    for title, group in (("peaks", peaks), ("boundaries", edges)):
        here = [abs(p.error(used)) for p in group]
        blind = [abs(error) for p, _, error in rows if p in group]
        yield (
            f"{title}: {len(group)}, mean {mean(here):.1%}, worst {max(here):.1%}; "
            f"left out mean {mean(blind):.1%}, worst {max(blind):.1%}"
        )
    verdicts = [(case, case.estimate().outcome) for case in cases("ran", "oom")]
    wrong = [
        case.id for case, outcome in verdicts if case.kind == "ran" and outcome == "impossible"
    ]
    yield f"cases that ran and are called impossible: {', '.join(wrong) or 'none'}"
    yield "verdicts, by what happened:"
    for kind in ("ran", "oom"):
        counts: dict[str, int] = {}
        for case, outcome in verdicts:
            if case.kind == kind:
                counts[outcome] = counts.get(outcome, 0) + 1
        yield f"  {kind}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items()))
    yield ""
    yield from never_fitted()
    yield ""
    yield from by_command()


def never_fitted() -> Iterable[str]:
    """The peaks that no constant has seen, with the constants in use."""
    yield f"{'never fitted':26} {'said':>6} {'measured':>9} {'error':>8}  source"
    errors: dict[str, list[float]] = {}
    for case in held_out():
        said, measured = case.predicted_gib(), case.data["measured_gib"]
        metric = "the card" if case.data["metric"] == "card" else "the allocator"
        errors.setdefault(metric, []).append(abs(said / measured - 1))
        yield (
            f"{case.id:26} {said:6.1f} {measured:9.1f} {said / measured - 1:>+8.1%}  "
            f"{case.data['source']}"
        )
    for metric, group in errors.items():
        yield (
            f"never fitted, by {metric}: {len(group)}, mean {mean(group):.1%}, "
            f"median {median(group):.1%}, worst {max(group):.1%}"
        )


def by_command() -> Iterable[str]:
    """What `rlbot estimate` prints of the cases that are command lines: no lengths are given."""
    made = judged_by_command()
    yield f"{'by the command line':26} {'said':>6} {'usable':>7} {'edge':>7}  verdict · truth"
    for case, one in made:
        estimate = one.estimate
        if case.kind in ("ran", "oom"):
            peak, usable = estimate["peak_gib"], estimate["usable_gib"]
            edge = f"{peak / usable - 1:+.1%}" if case.data.get("edge") else ""
            said = f"{estimate['outcome']} · {case.kind}"
            yield f"{case.id:26} {peak:6.1f} {usable:7.1f} {edge:>7}  {said}"
    yield ""
    yield from table([one for _, one in made])


def judged_by_command() -> list[tuple[Case, Judged]]:
    """Every case that is a command line, with what is printed of it."""
    given = [
        case for case in (*cases("peak", "ran", "oom"), *held_out()) if "settings" in case.data
    ]
    return [(case, Judged(_row(case), case.printed())) for case in given]


def _row(case: Case) -> dict[str, object]:
    """A case as a row of the table."""
    settings = {str(key): str(value) for key, value in case.data["settings"].items()}
    words = " ".join((*settings, *settings.values())).lower()
    lora = any(key.endswith("lora_rank") and value != "0" for key, value in settings.items())
    backend = "megatron" if "megatron" in words else "zero" if "zero_stage" in words else "fsdp"
    moe = any(name in words for name in ("a3b", "moonlight"))
    row = {"method": "lora" if lora else "full", "backend": backend, "lengths": "unknown"}
    return case.data | row | {"moe": moe}


if __name__ == "__main__":
    sys.stdout.write("\n".join(report()) + "\n")
