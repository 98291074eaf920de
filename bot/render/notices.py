"""The short comments: no script is left, or none could be read. Each in the language spoken now."""

from __future__ import annotations

from bot.render import blocks, wording
from bot.render.escape import clip, code_span
from bot.render.escape import markdown_inline as inline
from bot.render.finding_places import PATH
from bot.render.speech import counted, tr, tr_plural, word
from bot.render.unread import unread
from bot.render.words import SCRIPT
from bot.report import Report, Unchecked

_MOST = 50


def no_script_title() -> str:
    """One line of plain text for a change that does not concern us."""
    return tr("Neither a tuning script nor the page of rows is altered.")


def no_script(report: Report) -> str:
    """What stands where a comment was, once the change does not concern us any more."""
    first = f"**{tr('Nothing is left to check.')}**"
    rest = tr("This pull request no longer alters a tuning script or the page of rows.")
    return f"{first} {rest} {blocks.checked_by(report)}"


def after_none() -> str:
    """The last line where nothing is left to check."""
    return tr("Next: a push that alters a script or the page is checked without a command")


def failure(sentence: str) -> str:
    """What stands where the check itself could not be made; `sentence` says why."""
    return f"**{tr('Could not be checked.')}** {inline(sentence)}"


def failure_title(sentence: str) -> str:
    """One line of plain text where the check itself could not be made."""
    return tr("Could not be checked: {what}", what=sentence)


def after_failure(role: str) -> str:
    """The last line where the check itself could not be made; who has `role` may ask for it."""
    return tr(
        "Next: `/verify` (the author, {role} rights) checks again, and so does a push", role=role
    )


def not_read_title(report: Report) -> str:
    """One line of plain text for a change of which nothing could be read."""
    if report.verdict == "fail":
        return wording.verdict(report)
    if report.unchecked and not unread(report):
        first = wording.first_sentence(report.unchecked[0].reason)
        return tr("Could not be checked: {what}", what=first)
    count = counted(len(report.unchecked), SCRIPT)
    return tr("Could not be checked: {scripts} not read.", scripts=count)


def not_read(report: Report) -> str:
    """The comment on a change of which nothing could be read."""
    reasons = "\n".join(map(_not_checked, report.unchecked[:_MOST]))
    rest = len(report.unchecked) - _MOST
    more = f"\n- {tr('{count} more', count=f'{rest:,}')}" if rest > 0 else ""
    return f"**{not_read_title(report)}** {blocks.checked_by(report)}\n\n{reasons}{more}"


def _not_checked(item: Unchecked) -> str:
    """What was not read, the path of a file or the name of a check, and why."""
    why = blocks.sentence(item.reason)
    if "/" in item.check or "." in item.check:
        return f"- {code_span(clip(item.check, PATH))} {why}"
    return "- " + tr("{what}: {why}", what=inline(word(item.check)), why=why)


def without_annotation(count: int) -> str:
    """A sentence on the findings that got no annotation."""
    return tr_plural(
        "{count} further finding has no annotation.",
        "{count} further findings have no annotation.",
        count,
        count=f"{count:,}",
    )
