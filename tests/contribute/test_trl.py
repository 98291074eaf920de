"""The script of a run of TRL: its recorded command line, under a launcher."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.base.errors import UserError
from bot.contribute.launch import recorded_launch
from bot.contribute.script import ScriptParts, script_text
from bot.evidence.links import parse_link
from tests.evidence.test_trl_runs import CONFIG, OPTIONS, read, run


def test_the_command_line_is_started_with_the_processes_of_the_run() -> None:
    launch = recorded_launch(run(), {})
    assert (launch.module, launch.release) == ("trl.scripts.grpo", "1.16.0")
    assert (launch.words, launch.known_release) == (OPTIONS, True)
    assert launch.launcher == "accelerate launch --num_processes 2"


def test_the_text_is_read_as_the_launch_of_the_run() -> None:
    link = parse_link("https://wandb.ai/ada/tuning/runs/abc")
    launch = recorded_launch(run(), {}, "torchrun --nproc_per_node 2")
    text = script_text(launch, link)
    assert text.startswith("#!/usr/bin/env bash\n# wandb: https://wandb.ai/ada/tuning/runs/abc\n")
    assert "\ntorchrun --nproc_per_node 2 -m trl.scripts.grpo \\\n" in text
    (plan,) = read(*launch.words, start=f"{launch.launcher} -m {launch.module}").plans
    assert (plan.gpus.value, plan.train_batch_size.value) == (2, 8)


def test_a_token_is_left_out() -> None:
    arguments = ("--hub_token", "hf_secret", *OPTIONS, "--hub_token=hf_secret")
    assert recorded_launch(run(args=arguments), {}).words == OPTIONS


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"args": ()}, "name no dataset, .* --script"),
        ({"program": "train.py"}, "name no dataset, .* --script"),
        ({"program": "-m trl.scripts.nothing"}, r"has no trl\.scripts\.nothing"),
        ({"args": ("--run_name", "a\nb")}, "cannot be written on lines"),
        ({"args": ("--run_name", "a\0b")}, "cannot be written on lines"),
        ({"args": ("--x",) * 2_001}, "cannot be written on lines"),
        ({"config": {k: v for k, v in CONFIG.items() if k != "generation_batch_size"}},
         "how many|with how many processes; say it with --launcher"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        recorded_launch(run(**changes), {})


def test_the_release_that_fits_is_taken_where_none_is_recorded() -> None:
    """`max_prompt_length` left TRL in 0.26."""
    from bot.frameworks.settings.option_table import OptionTable
    from bot.frameworks.tables import table

    keys = table("trl", "0.20.0", "trl.scripts.grpo")
    assert isinstance(keys, OptionTable)
    config = {keys.destination(name): None for name in keys} | CONFIG
    launch = recorded_launch(run(config=config, requirements={}), {})
    assert (launch.release, launch.known_release) == ("0.20.0", False)


def test_a_launcher_is_for_trl_alone() -> None:
    dotted = {"actor_rollout_ref.rollout.n": 5, "trainer.nnodes": 1}
    with pytest.raises(UserError, match="--launcher is for runs that Ray does not start"):
        recorded_launch(run(config=dotted, args=(), program=None), {"verl": "0.9.1"}, "torchrun")


def test_parts_that_an_option_says_are_asked_for_by_it() -> None:
    parts = ScriptParts(
        model="qwen2.5-7b", task="grpo", gpus=2, device=None, train=None, infer="vllm"
    )
    with pytest.raises(UserError, match=r"or give --device and --launcher\."):
        parts.path("examples/tuning")
    with pytest.raises(UserError, match=r"needs \[gpunums\], which .* or give --launcher\."):
        replace(parts, gpus=None, device="h100", train="fsdp").path("examples/tuning")
    with pytest.raises(UserError, match=r"needs \[model\], which .* with --script\."):
        replace(parts, model=None, device="h100", train="fsdp").path("examples/tuning")
