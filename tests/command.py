"""Runs `rlbot` as a person would: in this process, or in one of its own where that matters."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from unittest import mock

from bot.commands.cli import main

ROOT = Path(__file__).resolve().parents[1]
RLBOT = Path(sys.executable).with_name("rlbot")
CPU_SECONDS = 20
"""Processor time of a command: unlike the clock it is the same on a busy machine."""
WALL_SECONDS = 600
"""After which a process that waits is taken to wait for ever."""
BYTES = 1 << 30
"""Address space of a process."""


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


class OutOfTimeError(BaseException):
    """A command used more than CPU_SECONDS; no `except Exception` of the command takes it."""


def rlbot(
    *arguments: str | Path,
    cwd: Path = ROOT,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> Result:
    """What `rlbot ARGUMENTS` prints, called in this process; fails above CPU_SECONDS.

    The command sees the folder, the environment and the streams that a process started by
    `rlbot_process` sees; output is UTF-8.
    """
    out, err = _Pipe(), _Pipe()
    streams = {
        "stdin": _stream(io.BytesIO(stdin), "surrogateescape"),
        "stdout": _stream(out, "surrogateescape"),
        "stderr": _stream(err, "backslashreplace"),
    }
    with (
        out,
        err,
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ, _environment(cwd, environment), clear=True),
        # The folder for temporary files is looked up once and kept.
        mock.patch.object(tempfile, "tempdir", None),
        # Where argparse looks for the width of a terminal.
        mock.patch.object(sys, "__stdout__", streams["stdout"]),
        mock.patch.object(sys, "stdin", streams["stdin"]),
        mock.patch.object(sys, "stdout", streams["stdout"]),
        mock.patch.object(sys, "stderr", streams["stderr"]),
        _bounded(),
    ):
        status = _status([os.fspath(argument) for argument in arguments])
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return _result(status, out.getvalue(), err.getvalue())


def rlbot_process(
    *arguments: str | Path,
    cwd: Path = ROOT,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> Result:
    """What the installed `rlbot ARGUMENTS` prints; fails above CPU_SECONDS or BYTES."""

    import resource  # a browser's Python has none, and starts no process

    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    done = subprocess.run(
        [RLBOT, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=WALL_SECONDS,
        preexec_fn=bounds,
        check=False,
        env=_environment(cwd, environment),
    )
    return _result(done.returncode, done.stdout, done.stderr)


class _Pipe(io.BytesIO):
    """What is written, behind the descriptor of a pipe: some output depends on where it goes."""

    def __init__(self) -> None:
        super().__init__()
        self._ends = os.pipe()

    def fileno(self) -> int:
        return self._ends[1]

    def close(self) -> None:
        if not self.closed:
            for end in self._ends:
                os.close(end)
        super().close()


def _stream(buffer: io.BytesIO, errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(buffer, encoding="utf-8", errors=errors)


def _environment(cwd: Path, more: Mapping[str, str] | None) -> dict[str, str]:
    alone = {"PATH": os.environ["PATH"], "HOME": str(cwd), "HF_HUB_OFFLINE": "1"}
    return {**alone, **(more or {})}


def _status(arguments: Sequence[str]) -> int:
    """The status that a process of this command would end with."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTimeError(f"above {CPU_SECONDS} s of processor time")

    if sys.platform == "emscripten":  # has no timers
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _result(status: int, out: bytes, err: bytes) -> Result:
    result = Result(status, out.decode(), err.decode())
    assert "Traceback" not in result.out + result.err
    return result
