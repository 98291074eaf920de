"""A script's memory estimate: which launch, on which device, with which lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.device_words import is_maker, vendor_of
from bot.base.devices import Device, Vendor, by_report, by_token
from bot.base.digest import hex_digest
from bot.base.errors import UncheckedError, UserError
from bot.base.messages import Message, message, plural_message, sentence_of
from bot.base.regex import regex
from bot.check.read import read_script, why_no_launch
from bot.check.request import CheckOptions, ScriptFile
from bot.evidence import read as read_run
from bot.evidence.facts import EvidenceError, Facts
from bot.frameworks.plan import Plan
from bot.memory.from_plan import UnknownModelError
from bot.memory.readers.lengths import Measured
from bot.memory.readers.settings import MemorySettings, NoEstimateError
from bot.memory.readers.verl.turns import limits
from bot.memory.shapes.models import find, not_known
from bot.report import Estimate, EstimateCard, Evidence, Finding, ScriptReport, Verdict
from bot.report.claims import ClaimName
from bot.rules._support.base import RuleContext
from bot.rules._support.continuation import is_cut
from bot.rules._support.groups import group_of
from bot.script.choice import counted_launch

if TYPE_CHECKING:
    from bot.check.hub import HubConfigs
    from bot.evidence.subject import ExpectedPeak

_LESS = "memory-not-minimal"
"""The rule of the memory that says that less would do; the others say what a run would do."""
_SOME_MODEL = "Qwen/Qwen2.5-0.5B"
_CARDS: Mapping[Vendor, Sequence[str]] = {
    Vendor.NVIDIA: ("rtx4090", "l40s", "a100-40", "a100", "h100", "h20", "h200", "b200"),
    Vendor.ASCEND: ("910b4", "910b"),
    Vendor.AMD: ("mi300x", "mi355x"),
}
"""Of each size the commonest card, for a launch of which nothing says where it runs."""
_NO_TRAINER = regex(r"(?:^|[./])main_(?:gen|eval|\w{0,40}validation)\w*(?:\.py)?\Z")
"""Programs like verl's that generate or score with the settings of its trainers."""


def estimate_launch(
    context: RuleContext,
    plan: Plan,
    *,
    device: Device | str | None = None,
    gpus: int | None = None,
    facts: Facts | Measured | None = None,
) -> Estimate:
    """The estimate of a launch; where there is none, one that says why.

    `facts` are a run's, or mean lengths alone. The device is the one given, else the run's, else
    the one that the script states.
    """
    from bot.memory.report import no_estimate, report_estimate

    if is_cut(context, plan):
        return no_estimate(
            message("The launch ends before the settings that follow it: rlbot lint shows where.")
        )
    if _NO_TRAINER.search(plan.launch.entry):
        return no_estimate(message("{entry} trains nothing.", entry=plan.launch.entry))
    of_run = facts if isinstance(facts, Facts) else None
    card = device or (_device(of_run) if of_run else None) or context.choice.device
    try:
        run = measured(facts) if isinstance(facts, Facts) else facts
        found = report_estimate(context.estimate(plan, card, gpus=gpus, run=run))
    except UnknownModelError as error:
        return no_estimate(sentence_of(error), unknown_model=error.path)
    except NoEstimateError as error:
        return no_estimate(sentence_of(error))
    taken = (*_of_launch(plan), *_cut_lengths(plan, run), *found.assumptions)
    return replace(found, assumptions=taken)


def _of_launch(plan: Plan) -> Iterator[str]:
    """What is taken for granted of the launch itself: what is not its own, GPUs named nowhere."""
    given = [f"{one.key}={one.text}" for one in plan.settings if one.given]
    if given:
        yield message("{settings} in the place of the script's own", settings=", ".join(given))
    if plan.gpus_per_node.default and plan.gpus_per_node.key is not None:
        yield message(
            "{key}={count}, the default",
            key=plan.gpus_per_node.key,
            count=plan.gpus_per_node.value,
        )


def _cut_lengths(plan: Plan, run: Measured | None) -> Iterator[str]:
    """What is taken for mean lengths above the longest that the launch allows."""
    if run is None:
        return
    prompt, response = plan.max_prompt_length.value, plan.max_response_length.value
    if plan.framework == "verl" and prompt and response:
        prompt, response = limits(MemorySettings(plan))
    for what, most, mean in (
        (message("prompts"), prompt, run.prompt_mean),
        (message("responses"), response, run.response_mean),
    ):
        if most and mean and mean > most:
            yield message(
                "{what} of {most} tokens, the longest allowed, for a mean of {mean}",
                what=what,
                most=f"{most:,}",
                mean=f"{mean:,.0f}",
            )


