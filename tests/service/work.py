"""Work that writes down what it does, and fails, waits or blocks as its job says."""

from __future__ import annotations

import os
import time
from pathlib import Path

from bot.service.job import Job, JsonObject, Transient, Work


def job(number: int, meaning: str = "opened", **detail: str | int | None) -> Job:
    """A check of pull request `number`."""
    return Job(kind="check", repository="Owner/repo", number=number, meaning=meaning, detail=detail)


class DiaryWork:
    """Appends a line for each step to a file that outlives the process.

    `block_in` names the step that waits until the file `go` appears; `flaky` is the number of
    transient failures of the step `check`; `bad` makes it fail for good.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self, job: Job) -> JsonObject:
        self._write("check", job)
        flaky = job.detail.get("flaky") or 0
        if self.diary().count(f"check {job.id}") <= int(flaky):
            raise Transient("GitHub is down")
        if job.detail.get("bad"):
            raise ValueError("this job cannot be done")
        return {"report": {"verdict": "pass", "head": "a" * 40}}

    def publish(self, job: Job, checked: JsonObject) -> JsonObject:
        assert checked
        self._write("publish", job)
        return {"outcome": "published"}

    def diary(self) -> list[str]:
        """All lines so far, without the writers."""
        file = self.folder / "diary"
        if not file.exists():
            return []
        return [line.split(" ", 1)[1] for line in file.read_text().splitlines()]

    def writer(self, lane: str) -> int | None:
        """The process that began to publish on a lane last."""
        for line in reversed((self.folder / "diary").read_text().splitlines()):
            pid, step, job = line.split(" ", 2)
            if step == "publish" and job.startswith(f"{lane}:"):
                return int(pid)
        return None

    def spans(self) -> list[tuple[str, str]]:
        """Begin and end marks of all steps, with their lanes, in order."""
        file = self.folder / "spans"
        lines = file.read_text().splitlines() if file.exists() else []
        return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]

    def _write(self, step: str, job: Job) -> None:
        _append(self.folder / "diary", f"{os.getpid()} {step} {job.id}")
        _append(self.folder / "spans", f"begin {job.lane}")
        if job.detail.get("block_in") == step:
            end = time.monotonic() + 600
            while not (self.folder / "go").exists() and time.monotonic() < end:
                time.sleep(0.02)
        time.sleep(float(job.detail.get("milliseconds") or 0) / 1000)
        _append(self.folder / "spans", f"end {job.lane}")


class RecordedWork(DiaryWork):
    """Real work, written down as each step begins."""

    def __init__(self, folder: Path, work: Work) -> None:
        super().__init__(folder)
        self._work = work

    def check(self, job: Job) -> JsonObject:
        self._write("check", job)
        return self._work.check(job)

    def publish(self, job: Job, checked: JsonObject) -> JsonObject:
        self._write("publish", job)
        return self._work.publish(job, checked)


def _append(file: Path, line: str) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)
