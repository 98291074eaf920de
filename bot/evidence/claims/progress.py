"""What the run went through: enough steps, at full length, without an out-of-memory error."""

from __future__ import annotations

from typing import Final

from bot.base.messages import message, plural_message
from bot.evidence.facts import Facts
from bot.evidence.metrics import EACH_STEP, GLOBAL_STEP, RESPONSE_MAX, highest
from bot.evidence.origins import WANDB, tracker_name
from bot.evidence.subject import ClaimSubject, Observation
from bot.evidence.values import Missing, lookup, same, whole
from bot.frameworks.settings.releases import release_key
from bot.report import Claim, JsonValue
from bot.report.claims import ClaimName, SourceName, claim_source

FULL_LENGTH: Final = 0.9
"""Share of max_response_length that counts as near it."""
_ENDED_BY_HAND: Final = frozenset({0, 130, 143, 255})
"""Exit codes that are no failure: success, SIGINT, SIGTERM, and the SDK's own for Ctrl-C."""
_FAILED: Final = frozenset({"failed", "crashed"})
_STATE_COUNTS_SINCE: Final = (0, 9)
"""verl's run state says nothing before: a run that ran out of memory could read "finished"."""


def steps_completed(facts: Facts) -> int | None:
    """Training steps of this run; None when it logged no step number.

    Not more than the rows that hold it, since a resumed run goes on counting, and not more than the
    number itself, since a row may be written twice. transformers' trainers write a row every
    `logging_steps`. Where no number is logged the rows of what each step logs are counted. Of what
    was printed each step is a row.
    """
    series = highest(facts.history, GLOBAL_STEP)
    every = facts.config.get("logging_steps")
    every = every if isinstance(every, int) and 1 <= every < 1_000_000 else 1
    if series is None:
        rows = [facts.history[key].rows for key in EACH_STEP if key in facts.history]
        return max(rows) * every if rows else None
    every = 1 if "history" in facts.printed else every
    return max(0, min(series.rows * every, int(series.maximum)))


def steps_claim(subject: ClaimSubject) -> Claim:
    """Whether the run got through enough steps, at full length, without running out of memory."""
    facts, least = subject.facts, subject.context.min_steps
    claimed, steps = message("at least {count}", count=least), steps_completed(facts)

    def seen_in(source: str, observed: JsonValue = steps) -> Observation:
        return Observation(ClaimName.STEPS, claimed, observed, source)

    if facts.out_of_memory is not None:
        reason = message("The run reports an out-of-memory error.")
        if steps is not None:
            reason = plural_message(
                "The run reports an out-of-memory error after {count} step.",
                "The run reports an out-of-memory error after {count} steps.",
                steps,
            )
        reported = seen_in(SourceName.CONSOLE, facts.out_of_memory)
        if (facts.program or "").endswith(".ipynb"):
            return reported.inconclusive(
                "The notebook reports an out-of-memory error; whether the training met it, or "
                "another cell, is open."
            )
        return reported.inconsistent(reason)
    seen = seen_in(SourceName.HISTORY)
    if steps is None:
        key = GLOBAL_STEP[0 if subject.plan.framework == "verl" else 1]
        return seen.inconclusive("The run's history has no {key}.", key=key)
    if steps < least:
        reason = plural_message(
            "{count} step is too few to have seen responses of full length.",
            "{count} steps are too few to have seen responses of full length.",
            steps,
        )
        return seen.inconclusive(reason)
    if (badly := ended_badly(facts)) is not None:
        why, source = badly
        return seen_in(claim_source(SourceName.HISTORY, source)).inconclusive(why)
    return _at_full_length(subject, seen, steps)


