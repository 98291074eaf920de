"""Chooses the release that explains a script's settings best, where none is named."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.base.messages import message
from bot.frameworks.base import Explanation, Framework
from bot.frameworks.checkout import ScriptPlace
from bot.frameworks.configuration import ReleaseChoice, Versions
from bot.frameworks.plan import Inference, Launch, Plan
from bot.frameworks.repository.pins import read_fork, read_patch
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import modules
from bot.frameworks.settings.setting import Setting
from bot.frameworks.settings.trainer_arguments import taken

_MANDATORY: Final = "actor_rollout_ref.rollout.name"
"""verl's setting that is `???` since 0.6.0 and was vllm before."""


def fitted(launches: Sequence[Launch], framework: Framework, versions: Versions) -> list[Plan]:
    """The launches of one framework in a script, read by the release that explains them best.

    Of those that explain them alike the preferred one counts, which is the newest where nothing
    else is known. A script that the preferred release takes as it is costs nothing more.
    """
    preferred = _explained(launches, framework, versions)
    by_tree = [one.configuration.source == "tree" for one in preferred]
    if all(by_tree):
        return [one.plan() for one in preferred]
    if any(by_tree):
        others = [one for one, fixed in zip(launches, by_tree, strict=True) if not fixed]
        rest = iter(fitted(others, framework, versions))
        read = zip(preferred, by_tree, strict=True)
        return [one.plan() if fixed else next(rest) for one, fixed in read]
    choice = versions.choice(framework.name)
    before = [_refused(one) for one in preferred]
    pairs = zip(before, preferred, strict=True)
    known = (wrong for wrong, one in pairs if one.configuration.table is not None)
    if len(choice.releases) < 2 or not any(known):
        return [one.plan() for one in preferred]
    tried = {}
    reading = replace(versions, lines={})
    for release in choice.releases:
        only = _trying(reading, choice, release, framework.name)
        tried[release] = _explained(launches, framework, only)
    refused = {release: [_refused(one) for one in each] for release, each in tried.items()}
    number = {release: sum(map(len, each)) for release, each in refused.items()}
    best = min(choice.releases, key=lambda one: (number[one], _count_missing(tried[one])))
    improves = number[best] < sum(map(len, before))
    return [
        _with_inference(
            one.plan(),
            refused[best][at] if improves else before[at],
            preferred[at],
            before[at],
            others={
                release: refused[release][at]
                for release in choice.releases
                if tried[release][at].configuration.table is not None
            },
        )
        for at, one in enumerate(tried[best] if improves else preferred)
    ]


def unforked(plan: Plan, place: ScriptPlace) -> Plan:
    """The plan, without a release's settings where a fork is installed that has others.

    A fork that takes what a release takes is read by that release.
    """
    read_by = plan.configuration
    table = read_by.table
    sure = not read_by.guessed and read_by.source not in ("pin", "beyond")
    if table is None or sure or not any(table.refused(plan.settings)):
        return plan
    files, framework = place.checkout.files, plan.framework
    if path := read_fork(framework, files, place.path):
        why = message(
            "{path} installs a fork of {framework}, which has other settings than a release",
            path=path,
            framework=framework,
        )
    elif folder := _fork_outside(plan, files):
        why = message(
            "the launch runs in {folder}, a fork of {framework} that this repository does not hold",
            folder=folder,
            framework=framework,
        )
    elif read_by.source == "beyond":
        why = message(
            "{reason}, which may have other settings than {framework} {release}",
            reason=read_by.reason,
            framework=framework,
            release=read_by.release,
        )
    elif path := read_patch(framework, files, _refused_names(plan)):
        why = message(
            "{path} changes {framework}, which then has other settings than a release",
            path=path,
            framework=framework,
        )
    else:
        return plan
    unknown = replace(read_by, table=None, unread=why, forked=table)
    return replace(plan, configuration=unknown, inference=None)


def with_reason(plan: Plan, place: ScriptPlace) -> Plan:
    """The plan with why its settings are not known, where only the repository says that."""
    read_by = plan.configuration
    if read_by.table is not None or read_by.unread:
        return plan
    why = (
        message("trl {release} has no such script", release=read_by.release)
        if plan.launch.entry in modules("trl")
        else place.checkout.why_unread(plan.launch.entry, place.path)
    )
    return replace(plan, configuration=replace(read_by, unread=why)) if why else plan


