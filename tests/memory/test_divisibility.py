"""What contradicts itself gets a sentence and never a number."""

from __future__ import annotations

import pytest

from bot.frameworks import plans
from bot.memory.from_plan import estimate_plan
from bot.memory.readers.settings import NoEstimateError
from bot.rules._support.example import STATIC, openrlhf, trl, verl
from bot.shell import read

_ACTOR, _ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
_MODEL = "actor_rollout_ref.model.path"
_STATIC = (
    "trainer.nnodes=1",
    "trainer.n_gpus_per_node=8",
    f"{_ACTOR}.ppo_micro_batch_size_per_gpu=1",
    f"{_ROLLOUT}.log_prob_micro_batch_size_per_gpu=1",
)
_KNOWN = "--reward.model_name_or_path meta-llama/Llama-3.1-8B"
_PEFT = ("--use_peft", "--per_device_train_batch_size 4", "--max_completion_length 256")
_SFT = "torchrun --nproc_per_node 1 -m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-7B"
_MEGATRON = ("model_engine=megatron", *_STATIC)
_SIZE = f"{_ACTOR}.megatron.{{}}_model_parallel_size={{}}"


def _reason(script: str, device: str | None = "h100") -> str:
    (plan,) = plans(read(script.encode(), "x.sh"))
    with pytest.raises(NoEstimateError) as caught:
        estimate_plan(plan, device)
    return str(caught.value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            (*_STATIC, f"{_ACTOR}.ulysses_sequence_parallel_size=8"),
            "does not divide the model's 28",
        ),
        ((*_STATIC, f"{_ACTOR}.ulysses_sequence_parallel_size=3"), "8 GPUs cannot be divided by"),
        ((*_STATIC, f"{_ROLLOUT}.tensor_model_parallel_size=8"), "engine's tensor parallel 8"),
        ((*_STATIC, f"{_ROLLOUT}.tensor_model_parallel_size=3"), "which does not divide 8 GPUs"),
        ((*_STATIC, f"{_ACTOR}.fsdp_config.fsdp_size=3"), "cannot be divided by fsdp_size 3"),
        *(
            (
                (*_STATIC, f"{_ROLLOUT}.gpu_memory_utilization={share}"),
                f"{_ROLLOUT}.gpu_memory_utilization is {share}, where a share of the memory",
            )
            for share in ("1.5", "0", "-1", "60")
        ),
        (
            (*STATIC, "trainer.nnodes=1", f"{_ACTOR}.ppo_micro_batch_size_per_gpu=-4"),
            "is -4, where a positive",
        ),
        ((*_STATIC, "data.max_response_length=-1"), "data.max_response_length is -1, where a"),
        ((*_STATIC, f"{_ACTOR}.fsdp_config.optimizer_offload=maybe"), "is maybe, where True or"),
        ((*_STATIC, f"{_ROLLOUT}.name=other"), "The inference engine other is not modelled"),
        ((*_STATIC, "trainer.nnodes=0"), "asks for no GPU"),
        ((*_STATIC, f"{_MODEL}=my/own-model"), "The shape of the model my/own-model is not known"),
        ((*_STATIC, f"{_MODEL}='<path to a model>'"), "cannot be read"),
        ((*_MEGATRON, _SIZE.format("tensor", 8)), "does not divide the model's 28"),
        ((*_MEGATRON, _SIZE.format("tensor", 3)), "8 GPUs cannot be divided by tensor 3"),
        ((*_MEGATRON, _SIZE.format("expert", 2)), "its model has no experts"),
        (
            (
                *_MEGATRON,
                f"{_MODEL}=Qwen/Qwen3-30B-A3B",
                _SIZE.format("tensor", 4),
                _SIZE.format("expert", 4),
            ),
            "expert 4 × expert tensor 4 × pipeline 1 = 16 (an expert tensor size that is not set",
        ),
        (
            (*_MEGATRON, "trainer.nnodes=4", _SIZE.format("pipeline", 32)),
            "pipeline of 32 stages is longer than the model's 28 layers",
        ),
        (
            (
                *_MEGATRON,
                "trainer.nnodes=32",
                f"{_MODEL}=Qwen/Qwen3-30B-A3B",
                _SIZE.format("expert", 256),
                f"{_ACTOR}.megatron.expert_tensor_parallel_size=1",
            ),
            "expert parallel 256 does not divide the model's 128 experts",
        ),
    ],
)
def test_verl(settings: tuple[str, ...], sentence: str) -> None:
    reason = _reason(verl(*settings))
    assert sentence in reason
    assert reason.endswith(".")
    assert "GiB" not in reason


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (openrlhf(_KNOWN, "--vllm.tensor_parallel_size 3", "--vllm.num_engines 1"), "= 3 GPUs"),
        (openrlhf("--ds.ring_attn_size 3"), "cannot be divided by a ring of 3"),
        (openrlhf("--ds.zero_stage 7"), "ZeRO has no stage 7"),
        (openrlhf("--actor.model_name_or_path my/own"), "The shape of the model my/own"),
        (trl("--model_name_or_path my/own"), "The shape of the model my/own"),
        (trl("--per_device_train_batch_size 0"), "per_device_train_batch_size is 0, where a posi"),
        (trl("--per_device_train_batch_size -1"), "per_device_train_batch_size is -1, where a"),
        (trl(*_PEFT, "--lora_r 0"), "lora_r is 0, where a positive number belongs"),
        (openrlhf("--train.micro_batch_size 0"), "train.micro_batch_size is 0, where a positive"),
        (openrlhf("--data.max_len -5"), "data.max_len is -5, where a positive number belongs"),
        (verl(*_STATIC, "data.train_batch_size=0"), "data.train_batch_size is 0, where a positive"),
        (
            verl(*_STATIC, f"{_ACTOR}.ppo_mini_batch_size=0"),
            "ppo_mini_batch_size is 0, where a positive number belongs",
        ),
        (
            openrlhf(_KNOWN, "--rollout.batch_size 0"),
            "rollout.batch_size is 0, where a positive number belongs",
        ),
        (
            trl("--per_device_train_batch_size 1", "--num_generations 0"),
            "num_generations is 0, where a positive number belongs",
        ),
        (openrlhf("--data.max_len 100000001"), "data.max_len is 100000001, where a length of at"),
        (f"{_SFT} --max_length 1000000000000\n", "max_length is 1000000000000, where a len"),
        (
            trl("--max_completion_length 1000000000000"),
            "max_completion_length is 1000000000000, where a length of at most 100,000,000 tokens",
        ),
        (
            verl(*_STATIC, "data.max_prompt_length=1000000000000"),
            "data.max_prompt_length is 1000000000000, where a length of at most 100,000,000 tokens",
        ),
        (
            openrlhf("--train.dynamic_batch_enable", "--train.max_tokens_per_gpu 0"),
            "train.max_tokens_per_gpu is 0, where a positive number belongs",
        ),
    ],
)
def test_others(script: str, sentence: str) -> None:
    assert sentence in _reason(script)