def _at_full_length(subject: ClaimSubject, seen: Observation, steps: int) -> Claim:
    """The claim of a run with enough steps: whether responses were as long as they may be."""
    facts, limit = subject.facts, _response_limit(subject)
    longest = highest(facts.history, RESPONSE_MAX)
    if longest is None:
        return _without_lengths(subject, seen, steps, limit)
    if limit is None:
        return seen.inconclusive(
            "The longest response allowed is not known, so full length cannot be told."
        )
    if longest.maximum < FULL_LENGTH * limit:
        return seen.inconclusive(
            "The longest response had {longest} of {limit} tokens: memory at full length was not "
            "shown.",
            longest=f"{longest.maximum:g}",
            limit=limit,
        )
    if longest.maximum > limit:
        return seen.inconclusive(
            "The longest response had {longest} tokens, more than the {limit} that the settings "
            "allow: the lengths are another run's, or count something else.",
            longest=f"{longest.maximum:g}",
            limit=limit,
        )
    values = {"longest": f"{longest.maximum:g}", "limit": limit}
    reason = plural_message(
        "{count} step, with responses of up to {longest} of {limit} tokens.",
        "{count} steps, with responses of up to {longest} of {limit} tokens.",
        steps,
        **values,
    )
    if facts.exit_code is None and facts.state is None:
        reason = plural_message(
            "{count} step, with responses of up to {longest} of {limit} tokens; the log has no "
            "end, so what followed is not known.",
            "{count} steps, with responses of up to {longest} of {limit} tokens; the log has no "
            "end, so what followed is not known.",
            steps,
            **values,
        )
    return seen.consistent(reason)


def _without_lengths(
    subject: ClaimSubject, seen: Observation, steps: int, limit: int | None
) -> Claim:
    """The claim of a run that logged no lengths: fine-tuning may need none."""
    facts, filled = subject.facts, _filled(subject)
    if filled is None:
        return seen.inconclusive(_no_lengths(subject, limit))
    what = plural_message(
        "{count} step, with samples of full length: {why}",
        "{count} steps, each with samples of full length: {why}",
        steps,
        why=filled,
    )
    if facts.exit_code is None and facts.state is None:
        return seen.consistent(
            "{what}; the log has no end, so what followed is not known.", what=what
        )
    return seen.consistent("{what}.", what=what)


def _filled(subject: ClaimSubject) -> str | None:
    """Why each sample of a fine-tuning is as long as allowed; None where it may be shorter.

    TRL's SFT fills rows of `max_length` where it packs (`pack_dataset` of data_utils.py). verl's
    trainer before its engines pads to it (`sft_dataset.py`, `multiturn_sft_dataset.py` of 0.1 to
    0.7), which `use_remove_padding` takes away again.
    """
    plan, config = subject.plan, subject.facts.config

    def on(key: str) -> bool:
        value = lookup(config, key)
        return not isinstance(value, Missing) and same(value, True) is True

    if plan.framework == "trl" and on("packing"):
        return message("packing fills them")
    cut = on("use_remove_padding") or on("model.use_remove_padding")
    if plan.framework == "verl" and "fsdp_sft" in plan.launch.entry and config and not cut:
        return message("this trainer pads them to data.max_length")
    return None


def _no_lengths(subject: ClaimSubject, limit: int | None) -> str:
    """Why it is open how long the longest response was, a sentence."""
    if limit is None and subject.plan.infer.value is None:
        return message(
            "Training without rollouts logs no lengths: whether it saw its longest batch is open."
        )
    return message(
        "The run's history has no {key}: how long responses were is open.",
        key=RESPONSE_MAX[1 if subject.plan.framework == "trl" else 0],
    )


def ended_badly(facts: Facts) -> tuple[str, SourceName] | None:
    """How a run ended that did not just stop, and where that was read; None when it did."""
    if facts.exit_code is not None and facts.exit_code not in _ENDED_BY_HAND:
        reason = message(
            "The run ended with exit code {code}; its log does not say why.", code=facts.exit_code
        )
        return reason, SourceName.EXIT_RECORD
    # "failed" is an exit code that is not 0, whatever the framework made of it.
    if facts.kind not in WANDB and facts.state in _FAILED:
        reason = message(
            "{tracker} calls the run {state}, and does not say why.",
            tracker=tracker_name(facts),
            state=facts.state,
        )
        return reason, SourceName.RUN_STATE
    if facts.state == "failed" or (facts.state in _FAILED and _state_counts(facts)):
        reason = message(
            "W&B calls the run {state}; its console does not say why.", state=facts.state
        )
        return reason, SourceName.RUN_STATE
    return None


def _state_counts(facts: Facts) -> bool:
    """Whether the run's state is evidence: of verl since 0.9.0, of other frameworks always."""
    installed = facts.requirements.get("verl")
    return installed is None or release_key(installed[:50])[0] >= _STATE_COUNTS_SINCE


def _response_limit(subject: ClaimSubject) -> int | None:
    field = subject.plan.max_response_length
    if field.value is not None:
        return field.value
    seen = subject.observe(ClaimName.RESPONSE_LENGTH, field.key)
    return whole(seen.value) if seen is not None else None
