"""Single defects put into clean scripts: how many are named at their line.

`python -m tests.rules.mutations [--seed N] [--each N]` draws settings from the newest tables of the
four frameworks, writes them with their defaults into a script, and TRL's into a YAML recipe too,
damages one thing, and prints for each class how many are named as an error or a warning at the
damaged line. A finding that the script has before does not count.
"""

from __future__ import annotations

import argparse
import random
import string
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from bot.frameworks.settings.key_table import Key
from bot.frameworks.settings.releases import releases
from bot.frameworks.tables import table
from bot.rules._support.registry import check_context
from tests.rules.helpers import PATH, context

_ROOTS: Final = {
    "verl": "ppo_trainer",
    "openrlhf": "openrlhf.cli.train_ppo_ray",
    "trl": "trl.scripts.grpo",
    "open-instruct": "open_instruct.grpo_fast",
}
_RECIPE: Final = "recipe"
"""Stands for TRL's settings in a YAML file."""
_PROGRAMS: Final = {
    "verl": "python3 -m verl.trainer.main_ppo",
    "openrlhf": "python3 -m openrlhf.cli.train_ppo_ray",
    "trl": "torchrun --nproc_per_node 1 -m trl.scripts.grpo",
    "open-instruct": "python open_instruct/grpo_fast.py",
}
_BASES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "verl": (
        ("algorithm.adv_estimator", "grpo"),
        ("data.train_files", "$HOME/data/gsm8k/train.parquet"),
        ("data.train_batch_size", "256"),
        ("actor_rollout_ref.model.path", "$MODEL"),
        ("actor_rollout_ref.actor.optim.lr", "1e-6"),
        ("actor_rollout_ref.actor.ppo_mini_batch_size", "64"),
        ("actor_rollout_ref.actor.use_dynamic_bsz", "True"),
        ("actor_rollout_ref.actor.strategy", "fsdp"),
        ("actor_rollout_ref.rollout.name", "vllm"),
        ("actor_rollout_ref.rollout.n", "5"),
        ("actor_rollout_ref.rollout.gpu_memory_utilization", "0.6"),
        ("actor_rollout_ref.rollout.tensor_model_parallel_size", "2"),
        ("data.truncation", "error"),
        ("trainer.resume_mode", "auto"),
        ("trainer.logger", "wandb"),
        ("trainer.n_gpus_per_node", "$GPUS"),
    ),
    "openrlhf": (
        ("actor.model_name_or_path", "$MODEL"),
        ("reward.model_name_or_path", "example/reward-8b"),
        ("data.prompt_dataset", "example/prompts"),
        ("actor.num_gpus_per_node", "$GPUS"),
        ("ref.num_gpus_per_node", "$GPUS"),
        ("reward.num_gpus_per_node", "$GPUS"),
        ("vllm.num_engines", "4"),
        ("vllm.tensor_parallel_size", "2"),
        ("vllm.gpu_memory_utilization", "0.6"),
        ("actor.adam.lr", "5e-7"),
        ("algo.advantage.estimator", "group_norm"),
        ("rollout.n_samples_per_prompt", "8"),
    ),
    "trl": (
        ("model_name_or_path", "$MODEL"),
        ("dataset_name", "example/prompts"),
        ("learning_rate", "1e-6"),
        ("per_device_train_batch_size", "8"),
        ("num_generations", "8"),
        ("report_to", "wandb"),
        ("nproc", "$GPUS"),
    ),
    "open-instruct": (
        ("model_name_or_path", "$MODEL"),
        ("learning_rate", "5e-7"),
        ("num_samples_per_prompt_rollout", "8"),
        ("with_tracking", ""),
        ("num_epochs", "1"),
    ),
}
_SETTINGS: Final = 10
"""Settings that are drawn from the table, beside the base."""


