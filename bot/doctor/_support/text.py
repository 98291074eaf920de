"""The doctor's answers for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from bot.render.columns import padded, width_of
from bot.render.escape import terminal
from bot.render.json_report import dump

_SGR: Final[Mapping[str, str]] = {"ok": "32", "wrong": "31;1", "missing": "33", "unknown": "33"}
_STATE = 8


def to_text(
    settings: Iterable[Mapping[str, str]],
    answers: Iterable[Mapping[str, str | None]],
    *,
    color: bool = False,
) -> str:
    """What is in force and from where, then each answer with its remedy."""
    rows = [tuple(terminal(row[name]) for name in ("key", "value", "origin")) for row in settings]
    widths = [min(40, max((width_of(row[at]) for row in rows), default=0)) for at in (0, 1)]
    lines = ["In force:"]
    for key, value, origin in rows:
        lines.append(f"  {padded(key, widths[0])}  {padded(value, widths[1])}  {origin}")
    lines += ["", "Checked:"]
    given = list(answers)
    subjects = max((width_of(terminal(row["subject"] or "")) for row in given), default=0)
    for row in given:
        state = padded(row["state"] or "", _STATE)
        if color and row["state"] in _SGR:
            state = f"\x1b[{_SGR[str(row['state'])]}m{state}\x1b[0m"
        subject = padded(terminal(row["subject"] or ""), subjects)
        lines.append(f"  {state} {subject}  {terminal(row['said'] or '')}")
        if row["remedy"]:
            lines.append(f"  {' ' * (_STATE + subjects + 3)}{terminal(row['remedy'])}")
    return "\n".join(lines) + "\n"


def to_json(tool: str, settings: list[Any], answers: list[Any], status: int) -> str:
    """The same as `doctor-v1`."""
    return dump(
        {
            "schema": "doctor-v1",
            "tool": tool,
            "status": status,
            "settings": settings,
            "checks": answers,
        }
    )
