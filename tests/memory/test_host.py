"""The verdict on a host's memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.frameworks import plans
from bot.memory.host import host_outcome, uses_ray
from bot.rules._support.example import trl, verl
from bot.shell import read

_ORDER = ("fits", "tight", "likely OOM", "impossible")


def test_ray_leaves_a_twentieth_of_it() -> None:
    states, memory = 97.0, 100.0
    assert host_outcome(states, memory, ray=True) == "likely OOM"
    assert host_outcome(states, memory, ray=False) == "tight"


def test_buffers_have_to_fit_besides() -> None:
    assert host_outcome(60.0, 100.0, ray=True) == "fits"
    assert host_outcome(70.0, 100.0, ray=False) == "tight"


@given(st.integers(0, 4000), st.integers(0, 500), st.integers(1, 4000), st.booleans())
def test_more_states_never_fit_better(states: int, more: int, memory: int, ray: bool) -> None:
    outcomes = [host_outcome(held, memory, ray=ray) for held in (states, states + more)]
    assert _ORDER.index(outcomes[0]) <= _ORDER.index(outcomes[1])


def test_verls_workers_are_rays() -> None:
    (ppo,) = plans(read(verl().encode(), "x.sh"))
    (grpo,) = plans(read(trl("--use_vllm").encode(), "x.sh"))
    assert uses_ray(ppo)
    assert not uses_ray(grpo)
