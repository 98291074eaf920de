"""Takes out the findings that comments in the script suppress; keeps them with their reasons."""

from __future__ import annotations

from collections.abc import Sequence

from bot.registry.registry import order
from bot.report import Finding, Suppressed, Unchecked
from bot.rules import suppression as rule
from bot.rules._support.base import RuleContext, ScriptRule
from bot.rules._support.registry import RULES
from bot.rules._support.suppressions import LIMIT, Suppression, suppressions


def suppress(
    context: RuleContext,
    findings: Sequence[Finding],
    rules: Sequence[ScriptRule],
    unchecked: Sequence[Unchecked],
) -> tuple[tuple[Finding, ...], tuple[Suppressed, ...]]:
    """What is left of the findings, and what is suppressed.

    `rules` were asked, `unchecked` is what they could not check: a suppression is called unused,
    by a note of the rule `suppression`, only when every rule that it names could have found
    something.
    """
    written = suppressions(context)[:LIMIT]
    comments = [one for one in written if one.word.lower() == "ignore" and one.reason]
    if not comments:
        return tuple(findings), ()
    used: set[tuple[Suppression, str]] = set()
    kept: list[Finding] = []
    out: list[Suppressed] = []
    for finding in findings:
        by = _by(comments, finding) if finding.path == context.path else None
        if by is None:
            kept.append(finding)
            continue
        used.add((by, finding.id))
        line, _ = context.source.line_column(by.span.start)
        out.append(Suppressed(finding=finding, reason=by.reason, line=line))
    open_ = {item.check for item in unchecked}
    asked = {one.meta.id for one in rules if one.label not in open_}
    kept += _unused(context, comments, used, asked, rules)
    return tuple(sorted(kept, key=order)), tuple(out)


def _by(comments: Sequence[Suppression], finding: Finding) -> Suppression | None:
    """The comment that suppresses a finding: of several the nearest above or beside it."""
    if finding.id == rule.META.id:
        return None
    fitting = [one for one in comments if finding.id in _ids(one) and one.covers(finding)]
    return fitting[-1] if fitting else None


def _ids(comment: Suppression) -> list[str]:
    """Ids of the rules that a comment names, those of no rule left out."""
    named = [RULES.lookup(name.text) for name in comment.names]
    return list(dict.fromkeys(one.meta.id for one in named if one))


def _unused(
    context: RuleContext,
    comments: Sequence[Suppression],
    used: set[tuple[Suppression, str]],
    asked: set[str],
    rules: Sequence[ScriptRule],
) -> list[Finding]:
    speaker = next((one for one in rules if one.meta.id == rule.META.id), None)
    if speaker is None:
        return []
    notes = []
    for comment in comments:
        ids = _ids(comment)
        idle = [id_ for id_ in ids if (comment, id_) not in used]
        if idle and all(id_ in asked for id_ in idle):
            all_ = len(idle) == len(ids) == len(comment.names)
            notes.append(
                RULES.finding(
                    speaker, rule.unused(context, comment, idle, all_=all_), context.source
                )
            )
    return notes
