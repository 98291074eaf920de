"""Two ways through a script: what each command says of the launch that counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.command import rlbot

SCRIPT = """\
#!/usr/bin/env bash
DEVICE=${DEVICE:-$(python3 -c 'import torch_npu' 2>/dev/null && echo npu || echo gpu)}
case "${DEVICE}" in
    gpu) BATCH=1024; LENGTH=2048; TP=2; OFFLOAD=True ;;
    npu) BATCH=16; LENGTH=32768; TP=4; OFFLOAD=False ;;
    *) exit 1 ;;
esac
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_batch_size=$BATCH \\
    data.max_prompt_length=1024 \\
    data.max_response_length=$LENGTH \\
    actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    actor_rollout_ref.model.enable_gradient_checkpointing=True \\
    actor_rollout_ref.actor.use_dynamic_bsz=True \\
    actor_rollout_ref.actor.fsdp_config.param_offload=$OFFLOAD \\
    actor_rollout_ref.actor.fsdp_config.optimizer_offload=$OFFLOAD \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=$TP \\
    trainer.n_gpus_per_node=8
"""
NAMED = "qwen3-8b_grpo_8_h100_fsdp_vllm.sh"
BARE = "run_qwen3_8b_fsdp.sh"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in (NAMED, BARE):
        (tmp_path / name).write_text(SCRIPT)
    return tmp_path


def reported(folder: Path, *words: str) -> dict[str, Any]:
    result = rlbot(*words, "--format", "json", cwd=folder)
    assert result.err == ""
    script: dict[str, Any] = json.loads(result.out)["scripts"][0]
    return script


def test_resolve_shows_both_and_which_counts(folder: Path, snapshot: SnapshotAssertion) -> None:
    assert rlbot("resolve", NAMED, cwd=folder).out == snapshot


@pytest.mark.parametrize("command", ["lint", "resolve"])
def test_the_name_chooses(folder: Path, command: str) -> None:
    script = reported(folder, command, NAMED)
    assert script["counts"] == {
        "launch": 2,
        "conditions": ["`python3 -c 'import torch_npu'` fails"],
        "reason": "the script's name says h100",
    }
    assert script["plan"]["train_batch_size"] == 1024


def test_without_a_device_the_plan_stays_open(folder: Path) -> None:
    script = reported(folder, "lint", BARE)
    assert (script["plan"], script["counts"]) == (None, None)
    assert len(script["launches"]) == 2


@pytest.mark.parametrize(
    ("words", "batch"),
    [
        (("--device", "h100"), 1024),
        (("--device", "910b"), 16),
        (("--env", "DEVICE=gpu"), 1024),
        (("--env", "DEVICE=npu"), 16),
    ],
)
@pytest.mark.parametrize("command", ["lint", "resolve", "verify"])
def test_options_choose(folder: Path, command: str, words: tuple[str, ...], batch: int) -> None:
    script = reported(folder, command, BARE, *words)
    assert script["plan"]["train_batch_size"] == batch


def test_the_configuration_chooses_and_the_command_line_comes_first(folder: Path) -> None:
    (folder / ".rlbot.yml").write_text("env:\n  DEVICE: npu\n")
    assert reported(folder, "lint", BARE)["plan"]["train_batch_size"] == 16
    over = reported(folder, "lint", BARE, "--env", "DEVICE=gpu")
    assert over["plan"]["train_batch_size"] == 1024


def test_a_name_that_no_variable_has_is_refused(folder: Path) -> None:
    (folder / ".rlbot.yml").write_text("env:\n  MY-DEVICE: npu\n")
    result = rlbot("lint", BARE, cwd=folder)
    assert (result.status, result.err) == (
        2,
        'rlbot: .rlbot.yml, line 1: env: "MY-DEVICE" is no name of a shell variable.\n',
    )


def test_the_estimate_is_of_the_launch_that_counts(folder: Path) -> None:
    result = rlbot("estimate", NAMED, cwd=folder)
    assert result.status == 0
    assert result.out.endswith(
        "launch 2 counts, if `python3 -c 'import torch_npu'` fails: the script's name says h100\n"
    )
    given = rlbot("estimate", BARE, "--device", "h100", cwd=folder)
    assert given.out.splitlines()[1:] == [
        line.replace("the script's name says", "--device says")
        for line in result.out.splitlines()[1:]
    ]


def test_an_estimate_of_open_launches_says_which_it_is_of(folder: Path) -> None:
    (folder / BARE).write_text(SCRIPT.replace("python3 -c 'import torch_npu'", "test -f here"))
    result = rlbot("estimate", BARE, "--device", "h100", cwd=folder)
    assert "it takes the most memory of those that are possible\n" in result.out


def test_a_row_is_of_the_launch_that_counts_or_stays_open(folder: Path) -> None:
    named = reported(folder, "verify", NAMED)
    assert (named["plan"]["train_batch_size"], named["row"]["tag"]) == (1024, "MIN")
    bare = reported(folder, "verify", BARE)
    assert bare["row"] is None
    (open_,) = [item["reason"] for item in bare["unchecked"] if item["check"] == "row"]
    assert open_ == (
        "The script launches one of 2, by what cannot be known here "
        "(`python3 -c 'import torch_npu'` succeeds and `python3 -c 'import torch_npu'` fails). "
        "Say which with --device or --env NAME=VALUE, or with a comment `# device: h100`."
    )
