"""`rlbot estimate`: from a script to its budget, as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.command import rlbot

ROOT = Path(__file__).resolve().parents[2]
FULL = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"


def test_the_budget_of_a_script(snapshot: SnapshotAssertion) -> None:
    result = rlbot("estimate", FULL, cwd=ROOT)
    assert result.status == 0
    assert result.out == snapshot


def test_impossible_is_an_error() -> None:
    result = rlbot("estimate", FULL, "--device", "rtx4090", cwd=ROOT)
    assert result.status == 1
    assert "impossible" in result.out


_OFFLOADED = (
    "deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain meta-llama/Llama-3.1-70B"
    " --zero_stage 3 --adam_offload --max_len 2048 --micro_train_batch_size 1"
    " --train_batch_size 64 --gradient_checkpointing --bf16 --dataset d\n"
)


@pytest.mark.parametrize(
    ("memory", "outcome", "status"),
    [("512", "impossible", 1), ("1200", "tight", 0), ("2048", "fits", 0)],
)
def test_the_memory_of_a_host_gets_a_verdict(memory: str, outcome: str, status: int) -> None:
    arguments = ("estimate", "-", "--stdin-filename", "x.sh", "--device", "h100")
    options = ("--framework", "openrlhf@0.8.0", "--host-memory", memory)
    made = rlbot(*arguments, *options, stdin=_OFFLOADED.encode())
    assert made.status == status, made.err
    assert f"of {memory} GiB of memory, {outcome}" in made.out
    first = made.out.partition("\n")[0]
    assert first.endswith(f"; {outcome} on hosts of {memory} GiB") == (outcome != "fits")
    made = rlbot(*arguments, *options, "--format", "json", stdin=_OFFLOADED.encode())
    estimate = json.loads(made.out)["scripts"][0]["estimate"]
    assert (estimate["host_outcome"], estimate["outcome"]) == (outcome, "fits")


@pytest.mark.parametrize(("memory", "outcome"), [("512", "impossible"), ("2048", "fits")])
def test_hosts_are_compared_where_no_card_is_named(memory: str, outcome: str) -> None:
    asked = ("estimate", "-", "--stdin-filename", "x.sh", "--framework", "openrlhf@0.8.0")
    made = rlbot(*asked, "--host-memory", memory, stdin=_OFFLOADED.encode())
    (row,) = (line for line in made.out.splitlines() if line.split()[0] == "H100")
    assert row.endswith(f"; {outcome} on hosts of {memory} GiB") == (outcome != "fits")
    assert f"of {memory} GiB of memory, {outcome}" in made.out
    made = rlbot(*asked, "--host-memory", memory, "--format", "json", stdin=_OFFLOADED.encode())
    cards = json.loads(made.out)["scripts"][0]["estimate"]["cards"]
    assert {card["host_outcome"] for card in cards} == {outcome}


@pytest.mark.parametrize("memory", ["0", "-1", "nan"])
def test_a_host_has_memory(memory: str) -> None:
    result = rlbot("estimate", FULL, f"--host-memory={memory}", cwd=ROOT)
    assert result.status == 2
    assert "--host-memory takes the GiB that each host has" in result.err


def test_json_says_everything() -> None:
    result = rlbot("estimate", FULL, "--format", "json", cwd=ROOT)
    made = json.loads(result.out)["scripts"][0]["estimate"]
    assert (made["outcome"], made["device"], made["gpus"]) == ("tight", "H800", 2)
    for stage in made["stages"]:
        assert sum(stage["components"].values()) == pytest.approx(stage["expected_gib"], abs=0.1)
        assert stage["floor_gib"] <= stage["expected_gib"] <= stage["conservative_gib"]


@pytest.mark.parametrize(
    ("settings", "arguments", "reason"),
    [
        (
            ("actor_rollout_ref.model.path=my/own",),
            (),
            "model my/own is not known. Give --model NAME, a model on Hugging Face of its ",
        ),
        (
            ("actor_rollout_ref.model.path=/mnt/mine",),
            (),
            "model /mnt/mine is not known. Give --model NAME, a model on Hugging Face of its ",
        ),
        (
            ("actor_rollout_ref.model.path=$BASE",),
            (),
            "actor_rollout_ref.model.path needs the variable BASE",
        ),
        (
            ("trainer.n_gpus_per_node=$N",),
            (),
            "needs the variable N, which the script leaves to its caller: give --env N=VALUE.",
        ),
        (
            ("trainer.nnodes=$(cat nodes)",),
            (),
            "which only running decides: give --set trainer.nnodes=VALUE.",
        ),
        (
            (),
            ("--device", "metax"),
            "metax says whose card it is, and not which: name it with --device, such as",
        ),
        (("actor_rollout_ref.rollout.tensor_model_parallel_size=3",), (), "does not divide 8 GPUs"),
        (("actor_rollout_ref.rollout.name=trt",), (), "The inference engine trt is not modelled"),
        (("actor_rollout_ref.actor.fsdp_config.fsdp_size=3",), (), "fsdp_size 3"),
        (
            ("actor_rollout_ref.actor.use_dynamic_bsz=False",),
            (),
            "actor.ppo_micro_batch_size_per_gpu is not set: the tokens of a pass",
        ),
        (
            ("actor_rollout_ref.actor.ppo_max_token_len_per_gpu=null",),
            (),
            "actor.ppo_max_token_len_per_gpu is not set: the tokens of a pass",
        ),
        (("actor_rollout_ref.actor.fsdp_config.model_dtype=fp7",), (), "type fp7 is not known"),
        (("data.max_prompt_length=many",), (), "where a whole number belongs"),
    ],
)
def test_what_is_missing_gets_a_sentence(
    tmp_path: Path, settings: tuple[str, ...], arguments: tuple[str, ...], reason: str
) -> None:
    script = tmp_path / "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
    base = ("trainer.nnodes=1", "data.max_prompt_length=512", "data.max_response_length=512")
    given = {setting.split("=")[0] for setting in settings}
    kept = [setting for setting in base if setting.split("=")[0] not in given]
    script.write_text(verl(*kept, *settings))
    result = rlbot("estimate", str(script), *arguments)
    assert result.status == 3
    assert "no prediction" in result.out
    assert reason in result.out
    assert "GiB" not in result.out


@pytest.mark.parametrize("gpus", [4, 16])
def test_gpus_stand_in_for_what_the_script_leaves_to_its_caller(tmp_path: Path, gpus: int) -> None:
    script = tmp_path / "run.sh"
    lengths = ("data.max_prompt_length=512", "data.max_response_length=512")
    launch = verl("trainer.nnodes=$NODES", "trainer.n_gpus_per_node=$GPUS", *lengths)
    script.write_text(launch)
    given = ("--device", "h100", "--gpus", str(gpus))
    result = rlbot("estimate", str(script), *given, "--format", "json")
    made = json.loads(result.out)["scripts"][0]["estimate"]
    assert (made["gpus"], made["outcome"]) == (gpus, "fits"), made["reason"]


@pytest.mark.parametrize("program", ["main_generation_server", "main_webshop_validation"])
def test_a_program_that_only_generates_has_no_estimate(program: str, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    launch = verl("actor_rollout_ref.rollout.prompt_length=512")
    script.write_text(launch.replace("main_ppo", program))
    result = rlbot("estimate", str(script), "--device", "h100")
    assert result.status == 3
    assert f"no prediction. verl.trainer.{program} trains nothing." in result.out
    script.write_text(launch)
    assert "trains nothing" not in rlbot("estimate", str(script), "--device", "h100").out


def test_a_device_that_nobody_knows_is_refused() -> None:
    result = rlbot("estimate", FULL, "--device", "x99", cwd=ROOT)
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        'rlbot: --device: "x99" is no known accelerator; name one such as h100, or npu, or rocm.\n'
    )


@pytest.mark.parametrize(
    ("written", "card"),
    [
        ("RTX 4090", "2 × RTX4090 "),
        ("A100 80GB", "2 × A100 (79.4 GiB"),
        ("NVIDIA A100-SXM4-40GB", "2 × A100-40 "),
        ("H100 NVL", "2 × H100NVL (93.1 GiB"),
        ("NVIDIA H20-3e", "2 × H20-141 "),
        ("Ascend 910B", "2 × 910B "),
    ],
)
def test_a_device_is_named_as_people_and_drivers_do(written: str, card: str) -> None:
    result = rlbot("estimate", FULL, "--device", written, cwd=ROOT)
    assert card in result.out


@pytest.mark.parametrize(
    ("written", "card"), [("24GB", "rtx4090"), ("80 gib", "h100"), ("40g", "a100-40")]
)
def test_a_card_is_named_by_its_memory(written: str, card: str) -> None:
    """It is what a name that nobody knows is told to be; a number of GPUs was said of it."""
    result = rlbot("estimate", FULL, "--device", written, cwd=ROOT)
    assert f"--device {written} is taken for {card}, which has it." in result.err
    assert result.out == rlbot("estimate", FULL, "--device", card, cwd=ROOT).out
    assert rlbot("estimate", FULL, "--device", f"2x{written}", cwd=ROOT).status == 2


@pytest.mark.parametrize("written", ["RTX 4090", "NVIDIA GeForce RTX 4090", "4090"])
def test_a_comment_names_the_device_as_people_do(written: str, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text(f"# device: {written}\n{(ROOT / FULL).read_text()}")
    assert "2 × RTX4090 " in rlbot("estimate", str(script)).out


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("p5.48xlarge", 'for "p5.48xlarge" give --device h100 --gpus 8.'),
        ("4x4090", 'for "4x4090" give --device rtx4090 --gpus 4.'),
        ("h1000", 'The card "h1000" is not known here; near ones are H100'),
        ("h100 a100", '"h100 a100" is no known accelerator'),
        ("foo", '--device takes an accelerator, such as h100, "RTX 4090", npu or rocm'),
    ],
)
def test_a_device_that_is_more_or_less_than_a_card_is_refused(written: str, sentence: str) -> None:
    result = rlbot("estimate", FULL, "--device", written, cwd=ROOT)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err


def test_a_config_beside_the_script_is_read(tmp_path: Path) -> None:
    script = tmp_path / "own_grpo_8_h100_fsdp_vllm.sh"
    script.write_text(
        verl(
            "actor_rollout_ref.model.path=models/own",
            "trainer.nnodes=1",
            "data.max_prompt_length=512",
            "data.max_response_length=512",
        )
    )
    folder = tmp_path / "models" / "own"
    folder.mkdir(parents=True)
    config = {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "intermediate_size": 18944,
        "vocab_size": 152064,
    }
    (folder / "config.json").write_text(json.dumps(config))
    for root in ((), ("--root", str(tmp_path))):
        result = rlbot("estimate", str(script), *root)
        assert result.status == 0
        assert "8 × H100" in result.out


def test_in_chinese_nothing_of_the_budget_stays_english() -> None:
    out = rlbot("estimate", FULL, "--lang", "zh", cwd=ROOT).out
    assert "假设：回复平均 236 个 token" in out
    assert "的实现" in out
    assert "权重 14.2" in out
    assert "mean response" not in out


def test_what_would_help_is_told_in_chinese(tmp_path: Path) -> None:
    script = tmp_path / "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
    script.write_text(
        verl(
            "actor_rollout_ref.actor.use_dynamic_bsz=False",
            "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=64",
            "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8",
            "data.max_response_length=8192",
        )
    )
    assert "half the tokens a pass" in rlbot("estimate", str(script)).out
    assert "每次传入的 token 减半" in rlbot("estimate", str(script), "--lang", "zh").out


def test_what_a_sourced_file_sets_is_read_below_a_root(tmp_path: Path) -> None:
    script = tmp_path / "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
    script.write_text(verl("trainer.nnodes=$N", before="source env.sh"))
    (tmp_path / "env.sh").write_text("N=2\n")
    result = rlbot("estimate", str(script))
    assert result.status == 3
    assert "set by source env.sh}: --root names the folder to read that file from." in result.out
    assert "16 × H100" in rlbot("estimate", str(script), "--root", str(tmp_path)).out


_SAMPLES = (
    "trl sft --model_name_or_path Qwen/Qwen2.5-1.5B --dataset_name d --dtype bfloat16"
    " --max_length 4096 --per_device_train_batch_size 4 --gradient_checkpointing false\n"
)


def _given(*lengths: str) -> float:
    arguments = ("estimate", "-", "--stdin-filename", "x.sh", "--device", "h100", "--gpus", "1")
    options = ("--framework", "trl@1.16.0", "--format", "json", *lengths)
    made = rlbot(*arguments, *options, stdin=_SAMPLES.encode())
    estimate = json.loads(made.out)["scripts"][0]["estimate"]
    assert estimate["measured_lengths"] == bool(lengths)
    update = next(stage for stage in estimate["stages"] if stage["stage"] == "update")
    return float(update["components"]["activations"])


def test_lengths_that_are_known_are_used() -> None:
    """Without them a batch has half of what is allowed; its longest sample is two means."""
    assumed, long, short = (_given(*n) for n in ((), ("--response-tokens", "4096"), _SHORT))
    assert long == pytest.approx(2 * assumed, rel=0.02)
    assert short == pytest.approx(long * 200 * 2 / 4096, rel=0.02)


def test_means_above_what_is_allowed_are_said_to_be_cut() -> None:
    launch = (
        b"python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B"
        b" data.max_prompt_length=512 data.max_response_length=1024 trainer.n_gpus_per_node=8"
        b" actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2"
        b" actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=2"
        b" actor_rollout_ref.rollout.name=vllm algorithm.adv_estimator=grpo\n"
    )
    arguments = ("estimate", "-", "--stdin-filename", "x.sh", "--device", "h100")
    lengths = ("--prompt-tokens", "300", "--response-tokens", "2000")
    found = rlbot(*arguments, *lengths, stdin=launch).out
    assert "responses of 1,024 tokens, the longest allowed, for a mean of 2,000;" in found
    assert "prompts of" not in found


_SHORT = ("--response-tokens", "200")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ("--response-tokens", "0"),
            "--response-tokens takes a number of tokens from 1 to 100,000,000, not 0.",
        ),
        (
            ("--response-tokens", "nan"),
            "--response-tokens takes a number of tokens from 1 to 100,000,000, not nan.",
        ),
        (
            ("--longest-tokens", "0"),
            "--longest-tokens takes a number of tokens from 1 to 100,000,000, not 0.",
        ),
        (
            ("--prompt-tokens", "1e12"),
            "--prompt-tokens takes a number of tokens from 1 to 100,000,000, not 1,000,000,000,000",
        ),
        (("--image-tokens", "1e12"), "--image-tokens takes a number of tokens from 0 to 100"),
        (
            ("--longest-tokens", "9", "--run", "wandb"),
            "Give the lengths by --run or by --longest-tokens, not by both.",
        ),
        (
            ("--prompt-tokens", "9", "--response-tokens", "9", "--longest-tokens", "12"),
            "The longest of your data, 12 tokens, is shorter than the mean of 18.",
        ),
        (
            ("--response-tokens", "9", "--run", "wandb"),
            "Give the lengths by --run or by --response-tokens, not by both.",
        ),
    ],
)
def test_lengths_that_mean_nothing_are_refused(options: tuple[str, ...], sentence: str) -> None:
    result = rlbot("estimate", FULL, *options, cwd=ROOT)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err


def test_a_number_of_gpus_that_the_script_leaves_to_the_release_is_said(tmp_path: Path) -> None:
    text = verl("trainer.n_gpus_per_node=2").replace("n_gpus", "n_gpu")
    (tmp_path / "run.sh").write_text(text, encoding="utf-8")
    result = rlbot("estimate", "run.sh", "--device", "h100", cwd=tmp_path)
    assert "run.sh on 8 × H100" in result.out
    assert "assumed: trainer.n_gpus_per_node=8, the default; " in result.out
    assert "n_gpus_per_node=8" not in rlbot("estimate", FULL, cwd=ROOT).out


def test_gpus_that_do_not_count_are_said() -> None:
    result = rlbot("estimate", FULL, "--gpus", "4", cwd=ROOT)
    assert result.err == f"rlbot: --gpus 4 does not count for {FULL}: its settings give 2.\n"
    assert rlbot("estimate", FULL, "--gpus", "2", cwd=ROOT).err == ""


@pytest.mark.parametrize(
    ("option", "value", "counts"),
    [
        ("--model", "Qwen/Qwen2.5-0.5B", False),
        ("--image-tokens", "100", False),
        ("--image-tokens", "99999999", False),
        ("--longest-tokens", "99999", False),
        ("--longest-tokens", "400", True),
        ("--response-tokens", "300", True),
    ],
)
def test_an_option_that_changes_nothing_is_named(option: str, value: str, counts: bool) -> None:
    said = "" if counts else f"rlbot: {option} changes nothing for {FULL}.\n"
    assert rlbot("estimate", FULL, option, value, cwd=ROOT).err == said


def test_a_card_without_bf16_is_said_to_have_none() -> None:
    small = "examples/tuning/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh"
    note = "fp16 or fp32 in the place of bf16, which the T4 has not"
    assert note in rlbot("estimate", small, "--device", "t4", cwd=ROOT).out
    assert "bf16, which" not in rlbot("estimate", small, cwd=ROOT).out


def test_a_number_of_gpus_that_nothing_says_is_asked_for(tmp_path: Path) -> None:
    text = _OFFLOADED.replace("--num_gpus 8 ", "")
    (tmp_path / "run.sh").write_text(text, encoding="utf-8")
    result = rlbot("estimate", "run.sh", "--device", "a100", cwd=tmp_path)
    assert result.status == 3
    assert "takes every GPU of the host. Give their number with --gpus 8." in result.out
    given = rlbot("estimate", "run.sh", "--device", "a100", "--gpus", "8", cwd=tmp_path)
    assert "run.sh on 8 \u00d7 A100" in given.out
    unknown = rlbot("estimate", "run.sh", cwd=tmp_path)
    assert "Give their number with --gpus 8." in unknown.out
    cards = rlbot("estimate", "run.sh", "--gpus", "8", cwd=tmp_path)
    assert "nothing says which card" in cards.out


def test_a_variable_behind_an_option_is_asked_for_too(tmp_path: Path) -> None:
    text = _OFFLOADED.replace("--max_len 2048", "--max_len $LENGTH")
    (tmp_path / "run.sh").write_text(text, encoding="utf-8")
    result = rlbot("estimate", "run.sh", "--device", "a100", cwd=tmp_path)
    assert "max_len needs the variable LENGTH, which the script leaves to its caller" in result.out
    said = ("--env", "LENGTH=2048")
    assert rlbot("estimate", "run.sh", "--device", "a100", *said, cwd=tmp_path).status != 3


PPO = (
    "deepspeed --module openrlhf.cli.train_ppo --pretrain OpenRLHF/Llama-3-8b-sft-mixture"
    " --reward_pretrain OpenRLHF/Llama-3-8b-rm-mixture --prompt_data a/b --zero_stage 2 --bf16"
    " --micro_train_batch_size 1 --train_batch_size 4 --micro_rollout_batch_size 1"
    " --rollout_batch_size 4 --adam_offload --flash_attn --gradient_checkpointing\n"
)
"""OpenRLHF's issue 858: four models of 8B, each whole on cards of 48 GB, but for Adam's state."""


@pytest.mark.parametrize(
    ("more", "expected"),
    [((), []), (("--gpus", "4"), ["error"]), (("--gpus", "4", "--device", "h200"), [])],
)
def test_lint_takes_the_number_of_gpus_too(
    tmp_path: Path, more: tuple[str, ...], expected: list[str]
) -> None:
    (tmp_path / "run.sh").write_text(f"# openrlhf: 0.6.1\n{PPO}", encoding="utf-8")
    given = more if "--device" in more else (*more, "--device", "a40")
    result = rlbot("lint", "run.sh", "--format", "json", *given, cwd=tmp_path)
    (script,) = json.loads(result.out)["scripts"]
    found = [f["severity"] for f in script["findings"] if f["id"] in ("RLB110", "RLB111")]
    assert found == expected


def set_on(script: str, *settings: str, framework: str = "trl@1.0.0") -> tuple[str, str]:
    """What is printed of a script with other settings, and of what the command line may be."""
    given = [word for one in settings for word in ("--set", one)]
    where = ("--stdin-filename", "x.sh", "--device", "h100", "--gpus", "1")
    result = rlbot("estimate", "-", *where, "--framework", framework, *given, stdin=script.encode())
    return result.out, result.err


_SFT = "trl sft --model_name_or_path Qwen/Qwen2.5-0.5B --max_length 1024 --dataset_name d"
_OPENRLHF = (
    "deepspeed --module openrlhf.cli.train_sft --pretrain Qwen/Qwen2.5-7B --max_len 2048"
    " --micro_train_batch_size 1 --train_batch_size 64 --bf16 --dataset d --zero_stage 2"
)


@pytest.mark.parametrize(
    ("script", "settings", "same", "framework"),
    [
        (_SFT, ["model_name_or_path=Qwen/Qwen2.5-1.5B"], None, "trl@1.0.0"),
        (_SFT, ["use_peft=true", "lora_r=64"], " --use_peft --lora_r 64", "trl@1.0.0"),
        (
            f"{_SFT} --use_peft --lora_target_modules q_proj",
            ["lora_target_modules=q_proj,k_proj,v_proj"],
            " --lora_target_modules q_proj k_proj v_proj",
            "trl@1.0.0",
        ),
        (_OPENRLHF, ["adam_offload="], " --adam_offload", "openrlhf@0.8.0"),
        (_OPENRLHF, ["gradient_checkpointing=true"], " --gradient_checkpointing", "openrlhf@0.8.0"),
        (
            verl("data.max_response_length=512").strip(),
            ["data.max_response_length=4096", "+actor_rollout_ref.model.lora_rank=32"],
            " data.max_response_length=4096 actor_rollout_ref.model.lora_rank=32",
            "verl@0.6.0",
        ),
    ],
)
def test_a_setting_that_is_given_stands_in_the_place_of_the_scripts(
    script: str, settings: list[str], same: str | None, framework: str
) -> None:
    """The figures are those of the script that has them itself."""
    given, _ = set_on(script, *settings, framework=framework)
    before, _ = set_on(script, framework=framework)
    assert "in the place of the script's own" in given
    assert given.split("assumed:")[0] != before.split("assumed:")[0]
    if same is not None:
        own, _ = set_on(f"{script}{same}\n", framework=framework)
        assert given.split("assumed:")[0] == own.split("assumed:")[0]


def test_a_setting_answers_what_only_running_decides() -> None:
    script = _SFT.replace("Qwen/Qwen2.5-0.5B", "$(choose)")
    before, _ = set_on(script)
    assert "which only running decides: give --set model_name_or_path=VALUE." in before
    given, _ = set_on(script, "model_name_or_path=Qwen/Qwen2.5-0.5B")
    assert given.startswith("x.sh on 1 × H100")


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("max_lenght=8", "has no setting max_lenght, which --set gives; did you mean max_length?"),
        ("zzz.yyy=8", "has no setting zzz.yyy, which --set gives."),
    ],
)
def test_a_setting_that_a_script_does_not_have_leaves_it_unchecked(
    setting: str, sentence: str
) -> None:
    """Others of a folder may have it."""
    told, _ = set_on(_SFT, setting)
    assert told == f"not checked: x.sh: trl 1.0.0 {sentence}\n"


@pytest.mark.parametrize("script", [_SFT, "ls\n"])
@pytest.mark.parametrize("setting", ["lora_r", "=8"])
def test_what_is_no_setting_is_refused(script: str, setting: str) -> None:
    error = f'rlbot: --set takes KEY=VALUE, such as lora_r=64; got "{setting}".\n'
    assert set_on(script, setting) == ("", error)


def test_a_section_is_no_setting() -> None:
    """It said nothing, and changed nothing."""
    told, _ = set_on(verl(), "data=5", framework="verl@0.6.0")
    assert "verl 0.6.0 has no setting data, which --set gives" in told


@pytest.mark.parametrize(
    ("there", "without", "setting", "framework"),
    [
        (f"{_OPENRLHF} --adam_offload", _OPENRLHF, "adam_offload=False", "openrlhf@0.8.0"),
        (f"{_OPENRLHF} --adam_off", _OPENRLHF, "adam_offload=off", "openrlhf@0.8.0"),
        (_OPENRLHF, _OPENRLHF, "adam_offload=false", "openrlhf@0.8.0"),
        (
            f"{_OPENRLHF} --adam_offload",
            f"{_OPENRLHF} --adam_offload",
            "adam_offload=",
            "openrlhf@0.8.0",
        ),
        # An option that has a value or none is on without one.
        (_SFT, f"{_SFT} --gradient_checkpointing", "gradient_checkpointing=", "trl@1.0.0"),
        (_SFT, f"{_SFT} --gradient_checkpointing False", "gradient_checkpointing=0", "trl@1.0.0"),
        (
            f"{_SFT} --use_peft",
            f"{_SFT} --use_peft --load_in_4bit",
            "load_in_4bit=",
            "trl@1.0.0",
        ),
    ],
)
def test_a_flag_is_given_and_taken_away(
    there: str, without: str, setting: str, framework: str
) -> None:
    changed, error = set_on(f"{there}\n", setting, framework=framework)
    own, _ = set_on(f"{without}\n", framework=framework)
    assert error == ""
    assert changed.split("assumed:")[0] == own.split("assumed:")[0]


@pytest.mark.parametrize(
    ("script", "setting", "sentence"),
    [
        (_SFT, "optim=foo", "--set optim=foo: --optim takes one of adamw_torch, "),
        (_SFT, "max_length=long", "--set max_length=long: --max_length takes a whole number"),
    ],
)
def test_a_value_that_the_framework_refuses_is_not_taken(
    script: str, setting: str, sentence: str
) -> None:
    told, _ = set_on(script, setting)
    assert told.startswith(f"not checked: x.sh: {sentence}")
    assert "expected" in set_on(script, "optim=adamw_8bit")[0]


def test_a_flag_is_on_or_off() -> None:
    _, error = set_on(_OPENRLHF, "adam_offload=cpu", framework="openrlhf@0.8.0")
    said = "--set: adam_offload is a flag: adam_offload= gives it, and adam_offload=false takes it"
    assert error == f"rlbot: {said} away.\n"


def test_of_two_launches_the_one_that_has_a_setting_takes_it() -> None:
    script = f"{_SFT}\n{_SFT.replace('trl sft', 'trl grpo')} --num_generations 8\n"
    given, error = set_on(script, "num_generations=4")
    assert error == ""
    assert given


PROGRAM = """\
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
model = shrink(AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B"))
SFTTrainer(model=model, args=SFTConfig(max_length=1024, per_device_train_batch_size=1)).train()
"""


def test_a_program_whose_model_is_not_followed_has_an_estimate_by_what_is_given(
    tmp_path: Path,
) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    estimate = ("estimate", str(program), "--device", "h100")
    asks = (
        "not followed beyond `shrink`: give --set model_name_or_path=NAME and --set use_peft=true"
    )
    assert asks in rlbot(*estimate).out
    model = ("--set", "model_name_or_path=Qwen/Qwen2.5-1.5B")
    assert asks in rlbot(*estimate, *model).out
    made = rlbot(*estimate, *model, "--set", "use_peft=false").out
    assert made.startswith("train.py on 1 × H100")
    assert "the model as TRL loads it, since the program's is not followed beyond `shrink`" in made
    batch = rlbot(*estimate, *model, "--set", "use_peft=false", "--set", f"{EACH}=16").out
    assert made.splitlines()[0] != batch.splitlines()[0]


EACH = "per_device_train_batch_size"


@pytest.mark.parametrize(
    ("comment", "options", "card"),
    [
        ("# run on 8xH100", (), "H100"),
        ("# run on 8xH100", ("--device", "h200"), "H200"),
        ("# run on 8xH100\n# device: h20", (), "H20"),
    ],
)
def test_a_comment_that_counts_cards_says_the_device_last(
    comment: str, options: tuple[str, ...], card: str
) -> None:
    """As verl's examples say where they ran."""
    script = f"{comment}\n{_LAUNCH}\n"
    asked = ("estimate", *options, "--format", "json", "--stdin-filename", "x.sh", "-")
    estimate = json.loads(rlbot(*asked, stdin=script.encode()).out)["scripts"][0]["estimate"]
    assert estimate["device"] == card
    noted = "h100, which a comment of the script counts"
    assert (noted in estimate["assumptions"]) == (card == "H100")


def test_without_a_device_common_cards_are_answered(snapshot: SnapshotAssertion) -> None:
    asked = ("estimate", "--stdin-filename", "x.sh", "-")
    result = rlbot(*asked, stdin=f"{_LAUNCH}\n".encode())
    assert result.status == 3
    assert result.out == snapshot
    made = json.loads(rlbot(*asked, "--format", "json", stdin=f"{_LAUNCH}\n".encode()).out)
    cards = made["scripts"][0]["estimate"]["cards"]
    assert [card["device"] for card in cards][:2] == ["RTX4090", "L40S"]
    for card in cards:
        alone = rlbot(*asked, "--device", card["device"], stdin=f"{_LAUNCH}\n".encode())
        assert f"{card['outcome']}, {card['peak_gib']:.1f} GiB expected" in alone.out


@pytest.mark.parametrize(
    ("more", "options", "first"),
    [
        (" trainer.device=npu", (), "910B4"),
        (" trainer.device=cuda", (), "RTX4090"),
        ("", ("--device", "npu"), "910B4"),
        ("", ("--device", "rocm"), "MI300X"),
    ],
)
def test_cards_are_of_the_maker_that_is_asked_for(
    more: str, options: tuple[str, ...], first: str
) -> None:
    asked = ("estimate", *options, "--format", "json", "--stdin-filename", "x.sh", "-")
    result = rlbot(*asked, stdin=f"{_LAUNCH}{more}\n".encode())
    cards = json.loads(result.out)["scripts"][0]["estimate"]["cards"]
    assert cards[0]["device"] == first


def test_a_card_that_an_unread_setting_decides_has_no_figure() -> None:
    veomni = " model_engine=veomni actor_rollout_ref.actor.veomni.expert_parallel_size=2"
    launch = _LAUNCH.replace("Qwen2.5-0.5B-Instruct", "Qwen3-30B-A3B") + veomni
    result = rlbot("estimate", "--stdin-filename", "x.sh", "-", stdin=f"{launch}\n".encode())
    rows = [line.split() for line in result.out.splitlines()]
    assert ["RTX4090", "23.6", "–", "no", "prediction"] in rows
    assert any(row[:1] == ["B200"] and row[-1] == "fits" for row in rows)


def test_no_card_is_answered_where_more_than_the_device_is_missing() -> None:
    asked = ("estimate", "--stdin-filename", "x.sh", "-")
    launch = _LAUNCH.replace("Qwen/Qwen2.5-0.5B-Instruct", "my/own")
    assert "no prediction" in rlbot(*asked, stdin=f"{launch}\n".encode()).out


_LAUNCH = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 "
    "data.max_prompt_length=512 "
    "data.max_response_length=512 actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct "
    "actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm "
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 trainer.n_gpus_per_node=8 "
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
)
