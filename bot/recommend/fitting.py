"""What a search finds on a device: a candidate that fits, or the one that came nearest."""

from __future__ import annotations

from typing import Final

from bot.base.devices import Device
from bot.base.fast_dataclass import dataclass
from bot.memory.estimate import MemoryEstimate
from bot.memory.units import Bytes
from bot.recommend.cards import rarity
from bot.recommend.options import SHARES
from bot.recommend.request import Candidate

LEAST_MARGIN = 0.01
"""Share of the usable memory below which an expected margin counts as none."""
HOST: Final = Bytes(256 << 30)
"""Memory of a common host for each of its cards: 2 TB of eight in NVIDIA's DGX H100 and H200 (data
sheets)."""


@dataclass(frozen=True, slots=True)
class FittingCandidate:
    """A candidate that fits a device, with its estimate."""

    device: Device
    candidate: Candidate
    estimate: MemoryEstimate
    host: Bytes | None = None
    """The memory of each host, where that is known; it holds what waits there."""

    @property
    def sure(self) -> bool:
        """Whether it fits with the estimate's error in mind; it may fit otherwise.

        What waits on hosts of which nothing is known has to be within those that are common.
        """
        estimate = self.estimate
        return (
            (self.host is not None or estimate.host <= HOST * self.candidate.per_node)
            and estimate.outcome in ("fits", "tight")
            and estimate.peak("conservative") <= estimate.usable
            and estimate.peak() <= estimate.usable * (1 - LEAST_MARGIN)
        )

    @property
    def switched(self) -> int:
        """How many memory options are on."""
        return len(self.candidate.on) + (self.candidate.share < SHARES[0])

    @property
    def order(self) -> tuple[bool, int, int, int, str]:
        """What fits before what may fit, common devices first, then fewest GPUs and options."""
        return (
            not self.sure,
            rarity(self.device),
            self.candidate.gpus,
            self.switched,
            self.device.token,
        )


@dataclass(frozen=True, slots=True)
class NearestMiss:
    """The candidate that came nearest on a device where none fits."""

    device: Device
    candidate: Candidate
    estimate: MemoryEstimate
    engine: Bytes | None = None
    """What the engine needs at least, where its share of the card is less than that."""
    host: Bytes | None = None
    """The memory of each host, where more than that waits there."""

    @property
    def short(self) -> int:
        """Bytes that are missing on each GPU or host, or for the engine's share."""
        stages = self.estimate.peak().count - self.estimate.usable.count
        share = Bytes(self.device.memory_bytes) * self.candidate.share
        host = self.estimate.host.count - self.host.count if self.host else 0
        return max(stages, self.engine.count - share.count if self.engine else 0, host)
