"""What cannot be bisected: each reason is a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.base.errors import UserError
from bot.bisect.text import plan_text
from tests.bisect.samples import (
    FLAT,
    FLAT_KEYS,
    VARIABLES,
    planned,
    script,
    series_of,
)
from tests.command import ROOT, rlbot

REFUSED = {
    "computed from several": (
        VARIABLES.replace("n_gpus_per_node=${ngpu_per_node}", "n_gpus_per_node=2"),
        (),
        "computed from nproc_per_gpu and ngpu_per_node; say which one",
    ),
    "from the caller alone": (
        VARIABLES.replace("nproc_per_gpu=58\n", ""),
        (),
        "where a whole number that the script itself holds belongs",
    ),
    "left to the framework": (
        FLAT.replace("    data.train_batch_size=116 \\\n", ""),
        (),
        "leaves data.train_batch_size to the framework",
    ),
    "no such name": (VARIABLES, ("nproc_pr_gpu",), "Did you mean nproc_per_gpu?"),
    "a variable that is none": (
        VARIABLES,
        ("ngpu_per_node",),
        "--vary: ngpu_per_node is neither a batch nor a length: it sets trainer.n_gpus_per_node.",
    ),
    "GPUs alone": (
        FLAT.replace("n_gpus_per_node=2", "n_gpus_per_node=${N_GPUS}").replace(
            "# verl", "N_GPUS=${N_GPUS:-2}\n# verl"
        ),
        ("N_GPUS",),
        "--vary: N_GPUS is neither a batch nor a length: it sets trainer.n_gpus_per_node.",
    ),
    "a key that is none": (
        FLAT,
        ("trainer.total_epochs",),
        "--vary: trainer.total_epochs is neither a batch nor a length.",
    ),
    "two trainings": (
        FLAT + FLAT.partition("\n\n")[2].replace("=116", "=120"),
        (),
        "starts 2 trainings",
    ),
    "no training": ("echo 1\n", (), "no launch whose batch could vary: the script only sets up"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_bisected_is_a_sentence(case: str) -> None:
    text, vary, sentence = REFUSED[case]
    with pytest.raises(UserError) as raised:
        planned(text, vary)
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    "key", ["data.max_response_length", "actor_rollout_ref.rollout.n", *FLAT_KEYS]
)
def test_a_length_and_the_responses_to_a_prompt_are_sizes(key: str) -> None:
    assert planned(FLAT, (key,), ran=1).candidates.knob.name == key


def test_a_length_is_none_of_what_is_advised() -> None:
    text = (
        "python3 -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path Qwen/Qwen2.5-7B"
        " --reward.model_name_or_path Qwen/Qwen2.5-7B --data.max_len 2048 --rollout.batch_size 1024"
        " --train.batch_size 128 --train.dynamic_batch_enable --train.max_tokens_per_gpu 16384"
        " --ds.zero_stage 3 --ds.packing_samples --actor.num_gpus_per_node 8 --train.colocate_all"
        " --vllm.num_engines 4 --vllm.tensor_parallel_size 2 --vllm.gpu_memory_utilization 0.3"
        " --vllm.enable_sleep --ds.enable_sleep --data.prompt_dataset d\n"
    )
    assert planned(text, device="a100").plan.vary_instead == ("train.max_tokens_per_gpu",)


def test_what_decides_and_is_computed_is_named() -> None:
    text = FLAT.replace(f"{FLAT_KEYS[2]}=116", f"{FLAT_KEYS[2]}=$((2 * 58))")
    plan = planned(text).plan
    assert (plan.vary_instead, plan.computed) == ((), (f"{FLAT_KEYS[2]}=116",))
    assert "What does is computed in the script; write its number there" in plan_text(plan)
    assert "No batch size" not in plan_text(plan)


def test_where_nothing_decides_that_is_said() -> None:
    """The engine's share of the card binds, whatever a pass holds."""
    example = ROOT / "examples/tuning/1.5b/qwen2.5-1.5b_ppo_2_a100_fsdp_vllm.sh"
    plan = series_of(script(example.read_bytes(), example.relative_to(ROOT).as_posix())).plan
    assert (plan.vary_instead, plan.computed) == ((), ())
    assert "\nNo batch size and no token limit of the script does.\n" in plan_text(plan)


def test_what_is_no_script_is_refused_before_its_numbers(tmp_path: Path) -> None:
    program = (
        "from trl import DPOConfig, DPOTrainer\n"
        "args = DPOConfig(output_dir='o', per_device_train_batch_size=6)\n"
        "DPOTrainer(model='Qwen/Qwen3-4B', args=args, train_dataset=d).train()\n"
    )
    (tmp_path / "train.py").write_text(program)
    (tmp_path / "train.ipynb").write_text("{}")
    recipe = "model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 8\n"
    (tmp_path / "grpo.yaml").write_text(recipe)
    (tmp_path / "run.sh").write_text("trl grpo --config grpo.yaml --dataset_name d\n")
    for name, sentence in (
        ("train.py", "train.py is a program, and bisect varies scripts; name one that starts it"),
        ("train.ipynb", "train.ipynb is a notebook, and bisect varies scripts"),
        ("grpo.yaml", "grpo.yaml is a recipe, and bisect varies scripts"),
        (
            "run.sh",
            "per_device_train_batch_size=8 stands in grpo.yaml (line 2), and only numbers of the",
        ),
    ):
        refused = rlbot("bisect", "plan", name, cwd=tmp_path)
        assert refused.status == 2
        assert sentence in refused.err


def test_contradictory_ends_are_refused() -> None:
    with pytest.raises(UserError, match="60 cannot have run when 50"):
        planned(ran=60, failed=50)


@pytest.mark.slow
def test_examples_say_what_decides_their_memory() -> None:
    key = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
    for path in sorted(ROOT.glob("examples/tuning/*/*_h[18]00_fsdp_vllm.sh")):
        example = script(path.read_bytes(), path.relative_to(ROOT).as_posix())
        plan = series_of(example).plan
        assert plan.no_effect is not None
        assert "does not decide the memory of a GPU" in plan.no_effect
        assert (plan.mode, plan.probes, plan.next_command) == ("closed", (), None)
        assert key in plan.vary_instead
        for other in plan.vary_instead:
            assert series_of(example, (other,)).plan.probes
        evident = series_of(example, ran=plan.varied[0].value).plan
        assert (evident.no_effect, evident.mode) == (None, "doubling")
