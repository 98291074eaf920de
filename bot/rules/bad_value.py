"""RLB027: a value that the framework cannot put at this key."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message
from bot.rules._support.example import verl
from bot.rules._support.keys import of_file, refused, shown

META = Meta(
    id="RLB027",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A value, or a choice of a configuration group, that the framework refuses.",
    why="Hydra, or OpenRLHF's argument parser, stops before the training starts.",
    instead="Use one of the choices that the message names, or a value of the right kind.",
    limits=(
        "Only what the configuration itself refuses: verl checks most values later, while it runs. "
        "A warning where the repository's pin decides the release, and the launch has settings of "
        "another one."
    ),
    source=(
        "https://hydra.cc/docs/1.3/advanced/override_grammar/basic/; the configuration groups of "
        "every release of verl and the options of every release of OpenRLHF on PyPI"
    ),
    refusal=True,
    example=Example(bad=verl("model_engine=megatrom"), good=verl("model_engine=dp")),
)


def check(context: RuleContext) -> Hits:
    """The settings whose value is refused."""
    outdated = {
        id(plan)
        for plan, setting, _ in refused(context, "unknown")
        if plan.configuration.source == "pin" and plan.table and plan.table.history(setting.key)
    }
    for plan, setting, verdict in refused(context, "group", "invalid"):
        key = shown(plan, setting.key)
        what = (
            message("{problem}", problem=verdict.message)
            if verdict.names_key
            else message("{key}: {problem}", key=key, problem=verdict.message)
        )
        yield Hit(
            message=what,
            span=setting.key_span if verdict.suggestion else setting.value_span,
            severity="warning" if id(plan) in outdated else None,
            help=(
                message("did you mean {suggestion}?", suggestion=verdict.suggestion)
                if verdict.suggestion
                else _unquoted(context, plan, setting)
            ),
        )


def _unquoted(context: RuleContext, plan: Plan, setting: Setting) -> Message | None:
    """What to do about a word of a recipe that YAML takes for true or false."""
    word = context.source.written(setting.value_span)
    if not of_file(plan, setting) or word.lower() not in ("no", "off", "yes", "on"):
        return None
    return message("YAML reads {word} as a boolean: write '{word}' in quotes", word=word)
