"""Runs as evidence: reading them into facts, and comparing what a script claims with them."""

from __future__ import annotations

from pathlib import Path

from bot.evidence.facts import EvidenceError, Facts

__all__ = ["EvidenceError", "Facts", "read"]


def read(path: Path) -> Facts:
    """Read a run from disk: a W&B run folder, a `wandb` folder with one run, or a `.wandb` file.

    Raises EvidenceError, whose message is a sentence, when there is no run to read.
    """
    from bot.evidence.folder import read_folder

    return read_folder(path)
