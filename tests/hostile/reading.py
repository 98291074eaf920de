"""Reads one input of a class as a front end would; what it raises is a fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.base.config import parse_config
from bot.base.errors import UserError
from bot.base.isolated import Caller
from bot.base.secrets import Secret
from bot.check.page import Repository, check_page
from bot.check.request import CheckOptions, InCheckout, PageText, ScriptFile
from bot.check.script import check_script
from bot.evidence import EvidenceError, read
from bot.evidence.find_links import find_links
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.failure import ReadingError
from bot.evidence.online.json_server import ServerRun
from bot.evidence.online.mlflow_server import read_mlflow_server
from bot.evidence.online.swanlab_cloud import read_swanlab_cloud
from bot.evidence.record import record
from bot.frameworks import Checkout, needed, tree_table
from bot.frameworks.programs.repository_programs import TrlPrograms
from bot.frameworks.python.argparse_options import SourceOptions
from bot.frameworks.python.hydra_main import hydra_main
from bot.frameworks.python.structured import structured_table
from bot.github.commands import commands
from bot.memory.shapes.hub_numbers import NotReadError
from bot.memory.shapes.models import from_config
from bot.shell.source import Span
from bot.shell.words import Command
from bot.table.judge import judge
from tests.hostile.files import (
    MLFLOW_RUN,
    RUN_SCRIPT,
    database_file,
    event_file,
    manifest_file,
    swanlab_file,
    transaction_log,
)
from tests.trackers.mlflow_server import Answer, Mlflow
from tests.trackers.swanlab_server import Swanlab

SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_8_h800_fsdp_vllm.sh"
_LAUNCH = (
    "python3 -m verl.trainer.main_ppo a=o1 x=1 +k1.b=2 ++k2=[1,2] ~k3 data.train_batch_size=64 "
    "trainer.n_gpus_per_node=8 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B "
    + " ".join(f"foo.bar{n}=1" for n in range(300))
).encode()
_BOUNDS = Bounds(stall_seconds=2.0, retry_seconds=0.0, seconds=2.0, pages=50)
PAGE = "docs/perf/device_tuning.rst"


def script(data: bytes) -> None:
    """A tuning script: its findings, its row, its estimate."""
    _checked(ScriptFile(path=SCRIPT, data=data))


def _checked(file: ScriptFile, place: InCheckout | None = None) -> None:
    report = check_script(file, CheckOptions(evidence="optional", place=place))
    assert not [left for left in report.unchecked if "a fault of rlbot" in left.reason]


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


def _files(data: bytes) -> dict[str, bytes]:
    """The files of a folder that is one text."""
    files: dict[str, bytes] = {}
    for part in re.split(rb"^### ", data, flags=re.MULTILINE)[1:]:
        path, _, text = part.partition(b"\n")
        files[path.decode("utf-8", "replace")] = text
    return files


def tree(data: bytes) -> None:
    """The configuration of verl in a change, which its scripts meet."""
    with suppress(UserError):
        trees = {"verl": tree_table(_files(data), "this change")}
        check_script(
            ScriptFile(path=SCRIPT, data=_LAUNCH), CheckOptions(evidence="optional", trees=trees)
        )


def place(data: bytes) -> None:
    """A repository: which of its files count for a script in it, and how it is read with them."""
    files = _files(data)
    for path, text in files.items():
        if path.endswith(RUN_SCRIPT):
            needed(files, {path: text})
            _checked(ScriptFile(path=path, data=text), InCheckout(Checkout(files)))


def python(data: bytes) -> None:
    """A file of a repository's own Python, by each reader of such files."""
    text = data.decode("utf-8", "replace")
    hydra_main(text)
    structured_table(text, [text], "this change")
    SourceOptions("openrlhf", "this change", {"train_sft": text}).table("openrlhf.cli.train_sft")
    programs = TrlPrograms({"src/grpo.py": data})
    programs.find("src/grpo.py", "run.sh")
    programs.written_in("src/grpo.py", "run.sh", (), Command((), Span(0, 0), {}), {})


