"""The run that backs a script: read, and compared with each of its launches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, enumeration, mark, message, sentence_of
from bot.check.estimate import estimate_launch, expected_peak
from bot.check.read import why_no_launch
from bot.check.request import CheckOptions, ScriptFile
from bot.evidence import read as read_run
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunGiven, RunLink, RunSources, parse_link
from bot.frameworks.plan import Plan
from bot.report import Estimate, Evidence, Unchecked
from bot.rules._support.base import RuleContext
from bot.rules._support.code import pointer
from bot.script.header import TAGS, Header

if TYPE_CHECKING:
    from bot.evidence.subject import ClaimContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """A script's launch and the run that backs it."""

    plan: Plan | None
    """The launch that the run fits best; without a run the first."""
    facts: Facts | None = None
    evidence: Evidence | None = None
    estimate: Estimate | None = None
    """The memory estimate of `plan` with the lengths of the run."""
    unread: bool = False
    """Whether a run is named that was not read."""
    unchecked: tuple[Unchecked, ...] = ()


def back(
    script: ScriptFile, context: RuleContext, run: RunGiven | None, options: CheckOptions
) -> Backing:
    """Read the run and compare it with every launch that the device allows; the best fit counts."""
    plan = context.choice.plans[0] if context.plans else None
    try:
        links = [parse_link(stated.text, options.hosts) for stated in context.header.links]
    except EvidenceError as error:
        if run is None:
            return _unbacked(plan, sentence_of(error), unread=True)
        links = []  # the caller's run stands; a rule is about the comment
    if run is None and links and options.linked is not None:
        run = links[0]
    if run is None:
        # One reason is said once, of all that it keeps from being checked.
        return _unbacked(plan, pointer(context) or _no_run(links, plan), unread=bool(links))
    try:
        facts = read_run(run, linked=options.linked)
    except EvidenceError as error:
        why = sentence_of(error)
        if isinstance(run, RunLink):
            why = message("{url} was not read. {why}", url=run.url, why=why)
        return _unbacked(plan, why, unread=True)
    if plan is None:
        why = why_no_launch(context)
        reason = message("There is no launch to compare the run with: {why}.", why=why)
        return replace(_unbacked(None, reason), facts=facts)
    from bot.evidence.claims.compare import compare

    link = links[0] if links else link_of(run)
    compared = []
    for plan in context.choice.plans:
        estimate = estimate_launch(context, plan, facts=facts)
        around = _around(script, context, plan, options)
        around = replace(around, estimate=expected_peak(estimate))
        evidence = compare(plan, context.name, facts, link=link, context=around)
        compared.append(Backing(plan=plan, facts=facts, evidence=evidence, estimate=estimate))
    best = min(compared, key=_contradicted)
    # What was lost of the run holds the verdict open: it is said beside what could not be checked.
    gaps = tuple(Unchecked(check="evidence", reason=gap) for gap in facts.gaps)
    return replace(best, unchecked=gaps)


def link_of(run: RunGiven) -> RunLink | None:
    """The link among what names a run."""
    if isinstance(run, RunSources):
        return run.link
    return run if isinstance(run, RunLink) else None


def _unbacked(plan: Plan | None, reason: str, *, unread: bool = False) -> Backing:
    unchecked = (Unchecked(check="evidence", reason=reason),)
    return Backing(plan=plan, unchecked=unchecked, unread=unread)


_LINKED: Final = ("wandb", "mlflow", "swanlab", "trackio")
"""Loggers whose runs have a page that is read."""
_LOCAL: Final = {
    "tensorboard": ("TensorBoard", "tensorboard_log/PROJECT/EXPERIMENT"),
    "file": (mark("a file"), "PROJECT/EXPERIMENT.jsonl"),
    "console": (mark("the console"), "train.log"),
}
"""Logger to what it is called and the files that it leaves, those that show most first."""


def _no_run(links: Sequence[RunLink], plan: Plan | None) -> Message:
    if links:
        return message(
            "The script links to {url}, and nothing is to be fetched. Leave --offline out, or "
            "pass the run's folder with --run.",
            url=links[0].url,
        )
    loggers = (plan.loggers.value if plan is not None else None) or ()
    linked = next((name for name in _LINKED if name in loggers), "wandb")
    local = [_LOCAL[name] for name in _LOCAL if name in loggers]
    if linked in loggers or not local:
        return message(
            "No run is linked. Add a comment `# {service}: LINK` to the script.", service=linked
        )
    return message(
        "No run is linked. The script logs to {places} alone, whose files stay where it ran: "
        "`rlbot verify SCRIPT --run {files}` compares them there. For a run that others can see, "
        "log to W&B as well and add a comment `# wandb: LINK` to the script.",
        places=enumeration(message(name) for name, _ in local),
        files=local[0][1],
    )


def _contradicted(backing: Backing) -> int:
    """How many claims of a launch the run contradicts."""
    claims = backing.evidence.claims if backing.evidence else ()
    return sum(claim.verdict == "inconsistent" for claim in claims)


def _around(
    script: ScriptFile, context: RuleContext, plan: Plan, options: CheckOptions
) -> ClaimContext:
    """What is known around the launch and its run."""
    from bot.evidence.subject import ClaimContext
    from bot.script.trial_log import tried_batches
    from bot.table.tag import deserved_tag

    return ClaimContext(
        contributor=contributor(script, context.header, options),
        trials=tried_batches(context.reading, plan),
        used_by=options.runs_in_use,
        min_steps=options.config.min_steps,
        device=context.choice.card,
        tag=stated_tag(context.header, options) or deserved_tag(plan).tag,
    )


def contributor(script: ScriptFile, header: Header, options: CheckOptions) -> str | None:
    """Who contributes the script: the caller's word, the script's comment, the change's author."""
    stated = header.contributor.text if header.contributor else None
    return options.contributor or stated or script.contributor


def credited(script: ScriptFile, header: Header, options: CheckOptions, named: str) -> str | None:
    """Who the row names: the caller's word, the script's comment, who stands in the page (`named`).

    Else the change's author where that is a login: what git calls a person is no name on GitHub,
    and nobody asked to have an address published.
    """
    stated = header.contributor.text if header.contributor else None
    login = script.contributor if "<" not in (script.contributor or "") else None
    return options.contributor or stated or named or login


def stated_tag(header: Header, options: CheckOptions) -> str | None:
    """The tag that somebody states: the caller, else the script's comment."""
    stated = header.tag.text if header.tag and header.tag.text in TAGS else None
    return options.tag or stated
