"""RLB106: the engine takes shorter sequences than prompts and responses may make together."""

from __future__ import annotations

from bot.frameworks.plan_values import PlanValues, version_at_least
from bot.memory.shapes.contexts import context_of
from bot.report import Severity
from bot.rules._support.base import Example, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import LIMITS, ROLLOUT, refuses, sequence_length, trainers

_LENGTH = f"{ROLLOUT}.max_model_len"
_TOKENS = f"{ROLLOUT}.max_num_batched_tokens"
_CHUNKED = f"{ROLLOUT}.enable_chunked_prefill"
_PROMPT, _RESPONSE = "data.max_prompt_length", "data.max_response_length"
_LENGTHS = (f"{_PROMPT}=2048", f"{_RESPONSE}=4096")

META = Meta(
    id="RLB106",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="The engine's length is below max_prompt_length + max_response_length.",
    why=(
        "After a long prompt the engine ends a response before max_response_length, and nothing "
        "says so; a prompt that fills the length stops the training when it comes. Releases "
        "before 0.7.0 compare the lengths at their start and stop with SGLang, with a model of a "
        "shorter context, and where max_num_batched_tokens is smaller with chunked prefill on."
    ),
    instead="Leave max_model_len out, or make it at least the sum of the two lengths.",
    limits=(
        f"{LIMITS} An error where a release before 0.7.0 stops, unless the repository's own copy "
        "of verl makes no such check, or it installs somebody's fork. verl 0.7.0, and 0.6 with "
        "rollout.mode=async, ignore max_model_len. Of models only those are known by their names "
        "on the hub that have a short context, and that no setting changes."
    ),
    source=(
        "vLLMRollout in verl/workers/rollout/vllm_rollout/vllm_rollout_spmd.py and "
        "SGLangRollout._verify_config (0.3.0 to 0.6.1), generate in vllm_async_server.py and "
        "async_sglang_server.py (since 0.7.0); max_position_embeddings of the models' config.json"
    ),
    example=Example(
        bad=verl(*_LENGTHS, f"{_LENGTH}=4096"), good=verl(*_LENGTHS, f"{_LENGTH}=6144")
    ),
)


def check(context: RuleContext) -> Hits:
    """Compare what the engine takes with the longest sequence."""
    for values in trainers(context):
        lengths = sequence_length(values)
        if lengths is None or values.plan.last("hydra.searchpath"):
            continue
        yield from _given(values, *lengths)
        yield from _of_model(values, *lengths)
        yield from _batched(context, values, sum(lengths))


def _given(values: PlanValues, prompt: int, response: int) -> Hits:
    """A max_model_len that the longest sequence does not fit."""
    length, total = values.number(_LENGTH), prompt + response
    if not length or length >= total or _ignored(values):
        return
    stops = _is_old(values, "sglang") and version_at_least(values.plan, 0, 4, 1)
    yield hit(
        values.place(_LENGTH),
        "max_model_len {length} is below {total} (max_prompt_length {prompt} + "
        "max_response_length {response}): {what}",
        length=length,
        total=total,
        prompt=prompt,
        response=response,
        what=message("SGLang's rollout stops") if stops else _cut(length, prompt),
        severity="error" if stops else None,
        help=message("use {key}={better} or more", key=_LENGTH, better=total),
    )


def _cut(length: int, prompt: int) -> Message:
    if length <= prompt:
        return message("a prompt of that length leaves no room for a response")
    return message(
        "after the longest prompt a response ends at {left} tokens", left=length - prompt
    )


def _of_model(values: PlanValues, prompt: int, response: int) -> Hits:
    """A model whose context the longest sequence does not fit."""
    length = context_of(values.plan.model.value or "")
    if length is None or length >= prompt + response or values.number(_LENGTH):
        return
    if any("position_embeddings" in one.key or "rope" in one.key for one in values.plan.settings):
        return
    stops = _is_old(values, "vllm") or _is_old(values, "sglang")
    severity: Severity | None = "error" if stops else None
    yield hit(
        values.place(_RESPONSE, _PROMPT),
        "{model} takes {length} tokens, max_prompt_length {prompt} + max_response_length "
        "{response} are {total}: {what}",
        model=values.plan.model.value,
        length=length,
        prompt=prompt,
        response=response,
        total=prompt + response,
        what=message("the rollout stops") if stops else _cut(length, prompt),
        severity=severity,
        help=message("use lengths of {length} together, or another model", length=length),
    )


def _batched(context: RuleContext, values: PlanValues, total: int) -> Hits:
    """A budget of tokens below one sequence, which releases before 0.7.0 refuse of vLLM."""
    tokens, length = values.number(_TOKENS), values.number(_LENGTH) or total
    checked = version_at_least(values.plan, 0, 3) and _is_old(values, "vllm")
    if not tokens or tokens >= length or not checked or values.flag(_CHUNKED) is not True:
        return
    if refuses(context, "max_num_batched_tokens", "enable_chunked_prefill"):
        yield hit(
            values.place(_TOKENS, _RESPONSE, _PROMPT),
            "max_num_batched_tokens {tokens} is below one sequence of {length} tokens with "
            "chunked prefill on: the rollout stops",
            tokens=tokens,
            length=length,
            severity="error",
            help=message("use {key}={better} or more", key=_TOKENS, better=length),
        )


def _is_old(values: PlanValues, engine: str) -> bool:
    """Whether verl itself builds this engine and compares lengths: until 0.6, in mode sync."""
    synchronous = values.text(f"{ROLLOUT}.mode") in (None, "sync")
    old = not version_at_least(values.plan, 0, 7)
    return old and synchronous and values.text(f"{ROLLOUT}.name") == engine


def _ignored(values: PlanValues) -> bool:
    """Whether verl overwrites max_model_len with a length of its own."""
    if values.text(f"{ROLLOUT}.name") not in ("vllm", "sglang", "trtllm"):
        return True
    if values.plan.configuration.release == "0.7.0":
        return True
    six = version_at_least(values.plan, 0, 6) and not version_at_least(values.plan, 0, 7)
    return six and values.text(f"{ROLLOUT}.mode") == "async"
