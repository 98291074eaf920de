"""What each kind of source records, as far as a claim's words depend on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.base.messages import Message, mark, message
from bot.evidence.facts import Facts
from bot.report.evidence import RunKind

NAMES: Final[Mapping[RunKind, str]] = {
    "folder": "W&B",
    "online": "W&B",
    "tensorboard": "TensorBoard",
    "verl-file": mark("verl's file logger"),
    "swanlab": "SwanLab",
    "trackio": "trackio",
    "mlflow": "MLflow",
    "manifest": "rlbot record",
}
"""Who wrote the source, where one program did."""
WANDB: Final = frozenset({"folder", "online"})
_WITHOUT_SETTINGS: Final = frozenset({"tensorboard", "verl-file"})
_WITHOUT_CARDS: Final = frozenset({"tensorboard", "verl-file", "mlflow"})
_SAMPLED: Final[Mapping[RunKind, str]] = {
    "swanlab": mark("every 10 s, later every 60 s: short peaks are missed"),
    "trackio": mark("every 10 s: short peaks are missed"),
    "mlflow": mark("every 10 s by default: short peaks are missed"),
    "manifest": mark("every second"),
}
_EVERY: Final = mark("every 15 s by default")


def tracker_name(facts: Facts) -> Message:
    """Who wrote what is not said otherwise."""
    return message(NAMES.get(facts.kind, "W&B"))


def how_often(facts: Facts) -> Message:
    """How often the memory of the GPUs was looked at."""
    return message(_SAMPLED.get(facts.system_kind or facts.kind, _EVERY))


def no_settings(facts: Facts) -> Message:
    """Why a run has no configuration, and how to give it."""
    if facts.kind == "manifest":
        return message(
            "rlbot record did not recognise the recorded command as a script that starts a "
            "training, and has no configuration: give the run's console log as well, with a second "
            "--run."
        )
    if facts.kind in _WITHOUT_SETTINGS:
        return message(
            "{tracker} records no configuration: give the run's console log as well, with a second "
            "--run.",
            tracker=tracker_name(facts),
        )
    return message("The run recorded no configuration.")


def no_cards(facts: Facts) -> Message | None:
    """Why a run names no GPU where its source never does, and how to show it; None elsewhere."""
    if facts.kind in _WITHOUT_CARDS:
        return message(
            "{tracker} names no GPU: `rlbot record -- bash SCRIPT.sh` records them, as W&B and "
            "SwanLab do.",
            tracker=tracker_name(facts),
        )
    if facts.kind == "trackio" and facts.gpus:
        return message(
            "trackio records the memory of the GPUs and not their names: `rlbot record -- bash "
            "SCRIPT.sh` records both, as W&B and SwanLab do."
        )
    return None
