"""RLB023: a setting that the release still takes but advises against."""

from __future__ import annotations

from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, values_of
from bot.frameworks.settings.releases import release, releases
from bot.frameworks.settings.setting import Setting
from bot.frameworks.tables import table as table_of
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import replaced, shown
from bot.rules._support.verl import ENTRY, doubted, per_gpu_help, unread_sizes

META = Meta(
    id="RLB023",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    summary="A setting, or a root configuration, that the release deprecates.",
    why="A deprecated setting goes away with a later release, and the script stops with it.",
    instead="Use the replacement that the message names.",
    limits=(
        "Knows the deprecations that verl states in its configuration and its code. The fix is "
        "offered only where a plain renaming means the same; the batch sizes over all GPUs "
        "(ppo_micro_batch_size) become sizes per GPU, so their value changes with the name. A note "
        "where nobody names the release and the setting counts in an older one that may be meant."
    ),
    source=(
        "verl's verl/trainer/config/*.yaml and verl/utils/config.py, validate_config; "
        "https://verl.readthedocs.io/en/latest/perf/perf_tuning.html for the batch sizes"
    ),
    example=Example(
        bad=verl("data.val_batch_size=512"),
        good=verl(),
    ),
)


def check(context: RuleContext) -> Hits:
    """Settings with a known deprecation, and root configurations."""
    for plan in context.plans:
        table = plan.table
        if table is None:
            continue
        if isinstance(table, HydraTable):
            yield from _root(plan, table)
        instead = table.deprecated
        found = [
            (setting, use)
            for setting in plan.settings
            if setting.operator != "~" and (use := instead(setting.key)) is not None
        ]
        if not found:
            continue
        values = values_of(plan)
        # Those that the release no longer takes are errors of other rules: micro-batch-form and
        # removed-rollout-mode.
        unread = unread_sizes(values) if plan.launch.entry == ENTRY else []
        for setting, use in found:
            removed = setting.key.endswith("rollout.mode") and setting.value == "sync"
            off = setting.value is None  # As it is without the setting.
            if setting.key in unread or removed or off or _counts_environments(plan, setting):
                continue
            yield _hit(context, values, setting, use)


_ONE_BATCH = "data.val_batch_size"
"""verl's, whose removal every release takes alike."""


def _without(key: str, since: str) -> Message:
    if key == _ONE_BATCH:
        return message("remove it: the validation data is then one batch")
    if since:
        return message(
            "for verl {release} or later remove it: it has no effect there", release=since
        )
    return message("remove it; it has no effect")


def _in_use_before(plan: Plan, key: str) -> str:
    """The first release that deprecates a setting, where one before it may be meant; else empty."""
    if key == _ONE_BATCH or plan.framework != "verl":
        return ""
    every = releases("verl")
    last = next(filter(lambda one: _in_use(one, key), reversed(every)), every[-1])
    return every[every.index(last) + 1] if last != every[-1] and doubted(plan, last) else ""


def _in_use(version: str, key: str) -> bool:
    """Whether a release of verl has a setting and does not deprecate it."""
    tables = (table_of("verl", version, root) for root in release("verl", version)["roots"])
    return any(one is not None and key in one and one.deprecated(key) is None for one in tables)


def _counts_environments(plan: Plan, setting: Setting) -> bool:
    """Whether a fork's environments are as many as the validation batch, as verl-agent's are."""
    return setting.key == _ONE_BATCH and any(
        other.key.startswith("env.") for other in plan.settings
    )


def _hit(context: RuleContext, values: PlanValues, setting: Setting, use: str) -> Hit:
    plan = values.plan
    key = shown(plan, setting.key)
    since = _in_use_before(plan, setting.key)
    if since or not use:
        return hit(
            setting.key_span,
            "{key} is deprecated",
            key=key,
            severity="note" if since else None,
            help=_instead(plan, use, since) if use else _without(setting.key, since),
        )
    over_all = use == f"{setting.key}_per_gpu" and plan.framework == "verl"
    rename = _is_move(plan, setting, use)
    edits = replaced(context, setting, f"{setting.operator}{use}") if rename else ()
    return hit(
        setting.key_span,
        "{key} is deprecated",
        key=key,
        help=per_gpu_help(values, setting.key) if over_all else _instead(plan, use),
        fix_title=message("use {key}", key=shown(plan, use)),
        fix_safe=bool(edits) and not _is_referred_to(plan, setting.key),
        edits=edits,
    )


def _instead(plan: Plan, use: str, since: str = "") -> Message:
    if since:
        return message("for verl {release} or later use {key}", release=since, key=shown(plan, use))
    return message("use {key}", key=shown(plan, use))


def _is_move(plan: Plan, setting: Setting, use: str) -> bool:
    """True when the replacement is the same setting in another section, and is not set as well."""
    same_name = use.rsplit(".", 1)[-1] == setting.key.rsplit(".", 1)[-1]
    known = plan.table is not None and plan.table.get(use) is not None
    return same_name and known and plan.last(use) is None


def _is_referred_to(plan: Plan, key: str) -> bool:
    """True when another default takes its value from `key`, and so would change with a renaming.

    In verl 0.9.1 ref.ulysses_sequence_parallel_size follows the actor's deprecated key, not the new
    one.
    """
    return isinstance(plan.table, HydraTable) and plan.table.refers_to(key.rsplit(".", 1)[-1])


def _root(plan: Plan, table: HydraTable) -> Hits:
    use, root = table.deprecated_root, table.root
    if use is None or use.split("=")[0] not in table.groups:
        return  # A checkout from before the replacement.
    for word in plan.launch.argv:
        at = word.text.find(root)
        if at >= 0:
            yield hit(
                word.span_of(at, at + len(root)),
                "the root configuration {root} is deprecated",
                root=root,
                help=message("use {use} instead", use=use),
            )
            return
