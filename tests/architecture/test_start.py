"""What a plain start may import."""

from __future__ import annotations

import subprocess
import sys

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
        "print('\\n'.join(sys.modules), file=sys.stderr)"
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


@pytest.mark.parametrize("arguments", [("--version",), ("recommend", "--help")])
def test_a_start_without_a_script_reads_no_shell(arguments: tuple[str, ...]) -> None:
    assert _imported_by(*arguments).isdisjoint({"bot.shell", "bot.frameworks", "bot.evidence"})
