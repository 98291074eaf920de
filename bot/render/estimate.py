"""What `rlbot estimate` prints: text, Markdown, or one drawing."""

from __future__ import annotations

from bot.render.budget import budget_lines, budget_table, headline, notes
from bot.render.budget_svg import drawing
from bot.render.escape import markdown_inline, terminal
from bot.render.speech import speaking, tr
from bot.render.wording import counted_launch
from bot.report import Estimate, Report


def estimates(report: Report, form: str) -> str:
    """The budgets of a report's scripts as `text`, `markdown` or `svg`."""
    with speaking(report.language):
        if form == "svg":
            return "\n".join(
                drawing(script.path, script.estimate)
                for script in report.scripts
                if script.estimate is not None and script.estimate.stages
            )
        blocks = []
        for script in report.scripts:
            if script.estimate is None:
                continue
            launch = counted_launch(script.counts) if script.counts else ""
            if form == "markdown":
                block = _markdown(script.path, script.estimate)
                block += f"\n- {markdown_inline(launch)}" if launch else ""
            else:
                block = "\n".join(budget_lines(script.path, script.estimate))
                block += f"\n  {terminal(launch)}" if launch else ""
            blocks.append(block)
        blocks += [
            tr("not checked: {what}", what=terminal(item.reason)) for item in report.unchecked
        ]
        return "\n\n".join(blocks) + "\n"


def _markdown(path: str, estimate: Estimate) -> str:
    name = markdown_inline(path.rsplit("/", 1)[-1])
    if not estimate.stages:
        why = markdown_inline(estimate.reason or "")
        return tr("{name}: no prediction. {reason}", name=name, reason=why)
    head = tr("{name} on {what}", name=name, what=markdown_inline(headline(estimate)))
    below = "\n".join(f"- {markdown_inline(note)}" for note in notes(estimate))
    return f"**{head}**\n\n{budget_table(estimate)}\n\n{below}"
