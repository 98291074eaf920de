"""Nothing that arrives takes long, takes much, or ends in a fault."""

from __future__ import annotations

from bot.base.isolated import IsolationLimits, isolated
from tests.hostile.inputs import KINDS, inputs
from tests.hostile.reading import READERS, read_all

LIMITS = IsolationLimits(processor=8, silence=3600, memory=1 << 29)
"""Far above the two seconds that the slowest takes: a busy machine's are longer, and the clock of
a child that gives way to all others says nothing."""


def check(kind: str) -> None:
    begun: list[int] = []
    texts = [(kind, name, text.encode("utf-8")) for name, text in inputs(kind).items()]
    isolated(read_all, (texts,), functions={"note": begun.append}, limits=LIMITS)
    assert len(begun) == len(texts) > 0


def test_every_class_of_inputs_is_checked_here() -> None:
    here = {"script", "page", "model", "run", "console", "comment", "tree", "config", "log"}
    here |= {
        "events",
        "steps",
        "swanlab",
        "database",
        "manifest",
        "numbers",
        "python",
        "place",
        "mlflow",
        "swanlab server",
    }
    assert set(KINDS) == set(READERS) == here


def test_scripts() -> None:
    check("script")


def test_large_numbers() -> None:
    check("numbers")


def test_python_of_a_repository() -> None:
    check("python")


def test_repositories() -> None:
    check("place")


def test_servers_of_mlflow() -> None:
    check("mlflow")


def test_servers_of_swanlab() -> None:
    check("swanlab server")


def test_pages() -> None:
    check("page")


def test_models() -> None:
    check("model")


def test_runs() -> None:
    check("run")


def test_console_logs() -> None:
    check("console")


def test_comments() -> None:
    check("comment")


def test_configurations_of_verl() -> None:
    check("tree")


def test_configurations() -> None:
    check("config")


def test_transaction_logs() -> None:
    check("log")


def test_event_files() -> None:
    check("events")


def test_files_of_verls_logger() -> None:
    check("steps")


def test_logs_of_swanlab() -> None:
    check("swanlab")


def test_databases() -> None:
    check("database")


def test_manifests() -> None:
    check("manifest")
