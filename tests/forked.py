"""Processes that have imported W&B's SDK already: importing it is most of the time of a short run.

One process imports the SDK and forks for each that is asked for; what that one changes (its
environment, folder and limits, `sys.path`, the SDK's own state) ends with it. The server ends with
who started it.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import IO, Any, NoReturn

_ROOT = Path(__file__).resolve().parents[1]
_ONE_AT_A_TIME = Lock()
_ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("WANDB_")}
"""That of the tests: who asks first may have another one, with a folder that will be removed."""
_MOST = 1 << 12
"""Bytes of a message."""


class Forked:
    """As much of `subprocess.Popen` as its users here need; runs "module:function" of a program."""

    def __init__(
        self,
        function: str,
        arguments: Sequence[str] = (),
        *,
        env: Mapping[str, str],
        cwd: str | Path,
        streams: tuple[int, int, int] = (subprocess.DEVNULL,) * 3,
    ) -> None:
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.returncode: int | None = None
        theirs = list(streams)
        opened = [os.open(os.devnull, os.O_RDWR)]
        if theirs[0] == subprocess.PIPE:
            theirs[0], ours = os.pipe()
            self.stdin = os.fdopen(ours, "wb", buffering=0)
            opened.append(theirs[0])
        if theirs[1] == subprocess.PIPE:
            ours, theirs[1] = os.pipe()
            self.stdout = os.fdopen(ours, "rb", buffering=0)
            opened.append(theirs[1])
        request = {
            "function": function,
            "arguments": list(arguments),
            "environment": dict(env),
            "folder": str(cwd),
        }
        theirs = [opened[0] if one == subprocess.DEVNULL else one for one in theirs]
        with tempfile.TemporaryFile() as written:  # A message would be bounded.
            written.write(json.dumps(request).encode())
            written.flush()
            self.pid = _ask({}, [written.fileno(), *theirs])
        for descriptor in opened:
            os.close(descriptor)

    def poll(self) -> int | None:
        """Its status; `None` while it runs."""
        if self.returncode is None:
            self.returncode = _ask({"poll": self.pid})
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its status, once it ended. Raises TimeoutExpired after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(0.01)
        return status

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdin, self.stdout):
            if stream is not None:
                stream.close()
        self.wait()


def call(
    function: str, arguments: Sequence[str], *, environment: Mapping[str, str], folder: Path
) -> str:
    """What "module:function" prints on either stream with these arguments in `folder`.

    Raises CalledProcessError, with what it printed, when the process ends otherwise than with 0.
    """
    with tempfile.TemporaryFile() as said:
        streams = (subprocess.DEVNULL, said.fileno(), said.fileno())
        with Forked(function, arguments, env=environment, cwd=folder, streams=streams) as process:
            status = process.wait()
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    if status != 0:
        raise subprocess.CalledProcessError(status, [function, *arguments], text)
    return text


def _ask(request: Mapping[str, object], descriptors: Sequence[int] = ()) -> Any:
    with _ONE_AT_A_TIME:
        server = _server()
        socket.send_fds(server, [json.dumps(request).encode()], descriptors)
        return json.loads(server.recv(_MOST))


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
        stdin=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
        cwd=_ROOT,
        env=_ENVIRONMENT,
        start_new_session=True,
    )
    theirs.close()

    def end() -> None:
        ours.close()
        server.wait()

    atexit.register(end)
    return ours


def main(descriptor: str) -> int:
    """Serve until nobody asks any more."""
    importlib.import_module("wandb.cli.cli")
    asked = socket.socket(fileno=int(descriptor))
    ended: dict[int, int] = {}
    while True:
        data, streams, _, _ = socket.recv_fds(asked, _MOST, 4)
        if not data:
            return 0
        request = json.loads(data)
        if streams:
            pid = os.fork()
            if pid == 0:
                asked.close()
                _work(*streams)
            for stream in streams:
                os.close(stream)
            answer: int | None = pid
        else:
            pid = request["poll"]
            if pid not in ended:
                found, status = os.waitpid(pid, os.WNOHANG)
                if found:
                    ended[pid] = os.waitstatus_to_exitcode(status)
            answer = ended.get(pid)
        asked.send(json.dumps(answer).encode())


def _work(written: int, *streams: int) -> NoReturn:
    """Be the process that was asked for; never returns."""
    status = 1
    try:
        with os.fdopen(written, "rb") as file:
            file.seek(0)
            request = json.load(file)
        os.setsid()
        signal.set_wakeup_fd(-1)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        tempfile.tempdir = None  # It is looked up once and kept.
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        module, _, name = request["function"].partition(":")
        sys.argv = [module, *request["arguments"]]
        getattr(importlib.import_module(module), name)()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    # As at the end of any program: the SDK ends its service.
    atexit._run_exitfuncs()  # noqa: SLF001
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
