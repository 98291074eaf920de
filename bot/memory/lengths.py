"""How many tokens a GPU holds at once, from batch sizes and from assumed or measured lengths."""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.memory.workload import Tokens

ASSUMED = 4.5
"""A maximum is taken to be this many mean lengths, when there is no run: what the public GSM8K runs
of verl show (343 to 371 of 1536 tokens)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Tokens of one sequence."""

    prompt_max: int
    response_max: int
    prompt_mean: float
    response_mean: float
    measured: bool = False

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence that the settings allow."""
        return self.prompt_max + self.response_max

    @property
    def mean(self) -> float:
        """Tokens of a mean sequence."""
        return self.prompt_mean + self.response_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Lengths that a run logged, tokens; the highest mean of any step."""

    prompt_mean: float | None = None
    response_mean: float | None = None


def lengths(prompt_max: int, response_max: int, run: Measured | None = None) -> Lengths:
    """Maxima with the run's means; 2/9 of the maxima where there are none."""
    prompt = run.prompt_mean if run else None
    response = run.response_mean if run else None
    return Lengths(
        prompt_max=prompt_max,
        response_max=response_max,
        prompt_mean=min(prompt, prompt_max) if prompt else prompt_max / ASSUMED,
        response_mean=min(response, response_max) if response else response_max / ASSUMED,
        measured=bool(response),
    )


def batch_tokens(count: int, of: Lengths, *, over: int = 1, padded: bool = False) -> Tokens:
    """Tokens of `count` sequences in one pass, on each of `over` GPUs that share a sequence.

    Expected: one sequence of full length among means, for somewhere among many passes there is
    one. Conservative: the others have half their maximum, for the fullest passes of public runs had
    up to 0.49 of it (32 sequences; `tests/memory/cases.json`). With padding all are as long as the
    longest allowed. The floor is two tokens a sequence: maximum lengths do not show what must be
    there.
    """
    most = count * of.longest
    half = min(of.longest, max(of.longest / 2, of.mean * 1.25))
    expected = most if padded else min(most, count * of.mean + of.longest - of.mean)
    conservative = most if padded else round(count * half + of.longest - half)
    return Tokens(
        -(-2 * count // over),
        max(1, round(expected / over)),
        max(1, -(-conservative // over)),
    )


def other_tokens(pass_tokens: Tokens, sequences: int, of: Lengths, *, over: int = 1) -> Tokens:
    """Tokens of the passes of one mini batch besides one that holds `pass_tokens`."""
    there = batch_tokens(sequences, of, over=over)
    return Tokens(
        0,
        max(0, there.expected - pass_tokens.expected),
        max(0, there.conservative - pass_tokens.conservative),
    )


def packed_tokens(limit: int, sequences: int, of: Lengths, *, over: int = 1) -> Tokens:
    """Tokens of one pass on each of `over` GPUs when passes hold at most `limit` tokens a GPU.

    Passes are balanced, not filled: there are ceil(total / limit) of them, of nearly equal work
    (`rearrange_micro_batches` in verl's `utils/seqlen_balancing.py`). A pass holds no more than
    there is: `sequences` are what one mini batch gives this group. Expected: one of the sequences
    is of full length, and a pass is no shorter than it.
    """
    there = batch_tokens(sequences, of, over=over)
    passes = balanced_passes(limit, sequences, of, over=over)
    longest = -(-of.longest // over)
    even = there.expected / passes
    most = max(limit, longest)
    conservative = max(1, min(most, there.conservative))
    expected = max(even, min(longest, there.expected))
    return Tokens(1, max(1, min(round(expected), conservative)), conservative)


def balanced_passes(limit: int, sequences: int, of: Lengths, *, over: int = 1) -> int:
    """Micro batches that a group's sequences are spread over, at the expected lengths."""
    there = batch_tokens(sequences, of, over=over)
    return max(1, min(sequences, -(-there.expected // max(1, limit))))