@dataclass
class Script:
    """A script as lines that a mutation can take one of."""

    framework: str
    before: list[str]
    settings: list[tuple[str, str]]
    kinds: dict[str, Key] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where it stands."""
        return "recipes/grpo/config.yaml" if self.framework == _RECIPE else PATH

    def lines(self) -> list[str]:
        """The text; a setting of a script stands in the line `len(before) + 2 + its number`."""
        if self.framework == _RECIPE:
            return [self.setting(*pair) for pair in self.settings]
        launch = [_PROGRAMS[self.framework], *(self.setting(*pair) for pair in self.settings)]
        return [*self.before, *(f"{line} \\" for line in launch[:-1]), launch[-1]]

    def setting(self, key: str, value: str) -> str:
        """A setting as its framework writes it."""
        if self.framework == _RECIPE:
            return f"{key}: {value}"
        if self.framework == "verl":
            return f"    {key}={value}"
        return f"    --{key} {value}".rstrip()

    def line_of(self, key: str) -> int:
        """Where a setting stands, from 0."""
        at = [name for name, _ in self.settings].index(key)
        return at if self.framework == _RECIPE else len(self.before) + 1 + at


Mutation = Callable[[Script, random.Random], tuple[list[str], int] | None]
"""Damages a script: its lines and the damaged one; None where the script has nothing to damage."""


@cache
def _pool(framework: str) -> tuple[Key, ...]:
    """The settings of the newest release whose default can be written down."""
    found = table(framework, releases(framework)[-1], _ROOTS[framework])
    assert found is not None
    keys = (found.get(name) for name in found)
    return tuple(
        key
        for key in keys
        if key is not None and key.type in ("bool", "int", "float") and key.arity != "0"
        if isinstance(key.default, bool | int | float)
    )


def clean(framework: str, source: random.Random) -> Script:
    """A script with a base and settings of their defaults."""
    known = "trl" if framework == _RECIPE else framework
    base = [pair for pair in _BASES[known] if pair[0] != "nproc"]
    if framework == _RECIPE:
        base = [(key, value.replace("$MODEL", "Qwen/Qwen3-8B")) for key, value in base]
    script = Script(framework, ["#!/usr/bin/env bash", "set -x", "MODEL=Qwen/Qwen3-8B"], base)
    if framework in ("verl", "openrlhf"):
        script.before.append("GPUS=8")
    given = {name for name, _ in base}
    for key in source.sample(_pool(known), _SETTINGS):
        if key.name not in given:
            script.settings.insert(1, (key.name, str(key.default)))
            script.kinds[key.name] = key
    return script


def _letters(word: str, source: random.Random) -> str:
    """The word with one slip: two letters exchanged, one left out, one doubled, one other."""
    places = [at for at in range(len(word) - 1) if word[at : at + 2].isalpha()]
    places = [at for at in places if word[at] != word[at + 1]] or places
    if not places:
        return word + "x"
    at = source.choice(places)
    kind = source.choice(["exchange", "drop", "double", "other"])
    if kind == "exchange":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == "drop":
        return word[:at] + word[at + 1 :]
    if kind == "double":
        return word[: at + 1] + word[at:]
    other = source.choice([c for c in string.ascii_lowercase if c != word[at]])
    return word[:at] + other + word[at + 1 :]


def _changed(script: Script, key: str, line: str) -> tuple[list[str], int]:
    lines, at = script.lines(), script.line_of(key)
    end = " \\" if lines[at].endswith("\\") else ""
    lines[at] = line + end
    return lines, at


def _of(script: Script, *types: str) -> list[str]:
    return [name for name, key in script.kinds.items() if key.type in types]


def _some(script: Script, names: list[str], source: random.Random) -> tuple[str, str] | None:
    given = [pair for pair in script.settings if pair[0] in names]
    return source.choice(given) if given else None


def key_slip(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A letter of a setting's name."""
    key, value = source.choice(script.settings)
    section, dot, name = key.rpartition(".")
    wrong = f"{section}{dot}{_letters(name, source)}"
    return None if wrong == key else _changed(script, key, script.setting(wrong, value))


