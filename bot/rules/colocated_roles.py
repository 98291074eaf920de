"""RLB067: models that share GPUs and ask for different ones."""

from __future__ import annotations

from bot.frameworks.plan_values import PlanValues
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import openrlhf
from bot.rules._support.openrlhf import ALL, LIMITS, SOURCE, option, place, ray_trainers

META = Meta(
    id="RLB067",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Two models that are colocated ask for different nodes or GPUs.",
    why=(
        "Actor and reference, or critic and reward model, share one placement group; OpenRLHF "
        "asserts at its start that both ask for the same nodes and GPUs per node."
    ),
    instead="Give both the same number of nodes and GPUs per node.",
    limits=(
        f"{LIMITS} The reference counts only with a KL coefficient above 0. The default of every "
        "role is 8 GPUs per node."
    ),
    source=SOURCE,
    example=Example(
        bad=openrlhf("--ref.num_gpus_per_node 4"),
        good=openrlhf("--ref.num_gpus_per_node 8"),
        path="examples/scripts/train_ppo.sh",
    ),
)

_WITH_REFERENCE = ("train.colocate_actor_ref", "colocate_actor_ref")
_WITH_REWARD = ("train.colocate_critic_reward", "colocate_critic_reward")


def check(context: RuleContext) -> Hits:
    """OpenRLHF's assertions for colocated models."""
    for values in ray_trainers(context):
        shared = next((keys for keys in (ALL, _WITH_REFERENCE) if values.on(*keys)), None)
        if shared and _kl(values) > 0:
            yield from _compare(values, shared, "actor", "ref")
        estimator = values.first("algo.advantage.estimator", "advantage_estimator")
        if values.on(*_WITH_REWARD) and estimator and estimator.value == "gae":
            yield from _compare(values, _WITH_REWARD, "critic", "reward")


def _kl(values: PlanValues) -> float:
    found = values.first("algo.kl.init_coef", "init_kl_coef")
    value = found.value if found is not None else None
    return float(value) if isinstance(value, (int, float)) else 0.0


def _compare(values: PlanValues, flag: tuple[str, ...], first: str, second: str) -> Hits:
    groups = [
        (f"{role}.num_{what}", f"{role}_num_{what}")
        for role in (first, second)
        for what in ("nodes", "gpus_per_node")
    ]
    numbers = [values.whole(*keys) for keys in groups]
    if None in numbers or numbers[:2] == numbers[2:]:
        return
    nodes, gpus, other_nodes, other_gpus = numbers
    yield hit(
        place(values, groups[3], groups[2], groups[1], groups[0]),
        "{flag}: {first} has {nodes} × {gpus} GPUs, {second} has {other_nodes} × {other_gpus}",
        flag=option(values, *flag),
        first=first,
        nodes=nodes,
        gpus=gpus,
        second=second,
        other_nodes=other_nodes,
        other_gpus=other_gpus,
        help=message("give both the same nodes and GPUs per node"),
    )
