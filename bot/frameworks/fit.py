"""The release that a script's own settings speak for, where nobody names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bot.base.messages import message
from bot.frameworks.base import ReleaseChoice, Versions
from bot.frameworks.option_table import OptionTable
from bot.frameworks.plan import Inference, Launch, Plan
from bot.frameworks.setting import Setting


def fitted(
    launches: Sequence[Launch], read: Callable[[Launch, Versions], Plan], versions: Versions
) -> list[Plan]:
    """The launches of one framework in a script, read by the release that explains them best.

    Of those that explain them alike the preferred one counts, which is the newest where nothing
    else is known. A script that the preferred release takes as it is costs nothing more.
    """
    preferred = [read(launch, versions) for launch in launches]
    choice = versions.choice(preferred[0].framework)
    if len(choice.releases) < 2 or any(plan.version_source == "tree" for plan in preferred):
        return preferred
    if not any(_refused(plan) for plan in preferred if plan.table is not None):
        return preferred
    tried = {
        release: _tried(launches, read, versions, choice, release) for release in choice.releases
    }
    refused = {release: [_refused(plan) for plan in plans] for release, plans in tried.items()}
    number = {release: sum(map(len, each)) for release, each in refused.items()}
    best = min(choice.releases, key=number.__getitem__)
    improves = number[best] < sum(len(_refused(plan)) for plan in preferred)
    best_plans = tried[best] if improves else preferred
    return [
        _with_inference(
            best_plans[at],
            before=preferred[at],
            others={
                release: refused[release][at]
                for release in choice.releases
                if tried[release][at].table is not None
            },
        )
        for at in range(len(launches))
    ]


def _tried(
    launches: Sequence[Launch],
    read: Callable[[Launch, Versions], Plan],
    versions: Versions,
    choice: ReleaseChoice,
    release: str,
) -> list[Plan]:
    reason = message("the release that has most of the script's settings")
    if choice.source == "pin":
        reason = message(
            "the release that has most of the script's settings, {reason}", reason=choice.reason
        )
    framework = launches[0].framework
    only = ReleaseChoice((release,), "settings", reason)
    return [read(launch, replace(versions, tried={framework: only})) for launch in launches]


def _refused(plan: Plan) -> frozenset[tuple[int, str]]:
    """The settings that the plan's release does not take; all where it lacks the program."""
    if plan.table is None:
        return frozenset(map(_place, plan.settings))
    wrong = plan.table.refused(plan.settings)
    refused = {_place(s) for s, is_wrong in zip(plan.settings, wrong, strict=True) if is_wrong}
    if isinstance(plan.table, OptionTable):  # An option that takes a value may have been a switch.
        refused |= {(bad.span.start, "") for bad in plan.bad_arguments}
    return frozenset(refused)


def _keyed(places: frozenset[tuple[int, str]]) -> frozenset[tuple[int, str]]:
    """Those of settings, without words that are none."""
    return frozenset(place for place in places if place[1])


def _place(setting: Setting) -> tuple[int, str]:
    return setting.key_span.start, setting.key


def _with_inference(
    plan: Plan,
    *,
    before: Plan,
    others: Mapping[str, frozenset[tuple[int, str]]],
) -> Plan:
    if plan.table is None:
        return plan
    refused = _refused(plan)
    always = frozenset.intersection(*others.values()) if others else refused
    explained = _keyed(_refused(before) - refused) if plan is not before else frozenset()
    doubtful = _keyed(refused - always)
    if not explained and not doubtful:
        return plan
    return replace(
        plan,
        inference=Inference(
            preferred=before.framework_version,
            explained=tuple(s for s in plan.settings if _place(s) in explained),
            doubtful=tuple(s for s in plan.settings if _place(s) in doubtful),
            releases=tuple(release for release, wrong in others.items() if not explained & wrong),
        ),
    )
