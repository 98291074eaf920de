"""The framing of W&B's transaction log (`run-ID.wandb`): bytes to records.

The format is LevelDB's log format (github.com/google/leveldb, doc/log_format.md) with two
differences: a header of seven bytes (":W&B", 0xBEE1, version 0) opens the first block, and the
checksum is the plain CRC-32 of the type byte and the payload, neither CRC-32C nor masked. A file is
a row of 32 KiB blocks; a record is one FULL fragment or FIRST, MIDDLE…, LAST; a fragment is
checksum (4), length (2), type (1), all little-endian, then the payload; fewer than seven bytes at
the end of a block are padding.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import BinaryIO

from bot.base.messages import message
from bot.evidence.facts import EvidenceError

BLOCK = 32 * 1024
HEADER = Struct("<4sHB")
FRAGMENT = Struct("<IHB")
IDENT, MAGIC, VERSION = b":W&B", 0xBEE1, 0
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4

_SEEDS = {kind: zlib.crc32(bytes([kind])) for kind in (FULL, FIRST, MIDDLE, LAST)}


@dataclass(slots=True)
class LogReader:
    """Iterates over the records of a log in memory of one record; afterwards says what was lost."""

    stream: BinaryIO
    name: str
    """How messages call the file."""
    max_record: int
    max_bytes: int
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
        parts: list[bytes] = []
        begun = 0
        size = -1  # Bytes of the record that is being joined; -1 outside of one.
        lost = False  # A beginning was lost, so that orphaned fragments are expected.
        block = self._block()
        self._check_header(block)
        at = HEADER.size
        base = 0
        while block:
            while at + FRAGMENT.size <= len(block):
                checksum, length, kind = FRAGMENT.unpack_from(block, at)
                end = at + FRAGMENT.size + length
                if end > len(block) and len(block) < BLOCK:
                    self.cut_at = base + at if size < 0 else begun
                    return
                data = block[at + FRAGMENT.size : end]
                seed = _SEEDS.get(kind)
                if seed is None or end > len(block) or zlib.crc32(data, seed) != checksum:
                    self.damaged_at.append(base + at)
                    parts, size, at, lost = [], -1, len(block), True
                    break
                if kind in (FULL, FIRST):
                    if size >= 0:  # The record before it never ended.
                        self.damaged_at.append(begun)
                    parts, size, begun, lost = [], 0, base + at, False
                at = end
                if size < 0:
                    if not lost:
                        self.damaged_at.append(base + at - length - FRAGMENT.size)
                    lost = True
                    continue
                size += length
                if size <= self.max_record:
                    parts.append(data)
                elif parts or length == size:
                    self.oversized_at.append(begun)
                    parts = []
                if kind in (FULL, LAST):
                    if size <= self.max_record:
                        yield data if len(parts) == 1 else b"".join(parts)
                    parts, size = [], -1
            if len(block) < BLOCK:
                if at < len(block) or size >= 0:
                    self.cut_at = base + at if size < 0 else begun
                return
            if self.offset >= self.max_bytes:
                self.stopped_at = self.offset
                return
            base, at = self.offset, 0
            block = self._block()
        if size >= 0:
            self.cut_at = begun

    def _block(self) -> bytes:
        block = self.stream.read(BLOCK)
        self.offset += len(block)
        return block

    def _check_header(self, block: bytes) -> None:
        if not block:
            raise EvidenceError(
                message(
                    "{name} is empty: the run wrote nothing; give the folder of a run that logged "
                    "at least its configuration.",
                    name=self.name,
                )
            )
        if len(block) < HEADER.size and (HEADER.pack(IDENT, MAGIC, VERSION)).startswith(block):
            raise EvidenceError(
                message(
                    "{name} ends at byte {byte}, inside its header: copy the whole file.",
                    name=self.name,
                    byte=len(block),
                )
            )
        ident, magic, version = HEADER.unpack(block[: HEADER.size].ljust(HEADER.size, b"\0"))
        if (ident, magic) != (IDENT, MAGIC):
            raise EvidenceError(
                message(
                    "{name} is not a W&B transaction log: it does not begin with the header that "
                    'the SDK writes (":W&B"); give the folder or the run-ID.wandb file of a run.',
                    name=self.name,
                )
            )
        if version != VERSION:
            raise EvidenceError(
                message(
                    "{name} has version {version} of the transaction log, where only version "
                    "{known} is known: update rlbot.",
                    name=self.name,
                    version=version,
                    known=VERSION,
                )
            )