@pytest.mark.parametrize(
    ("device", "sentence"),
    [
        (None, "The device is not known"),
        ("x99", "The memory of a x99 is not known"),
    ],
)
def test_devices(device: str | None, sentence: str) -> None:
    assert sentence in _reason(verl(*_STATIC), device)


def test_what_divides_is_no_contradiction() -> None:
    for sequence in (1, 2, 4):
        script = verl(*_STATIC, f"{_ACTOR}.ulysses_sequence_parallel_size={sequence}")
        (plan,) = plans(read(script.encode(), "x.sh"))
        assert estimate_plan(plan, "h100").estimate.gpus == 8


@pytest.mark.parametrize(
    "script",
    [
        # What is not used may be anything; -1 and 0 are in use for no limit, and for off.
        verl(
            f"{_ACTOR}.use_dynamic_bsz=True",
            f"{_ACTOR}.ppo_micro_batch_size_per_gpu=-1",
            f"{_ROLLOUT}.max_model_len=-1",
            f"{_ACTOR}.fsdp_config.fsdp_size=-1",
            "actor_rollout_ref.model.lora_rank=0",
            "trainer.nnodes=1",
        ),
        openrlhf(_KNOWN, "--ds.lora.rank 0", "--train.max_tokens_per_gpu 0"),
        trl(*_PEFT, "--eval_strategy no", "--per_device_eval_batch_size 0"),
    ],
)
def test_what_is_off_is_no_contradiction(script: str) -> None:
    (plan,) = plans(read(script.encode(), "x.sh"))
    assert estimate_plan(plan, "h100").estimate.stages


@pytest.mark.parametrize("word", ["True", "false", "None", "null", "on", "0"])
def test_a_switch_is_on_or_off(word: str) -> None:
    script = verl(*_STATIC, f"{_ACTOR}.fsdp_config.optimizer_offload={word}")
    (plan,) = plans(read(script.encode(), "x.sh"))
    assert estimate_plan(plan, "h100").estimate.stages
