"""What a plain start may import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "wandb",
    "fastapi",
    "dbos",
    "sqlalchemy",
    "jinja2",
    "prometheus_client",
    "github",
    "hydra",
    "pydantic",
    "yaml",
    "docutils",
    "omegaconf",
)


def _imported_by(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom bot.commands.cli import main\n"
        f"try: main({list(arguments)!r})\nexcept SystemExit: pass\n"
        "loaded = [name for name, one in sys.modules.items() if type(one).__name__ != '_Late']\n"
        "print('\\n'.join(loaded), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("lint", "--help"),
        ("lint", "examples/tuning/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh"),
    ],
)
def test_a_plain_start_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert _imported_by(*arguments).isdisjoint(HEAVY)


def test_a_plain_lint_loads_no_module_that_is_imported_late() -> None:
    script = "examples/tuning/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh"
    assert _imported_by("lint", script).isdisjoint(
        {"ast", "copy", "difflib", "inspect", "ipaddress", "shlex", "weakref"}
    )


def test_a_script_of_verl_loads_no_other_framework() -> None:
    loaded = _imported_by("lint", "examples/tuning/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh")
    others = {"openrlhf", "open_instruct", "trl.launches", "command_line"}
    assert loaded.isdisjoint(f"bot.frameworks.{name}" for name in others)


@pytest.mark.parametrize("arguments", [("--version",), ("recommend", "--help")])
def test_a_start_without_a_script_reads_no_shell(arguments: tuple[str, ...]) -> None:
    assert _imported_by(*arguments).isdisjoint({"bot.shell", "bot.frameworks", "bot.evidence"})


def test_a_script_in_a_checkout_with_plain_defaults_needs_no_hydra(tmp_path: Path) -> None:
    files = {
        "ppo_trainer.yaml": "defaults:\n  - data: gsm8k\n  - _self_\ntrainer:\n  nnodes: 1\n",
        "data/gsm8k.yaml": "seed: 1\n",
    }
    config = tmp_path / "verl" / "trainer" / "config"
    (config / "data").mkdir(parents=True)
    for name, text in files.items():
        (config / name).write_text(text, encoding="utf-8")
    script = tmp_path / "run.sh"
    script.write_text("python -m verl.trainer.main_ppo data.seed=2 data.sed=3\n", encoding="utf-8")
    modules = _imported_by("lint", str(script))
    assert modules.isdisjoint({"hydra", "omegaconf"})
    assert "yaml" in modules
