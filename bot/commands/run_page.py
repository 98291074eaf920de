"""The page of a run, for `rlbot verify --report FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.base.files import write_output

if TYPE_CHECKING:
    from bot.base.traces import RunTraces
    from bot.report import Report


def destination(name: str) -> Path:
    """The file that is to be written; raises UserError for one that cannot or must not be."""
    path = Path(name)
    if path.suffix.lower() not in (".html", ".svg"):
        raise UserError(
            "--report writes a page: give it a name that ends in .html, not {path}.", path=path
        )
    if path.is_dir():
        raise UserError("{path} is a folder; name a file in it for --report.", path=path)
    if path.exists() and not path.is_file():
        raise UserError("{path} is not a regular file; name another for --report.", path=path)
    if not path.parent.is_dir():
        raise UserError(
            "The folder {folder} of --report does not exist; make it first.", folder=path.parent
        )
    return path


def write_page(name: str, report: Report, traces: RunTraces | None) -> None:
    """Write the page, or the first chart for a name that ends in .svg; raises UserError."""
    from bot.base.traces import RunTraces
    from bot.render.charts import figures, standalone

    path = destination(name)
    drawn = figures(report, traces or RunTraces())
    if path.suffix.lower() == ".svg":
        if not drawn:
            raise UserError("--report: the run recorded nothing that a chart could show.")
        text = standalone(drawn[0])
    else:
        from bot.render.html import page
        from bot.render.markdown import comment

        scripts = ", ".join(script.path.rsplit("/", 1)[-1] for script in report.scripts)
        text = page(comment(report), f"rlbot: {scripts}", language=report.language, figures=drawn)
    write_output(path, text.encode())
