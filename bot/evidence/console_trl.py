"""What transformers' trainers print, TRL's among them: each row that they log, as a mapping.

Source: `ProgressCallback.on_log` and `PrinterCallback.on_log` in transformers/trainer_callback.py,
4.57.1 and 5.0.0, since which numbers are texts of four digits. A row does not hold the number of
its step and stands for `logging_steps` of them. No configuration is printed.
"""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex
from bot.evidence.console import ConsoleLine
from bot.evidence.tally import StepLog

_ROW: Final = "{'loss': "
_PAIR = regex(
    r"'([\w/.@\-]{1,200})': '?"
    r"([+-]?(?:nan|inf|\d{1,40}(?:\.\d{0,40})?(?:e[+-]?\d{1,4})?))'?(?=[,}])"
)


class TrlLog(StepLog):
    """Takes the lines of a log, one after the other; its steps are rows."""

    def take(self, line: ConsoleLine) -> None:
        """Take the next line."""
        at = line.text.find(_ROW)
        if at < 0:
            return
        self.steps += 1
        for key, value in _PAIR.findall(line.text, at):
            # W&B gets the same values under "train/".
            self._add(f"train/{key}", float(value), None)
