"""A manifest that was changed in any byte or record is found; what it shows becomes facts."""

from __future__ import annotations

import json
import random
import subprocess
import zlib
from base64 import b85encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence import EvidenceError, Facts, read
from bot.evidence.printed_log import PrintedLog
from bot.evidence.trackers.manifest import chained, fingerprint, parse_manifest, samples
from bot.record.recorder import end_record, public_key
from bot.record.sampling import packed
from bot.report.manifest import NAMESPACE
from tests.profiles import scaled

GIB = 1 << 30


def new_key(folder: Path, name: str) -> Path:
    key = folder / name
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)]
    subprocess.run(command, check=True)
    return key


def records(signer: str | None = None, minutes: int = 5, **end: Any) -> list[dict[str, Any]]:
    gpu = {"name": "NVIDIA H800", "memory_bytes": 85_520_809_984, "uuid": "GPU-1"}
    begin: dict[str, Any] = {
        "schema": "run-manifest-v1", "kind": "begin", "id": "0123456789abcdef",
        "began": 1.7e9, "command_sha256": "0" * 64, "gpus": [gpu, gpu],
    }  # fmt: skip
    if signer:
        begin["signer"] = signer
    found = [begin]
    for number in range(minutes):
        peak = (71 if number == 2 else 58) * GIB
        looks = [58 << 10, peak >> 20, 58 << 10]
        minute = {"kind": "minute", "number": number, "began": 1.7e9 + 60 * number, "looks": 60}
        found.append({**minute, "peak_bytes": [peak] * 2, "samples": packed([looks, looks])})
    found.append({
        "kind": "end", "ended": 1.7e9 + 300, "exit_code": 0, "minutes": minutes, "metrics": {},
        **end,
    })  # fmt: skip
    return found


def lines_of(made: list[dict[str, Any]]) -> list[bytes]:
    lines, before = [], b""
    for record in made:
        line, before = chained(before, json.dumps(record, separators=(",", ":")).encode())
        lines.append(line)
    return lines


def signed(made: list[dict[str, Any]], key: Path) -> bytes:
    """The manifest with the signature of a key."""
    data = b"".join(lines_of(made))
    command = ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", NAMESPACE]
    done = subprocess.run(command, input=data, capture_output=True, check=True)
    signature = {"kind": "signature", "signature": done.stdout.decode()}
    return b"".join(lines_of([*made, signature]))


@pytest.fixture(scope="module")
def ssh_key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_key(tmp_path_factory.mktemp("keys"), "mine")


@pytest.fixture(scope="module")
def manifest(ssh_key: Path) -> bytes:
    return signed(records(public_key(ssh_key)), ssh_key)


def accepted(data: bytes) -> str | None:
    """The key that signed it; raises EvidenceError where something is not as it was."""
    return parse_manifest(data, "run.manifest.jsonl").key


def test_a_signed_manifest_is_accepted(manifest: bytes, ssh_key: Path) -> None:
    assert accepted(manifest) == public_key(ssh_key)


@given(data=st.data())
@settings(max_examples=scaled(300))
def test_every_changed_byte_is_found(manifest: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(manifest) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != manifest[at]))
    with pytest.raises(EvidenceError):
        accepted(manifest[:at] + bytes([byte]) + manifest[at + 1 :])


@given(data=st.data())
@settings(max_examples=scaled(200))
def test_every_byte_taken_out_or_put_in_is_found(manifest: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(manifest) - 1))
    more = data.draw(st.binary(min_size=1, max_size=3))
    with pytest.raises(EvidenceError):
        accepted(manifest[:at] + manifest[at + 1 :])
    with pytest.raises(EvidenceError):
        accepted(manifest[:at] + more + manifest[at:])


@given(data=st.data())
@settings(max_examples=scaled(150))
def test_records_that_are_removed_added_or_swapped_are_found(
    manifest: bytes, data: st.DataObject
) -> None:
    lines = manifest.splitlines(keepends=True)
    one, other = sorted(
        data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=2, max_size=2, unique=True))
    )
    swapped = list(lines)
    swapped[one], swapped[other] = lines[other], lines[one]
    changes = [swapped, lines[:one] + lines[one + 1 :], [*lines[: one + 1], *lines[one:]]]
    changes.append(lines[:one] + lines[other:])
    for changed in changes:
        if changed != lines:
            with pytest.raises(EvidenceError):
                accepted(b"".join(changed))


def test_a_chain_that_was_made_anew_does_not_fit_the_signature(manifest: bytes) -> None:
    made = [json.loads(line) for line in manifest.splitlines()]
    for record in made:
        record.pop("sha256")
    made[3]["peak_bytes"][0] = GIB
    with pytest.raises(EvidenceError, match="it was changed after it was recorded"):
        accepted(b"".join(lines_of(made)))
    with pytest.raises(EvidenceError, match="bears no signature"):
        accepted(b"".join(lines_of(made[:-1])))


