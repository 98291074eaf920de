"""RLB131: `+` adds a setting that the class of its section does not take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.base.spelling import slip
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of
from bot.frameworks.repository.verl_copies import VerlCopies
from bot.frameworks.settings.releases import release, releases
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.classes import place_in_class
from bot.rules._support.example import verl
from bot.rules._support.verl import ENTRY, is_fsdp, needs_critic

META = Meta(
    id="RLB131",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="A setting added with `+` to a section whose class does not take it.",
    why=(
        "Hydra adds any key with `+`. verl then makes an object of the section's class, which "
        "takes its own fields alone: the worker stops with `unexpected keyword argument`."
    ),
    instead="Remove the setting, or add the field to the class, and to the configuration.",
    limits=(
        "The sections are the actor, rollout, model and critic, and those below that have a class. "
        "Checked for the releases since 0.6.0 where somebody says which one is meant, and where "
        "the script's repository holds the whole of verl, whose classes are read then. Of other "
        "programs than `verl.trainer.main_ppo` only DAPO's, which starts the same workers: a "
        "warning."
    ),
    source=(
        "omega_conf_to_dataclass in verl/utils/config.py, since 0.6.0 in the workers; the classes "
        "of verl/workers/config"
    ),
    refusal=True,
    example=Example(
        bad=verl("+actor_rollout_ref.rollout.world_size=8", before="# verl: 0.8.0"),
        good=verl("+actor_rollout_ref.rollout.sglang_engine_mode=local", before="# verl: 0.8.0"),
    ),
)

_MADE = regex(
    r"omega_conf_to_dataclass\((?:self\.)?config\.(?:actor_rollout_ref\.)?"
    r"(actor|rollout|model|critic)\b(?!\.)"
)
"""Where verl makes an object of a whole section."""
_DAPO = "recipe.dapo.main_dapo"
_SECTIONS = ("actor", "rollout", "model", "critic")
_WORKERS = {True: "fsdp_workers", False: "megatron_workers"}
_NEWER = "engine_workers"
"""The workers of the releases that have no others."""
_STARTS = ("main_ppo.py", "main_ppo_v0.py", "ppo/v1/trainer_base.py")
"""The files that start the workers, below `verl/trainer`."""


def check(context: RuleContext) -> Hits:
    """Settings that are new to the configuration, and to the class of their section."""
    for plan in context.plans:
        table, added = plan.table, [one for one in plan.settings if one.operator in ("+", "++")]
        if not added or not isinstance(table, HydraTable):
            continue
        tree = table.tree_for(plan.settings)
        new = [
            (one, place) for one in added if (place := place_in_class(tree, one.key)) is not None
        ]
        classes = _classes(context, plan) if new else None
        for setting, (section, name, field, beside) in new if classes is not None else ():
            if plan.last(f"{section}._target_") is not None:
                continue  # The launch names another class.
            fields = classes.fields(name) if classes and classes.makes(section) else None
            if fields is None or field in fields or f"{section}.{field}" in table:
                continue
            near = slip(field, {*fields, *beside})
            yield hit(
                setting.key_span,
                "{section} becomes an object of the class {name}, which has no {field}",
                section=section,
                name=name.rpartition(".")[2],
                field=field,
                severity=None if plan.launch.entry == ENTRY else "warning",
                help=(
                    message("did you mean {key}?", key=f"{section}.{near}")
                    if near
                    else message("remove the setting")
                ),
            )


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes of a launch's verl."""

    made: Collection[str]
    """The sections that it makes objects of."""
    fields: Callable[[str], Collection[str] | None]
    """What a class takes, at least beside what its section holds; None where that is not known."""

    def makes(self, section: str) -> bool:
        return section.removeprefix("actor_rollout_ref.").partition(".")[0] in self.made


def _classes(context: RuleContext, plan: Plan) -> _Classes | None:
    """Those of the release that somebody names, or of the copy that the script runs with."""
    if plan.launch.entry not in (ENTRY, _DAPO):
        return None
    named = plan.configuration.release
    if plan.configuration.source in ("requested", "header") and named in releases("verl"):
        of_release = release("verl", named).get("classes")
        made = [one for one in _SECTIONS if one != "critic" or needs_critic(values_of(plan))]
        if not of_release:
            return None
        return _Classes(made, lambda name: of_release.get(name.rpartition(".")[2]))
    place = context.place
    if place is None or not place.checkout.verl.text(place.path, "protocol.py"):
        return None
    copies, script = place.checkout.verl, place.path
    return _Classes(_made(plan, copies, script), lambda name: copies.fields(script, name))


def _made(plan: Plan, copies: VerlCopies, script: str) -> Sequence[str]:
    """The sections that this launch makes objects of, in the workers that its program starts."""
    values = values_of(plan)
    texts = {
        name: copies.text(script, f"workers/{name}.py")
        for name in (_WORKERS[is_fsdp(values)], _NEWER)
    }
    name = next((name for name, text in texts.items() if text), _NEWER)
    starts = (copies.text(script, f"trainer/{one}") for one in _STARTS)
    if not any(f"verl.workers.{name}" in text for text in starts):
        return []
    text = texts[name] + copies.text(script, "trainer/ppo/ray_trainer.py")
    made = [
        found[1]
        for found in _MADE.finditer(text)
        if "#" not in text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    ]
    return [name for name in made if name != "critic" or needs_critic(values)]
