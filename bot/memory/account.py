"""A prediction, or the reason why there is none, in the report's words."""

from __future__ import annotations

from bot.memory.options import in_use, what_helps
from bot.memory.predict import Prediction
from bot.memory.units import Bytes
from bot.report import Estimate, EstimateOption, EstimateStage


def account(prediction: Prediction) -> Estimate:
    """The budget with what would help; figures in GiB with two decimals."""
    budget = prediction.budget
    options = what_helps(prediction.workload, budget.device)
    return Estimate(
        outcome=budget.outcome,
        model=prediction.model.name,
        device=budget.device.label,
        gpus=budget.gpus,
        memory_gib=round(budget.device.memory_gib, 2),
        usable_gib=budget.device.usable_gib,
        binding=budget.binding().name,
        peak_gib=_gib(budget.peak()),
        stages=tuple(
            EstimateStage(
                stage=stage.name,
                pool=stage.pool,
                floor_gib=_gib(stage.total.floor),
                expected_gib=_gib(stage.total.expected),
                conservative_gib=_gib(stage.total.conservative),
                components={
                    name: _gib(amount) for name, amount in stage.components["expected"].items()
                },
            )
            for stage in budget.stages
        ),
        options=tuple(
            EstimateOption(setting=option.setting, saves_gib=_gib(option.saves))
            for option in options
        ),
        applied=in_use(prediction.workload),
        host_gib=_gib(budget.host),
        assumptions=budget.assumptions,
        measured_lengths=budget.measured,
    )


def no_account(reason: str) -> Estimate:
    """No prediction, and why."""
    return Estimate(outcome="no prediction", reason=reason)


def _gib(amount: Bytes) -> float:
    return round(amount.in_gib, 2)
