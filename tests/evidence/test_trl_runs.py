"""What a run of TRL says of its script, where transformers logs it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.check.read import read_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.evidence.claims.compare import compare
from bot.evidence.claims.progress import steps_completed
from bot.evidence.facts import Facts, GpuInfo, MetricSeries, Sibling
from bot.evidence.trl_runs import module_of, processes_of
from bot.frameworks import Checkout
from bot.report import Claim, Evidence
from bot.rules._support.base import RuleContext
from bot.table.row import RowDetails, make_row

START = "accelerate launch --num_processes 2 --use_deepspeed --zero_stage 3 -m trl.scripts.grpo"
OPTIONS = (
    "--model_name_or_path", "Qwen/Qwen2.5-7B-Instruct", "--dataset_name", "trl-lib/DeepMath-103K",
    "--output_dir", "out", "--per_device_train_batch_size", "4",
    "--gradient_accumulation_steps", "8", "--num_generations", "8",
    "--max_completion_length", "1024", "--use_vllm", "--reward_funcs", "accuracy_reward",
)  # fmt: skip
CONFIG: dict[str, Any] = {
    # The model's config, then the arguments, as `WandbCallback.setup` joins them.
    "_name_or_path": "Qwen/Qwen2.5-7B-Instruct", "model_type": "qwen2", "num_hidden_layers": 28,
    "output_dir": "out", "per_device_train_batch_size": 4, "gradient_accumulation_steps": 8,
    "num_generations": 8, "steps_per_generation": 8, "generation_batch_size": 64,
    "max_completion_length": 1024, "use_vllm": True, "logging_steps": 1,
}  # fmt: skip
H100 = GpuInfo(name="NVIDIA H100 80GB HBM3", memory_bytes=85_520_809_984)


def series(key: str, maximum: float, rows: int = 30) -> MetricSeries:
    return MetricSeries(
        key=key, rows=rows, maximum=maximum, at_step=rows, last=maximum, monotone=True
    )


def run(**changes: Any) -> Facts:
    """A run of these settings, as W&B records it."""
    history = [series("train/global_step", 30), series("train/completions/max_length", 1019)]
    facts = Facts(
        source="x",
        config=CONFIG,
        history={each.key: each for each in history},
        history_rows=30,
        system={gpu: series(f"gpu.{gpu}", 70.0 * 2**30) for gpu in range(2)},
        gpus=(H100, H100),
        requirements={"trl": "1.16.0", "vllm": "0.11.0"},
        program="/venv/lib/python3.12/site-packages/trl/scripts/grpo.py",
        args=OPTIONS,
        exit_code=0,
    )
    return replace(facts, **changes)


def read(*options: str, start: str = START) -> RuleContext:
    text = f"# trl: 1.16.0\n{start} {' '.join(options)}\n"
    script = ScriptFile(path="7b/qwen2.5-7b_grpo_2_h100_deepspeed_vllm.sh", data=text.encode())
    return read_script(script, CheckOptions())


def compared(facts: Facts, *options: str, start: str = START) -> Evidence:
    context = read(*(options or OPTIONS), start=start)
    return compare(context.plans[0], context.name, facts)


def claim(evidence: Evidence, name: str) -> Claim:
    (found,) = (each for each in evidence.claims if each.claim == name)
    return found


def test_a_run_of_the_script_is_consistent() -> None:
    evidence = compared(run())
    wrong = {each.claim for each in evidence.claims if each.verdict != "consistent"}
    assert wrong == {"train backend"}  # accelerate's own options stand nowhere.
    assert evidence.verdict == "consistent"
    assert claim(evidence, "inference engine").observed == "vllm 0.11.0"
    assert (claim(evidence, "max batch").observed, evidence.steps) == (8, 30)
    assert all(each.claim != "prompt length" for each in evidence.claims)


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ({"_name_or_path": "Qwen/Qwen2.5-3B"}, "model"),
        ({"generation_batch_size": 128}, "gpus"),
        ({"gradient_accumulation_steps": 16}, "train batch"),
        ({"peft_config": {"default": {"r": 16}}}, "adapter"),
    ],
)
def test_what_differs_is_found(config: dict[str, Any], name: str) -> None:
    assert claim(compared(run(config=CONFIG | config)), name).verdict == "inconsistent"


def test_another_trainer_of_trl_is_found() -> None:
    evidence = compared(run(program="-m trl.scripts.rloo"))
    assert claim(evidence, "algorithm").observed == "rloo"
    assert claim(evidence, "algorithm").verdict == "inconsistent"


def test_without_the_command_line_what_only_it_says_stays_open() -> None:
    evidence = compared(run(args=(), program=None))
    open_ = {each.claim for each in evidence.claims if each.verdict == "inconclusive"}
    assert open_ == {"algorithm", "adapter", "train backend", "dataset_name", "reward_funcs"}
    assert evidence.verdict == "consistent"


@pytest.mark.parametrize(
    ("config", "arguments", "verdict"),
    [
        ({"peft_config": {"default": {"r": 16, "lora_alpha": 32}}}, (), "consistent"),
        ({"peft_config": "{'default': LoraConfig(r=16)}"}, (), "consistent"),
        ({}, (*OPTIONS, "--use_peft", "--lora_r", "16"), "consistent"),
        ({}, OPTIONS, "inconsistent"),
        # transformers before 4.46 logs nothing of it.
        ({}, (), "inconclusive"),
        ({}, ("--config", "lora.yaml"), "inconclusive"),
    ],
)
def test_lora_is_seen_where_it_is_recorded(
    config: dict[str, Any], arguments: tuple[str, ...], verdict: str
) -> None:
    facts = run(config=CONFIG | config, args=arguments)
    evidence = compared(facts, *OPTIONS, "--use_peft", "--lora_r", "16")
    assert claim(evidence, "adapter").verdict == verdict


def test_another_rank_is_found() -> None:
    facts = run(config=CONFIG | {"peft_config": {"default": {"r": 64}}}, args=())
    evidence = compared(facts, *OPTIONS, "--use_peft", "--lora_r", "16")
    assert claim(evidence, "lora_r").verdict == "inconsistent"


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({}, 2),
        ({"generation_batch_size": 65}, None),
        ({"generation_batch_size": 0}, None),
        ({"generation_batch_size": True}, None),
        ({"generation_batch_size": "64"}, None),
        ({"generation_batch_size": None}, None),
        ({"generation_batch_size": 10**400}, 10**400 // 32),
        ({"steps_per_generation": None}, None),
        ({"num_processes": 4}, 4),  # As a manifest of rlbot record says it.
    ],
)
def test_processes_follow_from_the_settings(config: dict[str, Any], count: int | None) -> None:
    assert processes_of(CONFIG | config) == count


def test_processes_that_do_not_follow_leave_gpus_and_batch_open() -> None:
    """As in DPO and SFT, and before TRL 0.18."""
    config = {key: value for key, value in CONFIG.items() if "generation_b" not in key}
    evidence = compared(run(config=config))
    assert claim(evidence, "gpus").verdict == "inconclusive"
    assert claim(evidence, "train batch").verdict == "inconclusive"
    assert claim(evidence, "train batch").observed is None
    assert "how many processes its launcher" in claim(evidence, "train batch").reason


def test_steps_are_counted_between_the_rows() -> None:
    rows = {"train/global_step": series("train/global_step", 195.0, rows=20)}
    assert steps_completed(run(config=CONFIG | {"logging_steps": 10}, history=rows)) == 195
    resumed = {"train/global_step": series("train/global_step", 900.0, rows=20)}
    assert steps_completed(run(config=CONFIG | {"logging_steps": 10}, history=resumed)) == 200
    for odd in (0, -1, 0.1, "10", None, True, 10**30):
        assert steps_completed(run(config=CONFIG | {"logging_steps": odd}, history=resumed)) == 20


def test_a_larger_batch_of_another_run_counts_prompts_too() -> None:
    """16 a device are 32 prompts a step; 16 by itself would be no batch of anything."""
    config = CONFIG | {"per_device_train_batch_size": 16, "generation_batch_size": 256}
    sibling = Sibling(id="other", config=config, steps=40, out_of_memory=False)
    found = claim(compared(run(siblings=(sibling,))), "max batch")
    assert found.verdict == "inconsistent"
    assert "32 ran for 40 steps" in found.reason


@pytest.mark.parametrize(
    ("program", "module"),
    [
        ("-m trl.scripts.grpo", "trl.scripts.grpo"),
        ("/a/b/trl/scripts/sft.py", "trl.scripts.sft"),
        ("examples/scripts/dpo.py", "examples.scripts.dpo"),
        ("train.py", None),
        ("/home/x/mytrl/scripts/grpo.py", None),
        ("-m trl.scripts.grpo; rm -rf /", None),
        ("-m trl.scripts.gr\u0661", None),
        ("x" * 5000 + "/trl/scripts/grpo.py", None),
        (None, None),
    ],
)
def test_a_program_of_trl_is_known_by_its_path(program: str | None, module: str | None) -> None:
    assert module_of(program) == module


@pytest.mark.parametrize(
    "arguments",
    [
        ("--per_device_train_batch_size",),
        ("--model_name_or_path", "${?x}"),
        ("\udcff", "--=", "-", "--", "=", ""),
        ("--learning_rate", "9" * 5000),
        ("--config", "x.yaml"),
        tuple("--x" for _ in range(5000)),
    ],
)
def test_any_command_line_is_read(arguments: tuple[str, ...]) -> None:
    assert compared(run(args=arguments)).verdict in ("consistent", "inconclusive")


def test_the_row_takes_the_prompts_of_a_step_and_not_a_device_s_share() -> None:
    """Where a file of accelerate's has the processes, the script leaves the batch open."""
    start = "accelerate launch --config_file zero3.yaml -m trl.scripts.grpo"
    context = read(*OPTIONS, start=start)
    found = compared(run(), *OPTIONS, start=start)
    details = RowDetails(link="x")
    row = make_row(context.plans[0], context.name, details, facts=run(), evidence=found)
    assert row.max_batch == "8"
    assert "MaxBatch 8 is the run's; the script leaves it open." in row.notes