def measured(facts: Facts) -> Measured | None:
    """The lengths that a run logged, at their highest; None when it logged no mean response."""
    from bot.evidence.metrics import (
        PROMPT_MAX,
        PROMPT_MEAN,
        RESPONSE_MAX,
        RESPONSE_MEAN,
        highest,
    )

    response, prompt = highest(facts.history, RESPONSE_MEAN), highest(facts.history, PROMPT_MEAN)
    if response is None or response.maximum <= 0:
        return None
    longest = [highest(facts.history, names) for names in (PROMPT_MAX, RESPONSE_MAX)]
    return Measured(
        prompt_mean=prompt.maximum if prompt is not None and prompt.maximum > 0 else None,
        response_mean=response.maximum,
        longest=sum(one.maximum for one in longest if one) if all(longest) else None,
    )


def expected_peak(estimate: Estimate) -> ExpectedPeak | None:
    """What a card shows at its peak, for comparing a run with; None without a prediction."""
    from bot.evidence.subject import ExpectedPeak

    if not estimate.stages:
        return None
    return ExpectedPeak(
        floor_gib=max(stage.floor_gib for stage in estimate.stages),
        expected_gib=max(stage.card_gib or stage.expected_gib for stage in estimate.stages),
        conservative_gib=max(
            stage.card_conservative_gib or stage.conservative_gib for stage in estimate.stages
        ),
    )


def overruled(
    findings: tuple[Finding, ...], evidence: Evidence | None, facts: Facts | None
) -> tuple[Finding, ...]:
    """The findings without the predictions that a run has proved wrong.

    A run of this script that completed steps without an out-of-memory error is stronger than any
    estimate; the claim "peak against the estimate" says how far the two are apart. Where it leaves
    that open, the model is wrong about this script, and what it says of half the GPUs goes too.
    """
    if evidence is None or facts is None or facts.out_of_memory is not None:
        return findings
    if evidence.verdict == "inconsistent" or not evidence.steps:
        return findings

    apart = any(
        c.claim == ClaimName.AGAINST_ESTIMATE and c.verdict != "consistent" for c in evidence.claims
    )
    kept = None if apart else _LESS
    return tuple(one for one in findings if one.slug == kept or group_of(one.id) != "memory")


def _without_a_card(
    context: RuleContext,
    options: CheckOptions,
    gpus: int | None,
    facts: Facts | Measured | None,
    host_gib: float | None,
) -> Estimate | None:
    """No prediction, with the verdict on common cards; None where the card is known.

    Where more than the card is missing, that is the reason: to name a card would not do.
    """
    from bot.memory.report import with_host

    said = options.device or context.choice.device
    if isinstance(facts, Facts) or (said is not None and not is_maker(said)):
        return None
    plans, cards = context.choice.plans, list[EstimateCard]()
    asked = [setting.text for plan in plans if (setting := plan.last("trainer.device"))]
    vendor = vendor_of(said or next(iter(asked), "")) or Vendor.NVIDIA
    for token in _CARDS.get(vendor, ()) if plans else ():
        on = partial(estimate_launch, context, device=token, gpus=gpus, facts=facts)
        made = most([with_host(on(plan), plan, host_gib) for plan in plans])
        card = by_token(token)[0]
        cards.append(
            EstimateCard(
                device=token.upper(),
                outcome=made.outcome,
                usable_gib=card.usable_gib,
                peak_gib=made.peak_gib,
                host_gib=made.host_gib,
                host_memory_gib=made.host_memory_gib,
                host_outcome=made.host_outcome,
            )
        )
    if not cards:
        return None
    if all(card.outcome == "no prediction" for card in cards):
        return _with_advice(made, context, replace(options, device=token), gpus)
    alone = estimate_launch(context, plans[0], gpus=gpus, facts=facts)
    return replace(alone, cards=tuple(cards))


