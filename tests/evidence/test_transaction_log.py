"""The framing of the transaction log: whole, cut, damaged, and arbitrary bytes."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence.facts import EvidenceError
from bot.evidence.transaction_log import BLOCK, FRAGMENT, HEADER, IDENT, MAGIC, LogReader
from tests.profiles import scaled


def framed(payloads: Iterable[bytes]) -> bytes:
    """A log as the SDK writes one; written from the format's description alone."""
    header = HEADER.pack(IDENT, MAGIC, 0)
    return header + framed_after(len(header), payloads)


def framed_after(size: int, payloads: Iterable[bytes]) -> bytes:
    """What is appended to a log of `size` bytes."""
    out = bytearray(size)
    for payload in payloads:
        rest, first = payload, True
        while True:
            left = BLOCK - len(out) % BLOCK
            if left < FRAGMENT.size:
                out += bytes(left)
                left = BLOCK
            part, rest = rest[: left - FRAGMENT.size], rest[left - FRAGMENT.size :]
            kind = (1 if not rest else 2) if first else (4 if not rest else 3)
            out += FRAGMENT.pack(zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            first = False
            if not rest:
                break
    return bytes(out[size:])


def reader(data: bytes, *, max_record: int = 1 << 30, max_bytes: int = 1 << 40) -> LogReader:
    return LogReader(io.BytesIO(data), "run-x.wandb", max_record=max_record, max_bytes=max_bytes)


payloads = st.lists(
    st.one_of(
        st.binary(max_size=200),
        # Sizes around the ends of blocks, where fragments and padding are.
        st.integers(BLOCK - 40, 2 * BLOCK + 40).map(lambda n: bytes([n % 251]) * n),
    ),
    max_size=8,
)


@given(payloads)
@settings(max_examples=scaled(150))
def test_every_record_comes_back(records: list[bytes]) -> None:
    log = reader(framed(records))
    assert list(log) == records
    assert (log.cut_at, log.damaged_at, log.oversized_at, log.stopped_at) == (None, [], [], None)


@given(payloads.filter(bool), st.data())
@settings(max_examples=scaled(150))
def test_a_cut_log_gives_its_beginning_and_says_where_it_ends(
    records: list[bytes], data: st.DataObject
) -> None:
    whole = framed(records)
    at = data.draw(st.integers(HEADER.size, len(whole)))
    log = reader(whole[:at])
    found = list(log)
    assert found == records[: len(found)]
    assert log.damaged_at == []
    lengths = [len(framed(records[:n])) for n in range(len(records) + 1)]
    assert lengths[len(found)] <= at
    if at in lengths:
        assert log.cut_at is None
    elif log.cut_at is not None:
        # The record that is missing begins there, after the padding of its block.
        assert lengths[len(found)] <= log.cut_at <= at
    else:  # Only padding was cut.
        assert at - lengths[len(found)] < FRAGMENT.size
        assert not any(whole[lengths[len(found)] : at])


@given(payloads, st.data())
@settings(max_examples=scaled(150))
def test_a_damaged_byte_is_seen_and_other_blocks_survive(
    records: list[bytes], data: st.DataObject
) -> None:
    whole = bytearray(framed([*records, b"end" * 9]))
    at = data.draw(st.integers(HEADER.size, len(whole) - 1))
    whole[at] ^= 0x55
    log = reader(bytes(whole))
    found = list(log)
    remaining = iter([*records, b"end" * 9])
    assert all(any(payload == other for other in remaining) for payload in found)
    lost = len(found) < len(records) + 1
    assert lost == bool(log.damaged_at or log.cut_at is not None)


@given(st.binary(max_size=3 * BLOCK), st.booleans())
@settings(max_examples=scaled(200))
def test_arbitrary_bytes_are_read_or_refused(data: bytes, headed: bool) -> None:
    log = reader(HEADER.pack(IDENT, MAGIC, 0) + data if headed else data)
    if headed or data.startswith(HEADER.pack(IDENT, MAGIC, 0)):
        assert all(isinstance(payload, bytes) for payload in log)
    else:
        with pytest.raises(EvidenceError, match=r"\.\Z"):
            list(log)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b":W&", "ends at byte 3, inside its header"),
        (b"PAR1abcdefgh", "is not a W&B transaction log"),
        (b"x", "is not a W&B transaction log"),
        (HEADER.pack(IDENT, MAGIC, 1), "version 1 of the transaction log"),
    ],
)
def test_what_is_not_a_log_is_refused_with_the_reason(data: bytes, words: str) -> None:
    with pytest.raises(EvidenceError, match=words):
        list(reader(data))


def test_a_record_longer_than_the_bound_is_skipped_and_reported() -> None:
    log = reader(framed([b"a", b"b" * 100_000, b"c"]), max_record=50_000)
    assert list(log) == [b"a", b"c"]
    assert log.oversized_at == [HEADER.size + FRAGMENT.size + 1]


def test_reading_ends_at_the_bound_on_bytes() -> None:
    log = reader(framed([b"x" * 1000] * 200), max_bytes=BLOCK)
    assert 0 < len(list(log)) < 40
    assert log.stopped_at == BLOCK


def test_a_tail_of_zeros_is_damage_not_the_end() -> None:
    log = reader(framed([b"one"]) + bytes(4096))
    assert list(log) == [b"one"]
    assert log.damaged_at == [len(framed([b"one"]))]


def test_the_rest_of_a_record_without_its_beginning_is_damage() -> None:
    orphan = FRAGMENT.pack(zlib.crc32(b"\x04rest"), 4, 4) + b"rest"
    log = reader(framed([]) + orphan + framed([b"next"])[HEADER.size :])
    assert list(log) == [b"next"]
    assert log.damaged_at == [HEADER.size]
