"""The fields of a protobuf message, without its schema (protobuf.dev, "Encoding")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

WireValue: TypeAlias = int | bytes
"""An integer of a varint; the bytes of anything else, little-endian where they are a number."""


def fields(data: bytes) -> Iterator[tuple[int, WireValue]]:
    """Number and value of each field in order; raises ValueError where it is no message."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == 2:
            size, at = _varint(data, at)
        elif kind == 1:
            size = 8
        elif kind == 5:
            size = 4
        else:
            raise ValueError(kind)
        if at + size > end:
            raise ValueError(size)
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    try:
        byte = data[at]
        if byte < 0x80:
            return byte, at + 1
        value = byte & 0x7F
        for index in range(1, 10):
            byte = data[at + index]
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return value, at + index + 1
    except IndexError:
        raise ValueError(at) from None
    raise ValueError(at)


def signed(value: int) -> int:
    """A varint as int64, which writes negative numbers as their complement."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def text(value: WireValue) -> str:
    """A field of type string; raises ValueError for a number."""
    if isinstance(value, int):
        raise ValueError(value)
    return value.decode("utf-8", "replace")


def message_of(value: WireValue) -> bytes:
    """A field that holds a message; raises ValueError for a number."""
    if isinstance(value, int):
        raise ValueError(value)
    return value
