"""Where a finding stands in its file, for a reader: line and column, or a notebook's cell."""

from __future__ import annotations

from bot.render.speech import tr
from bot.report import Finding


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
