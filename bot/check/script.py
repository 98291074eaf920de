"""Checks a script, with its run and its page where there are any: all steps, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot import __version__
from bot.base.digest import hex_digest
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language, message, sentence_of
from bot.check.cells import in_cells
from bot.check.estimate import estimate_launch, overruled
from bot.check.evidence import Backing, back, credited, stated_tag
from bot.check.lint import lint
from bot.check.read import bounded, read_script
from bot.check.request import CheckOptions, PageText, ScriptFile
from bot.check.translate import in_language
from bot.check.verdicts import verdict_of, worst
from bot.evidence.facts import Facts
from bot.evidence.links import RunGiven
from bot.frameworks.plan import Plan
from bot.report import (
    Change,
    CountedLaunch,
    PageEdit,
    PageReport,
    PlanReport,
    Report,
    Row,
    ScriptReport,
    Tool,
    Unchecked,
    Verdict,
)
from bot.rules._support.base import RuleContext
from bot.rules._support.continuation import is_cut
from bot.rules._support.registry import check_context
from bot.script.choice import counted_launch, which_launch
from bot.script.name import ScriptName, model_size
from bot.script.named_recipes import unread_recipes
from bot.script.plan import configurations, launch_reports, name_report, plan_report

if TYPE_CHECKING:
    from bot.table.edit import PageChange


@dataclass(frozen=True, slots=True)
class CheckedScript:
    """The report on a script, and what was read of its run."""

    report: ScriptReport
    facts: Facts | None = None


def check_script(
    script: ScriptFile,
    options: CheckOptions,
    *,
    run: RunGiven | None = None,
    page: PageText | None = None,
) -> ScriptReport:
    """Check one script; `run` is a run folder or file, or a link; `page` gets the row.

    Without `run`, the run that the script's comments link to is read, where it may be fetched.

    Raises UserError when an option names an unknown rule or release, UncheckedError when the
    script takes too long. Nothing else in the script, the run or the page raises: what is wrong
    with them is part of the report.
    """
    return check_read(script, read_script(script, options), options, run=run, page=page).report


def check_read(
    script: ScriptFile,
    context: RuleContext,
    options: CheckOptions,
    *,
    run: RunGiven | None = None,
    page: PageText | None = None,
) -> CheckedScript:
    """As `check_script`, for a script that was read already."""
    with bounded(script.path):
        findings, suppressed, unchecked = lint(context, options)
    backing = _backing(script, context, run, options)
    findings = overruled(findings, backing.evidence, backing.facts)
    unchecked = (*unchecked, *_unread(context), *backing.unchecked)

    row: Row | None = None
    edit: PageEdit | None = None
    estimate = backing.estimate
    undecided = context.choice.open() if backing.facts is None else ()
    if undecided and options.evidence != "off":
        unchecked = (*unchecked, Unchecked(check="row", reason=which_launch(undecided)))
    elif backing.plan is not None and options.evidence != "off":
        if not is_cut(context, backing.plan):  # the row of its defaults would be another model's
            row = _row(script, context, backing, options, page)
        # A row that nothing backs is not offered, least of all in the place of a published one.
        backed = backing.facts is not None and (
            verdict_of(findings, unchecked, backing.evidence) != "fail"
        )
        if page is not None and row and (backed or options.evidence == "optional"):
            try:
                edit = row_edit(page, row, _size(backing.plan, context.name)).edit
            except UserError as error:
                unchecked = (*unchecked, Unchecked(check="page", reason=sentence_of(error)))
        estimate = estimate or estimate_launch(context, backing.plan, facts=backing.facts)

    report = replace(
        _report(script, verdict_of(findings, unchecked, backing.evidence)),
        name=name_report(context.name),
        configurations=configurations(context.plans),
        launches=launch_reports(context.plans, context.source) if options.launches else (),
        plan=plan_report(backing.plan) if backing.plan and not undecided else None,
        counts=_counted(context, backing),
        findings=findings,
        suppressed=suppressed,
        unchecked=unchecked,
        evidence=backing.evidence,
        row=row,
        page_edit=edit,
        estimate=estimate if estimate is not None and estimate.stages else None,
    )
    return CheckedScript(in_language(report, options.config.language), backing.facts)


def _backing(
    script: ScriptFile, context: RuleContext, run: RunGiven | None, options: CheckOptions
) -> Backing:
    """The run that backs the script, where one is to be read, and the launch that it fits best."""
    first = context.choice.plans[0] if context.plans else None
    if not _wants_run(context, options, run):
        return Backing(plan=first)
    if run is None and script.asked:
        return Backing(plan=first, unchecked=(Unchecked(check="evidence", reason=script.asked),))
    return back(script, context, run, options)


def _unread(context: RuleContext) -> Iterator[Unchecked]:
    """What launches are read by, or name, and cannot be read with them.

    What stands in a file of settings is checked by itself alone.
    """
    place = context.place
    if context.plans and place is not None and (why := place.checkout.verl.problem(place.path)):
        yield Unchecked(check="configuration", reason=why)
    lacking = (plan.unread_file for plan in context.plans)
    for problem in dict.fromkeys(one.problem for one in lacking if one and one.why != "unread"):
        why = message("how the launch divides its model is not known: {problem}", problem=problem)
        yield Unchecked(check="configuration", reason=why)
    for given in unread_recipes(context.plans):
        path = given.text
        if not given.known:
            why = message("which file of settings the launch reads is not known")
        elif not path.startswith("/") and place and not place.checkout.recipe(place.path, path):
            why = message("the settings in {path} are not known: it is not there", path=path)
        else:
            why = message(
                "the settings in {path} are not read with this script; check them with "
                "rlbot lint {path}",
                path=path,
            )
        yield Unchecked(check="recipe", reason=why)


def resolve_script(script: ScriptFile, options: CheckOptions) -> ScriptReport:
    """What one script would launch, each setting with its place, or why it launches nothing.

    Raises UserError when an option names an unknown release.
    """
    context = read_script(script, options)
    findings, unchecked = check_context(context, select=["syntax", "no-launch"])
    report = replace(
        _report(script, verdict_of(findings, unchecked)),
        configurations=configurations(context.plans),
        launches=launch_reports(context.plans, context.source, origins=True),
        plan=_plan(context),
        counts=counted_launch(context.plans, context.choice),
        findings=in_cells(findings, context.source),
        unchecked=unchecked,
    )
    return in_language(report, options.config.language)


def _report(script: ScriptFile, verdict: Verdict) -> ScriptReport:
    return ScriptReport(path=script.path, sha256=hex_digest(script.data), verdict=verdict)


def _plan(context: RuleContext) -> PlanReport | None:
    """What the launch that counts intends; None where nobody can know which does."""
    if not context.plans or context.choice.open():
        return None
    return plan_report(context.choice.plans[0])


def _counted(context: RuleContext, backing: Backing) -> CountedLaunch | None:
    if backing.facts is None:
        return counted_launch(context.plans, context.choice)
    why = message("it fits the run best")
    return counted_launch(context.plans, context.choice, backing.plan, why)


def _wants_run(context: RuleContext, options: CheckOptions, run: RunGiven | None) -> bool:
    """Whether a run is to be read: one is named, required, or linked and may be fetched."""
    linked = options.linked is not None and bool(context.header.links)
    required = options.evidence == "required"
    return run is not None or required or (options.evidence != "off" and linked)


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
    verdicts = [script.verdict for script in checked] + [page.verdict for page in compared]
    return Report(
        schema="report-v1",
        tool=Tool(name="rlbot", version=__version__),
        verdict=worst([verdict_of((), unchecked), *verdicts]),
        scripts=checked,
        pages=compared,
        unchecked=in_language(tuple(unchecked), language),
        change=change,
        language=language,
    )


def _row(
    script: ScriptFile,
    context: RuleContext,
    backing: Backing,
    options: CheckOptions,
    page: PageText | None,
) -> Row | None:
    from bot.table import RowDetails, contributor_in, make_row, read_page

    if backing.plan is None:
        return None
    link = options.link or script.link or script.path
    try:
        named = contributor_in(read_page(page.text, page.path), link) if page is not None else ""
    except UserError:  # What is wrong with the page is told where it is edited.
        named = ""
    return make_row(
        backing.plan,
        context.name,
        RowDetails(
            link=link,
            contributor=credited(script, context.header, options, named),
            tag=stated_tag(context.header, options),
            device=context.choice,
            unread=backing.unread,
        ),
        facts=backing.facts,
        evidence=backing.evidence,
    )


def _size(plan: Plan, name: ScriptName) -> str:
    """The model's size, such as 7b, which names the section of the page."""
    size = (plan.model.value and model_size(plan.model.value)) or model_size(name.model or "")
    if size is None:
        raise UserError(
            "The section of the page could not be chosen: neither the model's path nor the "
            "script's name states a size such as 7B."
        )
    return size