OWN = """from argparse import ArgumentParser
from trl import {0}Config, {0}Trainer
def main(args):
    {0}Config(output_dir=args.output_dir, per_device_train_batch_size=args.train_batch_size)
if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--train_batch_size", type=int, default=1)
    parser.add_argument("--output_dir", type=str, default="out")
    args = parser.parse_args()
    main(args)
"""
FILES = {f"{name.lower()}.py": OWN.format(name).encode() for name in ("DPO", "GRPO")}
GIVEN = ("--train_batch_size", "2")


def of_own(file: str, facts: Facts, *options: str) -> Evidence:
    """A run compared with a program that makes TRL's settings of its own options."""
    words = " ".join(options or GIVEN)
    script = ScriptFile(path="run.sh", data=f"# trl: 1.16.0\npython {file} {words}\n".encode())
    context = read_script(script, CheckOptions(place=InCheckout(Checkout(FILES))))
    return compare(context.plans[0], context.name, facts)


def own_run(**changes: Any) -> Facts:
    """A run of that program on four GPUs, in one process."""
    config = {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "beta": 0.1}
    made: dict[str, Any] = {"program": "/home/me/x/dpo.py", "args": GIVEN, "config": config}
    return run(**made | changes)


@pytest.mark.parametrize("program", ["/home/me/x/dpo.py", "x/DPO.py", "Q2.ipynb", None, "-m a.b"])
def test_the_same_program_and_what_names_none_contradict_nothing(program: str | None) -> None:
    assert claim(of_own("dpo.py", own_run(program=program)), "algorithm").verdict != "inconsistent"


