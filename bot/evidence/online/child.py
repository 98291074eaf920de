"""The reading process: `python -m bot.evidence.online.child`, started by `process.py` alone.

One request comes over standard input, as JSON with the key in it; answers go out as JSON lines:
`{"stage", "done", "of"}` and `{"received"}` as signs of life, `{"service"}` the SDK's service to be
ended with us, `{"kept"}` the facts of the run before its siblings are looked at, and at last
`{"facts"}` or `{"failure"}`. Whatever the SDK prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.base.isolated import limit_memory
from bot.base.messages import message, seconds_of
from bot.base.secrets import Secret
from bot.evidence.facts import Facts
from bot.evidence.online.bounds import Bounds, Watch
from bot.evidence.online.ending import end_service, remove_folder, wait_until_gone
from bot.evidence.online.failure import ReadFailure, ReadingError, ReadStage
from bot.evidence.online.json_server import ServerRun
from bot.evidence.online.wire import to_json

_LIVELY = 1 << 14
"""Bytes received in half a second that count as a sign of life: a trickle is none."""


class NobodyListens(BaseException):
    """The process that waits for the answer is gone; no reader may catch it."""


class Reporter:
    """Writes messages to the parent, one line each, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._out = os.fdopen(descriptor, "wb", buffering=0)
        self._lock = threading.Lock()
        self.stage = ReadStage.RUN
        self.service: int | None = None
        """Process of the SDK's service."""
        self.heard = time.monotonic()
        """When the last sign of life was given."""

    def silent(self) -> float:
        """Seconds since the last sign of life."""
        return time.monotonic() - self.heard

    def hint(self, failure: dict[str, Any]) -> None:
        """Say what the server ails; no sign of life."""
        self._write({"hint": failure})

    def send(self, **message: Any) -> None:
        """Write one message."""
        self.heard = time.monotonic()
        self._write(message)

    def _write(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                while data:
                    data = data[self._out.write(data) :]
            except BrokenPipeError:
                raise NobodyListens from None

    def at(self, stage: ReadStage, done: int = 0, of: int | None = None) -> None:
        """Say what is being read, and how far."""
        self.stage = stage
        self.send(stage=stage, done=done, of=of)


def main() -> int:
    """Read one run; the exit status says nothing, the last message does."""
    asked = json.loads(sys.stdin.buffer.read())
    bounds = Bounds(**asked["bounds"])
    limit_memory(bounds.memory_bytes)
    reporter = Reporter(_quiet())
    place = Path(asked["place"])
    orphan = threading.Thread(
        target=_end_with_parent, args=(reporter, os.getppid(), place), daemon=True
    )
    orphan.start()
    try:
        _answer(asked, bounds, reporter)
    except NobodyListens:
        _clear_up(reporter, place)
        os._exit(0)
    # The parent has the answer and ends us and the service; where it is killed first, the thread
    # does what it would have done.
    orphan.join()
    return 0


def _answer(asked: dict[str, Any], bounds: Bounds, reporter: Reporter) -> None:
    try:
        facts = to_json(_read_run(asked, bounds, reporter))
    except ReadingError as error:
        reporter.send(failure=error.failure.to_json())
    except MemoryError:
        failure = ReadFailure(
            kind="too-much", stage=reporter.stage, detail=message("its memory is used up")
        )
        reporter.send(failure=failure.to_json())
    except Exception as error:
        failure = ReadFailure(kind="sdk", stage=reporter.stage, detail=type(error).__name__)
        reporter.send(failure=failure.to_json())
    else:
        reporter.send(facts=facts)


def _read_run(asked: dict[str, Any], bounds: Bounds, reporter: Reporter) -> Facts:
    run = ServerRun(
        server=asked["api"],
        host=asked["host"],
        entity=asked["entity"],
        project=asked["project"],
        run_id=asked["run"],
        key=Secret(asked["key"]) if asked["key"] else None,
        allow_private=asked["allow_private"],
        folder=Path(asked["folder"]),
    )
    match asked["service"]:
        case "mlflow":
            from bot.evidence.online.mlflow_server import read_mlflow_server

            return read_mlflow_server(run, bounds, reporter.at)
        case "swanlab":
            from bot.evidence.online.swanlab_cloud import read_swanlab_cloud

            return read_swanlab_cloud(run, bounds, reporter.at)
        case "trackio":
            from bot.evidence.online.trackio_space import read_trackio_space

            return read_trackio_space(run, bounds, reporter.at)
        case _:
            return _read_wandb(run, bounds, reporter)


def _read_wandb(run: ServerRun, bounds: Bounds, reporter: Reporter) -> Facts:
    from bot.evidence.online.assemble import assemble
    from bot.evidence.online.probe import AccessProbe, read_permission
    from bot.evidence.online.sdk import Sdk

    reporter.at(ReadStage.RUN)
    probe = AccessProbe(run, bounds)
    permission = read_permission(probe)
    key = permission.key
    reporter.at(ReadStage.RUN)  # Importing the SDK takes a while.
    sdk = Sdk(run.server, key, bounds)
    reporter.service = sdk.service_pid
    reporter.send(service=sdk.service_pid)
    meter = Meter(sdk, bounds, reporter, lambda: probe.ails(key))
    meter.start()
    watch = Watch(
        bounds=bounds,
        tell=reporter.at,
        spent=meter.spent,
        keep=lambda facts: reporter.send(kept=to_json(facts)),
    )
    try:
        return assemble(sdk, run, watch, private=permission.private)
    except ReadingError as error:
        failure = error.failure
        if failure.kind == "ended" and meter.most > bounds.bytes:
            # The flood filled the service's memory before its bytes were counted again.
            size = message("more than {count} bytes", count=bounds.bytes)
            failure = ReadFailure(kind="too-much", stage=failure.stage, detail=size)
            raise ReadingError(failure) from None
        if failure.kind in ("garbage", "sdk") and _is_gone(probe, key):
            raise ReadingError(ReadFailure(kind="gone", stage=failure.stage)) from None
        if failure.kind in ("bad-key", "forbidden") and key is None:
            raise ReadingError(ReadFailure(kind="no-key", stage=failure.stage)) from None
        raise


def _is_gone(probe: Any, key: Secret | None) -> bool:
    from bot.evidence.online.probe import Visibility

    try:
        seen = probe.ask(key)
    except ReadingError:
        return False
    return isinstance(seen, Visibility) and not seen.run


class Meter(threading.Thread):
    """Watches what the service receives, and the clock."""

    def __init__(
        self, sdk: Any, bounds: Bounds, reporter: Reporter, ails: Callable[[], ReadFailure | None]
    ) -> None:
        super().__init__(daemon=True)
        self._sdk, self._bounds, self._reporter, self._ails = sdk, bounds, reporter, ails
        self._deadline = time.monotonic() + bounds.seconds
        self._received = 0
        self.most = 0
        """Bytes that were received when they were counted last."""

    def run(self) -> None:
        """Report received bytes as signs of life until the process ends."""
        asked = 0.0
        while True:
            for _ in range(10):
                time.sleep(0.05)
                self.most = max(self.most, self._sdk.received() or 0)
            received = self._sdk.received() or 0
            if received - self._received >= _LIVELY:
                self._reporter.send(received=received)
            self._received = received
            silent = self._reporter.silent()
            if silent > self._bounds.stall_seconds / 2 and asked != self._reporter.heard:
                # The SDK waits in silence as long as a Retry-After says: find out why.
                asked = self._reporter.heard
                failure = self._ails()
                if failure is not None:
                    self._reporter.hint(replace(failure, stage=self._reporter.stage).to_json())

    def spent(self) -> str | None:
        """The bound that is used up, in words; None while there is time and room."""
        if time.monotonic() > self._deadline:
            return seconds_of(self._bounds.seconds)
        if (self._sdk.received() or 0) > self._bounds.bytes:
            return message("{count} bytes", count=self._bounds.bytes)
        return None


def _end_with_parent(reporter: Reporter, parent: int, place: Path) -> None:
    """End, with the service and the folder, when the process that waits for us was killed."""
    while os.getppid() == parent:
        time.sleep(0.25)
    _clear_up(reporter, place)
    os._exit(1)


def _clear_up(reporter: Reporter, place: Path) -> None:
    """End the service and remove the folder, for a process that can't do it any more."""
    if reporter.service is not None:
        end_service(reporter.service)
        # While it ends it removes files of its own, and our removal would stumble over that.
        wait_until_gone(reporter.service)
    remove_folder(place)


def _quiet() -> int:
    """A descriptor to the parent; the process's own output goes nowhere from here on."""
    out = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return out


if __name__ == "__main__":
    main()
