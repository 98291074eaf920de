"""The lines, rows and folds that the comment is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.render import wording
from bot.render.escape import (
    clip,
    code_block,
    code_span,
    html_text,
    link,
    markdown_cell,
    sentence_inline,
)
from bot.render.escape import markdown_inline as inline
from bot.render.finding_places import PATH, FindingPlaces
from bot.render.places import way_out
from bot.render.speech import counted, tr, word
from bot.render.words import ROW, SCRIPT, SETTING, SEVERITY
from bot.report import (
    Claim,
    Evidence,
    Finding,
    PageReport,
    Report,
    Scalar,
    ScriptReport,
    Suppressed,
    Unchecked,
)
from bot.report.claims import ClaimName
from bot.report.result import OPEN

MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❔"}
CLAIM_MARKS = {"consistent": "✅", "inconsistent": "❌", "inconclusive": "❔"}

# Longest texts, in characters: a sentence, a path, a value. Whatever is longer was not written
# for a reader, and one of them must not take the room of all the others.
SENTENCE, VALUE = 400, 100
SHORTEST_PATH = 48
_LINKED = 5
"""Places of which one thing is said that are linked."""
_NAMED = 3
"""Scripts of which one thing is said that are named."""


def checked_by(report: Report) -> str:
    """Which release of ours checked, and which commit where it was one."""
    tool = inline(clip(f"{report.tool.name} {report.tool.version}", VALUE))
    if report.change is None or not report.change.head:
        return tr("Checked with {tool}", tool=tool)
    return f"{tr('Checked at {head}', head=code_span(report.change.head[:7]))} · {tool}"


def fold(summary: str, body: str) -> str:
    """`body` behind a summary; GitHub reads Markdown in it because of the empty lines."""
    return (
        f"<details><summary>{html_text(clip(summary, SENTENCE))}</summary>\n\n{body}\n\n</details>"
    )


def section(title: str, *, folded: bool, summary: str = "") -> Callable[[str], str]:
    """Puts a body below a title, or folds it behind that or its own summary."""
    return lambda body: fold(summary or title, body) if folded else f"**{title}**\n\n{body}"


def sentence(text: str) -> str:
    """A sentence of the report as Markdown; a long one, which is no sentence of ours, is cut."""
    return sentence_inline(text) if len(text) <= SENTENCE else inline(clip(text, SENTENCE))


def table_head(*columns: str) -> str:
    """Heading and delimiter of a table."""
    return f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"


def table_row(*cells: str) -> str:
    """A row of cells that are escaped already."""
    return f"| {' | '.join(cells)} |"


def finding_item(alike: Sequence[Finding], places: FindingPlaces) -> str:
    """A finding on one line: place, message, way out, rule; all places of those that are alike."""
    links = wording.named([places.link(finding) for finding in alike], _LINKED)
    return f"- {links} {'· ' if len(alike) > 1 else ''}{message_and_rule(alike[0])}"


def message_and_rule(finding: Finding) -> str:
    """A finding without its place."""
    out = f" → {sentence(way)}" if (way := way_out(finding)) else ""
    rule = link(clip(finding.id, VALUE), finding.url)
    out += f" · {code_span(clip(wording.move(finding), SENTENCE))}" if finding.rename else ""
    return f"{sentence(finding.message)}{out} ({rule})"


def suppressed_item(suppressed: Suppressed, places: FindingPlaces) -> str:
    """A suppressed finding on one line: mark, place, message, rule, and the reason given."""
    finding = suppressed.finding
    rule = link(clip(finding.id, VALUE), finding.url)
    text = sentence(finding.message)
    why = tr(
        "reason at line {line}: {reason}",
        line=suppressed.line,
        reason=inline(clip(suppressed.reason, SENTENCE)),
    )
    what = tr("{what}: {why}", what=tr(finding.severity), why=f"{text} ({rule})")
    return f"- {places.link(finding)} {what}{tr('; ')}{why}"


def claim_item(claim: Claim, label: str) -> str:
    """A contradicted claim on one line."""
    what = inline(clip(word(claim.claim), VALUE))
    if claim.claim == ClaimName.USED_ONCE:
        # What stands against it is said of other scripts, not by the run.
        why = sentence(claim.reason)
        return f"- {code_span(clip(label, PATH))} " + tr("{what}: {why}", what=what, why=why)
    observed = tr("the run has {value}", value=_value(claim.observed))
    if claim.observed is None:
        observed = tr("the run has no value")
    text = tr(
        "{what}: claimed {value}, {observed}",
        what=what,
        value=_value(claim.claimed),
        observed=observed,
    )
    return f"- {code_span(clip(label, PATH))} {text}"


def unchecked_item(alike: Sequence[Unchecked], labels: Sequence[str]) -> str:
    """What could not be checked for one reason, on one line, for all scripts that it is said of."""
    named = wording.named([code_span(clip(label, PATH)) for label in labels], _NAMED)
    # What ends with a number of others would run into what follows.
    apart = " · " if len(labels) > _NAMED else " "
    where = f"{named}{apart}" if labels else ""
    checks = list(dict.fromkeys(inline(clip(word(item.check), VALUE)) for item in alike))
    what = wording.named(checks, _NAMED)
    why = wording.sentence(sentence(alike[0].reason))
    return f"- {where}" + tr("{what}: {why}", what=what, why=why)


def reason_row(claim: Claim) -> str:
    """A row of the table of claims that are not consistent."""
    why = markdown_cell(clip(wording.clause(claim.reason), SENTENCE))
    if claim.source:
        source = markdown_cell(clip(wording.origin(claim.source), VALUE))
        why = tr("{what} ({source})", what=why, source=source)
    return table_row(*_claim_cells(claim), why)


def claim_row(claim: Claim) -> str:
    """A row of the table of all claims."""
    source = markdown_cell(clip(wording.origin(claim.source), VALUE))
    return table_row(*_claim_cells(claim), source)


def _claim_cells(claim: Claim) -> tuple[str, str, str, str]:
    return (
        CLAIM_MARKS[claim.verdict],
        markdown_cell(clip(word(claim.claim), VALUE)),
        _value(claim.claimed, cell=True),
        _value(claim.observed, cell=True),
    )


def _value(value: Scalar, *, cell: bool = False) -> str:
    if value is None:
        return "–"
    return code_span(clip(wording.value(value), VALUE), cell=cell) or tr("empty")


def verdict_row(script: ScriptReport, label: str) -> str:
    """A script's line in the first table: mark, script, row, run."""
    used = [code_span(clip(path, PATH), cell=True) for path in script.uses]
    why = tr("unaltered; uses {files}", files=wording.named(used, _NAMED)) if used else ""
    lines = (code_span(clip(label, PATH), cell=True), why, _counts_text(script))
    name = "<br>".join(filter(None, lines))
    return table_row(MARKS[script.verdict], name, _row_cell(script), _run_cell(script.evidence))