def _fork_outside(plan: Plan, files: Collection[str]) -> str:
    """The folder that a launch goes to, where it is called as a fork and the repository has none.

    `cd third_party/verl-agent`; empty for any other.
    """
    folder = plan.launch.command.folder
    name = folder.text.rstrip("/").rpartition("/")[2] if folder is not None else ""
    called = name.startswith((f"{plan.framework}-", f"{plan.framework}_"))
    there = any(f"/{name}/" in f"/{path}" for path in files) if called else True
    return "" if there else name


def _refused_names(plan: Plan) -> set[str]:
    """The settings that the plan's release refuses, by their last parts."""
    refused = plan.table.refused(plan.settings) if plan.table is not None else ()
    pairs = zip(plan.settings, refused, strict=False)
    return {setting.key.rpartition(".")[2] for setting, wrong in pairs if wrong}


def _explained(
    launches: Sequence[Launch], framework: Framework, versions: Versions
) -> list[Explanation]:
    """What each says; those with the settings of one file, such as a loop makes, together."""
    found: dict[int, Explanation] = {}
    keys = [id(one.command.settings if one.command.written else one) for one in launches]
    for key, launch in zip(keys, launches, strict=True):
        if key not in found:
            found[key] = framework.explain(launch, versions)
    return [found[key] for key in keys]


def _trying(versions: Versions, choice: ReleaseChoice, release: str, framework: str) -> Versions:
    """With a release in the place of all that may be meant."""
    reason = message("the release that takes most of the script's settings")
    if choice.source == "pin":
        reason = message(
            "the release that takes most of the script's settings, {reason}", reason=choice.reason
        )
    return replace(versions, tried={framework: ReleaseChoice((release,), "settings", reason)})


def _refused(one: Explanation) -> frozenset[tuple[int, str]]:
    """The settings that a release does not take; all where it lacks the program."""
    table = one.configuration.table
    if table is None:
        return frozenset(map(_place, one.settings))
    wrong = table.refused(one.settings)
    refused = {_place(s) for s, is_wrong in zip(one.settings, wrong, strict=True) if is_wrong}
    release = one.configuration.release
    refused |= {_place(s) for s in one.arguments if taken(s.key, release) is False}
    if isinstance(table, OptionTable):  # An option that takes a value may have been a switch.
        refused |= {(bad.span.start, "") for bad in one.bad_arguments}
    return frozenset(refused)


def _count_missing(each: Sequence[Explanation]) -> int:
    """The launches that lack a setting without a default, which an older release gives them."""
    unset = (one for one in each if all(s.key != _MANDATORY for s in one.settings))
    tables = (one.configuration.table for one in unset)
    entries = (table.get(_MANDATORY) for table in tables if table)
    return sum(entry is not None and entry.type == "mandatory" for entry in entries)


def _keyed(places: frozenset[tuple[int, str]]) -> frozenset[tuple[int, str]]:
    """Those of settings, without words that are none."""
    return frozenset(place for place in places if place[1])


def _place(setting: Setting) -> tuple[int, str]:
    return setting.key_span.start, setting.key


def _at(plan: Plan, places: frozenset[tuple[int, str]]) -> tuple[Setting, ...]:
    """The settings there; a beginning of an option's name is that option in some releases alone."""
    starts = {start for start, _ in places}
    every = (*plan.settings, *plan.arguments)
    return tuple(setting for setting in every if setting.key_span.start in starts)


def _with_inference(
    plan: Plan,
    refused: frozenset[tuple[int, str]],
    preferred: Explanation,
    before: frozenset[tuple[int, str]],
    *,
    others: Mapping[str, frozenset[tuple[int, str]]],
) -> Plan:
    """`refused` does the plan's release not take, `before` the preferred one."""
    if plan.table is None:
        return plan
    always = frozenset.intersection(*others.values()) if others else refused
    mended = before - refused
    explained = _keyed(mended)
    doubtful = _keyed(refused - always)
    if not mended and not doubtful:
        return plan
    own = tuple(bad for bad in preferred.bad_arguments if (bad.span.start, "") in mended)
    return replace(
        plan,
        inference=Inference(
            preferred=preferred.configuration.release,
            explained=_at(plan, explained),
            doubtful=_at(plan, doubtful),
            releases=tuple(release for release, wrong in others.items() if not mended & wrong),
            reshaped=own,
        ),
    )
