"""The longest prompt and response that verl's trainer has of one sequence.

Search-R1's copies of verl (`search_r1/llm_agent/generation.py`) have dialogues for responses: what
the model writes and what a tool gives back, turn by turn. There `data.max_prompt_length` limits
the whole dialogue so far, `data.max_start_length` the question and `data.max_response_length` what
is written in one turn.
"""

from __future__ import annotations

from bot.memory.readers.settings import NOT_KNOWN, MemorySettings, needed

_START, _SEEN = "data.max_start_length", "data.max_obs_length"


def limits(get: MemorySettings) -> tuple[int, int]:
    """Tokens of the longest prompt and of the longest response.

    Raises NoEstimateError where the script does not say them.
    """
    prompt, response = (
        needed(get.length(key), NOT_KNOWN, key=key)
        for key in ("data.max_prompt_length", "data.max_response_length")
    )
    start, seen = get.whole(_START), get.whole(_SEEN)
    if not start or not seen or not get.on(True, "do_search"):
        return prompt, response
    turns = get.whole("max_turns")
    dialogue = prompt if turns is None else turns * (response + seen) + response
    return min(prompt, start), min(prompt, dialogue)
