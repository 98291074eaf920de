"""Where a finding stands: in its file, in a notebook's cell, and where its annotation belongs.

A script that a change leaves alone is in no diff: what is wrong with it since stands in the file
that the change alters, once for all scripts that use it there.
"""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.render import wording
from bot.render.speech import tr
from bot.report import Finding, Report, WrittenIn


def cell_key(path: str, number: int) -> str:
    """What names the source of a notebook's cell among the sources of a report."""
    return f"{path}\0{number}"


def shown_place(finding: Finding) -> str:
    """`12:5`, or `cell 3, line 2`."""
    if finding.cell is None:
        return f"{finding.line}:{finding.column}"
    return tr("cell {cell}, line {line}", cell=finding.cell.number, line=finding.cell.line)


def lines_of(finding: Finding) -> tuple[str, int, int]:
    """What names the text that holds a finding, with its first and last line there, from 1."""
    cell = finding.cell
    if cell is None:
        return finding.path, finding.line, finding.end_line
    return cell_key(finding.path, cell.number), cell.line, cell.end_line


def way_out(finding: Finding) -> str | None:
    """What to do next, and in which file, where that is one that the script sources or starts."""
    place = finding.written_in
    if place is None:
        return finding.help
    if finding.help is None:
        return tr("in {path}, line {line}", path=place.path, line=place.line)
    return tr(
        "{help} (in {path}, line {line})", help=finding.help, path=place.path, line=place.line
    )


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding, and the altered line that it stands at; None where its own place counts."""

    finding: Finding
    altered: WrittenIn | None

    @property
    def user(self) -> str:
        """Which script uses the line, for whoever looks at the altered file."""
        return tr("used by {path}, line {line}", path=self.finding.path, line=self.finding.line)


def placed(report: Report) -> list[PlacedFinding]:
    """The findings of a report, errors first, each where its annotation belongs."""
    uses = {script.path: script.uses for script in report.scripts}
    found: dict[object, PlacedFinding] = {}
    for finding in wording.by_place(wording.all_findings(report)):
        place = finding.written_in
        if place is not None and place.path in uses.get(finding.path, ()):
            key: object = (place, finding.id, finding.message)
            found.setdefault(key, PlacedFinding(finding, place))
        else:
            found[id(finding)] = PlacedFinding(finding, None)
    return list(found.values())
