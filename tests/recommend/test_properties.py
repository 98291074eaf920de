"""Properties of recommendations: monotone in budget and model, true to themselves."""

from __future__ import annotations

from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.frameworks.settings.releases import releases
from bot.memory.from_plan import device_named
from bot.recommend.fitting import FittingCandidate
from bot.recommend.options import SHARES, steps
from bot.recommend.request import Candidate, Request, Sizes, make_request
from bot.recommend.search import Search
from tests.profiles import scaled

SIZES = ("0.5B", "1.5B", "3B", "7B", "14B", "32B")
DEVICES = ("h100", "a100-40", "rtx4090", "h20", "h200", "l40s")
ASKED = [
    ("verl", "grpo", "full"),
    ("verl", "grpo", "lora"),
    ("verl", "ppo", "full"),
    ("openrlhf", "ppo", "full"),
    ("openrlhf", "rm", "lora"),
    ("trl", "dpo", "dora"),
]
_QUESTIONS = st.tuples(
    st.sampled_from(ASKED), st.sampled_from([256, 1024, 4096]), st.sampled_from([16, 128])
)
_FEW = settings(max_examples=scaled(15))
Asked = tuple[tuple[str, str, str], int, int]


@cache
def _search(size: str, asked: Asked) -> Search:
    (framework, task, method), length, batch = asked
    request: Request = make_request(
        f"Qwen/Qwen2.5-{size}",
        task=task,
        method=method,
        framework=framework,
        sizes=Sizes(prompt=length, response=length, batch=batch),
    )
    return Search(request, releases(framework)[-1])


@cache
def _found(size: str, asked: Asked, device: str, budget: int) -> tuple[FittingCandidate, ...]:
    return tuple(_search(size, asked).on(device_named(device), budget)[0])


@_FEW
@given(_QUESTIONS, st.sampled_from(SIZES), st.sampled_from(DEVICES))
def test_a_bigger_budget_removes_nothing(asked: Asked, size: str, device: str) -> None:
    before: list[tuple[int, frozenset[tuple[str, int]]]] = []
    for budget in (1, 2, 4, 8, 16):
        now = [(f.candidate.gpus, f.candidate.options) for f in _found(size, asked, device, budget)]
        assert now[: len(before)] == before
        before = now


@_FEW
@given(_QUESTIONS, st.integers(0, len(SIZES) - 2), st.sampled_from(DEVICES))
def test_a_smaller_model_never_needs_more(asked: Asked, at: int, device: str) -> None:
    large, small = (_found(SIZES[n], asked, device, 16) for n in (at + 1, at))
    if large:
        assert small
        assert small[0].candidate.gpus <= large[0].candidate.gpus


@_FEW
@given(_QUESTIONS, st.sampled_from(SIZES), st.sampled_from(DEVICES))
def test_every_recommendation_fits_by_its_own_estimate(
    asked: Asked, size: str, device: str
) -> None:
    for found in _found(size, asked, device, 16):
        assert found.estimate.outcome in ("fits", "tight")
        if found.sure:
            assert found.estimate.peak("conservative") <= found.estimate.usable
            assert found.estimate.usable.in_gib - found.estimate.peak().in_gib > 0.1
        assert found.estimate.gpus == found.candidate.gpus <= 16
        assert set(found.candidate.on) <= {name for name, _ in found.candidate.options}


@_FEW
@example((("trl", "dpo", "dora"), 4096, 16), "1.5B", "rtx4090", 8)  # 2 % above the card: may fit
@example((("verl", "sft", "full"), 256, 16), "0.5B", "l40s", 8)  # micro batches take more than one
@given(_QUESTIONS, st.sampled_from(SIZES), st.sampled_from(DEVICES), st.sampled_from([1, 4, 8]))
def test_nothing_that_fits_is_overlooked(asked: Asked, size: str, device: str, gpus: int) -> None:
    search, card = _search(size, asked), device_named(device)
    every = steps(search.request, gpus)
    found = [f for f in _found(size, asked, device, gpus) if f.candidate.gpus <= gpus]
    for count in range(len(every) + 1):
        for candidate, made in search.estimates(
            card, Candidate(gpus, frozenset(every[:count])), SHARES
        ):
            if (
                made.outcome in ("fits", "tight")
                and search.engine_shortage(candidate, card) is None
            ):
                assert found
