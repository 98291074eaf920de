"""What verl prints: its console logger's steps, and the resolved configuration.

Sources: verl/utils/logger/aggregate_logger.py (`concat_dict_to_str`: "step:1 - key:value - …", the
values with three decimals up to 0.4.1 and as `pprint.pformat` writes them since 0.5.0, so also
`np.float64(61.2)`), and `pprint(OmegaConf.to_container(config, resolve=True))` in
verl/trainer/main_ppo.py, releases 0.1 to 0.9.1.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.evidence.console import ConsoleLine
from bot.evidence.literals import literal
from bot.evidence.tally import StepLog
from bot.report import JsonValue

_STEP = regex(r"(?<![\w:/])step:(\d{1,9}) - (?=[A-Za-z_])")
_VALUE = regex(
    r"(?:(?:np|numpy)\.\w{1,20}\()?([+-]?(?:nan|inf|\d{1,40}(?:\.\d{0,40})?(?:e[+-]?\d{1,4})?))\)?\s*\Z"
)
_KEY = regex(r"[\w/@.()\-+ ]{1,200}\Z")
_TRAINING = ("actor/", "critic/", "training/", "perf/", "timing_s/", "timing/", "train/")
"""Beginnings of what a training step logs; validation alone logs `val-core/…` and `val/…`."""
STEP: Final = "training/global_step"

_ROOTS: Final = frozenset({"actor_rollout_ref", "data", "algorithm", "model", "optim", "engine"})
_OPENING = regex(r"\s*\{'[\w.]+': ")
_TOKENS = regex(r"""(?P<string>'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?)|[\[\](){}]""")
_PRINTED = regex(
    r"""\s+['"]|\s*(?:(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[\](){}:,]|(?:True|False|None)\b"""
    r"""|[+\-]?(?:\d[\w.+\-]{0,40}|nan|inf)(?![\w.+\-]))\s*)+\Z"""
)
"""A line of a mapping after its first, as `pprint` writes it: an entry, or pieces of one where Ray
took the line up before it was whole."""
_TORN = regex(r"(?<=[,}\])])\([\w.:<>\-]{1,100} pid=\d{1,10}(?:, ip=[0-9A-Fa-f.:]{1,45})?\) .*")
"""The next line of a worker's, where the end of this one was lost."""
_MAX_CONFIG: Final = 1_000_000
"""Characters of a printed configuration; verl's largest is some 60,000."""


_MAX_BLOCKS: Final = 16
"""Processes that print a mapping at the same time."""


@dataclass(slots=True)
class _Block:
    """A printed mapping, as far as it was seen."""

    lines: list[str] = field(default_factory=list)
    size: int = 0
    """Characters."""
    depth: int = 0
    """Brackets that are open."""

    def awaits_value(self) -> bool:
        """Whether a key was printed last."""
        return self.lines[-1].rstrip().endswith(":")


class VerlLog(StepLog):
    """Takes the lines of a log, one after the other."""

    def __init__(self, metrics: int) -> None:
        super().__init__(metrics)
        self._blocks: dict[str, _Block] = {}
        """Mappings that were begun, by the process that prints each."""
        self._offset: int | None = None

    def take(self, line: ConsoleLine) -> None:
        """Take the next line."""
        block = self._blocks.get(line.who)
        if block is not None and line.text.startswith("{'") and not block.awaits_value():
            self._end_block(line.who, read=False)  # It was never closed, and here is another.
            block = None
        if block is not None and _PRINTED.match(line.text):
            self._grow(line, block)
            return
        opens = block is None and _OPENING.match(line.text) is not None
        if opens and len(self._blocks) < _MAX_BLOCKS:
            self._grow(line, self._blocks.setdefault(line.who, _Block()))
            return
        if "step:" in line.text:
            self._step(line.text)

    def close(self) -> None:
        """The log has ended."""
        for who in list(self._blocks):
            self._end_block(who, read=False)

    def _step(self, text: str) -> None:
        match = _STEP.search(text)
        if match is None:
            return
        number = int(match[1])
        found: dict[str, float] = {}
        for part in text[match.end() :].split(" - "):
            key, _, value = part.rpartition(":")
            seen = _VALUE.match(value)
            if seen and _KEY.match(key):
                found.setdefault(key, float(seen[1]))
        if not any(key.startswith(_TRAINING) for key in found):
            return
        self.steps += 1
        if self._offset is None:
            # The first releases count from 0.
            self._offset = 1 if number == 0 else 0
        found.setdefault(STEP, number + self._offset)
        for key, seen_value in found.items():
            self._add(key, seen_value, number)

    def _grow(self, line: ConsoleLine, block: _Block) -> None:
        """Take a line of a printed mapping, which ends with the bracket that closes it.

        What the process wrote to its standard error meanwhile stands between such lines.
        """
        text = _TORN.sub("", line.text)
        for token in _TOKENS.finditer(text):
            if token["string"] is None:
                block.depth += 1 if token[0] in "[({" else -1
        block.lines.append(text)
        block.size += len(text)
        if block.depth <= 0:
            self._end_block(line.who, read=True)
        elif block.size > _MAX_CONFIG:
            self._end_block(line.who, read=False)

    def _end_block(self, who: str, *, read: bool) -> None:
        block = "\n".join(self._blocks.pop(who).lines)
        config: JsonValue = None
        if read:
            try:
                config = literal(block, _MAX_CONFIG)
            except ValueError:
                read = False
        if isinstance(config, dict) and "trainer" in config and _ROOTS & config.keys():
            self._add_config(config)
        elif not read and "'trainer'" in block and not self.config:
            self.unread_configs += 1
