"""The whole way, on one screen: a script, and perhaps its run and its page, to a report."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bot import __version__
from bot.config import Config, RuleLevel
from bot.errors import UserError
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunLink
from bot.frameworks import ConfigTree, plans
from bot.frameworks.plan import Plan
from bot.header import TAGS, Header, read_header
from bot.language import Language, say, sentence_of
from bot.naming import ScriptName, model_size, read_name
from bot.report import (
    Change,
    Estimate,
    Evidence,
    Finding,
    PageEdit,
    PageReport,
    Report,
    Row,
    ScriptReport,
    Tool,
    Unchecked,
    Verdict,
)
from bot.rules.base import Case
from bot.rules.registry import check_case, find, wanted
from bot.rules.registry import run as run_rules
from bot.shell import Files, read
from bot.summary import launch_report, name_report, plan_report
from bot.suppress import suppress
from bot.translation import in_language, unchecked_in_language

if TYPE_CHECKING:
    from bot.evidence.context import Context
    from bot.shell.words import Reading
    from bot.table.edit import PageChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script to check: bytes with a path, wherever they come from."""

    path: str
    """As reports show it, with forward slashes."""
    data: bytes
    full_path: str | None = None
    """The path that the name is read from, when `path` lacks the folder."""
    tree_path: str | None = None
    """The path of the script in the tree of `Options.files`."""
    link: str | None = None
    """Address of the script for the row: a permalink where the commit is known."""
    contributor: str | None = None
    asked: str | None = None
    """Which run is meant is not clear: the sentence that asks for it; no run is read then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """The documentation page."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a door was asked for."""

    config: Config = field(default_factory=Config)
    versions: Mapping[str, str] = field(default_factory=dict)
    """Framework to release, asked for explicitly; before the script's own comment."""
    trees: Mapping[str, ConfigTree] = field(default_factory=dict)
    """Framework to a configuration that stands in the place of every release."""
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    tag: str | None = None
    contributor: str | None = None
    link: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the script's caller is taken to set, for `resolve_script`."""
    clean_environment: bool = False
    """True when the caller sets no others."""
    script_arguments: Sequence[str] | None = None
    """The script's own arguments; None when nobody has named them."""
    files: Files | None = None
    """The tree that scripts are called from: models' `config.json`, and for a script that stands in
    it what it sources and runs."""
    linked: Callable[[RunLink], Facts] | None = None
    """Reads a run that is linked; None where nothing may be fetched."""
    origins: Sequence[str] = ()
    """Origins of run pages on the caller's own W&B server, beside the configured hosts."""
    runs_in_use: Mapping[str, tuple[str, ...]] | None = None
    """Run, as `entity/project/id`, to what rests on it besides the script; None when unknown."""
    evidence: Literal["off", "optional", "required"] = "off"
    """off: the script alone · optional: the row too, with the run when there is one · required:
    without a run the result is inconclusive."""


def check_script(
    script: Script,
    options: Options,
    *,
    run: Path | RunLink | None = None,
    page: PageText | None = None,
    seen: Callable[[Facts], None] = lambda _: None,
) -> ScriptReport:
    """Check one script; `run` is a run folder or file, or a link; `page` gets the row.

    `seen` is handed what was read of the run, if one was.

    Without `run`, the run that the script's comments link to is read, where it may be fetched.

    Raises UserError when an option names an unknown rule or release. Nothing in the script, the
    run or the page raises: what is wrong with them is part of the report.
    """
    reading = read(
        script.data, script.path, files=_files(script, options), script_path=script.tree_path
    )
    name = read_name(script.full_path or script.path, options.config.name_profiles())
    header = read_header(reading.comments)
    asked = {**options.config.framework, **options.versions}
    found = plans(
        reading,
        versions=asked,
        header_versions={name: stated.text for name, stated in header.versions.items()},
        trees=options.trees,
    )
    levels = _rule_levels(options.config)
    off = [rule for rule, level in levels.items() if level == "off"]
    case = Case(
        path=script.path,
        source=reading.source,
        reading=reading,
        name=name,
        plans=found,
        files=options.files,
    )
    rules = wanted(options.select, [*options.ignore, *off])
    findings, unchecked = run_rules(rules, case)
    findings, suppressed = suppress(case, _with_levels(findings, levels), rules, unchecked)

    evidence: Evidence | None = None
    facts: Facts | None = None
    plan = found[0] if found else None
    linked = options.linked is not None and bool(header.links)
    around = partial(_context, script, reading, header, options)
    if run is not None or options.evidence == "required" or (options.evidence != "off" and linked):
        if run is None and script.asked:
            missing: tuple[Unchecked, ...] = (Unchecked(check="evidence", reason=script.asked),)
        else:
            evidence, facts, plan, missing = _evidence(found, name, header, run, options, around)
        if facts is not None:
            seen(facts)
            findings = _overruled(findings, evidence, facts)
        unchecked = (*unchecked, *missing)

    row: Row | None = None
    edit: PageEdit | None = None
    if plan is not None and options.evidence != "off":
        row = _row(script, plan, name, facts, header, options)
        # A row that nothing backs is not offered, least of all in the place of a published one.
        backed = facts is not None and _verdict(findings, unchecked, evidence) != "fail"
        if page is not None and (backed or options.evidence == "optional"):
            try:
                edit = row_edit(page, row, _size(plan, name)).edit
            except UserError as error:
                unchecked = (*unchecked, Unchecked(check="page", reason=sentence_of(error)))

    estimate: Estimate | None = None
    if plan is not None and options.evidence != "off":
        from bot.budgets import budget

        estimate = budget(plan, name, facts=facts, files=options.files)

    report = ScriptReport(
        path=script.path,
        sha256=hashlib.sha256(script.data).hexdigest(),
        verdict=_verdict(findings, unchecked, evidence),
        name=name_report(name),
        launches=tuple(launch_report(p, reading.source) for p in found),
        plan=plan_report(plan) if plan else None,
        findings=findings,
        suppressed=suppressed,
        unchecked=unchecked,
        evidence=evidence,
        row=row,
        page_edit=edit,
        estimate=estimate if estimate is not None and estimate.stages else None,
    )
    return in_language(report, options.config.language)


