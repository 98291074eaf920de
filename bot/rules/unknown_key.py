"""RLB020: a setting that the release does not have."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from bot.base.messages import enumeration, plural_message
from bot.base.spelling import slip
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.frameworks.programs.of_transformers import added_after, dropped_by
from bot.frameworks.python.structured import StructuredTable
from bot.frameworks.repository.own_config import shown_path
from bot.frameworks.repository.pins import asked_of, asks_before, installed
from bot.frameworks.repository.release_overlay import LayeredTable
from bot.frameworks.settings import lifetimes
from bot.frameworks.settings.key_table import KeyTable, KeyVerdict
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import release_key
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, Skip, hit, message
from bot.rules._support.classes import class_with
from bot.rules._support.example import verl
from bot.rules._support.keys import in_no_release, of_file, refused, replaced, shown
from bot.rules._support.verl import copied_elsewhere

META = Meta(
    id="RLB020",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A setting that the framework's release does not have.",
    why=(
        "verl's configuration is closed: Hydra stops before the training starts when an override "
        "names a key that is not there. OpenRLHF's argument parser does the same."
    ),
    instead=(
        "Use the release's own name of the setting, remove it, or say which release the script is "
        "for with a comment such as `# verl: 0.8.0`."
    ),
    limits=(
        "Checked against one configuration, which the report names once for each script. A launch "
        "whose configuration is not known (a recipe of its own, a configuration outside the "
        "package) is reported as something that could not be checked. Keys added with `+` are "
        "never unknown to Hydra. TRL before 0.19.0 ignores what it does not know of a recipe, and "
        "a program that asks for return_remaining_strings, or imports unsloth, what it does not "
        "know at all: a warning. One, too, where nobody states the release and PYTHONPATH leads to "
        "a folder that is not in the repository: it may hold a fork of verl. Of the settings for a "
        "fork that the repository installs only slips of one letter are named, as warnings. What a "
        "patch file of the repository adds is taken to be there. Where nobody states the release, "
        "settings that another release has are left to RLB028."
    ),
    source=(
        "The configuration in the released wheels of verl and openrlhf; Hydra's rules: "
        "https://hydra.cc/docs/1.3/advanced/override_grammar/basic/"
    ),
    refusal=True,
    example=Example(
        bad=verl("actor_rollout_ref.actor.ppo_minibatch_size=256"),
        good=verl("actor_rollout_ref.actor.ppo_mini_batch_size=256"),
    ),
)

_NAMED = 6
"""Settings below a missing section that are named."""


def check(context: RuleContext) -> Hits:
    """The overrides that the framework would refuse because the key is not there."""
    yield from _unread(context)
    yield from _refused(context)


def _unread(context: RuleContext) -> Hits:
    for plan in context.plans:
        read_by = plan.configuration
        asked = plan.settings or (read_by.unread and read_by.forked is None)
        if plan.table is None and asked and read_by.problem is None:
            yield Skip(
                reason=message(
                    "the settings of {entry} are not known: {why}",
                    entry=shown_path(plan.launch.entry),
                    why=read_by.unread or message("no configuration of it was found"),
                )
            )
            if read_by.forked is not None:
                yield from _misspelt(plan, read_by.forked)


def _misspelt(plan: Plan, release: KeyTable) -> Hits:
    """Settings for a fork that no release has, one letter away from one that releases have."""
    for setting, verdict in zip(plan.settings, release.verdicts(plan.settings), strict=False):
        near = verdict.suggestion or ""
        slipped = verdict.status == "unknown" and _slipped(setting.key, near)
        if slipped and release.history(setting.key) is None:
            yield hit(
                setting.key_span,
                "there is no {key} in any release of {framework}, and the fork may lack it too",
                key=shown(plan, setting.key),
                framework=plan.framework,
                severity="warning",
                help=message("did you mean {key}?", key=shown(plan, near)),
            )


def _slipped(key: str, near: str) -> bool:
    """Whether two keys are the same but for a slip in one of their parts."""
    parts, others = key.split("."), near.split(".")
    differing = [pair for pair in zip(parts, others, strict=False) if pair[0] != pair[1]]
    alike = len(parts) == len(others) and len(differing) == 1
    return alike and slip(differing[0][0], [differing[0][1]]) is not None


def _refused(context: RuleContext) -> Hits:
    doubts: Counter[str] = Counter()
    chosen: dict[tuple[int, str], list[tuple[Plan, Setting]]] = {}
    below: dict[tuple[int, str], list[tuple[Plan, Setting, KeyVerdict]]] = {}
    for plan, setting, verdict in refused(context, "unknown", "absent", "below-leaf", "undecided"):
        if verdict.status == "undecided":
            if verdict.message and verdict.suggestion is None:
                doubts[verdict.message] += 1
        elif verdict.status == "unknown" and _may_be_there(context, plan, setting):
            continue
        elif verdict.choice:
            choice = _engine(plan, verdict.choice)
            chosen.setdefault((id(plan), choice), []).append((plan, setting))
        else:
            section = _absent_section(plan, setting) if verdict.status == "unknown" else ""
            below.setdefault((id(plan), section), []).append((plan, setting, verdict))
    for (_, section), settings in below.items():
        if section and len(settings) > 1:
            yield _section(context, section, settings)
        else:
            yield from (_hit(context, *one) for one in settings)
    for (_, choice), found in chosen.items():
        yield _unchosen(choice, found)
    for text, count in doubts.items():
        yield Skip(
            reason=plural_message(
                "{doubt}, so {count} setting was not checked",
                "{doubt}, so {count} settings were not checked",
                count,
                doubt=text,
            )
        )


def _may_be_there(context: RuleContext, plan: Plan, setting: Setting) -> bool:
    """Whether a patch that the repository keeps adds it, or transformers may have it."""
    name, place = setting.key.rpartition(".")[2], context.place
    patched = place is not None and name in place.checkout.patches.names
    return patched or _kept(context, plan, setting)


def _kept(context: RuleContext, plan: Plan, setting: Setting) -> bool:
    """Whether the transformers that is asked for may have an option that the table does not.

    TRL has most of its options from there, and does not say which release it is with. One that a
    newer release dropped is there where an older one is asked for, and one that a newer release
    added unless that is so: who asks for none gets the newest.
    """
    if plan.framework != "trl":
        return False
    without, before = dropped_by(setting.key), added_after(setting.key)
    if not without and not before:
        return False
    asked = installed(context.reading.commands)
    if (place := context.place) is not None:
        checkout = place.checkout
        program = checkout.trl_programs.file_of(plan.launch.program, place.path)
        programs = filter(None, (place.path, program))
        pinning = checkout.pinning(place.path)
        asked = chain(asked, asked_of("transformers", checkout.files, programs, pinning))
    if without:
        return asks_before("transformers", without, asked)
    return not asks_before("transformers", before, asked)


def _hit(context: RuleContext, plan: Plan, setting: Setting, verdict: KeyVerdict) -> Hit:
    key = shown(plan, setting.key)
    if verdict.status != "unknown":
        return Hit(
            message=verdict.message,
            span=setting.key_span,
            severity="warning" if verdict.accepted else None,
            help=(
                message("did you mean {key}?", key=shown(plan, verdict.suggestion))
                if verdict.accepted and verdict.suggestion
                else None
            ),
        )
    if setting.operator and isinstance(plan.table, StructuredTable):
        return _with_operator(context, setting)
    if (name := class_with(plan, setting)) is not None:
        return _without_plus(context, plan, setting, name)
    history = plan.table.history(setting.key) if plan.table else None
    releases = history
    if isinstance(plan.table, StructuredTable):  # EasyR1's names are not verl's.
        releases = lifetimes.history(plan.framework, "ppo_trainer", setting.key)
    text = (
        message("there is no {key} here; it is {history}", key=key, history=releases)
        if releases
        else in_no_release(plan, key)
    )
    near = _sensible(plan, setting, verdict.suggestion, history)
    edits = replaced(context, setting, f"{setting.operator}{near}") if near else ()
    return Hit(
        message=text,
        span=setting.key_span,
        help=(
            message("did you mean {key}?", key=shown(plan, near))
            if near
            else message("remove the setting, or write +{key} if code of yours reads it", key=key)
            if not (history or verdict.suggestion) and _takes_more(plan, setting)
            else message("remove the setting")
        ),
        severity="warning" if _ignored(context, plan, setting) or _unsure(context, plan) else None,
        fix_title=(message("use {key}", key=shown(plan, near)) if near and edits else None),
        edits=edits,
    )


def _with_operator(context: RuleContext, setting: Setting) -> Hit:
    """Hydra's operator in front of a setting of EasyR1's, whose OmegaConf knows none."""
    edits = replaced(context, setting, setting.key)
    return Hit(
        message=message(
            "this program takes the {operator} of {key} for a part of the name: it is Hydra's",
            operator=setting.operator,
            key=setting.key,
        ),
        span=setting.key_span,
        help=message("write {name}", name=setting.key),
        fix_title=message("write {name}", name=setting.key) if edits else None,
        edits=edits,
    )


def _without_plus(context: RuleContext, plan: Plan, setting: Setting, name: str) -> Hit:
    """A field of a class that stands in no file of the configuration: Hydra adds it with a plus."""
    plus = f"+{setting.key}"
    edits = replaced(context, setting, plus)
    return Hit(
        message=message(
            "the configuration names no {key}, which its class {name} takes",
            key=setting.key,
            name=name,
        ),
        span=setting.key_span,
        help=message("write {plus}", plus=plus),
        severity="warning" if _ignored(context, plan, setting) or _unsure(context, plan) else None,
        fix_title=message("add the +") if edits else None,
        edits=edits,
    )


def _takes_more(plan: Plan, setting: Setting) -> bool:
    """Whether `+` could add the setting: its section is there, and becomes no object of a class."""
    at: object = plan.table.tree_for(plan.settings) if isinstance(plan.table, HydraTable) else None
    for section in setting.key.split(".")[:-1]:
        at = at.get(section) if isinstance(at, dict) else None
        if not isinstance(at, dict) or "_target_" in at:
            return False
    return not setting.operator and isinstance(at, dict)


def _absent_section(plan: Plan, setting: Setting) -> str:
    """The highest section above a setting that verl's configuration does not have; "" for none."""
    if plan.framework != "verl" or plan.table is None:
        return ""
    parts = setting.key.split(".")
    above = (".".join(parts[:depth]) for depth in range(1, len(parts)))
    return next((section for section in above if section not in plan.table), "")


