"""`rlbot resolve`: launches, settings, and where each was written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.command import rlbot
from tests.schemas import holds_to
from tools.schemas import report_schema

SCRIPT = b"""\
#!/usr/bin/env bash
# verl: 0.9.1
batch=64
total=$((batch * 4))
MODEL=${MODEL:-Qwen/Qwen2.5-7B}
ACTOR=(
    data.train_batch_size=${total}
    actor_rollout_ref.model.path="$MODEL"
    +actor_rollout_ref.model.override_config.name=${NAME}
)
export WANDB_MODE=offline
if [ "$DEVICE" = npu ]; then
    python3 -m verl.trainer.main_ppo "${ACTOR[@]}" trainer.device=npu
else
    python3 -m verl.trainer.main_ppo "${ACTOR[@]}" "$@"
fi
"""


def _resolve(*options: str) -> dict[str, Any]:
    result = rlbot(
        *("resolve", "-", "--stdin-filename", "7b/x.sh", "--format", "json", *options),
        stdin=SCRIPT,
    )
    assert result.err == ""
    report: dict[str, Any] = json.loads(result.out)
    holds_to(report_schema(), report)
    script: dict[str, Any] = report["scripts"][0]
    return script


def test_both_ways_of_a_condition_that_nobody_knows(snapshot: SnapshotAssertion) -> None:
    result = rlbot("resolve", "-", "--stdin-filename", "7b/x.sh", stdin=SCRIPT)
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot


def test_what_if_the_caller_sets_a_variable() -> None:
    (npu,) = _resolve("--env", "DEVICE=npu")["launches"]
    assert npu["settings"]["trainer.device"] == "npu"
    (gpu,) = _resolve("--env", "DEVICE=gpu", "--env", "MODEL=my/model-7b")["launches"]
    assert "trainer.device" not in gpu["settings"]
    assert gpu["settings"]["actor_rollout_ref.model.path"] == "my/model-7b"
    assert not gpu["complete"]  # NAME is still unknown


def test_a_clean_environment_leaves_nothing_open() -> None:
    (launch,) = _resolve("--clean-env", "--args", "trainer.nnodes=2 'a.b=c d'")["launches"]
    assert launch["complete"]
    assert launch["argv"][-2:] == ["trainer.nnodes=2", "a.b=c d"]
    assert launch["environment"] == {"WANDB_MODE": "offline"}


def test_a_value_is_placed_where_it_was_written() -> None:
    """Through two variables and an array, to the arithmetic that made it."""
    origins = {o["key"]: o for o in _resolve("--clean-env")["launches"][0]["origins"]}
    batch = origins["data.train_batch_size"]
    line = SCRIPT.decode().splitlines()[batch["line"] - 1]
    assert line[batch["column"] - 1 : batch["end_column"] - 1] == "$((batch * 4))"
    assert batch["via"] == ["ACTOR", "total"]
    model = origins["actor_rollout_ref.model.path"]
    line = SCRIPT.decode().splitlines()[model["line"] - 1]
    assert line[model["column"] - 1 : model["end_column"] - 1] == "Qwen/Qwen2.5-7B"
    assert (model["via"], model["default_of"]) == (["ACTOR", "MODEL"], ["MODEL"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--env", "DEVICE"), 'rlbot: --env takes NAME=VALUE, such as DEVICE=npu; got "DEVICE".'),
        (("--env", "1x=2"), 'rlbot: --env takes NAME=VALUE, such as DEVICE=npu; got "1x=2".'),
        (("--args", "a 'b"), "rlbot: --args cannot be read as words: no closing quotation."),
    ],
)
def test_wrong_options_are_sentences(options: tuple[str, ...], sentence: str) -> None:
    result = rlbot("resolve", "-", "--stdin-filename", "x.sh", *options, stdin=SCRIPT)
    assert (result.status, result.out, result.err) == (2, "", sentence + "\n")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("pip install x\n$PY train.py\n", "the script runs … train.py, pip"),
        ("export X=1\n", "the script only sets up the shell and starts nothing"),
        ("if true; then\n", "this `if` is never closed"),
        (
            "exit\npython3 -m verl.trainer.main_ppo\n",
            "line 2 starts verl.trainer.main_ppo, but no way through the script as it stands",
        ),
    ],
)
def test_why_there_is_no_launch_is_said_alike(script: str, reason: str) -> None:
    for words in (("lint", "--verbose"), ("resolve",), ("estimate",)):
        result = rlbot(*words, "-", "--stdin-filename", "x.sh", stdin=script.encode())
        assert reason in result.out


_HEX = "0123456789abcdef0123456789abcdef01234567"
_SCRIPTS = (
    "export WANDB_API_KEY={}\npython3 -m verl.trainer.main_ppo trainer.nnodes=1\n",
    "wandb login {}\npython3 -m verl.trainer.main_ppo trainer.nnodes=1\n",
    "deepspeed --module openrlhf.cli.train_sft --use_wandb {} --max_epochs 1\n",
    "export SWANLAB_API_KEY={}\npython -m verl.trainer.main_ppo a=$SWANLAB_API_KEY\n",
)


@pytest.mark.parametrize("script", _SCRIPTS)
@pytest.mark.parametrize("command", [("resolve",), ("lint", "--verbose")])
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_token_is_printed(script: str, command: tuple[str, ...], form: str) -> None:
    """KeLes-Coding/RL_jarvis and LzyFischer/icml_kd have theirs in their scripts."""
    options = ("--format", form, "--stdin-filename", "x.sh")
    result = rlbot(*command, *options, "-", stdin=script.format(_HEX).encode())
    assert result.out
    assert _HEX not in result.out


def test_a_token_is_not_printed_where_it_is_used() -> None:
    script = f"KEY={_HEX}\ndeepspeed --module openrlhf.cli.train_sft --use_wandb $KEY\n"
    result = rlbot("resolve", "--stdin-filename", "x.sh", "-", stdin=script.encode())
    assert "use_wandb  ***" in result.out
    assert _HEX not in result.out


@pytest.mark.parametrize("alike", [True, False], ids=["alike", "unlike"])
def test_of_many_tokens_none_is_printed_where_it_is_used(alike: bool) -> None:
    keys = [f"{'' if alike else number}key-of-somebody-{number:03}" for number in range(300)]
    script = "".join(f"export A{number}_API_KEY={key}\n" for number, key in enumerate(keys))
    used = " ".join(f"a.b{number}=x$A{number}_API_KEY" for number in range(300))
    script += f"python3 -m verl.trainer.main_ppo trainer.nnodes=1 {used}\n"
    options = ("--format", "json", "--stdin-filename", "x.sh")
    result = rlbot("resolve", *options, "-", stdin=script.encode())
    assert "x***" in result.out
    assert "key-of-somebody" not in result.out
