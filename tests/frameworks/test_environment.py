"""Variables of the environment in a configuration."""

from __future__ import annotations

import pytest

from bot.frameworks import plans, tree_table
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of
from bot.shell import read


def plan_of(script: str, configuration: str) -> Plan:
    tree = tree_table({"ppo_trainer.yaml": configuration.encode()}, "a")
    (plan,) = plans(read(script.encode(), "made.sh"), trees={"verl": tree})
    return plan


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("", "${oc.env:M}", None),
        ("M=a/b", "${oc.env:M}", None),  # Not exported.
        ("M=a/b", "${oc.env:M,c/d}", "c/d"),
        ("export M=$OTHER", "${oc.env:M,c/d}", None),
        ("", "${oc.env:M,null}", None),
        ("export M=null", "${oc.env:M,c/d}", "null"),
        ("export M=Qwen/Qwen3-8B", "${oc.env:M}", "Qwen/Qwen3-8B"),
        ("export M=Qwen/Qwen3-8B", "${oc.env:M,c/d}", "Qwen/Qwen3-8B"),
        ("export M=Qwen", "${oc.env:M}/Qwen3-${oc.env:SIZE,'8B'}", "Qwen/Qwen3-8B"),
        ("export M=Qwen", "${oc.env:M}/${oc.env:NAME}", None),
    ],
)
@pytest.mark.parametrize("more", ["", " actor_rollout_ref.rollout.none=2"])
def test_a_model_that_the_script_exports(
    before: str, value: str, expected: str | None, more: str
) -> None:
    """A YAML file of a repository has `model.path: ${oc.env:GRPO_MODEL_PATH}`."""
    tree = f'actor_rollout_ref: {{model: {{path: "{value}"}}, rollout: {{n: 1}}}}'
    script = f"{before}\npython3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.n=2{more}\n"
    plan = plan_of(script, tree)
    known = values_of(plan).get("actor_rollout_ref.model.path")
    assert (known.value if known else None) == expected
    assert expected is None or plan.model.value == expected


@pytest.mark.parametrize(
    ("before", "start", "nodes"),
    [
        ("", "", 2),
        ("N=4\n", "", 2),
        ("export N=4\n", "", 4),
        ("export N=4\n", "ray job submit -- ", None),  # A cluster has an environment of its own.
    ],
)
def test_a_number_that_is_decoded(before: str, start: str, nodes: int | None) -> None:
    decoded = "${oc.decode:${oc.env:N,2}}"
    tree = f"trainer: {{nnodes: '{decoded}', n_gpus_per_node: '${{oc.env:N,2}}'}}"
    for more in ("", f"trainer.nnodes='{decoded}'"):
        plan = plan_of(f"{before}{start}python3 -m verl.trainer.main_ppo {more}\n", tree)
        assert plan.nodes.value == nodes
        assert plan.gpus_per_node.value is None  # A text.
