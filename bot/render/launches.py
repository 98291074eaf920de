"""What scripts would launch, for a terminal: `rlbot resolve`."""

from __future__ import annotations

from bot.render.columns import width_of
from bot.render.escape import terminal
from bot.report import LaunchReport, Origin, Report, ScriptReport

_WIDEST = 60
"""Columns that keys and values are aligned to; a longer one pushes what follows."""


def launches(report: Report) -> str:
    """Each launch with its environment, command and settings, and where each value was written."""
    blocks = [_script(script) for script in report.scripts]
    blocks += [f"not checked: {terminal(item.reason)}" for item in report.unchecked]
    return "\n\n".join(blocks) + "\n"


def _script(script: ScriptReport) -> str:
    lines = [terminal(script.path)]
    for number, launch in enumerate(script.launches, 1):
        lines += ["", *_launch(number, launch)]
    if not script.launches:
        lines.append("  starts no known framework")
    for finding in script.findings:
        lines.append(f"  {finding.line}:{finding.column} {terminal(finding.message)}")
    for item in script.unchecked:
        lines.append(f"  not known: {terminal(item.reason)}")
    return "\n".join(lines)


def _launch(number: int, launch: LaunchReport) -> list[str]:
    known = "" if launch.complete else ", known in part"
    version = f"{launch.framework} {launch.framework_version} ({launch.framework_version_reason})"
    lines = [f"  launch {number}  line {launch.line}, {terminal(version)}{known}"]
    lines += [f"    if {terminal(condition)}" for condition in launch.assumptions]
    first = next((i for i, word in enumerate(launch.argv) if _is_setting(word, launch)), None)
    command = launch.argv[:first] if first is not None else launch.argv
    lines.append("    $ " + terminal(" ".join(command)))
    for name, value in launch.environment.items():
        lines.append(f"      {terminal(name)}={terminal(value)}")
    rows = [(o.operator + o.key, o.text, _place(o)) for o in launch.origins]
    cells = [tuple(map(terminal, row)) for row in rows]
    widths = [min(_WIDEST, max((width_of(c[i]) for c in cells), default=0)) for i in (0, 1)]
    for key, value, place in cells:
        lines.append(f"      {_pad(key, widths[0])}  {_pad(value, widths[1])}  {place}".rstrip())
    return lines


def _is_setting(word: str, launch: LaunchReport) -> bool:
    return any(word.lstrip("+~-").startswith(origin.key) for origin in launch.origins)


def _place(origin: Origin) -> str:
    place = f"{origin.line}:{origin.column}"
    if origin.via:
        place += " by " + ", ".join(origin.via)
    if origin.default_of:
        place += "; default of " + ", ".join(origin.default_of)
    return place


def _pad(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))