def test_a_worker_that_runs_the_program_is_no_other_one() -> None:
    facts = own_run(program="/venv/lib/ray/_private/workers/default_worker.py")
    assert claim(of_own("dpo.py", facts), "algorithm").verdict == "inconclusive"


def test_a_neighbour_s_program_did_not_make_the_run() -> None:
    found = claim(of_own("grpo.py", own_run()), "algorithm")
    assert (found.verdict, found.observed) == ("inconsistent", "dpo.py")


@pytest.mark.parametrize("config", [{}, {"train_batch_size": 2, "num_processes": 4}])
def test_a_program_s_own_batch_size_is_not_that_of_a_step(config: dict[str, Any]) -> None:
    """A row said MaxBatch 2 of a run whose steps took 32."""
    facts = own_run(args=(*GIVEN, "--num_processes", "4"))
    facts = replace(facts, config={**facts.config, **config})
    evidence = of_own("dpo.py", facts)
    claims = [claim(evidence, name) for name in ("train batch", "max batch")]
    assert [each.observed for each in claims] == [config.get("num_processes") and 32] * 2
    assert claim(evidence, "micro batch per GPU").verdict == "consistent"


def test_the_model_s_config_does_not_stand_for_an_option_of_its_name() -> None:
    """`--model_type kimi` was held against the `model_type` qwen2 of the model."""
    program = (
        "from dataclasses import dataclass\n"
        "from trl import GRPOConfig, ModelConfig, ScriptArguments, TrlParser\n"
        "@dataclass\nclass Own(ScriptArguments):\n    model_type: str = 'qwen2'\n"
        "TrlParser((Own, GRPOConfig, ModelConfig)).parse_args_and_config()\n"
    )
    options = ("--model_name_or_path", "a/b", "--model_type", "kimi", "--dtype", "auto")
    script = ScriptFile(path="run.sh", data=f"python own.py {' '.join(options)}\n".encode())
    place = InCheckout(Checkout({"own.py": program.encode()}))
    context = read_script(script, CheckOptions(place=place))
    config = {**CONFIG, "_name_or_path": "a/b", "dtype": "bfloat16"}
    recorded = run(config=config, args=options, program="/x/own.py")
    evidence = compare(context.plans[0], context.name, recorded)
    for name in ("model_type", "dtype"):
        assert claim(evidence, name).verdict == "consistent"
    other = replace(recorded, args=("--model_type", "llama"))
    evidence = compare(context.plans[0], context.name, other)
    assert claim(evidence, "model_type").verdict == "inconsistent"


