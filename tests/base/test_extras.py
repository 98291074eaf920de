"""A library that is not installed is a sentence with the command that brings it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.base.extras import CORE, missing_library
from tests.command import ROOT, rlbot
from tests.packaging.test_locks import pins

PLAIN = ROOT / "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"


@pytest.fixture
def grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script that Hydra's own grammar has to read, where Hydra is not installed."""
    monkeypatch.setitem(sys.modules, "hydra.core.override_parser.types", None)
    path = tmp_path / "grammar.sh"
    path.write_text("python3 -m verl.trainer.main_ppo '+a={b: {c: 1}}'\n", encoding="utf-8")
    return path


def test_the_names_are_those_of_the_lock() -> None:
    assert {name.lower() for name in CORE.values()} <= set(pins(ROOT / "requirements/core.txt"))


def test_another_module_is_a_fault_of_ours() -> None:
    assert missing_library(ModuleNotFoundError(name="bot.none")) is None


@pytest.mark.parametrize("command", ["lint", "resolve", "estimate"])
def test_a_script_that_needs_it_is_not_checked(grammar: Path, command: str) -> None:
    result = rlbot(command, grammar.name, cwd=grammar.parent)
    assert result.status == 3
    assert (
        "grammar.sh was not checked. This needs hydra-core, which is not installed beside rlbot: "
        "`pip install hydra-core`." in result.out
    )


def test_the_other_scripts_are_checked(grammar: Path) -> None:
    (grammar.parent / PLAIN.name).write_bytes(PLAIN.read_bytes())
    result = rlbot("lint", ".", "--verbose", cwd=grammar.parent)
    assert result.status == 3
    assert "RLB079" in result.out  # a note of the plain one
    assert result.out.count("was not checked") == 1


def test_a_configuration_that_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / ".rlbot.yml").write_text("version: 1\n", encoding="utf-8")
    result = rlbot("lint", PLAIN, "--config", ".rlbot.yml", cwd=tmp_path)
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "rlbot: This needs PyYAML, which is not installed beside rlbot: `pip install PyYAML`.\n"
    )
