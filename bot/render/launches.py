"""What scripts would launch, for a terminal: `rlbot resolve`."""

from __future__ import annotations

from bot.render.columns import padded, width_of
from bot.render.escape import terminal
from bot.render.places import shown_place
from bot.render.speech import speaking, tr
from bot.render.wording import counted_launch, listed
from bot.report import LaunchReport, Origin, Report, ScriptReport

_WIDEST = 60
"""Columns that keys and values are aligned to; a longer one pushes what follows."""


def launches(report: Report) -> str:
    """Each launch with its environment, command and settings, and where each value was written."""
    with speaking(report.language):
        blocks = [_script(script) for script in report.scripts]
        blocks += [
            tr("not checked: {what}", what=terminal(item.reason)) for item in report.unchecked
        ]
        return "\n\n".join(blocks) + "\n"


def _script(script: ScriptReport) -> str:
    lines = [terminal(script.path)]
    for number, launch in enumerate(script.launches, 1):
        lines += ["", *_launch(number, launch)]
    if not script.launches:
        lines.append("  " + tr("starts no known framework"))
    if script.counts:
        lines += ["", "  " + terminal(counted_launch(script.counts))]
    for finding in script.findings:
        lines.append(f"  {shown_place(finding)} {terminal(finding.message)}")
    for item in script.unchecked:
        lines.append("  " + tr("not known: {what}", what=terminal(item.reason)))
    return "\n".join(lines)


def _launch(number: int, launch: LaunchReport) -> list[str]:
    known = "" if launch.complete else tr(", known in part")
    own = launch.framework_version == launch.framework_version_reason
    version = tr(
        "{what} ({source})",
        what=launch.framework if own else f"{launch.framework} {launch.framework_version}",
        source=launch.framework_version_reason,
    )
    where = tr("line {line}, {version}", line=launch.line, version=terminal(version))
    lines = [f"  {tr('launch')} {number}  {where}{known}"]
    lines += [
        "    " + tr("if {condition}", condition=terminal(condition))
        for condition in launch.assumptions
    ]
    first = next((i for i, word in enumerate(launch.argv) if _is_setting(word, launch)), None)
    command = launch.argv[:first] if first is not None else launch.argv
    lines.append("    $ " + terminal(" ".join(command)))
    for name, value in launch.environment.items():
        lines.append(f"      {terminal(name)}={terminal(value)}")
    rows = [(o.operator + o.key, o.text, _place(o)) for o in launch.origins]
    cells = [tuple(map(terminal, row)) for row in rows]
    widths = [min(_WIDEST, max((width_of(c[i]) for c in cells), default=0)) for i in (0, 1)]
    for key, value, place in cells:
        lines.append(
            f"      {padded(key, widths[0])}  {padded(value, widths[1])}  {place}".rstrip()
        )
    return lines


def _is_setting(word: str, launch: LaunchReport) -> bool:
    name = word.lstrip("+~-").partition("=")[0]
    return any(name == origin.key and not origin.path for origin in launch.origins)


def _place(origin: Origin) -> str:
    place = f"{origin.line}:{origin.column}"
    if origin.path:
        place = f"{origin.path}:{place}"
    if origin.via:
        place += tr(" by {variables}", variables=listed(origin.via))
    if origin.default_of:
        place += tr("; default of {variables}", variables=listed(origin.default_of))
    return place
