"""RLB020: a setting that the release does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bot.frameworks.plan import Plan, Setting
from bot.frameworks.tables import KeyVerdict
from bot.rules._example import verl
from bot.rules._keys import refused, release, replaced, shown
from bot.rules.base import Case, Example, Hit, Meta, Skip

META = Meta(
    id="RLB020",
    slug="unknown-key",
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
        "Checked against one release, which the message names. A launch whose configuration is not "
        "known (a recipe of its own, a configuration outside the package) is reported as something "
        "that could not be checked. Keys added with `+` are never unknown to Hydra."
    ),
    source=(
        "The configuration in the released wheels of verl and openrlhf; Hydra's rules: "
        "https://hydra.cc/docs/1.3/advanced/override_grammar/basic/"
    ),
    example=Example(
        bad=verl("actor_rollout_ref.actor.ppo_minibatch_size=256"),
        good=verl("actor_rollout_ref.actor.ppo_mini_batch_size=256"),
    ),
)


def check(case: Case) -> Iterator[Hit | Skip]:
    """The overrides that the framework would refuse because the key is not there."""
    for plan in case.plans:
        if plan.table is None and plan.settings:
            yield Skip(
                reason=(
                    f"the settings of {plan.launch.entry} are not known "
                    f"({plan.framework} {plan.framework_version}: {plan.version_reason})"
                )
            )
    doubts: Counter[str] = Counter()
    chosen: dict[tuple[int, str], list[tuple[Plan, Setting]]] = {}
    for plan, setting, verdict in refused(case, "unknown", "absent", "below-leaf", "undecided"):
        if verdict.status == "undecided":
            if verdict.message and verdict.suggestion is None:
                doubts[verdict.message] += 1
        elif verdict.choice:
            choice = _engine(plan, verdict.choice)
            chosen.setdefault((id(plan), choice), []).append((plan, setting))
        else:
            yield _hit(case, plan, setting, verdict)
    for (_, choice), found in chosen.items():
        yield _unchosen(choice, found)
    for message, count in doubts.items():
        settings = "1 setting was" if count == 1 else f"{count} settings were"
        yield Skip(reason=f"{message}, so {settings} not checked")


def _hit(case: Case, plan: Plan, setting: Setting, verdict: KeyVerdict) -> Hit:
    key = shown(plan, setting.key)
    if verdict.status != "unknown":
        return Hit(
            message=f"{verdict.message} ({release(plan)})",
            span=setting.key_span,
            severity="warning" if verdict.accepted else None,
        )
    history = plan.table.history(setting.key) if plan.table else None
    message = f"{key} is {history}" if history else f"no release of {plan.framework} has {key}"
    near = _sensible(plan, setting, verdict.suggestion, history)
    edits = replaced(case, setting, f"{setting.operator}{near}") if near else ()
    return Hit(
        message=f"{message} ({release(plan)})",
        span=setting.key_span,
        help=f"did you mean {shown(plan, near)}?" if near else "remove the setting",
        fix_title=f"use {shown(plan, near)}" if near and edits else None,
        edits=edits,
    )


def _unchosen(choice: str, found: list[tuple[Plan, Setting]]) -> Hit:
    """One finding for all settings of a launch that a missing choice would bring."""
    plan, first = found[0]
    more = f" (and {len(found) - 1} other settings like it)" if len(found) > 1 else ""
    return Hit(
        message=f"{first.key}{more} exists only with {choice} ({release(plan)})",
        span=first.key_span,
        help=f"add {choice}, or remove " + ("the setting" if len(found) == 1 else "the settings"),
    )


def _sensible(plan: Plan, setting: Setting, near: str | None, history: str | None) -> str | None:
    """The suggestion, unless the launch has it already or it means something else.

    What became of a key of an older release is a guess, unless its name is the same.
    """
    if near is None or plan.last(near) is not None:
        return None
    same_name = near.rsplit(".", 1)[-1] == setting.key.rsplit(".", 1)[-1]
    return near if history is None or same_name or plan.framework == "openrlhf" else None


def _engine(plan: Plan, choice: str) -> str:
    """The choice as verl's users write it: model_engine=megatron for a group that it decides."""
    option = choice.rsplit("=", 1)[-1].rsplit("_", 1)[0]
    groups = getattr(plan.table, "groups", {})
    return f"model_engine={option}" if option in groups.get("model_engine", ()) else choice
