"""RLB010: the GPUs in the name are not the GPUs that the settings use."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan import Plan
from bot.rules._example import verl
from bot.rules._names import contradictions, where
from bot.rules.base import Case, Example, Hit, Meta

META = Meta(
    id="RLB010",
    slug="name-gpus",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="The number of GPUs in the name is not the number that the settings use.",
    why=(
        "The Resource column is made from the number of GPUs. When name and settings differ, the "
        "row promises hardware that the run did not use."
    ),
    instead=(
        "Rename the file, or set the nodes and the GPUs per node (verl: trainer.nnodes and "
        "trainer.n_gpus_per_node)."
    ),
    limits=(
        "Silent when a launch uses the number in the name, or when a number cannot be known. A "
        "default such as ${NNODES:-1} counts as the script's own value."
    ),
    source=(
        "verl's verl/utils/config.py, validate_config: GPUs = trainer.n_gpus_per_node × "
        "trainer.nnodes"
    ),
    example=Example(bad=verl("trainer.n_gpus_per_node=4"), good=verl("trainer.n_gpus_per_node=8")),
)


def check(case: Case) -> Iterator[Hit]:
    """Compare the name's number with nodes × GPUs per node."""
    named = case.name.gpus
    if named is None:
        return
    for plan, gpus, used in contradictions(case, lambda p: p.gpus, lambda used: used == named):
        span = plan.gpus_per_node.span or plan.nodes.span or gpus.span
        yield Hit(
            message=(
                f"the name says {named} {_gpus(named)}, the settings use {_product(plan, used)}"
            ),
            span=where(plan, span),
            help=_help(plan, named, used),
        )


def _product(plan: Plan, used: int) -> str:
    nodes, per_node = plan.nodes.value, plan.gpus_per_node.value
    if nodes is None or per_node is None or nodes * per_node != used:
        return str(used)
    return f"{used} ({_nodes(nodes)} × {per_node} {_gpus(per_node)})"


def _help(plan: Plan, named: int, used: int) -> str:
    rename = f"rename the file with {used}"
    nodes, key = plan.nodes.value, plan.gpus_per_node.key
    if key and nodes and named % nodes == 0:
        return f"{rename}, or use {key}={named // nodes}"
    return rename


def _gpus(count: int) -> str:
    return "GPU" if count == 1 else "GPUs"


def _nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"
