"""A script's memory budget: which launch, on which device, with which lengths."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.frameworks.plan import Plan
from bot.report import Estimate, Evidence, Finding, ScriptReport, Verdict
from bot.script.name import ScriptName

if TYPE_CHECKING:
    from bot.base.devices import Device
    from bot.check.request import CheckOptions, ScriptFile
    from bot.evidence.context import ExpectedPeak as Expected
    from bot.evidence.facts import Facts
    from bot.memory.from_plan import ReadFile
    from bot.memory.lengths import Measured


_PREDICTIONS = frozenset(("RLB110", "RLB111", "RLB112"))
"""Rules that say what a run would do."""
_LESS = "RLB113"
"""The rule that says that less would do."""


def budget(
    plan: Plan,
    name: ScriptName,
    *,
    device: Device | str | None = None,
    gpus: int | None = None,
    facts: Facts | None = None,
    files: ReadFile | None = None,
) -> Estimate:
    """The budget of a launch; without one, an estimate that says why.

    The device is the one given, else the run's, else the one in the script's name.
    """
    from bot.memory.from_plan import estimate_plan
    from bot.memory.report import no_estimate, report_estimate
    from bot.memory.settings import NoEstimateError

    card = device or (_device(facts) if facts else None) or name.device
    try:
        run = measured(facts) if facts else None
        made = estimate_plan(plan, card, run=run, files=files, gpus=gpus or name.gpus)
        return report_estimate(made)
    except NoEstimateError as error:
        return no_estimate(str(error))


def measured(facts: Facts) -> Measured | None:
    """The mean lengths that a run logged, at their highest; None when it logged none."""
    from bot.evidence.metrics import PROMPT_MEAN, RESPONSE_MEAN, highest
    from bot.memory.lengths import Measured

    response, prompt = highest(facts.history, RESPONSE_MEAN), highest(facts.history, PROMPT_MEAN)
    if response is None or response.maximum <= 0:
        return None
    return Measured(
        prompt_mean=prompt.maximum if prompt is not None and prompt.maximum > 0 else None,
        response_mean=response.maximum,
    )


def expected(estimate: Estimate) -> Expected | None:
    """The three levels of the peak, for comparing a run with; None without a prediction."""
    from bot.evidence.context import ExpectedPeak as Expected

    if not estimate.stages:
        return None
    return Expected(
        floor_gib=max(stage.floor_gib for stage in estimate.stages),
        expected_gib=max(stage.expected_gib for stage in estimate.stages),
        conservative_gib=max(stage.conservative_gib for stage in estimate.stages),
    )


def overruled(
    findings: tuple[Finding, ...], evidence: Evidence | None, facts: Facts | None
) -> tuple[Finding, ...]:
    """The findings without the predictions that a run has proved wrong.

    A run of this script that completed steps without an out-of-memory error is stronger than any
    estimate; the claim "peak against the estimate" says how far the two are apart. Where it leaves
    that open, the model is wrong about this script, and what it says of half the GPUs goes too.
    """
    if evidence is None or facts is None or facts.out_of_memory is not None:
        return findings
    if evidence.verdict == "inconsistent" or not evidence.steps:
        return findings
    from bot.evidence.peak_claims import AGAINST_ESTIMATE

    apart = any(c.claim == AGAINST_ESTIMATE and c.verdict != "consistent" for c in evidence.claims)
    gone = {*_PREDICTIONS, _LESS} if apart else _PREDICTIONS
    return tuple(finding for finding in findings if finding.id not in gone)


def estimate_script(
    script: ScriptFile,
    options: CheckOptions,
    *,
    device: str | None = None,
    gpus: int | None = None,
    run: Path | None = None,
) -> ScriptReport:
    """A script's report with nothing but its budget.

    Raises UserError when an option names an unknown release or the run cannot be read.
    """
    from bot.base.errors import UserError
    from bot.check.read import read_script
    from bot.evidence.facts import EvidenceError
    from bot.memory.report import no_estimate

    known = read_script(script, options)
    name, found = known.name, known.plans
    facts = None
    if run is not None:
        from bot.evidence import read as read_run

        try:
            facts = read_run(run)
        except EvidenceError as error:
            raise UserError(str(error)) from None
    made = (
        most(
            [
                budget(plan, name, device=device, gpus=gpus, facts=facts, files=options.files)
                for plan in found
            ]
        )
        if found
        else no_estimate("The script starts no known framework.")
    )
    verdict: Verdict = "inconclusive" if made.outcome == "no prediction" else "pass"
    return ScriptReport(
        path=script.path,
        sha256=hashlib.sha256(script.data).hexdigest(),
        verdict="fail" if made.outcome == "impossible" else verdict,
        estimate=made,
    )


def most(estimates: Sequence[Estimate]) -> Estimate:
    """Of a script's launches the one that takes the most; one without a prediction comes last."""
    return max(estimates, key=lambda made: made.peak_gib if made.peak_gib is not None else -1.0)


def _device(facts: Facts) -> Device | None:
    from bot.base.devices import by_report

    kinds = {(gpu.name, gpu.memory_bytes) for gpu in facts.gpus}
    return by_report(*next(iter(kinds))) if len(kinds) == 1 else None