def estimate_script(
    script: ScriptFile,
    options: CheckOptions,
    *,
    gpus: int | None = None,
    run: Path | Measured | None = None,
    host_gib: float | None = None,
) -> ScriptReport:
    """A script's report with nothing but the estimate of the launch that takes the most.

    `run` is a W&B run's folder, or the mean lengths that one would have. Raises UserError when an
    option names an unknown release or model, UncheckedError when the run cannot be read.
    """
    from bot.check.refusals import refusals
    from bot.memory.report import no_estimate, with_host
    from bot.rules._support.lengths import by_lengths

    if options.model is not None and find(options.model) is None:
        raise UserError("--model: {why}", why=not_known(options.model))
    context = read_script(script, options)
    said = context.header.mentioned if context.choice.device is None else None
    if options.device is None and said is not None:
        options = replace(options, device=said)
    facts = _read(run) if isinstance(run, Path) else run
    estimates = [
        with_host(
            estimate_launch(context, plan, device=options.device, gpus=gpus, facts=facts),
            plan,
            host_gib,
        )
        for plan in context.choice.plans
    ]
    counts = counted_launch(context.plans, context.choice)
    if estimates:
        best = most(estimates)
        plan = context.choice.plans[estimates.index(best)]
        estimate = _without_a_card(context, options, gpus, facts, host_gib) or _with_left_out(
            _with_advice(best, context, options, gpus), estimates
        )
        if estimate.stages and facts is None and estimate.outcome != "impossible":
            card = options.device or context.choice.device
            estimate = replace(estimate, by_lengths=by_lengths(context, plan, card, gpus))
        if estimate.stages and options.device == said is not None:
            noted = message("{device}, which a comment of the script counts", device=said)
            estimate = replace(estimate, assumptions=(noted, *estimate.assumptions))
        if estimate.stages and context.choice.open():
            reason = message("it takes the most memory of those that are possible")
            counts = counted_launch(context.plans, context.choice, plan, reason)
        stopped = refusals(context, plan, options, gpus)
        estimate = replace(estimate, refusals=tuple(stopped))
    else:
        why = why_no_launch(context)
        estimate = no_estimate(message("There is no launch to estimate: {why}.", why=why))
    verdict: Verdict = "inconclusive" if estimate.outcome == "no prediction" else "pass"
    return ScriptReport(
        path=script.path,
        sha256=hex_digest(script.data),
        verdict="fail" if "impossible" in (estimate.outcome, estimate.host_outcome) else verdict,
        counts=counts,
        estimate=estimate,
    )


def _read(run: Path) -> Facts:
    try:
        return read_run(run)
    except EvidenceError as error:
        raise UncheckedError(sentence_of(error)) from None


def _with_left_out(estimate: Estimate, estimates: Iterable[Estimate]) -> Estimate:
    """The estimate, with the launches beside it for which there is none."""
    without = [one.reason for one in estimates if not one.stages and one.reason]
    if not estimate.stages or not without:
        return estimate
    left_out = plural_message(
        "{count} launch without an estimate: {why}",
        "{count} launches without an estimate: {why}",
        len(without),
        why=without[0].rstrip("."),
    )
    return replace(estimate, assumptions=(*estimate.assumptions, left_out))


def _with_advice(
    estimate: Estimate, context: RuleContext, options: CheckOptions, gpus: int | None
) -> Estimate:
    """The estimate; where there is none, its reason says which option would help."""
    why = estimate.reason
    if why is None:
        return estimate
    if gpus is None and _lacks_gpus(context, options):
        why = message("{why} Give their number with --gpus 8.", why=why)
        estimate = replace(estimate, reason=why, unknown_model=None)
    if estimate.unknown_model is not None:
        why = _of_model(why, estimate.unknown_model, options.hub)
    elif _lacks_model(context, options, gpus):
        why = message(
            "{why} With --model NAME, a model on Hugging Face of its shape, there is a figure.",
            why=why,
        )
    return replace(estimate, reason=why)


def _of_model(why: str, path: str, hub: HubConfigs | None) -> Message:
    """What to do about a model whose shape is not known."""
    problem = hub.problems.get(f"{path}/config.json") if hub is not None else None
    if problem is not None:
        why = message("{why} {problem}", why=why, problem=problem)
    if path.startswith(("/", "~", "$")):
        return message("{why} Give --model NAME, a model on Hugging Face of its shape.", why=why)
    return message(
        "{why} Give --model NAME, a model on Hugging Face of its shape. Its config.json says it "
        "too: with that at {path}/config.json, give --root FOLDER, the folder that the path begins "
        "in.",
        why=why,
        path=path.rstrip("/"),
    )


def _lacks_model(context: RuleContext, options: CheckOptions, gpus: int | None) -> bool:
    """Whether the model is all that an estimate lacks."""
    with_one = replace(context, model=_SOME_MODEL)
    return context.model is None and any(
        estimate_launch(with_one, plan, device=options.device, gpus=gpus).stages
        for plan in context.choice.plans
    )


def _lacks_gpus(context: RuleContext, options: CheckOptions) -> bool:
    """Whether the number of GPUs is all that an estimate lacks."""
    return any(
        estimate_launch(context, plan, device=options.device, gpus=8).stages
        for plan in context.choice.plans
        if plan.gpus.value is None and context.name.gpus is None
    )


def most(estimates: Sequence[Estimate]) -> Estimate:
    """The estimate with the highest peak; one without a prediction comes last."""
    return max(estimates, key=lambda one: one.peak_gib if one.peak_gib is not None else -1.0)


def _device(facts: Facts) -> Device | None:
    kinds = {(gpu.name, gpu.memory_bytes) for gpu in facts.gpus}
    return by_report(*next(iter(kinds))) if len(kinds) == 1 else None
