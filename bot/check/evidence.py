"""The run that backs a script: read, and compared with each of its launches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.messages import message, sentence_of
from bot.check.read import ReadScript
from bot.check.request import CheckOptions, ScriptFile
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunLink
from bot.frameworks.plan import Plan
from bot.report import Evidence, Unchecked
from bot.script.header import TAGS, Header

if TYPE_CHECKING:
    from bot.evidence.context import ClaimContext


def back(
    script: ScriptFile, known: ReadScript, run: Path | RunLink | None, options: CheckOptions
) -> tuple[Evidence | None, Facts | None, Plan | None, tuple[Unchecked, ...]]:
    """Read the run and compare it with every launch; the launch that fits it best counts."""
    found, header = known.plans, known.header
    plan = found[0] if found else None
    try:
        from bot.evidence.links import parse_link

        links = [parse_link(stated.text, options.hosts) for stated in header.links]
    except EvidenceError as error:
        return None, None, plan, (Unchecked(check="evidence", reason=sentence_of(error)),)
    if run is None and links and options.linked is not None:
        run = links[0]
    if run is None:
        reason = message(
            "No run is linked. Add a comment `# wandb: LINK` to the script, or pass the run's "
            "folder with --run."
        )
        if links:
            reason = message(
                "The script links to {url}, and nothing is to be fetched. Leave --offline out, or "
                "pass the run's folder with --run.",
                url=links[0].url,
            )
        return None, None, plan, (Unchecked(check="evidence", reason=reason),)
    from bot.evidence import read as read_run
    from bot.evidence.claims import compare

    try:
        facts = read_run(run, linked=options.linked)
    except EvidenceError as error:
        why = sentence_of(error)
        if isinstance(run, RunLink):
            why = message("{url} was not read. {why}", url=run.url, why=why)
        return None, None, plan, (Unchecked(check="evidence", reason=why),)
    if not found:
        reason = message(
            "The script starts no known framework, so there is nothing to compare the run with."
        )
        return None, facts, None, (Unchecked(check="evidence", reason=reason),)
    link = links[0] if links else run if isinstance(run, RunLink) else None
    from bot.check.estimate import budget, expected

    compared = []
    for plan in found:
        predicted = expected(budget(plan, known.name, facts=facts, files=options.files))
        context = replace(_around(script, known, plan, options), estimate=predicted)
        compared.append((compare(plan, known.name, facts, link=link, context=context), plan))
    best, plan = min(
        compared, key=lambda pair: sum(c.verdict == "inconsistent" for c in pair[0].claims)
    )
    # What was lost of the run holds the verdict open: it is said beside what could not be checked.
    return best, facts, plan, tuple(Unchecked(check="evidence", reason=gap) for gap in facts.gaps)


def _around(
    script: ScriptFile, known: ReadScript, plan: Plan, options: CheckOptions
) -> ClaimContext:
    """What is known around the launch and its run."""
    from bot.evidence.context import ClaimContext
    from bot.script.trial_log import tried_batches
    from bot.table.tag import deserved_tag

    return ClaimContext(
        contributor=contributor(script, known.header, options),
        trials=tried_batches(known.reading, plan),
        used_by=options.runs_in_use,
        min_steps=options.config.min_steps,
        tag=stated_tag(known.header, options) or deserved_tag(plan).tag,
    )


def contributor(script: ScriptFile, header: Header, options: CheckOptions) -> str | None:
    """Who contributes the script: the caller's word, the script's comment, the change's author."""
    stated = header.contributor.text if header.contributor else None
    return options.contributor or stated or script.contributor


def stated_tag(header: Header, options: CheckOptions) -> str | None:
    """The tag that somebody states: the caller, else the script's comment."""
    stated = header.tag.text if header.tag and header.tag.text in TAGS else None
    return options.tag or stated
