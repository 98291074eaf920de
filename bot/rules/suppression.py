"""RLB007: a comment that is meant to suppress a finding, and does not."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from bot.base.messages import pmessage
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.registry import RULES
from bot.rules._support.suppressions import LIMIT, Suppression, removal, suppressions

_FORM = "# rlbot: ignore[RLB021] the reason"
_LIKENED: Final = 100
"""Unknown names of a script for which a similar one is looked for."""

META = Meta(
    id="RLB007",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    shell_only=True,
    summary="A comment that is meant to suppress a finding lacks its reason, or suppresses none.",
    why=(
        "A finding that is switched off stays visible to those who read the report, with the "
        "reason that its author gave. Without one, or with the id of no rule, nothing is switched "
        "off. A suppression that no longer has its finding hides the next one."
    ),
    instead=(
        f"Write `{_FORM}` at the end of the line, or on a line of its own above the statement: "
        "ids or names of rules, several by commas, and why they do not apply here."
    ),
    limits=(
        "A suppression of a rule that was not asked, or could not check the script, is not called "
        "unused. This rule cannot be suppressed by a comment."
    ),
    source="https://docs.astral.sh/ruff/linter/#error-suppression: unused suppressions are told",
    example=Example(
        bad=verl(before="# rlbot: ignore[trial-log]\nbatch=8"),
        good=verl(
            "data.train_batch_size=1024",
            "data.train_batch_size=512",
            before="# rlbot: ignore[duplicate-key] the second one is this machine's",
        ).replace("machine's\n\n", "machine's\n"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Comments without a reason or with an unknown rule; `unused` tells what remains."""
    found = suppressions(context)
    if len(found) > LIMIT:
        yield hit(
            found[LIMIT].span,
            "the script has more than {limit} suppressions; from here on they have no effect",
            limit=LIMIT,
            help=message("switch the rule off in .rlbot.yml instead"),
        )
    likened = iter(range(_LIKENED))
    for suppression in found[:LIMIT]:
        if suppression.word.lower() != "ignore":
            # Other tools' readers may talk to rlbot in prose; a bracket or a near miss is meant.
            near = difflib.get_close_matches(suppression.word.lower(), ["ignore"], n=1, cutoff=0.7)
            if near or suppression.names:
                yield hit(
                    suppression.span,
                    'a comment to rlbot says "{word}", which is no instruction',
                    word=suppression.word,
                    help=message("write {form}", form=_FORM),
                )
            continue
        yield from _written_wrongly(suppression, likened)


def _written_wrongly(suppression: Suppression, likened: Iterator[int]) -> Hits:
    if not suppression.names:
        yield hit(
            suppression.span,
            "the suppression names no rule, so it has no effect",
            help=message("write {form}", form=_FORM),
        )
        return
    for name in suppression.names:
        if RULES.lookup(name.text) is not None:
            continue
        near = RULES.nearest(name.text) if next(likened, None) is not None else None
        yield hit(
            name.span,
            'the suppression names "{name}", which is no rule',
            name=name.text,
            help=message("did you mean {id} ({slug})?", id=near.meta.id, slug=near.slug)
            if near
            else message("`rlbot rule` lists the rules"),
        )
    if not suppression.reason:
        yield hit(
            suppression.span,
            "the suppression gives no reason, so it has no effect",
            help=message("write why: {form}", form=_FORM),
        )


def unused(context: RuleContext, suppression: Suppression, ids: list[str], *, all_: bool) -> Hit:
    """What is said of a suppression that met no finding; with `all_` the comment can go."""
    return hit(
        suppression.span,
        "the suppression of {rules} is not used: nothing is found there",
        rules=", ".join(ids),
        severity="note",
        help=pmessage("suppression", "remove it"),
        fix_title=message("remove the comment"),
        fix_safe=all_,
        edits=(removal(context, suppression),) if all_ else (),
    )
