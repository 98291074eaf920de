"""The comment on a pull request: its parts, in the order in which they are read.

A line or a row of a part is made in `bot.render.blocks`, its sentences in `bot.render.wording`;
`bot.render.fit` leaves out what GitHub's limit has no room for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from bot.base.messages import mark_plural
from bot.render import blocks, configuration_change, estimates, wording
from bot.render.escape import clip, code_block, code_span
from bot.render.escape import markdown_inline as inline
from bot.render.finding_places import PATH, FindingPlaces
from bot.render.fit import FitGroup, FitPart, assemble
from bot.render.next_step import Conversation, next_step
from bot.render.speech import counted, speaking, tr, tr_plural
from bot.render.unread import unread as unread_scripts
from bot.render.words import CLAIM, FINDING, SCRIPT, SEVERITY
from bot.report import Evidence, Finding, Report, ScriptReport, Severity, Unchecked

MARKER = "<!-- rlbot:comment v1 -->"

HERE = Conversation()
"""A report that is read where nothing is known of its pull request."""
_OPEN_SCRIPTS = 10
"""Rows of the table that stand open: what is to do must not be a long way down on a phone."""
_OPEN_TO_DO = 10
_OPEN_ESTIMATES = 3
_OPEN_CLAIMS = 6
_OPEN_SUPPRESSED = 6
_OPEN_UNCHECKED = 6


def comment(report: Report, *, limit: int = 65_536, conversation: Conversation = HERE) -> str:
    """The comment as GitHub's Markdown, always shorter than `limit` characters.

    The first line is the verdict in words, the last one says what another comment can do, before a
    hidden marker; between them a table of the scripts, what blocks, the claims that are not
    consistent, and the rest folded. What does not fit is left out from the least important on, and
    a sentence says what. Empty for a report without scripts and pages. Raises ValueError when not
    even the first line fits into `limit`.
    """
    if not report.scripts and not report.pages and report.configuration_change is None:
        return ""
    with speaking(report.language):
        return _comment(report, limit, conversation)


def _comment(report: Report, limit: int, conversation: Conversation) -> str:
    places = FindingPlaces.of(report, conversation.web_url)
    further = []
    if len(report.scripts) > _OPEN_SCRIPTS:
        further = [_scripts(report, places, slice(_OPEN_SCRIPTS, None))]
    parts = [
        _scripts(report, places, slice(None, _OPEN_SCRIPTS)),
        *_to_do(report, places),
        *configuration_change.part(report.configuration_change, places),
        *further,
        _suppressed(report, places),
        _open_claims(report, places),
        *_unchecked(report, places),
        _rows(report, places),
        _patches(report),
        _claims(report, places),
        *_estimates(report, places),
        _findings(report, places, "warning", 4),
        _findings(report, places, "note", 1),
        _checked(report),
    ]
    last = next_step(report, conversation.permissions, places)
    bottom = "\n\n".join(filter(None, (last, MARKER)))
    return assemble(_first_line(report), parts, bottom, limit, lambda what: _left_out(what, limit))


def _left_out(what: str, limit: int) -> str:
    return tr(
        "Left out to stay under {limit} characters: {what}. The JSON report holds everything.",
        limit=f"{limit:,}",
        what=what,
    )


def _first_line(report: Report) -> str:
    verdict = inline(clip(wording.verdict(report), blocks.SENTENCE))
    return f"**{verdict}** {blocks.checked_by(report)}"


def _scripts(report: Report, places: FindingPlaces, which: slice) -> FitPart:
    """The table of the scripts, worst first; the part that does not begin with them is folded."""
    scripts = wording.worst_first(report.scripts)[which]
    summary = tr("{scripts} more", scripts=counted(len(scripts), SCRIPT))

    def form(row: Callable[..., str], *columns: str) -> list[FitGroup]:
        if not scripts:
            return []
        rows = tuple(row(script, places[script.path]) for script in scripts)
        return [FitGroup(blocks.table_head(*columns), rows)]

    rows = form(blocks.verdict_row, "", tr("script"), tr("row"), tr("run"))
    shorter = [
        form(blocks.lean_row, "", tr("script")),
        form(partial(blocks.lean_row, most=blocks.SHORTEST_PATH), "", tr("script")),
    ]
    if not which.start:
        return FitPart(SCRIPT, 100, rows, shorter=shorter)
    return FitPart(
        mark_plural("{count} further script", "{count} further scripts"),
        95,
        rows,
        _folded(summary),
        shorter=shorter,
    )


def _to_do(report: Report, places: FindingPlaces) -> list[FitPart]:
    # An error that stands at several places is one thing to do, and is said once.
    alike: dict[str, list[Finding]] = {}

    def note(findings: Sequence[Finding]) -> None:
        for finding in wording.by_place(f for f in findings if f.severity == "error"):
            alike.setdefault(blocks.message_and_rule(finding), []).append(finding)

    for script in wording.worst_first(report.scripts):
        note(script.findings)
        for claim in wording.claims(script.evidence, "inconsistent"):
            alike.setdefault(blocks.claim_item(claim, places[script.path]), [])
    for page in report.pages:
        note(page.findings)
    lines = [blocks.finding_item(found, places) if found else text for text, found in alike.items()]
    first, rest = tuple(lines[:_OPEN_TO_DO]), tuple(lines[_OPEN_TO_DO:])
    summary = tr("{count} more to do", count=f"{len(rest):,}")
    return [
        FitPart(
            mark_plural("{count} thing to do", "{count} things to do"),
            90,
            _single_group(first),
            blocks.section(tr("To do"), folded=False),
        ),
        FitPart(
            mark_plural("{count} further thing to do", "{count} further things to do"),
            70,
            _single_group(rest),
            _folded(summary),
        ),
    ]


def _suppressed(report: Report, places: FindingPlaces) -> FitPart:
    """Always listed with their reasons: whoever merges decides whether they hold."""
    hidden = [one for script in report.scripts for one in script.suppressed]
    by_finding = {id(one.finding): one for one in hidden}
    items = tuple(
        blocks.suppressed_item(by_finding[id(finding)], places)
        for finding in wording.by_place(one.finding for one in hidden)
    )
    title = tr("{findings} suppressed in the script", findings=counted(len(items), FINDING))
    wrap = blocks.section(title, folded=len(items) > _OPEN_SUPPRESSED)
    return FitPart(
        mark_plural("{count} suppressed finding", "{count} suppressed findings"),
        65,
        _single_group(items),
        wrap,
    )


def _open_claims(report: Report, places: FindingPlaces) -> FitPart:
    groups = _by_script(
        report,
        places,
        lambda evidence: map(blocks.reason_row, wording.not_consistent(evidence)),
        blocks.table_head("", tr("claim"), tr("claimed"), tr("run"), tr("why")),
    )
    claims = [c for script in report.scripts for c in wording.not_consistent(script.evidence)]
    against = sum(claim.verdict == "inconsistent" for claim in claims)
    title = wording.left_open(against, len(claims) - against)
    # Claims that are merely open do not hold up a script that is ready otherwise.
    folded = report.verdict == "pass" or len(claims) > _OPEN_CLAIMS
    wrap = blocks.section(title, folded=folded)
    return FitPart(
        mark_plural(
            "{count} claim that is not consistent", "{count} claims that are not consistent"
        ),
        60,
        groups,
        wrap,
    )


def _estimates(report: Report, places: FindingPlaces) -> list[FitPart]:
    """The memory estimate of each script that has one, folded; many of them once more."""
    folded: list[tuple[str, str]] = []
    for script in wording.worst_first(report.scripts):
        if script.estimate is None or not script.estimate.stages or _cannot_start(script):
            continue
        what = estimates.headline(script.estimate, script.evidence)
        if len(report.scripts) > 1:
            what = tr("{what}: {why}", what=places[script.path], why=what)
        body = [estimates.estimate_table(script.estimate)]
        body += ["", *(f"- {inline(note)}" for note in estimates.notes(script.estimate))]
        folded.append((tr("Memory budget: {what}", what=what), "\n".join(body)))
    noun = mark_plural("{count} memory budget", "{count} memory budgets")
    if len(folded) <= _OPEN_ESTIMATES:
        return [FitPart(noun, 3, _single_group((body,)), _folded(title)) for title, body in folded]
    groups = [FitGroup("", (blocks.fold(title, body),)) for title, body in folded]
    summary = tr_plural("{count} memory budget", "{count} memory budgets", len(folded))
    return [FitPart(noun, 3, groups, _folded(summary))]


def _cannot_start(script: ScriptReport) -> bool:
    """Whether it has errors besides those that its memory estimate explains."""
    errors = [f for f in script.findings if f.severity == "error"]
    return any(not f.slug.startswith("memory-") for f in errors)


def _claims(report: Report, places: FindingPlaces) -> FitPart:
    def rows(evidence: Evidence) -> Iterable[str]:
        open_ = wording.not_consistent(evidence)
        settled = wording.claims(evidence, "consistent")
        return map(blocks.claim_row, [*open_, *settled])

    groups = _by_script(
        report,
        places,
        rows,
        blocks.table_head("", tr("claim"), tr("claimed"), tr("run"), tr("source")),
    )
    count = sum(len(group.items) for group in groups)
    summary = tr_plural("The claim", "All {count} claims", count, count=f"{count:,}")
    return FitPart(CLAIM, 2, groups, _folded(summary))


def _by_script(
    report: Report,
    places: FindingPlaces,
    rows: Callable[[Evidence], Iterable[str]],
    head: str,
) -> list[FitGroup]:
    groups = []
    for script in wording.worst_first(report.scripts):
        items = tuple(rows(script.evidence)) if script.evidence else ()
        if items:
            name = code_span(clip(places[script.path], PATH))
            own = head if len(report.scripts) == 1 else f"{name}\n\n{head}"
            groups.append(FitGroup(own, items))
    return groups


def _unchecked(report: Report, places: FindingPlaces) -> list[FitPart]:
    every = wording.unchecked(report)
    unread = unread_scripts(report)
    if len(every) <= _OPEN_UNCHECKED or not unread:
        return [_matters(report, every, places)]
    # That scripts were not read at all is said before anything else is left out.
    rest = [(script, item) for script, item in every if script or item not in unread]
    first = _matters(report, [(None, item) for item in unread], places)
    first.importance = 99
    return [first, _matters(report, rest, places)]


def _matters(
    report: Report, found: Sequence[tuple[ScriptReport | None, Unchecked]], places: FindingPlaces
) -> FitPart:
    # One reason is said once, of all that it keeps from being checked.
    groups: dict[str, tuple[list[Unchecked], list[str]]] = {}
    for script, item in found:
        alike, named = groups.setdefault(item.reason, ([], []))
        alike.append(item)
        named += [places[script.path]] if script else []
    items = tuple(
        blocks.unchecked_item(alike, list(dict.fromkeys(named))) for alike, named in groups.values()
    )
    title = tr("{count} not checked", count=f"{len(items):,}")
    decides = report.verdict == "inconclusive" and len(items) <= _OPEN_UNCHECKED
    wrap = blocks.section(tr("Not checked"), folded=not decides, summary=title)
    return FitPart(
        mark_plural("{count} unchecked matter", "{count} unchecked matters"),
        50 if decides else 6,
        _single_group(items),
        wrap,
    )


def _rows(report: Report, places: FindingPlaces) -> FitPart:
    edited = [s for s in report.scripts if s.page_edit and s.page_edit.action != "none"]
    items = [blocks.paste_item(script, places[script.path]) for script in edited]
    pages = dict.fromkeys(script.page_edit.path for script in edited if script.page_edit)
    where = wording.listed(pages)
    summary = tr_plural(
        "Row to paste into {pages}", "{count} rows to paste into {pages}", len(items), pages=where
    )
    groups = [FitGroup("", (item,)) for item in items]
    return FitPart(
        mark_plural("{count} row to paste", "{count} rows to paste"), 40, groups, _folded(summary)
    )


def _patches(report: Report) -> FitPart:
    edits = [s.page_edit for s in report.scripts if s.page_edit and s.page_edit.patch]
    groups = [FitGroup("", (code_block(edit.patch, "diff"),)) for edit in edits]
    pages = wording.listed(dict.fromkeys(edit.path for edit in edits))
    summary = tr_plural("Patch of {pages}", "{count} patches of {pages}", len(edits), pages=pages)
    return FitPart(mark_plural("{count} patch", "{count} patches"), 5, groups, _folded(summary))


def _findings(
    report: Report, places: FindingPlaces, severity: Severity, importance: int
) -> FitPart:
    found = [f for script in report.scripts for f in script.findings if f.severity == severity]
    found += [f for page in report.pages for f in page.findings if f.severity == severity]
    items = tuple(blocks.finding_item([finding], places) for finding in wording.by_place(found))
    summary = counted(len(items), SEVERITY[severity])
    return FitPart(SEVERITY[severity], importance, _single_group(items), _folded(summary))


def _checked(report: Report) -> FitPart:
    items = tuple(blocks.checked_item(script) for script in report.scripts)
    items += tuple(blocks.checked_page(page) for page in report.pages)
    if report.change:
        head = code_span(clip(report.change.head, blocks.VALUE))
        base = code_span(clip(report.change.base, blocks.VALUE))
        change = tr("commit {head}", head=head)
        if base:
            change = tr("commit {head} on base {base}", head=head, base=base)
        items = (f"- {change}", *items)
    return FitPart(
        mark_plural("{count} line on what was checked", "{count} lines on what was checked"),
        3,
        _single_group(items),
        _folded(tr("What was checked")),
    )


def _single_group(items: Sequence[str]) -> list[FitGroup]:
    return [FitGroup("", tuple(items))] if items else []


def _folded(summary: str) -> Callable[[str], str]:
    return lambda body: blocks.fold(summary, body)
