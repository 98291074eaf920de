"""Detections of a device, in hand-written scripts run by real bash, and the table of verl's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.shell import Invocation
from tests.shell.judge import Judge, Script
from tests.shell.launches_of_devices import (
    DEVICES,
    TABLE,
    VARIES,
    Comparison,
    compare,
    digest,
    launches_of,
    read_launches,
)

DETECTION = "$(python3 -c 'import torch_npu' 2>/dev/null && echo npu || echo gpu)"
SCRIPTS = {
    "default": f"""\
set -xeuo pipefail
DEVICE=${{DEVICE:-{DETECTION}}}
case "${{DEVICE}}" in
    gpu) batch=1024; tp=2 ;;
    npu)
        export HCCL_CONNECT_TIMEOUT=1500
        batch=16
        tp=4
        ;;
    *) echo "Unsupported DEVICE=${{DEVICE}}." >&2; exit 1 ;;
esac
EXTRA=(trainer.device=$DEVICE)
if [ "${{DEVICE}}" = npu ]; then EXTRA+=(+actor.profile=False); fi
LAUNCH="python3"
if [ "${{VERL_USE_UV:-1}}" != 0 ] && [ "${{DEVICE:-gpu}}" = gpu ]; then LAUNCH="uv run --frozen"; fi
$LAUNCH -m verl.trainer.main_ppo data.train_batch_size=$batch rollout.tp=$tp "${{EXTRA[@]}}" "$@"
""",
    "if": """\
if python3 -c "import torch_npu" 2>/dev/null; then
    python3 -m verl.trainer.main_ppo trainer.device=npu trainer.n_gpus_per_node=16
else
    torchrun --nproc_per_node=8 -m verl.trainer.sft_trainer
fi
python3 -m verl.model_merger merge
""",
    "function": f"""\
detect() {{
    local found={DETECTION}
    echo "$found"
}}
if [ "$(detect)" != npu ]; then export CUDA_DEVICE_MAX_CONNECTIONS=1; N=8; else N=16; fi
ray job submit --address=$(date +%s) -- python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=$N
""",
    "and": """\
N=8
python3 -c 'import torch_npu' && N=16 || unset ASCEND_HOME
python3 -c 'import torch_npu' || python3 -m verl.gpu_only n=$N
! python3 -c 'import torch_npu' && python3 -m verl.gpu_too n=$N
while ! python3 -c 'import torch_npu'; do python3 -m verl.waits; break; done
python3 -m verl.both n=$N
""",
    "smi": """\
if npu-smi info > /dev/null 2>&1; then D=npu
elif nvidia-smi > /dev/null 2>&1; then D=gpu
else exit 1; fi
python3 -m verl.trainer.main_ppo trainer.device=$D
""",
}


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path / "judge")


def _on(judge: Judge, device: str) -> Judge:
    """The judge's programs, where what looks for a device of the other kind fails."""
    fails = {"gpu": ("*torch_npu*", "npu-smi*"), "npu": ("nvidia-smi*",)}[device]
    for name in ("python3", "npu-smi", "nvidia-smi"):
        path = judge.bin / name
        text = (judge.bin / "python").read_text()
        path.write_text(
            text + f'case "${{0##*/}} $*" in {" | ".join(fails)}) exit 1 ;; esac\nexit 0\n'
        )
        path.chmod(0o755)
    return judge


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_launch_is_read_for_its_device(judge: Judge, name: str) -> None:
    script = Script(SCRIPTS[name])
    expected: dict[str, list[tuple[str, ...]]] = {}
    (judge.bin / "date").write_text("#!/bin/sh\nread a < ../turn; echo $a$a > ../turn; echo $a\n")
    (judge.bin / "date").chmod(0o755)
    (judge.folder / "turn").write_text("1\n")
    for device in DEVICES:
        run, again = ([_on(judge, device).run([script])[0]] for _ in range(2))
        expected[device] = launches_of(*run, *again)
        assert expected[device]
    assert expected["gpu"] != expected["npu"]
    comparison = Comparison()
    call = Invocation(environment=judge.environment(script), arguments=())
    commands = read_launches(script.text.encode(), "run.sh", call)
    compare(name, expected, commands, comparison)
    assert comparison.wrong == []
    varying = sum(VARIES in launch for device in DEVICES for launch in expected[device])
    assert comparison.varying == varying == (2 if name == "function" else 0)


def test_a_launch_that_is_not_read_is_seen() -> None:
    launch = tuple(map(digest, ("python3", "-m", "x", "n=2")))
    call = Invocation(environment={}, arguments=())
    for text in ("python3 -m x n=1", "python3 -m x n=$(f)", "[ -f a ] && python3 -m x n=2 b"):
        comparison = Comparison()
        compare(
            "s", {"gpu": [launch], "npu": []}, read_launches(text.encode(), "s", call), comparison
        )
        assert len(comparison.wrong) > 1


def test_the_table_is_of_a_named_commit_and_tells_devices_apart() -> None:
    table = json.loads(TABLE.read_text())
    scripts = table["scripts"]
    assert len(table["commit"]) == 40
    assert len(scripts) == 109
    assert sum(entry["gpu"] != entry["npu"] for entry in scripts.values()) >= 15
    for entry in scripts.values():
        for device in DEVICES:
            assert all(
                len(word) == 8 or word == VARIES for line in entry[device] for word in line.split()
            )
