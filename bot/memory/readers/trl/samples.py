"""How long a sample may be that TRL's trainers are given, or a response that they generate."""

from __future__ import annotations

from math import ceil

from bot.memory.readers.lengths import ASSUMED, Measured
from bot.memory.readers.settings import MemorySettings, as_length, length_of, needed


def longest_sample(get: MemorySettings, run: Measured | None) -> int:
    """Tokens of the longest sample of collected data; raises NoEstimateError where nothing says.

    `sft_vlm.py` sets `max_length` to None, whatever is given. Images are cut to one size, so that
    texts alone have a longest.
    """
    whole = get.plan.launch.entry.endswith(".sft_vlm")
    limit = None if whole else get.length("max_length", "max_seq_length")
    if limit is None and run is not None and run.longest:
        limit = ceil(run.longest)
    if limit is None and run is not None and run.response_mean:
        images = run.image_mean or 0.0
        text = (run.prompt_mean or 0.0) + run.response_mean - images
        limit = ceil(images + ASSUMED * max(0.0, text))
    return needed(
        limit,
        "The maximum length is not known. Give --response-tokens, the mean length of a sample.",
    )


def longest_prompt(get: MemorySettings, run: Measured | None) -> int:
    """Tokens of the longest prompt; 0 where nothing says."""
    limit = get.plan.max_prompt_length
    known = max(0, as_length(limit.value, limit.key) or 0)
    return known or (ceil(run.prompt_mean or 0.0) if run is not None else 0)


def longest_response(get: MemorySettings, run: Measured | None) -> int:
    """Tokens of the longest response; raises NoEstimateError where nothing says."""
    limit = length_of(get.plan.max_response_length)
    if limit is None and run is not None and run.longest:
        limit = ceil(max(1.0, run.longest - (run.prompt_mean or 0.0)))
    if limit is None and run is not None and run.response_mean:
        limit = ceil(ASSUMED * run.response_mean)
    program = get.plan.written
    if limit is None and program is not None and program.unsloth is not None:
        limit = program.unsloth.longest or None  # Its engine takes no longer sequence.
    return needed(
        limit,
        "The maximum length of a response is not known. Give --response-tokens, the mean length of "
        "one.",
    )
