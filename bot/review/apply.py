"""What `/apply` writes: safe fixes of scripts, and the rows of the page; bytes to bytes.

Both are made in a process with limits, as everything that is made of a stranger's files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.base.fast_dataclass import dataclass
from bot.base.isolated import Caller, IsolationLimits, isolated
from bot.base.messages import message, sentence_of
from bot.check.fix import fix_script
from bot.check.request import CheckOptions, ScriptFile
from bot.report import Report, ScriptReport
from bot.table import PageError, add_row, read_page


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The page with its new rows."""

    text: str
    scripts: tuple[str, ...] = ()
    """Paths of the scripts whose row was written."""
    left: tuple[tuple[str, str], ...] = ()
    """Path of a script whose row was not written, and why."""


def fixed_scripts(
    report: Report,
    scripts: Mapping[str, bytes],
    options: CheckOptions,
    limits: IsolationLimits | None,
) -> dict[str, bytes]:
    """The scripts that safe fixes change, by path; a fix changes its own characters alone.

    Raises UserError when that takes too much.
    """
    # Fixes do not depend on the run, and reading it once for each of them would cost minutes.
    around = replace(options, linked=None, files=None)
    files = {"files": options.files} if options.files is not None else {}
    given = (report, scripts, around, bool(files))
    return isolated(_fixed_scripts, given, functions=files, limits=limits)


def _fixed_scripts(
    caller: Caller,
    report: Report,
    scripts: Mapping[str, bytes],
    options: CheckOptions,
    has_files: bool,
) -> dict[str, bytes]:
    around = replace(options, files=caller.function("files") if has_files else None)
    changed = {}
    for script in report.scripts:
        data = scripts.get(script.path)
        if data is None or not any(f.fix and f.fix.safe for f in script.findings):
            continue
        caller.begin(script.path)
        fixed = fix_script(ScriptFile(path=script.path, data=data), around).data
        if fixed != data:
            changed[script.path] = fixed
    return changed


def with_rows(report: Report, page: str, path: str, limits: IsolationLimits | None = None) -> Rows:
    """The page with the row of each script that nothing contradicts, one after the other.

    Raises UserError when that takes too much.
    """
    return isolated(_with_rows, (report, page, path), functions={}, limits=limits)


def _with_rows(caller: Caller, report: Report, page: str, path: str) -> Rows:
    text, written, left = page, list[str](), list[tuple[str, str]]()
    for script in report.scripts:
        if script.row is None and script.verdict == "pass":
            continue  # A helper, or a recipe: it has none.
        if script.verdict == "fail" or script.row is None or script.page_edit is None:
            left.append((script.path, _why_not(script)))
            continue
        caller.begin(script.path)
        try:
            change = add_row(read_page(text, path), script.row, size=script.page_edit.section)
        except PageError as error:
            left.append((script.path, sentence_of(error)))
            continue
        if change.text != text:
            written.append(script.path)
            text = change.text
    return Rows(text=text, scripts=tuple(written), left=tuple(left))


def _why_not(script: ScriptReport) -> str:
    if script.evidence and script.evidence.verdict == "inconsistent":
        return message("its run contradicts it.")
    if script.verdict == "fail":
        return message("it has errors.")
    if script.row is None:
        return message("its launch is not known.")
    return message("no run that could be read backs it.")
