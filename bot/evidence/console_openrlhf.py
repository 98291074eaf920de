"""What OpenRLHF prints: its arguments as a namespace, and its steps.

Sources: `strategy.print(args)` in openrlhf/cli/train_ppo_ray.py (an `argparse.Namespace`; since
0.10.2 a `types.SimpleNamespace`, which openrlhf/utils/config.py nests), and
`logger.info(f"✨ Global step {steps}: {status}")` in openrlhf/trainer/ppo_trainer.py since 0.8.1.
Before that, and in trainers without rollouts, progress bars alone count batches: no steps are read
from them.
"""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex
from bot.evidence.console import ConsoleLine
from bot.evidence.literals import literal
from bot.evidence.tally import StepLog

_STEP = regex(r"\bGlobal step (\d{1,9}): (?=\{)")
_PAIR = regex(
    r"'([\w/.@\-]{1,200})': (?:np\.\w{1,20}\()?"
    r"([+-]?(?:nan|inf|\d{1,40}(?:\.\d{0,40})?(?:e[+-]?\d{1,4})?))\)?(?=[,}])"
)
_NAMESPACE = regex(r"\s*(?:Namespace|namespace)\(")
_KEYS: Final = frozenset({"pretrain", "actor", "model", "train", "zero_stage", "ds"})
STEP: Final = "train/global_step"


class OpenRlhfLog(StepLog):
    """Takes the lines of a log, one after the other."""

    def __init__(self, metrics: int, line_characters: int) -> None:
        super().__init__(metrics)
        self._characters = line_characters

    def take(self, line: ConsoleLine) -> None:
        """Take the next line."""
        text = line.text
        if "amespace(" in text and _NAMESPACE.match(text):
            self._configured(text)
        elif "Global step" in text and (match := _STEP.search(text)):
            self._step(int(match[1]), text[match.end() :])

    def _step(self, number: int, status: str) -> None:
        found: dict[str, float] = {STEP: number}
        for key, value in _PAIR.findall(status):
            # W&B gets the same values under "train/".
            found.setdefault(f"train/{key}", float(value))
        self.steps += 1
        for key, seen in found.items():
            self._add(key, seen, number)

    def _configured(self, text: str) -> None:
        try:
            config = literal(text, self._characters)
        except ValueError:
            self.unread_configs += not self.config
            return
        if isinstance(config, dict) and _KEYS & config.keys():
            self._add_config(config)
