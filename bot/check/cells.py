"""Findings in notebooks, each with its cell, and at a line that the file has.

They are found in a text of the code alone (`bot/frameworks/python/notebook.py`). Where the file has
a cell on a line of its own, as some programs write them, that text has more lines than the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.report import Finding, InCell, Suppressed
from bot.shell.source import Source


def in_cells(findings: Iterable[Finding], source: Source) -> tuple[Finding, ...]:
    """The findings; those in notebooks, the source itself or one attached, as the file has them."""
    notebooks = {one.path: one for one in (*source.attached, source) if one.cells}
    return tuple(
        _in_cell(one, notebooks[one.path]) if one.path in notebooks else one for one in findings
    )


def suppressed_in_cells(suppressed: Iterable[Suppressed], source: Source) -> tuple[Suppressed, ...]:
    """The same for what comments of the source suppress."""
    return tuple(
        replace(one, finding=in_cells((one.finding,), source)[0], line=source.file_line(one.line))
        for one in suppressed
    )


def _in_cell(finding: Finding, notebook: Source) -> Finding:
    if (finding.line, finding.column, finding.end_line, finding.end_column) == (1, 1, 1, 1):
        return finding  # It is about the whole file.
    first, last = (
        notebook.cells[line - 1] if line <= len(notebook.cells) else None
        for line in (finding.line, finding.end_line)
    )
    cell = None
    if first is not None:
        whole = last is not None and last.cell == first.cell
        end = last.line if last is not None and whole else first.line
        cell = InCell(number=first.cell, line=first.line, end_line=end)
    line = notebook.file_line(finding.line)
    end_line = max(line, notebook.file_line(finding.end_line))
    return replace(finding, line=line, end_line=end_line, cell=cell)
