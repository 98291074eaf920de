"""Runs as evidence: reading them into facts, and comparing what a script claims with them."""

from __future__ import annotations

from pathlib import Path

from bot.evidence.facts import EvidenceError, Facts

__all__ = ["EvidenceError", "Facts", "read"]


def read(path: Path) -> Facts:
    """Read a run from disk: a W&B run folder, a `wandb` folder with one run, or a `.wandb` file.

    Any other file is read as a console log of verl or OpenRLHF. Raises EvidenceError, whose message
    is a sentence, when there is no run to read.
    """
    from bot.evidence.console_log import is_console_log, read_console_log
    from bot.evidence.folder import read_folder

    return read_console_log(path) if is_console_log(path) else read_folder(path)