def resolve_script(script: Script, options: Options) -> ScriptReport:
    """What one script would launch, each setting with its place; no rule is applied.

    Raises UserError when an option names an unknown release.
    """
    reading = read(
        script.data,
        script.path,
        environment={} if options.clean_environment else None,
        assumed=options.environment,
        arguments=options.script_arguments,
        files=_files(script, options),
        script_path=script.tree_path,
    )
    name = read_name(script.full_path or script.path, options.config.name_profiles())
    found = plans(
        reading,
        versions={**options.config.framework, **options.versions},
        header_versions={
            framework: stated.text
            for framework, stated in read_header(reading.comments).versions.items()
        },
        trees=options.trees,
    )
    case = Case(path=script.path, source=reading.source, reading=reading, name=name, plans=found)
    findings, unchecked = check_case(case, select=["syntax"])
    report = ScriptReport(
        path=script.path,
        sha256=hashlib.sha256(script.data).hexdigest(),
        verdict=_verdict(findings, unchecked, None),
        launches=tuple(launch_report(p, reading.source, origins=True) for p in found),
        plan=plan_report(found[0]) if found else None,
        findings=findings,
        unchecked=unchecked,
    )
    return in_language(report, options.config.language)


def _files(script: Script, options: Options) -> Files | None:
    """The tree, for a script that stands in it."""
    return options.files if script.tree_path is not None else None


def row_edit(page: PageText, row: Row, size: str) -> PageChange:
    """The page with the row in the section of `size`; raises UserError when it can't be placed."""
    from bot.table import add_row, read_page

    return add_row(read_page(page.text, page.path), row, size=size)


def make_report(
    scripts: Iterable[ScriptReport],
    *,
    unchecked: Sequence[Unchecked] = (),
    change: Change | None = None,
    pages: Iterable[PageReport] = (),
    language: Language = "en",
) -> Report:
    """Put the scripts' and pages' reports, which speak `language`, together.

    The worst verdict is the report's.
    """
    checked, compared = tuple(scripts), tuple(pages)
    verdicts = {script.verdict for script in checked} | {page.verdict for page in compared}
    verdicts |= {"inconclusive"} if unchecked else set()
    verdict: Verdict = "pass"
    if "fail" in verdicts:
        verdict = "fail"
    elif "inconclusive" in verdicts:
        verdict = "inconclusive"
    return Report(
        schema="report-v1",
        tool=Tool(name="rlbot", version=__version__),
        verdict=verdict,
        scripts=checked,
        pages=compared,
        unchecked=unchecked_in_language(tuple(unchecked), language),
        change=change,
        language=language,
    )


