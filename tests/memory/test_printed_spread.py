"""What the fullest pass of `use_dynamic_bsz` holds: sequences are not cut to its limit."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from operator import add
from random import Random
from statistics import fmean
from typing import Any

import pytest

from bot.memory.constants import ENTROPY_PACKED, PACKED
from tests.memory.printed import component, stage
from tests.memory.test_printed import GIB, VOCAB, verl

_A = "actor_rollout_ref.actor"
_MEANS = ("--prompt-tokens", "100", "--response-tokens", "300")
_REDUCED = (f"{_A}.fsdp_config.use_no_sync_for_gradient_accumulation=False",)
_PER_TOKEN = VOCAB * PACKED / GIB
"""GiB of logits."""
_NEWEST = ("trainer.use_v1=False", "actor_rollout_ref.rollout.temperature=0.7")


def update(
    *settings: str, release: str, limit: int, longest: int = 5120, given: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The estimate of an update of 64 sequences on each of eight GPUs, which come as they are."""
    return verl(
        f"{_A}.entropy_coeff=0.001",
        f"{_A}.use_torch_compile=True",
        f"{_A}.use_dynamic_bsz=True",
        f"{_A}.shuffle=True",
        f"{_A}.ppo_max_token_len_per_gpu={limit}",
        "actor_rollout_ref.model.use_remove_padding=True",
        "actor_rollout_ref.rollout.n=8",
        "data.train_batch_size=64",
        f"{_A}.ppo_mini_batch_size=64",
        f"data.max_prompt_length={longest // 8}",
        f"data.max_response_length={longest - longest // 8}",
        *settings,
        release=release,
        given=given,
    )


def _most(made: dict[str, Any]) -> float:
    """Conservative GiB of an update's pass."""
    return float(stage(made, "update")["conservative_gib"])


def tokens(*settings: str, release: str, limit: int = 8192, **other: Any) -> int:
    """Tokens of its fullest pass."""
    made = update(*settings, release=release, limit=limit, **other)
    each = ENTROPY_PACKED if release.startswith("0.9") else PACKED
    return round(component(made, "update", "logits") * GIB / VOCAB / each)


def differenced(sizes: list[int], lengths: list[int], passes: int) -> list[int]:
    """Tokens of so many sets of nearly equal sums of the sizes, by the largest difference."""
    heap = []
    for place, (size, length) in enumerate(zip(sizes, lengths, strict=True)):
        # Both in one number: the sets are compared by their sizes, which are far above any tokens.
        heap.append((-size, place, [size << 32 | length, *[0] * (passes - 1)]))
    heapify(heap)
    while len(heap) > 1:
        (_, first, one), (_, _, other) = heappop(heap), heappop(heap)
        joined = sorted(map(add, one, reversed(other)), reverse=True)
        heappush(heap, ((joined[-1] >> 32) - (joined[0] >> 32), first, joined))
    return [both & 0xFFFFFFFF for both in heap[0][2]]


def fullest(lengths: list[int], limit: int, *, by_work: bool) -> int:
    """Tokens of the fullest pass of a mini batch, as verl spreads it over as few as it may."""
    sizes = [one * (24576 + one) if by_work else one for one in lengths]
    return max(differenced(sizes, lengths, -(-sum(lengths) // limit)))


def drawn(count: int, mean: float, longest: int) -> Iterator[list[int]]:
    """Lengths of 100 batches."""
    draw = Random(7)  # noqa: S311 - draws of lengths.
    for _ in range(100):
        yield [round(min(longest, max(1, draw.gauss(mean, 0.9 * mean)))) for _ in range(count)]


@pytest.mark.parametrize("release", ["0.5.0", "0.6.0"])
def test_passes_of_equal_tokens_hold_their_limit(release: str) -> None:
    assert tokens(release=release) == pytest.approx(8192, abs=2)


def test_the_newest_release_takes_as_many_passes_as_its_limit_needs() -> None:
    assert tokens(*_NEWEST, release="0.9.1") == pytest.approx(8192, abs=2)
    newest = update(*_NEWEST, release="0.9.1", limit=5200)
    before = update(*_NEWEST, *_REDUCED, release="0.9.0", limit=5200)
    assert _most(newest) < _most(before)


def test_a_limit_that_holds_full_sequences_is_the_most_in_equal_tokens() -> None:
    """Two of 5,120 tokens have room; of a limit that holds one and a half two may have to."""
    newest = [_most(update(*_NEWEST, release="0.9.1", limit=limit)) for limit in (7680, 10240)]
    before = [_most(update(release="0.6.0", limit=limit)) for limit in (7680, 10240)]
    assert before[0] == pytest.approx(before[1], rel=0.001)
    assert newest[0] < 0.95 * newest[1]


@pytest.mark.parametrize(
    ("limit", "longest"), [(8192, 5120), (12288, 8192), (15000, 12000), (20480, 20480)]
)
def test_passes_of_equal_work_hold_more_than_their_limit(limit: int, longest: int) -> None:
    """In the fullest pass of a run, drawn: without a long sequence there are more tokens in it."""
    batches = list(drawn(64, longest / 4.5, longest))
    wanted = max(fullest(batch, limit, by_work=True) for batch in batches)
    assert wanted > max(limit, *(fullest(batch, limit, by_work=False) for batch in batches[:9]))
    for release in ("0.6.1", "0.7.1", "0.9.0"):
        said = tokens(*_NEWEST[release < "0.9" :], release=release, limit=limit, longest=longest)
        assert limit < said == pytest.approx(wanted, rel=0.03)


def test_a_mini_batch_in_one_pass_is_not_spread() -> None:
    one = tokens(release="0.8.0", limit=65536, given=_MEANS)
    assert one == tokens(release="0.6.0", limit=65536, given=_MEANS)


def test_two_long_sequences_share_a_pass_that_has_no_room_for_them() -> None:
    """Of four mini batches of a GPU's sorted sequences, as drawn; at most two of full length."""
    known = ("--prompt-tokens", "200", "--response-tokens", "2500")
    settings = (f"{_A}.shuffle=False", "data.train_batch_size=256")
    said = tokens(*settings, release="0.7.1", limit=5300, given=known)
    wanted = []
    for batch in drawn(256, 2700, 5120):
        ordered = sorted(batch)
        folded = ordered[::2] + ordered[1::2][::-1]
        minis = [folded[at : at + 64] for at in range(0, 256, 64)]
        wanted.append(max(fullest(mini, 5300, by_work=True) for mini in minis))
    assert said == pytest.approx(fmean(wanted), rel=0.03)
    assert said > 1.2 * 5300
    assert (
        _most(update(*settings, release="0.7.1", limit=5300, given=known)) > 2 * 5120 * _PER_TOKEN
    )


def test_short_ones_share_it_with_room_to_spare() -> None:
    """A tenth of the limit each: the even pass, and nothing beside it."""
    short = (*_MEANS, "--longest-tokens", "800")
    for release in ("0.6.0", "0.8.0"):
        assert tokens(release=release, given=short) < 1.01 * 8192


def test_settings_that_allow_no_token_do_not_divide_by_it() -> None:
    nothing = ("data.max_prompt_length=0", "data.max_response_length=0")
    made = update(*nothing, release="0.8.0", limit=8192)
    assert made["reason"] == "data.max_prompt_length is 0, where a positive number belongs."
