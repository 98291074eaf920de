"""What the rules of the tuning guide share: the row's tag, and the sizes that advice depends on."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.devices import Device, by_token
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues
from bot.rules._support.base import RuleContext
from bot.rules._support.verl import gpus, trainers
from bot.script.name import model_size, parameters

GUIDE = "https://verl.readthedocs.io/en/latest/perf/perf_tuning.html"
"""verl's performance tuning guide."""

ANY = ("MIN", "RECOMMENDED", "")
FAST = ("RECOMMENDED", "")
"""Advice that costs memory: not for a script that shows the least that is needed."""
SMALL = ("MIN", "")
"""Advice that costs time: not for a script that shows the fastest settings."""

MIN_ONLY = "Only for a script whose comment says `# tag: MIN`."
RECOMMENDED_ONLY = "Only for a script whose comment says `# tag: RECOMMENDED`."
NOT_MIN = "Not for a script tagged MIN, since it costs memory."


def tag(context: RuleContext) -> str:
    """MIN or RECOMMENDED, as the script's comment says; "" without one."""
    stated = context.header.tag
    return stated.text if stated else ""


def advised(context: RuleContext, tags: tuple[str, ...] = ANY) -> Iterator[PlanValues]:
    """The launches of verl's PPO trainer that advice for these tags is for."""
    if tag(context) in tags:
        yield from trainers(context)


def billions(model: str | None) -> float | None:
    """Parameters of a model in units of 10**9, as its name states them: 7.0 for Qwen2.5-7B."""
    size = model_size(model) if model else None
    return parameters(size) / 1e9 if size else None


def sized(values: PlanValues) -> tuple[float, int] | None:
    """Parameters of the model in 10**9 and the GPUs over all nodes; None when one is not known."""
    parameters, ranks = billions(values.plan.model.value), gpus(values)
    return (parameters, ranks) if parameters and ranks else None


def gib(parameters: float, bytes_each: float, ranks: int = 1) -> str:
    """Bytes of so many 10**9 parameters over ranks, in GiB, as text: "28.3"."""
    return f"{parameters * 1e9 * bytes_each / ranks / 2**30:.1f}"


def adapter_trained(plan: Plan) -> bool | None:
    """Whether an adapter is trained; None when that is not known."""
    return bool(plan.adapter.value) if plan.adapter.value is not None else None


def card(context: RuleContext) -> Device | None:
    """The accelerator that the file's name states, when it states one."""
    found = [devices[0] for word in context.name.words if (devices := by_token(word))]
    return found[0] if len(found) == 1 else None
