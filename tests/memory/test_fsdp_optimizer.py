"""What the optimizer of verl's FSDP trainers takes, by what is printed."""

from __future__ import annotations

import pytest

from bot.frameworks import plans
from bot.memory.from_plan import workload_of
from bot.shell import read
from tests.memory.printed import component, printed
from tests.memory.test_verl_roles import PPO, roles

_ACTOR = "actor_rollout_ref.actor"


def _states(*settings: str) -> tuple[float, float]:
    """What the actor's optimizer keeps, and what its step takes, in GiB of each GPU."""
    made = printed(" ".join((PPO, *settings)), "--device", "h100", "--framework", "verl@0.8.0")
    kept = component(made, "optimizer", "optimizer")
    return kept, component(made, "optimizer", "optimizer's temporaries")


def test_adam_has_two_moments_and_takes_the_root_of_all_at_once() -> None:
    kept, taken = _states()
    assert kept == pytest.approx(2 * taken, rel=0.01)


@pytest.mark.parametrize(
    ("package", "name", "moments"),
    [
        ("bitsandbytes.optim", "AdamW8bit", 2.0),
        ("bitsandbytes.optim", "PagedAdamW8bit", 2.0),
        ("bitsandbytes.optim", "AdamW", 8.0),
        ("torchao.optim", "AdamW4bit", 1.0),
        ("torchao.optim", "_AdamW", 8.0),
    ],
)
def test_other_packages_keep_moments_of_their_own(package: str, name: str, moments: float) -> None:
    """Adam of torch has 8 bytes of a parameter in fp32; none of these makes a copy of them all."""
    named = f"{_ACTOR}.optim.optimizer_impl={package} {_ACTOR}.optim.optimizer={name}"
    kept, taken = _states(named)
    assert kept == pytest.approx(_states()[0] * moments / 8, rel=0.01)
    assert taken == 0


@pytest.mark.parametrize(
    "given",
    [
        f"'+{_ACTOR}.optim.override_optimizer_config={{foreach: false}}'",
        f"+{_ACTOR}.optim.override_optimizer_config.foreach=False",
        f"+{_ACTOR}.optim.override_optimizer_config.fused=True",
    ],
)
def test_a_step_of_one_tensor_after_the_other_makes_no_copy_of_all(given: str) -> None:
    """uqcxu9/QWEN2.5-7B-VERL_GRPO_V1_8."""
    kept, taken = _states(given)
    assert kept == pytest.approx(_states()[0], rel=0.01)
    assert taken < _states()[1] / 2


@pytest.mark.parametrize(
    ("given", "unread"),
    [
        (f"'+{_ACTOR}.optim.override_optimizer_config={{eps: 1e-6}}'", False),
        (f"'+{_ACTOR}.optim.override_optimizer_config={{amsgrad: true}}'", True),
        (f"{_ACTOR}.optim.optimizer=SGD", True),
    ],
)
def test_what_may_keep_less_or_more_counts_as_not_read(given: str, unread: bool) -> None:
    (plan,) = plans(read(f"{PPO} {given}\n".encode(), "x.sh"), versions={"verl": "0.8.0"})
    assert bool([key for key in workload_of(plan).unread if ".optim." in key]) is unread


def test_the_critic_has_its_own() -> None:
    given = "critic.optim.optimizer_impl=bitsandbytes.optim critic.optim.optimizer=AdamW8bit"
    found = roles(f"{PPO} {given}", "0.8.0")
    assert (found["critic"].optimizer_bytes, found["actor"].optimizer_bytes) == (2.0, 8.0)