def notebook(data: bytes) -> None:
    """A notebook of a repository."""
    place = InCheckout(Checkout({"train.ipynb": data}))
    _checked(ScriptFile(path="train.ipynb", data=data), place)


def config(data: bytes) -> None:
    """The configuration of this program in a change."""
    with suppress(UserError):
        parse_config(data, ".rlbot.yml of this change")


def log(data: bytes) -> None:
    """The transaction log of a run."""
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run-20260101_000000-abcd1234"
        run.mkdir()
        (run / "run-abcd1234.wandb").write_bytes(transaction_log(data.decode("utf-8", "replace")))
        _read(run)


def events(data: bytes) -> None:
    """An event file of TensorBoard."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "events.out.tfevents.1.host.1.0"
        log.write_bytes(event_file(data.decode("utf-8", "replace")))
        _read(log.parent)


def steps(data: bytes) -> None:
    """The file of verl's file logger."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "run.jsonl").write_bytes(data)
        _read(Path(folder))


def swanlab(data: bytes) -> None:
    """A run's folder of SwanLab."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "run-abcd.swanlab"
        log.write_bytes(swanlab_file(data.decode("utf-8", "replace")))
        _read(log.parent)


def database(data: bytes) -> None:
    """A database of trackio or MLflow."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        database_file(data.decode("utf-8", "replace"), path)
        _read(path)


def manifest(data: bytes) -> None:
    """A manifest of a recorded run."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.manifest.jsonl"
        path.write_bytes(manifest_file(data.decode("utf-8", "replace")))
        _read(path)


def mlflow(data: bytes) -> None:
    """What an MLflow server answers to each question."""
    answers = {method: Answer(text) for method, text in _files(data).items()}
    with Mlflow().serving() as server, suppress(ReadingError):
        server.hook = lambda method, _: answers.get(method, Answer(data))
        asked = _server_run(server.url, project="1", run=MLFLOW_RUN)
        record(read_mlflow_server(asked, _BOUNDS, lambda *_: None), ())


def swanlab_server(data: bytes) -> None:
    """What SwanLab's server answers to each request."""
    answers = {path: Answer(text) for path, text in _files(data).items()}
    with Swanlab().serving() as server, suppress(ReadingError):
        place = Answer(f'{{"urls": ["{server.url}/store"]}}'.encode())
        answers["files/presigned/get"] = place
        server.hook = lambda path, _: answers.get(path.removeprefix("api/"), Answer(data))
        asked = _server_run(server.url, key=Secret("k"))
        record(read_swanlab_cloud(asked, _BOUNDS, lambda *_: None), ())


def _server_run(
    server: str, *, project: str = "p", run: str = "r", key: Secret | None = None
) -> ServerRun:
    return ServerRun(
        server=server,
        host="runs.example.org",
        entity="u",
        project=project,
        run_id=run,
        key=key,
        allow_private=False,
        folder=Path(),
    )


def _read(place: Path) -> None:
    with suppress(EvidenceError):
        record(read(place), ())


READERS: Final[Mapping[str, Callable[[bytes], None]]] = {
    "script": script, "numbers": script, "page": page, "model": model, "run": run,
    "console": console, "comment": comment, "tree": tree, "config": config, "log": log,
    "events": events, "steps": steps, "swanlab": swanlab, "database": database,
    "manifest": manifest, "python": python, "notebook": notebook, "place": place,
    "mlflow": mlflow,
    "swanlab server": swanlab_server,
}  # fmt: skip


def read_all(caller: Caller, inputs: Sequence[tuple[str, str, bytes]]) -> None:
    """Reads inputs of (class, name, content), each a subject of its own; notes its number."""
    note = caller.function("note")
    for number, (kind, _, data) in enumerate(inputs):
        caller.begin(str(number))
        note(number)
        READERS[kind](data)
