"""How many tokens a GPU holds at once, from batch sizes and from assumed or measured lengths."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, sqrt
from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.memory.workload import Tokens

ASSUMED = 4.5
"""A maximum is taken to be this many mean lengths, when there is no run: what the public GSM8K runs
of verl show (343 to 371 of 1536 tokens)."""
COLLECTED = 2.0
"""Means that the longest of collected samples has, where it is not known: the median of 34 public
data sets, whose longest sample is 1.04 to 8.4 means (rows of `make unseen` that tell both)."""
GENERATED = 2.3
"""The same of prompts with their responses: the median of 14 public runs (1.3 to 3.6)."""
SPREAD = 0.9
"""Standard deviation of a sequence's length over its mean, where nothing is known of the data."""
ALIKE = 0.5
"""Correlation of the lengths of responses to one prompt: `SPREAD` and this give passes of 32
responses 0.46 to 0.51 of what they may hold, in groups of 5 to 8. The fullest of public runs held
0.49 to 0.69 (`tests/memory/cases.json`), one that ran out of memory 0.63 (`OOM_FIX.md` of the first
round's qiyao-1.5b: 17.66 GiB of bf16 logits are 62,400 of 98,304 tokens)."""
FULLEST = 3.9
"""Standard deviations that the fullest of some 10,000 passes lies above the mean: the expected
maximum of as many normal draws."""
SAMPLE = 1024
"""Tokens up to which the longest sample of a padded batch is taken to be as long as allowed; of
what is allowed above, half. Data that are collected have lengths of their own: where more than 1024
tokens were allowed and two samples or more are padded together, the measured memory of five public
runs is that of 0.11, 0.23, 0.34, 0.47 and 1.8 of the tokens allowed; up to 1024 that of 0.9 to 1.1
(six runs). One pair at a time was 0.55 to 0.86 (three runs)."""
Spreading: TypeAlias = Literal["limit", "tokens", "work"]
"""How sequences are spread over passes: over as many as keep each within the limit, or over as few
as all tokens would fill, evenly by tokens or by work (see `packed_tokens`)."""
_STEPS = 16
"""Quantiles that stand for all lengths, or for the longest."""
_LINEAR = 24576
"""A sequence's work is this many times its length, and the square of it (`calculate_workload` of
verl's `utils/seqlen_balancing.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Tokens of one sequence."""

    prompt_max: int
    response_max: int
    prompt_mean: float
    response_mean: float
    measured: bool = False
    """True when the means are those of a run, or were given."""
    known: bool = False
    """True when they are those of public runs on the same data."""
    group: int = 1
    """Responses to one prompt, which are alike."""
    samples: int = 0
    """Sequences of one sample of collected data, 2 of pairs; their limit may be longer than any."""
    at_most: int = 0
    """Tokens of the longest sequence there is, where that is known; else 0."""
    sorted_of: int = 0
    """Sequences of one GPU that are sorted by length before they are cut into passes; else 0."""
    mini: int = 0
    """Those of one mini batch, which they are cut into first."""

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence that the settings allow."""
        return self.prompt_max + self.response_max

    @property
    def longest_met(self) -> int:
        """Tokens of the longest sequence that there is."""
        return min(self.longest, self.at_most or self.longest)

    @property
    def mean(self) -> float:
        """Tokens of a mean sequence."""
        return self.prompt_mean + self.response_mean

    @property
    def before_response(self) -> float:
        """Tokens of a mean prompt, or of a mean sample that nothing is generated for."""
        return self.prompt_mean if self.prompt_max else self.mean

    def longest_among(self, count: int) -> float:
        """Tokens of the longest of `count` sequences, as lengths vary by `SPREAD`.

        The expected maximum of normal draws by Blom's formula.
        """
        return self._placed(1, count)

    def _means_at(self, share: float) -> float:
        """Means of a length that is longer than this share of all; Tukey's normal quantile.

        Lengths up to the longest vary no more than two values would, of which one is none.
        """
        varies = min(SPREAD, sqrt(max(0.0, self.longest_met / self.mean - 1)))
        means: float = 1 + varies * 4.91 * (share**0.14 - (1 - share) ** 0.14)
        return max(0.0, means)

    def _placed(self, place: float, count: int) -> float:
        """The same of the `place`-th longest."""
        return self._times(self._means_at((count - place + 0.625) / (count + 0.25)))

    def _times(self, means: float) -> float:
        """Tokens of so many `means`, as far as the settings and the data have them."""
        prompt = min(self.prompt_max, means * self.prompt_mean)
        response = min(self.response_max, means * self.response_mean)
        return min(prompt + response, self.longest_met)

    def longest_together(self, count: int, passes: int) -> float:
        """Tokens that one of `passes` over `count` sequences holds at least.

        Where there are more than `each` sequences for each pass, one of them holds `each` and one
        more of the longest `each * passes + 1`: at best the shortest of these. Of nine in a pass
        none is long. Of a GPU's sorted sequences the fullest mini batch has every second one of the
        longest (see `fullest_sorted`).
        """
        step = min(2.0, max(1.0, self.sorted_of / count))
        among = max(count, self.sorted_of)
        return max(
            (
                sum(
                    self._placed(step * (each * passes + 1 - at) - (step - 1) / 2, among)
                    for at in range(each + 1)
                )
                for each in range(1, min(8, (count - 1) // passes) + 1)
            ),
            default=0.0,
        )

    def fuller_by_work(self) -> float:
        """How much more than the mean a pass holds that has the work of all, and no long sequence.

        Of sequences that are all of the mean length: the work of a token grows with the length of
        its sequence.
        """
        drawn = [self._placed(place, _STEPS) for place in range(1, _STEPS + 1)]
        mean, square = sum(drawn) / _STEPS, sum(one * one for one in drawn) / _STEPS
        return (_LINEAR + square / mean) / (_LINEAR + mean)

    def mean_of_longest(self, share: float) -> float:
        """Mean tokens of the longest `share` of many sequences, as lengths vary by `SPREAD`.

        Of their quantiles, closer to each other the longer they are; none is longer than it may be.
        """
        if share >= 1:
            return self.mean
        steps = [(at + 0.5) / _STEPS for at in range(_STEPS)]
        return sum(2 * at * self._times(self._means_at(1 - share * at**2)) for at in steps) / _STEPS

    def fullest_sorted(self, count: int) -> float:
        """Tokens of the fullest `count` neighbours, where they are `sorted_of` of one GPU.

        verl puts every second one in front in rising order and the others behind in falling order
        (`_balance_batch` of `ray_trainer.py`), so that the longest lie in the middle. The pass
        there ends with `rising` of the first half, which are among twice as many of the longest.
        """
        middle = self.sorted_of // 2 % max(1, self.mini)
        rising = middle % count or min(count, self.mini)
        return sum(
            part * self.mean_of_longest(2 * part / self.sorted_of)
            for part in (rising, count - rising)
            if part > 0
        )

    @property
    def longest_likely(self) -> int:
        """The same, but `ASSUMED` means at most where they are known and the longest is not."""
        if self.measured and not self.at_most:
            return min(self.longest, ceil(ASSUMED * self.mean))
        return self.longest_met

    def longest_of(self, count: int) -> int:
        """Tokens of the longest of `count` sequences that are padded to it."""
        if self.at_most:
            return self.longest_met
        if self.measured:
            means = COLLECTED if self.samples else GENERATED
            return min(self.longest, ceil(means * self.mean))
        if count <= self.samples or not self.samples:
            return self.longest
        return max(min(self.longest, SAMPLE), self.longest // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Lengths that a run logged or that the caller knows, tokens; the highest mean of any step.

    A sample that nothing is generated for is a response alone, or a prompt and a response.
    """

    prompt_mean: float | None = None
    response_mean: float | None = None
    longest: float | None = None
    """Tokens of the longest sequence, prompt and response."""
    image_mean: float | None = None
    """Of those of a prompt (of a sample), the ones that are of images."""