def test_a_signature_by_another_key_is_named(ssh_key: Path, tmp_path: Path) -> None:
    other = new_key(tmp_path, "other")
    data = signed(records(public_key(ssh_key)), other)
    with pytest.raises(EvidenceError) as raised:
        accepted(data)
    said = str(raised.value)
    assert fingerprint(public_key(other).split()[1]) in said
    assert fingerprint(public_key(ssh_key).split()[1]) in said
    listed = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(other)], capture_output=True, text=True, check=True
    )
    assert fingerprint(public_key(other).split()[1]) in listed.stdout


def facts(data: bytes, folder: Path) -> Facts:
    path = folder / "run.manifest.jsonl"
    path.write_bytes(data)
    return read(path)


def test_what_it_shows(manifest: bytes, tmp_path: Path) -> None:
    found = facts(manifest, tmp_path)
    assert (found.kind, found.signed, found.gaps) == ("manifest", True, ())
    assert found.system[0].maximum == 71 * GIB
    assert (found.system[1].rows, found.system_rows) == (15, 300)
    assert [gpu.name for gpu in found.gpus] == ["NVIDIA H800"] * 2
    assert (found.exit_code, found.window) == (0, (1.7e9, 1.7e9 + 300))


def test_an_unsigned_one_says_so(tmp_path: Path) -> None:
    found = facts(b"".join(lines_of(records())), tmp_path)
    assert found.signed is False
    assert found.source == "manifest run.manifest.jsonl, unsigned: it shows accidents, and no edit"


def test_one_without_an_end_says_that_its_recorder_was_killed(
    manifest: bytes, tmp_path: Path
) -> None:
    lines = manifest.splitlines(keepends=True)
    for data in (b"".join(lines[:4]), b"".join(lines[:4]) + lines[4][:30]):
        found = facts(data, tmp_path)
        assert len(found.gaps) == 1
        assert "has no end: the recorder was killed after 3 min" in found.gaps[0]


@given(st.integers(1, 8), st.integers(0, 70), st.data())
@settings(max_examples=scaled(200))
def test_samples_come_back(gpus: int, looks: int, data: st.DataObject) -> None:
    row = st.lists(st.integers(0, 1 << 40), min_size=looks, max_size=looks)
    values = [data.draw(row) for _ in range(gpus)]
    assert samples(packed(values), gpus) == values


@pytest.mark.parametrize(("status", "name"), [(-9, "SIGKILL"), (-35, "signal 35"), (0, None)])
def test_the_signal_that_ended_a_command_is_named(status: int, name: str | None) -> None:
    assert end_record(status, 1, PrintedLog()).signal == name


@pytest.mark.parametrize("text", ["", "x", "####", b85encode(b"x").decode()])
def test_samples_that_are_none_are_none(text: str) -> None:
    assert samples(text, 2) in ([], [[], []])


def test_samples_that_swell_are_bounded() -> None:
    packer = zlib.compressobj(9, wbits=-15)
    text = b85encode(packer.compress(bytes(1 << 24)) + packer.flush()).decode()
    assert len(samples(text, 1)[0]) <= 1 << 16


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lowest", "highest", "most"),
    [(0, 0, 700_000), (-40, 40, 1_600_000), (-40_000, 40_000, 2_900_000)],
)
def test_a_day_of_eight_gpus_is_small(lowest: int, highest: int, most: int) -> None:
    chance = random.Random(1)  # noqa: S311
    size = 0
    for number in range(24 * 60):
        levels = [chance.randint(40_000, 70_000) for _ in range(8)]
        steps = range(lowest, highest + 1)
        looks = [[level + step for step in chance.choices(steps, k=60)] for level in levels]
        minute = {
            "kind": "minute", "number": number, "began": 1.7e9 + 60 * number, "looks": 60,
            "peak_bytes": [max(row) << 20 for row in looks],
            "tree_peak_bytes": [level << 20 for level in levels], "samples": packed(looks),
            "host_peak_bytes": chance.randint(0, 1 << 40), "processes": 40,
        }  # fmt: skip
        size += len(chained(b"", json.dumps(minute, separators=(",", ":")).encode())[0])
    assert size < most


@given(st.binary(max_size=300))
@settings(max_examples=scaled(200))
def test_bytes_that_are_no_manifest_end_in_a_sentence(data: bytes) -> None:
    with pytest.raises(EvidenceError):
        parse_manifest(b'{"schema":"run-manifest-v1",' + data, "x")


@pytest.mark.parametrize(
    "changes",
    [
        {"gpus": "x"}, {"gpus": [1, None, {}]}, {"began": "x"}, {"packages": []}, {"script": 7},
        {"script": {"settings": [1]}}, {"git": []}, {"id": None},
    ],
)  # fmt: skip
def test_records_of_other_kinds_are_no_fault(changes: dict[str, Any], tmp_path: Path) -> None:
    made = records()
    made[0].update(changes)
    metrics = {"x": 1, "y": {"rows": "z"}, "training/global_step": {"rows": 1, "maximum": 1e999}}
    made[-1]["metrics"] = metrics
    made[2]["peak_bytes"] = [7, None, "x", 9]
    facts(b"".join(lines_of(made)), tmp_path)
