"""A server that lies: it sends readers elsewhere, gives what never ends, or what is no data.

What it says may become a sentence, or facts with gaps. The key goes to the server that was named,
and nothing is left behind, as the fixture `room` asserts after each test.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunHosts, parse_link
from bot.evidence.online import Access, read_online
from tests.evidence.online.conftest import Room
from tests.wandb_server.exports import export
from tests.wandb_server.faults import Fault
from tests.wandb_server.server import KEY, Wandb

pytestmark = pytest.mark.usefixtures("forked")

STALL = 8.0
LATER = ("Run", "RunParquetHistory", "SampledHistoryPage", "RunFullHistory", "RunFiles", "/storage")


@pytest.fixture(params=["127.0.0.1", "127.0.0.2"])
def elsewhere(request: pytest.FixtureRequest) -> Iterator[Wandb]:
    """Another server: on another port of the same host, and on another host."""
    with Wandb(host=request.param).serving() as other:
        yield other


def outcome(room: Room, **more: Any) -> Facts | str:
    """The facts, or the sentence instead of them."""
    try:
        return room.read(stall_seconds=STALL, **more)
    except EvidenceError as error:
        sentence = str(error)
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert KEY not in sentence
        return sentence


@pytest.mark.parametrize("operation", LATER)
def test_t9_the_key_follows_no_redirect(room: Room, elsewhere: Wandb, operation: str) -> None:
    room.server.store.access["verl-team", "verl_tuning"] = "PRIVATE"
    place = {"Location": f"{elsewhere.url}/graphql"}
    room.server.faults.append(Fault("redirect", operation, status=307, headers=place))
    outcome(room, key=KEY, allow_private=True)
    assert KEY in room.server.keys
    assert set(elsewhere.keys) <= {None}


def test_t9_the_key_goes_to_no_address_that_the_server_gives(room: Room, elsewhere: Wandb) -> None:
    room.server.store.access["verl-team", "verl_tuning"] = "PRIVATE"
    export(next(iter(room.server.store.runs.values())), live_from=None)
    room.server.files_url = elsewhere.url
    outcome(room, key=KEY, allow_private=True)
    assert KEY in room.server.keys
    assert elsewhere.requests
    assert set(elsewhere.keys) == {None}


@pytest.mark.parametrize(
    "address",
    [
        "https://wandb.ai.example.org/a/b/runs/c",
        "https://wandb.ai@example.org/a/b/runs/c",
        "https://example.org/wandb.ai/a/b/runs/c",
        "https://wandb.ai:444/a/b/runs/c",
        "https://api.wandb.ai\\@example.org/a/b/runs/c",
        "https://wаndb.ai/a/b/runs/c",
        "https://xn--wndb-63d.ai/a/b/runs/c",
        "https://wandb。ai/a/b/runs/c",
        "http://wandb.ai/a/b/runs/c",
        "https://wandb.ai./a/b/runs/c",
        "https://wandb.ai%2f@example.org/a/b/runs/c",
        "https://127.0.0.1/a/b/runs/c",
        "https://[::1]/a/b/runs/c",
    ],
)
def test_t9_hosts_that_look_like_it(address: str) -> None:
    with pytest.raises(EvidenceError):
        parse_link(address, RunHosts())


def _deep(count: int) -> bytes:
    return b'{"data": {"project": ' + b'{"run": ' * count + b"1" + b"}" * (count + 2)


@pytest.mark.parametrize("operation", ["RunAccess", "Run", "RunFullHistory", "RunFiles"])
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        _deep(50_000),
        b'{"data": ' + b"9" * 500_000 + b"}",
        b'{"data": {"project": {"run": []}}}',
        b'{"data": {"project": {"internalId": "1", "run": {"files": {"edges": [null]}}}}}',
        b'\xff\xfe{"data": null}',
        b"\x1f\x8b\x08\x00" + b"\x00" * 1_000,
        b"",
    ],
    ids=["lists", "mappings", "a number", "a list", "no edge", "utf-16", "gzip", "nothing"],
)
def test_answers_that_are_none(room: Room, operation: str, body: bytes) -> None:
    room.server.faults.append(Fault("status", operation, status=200, body=body or b"\n"))
    found = outcome(room)
    assert isinstance(found, str) or found.run.id == "abc123"


@pytest.mark.parametrize(
    "config",
    [
        lambda: {str(n): {"value": n} for n in range(150_000)},
        lambda: {"a": {"value": [1] * 1_500_000}},
        lambda: {"a": {"value": [{}] * 300_000}},
    ],
    ids=["settings", "numbers", "mappings"],
)
def test_a_configuration_of_any_size(room: Room, config: Callable[[], dict[str, Any]]) -> None:
    next(iter(room.server.store.runs.values())).config = config()
    found = outcome(room)
    assert isinstance(found, Facts)
    assert found.config == {}
    assert any("more than 100000 values" in gap for gap in found.gaps)


def test_a_configuration_that_is_nested_without_end(room: Room) -> None:
    deep: Any = 1
    for _ in range(400):
        deep = {"b": deep}
    next(iter(room.server.store.runs.values())).config = {"a": {"value": deep}}
    found = outcome(room)
    assert isinstance(found, str) or "nested too deeply" in json.dumps(found.config)


def test_files_without_end(room: Room) -> None:
    room.server.endless.add("RunFiles")
    assert isinstance(outcome(room), Facts)
    assert room.server.requests.count("RunFiles") < 20


def test_other_runs_without_end(room: Room) -> None:
    room.server.endless.add("Runs")
    assert isinstance(outcome(room, siblings=5), Facts)
    assert room.server.requests.count("Runs") < 20


# Exports as Parquet, which the SDK's service reads


def _table(columns: dict[str, Any], **more: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **more)
    return out.getvalue()


def _flipped(data: bytes, start: int, end: int) -> bytes:
    return data[:start] + bytes(byte ^ 0xA5 for byte in data[start:end]) + data[end:]


def _nested(depth: int) -> bytes:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return _table({"_step": [0], "actor/loss": [value]})


STEPS = list(range(60))
WHOLE = _table({"_step": STEPS, "perf/max_memory_allocated_gb": [1.5] * 60})
EXPORTS: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "no parquet": lambda: b"<html>" * 900,
    "its marks alone": lambda: b"PAR1PAR1",
    "half of one": lambda: WHOLE[: len(WHOLE) // 2],
    "without its end": lambda: WHOLE[:-1],
    "a footer that is too long": lambda: WHOLE[:-8] + struct.pack("<I", 0xFFFFFFFF) + b"PAR1",
    "a footer of noise": lambda: _flipped(WHOLE, len(WHOLE) - 200, len(WHOLE) - 8),
    "pages of noise": lambda: _flipped(WHOLE, 4, 60),
    "counts of noise": lambda: _flipped(WHOLE, len(WHOLE) - 60, len(WHOLE) - 40),
    "texts for numbers": lambda: _table(
        {"_step": ["a"] * 9, "perf/max_memory_allocated_gb": ["x" * 9_000] * 9}
    ),
    "no steps": lambda: _table({"perf/max_memory_allocated_gb": [1.5] * 9}),
    "no rows": lambda: _table({"_step": pa.array([], pa.int64())}),
    "negative steps": lambda: _table({"_step": [-(2**63)] * 9, "actor/loss": [1.0] * 9}),
    "nested columns": lambda: _nested(60),
    "many columns": lambda: _table({"_step": [0], **{f"c{n}": [1] for n in range(5_000)}}),
    "rows that are packed well": lambda: _table(
        {"_step": pa.array(range(3_000_000)), "actor/loss": pa.array([0.0] * 3_000_000)},
        compression="zstd",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_that_are_no_history(room: Room, name: str) -> None:
    run = next(iter(room.server.store.runs.values()))
    run.exports, run.live_from = [EXPORTS[name]()], None
    found = outcome(room)
    # What was exported and is not there is said: as the end of the reading, or as a gap.
    assert isinstance(found, str) or found.gaps


@pytest.mark.parametrize("kind", ["drip", "huge", "cut", "garbage", "drop"])
def test_an_export_that_does_not_arrive(room: Room, kind: Any) -> None:
    export(next(iter(room.server.store.runs.values())), live_from=None)
    room.server.faults.append(Fault(kind, "/exports"))
    found = outcome(room, bytes=32 << 20, seconds=30.0)
    assert isinstance(found, str) or found.gaps


def test_links_of_no_allowed_host_are_never_asked(server: Wandb) -> None:
    with pytest.raises(EvidenceError):
        read_online(parse_link(server.link("abc123"), RunHosts()), Access(base_url=server.url))
    assert server.requests == []