@pytest.mark.parametrize(("on", "verdict"), [(False, "consistent"), (True, "inconsistent")])
def test_a_run_without_vllm_is_one_of_transformers(on: bool, verdict: str) -> None:
    options = tuple(word for word in OPTIONS if word != "--use_vllm")
    facts = run(config=CONFIG | {"use_vllm": on}, args=options)
    found = claim(compared(facts, *options), "inference engine")
    assert (found.verdict, found.observed) == (verdict, "vllm 0.11.0" if on else "hf")


@pytest.mark.parametrize(
    ("recorded", "verdict"),
    [(None, "inconclusive"), ("zero3.json", "consistent"), ({"a": 1}, "consistent")],
)
def test_a_run_with_deepspeed_s_configuration_used_it(recorded: Any, verdict: str) -> None:
    evidence = compared(run(config=CONFIG | {"deepspeed": recorded}))
    assert claim(evidence, "train backend").verdict == verdict


def test_a_script_without_deepspeed_did_not_make_a_run_with_it() -> None:
    start = "accelerate launch --num_processes 2 --use_fsdp -m trl.scripts.grpo"
    evidence = compared(run(config=CONFIG | {"deepspeed": "zero3.json"}), start=start)
    assert claim(evidence, "train backend").verdict == "inconsistent"
