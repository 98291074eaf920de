"""Finds the rules by walking this package, and runs them over a script."""

from __future__ import annotations

import posixpath as posix
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache

import bot.rules
from bot.base.discovery import entries
from bot.base.errors import UserError
from bot.base.messages import message
from bot.base.resources import DOCUMENTATION
from bot.report import Edit, Finding, Fix, Unchecked
from bot.rules._support.base import Hit, Rule, RuleContext, Skip
from bot.shell.source import Span

DOCS = f"{DOCUMENTATION}/rules"
"""Where the rules' pages are published; a page is named after the rule's slug."""


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, ordered by id; see `bot.base.discovery.entries`."""
    found = entries(bot.rules)
    return tuple(Rule(module.META, module.check) for module in found)


def url(slug: str) -> str:
    """Address of a rule's page."""
    return f"{DOCS}/{slug}.md"


@cache
def _labels() -> dict[str, Rule]:
    return {label: rule for rule in rules() for label in (rule.meta.id.lower(), rule.meta.slug)}


def lookup(name: str) -> Rule | None:
    """The rule with this id (RLB020) or slug (unknown-key), in any case; None without one."""
    return _labels().get(name.strip().lower())


def nearest(name: str) -> Rule | None:
    """The rule whose id or slug is nearest to a name that is none's; None when none is near."""
    near = get_close_matches(name.strip().lower(), _labels(), n=1)
    return _labels()[near[0]] if near else None


def find(name: str) -> Rule:
    """As `lookup`; raises UserError, with the nearest known one, when there is none."""
    rule = lookup(name)
    if rule is not None:
        return rule
    near = nearest(name)
    hint = (
        f"did you mean {near.meta.id} ({near.meta.slug})?"
        if near
        else "rlbot rule lists the rules."
    )
    raise UserError(f'There is no rule "{name}"; {hint}')


def wanted(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> tuple[Rule, ...]:
    """The rules that are left by `select` (all when empty) and `ignore`: ids or slugs.

    Raises UserError when a name is no rule's.
    """
    chosen = {find(name).meta.id for name in select}
    dropped = {find(name).meta.id for name in ignore}
    return tuple(
        r for r in rules() if (not chosen or r.meta.id in chosen) and r.meta.id not in dropped
    )


def check_context(
    context: RuleContext, *, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> tuple[tuple[Finding, ...], tuple[Unchecked, ...]]:
    """Run the rules over one script: what they found, and what could not be checked.

    `select` and `ignore` hold ids or slugs; an empty `select` means all rules. Findings are ordered
    by place, then id; the same finding from several plans counts once. A rule that raises becomes
    an `Unchecked`, so that one fault does not hide what the other rules found.
    Raises UserError when a name is no rule's.
    """
    return run(wanted(select, ignore), context)


def run(
    chosen: Iterable[Rule], context: RuleContext
) -> tuple[tuple[Finding, ...], tuple[Unchecked, ...]]:
    """Run these rules over one script; see `check_context`."""
    findings: dict[tuple[object, ...], Finding] = {}
    unchecked: dict[Unchecked, None] = {}
    for rule in chosen:
        check = label(rule)
        try:
            results = list(rule.check(context))
        except Exception as error:  # A fault in one rule must not hide what the others find.
            reason = message(
                "rule {id} failed: {kind}. This is a fault of rlbot, not of the script; please "
                "report it with the script.",
                id=rule.meta.id,
                kind=type(error).__name__,
            )
            unchecked[Unchecked(check=check, reason=reason)] = None
            continue
        for result in results:
            if isinstance(result, Skip):
                unchecked[Unchecked(check=check, reason=result.reason)] = None
            else:
                finding = finding_of(rule, result, context)
                key = (finding.id, finding.line, finding.column, finding.message)
                findings.setdefault(key, finding)
    return tuple(sorted(findings.values(), key=order)), tuple(unchecked)


def label(rule: Rule) -> str:
    """What a report calls a rule that could not check something: its id and name."""
    return f"{rule.meta.id} {rule.meta.slug}"


def order(finding: Finding) -> tuple[object, ...]:
    """Sorts findings by place, then id."""
    place = (finding.line, finding.column, finding.end_line, finding.end_column)
    return (*place, finding.id, finding.message)


def finding_of(rule: Rule, hit: Hit, context: RuleContext) -> Finding:
    """What a rule found, as the report has it."""
    line, column, end_line, end_column = _place(context, hit.span)
    fix = None
    if hit.edits:
        edits = tuple(Edit(**_edit(context, e.span), text=e.text) for e in hit.edits)
        fix = Fix(title=hit.fix_title or message("apply the edit"), safe=hit.fix_safe, edits=edits)
    return Finding(
        id=rule.meta.id,
        slug=rule.meta.slug,
        severity=hit.severity or rule.meta.severity,
        message=hit.message,
        path=context.path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        help=hit.help,
        url=url(rule.meta.slug),
        fix=fix,
        rename=_moved(context.path, hit.rename) if hit.rename else None,
    )


def _place(context: RuleContext, span: Span) -> tuple[int, int, int, int]:
    place = context.source.place(span)
    return place.line, place.column, place.end_line, place.end_column


def _edit(context: RuleContext, span: Span) -> dict[str, int]:
    names = ("line", "column", "end_line", "end_column")
    return dict(zip(names, _place(context, span), strict=True))


def _moved(path: str, new: str) -> str:
    """The path of a script under another name, or below another folder beside its own."""
    return posix.normpath(posix.join(posix.dirname(path), new))