def lost_section(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A section of a dotted name is missing."""
    dotted = [pair for pair in script.settings if pair[0].count(".") > 1]
    if not dotted:
        return None
    key, value = source.choice(dotted)
    parts = key.split(".")
    del parts[source.randrange(len(parts) - 1)]
    return _changed(script, key, script.setting(".".join(parts), value))


def text_for_number(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A word, or a letter among the digits."""
    chosen = _some(script, _of(script, "int", "float"), source)
    if chosen is None:
        return None
    key, value = chosen
    wrong = source.choice(["abc", f"{value}o", "many", f"l{value}", f"{value}%"])
    return _changed(script, key, script.setting(key, wrong))


def fraction_for_count(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A fraction of a setting that counts."""
    counts = {
        "verl": ("data.train_batch_size", "actor_rollout_ref.rollout.n",
                 "actor_rollout_ref.actor.ppo_mini_batch_size"),
        "openrlhf": ("vllm.num_engines", "rollout.n_samples_per_prompt"),
        "trl": ("num_generations", "per_device_train_batch_size"),
        "open-instruct": ("num_epochs", "num_samples_per_prompt_rollout"),
        _RECIPE: ("num_generations", "per_device_train_batch_size"),
    }  # fmt: skip
    chosen = _some(script, list(counts[script.framework]), source)
    assert chosen is not None
    key, value = chosen
    return _changed(script, key, script.setting(key, f"{value}.{source.choice('05')}"))


def boolean_slip(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """Ture, Flase, yes."""
    chosen = _some(
        script, [*_of(script, "bool"), "actor_rollout_ref.actor.use_dynamic_bsz"], source
    )
    if chosen is None:
        return None
    wrong = source.choice(
        ["Ture", "Flase", "Treu", "Fales", "Tru", "on" if script.framework == "verl" else "Trrue"]
    )
    return _changed(script, chosen[0], script.setting(chosen[0], wrong))


def name_slip(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A letter of a value that is one of several names."""
    names = (
        "algorithm.adv_estimator", "actor_rollout_ref.rollout.name", "data.truncation",
        "actor_rollout_ref.actor.strategy", "trainer.resume_mode", "trainer.logger",
        "algo.advantage.estimator",
    )  # fmt: skip
    chosen = _some(script, list(names), source)
    if chosen is None:
        return None
    key, value = chosen
    wrong = _letters(value, source)
    return None if wrong == value else _changed(script, key, script.setting(key, wrong))


def lost_minus(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A learning rate of 1e6."""
    names = ["actor_rollout_ref.actor.optim.lr", "actor.adam.lr", "learning_rate"]
    chosen = _some(script, names, source)
    assert chosen is not None
    return _changed(script, chosen[0], script.setting(chosen[0], chosen[1].replace("e-", "e")))


def share_above_one(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """60 for 0.6."""
    names = ["actor_rollout_ref.rollout.gpu_memory_utilization", "vllm.gpu_memory_utilization"]
    chosen = _some(script, names, source)
    if chosen is None:
        return None
    return _changed(script, chosen[0], script.setting(chosen[0], source.choice(["6", "60", "1.6"])))


def negative_size(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A size below zero."""
    names = [
        "actor_rollout_ref.rollout.tensor_model_parallel_size", "data.train_batch_size",
        "vllm.tensor_parallel_size", "rollout.n_samples_per_prompt",
        "per_device_train_batch_size", "num_generations",
    ]  # fmt: skip
    chosen = _some(script, names, source)
    if chosen is None:
        return None
    return _changed(script, chosen[0], script.setting(chosen[0], f"-{int(chosen[1]) + 1}"))


def module_slip(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A letter of the module's name, or its -m."""
    lines, at = script.lines(), len(script.before)
    if script.framework not in ("verl", "openrlhf"):
        return None
    name = _PROGRAMS[script.framework].rpartition(".")[2]
    if source.random() < 0.3:
        lines[at] = lines[at].replace("-m ", "")
    else:
        lines[at] = lines[at].replace(name, _letters(name, source))
    return None if lines == script.lines() else (lines, at)


def variable_slip(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A letter of a variable where it is used."""
    used = [pair for pair in script.settings if pair[1] == "$MODEL"]
    if not used:
        return None
    key, _ = source.choice(used)
    wrong = _letters("MODEL", source).upper()
    return None if wrong == "MODEL" else _changed(script, key, script.setting(key, f"${wrong}"))


def spaced_assignment(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """NAME = value."""
    if script.framework == _RECIPE:
        return None
    lines = script.lines()
    lines[2] = source.choice(["MODEL = Qwen/Qwen3-8B", "MODEL =Qwen/Qwen3-8B"])
    return lines, 2


def spaced_setting(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """key = value."""
    if script.framework != "verl":
        return None
    key, value = source.choice(script.settings)
    wrong = source.choice([f"    {key} = {value}", f"    {key} ={value}", f"    {key}= {value}"])
    return _changed(script, key, wrong)


def lost_continuation(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """A line of the launch without its backslash; the next line says so."""
    if script.framework == _RECIPE:
        return None
    lines = script.lines()
    at = source.randrange(len(script.before) + 1, len(lines) - 1)
    lines[at] = lines[at].removesuffix(" \\")
    return lines, at + 1


def lost_dollar(script: Script, source: random.Random) -> tuple[list[str], int] | None:
    """The name of a variable in the place of its value."""
    used = [pair for pair in script.settings if pair[1] == "$MODEL"]
    if not used:
        return None
    key, _ = source.choice(used)
    return _changed(script, key, script.setting(key, "MODEL"))


CLASSES: Final[tuple[Mutation, ...]] = (
    key_slip, lost_section, text_for_number, fraction_for_count, boolean_slip, name_slip,
    lost_minus, share_above_one, negative_size, module_slip, variable_slip, spaced_assignment,
    spaced_setting, lost_continuation, lost_dollar,
)  # fmt: skip


@dataclass
class Count:
    """How many defects of a class were named."""

    tried: int = 0
    named: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Of those that were tried, from 0 to 1."""
        return self.named / self.tried if self.tried else 1.0

    def __str__(self) -> str:
        return f"{self.named:>4} of {self.tried:<4} {self.share:.1%}"


def _findings(lines: list[str], path: str) -> set[tuple[str, int, str]]:
    findings, _ = check_context(context("\n".join(lines) + "\n", path))
    return {
        (found.id, line, found.message)
        for found in findings
        if found.severity in ("error", "warning")
        for line in range(found.line, found.end_line + 1)
    }


def _drawn(seed: int, mutation: Mutation, each: int) -> Iterator[tuple[Script, list[str], int]]:
    source = random.Random(f"{seed} {mutation.__name__}")  # noqa: S311
    frameworks = [*_ROOTS, _RECIPE]
    found = tries = 0
    while found < each and tries < 20 * each:
        script = clean(frameworks[tries % len(frameworks)], source)
        tries += 1
        damaged = mutation(script, source)
        if damaged is not None:
            found += 1
            yield script, *damaged


def measure(seed: int, each: int) -> dict[str, Count]:
    """The classes with what was named of them."""
    counts: dict[str, Count] = {}
    for mutation in CLASSES:
        count = counts[mutation.__name__] = Count()
        for script, lines, at in _drawn(seed, mutation, each):
            before = _findings(script.lines(), script.path)
            new = {found for found in _findings(lines, script.path) if found not in before}
            count.tried += 1
            if any(line == at + 1 for _, line, _ in new):
                count.named += 1
            else:
                count.missed.append(f"{script.framework}: {lines[at].strip()}")
    return counts


def main() -> int:
    """Print the table, and what was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=40, help="defects of a class")
    arguments = parser.parse_args()
    counts, write = measure(arguments.seed, arguments.each), sys.stdout.write
    everything = Count()
    for name, count in counts.items():
        write(f"{name.replace('_', ' '):<20} {count}\n")
        write("".join(f"    {missed}\n" for missed in count.missed))
        everything.tried += count.tried
        everything.named += count.named
    write(f"{'all':<20} {everything}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