def _section(
    context: RuleContext, section: str, found: list[tuple[Plan, Setting, KeyVerdict]]
) -> Hit:
    """One finding for all settings of a launch below a section that is not there."""
    plan, first, _ = found[0]
    keys = list(dict.fromkeys(setting.key for _, setting, _ in found))
    names = [key.removeprefix(f"{section}.") for key in keys]
    given = enumeration(names, _NAMED)
    history = {plan.table.history(key) for key in keys} if plan.table else {None}
    if len(history) == 1 and (known := history.pop()) is not None:
        text = message(
            "there is no section {section} here; it is {history}; the launch sets {keys} in it",
            section=section,
            keys=given,
            history=known,
        )
    else:
        text = message(
            "there is no section {section} here; the launch sets {keys} in it",
            section=section,
            keys=given,
        )
    moved = {_moved(plan, section, setting, verdict) for _, setting, verdict in found}
    place = moved.pop() if len(moved) == 1 else None
    near = place or (given if place is not None else None)
    edits = [
        edit
        for _, setting, verdict in found
        if near
        for edit in replaced(context, setting, f"{setting.operator}{verdict.suggestion}")
    ]
    return Hit(
        message=text,
        span=first.key_span,
        help=message("did you mean {key}?", key=near) if near else message("remove the settings"),
        severity="warning" if _unsure(context, plan) else None,
        fix_title=message("use {key}", key=near) if len(edits) == len(found) else None,
        edits=tuple(edits) if len(edits) == len(found) else (),
    )


