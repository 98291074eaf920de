"""The doctor's answers for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.base.messages import Language, Message, message, pmessage, translated
from bot.doctor._support.base import CheckAnswer, CheckState
from bot.doctor._support.settings import EffectiveSetting
from bot.render import json_report
from bot.render.columns import padded, width_of
from bot.render.escape import terminal

_STATES: Final[Mapping[CheckState, tuple[Message, str]]] = {
    "ok": (pmessage("doctor", "ok"), "32"),
    "missing": (pmessage("doctor", "missing"), "33"),
    "wrong": (pmessage("doctor", "wrong"), "31;1"),
    "unknown": (pmessage("doctor", "unknown"), "33"),
    "skipped": (pmessage("doctor", "skipped"), "0"),
}
"""Each with its color, as the terminal takes it."""
_STATE = 8


def to_text(
    settings: Sequence[EffectiveSetting],
    answers: Sequence[CheckAnswer],
    *,
    language: Language,
    color: bool,
) -> str:
    """What is in force and from where, then each answer with its remedy."""

    def shown(sentence: str) -> str:
        return terminal(translated(sentence, language))

    rows = [(terminal(s.key), terminal(s.value), shown(s.origin)) for s in settings]
    keys, values = (min(40, max(width_of(row[at]) for row in rows)) for at in (0, 1))
    lines = [shown(message("In force:"))]
    for key, value, origin in rows:
        lines.append(f"  {padded(key, keys)}  {padded(value, values)}  {origin}")
    lines += ["", shown(message("Checked:"))]
    subjects = max(width_of(terminal(answer.subject)) for answer in answers)
    for answer in answers:
        word, sgr = _STATES[answer.state]
        state = padded(shown(word), _STATE)
        if color:
            state = f"\x1b[{sgr}m{state}\x1b[0m"
        subject = padded(terminal(answer.subject), subjects)
        lines.append(f"  {state} {subject}  {shown(answer.message)}")
        if answer.remedy:
            lines.append(f"  {' ' * (_STATE + subjects + 3)}{shown(answer.remedy)}")
    return "\n".join(lines) + "\n"


def to_json(
    tool: str, settings: Sequence[EffectiveSetting], answers: Sequence[CheckAnswer], status: int
) -> str:
    """The same as `doctor-v1`."""
    content = {"schema": "doctor-v1", "tool": tool, "status": status}
    checks = [
        {"subject": a.subject, "state": a.state, "said": a.message, "remedy": a.remedy}
        for a in answers
    ]
    return json_report.to_json(content | {"settings": settings, "checks": checks})
