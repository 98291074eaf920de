"""The sweep: what W&B's own agent makes of it starts what the written script would."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from wandb.sdk.launch.sweeps.utils import (  # type: ignore[import-untyped, unused-ignore]
    create_sweep_command,
    create_sweep_command_args,
)

from bot.base.errors import UserError
from bot.bisect.request import Asked
from bot.bisect.scripts import scripts
from bot.bisect.series import Series, plan_series
from bot.bisect.sweep import sweep
from bot.check.request import CheckOptions
from tests.bisect.samples import ENVIRONMENT, FLAT, FLAT_KEYS, VARIABLES, script
from tests.shell.judge import Judge
from tests.shell.judge import Script as Shell

MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
_MACRO = re.compile(r"\$\{([a-z_]+)\}\Z")


def _series(text: str, vary: tuple[str, ...] = ()) -> Series:
    return plan_series(script(text), CheckOptions(), Asked(vary=vary, ran=20, failed=40, at_once=3))


def _commands(config: dict[str, Any], program: str) -> list[list[str]]:
    """What an agent starts for each value, made by the SDK's own functions."""
    ((name, parameter),) = config["parameters"].items()
    made = []
    for value in parameter["values"]:
        macros = create_sweep_command_args({"args": {name: {"value": value}}})
        macros |= {"program": [program], "env": ["/usr/bin/env"]}
        words: list[str] = []
        for chunk in create_sweep_command(list(config["command"])):
            found = _MACRO.match(chunk)
            words += macros[found[1]] if found else [chunk]
        made.append(words)
    return made


@pytest.mark.parametrize(
    ("text", "vary", "way"),
    [
        (ENVIRONMENT, (), ["${env}", "${args_no_hyphens}", "bash", "${program}"]),
        (FLAT, (MICRO,), ["bash", "${program}", "${args_no_hyphens}"]),
    ],
)
def test_an_agent_starts_what_the_written_script_would(
    tmp_path: Path, text: str, vary: tuple[str, ...], way: list[str]
) -> None:
    series = _series(text, vary)
    config = yaml.safe_load(sweep(series))
    assert config["command"] == way
    assert config["method"] == "grid"
    assert set(config) <= {"name", "program", "method", "parameters", "command"}
    judge = Judge(tmp_path)
    for command, (name, data) in zip(
        _commands(config, "made.sh"), scripts(series).items(), strict=True
    ):
        program = command.index("made.sh")
        environment = dict(w.split("=", 1) for w in command[:program] if "=" in w)
        given = Shell(text, arguments=tuple(command[program + 1 :]), environment=environment)
        (by_agent,), (by_hand,) = judge.run([given, Shell(data.decode())])
        # Of a key that is given twice the last one counts, as in Hydra.
        assert _settings(by_agent.argv) == _settings(by_hand.argv), name


def _settings(argv: tuple[str, ...]) -> dict[str, str]:
    return {word.partition("=")[0]: word for word in argv}


@pytest.mark.parametrize(("text", "vary"), [(VARIABLES, ()), (FLAT, FLAT_KEYS)])
def test_where_the_caller_decides_nothing_the_written_scripts_are_started(
    text: str, vary: tuple[str, ...]
) -> None:
    series = _series(text, vary)
    with pytest.raises(UserError, match=r"With --to DIR the sweep starts the scripts"):
        sweep(series)
    paths = {probe.name: f"series/{probe.name}/14b/a.sh" for probe in series.plan.probes}
    config = yaml.safe_load(sweep(series, paths))
    for command, path in zip(_commands(config, "a.sh"), paths.values(), strict=True):
        assert command == ["/usr/bin/env", f"script={path}", "bash", "-c", 'exec bash "$script"']


def test_a_closed_bracket_has_no_sweep() -> None:
    series = plan_series(script(VARIABLES), CheckOptions(), Asked(ran=58, failed=59, at_once=3))
    with pytest.raises(UserError, match="Nothing is left to try"):
        sweep(series, {})
