"""Reads one input of a class as a front end would; what it raises is a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.base.errors import UserError
from bot.base.isolated import Caller
from bot.check.page import Repository, check_page
from bot.check.request import CheckOptions, PageText, ScriptFile
from bot.check.script import check_script
from bot.evidence import EvidenceError, read
from bot.evidence.find_links import find_links
from bot.evidence.record import record
from bot.github.commands import commands
from bot.memory.hub_config import NotReadError
from bot.memory.models import from_config
from bot.table.judge import judge

PAGE = "docs/perf/device_tuning.rst"


def script(data: bytes) -> None:
    """A tuning script: its findings, its row, its estimate."""
    name = "examples/tuning/7b/qwen2.5-7b_grpo_8_h800_fsdp_vllm.sh"
    check_script(ScriptFile(path=name, data=data), CheckOptions(evidence="optional"))


def page(data: bytes) -> None:
    """A page of the documentation: its findings, and docutils' word on it."""
    text = data.decode("utf-8", "replace")
    with suppress(UserError):
        check_page(PageText(path=PAGE, text=text), Repository(), CheckOptions())
        judge(text, PAGE)


def model(data: bytes) -> None:
    """A model's `config.json`."""
    with suppress(NotReadError):
        from_config("model", data)


def run(data: bytes) -> None:
    """A run's folder, whose configuration this is."""
    with TemporaryDirectory() as folder:
        files = Path(folder) / "run-20260101_000000-abcd1234" / "files"
        files.mkdir(parents=True)
        (files / "config.yaml").write_bytes(data)
        (files / "wandb-metadata.json").write_bytes(data)
        _read(files.parent)


def console(data: bytes) -> None:
    """The console output of a run."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "train.log"
        log.write_bytes(data)
        _read(log)


def comment(data: bytes) -> None:
    """A comment, or the description of a pull request."""
    text = data.decode("utf-8", "replace")
    commands(text)
    find_links(text)


def _read(place: Path) -> None:
    with suppress(EvidenceError):
        record(read(place), ())


READERS: Final[Mapping[str, Callable[[bytes], None]]] = {
    "script": script, "page": page, "model": model, "run": run, "console": console,
    "comment": comment,
}  # fmt: skip


def read_all(caller: Caller, inputs: Sequence[tuple[str, str, bytes]]) -> None:
    """Reads inputs of (class, name, content), each a subject of its own; notes its number."""
    note = caller.function("note")
    for number, (kind, _, data) in enumerate(inputs):
        caller.begin(str(number))
        note(number)
        READERS[kind](data)
