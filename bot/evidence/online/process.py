"""The reading process from outside: started, listened to, and ended, whatever happens in it.

It gets a session and a temporary folder of its own and almost nothing of the caller's environment.
The SDK's service, which gives itself another session, is ended by its process id. A reading that
gives no sign, takes too long or hands back too much is cut off here, where no library can prevent
it.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final, cast

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.ending import FAREWELL, end_service, remove_folder, wait_until_gone
from bot.evidence.online.failure import ReadFailure, ReadStage

_KEPT: Final = (
    "PATH", "SYSTEMROOT", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
    "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
)  # fmt: skip
"""What the reading process gets of the environment: the way to the network, no WANDB_*."""
_SLACK: Final = 1 << 28
"""Bytes above the bound: below, the history's reading ends by itself and what it has counts."""

OnMessage = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """What the process said last."""

    facts: dict[str, Any] | None
    failure: ReadFailure | None
    """Why there are no facts; with facts, why there are no siblings."""


def converse(request: Mapping[str, Any], bounds: Bounds, on_message: OnMessage) -> ReadOutcome:
    """Start the process, hand it `request`, listen until it is done or a bound is hit.

    Whatever ends this function, an exception of `on_message` or Ctrl-C included, no process and no
    file is left behind.
    """
    with _terminated_is_an_exception(), _folder() as folder, _process(folder) as child:
        listener = _Listener(child, bounds, on_message)
        asked = {
            **request,
            "place": str(folder),
            "folder": str(folder / "run"),
            "bounds": asdict(bounds),
        }
        (folder / "run").mkdir()
        (folder / "cache").mkdir()
        # The service writes whole answers to a log below this name; a file there prevents it.
        (folder / "cache" / "wandb").touch()
        try:
            return listener.converse(json.dumps(asked).encode())
        finally:
            _end_process(child, listener.service)


@contextmanager
def _terminated_is_an_exception() -> Iterator[None]:
    """Let SIGTERM end the program as an exception would, so that it cleans up; in the main thread.

    A program that handles SIGTERM itself keeps its own way.
    """
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if not ours:
        yield
        return

    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="rlbot-"))
    try:
        yield path
    finally:
        remove_folder(path)


@contextmanager
def _process(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    place = str(folder)
    places = ("HOME", "TMPDIR", "WANDB_DIR", "WANDB_CONFIG_DIR", "WANDB_DATA_DIR")
    environment |= dict.fromkeys(places, place) | {
        "NETRC": os.devnull,
        "WANDB_CACHE_DIR": str(folder / "cache"),
        "WANDB_SILENT": "true",
        "WANDB_ERROR_REPORTING": "false",
        "OTEL_SDK_DISABLED": "true",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "bot.evidence.online.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=place,
        env=environment,
        start_new_session=True,
    )
    with child:
        try:
            yield child
        finally:
            # Before `with child` waits for it.
            _kill_group(child.pid)


class _Listener:
    """Reads the process's messages against the clock."""

    def __init__(
        self, child: subprocess.Popen[bytes], bounds: Bounds, on_message: OnMessage
    ) -> None:
        self.child = child
        self.bounds = bounds
        self.on_message = on_message
        self.service: int | None = None
        self.stage = ReadStage.RUN
        self.heard = 0.0
        self.hint: ReadFailure | None = None
        self.kept: dict[str, Any] | None = None

    def converse(self, request: bytes) -> ReadOutcome:
        to, back = cast("IO[bytes]", self.child.stdin), cast("IO[bytes]", self.child.stdout)
        with suppress(BrokenPipeError):
            to.write(request)
            to.close()
        descriptor = back.fileno()
        os.set_blocking(descriptor, False)
        begun = self.heard = time.monotonic()
        hard = begun + self.bounds.seconds + self.bounds.stall_seconds
        rest, total = b"", 0
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while True:
                now = time.monotonic()
                if now >= hard:
                    return self._failed("slow", seconds=hard - begun)
                silent = self.heard + self.bounds.stall_seconds
                if now >= silent:
                    hang = self._failed("hang", seconds=self.bounds.stall_seconds)
                    return ReadOutcome(self.kept, self.hint) if self.hint is not None else hang
                if not selector.select(min(hard, silent) - now):
                    continue
                data = os.read(descriptor, 1 << 16)
                if not data:
                    return self._failed("ended", detail=self._how_it_ended())
                total += len(data)
                if total > self.bounds.answer_bytes:
                    size = message(
                        "more than {count} bytes of facts", count=self.bounds.answer_bytes
                    )
                    return self._failed("too-much", detail=size)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    outcome = self._take(json.loads(line))
                    if outcome is not None:
                        return outcome

    def _take(self, text: dict[str, Any]) -> ReadOutcome | None:
        """Take one message in; a hint is no sign of life."""
        if "hint" in text:
            self.hint = ReadFailure.from_json(text["hint"])
            return None
        self.heard, self.hint = time.monotonic(), None
        if "facts" in text:
            return ReadOutcome(text["facts"], None)
        if "failure" in text:
            return ReadOutcome(self.kept, ReadFailure.from_json(text["failure"]))
        if "kept" in text:
            self.kept = text["kept"]
        if "service" in text:
            self.service = text["service"]
        elif "stage" in text:
            self.stage = ReadStage(text["stage"])
        if text.get("received", 0) > self.bounds.bytes + _SLACK:
            size = message("more than {count} bytes", count=self.bounds.bytes)
            return self._failed("too-much", detail=size)
        self.on_message(text)
        return None

    def _failed(self, kind: Any, **more: Any) -> ReadOutcome:
        return ReadOutcome(self.kept, ReadFailure(kind=kind, stage=self.stage, **more))

    def _how_it_ended(self) -> str:
        try:
            status = self.child.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            return message("it closed its output")
        if status < 0:
            with suppress(ValueError):
                return message("by {signal}", signal=signal.Signals(-status).name)
        return message("with status {status}", status=status)


def _end_process(child: subprocess.Popen[bytes], service: int | None) -> None:
    """End the process and the service, and wait until both are gone."""
    # The service first: it is our grandchild, so its id is certain while its parent lives.
    if service is not None and child.poll() is None:
        end_service(service)
    _kill_group(child.pid)
    child.wait()
    # A service that was not announced yet ends by itself when its parent is gone.
    if service is not None:
        wait_until_gone(service)


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(group, signal.SIGKILL)
        else:
            os.kill(group, signal.SIGTERM)
