"""The script of a run, and its name by the convention."""

from __future__ import annotations

import re
import shlex

from bot.base.devices import by_report
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.naming_profiles import TUNING
from bot.contribute.launch import RecordedLaunch
from bot.evidence.facts import Facts
from bot.frameworks.plan import Plan
from bot.rules._support.names import model_label
from bot.script.name import model_size

_TASKS = {"gae": "ppo"}
_OFFLINE = ("sft", "dpo", "rm")
"""Tasks that generate nothing; `hf` stands for their engine."""


def script_text(launch: RecordedLaunch, link: str | None) -> str:
    """A whole script that starts the run again; `link` is the run's address."""
    start = {
        "verl": f"python3 -m {launch.module}",
        "openrlhf": f"deepspeed --module {launch.module}",
    }[launch.framework]
    if launch.module.endswith("_ray"):  # Ray starts its own workers.
        start = f"python3 -m {launch.module}"
    lines = ["#!/usr/bin/env bash"]
    if link:
        lines.append(f"# wandb: {link}")
    lines += [f"# {launch.framework}: {launch.release}", "set -x", "", f"{start} \\"]
    lines += [f"    {_quoted(words)} \\" for words in _rows(launch.words)]
    return "\n".join([*lines, '    "$@"', ""])


def _rows(words: tuple[str, ...]) -> list[list[str]]:
    """The words line by line: an option with its values."""
    rows: list[list[str]] = []
    for word in words:
        if rows and not word.startswith("--") and rows[-1][0].startswith("--"):
            rows[-1].append(word)
        else:
            rows.append([word])
    return rows


def _quoted(words: list[str]) -> str:
    return " ".join(shlex.quote(word) for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptParts:
    """What a name is made of; a part that is not known is None."""

    model: str | None
    task: str | None
    gpus: int | None
    device: str | None
    train: str | None
    infer: str | None

    def path(self, folder: str) -> str:
        """[folder]/[size]/[model]_[task]_[gpunums]_[device]_[train]_[infer].sh.

        Raises UserError, with the parts that are missing.
        """
        texts = {part: getattr(self, part) for part in TUNING.parts}
        missing = [f"[{part}]" for part, text in texts.items() if not text]
        if missing:
            raise UserError(
                message(
                    "The script's name {form} needs {missing}, which the run does not say; name "
                    "the script with --script.",
                    form=TUNING.form,
                    missing=", ".join(missing),
                )
            )
        name = "_".join(str(text) for text in texts.values())
        size = model_size(str(self.model))
        return f"{folder.rstrip('/')}/{size}/{name}.sh"


def parts_of(plan: Plan, facts: Facts, device: str | None) -> ScriptParts:
    """The parts of the name of a launch's script; `device` is a token that the caller names."""
    if device is None and facts.gpus:
        card = by_report(facts.gpus[0].name, facts.gpus[0].memory_bytes)
        device = card.token if card else None
    algorithm = plan.algorithm.value
    task = algorithm and _TASKS.get(algorithm, re.sub(r"_+", "-", algorithm))
    if task and plan.adapter.value:
        task = f"{task}-{plan.adapter.value}"
    return ScriptParts(
        model=plan.model.value and model_label(plan.model.value),
        task=task,
        gpus=plan.gpus.value,
        device=device,
        train=plan.train.value,
        infer=plan.infer.value
        or ("hf" if task and task.startswith(("sft", "dpo", "rm")) else None),
    )
