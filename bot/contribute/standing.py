"""Whether a script that stands in a clone is the one that a run ran."""

from __future__ import annotations

from typing import Final

from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.contribute.launch import recorded_launch
from bot.contribute.script import script_text
from bot.evidence.claims.batch import BOOKKEEPING
from bot.evidence.claims.compare import compare
from bot.evidence.facts import Facts
from bot.frameworks.plan import Plan
from bot.rules._support.base import RuleContext

_CLEAR: Final = 0.9
"""Share of a script's settings that a run must have."""


def ran(script: ScriptFile, facts: Facts, options: CheckOptions, launcher: str | None) -> bool:
    """Whether a launch of the script has the settings of the run, and the run no others.

    Raises UserError where the run's launch cannot be written.
    """
    context = read_script(script, options)
    return any(_is_of(plan, context, facts, options, launcher) for plan in context.choice.plans)


def _is_of(
    plan: Plan, context: RuleContext, facts: Facts, options: CheckOptions, launcher: str | None
) -> bool:
    compared = compare(plan, context.name, facts)
    count = compared.settings_compared
    if compared.settings_consistent < count or count < _CLEAR * len(plan.resolved()):
        return False
    # What differs from the defaults of the run's release, or else of the script's, was given to it.
    asked = dict(options.versions)
    if not facts.requirements.get(plan.framework):
        asked.setdefault(plan.framework, plan.configuration.release)
    text = script_text(recorded_launch(facts, asked, launcher), None)
    written = read_script(ScriptFile(path="script.sh", data=text.encode()), options)
    given = {key for launch in written.plans[:1] for key in launch.resolved()}
    return not any(BOOKKEEPING.match(key) is None for key in given - plan.resolved().keys())
