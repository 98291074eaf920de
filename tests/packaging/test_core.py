"""A plain installation: the wheel, and what the core's lock names beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import pytest

from tests.command import ROOT, Result, rlbot
from tests.packaging.test_locks import pins

EXAMPLE = ROOT / "examples/tuning/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh"
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
PAGE = "docs/perf/device_tuning.rst"
MOST_PACKAGES, MOST_BYTES = 14, 30_000_000


@pytest.fixture(scope="session")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds nothing else, not even pip."""
    folder = tmp_path_factory.mktemp("core")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in pins(ROOT / "requirements/core.txt"):
        for file in distribution(name).files or ():
            if ".." not in file.parts and file.suffix != ".pyc":
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), site / file)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return folder / "bin" / "python"


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's folder: a repository with a branch, and a run."""
    out = tmp_path_factory.mktemp("played") / "demo"
    command = [sys.executable, "-m", "examples.demo", "--quiet", "--out", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return out


def _ran(core: Path, *arguments: str | Path, cwd: Path = ROOT, **more: str) -> Result:
    done = subprocess.run(
        [core, "-P", "-m", "bot", *arguments],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(core.parent), **more},
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def _site(core: Path) -> Path:
    (site,) = core.parent.parent.glob("lib/python*/site-packages")
    return site


def test_the_core_is_small(core: Path) -> None:
    site = _site(core)
    packages = {path.name for path in site.glob("*.dist-info")}
    ours = {name for name in packages if name.startswith("rlbot_tuning")}
    assert len(packages - ours) <= MOST_PACKAGES
    files = [path for path in site.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    size = sum(path.stat().st_size for path in files)
    assert size < MOST_BYTES, f"{size:,} bytes"


def test_a_plain_installation_asks_for_what_the_lock_names(core: Path) -> None:
    (info,) = _site(core).glob("rlbot_tuning-*.dist-info")
    required = PathDistribution(info).requires or []
    plain = {re.split(r"[^a-z0-9-]", one.lower())[0] for one in required if "extra ==" not in one}
    assert plain < set(pins(ROOT / "requirements/core.txt"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("lint", EXAMPLE),
        ("lint", EXAMPLE, "--format", "json"),
        ("resolve", EXAMPLE),
        ("estimate", EXAMPLE),
        ("recommend", "--model", "Qwen/Qwen2.5-7B", "--task", "grpo", "--lengths", "1024+1024"),
        ("bisect", "plan", EXAMPLE),
        ("rule",),
        ("rule", "RLB020"),
        ("doctor", "--offline"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:1])),
)
def test_a_command_needs_no_more_than_the_core(
    core: Path, arguments: tuple[str | Path, ...]
) -> None:
    done = _ran(core, *arguments)
    whole = rlbot(*arguments)
    if arguments[0] != "doctor":
        assert (done.status, done.out) == (whole.status, whole.out), done.err
    assert done.status in (0, 1, 3)
    assert done.err == whole.err


def test_a_script_whose_settings_need_the_grammar_and_a_configuration(
    core: Path, tmp_path: Path
) -> None:
    (tmp_path / ".rlbot.yml").write_text("version: 1\n", encoding="utf-8")
    script = tmp_path / EXAMPLE.name
    script.write_text(
        "python3 -m verl.trainer.main_ppo '+ray_init={num_cpus: 8, labels: {a: true}}'\n",
        encoding="utf-8",
    )
    done = _ran(core, "lint", script.name, "--format", "json", cwd=tmp_path)
    assert done == rlbot("lint", script.name, "--format", "json", cwd=tmp_path)
    settings = json.loads(done.out)["scripts"][0]["launches"][0]["settings"]
    assert settings["ray_init"] == {"num_cpus": 8, "labels": {"a": True}}


def test_the_page_the_run_and_the_branch_are_read(core: Path, played: Path) -> None:
    repository = played / "repository"
    run = next((played / "run/wandb").glob("offline-run-*"))
    for arguments in (
        ("verify", SCRIPT, "--run", str(run)),
        ("verify", SCRIPT, "--run", str(run), "--report", str(played / "core.html")),
        ("table", "check", PAGE),
        ("table", "add", PAGE, SCRIPT, "--run", str(run), "--dry-run"),
        ("pr", "--base", "main", "--run", str(run)),
    ):
        done = _ran(core, *arguments, cwd=repository)
        assert done == rlbot(*arguments, cwd=repository)
        assert done.status in (0, 1, 3), done.err


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("pr", "verl-project/verl#1"), "github"),
        (("serve",), "service"),
        (("worker",), "service"),
        (("jobs", "list"), "service"),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else one,
)
def test_what_needs_more_says_what_to_install(
    core: Path, arguments: tuple[str, ...], extra: str
) -> None:
    done = _ran(core, *arguments, GITHUB_TOKEN="ghp_none")
    assert done.status == 2, done.err
    assert f'`pip install "rlbot-tuning[{extra}]"`.' in done.err
    assert done.err.count("\n") == 1


def test_a_link_without_the_sdk_is_not_checked(core: Path) -> None:
    done = _ran(core, "verify", EXAMPLE, "--run", "https://wandb.ai/ada/rlbot/runs/k3v9x2ma")
    assert done.status == 3
    assert '`pip install "rlbot-tuning[wandb]"`.' in done.out + done.err
