"""One round of runs as a W&B sweep, which an agent on each machine works off.

An agent hands a value to the script in one of three ways, the first that works: as a variable
that the script takes from its caller, as an argument that the script passes on to its launch, or by
starting a script of the series that holds it. Whether a way works is read off the script: its
launch must then be that of the script with the number written into it.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.base.errors import UserError
from bot.bisect.reader import Reader
from bot.bisect.series import Series
from bot.frameworks.plan import Plan

_BASH = ["bash", "${program}"]
_STARTS = 'exec bash "$script"'


def sweep(series: Series, paths: Mapping[str, str] | None = None) -> str:
    """The sweep's YAML; `paths` are the scripts that were written, by the names of their probes.

    Raises UserError when the script takes no value from its caller, and none were written.
    """
    import yaml

    plan, knob = series.plan, series.knob
    values: list[int] | list[str] = [probe.value for probe in plan.probes]
    if not values:
        raise UserError("Nothing is left to try, so there is no sweep to write.")
    if _by_environment(series):
        name, command = knob.name, ["${env}", "${args_no_hyphens}", *_BASH]
    elif (dashes := _by_argument(series)) is not None:
        name, command = knob.name, [*_BASH, "${args}" if dashes else "${args_no_hyphens}"]
    elif paths:
        name, command = "script", ["${env}", "${args_no_hyphens}", "bash", "-c", _STARTS]
        values = [paths[probe.name] for probe in plan.probes]
    else:
        raise UserError(
            f"A sweep cannot set {' and '.join(part.name for part in knob.parts)}: the script "
            'neither takes it from its caller\'s environment nor passes "$@" on to the launch. '
            "With --to DIR the sweep starts the scripts that are written there."
        )
    content = {
        "name": f"bisect {knob.name}",
        "program": plan.script,
        "method": "grid",
        "parameters": {name: {"values": values}},
        "command": command,
    }
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return f"# One round of {len(values)} runs; then: {plan.next_command}\n{text}"


def _by_environment(series: Series) -> bool:
    """Whether the caller's variable decides; several numbers cannot be set by one parameter."""
    (part, *others), reader = series.knob.parts, series.candidates.read
    if others or part.key is not None or not isinstance(reader, Reader):
        return False
    data = series.candidates.script.data
    return all(
        _same(
            reader(data, environment={part.name: str(probe.value)})[1],
            series.candidates.plans(probe.value),
        )
        for probe in series.plan.probes
    )


def _by_argument(series: Series) -> bool | None:
    """Whether the argument needs dashes; None when an argument does not decide."""
    (part, *others), reader = series.knob.parts, series.candidates.read
    if others or part.key is None or not isinstance(reader, Reader):
        return None
    data = series.candidates.script.data
    for dashes in (False, True):
        if all(
            _same(
                reader(data, arguments=[f"{'--' * dashes}{part.key}={probe.value}"])[1],
                series.candidates.plans(probe.value),
            )
            for probe in series.plan.probes
        ):
            return dashes
    return None


def _same(given: tuple[Plan, ...], wanted: tuple[Plan, ...]) -> bool:
    """Whether both start the same trainings; of a key that is given twice the last counts."""
    return len(given) == len(wanted) and all(
        one.resolved() == other.resolved() and not one.bad_arguments
        for one, other in zip(given, wanted, strict=True)
    )
