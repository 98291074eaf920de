"""A manifest of `rlbot record` (`run-manifest-v1`): its hash chain, its signature, its facts.

Every line closes with the SHA-256 of itself after the one before, so that a change, a removal, an
addition and a swap are seen. Whoever edits can make the chain anew: only a signature is evidence
that nobody did, and only for readers who know the key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import shutil
import subprocess
import zlib
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bot.base.digits import is_digits
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, Notes, mark, message
from bot.base.regex import regex
from bot.evidence.facts import EvidenceError, Facts, GpuInfo, MetricSeries, RunId
from bot.evidence.json_values import dicts, mapping, number, parsed, whole
from bot.evidence.limits import RunLimits
from bot.evidence.locate import open_inside, shown
from bot.evidence.trackers.collect import iso
from bot.evidence.trackers.places import RunPath
from bot.report.manifest import NAMESPACE

SCHEMA: Final = "run-manifest-v1"
_START: Final = b'{"schema":"run-manifest-v1",'
_TAIL: Final = regex(rb',"sha256":"([0-9a-f]{64})"\}\n\Z')
_ARMOUR: Final = "-----BEGIN SSH SIGNATURE-----\n{body}-----END SSH SIGNATURE-----\n"
_WIDTH: Final = 70
_BYTES: Final = 16 << 20
"""Of a manifest; a day of eight GPUs takes less than two megabytes."""
_KEY: Final = regex(r"(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]{1,60} [A-Za-z0-9+/=]{16,3000}\Z")
_CHANGED: Final = mark(
    "{name} was changed after it was recorded, at line {line}: give the file that rlbot record "
    "wrote."
)


def chained(before: bytes, body: bytes) -> tuple[bytes, bytes]:
    """The line of a record and its digest; `body` is its JSON object without blanks."""
    start = body[:-1]
    digest = hashlib.sha256(before + start).digest()
    return start + b',"sha256":"' + digest.hex().encode() + b'"}\n', digest


@dataclass(frozen=True, slots=True)
class Manifest:
    """The records of a manifest whose chain is whole."""

    begin: Mapping[str, Any]
    minutes: tuple[Mapping[str, Any], ...]
    end: Mapping[str, Any] | None
    """None where the recorder was killed."""
    key: str | None
    """The public key that signed all of it, as ssh-keygen confirms; None for an unsigned one."""


def find_manifest(place: RunPath) -> bool:
    """Whether a path is a manifest."""
    return not place.is_folder and place.start.startswith(_START)


def read_manifest(place: RunPath, limits: RunLimits) -> Facts:
    """Read a manifest; raises EvidenceError where it was changed, or cannot be checked."""
    name = shown(place.path.name)
    with open_inside(place.root, place.files[0]) as stream:
        data = stream.read(min(_BYTES, limits.log_bytes) + 1)
    if len(data) > min(_BYTES, limits.log_bytes):
        raise EvidenceError(
            "{name} has more than {count} bytes: it is no manifest.", name=name, count=_BYTES
        )
    return _facts(parse_manifest(data, name), name)


def parse_manifest(data: bytes, name: str) -> Manifest:
    """The records; raises EvidenceError, with the line, where a byte is not as it was written."""
    lines = data.splitlines(keepends=True) if data.count(b"\r") == 0 else [data]
    records: list[dict[str, Any]] = []
    signature: tuple[int, str] | None = None
    before, at, cut = b"", 0, False
    for count, line in enumerate(lines, 1):
        found = _record(before, line)
        if found is None and count == len(lines) and not line.endswith(b"\n") and records:
            cut = True
            break
        if found is None or signature is not None or not _follows(records, found[0]):
            raise EvidenceError(_CHANGED, name=name, line=count)
        record, before = found
        if record.get("kind") == "signature":
            signature = (at, str(record.get("signature")))
        else:
            records.append(record)
        at += len(line)
    if not records:
        raise EvidenceError(_CHANGED, name=name, line=1)
    begin, rest = records[0], records[1:]
    end = rest.pop() if rest and rest[-1].get("kind") == "end" else None
    if end is not None and (cut or end.get("minutes") != len(rest)):
        raise EvidenceError(_CHANGED, name=name, line=len(records))
    key = _signed_by(data, signature, begin, end, name)
    return Manifest(begin, tuple(rest), end, key)


def _record(before: bytes, line: bytes) -> tuple[dict[str, Any], bytes] | None:
    """The record of a line and its digest; None where the line is not as it was written."""
    tail = _TAIL.search(line)
    if tail is None:
        return None
    digest = hashlib.sha256(before + line[: tail.start()]).digest()
    if digest.hex().encode() != tail[1]:
        return None
    record = parsed(line)
    return None if record is None else (record, digest)


def _follows(records: list[dict[str, Any]], record: dict[str, Any]) -> bool:
    """Whether a record can stand after those before it."""
    kind = record.get("kind")
    if not records:
        return kind == "begin" and record.get("schema") == SCHEMA
    ended = records[-1].get("kind") == "end"
    if kind == "signature" or ended:
        return kind == "signature" and ended
    return kind == "end" or (kind == "minute" and record.get("number") == len(records) - 1)


def _signed_by(
    data: bytes,
    signature: tuple[int, str] | None,
    begin: Mapping[str, Any],
    end: Mapping[str, Any] | None,
    name: str,
) -> str | None:
    signer = begin.get("signer")
    if signature is None:
        if signer is not None and end is not None:
            raise EvidenceError(
                "{name} names the key that was to sign it, and bears no signature: it was "
                "changed after it was recorded.",
                name=name,
            )
        return None
    if not isinstance(signer, str) or not _KEY.match(signer) or not _is_armoured(signature[1]):
        raise EvidenceError("{name} bears a signature that is none: it was changed.", name=name)
    if (problem := check_signature(data[: signature[0]], signature[1], signer)) is not None:
        raise EvidenceError("{name} is not to be trusted: {why}", name=name, why=problem)
    return signer


def _is_armoured(text: str) -> bool:
    """Whether a signature is written in the one way that ssh-keygen writes it."""
    body = "".join(text.split("\n")[1:-2])
    try:
        raw = base64.b64decode(body, validate=True)
    except (ValueError, binascii.Error):
        return False
    encoded = base64.b64encode(raw).decode()
    rows = [encoded[start : start + _WIDTH] for start in range(0, len(encoded), _WIDTH)]
    return text == _ARMOUR.format(body="".join(row + "\n" for row in rows))


def check_signature(data: bytes, signature: str, signer: str) -> Message | None:
    """Why a signature is not that of a key over these bytes; None when it is.

    ssh-keygen decides (`-Y verify`); the key is the one that the manifest names, so that the
    report can say which.
    """
    program = shutil.which("ssh-keygen")
    if program is None:
        return message("its signature could not be checked, since ssh-keygen is not installed.")
    with TemporaryDirectory(prefix="rlbot-") as folder:
        allowed, signed = Path(folder) / "allowed", Path(folder) / "signature"
        allowed.write_text(f'signer namespaces="{NAMESPACE}" {signer}\n', encoding="ascii")
        signed.write_text(signature, encoding="ascii")
        command = [program, "-Y", "verify", "-f", str(allowed), "-I", "signer"]
        command += ["-n", NAMESPACE, "-s", str(signed)]
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program; the data comes by its input
                command, input=data, capture_output=True, timeout=30, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return message("ssh-keygen could not check its signature.")
    if done.returncode == 0:
        return None
    other = _key_in(signature)
    if other is not None and other != signer.split()[1]:
        return message(
            "it was signed by another key ({other}) than the one that it names ({key}).",
            other=fingerprint(other),
            key=fingerprint(signer.split()[1]),
        )
    return message(
        "its signature is not the one of {key} over these bytes: it was changed after it was "
        "recorded.",
        key=fingerprint(signer.split()[1]),
    )


def _key_in(signature: str) -> str | None:
    """The public key inside a signature, in base64 (PROTOCOL.sshsig: after magic and version)."""
    raw = base64.b64decode("".join(signature.split("\n")[1:-2]))
    size = int.from_bytes(raw[10:14], "big")
    return base64.b64encode(raw[14 : 14 + size]).decode() if raw[:6] == b"SSHSIG" else None


def fingerprint(key: str) -> str:
    """`SHA256:…` of a public key in base64, as ssh-keygen -l shows it."""
    try:
        raw = base64.b64decode(key)
    except (ValueError, binascii.Error):
        return "?"
    return "SHA256:" + base64.b64encode(hashlib.sha256(raw).digest()).decode().rstrip("=")


def samples(text: str, gpus: int) -> list[list[int]]:
    """The looks in MiB at each GPU that `ManifestMinute.samples` holds; empty for no such text."""
    try:
        raw = zlib.decompressobj(wbits=-15).decompress(base64.b85decode(text), 1 << 16)
    except (ValueError, zlib.error):
        return []
    found, value, shift = list[int](), 0, 0
    for byte in raw:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append((value >> 1) ^ -(value & 1))
            value = shift = 0
        elif shift > 63:
            return []
    looks = len(found) // gpus if gpus else 0
    return [list(accumulate(found[at * looks : (at + 1) * looks])) for at in range(gpus)]


def _facts(manifest: Manifest, name: str) -> Facts:
    begin, end = manifest.begin, manifest.end
    gaps = Notes()
    if end is None:
        gaps.note(
            "{name} has no end: the recorder was killed after {count} min, and what the run "
            "did then is not known.",
            name=name,
            count=len(manifest.minutes),
        )
    began = number(begin.get("began"))
    ended = number(end.get("ended")) if end else None
    gpus = tuple(
        GpuInfo(name=str(gpu.get("name")), memory_bytes=whole(gpu.get("memory_bytes")))
        for gpu in dicts(begin.get("gpus"))
    )
    source = message("manifest {name}, unsigned: it shows accidents, and no edit", name=name)
    if manifest.key is not None:
        key = fingerprint(manifest.key.split()[1])
        source = message("manifest {name}, signed by {key}", name=name, key=key)
    history = _history(end)
    script = mapping(begin.get("script"))
    release = script.get("release")
    code = end.get("exit_code") if end else None
    if end is not None and end.get("signal") in ("SIGKILL", "SIGSEGV", "SIGABRT", "SIGBUS"):
        code = 128
    return Facts(
        source=source,
        kind="manifest",
        run=RunId(id=str(begin.get("id"))),
        # Settings by dotted keys, which is a form that comparisons understand.
        config=mapping(script.get("settings")),
        script_release=None if release is None else str(release),
        history=history,
        history_rows=max((series.rows for series in history.values()), default=0),
        system=_system(manifest, len(gpus)),
        system_rows=sum(whole(minute.get("looks")) or 0 for minute in manifest.minutes),
        gpus=gpus,
        host_gpu_count=len(gpus) or None,
        requirements={k: str(v) for k, v in mapping(begin.get("packages")).items()},
        exit_code=whole(code),
        out_of_memory=end.get("out_of_memory") if end else None,
        created=iso(began),
        window=(began, ended) if began is not None and ended is not None else None,
        signed=manifest.key is not None,
        printed=frozenset({"arguments", "history"}),
        gaps=tuple(gaps),
    )


def _system(manifest: Manifest, gpus: int) -> dict[int, MetricSeries]:
    peaks: list[list[int]] = [[] for _ in range(gpus)]
    looks: list[list[int]] = [[] for _ in range(gpus)]
    for minute in manifest.minutes:
        highest = minute.get("peak_bytes")
        seen = samples(str(minute.get("samples", "")), gpus)
        for gpu, peak in enumerate(highest[:gpus] if isinstance(highest, list) else ()):
            if (known := whole(peak)) is not None:
                peaks[gpu].append(known)
                looks[gpu] += seen[gpu] if seen else []
    return {
        gpu: MetricSeries(
            key=f"GPU {gpu}",
            rows=max(len(looks[gpu]), len(peaks[gpu])),
            maximum=float(max(peaks[gpu])),
            at_step=None,
            last=float(looks[gpu][-1] << 20) if looks[gpu] else float(peaks[gpu][-1]),
            monotone=peaks[gpu] == sorted(peaks[gpu]),
        )
        for gpu in range(gpus)
        if peaks[gpu]
    }


def _history(end: Mapping[str, Any] | None) -> dict[str, MetricSeries]:
    found: dict[str, MetricSeries] = {}
    for key, metric in mapping((end or {}).get("metrics")).items():
        if not isinstance(metric, dict):
            continue
        rows, maximum, last = (number(metric.get(name)) for name in ("rows", "maximum", "last"))
        if rows is None or maximum is None or last is None:
            continue
        values = {
            int(step): float(value)
            for step, value in mapping(metric.get("values")).items()
            if is_digits(step) and len(step) < 16 and number(value) is not None
        }
        found[str(key)] = MetricSeries(
            key=str(key),
            rows=int(rows),
            maximum=maximum,
            at_step=whole(metric.get("at_step")),
            last=last,
            monotone=metric.get("monotone") is True,
            values=values,
        )
    return found
