"""A command from its start to the last line of its manifest."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Final

from bot.base.errors import UserError, system_reason
from bot.check.request import CheckOptions
from bot.evidence.printed_log import PrintedLog
from bot.evidence.trackers.manifest import chained
from bot.record.beginning import beginning
from bot.record.nvml import Nvml, NvmlError
from bot.record.passing import PassedCommand, inherited
from bot.record.sampling import Sampler
from bot.report.manifest import (
    NAMESPACE,
    ManifestBegin,
    ManifestEnd,
    ManifestRecord,
    ManifestSignature,
    PrintedMetric,
)

_VALUES: Final = 64
"""Values of a metric that a manifest keeps, to compare with another source."""


class ManifestFile:
    """Writes records, each on the disk before the next one is made."""

    def __init__(self, path: Path | None) -> None:
        """Make the file, under a name that no other has; raises UserError where `path` is taken."""
        names = _own_names() if path is None else iter([path])
        self._stream, self.path = _made(names)
        self._before = b""

    def write(self, record: ManifestRecord) -> None:
        """Append a record; a disk that is full costs records, never the command."""
        line, digest = chained(self._before, body_of(record))
        try:
            self._stream.write(line)
            os.fsync(self._stream.fileno())
        except OSError:
            return
        self._before = digest

    def content(self) -> bytes:
        """What stands in the file."""
        return self.path.read_bytes()


def _own_names() -> Iterator[Path]:
    """Names by the time: recorders of several nodes often start in the same second and folder."""
    began = time.strftime("run-%Y%m%d_%H%M%S")
    yield Path(f"{began}.manifest.jsonl")
    yield from (Path(f"{began}-{number}.manifest.jsonl") for number in count(2))


def _made(names: Iterator[Path]) -> tuple[BinaryIO, Path]:
    """A new file under the first of these names that is free."""
    path = Path()
    for path in names:
        try:
            return path.open("xb", buffering=0), path
        except FileExistsError:
            continue
        except OSError as error:
            raise UserError(
                "{path} could not be written: {reason}.", path=path, reason=system_reason(error)
            ) from None
    raise UserError(
        "{path} is there already; it was not overwritten, and the command was not started.",
        path=path,
    )


def body_of(record: ManifestRecord) -> bytes:
    """A record as JSON without blanks, what is None left out."""

    def plain(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: value for key, value in pairs if value is not None}

    fields = asdict(record, dict_factory=plain)
    text = json.dumps(fields, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii")


def record_command(
    command: Sequence[str],
    path: Path | None,
    key: Path | None,
    begun: Callable[[ManifestBegin], None],
    options: CheckOptions,
) -> tuple[int, Path]:
    """Run a command and write its manifest; its status as `Popen.returncode`, and the manifest.

    `begun` is told the first record before the command starts. `options` say how its script is
    read.

    Raises UserError, before anything is started, where the manifest cannot be made or the key
    cannot sign, and where the command cannot be started.
    """
    others = inherited()
    signer = public_key(key) if key is not None else None
    try:
        nvml: Nvml | NvmlError = Nvml()
    except NvmlError as error:
        nvml = error
    if shutil.which(command[0]) is None:
        raise UserError("{command} is no command that can be run.", command=command[0])
    file = ManifestFile(path)
    first = beginning(command, nvml, os.environ, options, signer=signer)
    file.write(first)
    begun(first)
    printed = PrintedLog()
    try:
        running = PassedCommand(command, printed.feed, others)
    except OSError as error:
        raise UserError(
            "{command} could not be started: {reason}.",
            command=command[0],
            reason=error.strerror or str(error),
        ) from None
    sampler = Sampler(nvml if isinstance(nvml, Nvml) else None, running.process.pid, file.write)
    sampler.start()
    try:
        status = running.wait()
    finally:
        sampler.stop()
    file.write(end_record(status, sampler.minutes, printed))
    if key is not None:
        _sign(file, key)
    return status, file.path


def _signal_name(number: int) -> str:
    """Python names of the real-time signals only the first and the last."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def end_record(status: int, minutes: int, printed: PrintedLog) -> ManifestEnd:
    """The last record of a manifest; `status` is that of `Popen.returncode`."""
    history, out_of_memory = printed.close()
    metrics = {}
    for name, series in history.items():
        values = series.values or {}
        stride = 1
        while len(values) > _VALUES:
            stride *= 2
            values = {step: value for step, value in values.items() if step % stride == 0}
        metrics[name] = PrintedMetric(
            rows=series.rows,
            maximum=series.maximum,
            at_step=series.at_step,
            last=series.last,
            monotone=series.monotone,
            values={str(step): value for step, value in values.items()},
        )
    return ManifestEnd(
        kind="end",
        ended=round(time.time(), 3),
        exit_code=status if status >= 0 else None,
        signal=_signal_name(-status) if status < 0 else None,
        minutes=minutes,
        metrics=metrics,
        out_of_memory=out_of_memory,
    )


def public_key(key: Path) -> str:
    """The public key of a private one, `TYPE BASE64`; raises UserError where it cannot sign."""
    made = _keygen(["-y", "-P", "", "-f", str(key)], b"")
    if made is None:
        beside = key.with_name(key.name + ".pub")
        if beside.is_file() and "SSH_AUTH_SOCK" in os.environ:  # An agent holds the private one.
            made = beside.read_bytes()
    if made is None:
        raise UserError(
            "The key {key} cannot sign here: ssh-keygen could not read it, or it needs a "
            "passphrase; add it to ssh-agent, or leave --key out.",
            key=key,
        )
    return " ".join(made.decode("ascii", "replace").split()[:2])


def _sign(file: ManifestFile, key: Path) -> None:
    """Sign what the manifest holds; by the input, since by name an old signature would stay."""
    made = _keygen(["-Y", "sign", "-f", str(key), "-n", NAMESPACE], file.content())
    if made is not None:
        text = made.decode("ascii", "replace")
        file.write(ManifestSignature(kind="signature", signature=text))


def _keygen(arguments: list[str], data: bytes) -> bytes | None:
    program = shutil.which("ssh-keygen")
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program
            [program, *arguments], input=data, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
