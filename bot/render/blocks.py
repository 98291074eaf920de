"""The lines, rows and folds that the comment is made of."""

from __future__ import annotations

from collections.abc import Mapping

from bot.render import wording
from bot.render.escape import clip, code_block, code_span, html_text, link, markdown_cell
from bot.render.escape import markdown_inline as inline
from bot.report import Claim, Evidence, Finding, PageReport, Row, Scalar, ScriptReport, Unchecked

MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❔"}
CLAIM_MARKS = {"consistent": "✅", "inconsistent": "❌", "inconclusive": "❔"}

# Longest texts, in characters: a sentence, a path, a value. Whatever is longer was not written
# for a reader, and one of them must not take the room of all the others.
SENTENCE, PATH, VALUE = 400, 160, 100
_SHORTEST_PATH = 48


def fold(summary: str, body: str) -> str:
    """`body` behind a summary; GitHub reads Markdown in it because of the empty lines."""
    return (
        f"<details><summary>{html_text(clip(summary, SENTENCE))}</summary>\n\n{body}\n\n</details>"
    )


def table_head(*columns: str) -> str:
    """Heading and delimiter of a table."""
    return f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"


def table_row(*cells: str) -> str:
    """A row of cells that are escaped already."""
    return f"| {' | '.join(cells)} |"


def place(finding: Finding, labels: Mapping[str, str]) -> str:
    """`folder/script.sh:10` as code, so that GitHub makes neither a link nor an emoji of it."""
    path = labels.get(finding.path, finding.path)
    return code_span(f"{clip(path, PATH)}:{finding.line}")


def finding_item(finding: Finding, labels: Mapping[str, str]) -> str:
    """A finding on one line: place, message, way out, rule."""
    out = f" → {inline(clip(finding.help, SENTENCE))}" if finding.help else ""
    rule = link(clip(finding.id, VALUE), finding.url)
    return f"- {place(finding, labels)} {inline(clip(finding.message, SENTENCE))}{out} ({rule})"


def claim_item(claim: Claim, label: str) -> str:
    """A contradicted claim on one line."""
    what = inline(clip(claim.claim, VALUE))
    observed = f"the run has {_value(claim.observed)}"
    if claim.observed is None:
        observed = "the run has no value"
    return f"- {code_span(clip(label, PATH))} {what}: claimed {_value(claim.claimed)}, {observed}"


def unchecked_item(item: Unchecked, label: str) -> str:
    """Something that could not be checked, on one line."""
    where = f"{code_span(clip(label, PATH))} " if label else ""
    what = inline(clip(item.check, VALUE))
    return f"- {where}{what}: {inline(clip(wording.sentence(item.reason), SENTENCE))}"


def reason_row(claim: Claim) -> str:
    """A row of the table of claims that are not consistent."""
    source = f" ({markdown_cell(clip(claim.source, VALUE))})" if claim.source else ""
    why = markdown_cell(clip(claim.reason.strip().rstrip("."), SENTENCE))
    return table_row(*_claim_cells(claim), f"{why}{source}")


def claim_row(claim: Claim) -> str:
    """A row of the table of all claims."""
    return table_row(*_claim_cells(claim), markdown_cell(clip(claim.source, VALUE)))


def _claim_cells(claim: Claim) -> tuple[str, str, str, str]:
    return (
        CLAIM_MARKS[claim.verdict],
        markdown_cell(clip(claim.claim, VALUE)),
        _value(claim.claimed, cell=True),
        _value(claim.observed, cell=True),
    )


def _value(value: Scalar, *, cell: bool = False) -> str:
    if value is None:
        return "–"
    return code_span(clip(wording.value(value), VALUE), cell=cell) or "empty"


def verdict_row(script: ScriptReport, label: str) -> str:
    """A script's line in the first table: mark, script, row, run."""
    said = _counts(script)
    name = code_span(clip(label, PATH), cell=True) + (f"<br>{said}" if said else "")
    return table_row(MARKS[script.verdict], name, _row_cell(script.row), _run_cell(script.evidence))


def lean_row(script: ScriptReport, label: str) -> str:
    """A script's line when there are too many: mark and script."""
    return table_row(MARKS[script.verdict], code_span(clip(label, PATH), cell=True))


def shortest_row(script: ScriptReport, label: str) -> str:
    """A script's line when there are far too many: mark and as much of the name as must be."""
    return table_row(MARKS[script.verdict], code_span(clip(label, _SHORTEST_PATH), cell=True))


def _counts(script: ScriptReport) -> str:
    errors = wording.severities(script.findings)["error"]
    parts = [wording.counted(errors, "error")] if errors else []
    if script.unchecked and script.verdict != "pass":
        parts.append(f"{len(script.unchecked)} not checked")
    return ", ".join(parts)


def _row_cell(row: Row | None) -> str:
    if row is None:
        return "–"
    tag, model, task, resource, batch, train, infer = (
        markdown_cell(clip(cell, VALUE)) for cell in wording.row_cells(row)
    )
    bold = f"**{batch}**" if batch else ""
    return " · ".join(filter(None, (tag, model, task, resource, bold, train, infer)))


def _run_cell(evidence: Evidence | None) -> str:
    if evidence is None:
        return "no run compared"
    said = markdown_cell(clip(wording.run_summary(evidence), SENTENCE))
    run = link(
        clip(f"run {evidence.run.id}" if evidence.run.id else "run", VALUE), evidence.run.url
    )
    return f"{said} · {run}" if evidence.run.url else said


def paste_item(script: ScriptReport, label: str) -> str:
    """The row of a script as reStructuredText, and why a cell of it is unknown."""
    edit = script.page_edit
    if edit is None:
        raise ValueError(f"no edit of a page for {script.path}")
    verb = "Replaces a row" if edit.action == "replace" else "A new row"
    where = f"{verb} of section {inline(clip(edit.section, VALUE))}, for "
    notes = script.row.notes if script.row else ()
    lines = [f"{where}{code_span(clip(label, PATH))}:\n\n{code_block(edit.rst, 'rst')}"]
    lines += [f"- {inline(clip(wording.sentence(note), SENTENCE))}" for note in notes]
    return "\n\n".join(lines[:1]) + "".join(f"\n{line}" for line in lines[1:])


def checked_item(script: ScriptReport) -> str:
    """What was read of a script, on one line."""
    path = code_span(clip(script.path, 2 * PATH))
    parts = [f"- {path}, sha256 {code_span(script.sha256[:12])}"]
    for launch in script.launches:
        version = f"{launch.framework} {launch.framework_version}".strip()
        why = f" ({launch.framework_version_reason.rstrip('.')})" if version else ""
        partly = "" if launch.complete else ", known in part"
        parts.append(
            f"line {launch.line} starts {inline(clip(version + why, SENTENCE))} with "
            f"{wording.counted(len(launch.settings), 'setting')}{partly}"
        )
    if script.evidence:
        parts.append(f"compared with {inline(clip(script.evidence.source, SENTENCE))}")
    return "; ".join(parts)


def checked_page(page: PageReport) -> str:
    """What was read of a page, on one line."""
    rows, scripts = wording.counted(page.rows, "row"), wording.counted(page.scripts, "script")
    path = code_span(clip(page.path, 2 * PATH))
    return f"- {path}, sha256 {code_span(page.sha256[:12])}: {rows} compared with {scripts}"
