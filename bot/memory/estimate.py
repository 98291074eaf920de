"""The result of an estimate: stages, their components at three levels, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias

from bot.base.devices import Device
from bot.base.fast_dataclass import dataclass
from bot.memory.bands import FREED, PIECES
from bot.memory.units import NOTHING, Bytes, together
from bot.memory.workload import LEVELS, MemoryLevel

StageName: TypeAlias = Literal[
    "loading", "rollout", "scoring", "weight sync", "log-prob", "reward", "critic", "update",
    "optimizer", "evaluation",
]  # fmt: skip
Fit: TypeAlias = Literal["impossible", "likely OOM", "tight", "fits"]
_OF_ENGINE = frozenset(("engine weights", "engine cache", "engine activations"))
NOT_ALLOCATED = _OF_ENGINE | {"contexts", "sleeping engine", "other engines"}
"""Components that the trainers' allocator does not hold."""
TIGHT = 0.9
"""Above this share of the card a configuration counts as tight."""


@dataclass(frozen=True, slots=True)
class Spread:
    """An amount at the three levels, floor <= expected <= conservative."""

    floor: Bytes
    expected: Bytes
    conservative: Bytes

    def at(self, level: MemoryLevel) -> Bytes:
        """The amount at a level."""
        if level == "floor":
            return self.floor
        return self.expected if level == "expected" else self.conservative


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a step on one pool's GPUs."""

    name: StageName
    pool: str
    components: Mapping[MemoryLevel, Mapping[str, Bytes]]
    """Level to what takes the memory, each named."""
    edge: float = 1.0
    """Up to this share of what is usable the expected amount may be and the stage still work."""
    kept: float = 0.0
    """Freed blocks that the allocator holds while the card has room, a share of what it gave."""
    above: float = 0.0
    """The share by which what a run reports may be above what long sequences take."""

    total: Spread = field(init=False, compare=False, repr=False)
    """The sum; a higher level is never below a lower one."""

    def __post_init__(self) -> None:
        """Add up once: a search asks for it thousands of times."""
        floor, expected, conservative = (
            together(self.components[level].values()) for level in LEVELS
        )
        expected = max(floor, expected)
        spread = Spread(floor, expected, max(expected, conservative))
        object.__setattr__(self, "total", spread)

    def allocated(self, level: MemoryLevel) -> Bytes:
        """What torch reports as allocated by the trainers' processes, no engine among them."""
        if level == "floor":
            return self._given(level)
        expected = max(self._given("floor"), self._given("expected"))
        if level == "expected":
            return expected
        return max(expected, self._at_most)

    def shown(self, usable: Bytes) -> Bytes:
        """What a card shows: what is expected, and freed blocks, of the room at most a third."""
        expected = self.total.expected
        parts = self.components["expected"].items()
        beside = together(amount for name, amount in parts if name in NOT_ALLOCATED)
        kept = expected.less(beside) * self.kept
        return expected + min(kept, usable.less(expected) / 3)

    def shown_at_most(self, usable: Bytes) -> Bytes:
        """The same at the conservative level."""
        if not self.kept:
            return self.total.conservative
        parts = self.components["conservative"].items()
        beside = together(amount for name, amount in parts if name in NOT_ALLOCATED)
        between = self.components["expected"].get("allocator", NOTHING)
        held = self._at_most + between
        room = usable.less(held + beside)
        freed = min(room, max(held, room) * FREED)
        return max(self.shown(usable), held + beside + freed)

    @property
    def _at_most(self) -> Bytes:
        return self._given("conservative") * (1.0 + self.above) + Bytes.gib(PIECES)

    def _given(self, level: MemoryLevel) -> Bytes:
        """What the trainers' allocator has given. What transformers generate with is theirs."""
        parts = self.components[level]
        elsewhere = NOT_ALLOCATED | {"allocator"}
        if self.name == "rollout" and "engine weights" not in parts:
            elsewhere -= _OF_ENGINE
        return together(amount for name, amount in parts.items() if name not in elsewhere)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """An engine whose share is less than what has to go into it, so that it does not start."""

    verdict: Fit
    """What is too much: the weights alone; with the cache of one sequence; with what it works with,
    of which the least is known: most public runs of such a share did start (`make unseen`)."""
    share: Bytes
    needed: dict[str, Bytes]

    @property
    def lacking(self) -> Bytes:
        """How much larger the share has to be."""
        return together(self.needed.values()).less(self.share)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEstimate:
    """What a workload takes of each GPU of a device."""

    device: Device
    gpus: int
    stages: tuple[Stage, ...]
    host: Bytes
    """Memory of one host that offloaded states take."""
    assumptions: tuple[str, ...] = ()
    measured: bool = False
    """True when the lengths are those of a run."""
    short: Shortage | None = None
    """Of the engines the one that lacks most to start, None where all do."""
    certain: bool = True
    """False where a model was taken for the one that its name holds: nothing is impossible then."""

    def binding(self, level: MemoryLevel = "expected") -> Stage:
        """The stage that takes the most at a level."""
        return max(self.stages, key=lambda stage: stage.total.at(level).count)

    def peak(self, level: MemoryLevel = "expected") -> Bytes:
        """The most that any stage takes at a level."""
        return self.binding(level).total.at(level)

    @property
    def usable(self) -> Bytes:
        """What a process can take of the device."""
        return Bytes.gib(self.device.usable_gib)

    @property
    def overfull(self) -> Stage | None:
        """The stage that takes the most of those that are expected to fail, None where none is."""
        return max(
            (one for one in self.stages if one.total.expected > self.usable * one.edge),
            key=lambda stage: stage.total.expected.count,
            default=None,
        )

    @property
    def decisive_shortage(self) -> Shortage | None:
        """What an engine lacks to start, where the verdict would be another without that."""
        return self.short if replace(self, short=None).outcome != self.outcome else None

    @property
    def outcome(self) -> Fit:
        """The verdict; only `impossible` is an error, and it depends on the floor alone."""
        short = self.short.verdict if self.short is not None else None
        if short == "impossible" or self.peak("floor") > self.usable:
            return "impossible" if self.certain else "likely OOM"
        if short == "likely OOM" or self.overfull is not None:
            return "likely OOM"
        total = Bytes(self.device.memory_bytes)
        most = max(self.peak("conservative"), self.peak())
        if short or most > self.usable or self.peak() > total * TIGHT:
            return "tight"
        return "fits"
