"""Settings of TRL that a run records in other places, under the names of the settings.

transformers logs `TrainingArguments` and the model's config (integrations/integration_utils.py, its
`…Callback.setup`), so that neither the model's path nor PEFT's options stand where the script
writes them, and those of TRL's own classes stand in the command line alone, which W&B records.
The number of processes is in no tracker; GRPO and RLOO give it away, since their
`generation_batch_size` is `per_device_train_batch_size` times `steps_per_generation` times the
processes (trl/trainer/grpo_config.py, `__post_init__`, 0.18 to 1.16).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.base.regex import regex
from bot.evidence.facts import Facts
from bot.evidence.json_values import whole
from bot.evidence.subject import known
from bot.evidence.values import Missing
from bot.frameworks.launchers.launch import unwrap
from bot.frameworks.plan import Plan
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.options import read_line
from bot.frameworks.tables import table as release_table
from bot.frameworks.trl.launches import GROUPED, algorithm_of
from bot.report import JsonValue
from bot.shell.source import Span
from bot.shell.words import Piece, Word

PROCESSES: Final = "num_processes"
"""Of all machines, as accelerate's launcher counts them."""
PROMPTS: Final = "train_batch_size"
"""Prompts a step, over all processes. What a run records under this name is something else: a
program's own option, or one process's share as transformers names it."""
_ARGUMENTS: Final = 2_000
"""Words of a command line that are read."""
_PEFT: Final = {
    "r": "lora_r",
    "lora_alpha": "lora_alpha",
    "lora_dropout": "lora_dropout",
    "use_dora": "use_dora",
    "use_rslora": "use_rslora",
}
"""Fields of PEFT's `LoraConfig`, and TRL's options for them."""
_LOADED: Final = ("dtype", "torch_dtype")
"""Options of TRL's that the model's config has too, as what `auto` came to."""
_STARTERS: Final = frozenset({"default_worker", "ipykernel_launcher", "__main__"})
"""Programs that run another one inside, as Ray's workers do."""
_EACH: Final = "per_device_train_batch_size"
_PROGRAM: Final = regex(r"-m (trl\.scripts\.\w{1,80})\Z", re.ASCII)
"""As W&B names what `python -m` started."""
_FILE: Final = regex(r"(?:.{0,800}/)?(trl/scripts|examples/scripts)/(\w{1,80})\.py\Z", re.ASCII)
_NOWHERE: Final = Span(0, 0)


def with_recorded(plan: Plan, facts: Facts) -> Facts:
    """The facts of a run and of its siblings with what TRL records elsewhere; others as they are.

    What the settings themselves hold stays.
    """
    if plan.framework != "trl" or not facts.config:
        return facts
    given = _recorded_options(plan, facts.args)
    own = _own_options(plan, given)
    if (module := module_of(facts.program)) is not None:
        given["algorithm"] = algorithm_of(module)

    def whole(config: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        merged = {**given, **_elsewhere(config), **config, **own}
        merged.pop(PROMPTS, None)
        return _counted(plan, merged)

    # Of other runs no command line is known: by that of this one they differ in nothing.
    siblings = tuple(replace(each, config=whole(each.config)) for each in facts.siblings)
    return replace(facts, config=whole(facts.config), siblings=siblings)


def _recorded_options(plan: Plan, arguments: Sequence[str]) -> dict[str, JsonValue]:
    """The options of the recorded command line; none where a file of settings has others.

    None either where the program makes the settings itself: its own options mean what it makes of
    them, whatever they are called.
    """
    if not isinstance(plan.table, OptionTable) or not arguments or plan.launch.command.written:
        return {}
    words = [Word((Piece(each, _NOWHERE),), _NOWHERE) for each in arguments[:_ARGUMENTS]]
    line = read_line(words, plan.table)
    found = {setting.key: known(setting.value) for setting in line.settings}
    if "config" not in found:
        found.setdefault("use_peft", False)
    return {key: value for key, value in found.items() if not isinstance(value, Missing)}


def _own_options(plan: Plan, given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Those of the recorded options that the trainer's settings do not hold.

    What the configuration has under such a name is the model's, as Qwen's `model_type`.
    """
    if not isinstance(table := plan.table, OptionTable):
        return {}
    official = {*(release_table(table.framework, table.version, table.root) or ())} - {*_LOADED}
    return {key: value for key, value in given.items() if key not in official}


def _elsewhere(config: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Model and adapter, which have names of their own in the model's config."""
    found: dict[str, JsonValue] = {}
    if isinstance(path := config.get("_name_or_path"), str) and path:
        found["model_name_or_path"] = path
    adapters = config.get("peft_config")
    if adapters:
        found["use_peft"] = True
        # One adapter, "default", unless somebody adds others.
        options = next(iter(adapters.values())) if isinstance(adapters, dict) else None
        for name, option in _PEFT.items() if isinstance(options, dict) else ():
            if isinstance(options, dict) and name in options:
                found[option] = options[name]
    return found


def _counted(plan: Plan, config: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """With the number of processes and of prompts a step, as far as they follow."""
    each, steps, groups = (
        whole(config.get(name), least=1)
        for name in (_EACH, "gradient_accumulation_steps", "num_generations")
    )
    processes = processes_of(config)
    if processes is not None:
        config.setdefault(PROCESSES, processes)
    if not (each and steps and processes):
        return config
    sequences, group = each * steps * processes, 1
    if plan.algorithm.value in GROUPED:
        group = groups or 0
    if group and sequences % group == 0:
        config.setdefault(PROMPTS, sequences // group)
    return config


def processes_of(config: Mapping[str, JsonValue]) -> int | None:
    """The number of processes of a run; None where its settings do not give it away."""
    if (stated := whole(config.get(PROCESSES), least=1)) is not None:
        return stated
    each, every, ahead = (
        whole(config.get(name), least=1)
        for name in (_EACH, "generation_batch_size", "steps_per_generation")
    )
    if not (each and every and ahead) or every % (each * ahead):
        return None
    return every // (each * ahead)


def module_of(program: str | None) -> str | None:
    """The module of TRL's own that a program is, trl.scripts.grpo; None for any other program."""
    if program is None or len(program) > 1_000:
        return None
    if module := _PROGRAM.match(program):
        return module[1]
    file = _FILE.match(program)
    return f"{file[1].replace('/', '.')}.{file[2]}" if file else None


def another_program(plan: Plan, program: str | None) -> str | None:
    """The file that a run started where its name is not that of the script's; else None.

    Only files of Python are compared, by their names: where they lie differs between machines.
    """
    started = unwrap(plan.launch.command.argv)
    ours, theirs = _file_name(started.entry if started else None), _file_name(program)
    return theirs if ours and theirs and ours.casefold() != theirs.casefold() else None


def _file_name(program: str | None) -> str | None:
    """The name of a file of Python; None for a module, a notebook and what runs another one."""
    if program is None or not program.endswith(".py"):
        return None
    name = program.removesuffix(".py").rpartition("/")[2]
    return None if "${" in name or name in _STARTERS else f"{name}.py"