def _evidence(
    found: Sequence[Plan],
    name: ScriptName,
    header: Header,
    run: Path | RunLink | None,
    options: Options,
    around: Callable[[Plan], Context],
) -> tuple[Evidence | None, Facts | None, Plan | None, tuple[Unchecked, ...]]:
    """Read the run and compare it with every launch; the launch that fits it best counts."""
    plan = found[0] if found else None
    try:
        from bot.evidence.links import parse_link

        links = [
            parse_link(stated.text, hosts=options.config.wandb_hosts, origins=options.origins)
            for stated in header.links
        ]
    except EvidenceError as error:
        return None, None, plan, (Unchecked(check="evidence", reason=sentence_of(error)),)
    if run is None and links and options.linked is not None:
        run = links[0]
    if run is None:
        reason = say(
            "No run is linked. Add a comment `# wandb: LINK` to the script, or pass the run's "
            "folder with --run."
        )
        if links:
            reason = say(
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
            why = say("{url} was not read. {why}", url=run.url, why=why)
        return None, None, plan, (Unchecked(check="evidence", reason=why),)
    if not found:
        reason = say(
            "The script starts no known framework, so there is nothing to compare the run with."
        )
        return None, facts, None, (Unchecked(check="evidence", reason=reason),)
    link = links[0] if links else run if isinstance(run, RunLink) else None
    from bot.budgets import budget, expected

    compared = []
    for plan in found:
        predicted = expected(budget(plan, name, facts=facts, files=options.files))
        context = replace(around(plan), estimate=predicted)
        compared.append((compare(plan, name, facts, link=link, context=context), plan))
    best, plan = min(
        compared, key=lambda pair: sum(c.verdict == "inconsistent" for c in pair[0].claims)
    )
    # What was lost of the run holds the verdict open: it is said beside what could not be checked.
    return best, facts, plan, tuple(Unchecked(check="evidence", reason=gap) for gap in facts.gaps)


def _overruled(
    findings: tuple[Finding, ...], evidence: Evidence | None, facts: Facts
) -> tuple[Finding, ...]:
    from bot.budgets import overruled

    return overruled(findings, evidence, facts)


def _contributor(script: Script, header: Header, options: Options) -> str | None:
    stated = header.contributor.text if header.contributor else None
    return options.contributor or stated or script.contributor


def _tag(header: Header, options: Options) -> str | None:
    """The tag that somebody states: the caller, else the script's comment."""
    stated = header.tag.text if header.tag and header.tag.text in TAGS else None
    return options.tag or stated


def _context(
    script: Script, reading: Reading, header: Header, options: Options, plan: Plan
) -> Context:
    """What is known around the launch and its run."""
    from bot.evidence.context import Context
    from bot.table.tag import deserved_tag
    from bot.trials import tried_batches

    return Context(
        contributor=_contributor(script, header, options),
        trials=tried_batches(reading, plan),
        used_by=options.runs_in_use,
        min_steps=options.config.min_steps,
        tag=_tag(header, options) or deserved_tag(plan).tag,
    )


def _row(
    script: Script,
    plan: Plan,
    name: ScriptName,
    facts: Facts | None,
    header: Header,
    options: Options,
) -> Row:
    from bot.table import make_row

    return make_row(
        plan,
        name,
        facts=facts,
        link=options.link or script.link or script.path,
        contributor=_contributor(script, header, options),
        tag=_tag(header, options),
    )


def _size(plan: Plan, name: ScriptName) -> str:
    """The model's size, such as 7b, which names the section of the page."""
    size = (plan.model.value and model_size(plan.model.value)) or model_size(name.model or "")
    if size is None:
        raise UserError(
            say(
                "The section of the page could not be chosen: neither the model's path nor the "
                "script's name states a size such as 7B."
            )
        )
    return size


def _rule_levels(config: Config) -> dict[str, RuleLevel]:
    """Id of a rule to what the configuration makes of it; raises UserError for no rule's name.

    Checks of the page have names of their own, which are of no concern to a script.
    """
    levels: dict[str, RuleLevel] = {}
    for name, level in config.rules.items():
        try:
            levels[find(name).meta.id] = level
        except UserError as error:
            from bot.table.checks.registry import find as page_check

            if page_check(name) is None:
                raise UserError(f"The configuration's rules: {error}") from None
    return levels


def _with_levels(
    findings: tuple[Finding, ...], levels: Mapping[str, RuleLevel]
) -> tuple[Finding, ...]:
    """The findings with the severities that the configuration gives their rules."""
    changed = []
    for finding in findings:
        level = levels.get(finding.id, "off")
        changed.append(finding if level == "off" else replace(finding, severity=level))
    return tuple(changed)


def _verdict(
    findings: Iterable[Finding], unchecked: Sequence[Unchecked], evidence: Evidence | None
) -> Verdict:
    if any(f.severity == "error" for f in findings):
        return "fail"
    if evidence is not None and evidence.verdict == "inconsistent":
        return "fail"
    if unchecked or (evidence is not None and evidence.verdict == "inconclusive"):
        return "inconclusive"
    return "pass"
