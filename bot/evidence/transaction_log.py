"""W&B's transaction log (`run-ID.wandb`): bytes to records, and what a record holds.

The format is LevelDB's log format (github.com/google/leveldb, doc/log_format.md) with two
differences: a header of seven bytes (":W&B", 0xBEE1, version 0) opens the first block, and the
checksum is the plain CRC-32 of the type byte and the payload, neither CRC-32C nor masked. A file is
a row of 32 KiB blocks; a record is one FULL fragment or FIRST, MIDDLE…, LAST; a fragment is
checksum (4), length (2), type (1), all little-endian, then the payload; fewer than seven bytes at
the end of a block are padding.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import cache
from pathlib import Path
from struct import Struct
from typing import Any, BinaryIO

from bot.base.fast_dataclass import dataclass
from bot.evidence.facts import EvidenceError
from bot.evidence.protobuf_messages import message_class

BLOCK = 32 * 1024
HEADER = Struct("<4sHB")
FRAGMENT = Struct("<IHB")
IDENT, MAGIC, VERSION = b":W&B", 0xBEE1, 0
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4

_DAMAGED = -1
_SEEDS = {kind: zlib.crc32(bytes([kind])) for kind in (FULL, FIRST, MIDDLE, LAST)}


@dataclass(slots=True)
class _Record:
    """A record that is being joined."""

    begun: int
    size: int = 0
    """Bytes so far, those of parts that were let go included."""
    parts: list[bytes] = field(default_factory=list)


class UnwrittenError(EvidenceError):
    """An empty log: the process ended before W&B wrote a block of it to the disk."""


@dataclass(slots=True)
class LogReader:
    """Iterates over the records of a log in memory of one record; afterwards says what was lost."""

    stream: BinaryIO
    name: str
    """How messages call the file."""
    max_record: int
    max_bytes: int
    check_header: Callable[[bytes], None] | None = None
    """Takes the first block and raises EvidenceError where another format's header does not stand
    there; None for W&B's."""
    cut_at: int | None = None
    """Byte where the log ends in the middle of a record; None when it ends after one."""
    damaged_at: list[int] = field(default_factory=list)
    """Bytes at which a fragment was unreadable; the rest of its block was skipped."""
    oversized_at: list[int] = field(default_factory=list)
    """Bytes at which a record longer than `max_record` began; it was skipped."""
    stopped_at: int | None = None
    """Byte at which `max_bytes` ended the reading."""
    offset: int = 0
    """Bytes read so far."""

    def __iter__(self) -> Iterator[bytes]:
        """Payloads in order. Raises EvidenceError when the file is not a transaction log."""
        record: _Record | None = None
        lost = False  # A beginning was lost, so that orphaned fragments are expected.
        for place, kind, data in self._fragments():
            if kind == _DAMAGED:
                self.damaged_at.append(place)
                record, lost = None, True
                continue
            if kind in (FULL, FIRST):
                if record is not None:  # It never ended.
                    self.damaged_at.append(record.begun)
                record, lost = _Record(place), False
            elif record is None:
                if not lost:
                    self.damaged_at.append(place)
                lost = True
                continue
            self._join(record, data)
            if kind in (FULL, LAST):
                if record.size <= self.max_record:
                    yield data if len(record.parts) == 1 else b"".join(record.parts)
                record = None
        if record is not None and self.stopped_at is None:
            self.cut_at = record.begun

    def _join(self, record: _Record, data: bytes) -> None:
        """Add a fragment to its record; a record that grows too long is let go."""
        record.size += len(data)
        if record.size <= self.max_record:
            record.parts.append(data)
        elif record.parts or len(data) == record.size:
            self.oversized_at.append(record.begun)
            record.parts = []

    def _fragments(self) -> Iterator[tuple[int, int, bytes]]:
        """Byte, kind and payload of each; `_DAMAGED` stands for the rest of a block."""
        block = self._block()
        (self.check_header or self._check_header)(block)
        base, at = 0, HEADER.size
        while block:
            while at + FRAGMENT.size <= len(block):
                checksum, length, kind = FRAGMENT.unpack_from(block, at)
                end = at + FRAGMENT.size + length
                if end > len(block) and len(block) < BLOCK:
                    self.cut_at = base + at
                    return
                data = block[at + FRAGMENT.size : end]
                seed = _SEEDS.get(kind)
                if seed is None or end > len(block) or zlib.crc32(data, seed) != checksum:
                    yield base + at, _DAMAGED, b""
                    at = len(block)
                    break
                yield base + at, kind, data
                at = end
            if len(block) < BLOCK:
                if at < len(block):
                    self.cut_at = base + at
                return
            if self.offset >= self.max_bytes:
                self.stopped_at = self.offset
                return
            base, at = self.offset, 0
            block = self._block()

    def _block(self) -> bytes:
        block = self.stream.read(BLOCK)
        self.offset += len(block)
        return block

    def _check_header(self, block: bytes) -> None:
        if not block:
            raise UnwrittenError(
                "{name} is empty: the run wrote nothing; give the folder of a run that logged "
                "at least its configuration.",
                name=self.name,
            )
        if len(block) < HEADER.size and (HEADER.pack(IDENT, MAGIC, VERSION)).startswith(block):
            raise EvidenceError(
                "{name} ends at byte {byte}, inside its header: copy the whole file.",
                name=self.name,
                byte=len(block),
            )
        ident, magic, version = HEADER.unpack(block[: HEADER.size].ljust(HEADER.size, b"\0"))
        if (ident, magic) != (IDENT, MAGIC):
            raise EvidenceError(
                "{name} is not a W&B transaction log: it does not begin with the header that "
                'the SDK writes (":W&B"); give the folder or the run-ID.wandb file of a run.',
                name=self.name,
            )
        if version != VERSION:
            raise EvidenceError(
                "{name} has version {version} of the transaction log, where only version "
                "{known} is known: update rlbot.",
                name=self.name,
                version=version,
                known=VERSION,
            )


@cache
def record_type() -> Any:
    """The class of `Record`; parse with `ParseFromString` and ask `WhichOneof("record_type")`."""
    return message_class(Path(__file__).with_suffix(".proto"), "Record")