def lengths(
    prompt_max: int,
    response_max: int,
    run: Measured | None = None,
    *,
    data: Measured | None = None,
    group: int = 1,
) -> Lengths:
    """Maxima with the run's means, else those of the data, else 2/9 of the maxima.

    Where the longest sequence alone is known, no maximum is longer than it.
    """
    of_data = data or Measured()
    longest = run.longest if run and run.longest and not run.response_mean else None
    prompt_most = min(prompt_max, longest or prompt_max)
    response_most = min(response_max, longest or response_max)
    prompt = (run.prompt_mean if run else None) or of_data.prompt_mean
    response = (run.response_mean if run else None) or of_data.response_mean
    images = (run.image_mean if run else None) or 0.0
    if prompt_max:
        prompt = max(prompt or prompt_most / ASSUMED, images)
    else:
        response = max(response or response_most / ASSUMED, images)
    return Lengths(
        prompt_max=prompt_max,
        response_max=response_max,
        prompt_mean=min(prompt, prompt_max) if prompt else prompt_most / ASSUMED,
        response_mean=min(response, response_max) if response else response_most / ASSUMED,
        measured=bool(run and run.response_mean),
        known=bool(of_data.response_mean),
        at_most=ceil(run.longest or 0) if run else 0,
        group=group,
    )


def sample_lengths(longest: int, run: Measured | None, sequences: int = 1) -> Lengths:
    """Those of collected data, whose samples have so many `sequences` (2: pairs).

    A sample is as long as its prompt and its response, where a mean of each is given.
    """
    if run is not None and run.prompt_mean and run.response_mean:
        run = replace(run, prompt_mean=None, response_mean=run.prompt_mean + run.response_mean)
    return replace(lengths(0, longest, run), samples=sequences)


