"""Runs as evidence: reading them into facts, and comparing what a script claims with them."""

from __future__ import annotations

from collections.abc import Callable

from bot.base.messages import message
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunGiven, RunLink, RunSources

__all__ = ["EvidenceError", "Facts", "read"]


def read(run: RunGiven, *, linked: Callable[[RunLink], Facts] | None = None) -> Facts:
    """Read a run: W&B's folder, its `.wandb` file, a link, another tracker's files, a console log.

    A link is read by `linked`; None refuses it, since nothing is to be fetched. A file that is none
    of a tracker's is read as a console log of verl, OpenRLHF or TRL.

    Raises EvidenceError, whose message is a sentence, when there is no run to read.
    """
    if isinstance(run, RunSources):
        from bot.evidence.join import joined

        return joined([read(part, linked=linked) for part in run.parts])
    if isinstance(run, RunLink):
        if linked is None:
            raise EvidenceError(
                message(
                    "Nothing is to be fetched: leave --offline out, or pass the run's folder with "
                    "--run."
                )
            )
        return linked(run)
    from bot.evidence.console_log import is_console_log, read_console_log
    from bot.evidence.folder import read_folder
    from bot.evidence.locate import holds_wandb
    from bot.evidence.trackers import read_tracker, tracker_of

    if not holds_wandb(run) and (found := tracker_of(run)) is not None:
        return read_tracker(*found)
    return read_console_log(run) if is_console_log(run) else read_folder(run)