def lean_row(script: ScriptReport, label: str, most: int = PATH) -> str:
    """A script's line when there are too many: mark, and at most so much of the name."""
    return table_row(MARKS[script.verdict], code_span(clip(label, most), cell=True))


def _counts_text(script: ScriptReport) -> str:
    if script.verdict == "pass":
        return ""
    count = wording.severities(script.findings)
    parts = [counted(count[s], SEVERITY[s]) for s in ("error", "warning") if count[s]]
    if reasons := {item.reason for item in script.unchecked}:
        parts.append(tr("{count} not checked", count=len(reasons)))
    return wording.listed(parts)


def _row_cell(script: ScriptReport) -> str:
    row = script.row
    if row is None:
        return "–"
    tag, model, task, resource, batch, train, infer = (
        markdown_cell(clip(cell, VALUE)) for cell in wording.row_cells(row)
    )
    bold = wording.batch(batch if row.max_batch == OPEN else f"**{batch}**", script.evidence)
    return " · ".join(filter(None, (tag, model, task, resource, bold, train, infer)))


def _run_cell(evidence: Evidence | None) -> str:
    if evidence is None:
        return tr("no run compared")
    summary = markdown_cell(clip(wording.run_summary(evidence), SENTENCE))
    name = f"{tr('run')} {evidence.run.id}" if evidence.run.id else tr("run")
    run = link(clip(name, VALUE), evidence.run.url)
    return f"{summary} · {run}" if evidence.run.url else summary


def paste_item(script: ScriptReport, label: str) -> str:
    """The row of a script as reStructuredText, and why a cell of it is unknown."""
    edit = script.page_edit
    if edit is None:
        raise ValueError(f"no edit of a page for {script.path}")
    place = {
        "section": inline(clip(edit.section, VALUE)),
        "script": code_span(clip(label, PATH)),
    }
    where = tr("A new row of section {section}, for {script}:", **place)
    if edit.action == "replace":
        where = tr("Replaces a row of section {section}, for {script}:", **place)
    notes = script.row.notes if script.row else ()
    lines = [f"{where}\n\n{code_block(edit.rst, 'rst')}"]
    lines += [f"- {wording.sentence(sentence(note))}" for note in notes]
    return "\n\n".join(lines[:1]) + "".join(f"\n{line}" for line in lines[1:])


def checked_item(script: ScriptReport) -> str:
    """What was read of a script, on one line."""
    path = code_span(clip(script.path, 2 * PATH))
    parts = [f"- {path}, sha256 {code_span(script.sha256[:12])}"]
    for launch in script.launches:
        text = tr(
            "line {line} starts {version} with {settings}",
            line=launch.line,
            version=inline(clip(launch.framework, SENTENCE)),
            settings=counted(len(launch.settings), SETTING),
        )
        parts.append(text if launch.complete else text + tr(", known in part"))
    if script.configurations:
        text = wording.listed(wording.clause(one) for one in script.configurations)
        parts.append(tr("read with {configuration}", configuration=inline(clip(text, SENTENCE))))
    if script.counts:
        parts.append(inline(clip(wording.counted_launch(script.counts), SENTENCE)))
    if script.evidence:
        source = inline(clip(script.evidence.source, SENTENCE))
        parts.append(tr("compared with {source}", source=source))
        backing = wording.backing(script.evidence)
        if backing:
            parts.append(tr("claims backed by {sources}", sources=inline(clip(backing, SENTENCE))))
    return tr("; ").join(parts)


def checked_page(page: PageReport) -> str:
    """What was read of a page, on one line."""
    counts = tr(
        "{rows} compared with {scripts}",
        rows=counted(page.rows, ROW),
        scripts=counted(page.scripts, SCRIPT),
    )
    path = code_span(clip(page.path, 2 * PATH))
    return tr("{what}: {why}", what=f"- {path}, sha256 {code_span(page.sha256[:12])}", why=counts)