def fullest(count: int, of: Lengths) -> float:
    """Tokens of the fullest pass of `count` sequences that a run is expected to have.

    A peak is a maximum over all passes. The mean of a pass of `count` lengths, of which `group` are
    alike, varies by `SPREAD · sqrt((1 + (alike - 1) · ALIKE) / count)` of a mean length; the
    largest of thousands lies `FULLEST` of that above it. Where a run or public runs on the same
    data say the mean, their passes were met with one sequence of full length among means.
    """
    one = count * of.mean + of.longest_met - of.mean
    most = float(count * of.longest_met)
    if of.sorted_of:
        return min(most, max(one, of.fullest_sorted(count)))
    if of.measured or of.known:
        return min(most, one)
    alike = min(of.group, count)
    varies = SPREAD * sqrt((1 + (alike - 1) * ALIKE) / count)
    return min(most, max(one, count * of.mean * (1 + FULLEST * varies)))


def batch_tokens(count: int, of: Lengths, *, over: int = 1, padded: bool = False) -> Tokens:
    """Tokens of `count` sequences in one pass, on each of `over` GPUs that share a sequence.

    Expected: the fullest pass of a run. Conservative: at least one sequence of full length among
    others of half their maximum. With padding all are as long as the longest one. The floor is
    two tokens a sequence: maximum lengths do not show what must be there.
    """
    most = count * (of.longest_likely if of.samples else of.longest_met)
    half = min(of.longest_met, max(of.longest_met / 2, of.mean * 1.25))
    padding = count * of.longest_of(count)
    apart = count * of.longest_likely if of.measured else padding
    expected = padding if padded else min(apart, fullest(count, of))
    conservative = most if padded else max(expected, count * half + of.longest_met - half)
    return Tokens(
        -(-2 * count // over),
        max(1, round(expected / over)),
        max(1, -(-round(conservative) // over)),
    )


def other_tokens(pass_tokens: Tokens, sequences: int, of: Lengths, *, over: int = 1) -> Tokens:
    """Tokens of the passes of one mini batch besides one that holds `pass_tokens`.

    Beside the fullest pass of a run the others are of mean lengths.
    """
    there = batch_tokens(sequences, of, over=over)
    others = max(0, there.expected - pass_tokens.expected)
    if not (of.measured or of.known):
        others = round(sequences * of.mean / over * others / there.expected)
    return Tokens(0, others, max(0, there.conservative - pass_tokens.conservative))


def packed_tokens(
    limit: int, sequences: int, of: Lengths, *, over: int = 1, spread: Spreading = "limit"
) -> Tokens:
    """Tokens of one pass on each of `over` GPUs when passes are to hold `limit` tokens a GPU.

    Passes are balanced, not filled: there are ceil(total / limit) of them, of nearly equal work
    (`rearrange_micro_batches` in verl's `utils/seqlen_balancing.py`). A pass holds no more than
    there is: `sequences` are what one mini batch gives this group. Expected: where the lengths of a
    run are not known, some of its mini batches hold just less than a multiple of the limit, so that
    their passes are full; where they are, one of the sequences is of full length, and a pass is no
    shorter than it.

    Unless each pass is kept within the limit, some hold more: sequences are not cut, so that two
    may have to share a pass that have no room in it, and passes of equal work hold the more tokens
    the shorter their sequences are.
    """
    there = batch_tokens(sequences, of, over=over)
    passes = balanced_passes(limit, sequences, of, over=over)
    longest = -(-of.longest_met // over)
    even: float = there.expected / passes
    if not (of.measured or of.known):
        even = min(limit, there.expected)
    most: float = max(limit, longest)
    if spread == "work" and passes > 1:
        fuller = of.fuller_by_work()
        even, most = even * fuller, most * fuller
    if spread != "limit" and passes > 1:
        even = max(even, min(there.expected, of.longest_together(sequences, passes) / over))
    if spread != "limit":
        # Every sequence of the mini batch may be as long as the longest.
        full = max(1, min(sequences, -(-sequences * longest // limit)))
        most = max(most, -(-sequences // full) * longest)
    conservative = max(1, min(round(most), there.conservative))
    expected = max(even, min(longest, there.expected))
    return Tokens(1, max(1, min(round(expected), conservative)), conservative)


def padded_tokens(packed: Tokens, sequences: int, of: Lengths, *, trimmed: bool) -> Tokens:
    """Tokens of a pass that what its rows hold has filled, when its rows are padded all the same.

    verl counts what is no padding (`rearrange_micro_batches`), and pads each row to the longest
    that the settings allow, since 0.8 to the longest of the pass (`trimmed`; `max_seq_len` of the
    engine's `prepare_model_inputs`): the one that so many rows are expected to have, as far as the
    others leave room for it, half a mean each.
    """
    expected, conservative = (
        min(sequences, ceil(tokens / of.mean)) for tokens in (packed.expected, packed.conservative)
    )
    longest = of.longest_met
    if trimmed:
        room = packed.expected - (expected - 1) * of.mean / 2
        longest = round(min(room, of.longest_among(expected)))
    return Tokens(
        packed.floor,
        max(packed.expected, expected * longest),
        max(packed.conservative, conservative * of.longest_met),
    )


def balanced_passes(limit: int, sequences: int, of: Lengths, *, over: int = 1) -> int:
    """Micro batches that a group's sequences are spread over, at the expected lengths."""
    there = batch_tokens(sequences, of, over=over)
    return max(1, min(sequences, -(-there.expected // max(1, limit))))
