"""The script of a run, and its name by the convention."""

from __future__ import annotations

import re
import shlex

from bot.base.devices import by_report, by_token, label_of
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration, message
from bot.base.naming_profiles import TUNING
from bot.contribute.launch import RecordedLaunch
from bot.evidence.facts import Facts
from bot.evidence.links import RunLink
from bot.frameworks.plan import Plan
from bot.rules._support.names import model_label
from bot.script.name import model_size

_TASKS = {"gae": "ppo"}
_SAID_BY = {"gpus": "--launcher", "device": "--device", "train": "--launcher"}
"""Parts of a name that an option of `rlbot contribute` says."""
_LABELS = ("trainer.experiment_name", "logger.wandb.run_name", "wandb_run_name", "run_name")
"""Settings that say what a run is called."""
_WRITTEN = {"gpus": "gpunums"}
"""Parts that the form of a name calls otherwise."""


def script_text(launch: RecordedLaunch, link: RunLink | None) -> str:
    """A whole script that starts the run again, with a comment that links to the run."""
    launcher = launch.launcher or ("deepspeed" if launch.under_deepspeed else "python3")
    flag = "--module" if launcher.split()[:1] == ["deepspeed"] else "-m"
    start = f"{launcher} {flag} {launch.module}"
    lines = ["#!/usr/bin/env bash"]
    if link:
        lines.append(f"# {link.service}: {link.url}")
    lines += [f"# {launch.framework}: {launch.release}", "set -x", "", f"{start} \\"]
    lines += [f"    {shlex.join(words)} \\" for words in _rows(launch.words)]
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
        missing = [part for part, text in texts.items() if not text]
        if missing:
            stating = [_SAID_BY.get(part) for part in missing]
            options = [option for option in dict.fromkeys(stating) if option]
            raise UserError(
                "The script's name {form} needs {missing}, which the run does not say; name "
                "the script with --script{options}.",
                form=TUNING.form,
                missing=", ".join(f"[{_WRITTEN.get(part, part)}]" for part in missing),
                options=message(", or give {options}", options=enumeration(options))
                if None not in stating
                else "",
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


def other_card(plan: Plan, device: str) -> tuple[str, str] | None:
    """What a launch calls its run, and the one card that this says, where it is not `device`."""
    for label in _LABELS:
        setting = plan.last(label)
        name = setting.value if setting is not None else None
        if not isinstance(name, str):
            continue
        cards = {word for word in re.split(r"[^a-z0-9]+", name.lower()) if by_token(word)}
        if len(cards) == 1 and not set(by_token(card := cards.pop())) & set(by_token(device)):
            return name, label_of(card) or card.upper()
    return None