def _moved(plan: Plan, section: str, setting: Setting, verdict: KeyVerdict) -> str | None:
    """The section that the key's suggestion has in the place of this one; "" where it has none.

    None where it is another key, or one that the launch has already.
    """
    rest = setting.key.removeprefix(section)
    near = verdict.suggestion or ""
    moved = f".{near}".endswith(rest) and plan.last(near) is None
    return near.removesuffix(rest.removeprefix(".")).rstrip(".") if moved else None


def _ignored(context: RuleContext, plan: Plan, setting: Setting) -> bool:
    """Whether `TrlParser` may pass over the key: since 0.19.0 it refuses those of a file too.

    Unless the program asks for what is left over (`return_remaining_strings=True`). Unsloth's
    classes in the place of TRL's drop it (2026.8.17: `unsloth/models/rl_config_compat.py`).
    """
    command, place = plan.launch.command, context.place
    if plan.framework != "trl" or command.written:
        return plan.written is not None and plan.written.unsloth is not None
    programs = place.checkout.trl_programs if place is not None else None
    entry = "" if command.implied else plan.launch.entry
    if programs is not None and place is not None and programs.drops_rest(entry, place.path):
        return True
    if not of_file(plan, setting):
        return False
    refusing = release_key("0.19")
    older = any(release_key(one) < refusing for one in plan.inferred_releases)
    return older or not version_at_least(plan, 0, 19)


def _unsure(context: RuleContext, plan: Plan) -> bool:
    """Whether the framework may be no release: the repository builds on verl, or names a copy."""
    guessed = plan.configuration.guessed
    return guessed and (isinstance(plan.table, LayeredTable) or copied_elsewhere(context, plan))


def _unchosen(choice: str, found: list[tuple[Plan, Setting]]) -> Hit:
    """One finding for all settings of a launch that a missing choice would bring."""
    _, first = found[0]
    more = (
        plural_message(
            " (and {count} other setting like it)",
            " (and {count} other settings like it)",
            len(found) - 1,
        )
        if len(found) > 1
        else ""
    )
    return hit(
        first.key_span,
        "{key}{more} exists only with {choice}",
        key=first.key,
        more=more,
        choice=choice,
        help=plural_message(
            "add {choice}, or remove the setting",
            "add {choice}, or remove the settings",
            len(found),
            choice=choice,
        ),
    )


def _sensible(plan: Plan, setting: Setting, near: str | None, history: str | None) -> str | None:
    """The suggestion, unless the launch has it already or it means something else.

    What became of a key of an older release is a guess, unless its name is the same, or the
    framework says so.
    """
    if near is None or plan.last(near) is not None:
        return None
    same_name = near.rsplit(".", 1)[-1] == setting.key.rsplit(".", 1)[-1]
    said = isinstance(plan.table, OptionTable) and plan.table.renamed(setting.key) == near
    return near if not history or same_name or said or plan.framework == "openrlhf" else None


def _engine(plan: Plan, choice: str) -> str:
    """The choice as verl's users write it: model_engine=megatron for a group that it decides."""
    option = choice.rsplit("=", 1)[-1].rsplit("_", 1)[0]
    groups = getattr(plan.table, "groups", {})
    return f"model_engine={option}" if option in groups.get("model_engine", ()) else choice
