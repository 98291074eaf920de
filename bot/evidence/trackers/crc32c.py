"""CRC-32C (Castagnoli), which the standard library lacks, and the mask that TFRecord puts on it."""

from __future__ import annotations

from functools import cache
from typing import Final

_REVERSED: Final = 0x82F63B78
"""The polynomial 0x1EDC6F41 with its bits reversed (RFC 3720, appendix B.4)."""
_DELTA: Final = 0xA282EAD8
"""tensorflow/core/lib/hash/crc32c.h: what a masked checksum adds."""


@cache
def _table() -> tuple[int, ...]:
    entries = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (_REVERSED if value & 1 else 0)
        entries.append(value)
    return tuple(entries)


def crc32c(data: bytes) -> int:
    """The checksum of `data`, 32 bits."""
    table, value = _table(), 0xFFFFFFFF
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    """The masked checksum of `data`, as TFRecord files store it."""
    value = crc32c(data)
    return (((value >> 15) | (value << 17)) + _DELTA) & 0xFFFFFFFF
