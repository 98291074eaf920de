"""What one finished run shows about its batch: it ran, was out of memory, is open, or nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from bot.base.messages import message, plural_message
from bot.bisect.candidates import Candidates
from bot.bisect.report import Outcome
from bot.check.request import CheckOptions
from bot.evidence.claims.batch import BOOKKEEPING
from bot.evidence.claims.compare import compare
from bot.evidence.claims.peak import peak_seen
from bot.evidence.claims.progress import ended_badly, steps_completed
from bot.evidence.facts import Facts
from bot.evidence.subject import ClaimContext, keys_of
from bot.evidence.values import lookup, whole
from bot.frameworks.plan import Plan
from bot.report import Evidence
from bot.report.claims import ClaimName
from bot.script.name import ScriptName

Ended: TypeAlias = tuple[Literal["ran", "out of memory", "open", "nothing"], str]
"""What a run shows, and why."""


def unread(named: str, reason: str) -> Outcome:
    """A run that could not be read is no evidence."""
    return Outcome(
        run=named,
        value=None,
        batch=None,
        outcome="nothing",
        reason=reason,
        steps=None,
        peak_gib=None,
    )


def read_outcome(
    named: str, facts: Facts, candidates: Candidates, name: ScriptName, options: CheckOptions
) -> Outcome:
    """What a run shows; a run of other settings shows nothing for this script."""
    steps, peak = steps_completed(facts), peak_seen(facts)
    outcome = replace(
        unread(named, ""), steps=steps, peak_gib=None if peak is None else round(peak.gib, 3)
    )
    matching = _value(facts, candidates)
    if isinstance(matching, str):
        return replace(outcome, reason=matching)
    value, plan = matching
    least = options.config.min_steps
    evidence = compare(plan, name, facts, context=ClaimContext(min_steps=least))
    kind, reason = _differs(evidence, plan) or _ended(facts, evidence, steps, least)
    return replace(
        outcome, value=value, batch=plan.train_batch_size.value, outcome=kind, reason=reason
    )


def _ended(facts: Facts, evidence: Evidence, steps: int | None, least: int) -> Ended:
    """How a run with the script's settings ended: what `verify` calls open is no end of a bracket.

    A batch whose responses stayed short of what is allowed may still fail at full length.
    """
    claim = next(claim for claim in evidence.claims if claim.claim == ClaimName.STEPS)
    if facts.out_of_memory is not None:
        if claim.verdict != "inconsistent":
            return "open", claim.reason
        if steps is None:
            return "out of memory", message("the run reports an out-of-memory error")
        return "out of memory", plural_message(
            "the run reports an out-of-memory error after {count} step",
            "the run reports an out-of-memory error after {count} steps",
            steps,
        )
    if steps is None:
        return "nothing", message("the run logged no step")
    if (badly := ended_badly(facts)) is not None:
        return "nothing", badly[0]
    if steps < least:
        return "nothing", plural_message(
            "{count} step; {least} are needed",
            "{count} steps; {least} are needed",
            steps,
            least=least,
        )
    return "ran" if claim.verdict == "consistent" else "open", claim.reason


def _value(facts: Facts, candidates: Candidates) -> tuple[int, Plan] | str:
    """The value that the run was made with, and the launch of the script with it."""
    knob = candidates.knob
    base = candidates.plans(knob.value)[0]
    observed = _observed(facts, base, knob.parts[0].key)
    if observed is None:
        return message("the run's configuration does not say its batch")
    key, number = observed
    claimed = _value_of(base, key)
    if claimed and number * knob.value % claimed == 0:
        value = number * knob.value // claimed
        if knob.values(value) is not None:
            plan = candidates.plans(value)[0]
            if _value_of(plan, key) == number:
                return value, plan
    return message(
        "the run's {key} is {number}, which no value of {name} gives",
        key=key or knob.batch_key,
        number=number,
        name=knob.name,
    )


def _value_of(plan: Plan, key: str | None) -> int | None:
    """What a launch gives to a key, else its train batch."""
    setting = plan.last(key) if key is not None else None
    value = setting.value if setting is not None else plan.train_batch_size.value
    return value if isinstance(value, int) else None


def _observed(facts: Facts, plan: Plan, own: str | None) -> tuple[str, int] | None:
    """A batch size of the run's configuration: the one that is varied, else the train batch."""
    keys = (
        (own,)
        if own is not None
        else keys_of(plan, ClaimName.TRAIN_BATCH, plan.train_batch_size.key)
    )
    for fact in (ClaimName.TRAIN_BATCH, ClaimName.MICRO_BATCH, ClaimName.MINI_BATCH):
        if own in keys_of(plan, fact):
            keys = keys_of(plan, fact, own)
    for key in keys:
        seen = whole(lookup(facts.config, key))
        if seen is not None:
            return own or plan.train_batch_size.key or key, seen
    return None


def _differs(evidence: Evidence, plan: Plan) -> Ended | None:
    """How the run's settings are not the script's; None when they are."""
    compared = _ROW | {setting.key for setting in plan.settings}
    differences = [
        message(
            "{claim} is {run}, the script's {script}",
            claim=claim.claim,
            run=claim.observed,
            script=claim.claimed,
        )
        for claim in evidence.claims
        if claim.verdict == "inconsistent"
        and claim.claim in compared
        and not BOOKKEEPING.match(claim.claim)
    ]
    if not differences:
        return None
    shown = "; ".join(differences[:3])
    if len(differences) > 3:
        shown += message("; and {count} more", count=len(differences) - 3)
    return "nothing", message("it is no run of this script with that batch: {shown}", shown=shown)


_ROW = frozenset(
    (
        "model",
        "algorithm",
        "adapter",
        "gpus",
        "device",
        "train backend",
        "inference engine",
        "train batch",
        "mini batch",
        "micro batch per GPU",
        "rollout n",
        "prompt length",
        "response length",
    )
)
