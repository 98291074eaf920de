"""The style sheets of the page and of its charts, in GitHub's measures and colours."""

from __future__ import annotations

from pathlib import Path


def _sheet(name: str) -> str:
    return "\n" + Path(__file__).with_name(name).read_text(encoding="utf-8")


CSS = _sheet("page.css")
CHART_CSS = _sheet("charts.css")
"""Its eight hues stay apart on white and on near-black, and in order for those who see no red."""
FIGURE_CSS = _sheet("figures.css")
