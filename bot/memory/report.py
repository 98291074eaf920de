"""An estimate, or the reason why there is none, as the report has it."""

from __future__ import annotations

from dataclasses import replace

from bot.frameworks.plan import Plan
from bot.memory.estimate import Shortage
from bot.memory.from_plan import PlanEstimate
from bot.memory.host import host_outcome, uses_ray
from bot.memory.options import in_use, what_helps
from bot.memory.process import process_peak
from bot.memory.units import Bytes, together
from bot.report import (
    Estimate,
    EstimateAllocated,
    EstimateOption,
    EstimateShortage,
    EstimateStage,
)


def report_estimate(plan_estimate: PlanEstimate) -> Estimate:
    """The estimate with what would help; figures in GiB with two decimals."""
    estimate = plan_estimate.estimate
    options = what_helps(plan_estimate.workload, estimate.device)
    return Estimate(
        outcome=estimate.outcome,
        model=plan_estimate.model.name,
        device=estimate.device.label,
        gpus=estimate.gpus,
        memory_gib=round(estimate.device.memory_gib, 2),
        usable_gib=estimate.device.usable_gib,
        binding=estimate.binding().name,
        peak_gib=_gib(estimate.peak()),
        stages=tuple(
            EstimateStage(
                stage=stage.name,
                pool=stage.pool,
                floor_gib=_gib(stage.total.floor),
                expected_gib=_gib(stage.total.expected),
                conservative_gib=_gib(stage.total.conservative),
                card_gib=_gib(stage.shown(estimate.usable)),
                card_conservative_gib=_gib(stage.shown_at_most(estimate.usable)),
                allocated_gib=_gib(stage.allocated("expected")),
                allocated_conservative_gib=_gib(stage.allocated("conservative")),
                components={
                    name: _gib(amount) for name, amount in stage.components["expected"].items()
                },
            )
            for stage in estimate.stages
        ),
        engine_short=_shortage(estimate.short) if estimate.short is not None else None,
        allocated=_allocated(plan_estimate),
        options=tuple(
            EstimateOption(setting=option.setting, saves_gib=_gib(option.saves))
            for option in options
        ),
        applied=in_use(plan_estimate.workload),
        host_gib=_gib(estimate.host),
        assumptions=estimate.assumptions,
        measured_lengths=estimate.measured,
    )


def _shortage(short: Shortage) -> EstimateShortage:
    return EstimateShortage(
        share_gib=_gib(short.share),
        needed_gib=_gib(together(short.needed.values())),
        components={name: _gib(amount) for name, amount in short.needed.items()},
    )


def _allocated(plan_estimate: PlanEstimate) -> EstimateAllocated | None:
    """Of the process that trains the first role; None where nothing is trained."""
    stages = plan_estimate.estimate.stages
    peaks = [
        process_peak(pool, [stage for stage in stages if stage.pool == pool.name])
        for pool in plan_estimate.workload.pools
        if any(role.trained for role in pool.roles)
    ]
    if not peaks:
        return None
    # Of one that has several cards on that which it fills most.
    peak = max(peaks, key=lambda one: one.allocated.expected)
    return EstimateAllocated(
        floor_gib=_gib(peak.allocated.floor),
        expected_gib=_gib(peak.allocated.expected),
        conservative_gib=_gib(peak.allocated.conservative),
        engine_gib=_gib(peak.engine),
    )


def with_host(estimate: Estimate, plan: Plan, memory_gib: float | None) -> Estimate:
    """The estimate with the verdict on hosts of so many GiB, where both are known."""
    if memory_gib is None or estimate.host_gib is None:
        return estimate
    outcome = host_outcome(estimate.host_gib, memory_gib, ray=uses_ray(plan))
    return replace(estimate, host_memory_gib=round(memory_gib, 2), host_outcome=outcome)


def no_estimate(reason: str, *, unknown_model: str | None = None) -> Estimate:
    """No estimate, and why."""
    return Estimate(outcome="no prediction", reason=reason, unknown_model=unknown_model)


def _gib(amount: Bytes) -> float:
    return amount.in_report
