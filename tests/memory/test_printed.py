"""Terms of the model, each by what `rlbot estimate` prints; the sources stand in its docstrings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.memory.shapes.models import find
from bot.memory.units import Bytes
from tests.command import rlbot
from tests.memory.printed import component, printed, stage

QWEN = find("Qwen2.5-7B")
assert QWEN is not None
GIB = Bytes.gib(1).count
P = QWEN.shape.parameters / GIB
QWEN_LAYER = QWEN.shape.largest_layer
VOCAB, HIDDEN = QWEN.shape.vocab, QWEN.shape.hidden


def verl(
    *settings: str, release: str = "0.9.0", device: str = "h100", given: tuple[str, ...] = ()
) -> dict[str, Any]:
    return printed(_verl(*settings), "--device", device, "--framework", f"verl@{release}", *given)


def _verl(*settings: str) -> str:
    given = dict(s.split("=", 1) for s in (*_BASE, *settings))
    return "python3 -m verl.trainer.main_ppo " + " ".join(f"{k}={v}" for k, v in given.items())


_A = "actor_rollout_ref.actor"
_BASE = (
    "algorithm.adv_estimator=grpo",
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B",
    "data.train_batch_size=256",
    "data.max_prompt_length=512",
    "data.max_response_length=1024",
    f"{_A}.ppo_mini_batch_size=64",
    f"{_A}.ppo_micro_batch_size_per_gpu=2",
    f"{_A}.strategy=fsdp2",
    "actor_rollout_ref.rollout.name=vllm",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=2",
    "actor_rollout_ref.rollout.gpu_memory_utilization=0.4",
    "trainer.n_gpus_per_node=8",
    "trainer.nnodes=1",
)
_SYNC = f"{_A}.fsdp_config.use_no_sync_for_gradient_accumulation"


@pytest.mark.parametrize(
    ("release", "settings", "whole"),
    [
        ("0.9.0", (), 4.0),
        ("0.9.0", (f"{_A}.strategy=fsdp",), 2.0),
        ("0.9.1", (f"{_SYNC}=True",), 4.0),
        ("0.9.1", (f"{_SYNC}=False",), 0.0),
        ("0.7.0", (), 0.0),
        # One micro batch a step has no other to wait for.
        ("0.9.0", (f"{_A}.ppo_mini_batch_size=8", f"{_A}.ppo_micro_batch_size_per_gpu=8"), 0.0),
    ],
)
def test_a_deferred_reduction_keeps_whole_gradients(
    release: str, settings: tuple[str, ...], whole: float
) -> None:
    held = component(verl(*settings, release=release), "update", "whole gradients")
    # Besides them the gradients of one layer before they are reduced, and the head's.
    assert whole * P - 0.1 <= held <= whole * P + 2.5


def test_the_root_unit_is_reduced_last_and_in_fp32() -> None:
    """With next to no tokens nothing else is as much: 2 bytes of gradients and 4 of their copy."""
    few = ("data.max_prompt_length=16", "data.max_response_length=16", f"{_A}.strategy=fsdp")
    made = verl(*few, f"{_SYNC}=False", release="0.9.1")
    whole = component(made, "update", "whole gradients")
    assert whole == pytest.approx(6 * 2 * VOCAB * HIDDEN / GIB, rel=0.01)
    # Then the root's weights are divided again.
    assert component(made, "update", "gathered weights") == 0


def test_the_heads_gradient_waits_for_the_roots() -> None:
    """One micro batch with room for layers: a layer's gradients and the head's are whole."""
    many = ("data.max_response_length=8192", f"{_A}.use_fused_kernels=True", f"{_SYNC}=False")
    full = verl(*many, release="0.9.1")
    adapted = verl(*many, "actor_rollout_ref.model.lora_rank=8", release="0.9.1")
    layer = 6 * QWEN_LAYER / GIB
    head = 2 * VOCAB * HIDDEN / GIB
    assert component(full, "update", "whole gradients") == pytest.approx(layer + head, rel=0.01)
    assert component(adapted, "update", "whole gradients") == 0


def test_what_would_help_names_the_flag_that_defers() -> None:
    given = ("--stdin-filename", "x.sh", "--device", "a100-40", "--framework", "verl@0.9.1")
    script = _verl(f"{_SYNC}=True").encode()
    text = rlbot("estimate", "-", *given, stdin=script).out
    assert f"{_SYNC}=False" in text.split("would help most")[1].splitlines()[0]


def test_one_micro_batch_a_step_has_no_gradients_beside_its_logits() -> None:
    logits = (f"{_A}.use_torch_compile=False", f"{_A}.entropy_coeff=0.001")
    long = ("data.max_response_length=4096", *logits)
    one = (f"{_A}.ppo_mini_batch_size=8", f"{_A}.ppo_micro_batch_size_per_gpu=16", *long)
    made = verl(*one, release="0.7.0", device="h200")
    parts = stage(made, "update")["components"]
    assert parts["logits"] > 5
    assert "gradients" not in parts
    many = verl(*one, f"{_A}.ppo_mini_batch_size=256", release="0.7.0", device="h200")
    assert component(many, "update", "gradients") == pytest.approx(4 * P / 8, rel=0.01)


@pytest.mark.parametrize("name", ["TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"])
def test_torchs_variables_keep_the_entropy_from_being_compiled(name: str) -> None:
    """A copy of verl-agent that ran out with both of them set (unseen32)."""

    def logits(before: str, *settings: str) -> float:
        long = ("data.max_response_length=8192", "actor_rollout_ref.model.use_remove_padding=True")
        script = before + _verl(*long, f"{_A}.entropy_coeff=0.001", *settings)
        given = ("--device", "h200", "--framework", "verl@0.4.0")
        return component(printed(script, *given), "update", "logits")

    eager = logits("", f"{_A}.use_torch_compile=False")
    assert eager > 1.5 * logits("")
    assert logits(f"export {name}=1\n") == eager
    assert logits(f"export {name}=0\n") < eager


def test_a_dynamic_batch_is_as_full_as_its_share_of_the_tokens() -> None:
    dynamic = (
        f"{_A}.ppo_mini_batch_size=128",
        f"{_A}.use_dynamic_bsz=True",
        "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True",
        f"{_A}.use_fused_kernels=True",
        "data.train_files=data/gsm8k/train.parquet",
    )

    def activations(limit: int) -> float:
        made = verl(*dynamic, f"{_A}.ppo_max_token_len_per_gpu={limit}", release="0.7.0")
        return component(made, "update", "activations")

    # Sixteen sequences of a mean of 341, one of 1536, are 6656 tokens: two passes have 3328 each at
    # any limit above that, three have 2219 each at any limit between.
    assert activations(3400) == activations(6600)
    assert activations(2300) == activations(3300)
    assert activations(2300) == pytest.approx(activations(3400) * 2 / 3, rel=0.02)


def trl(kind: str, *flags: str, release: str = "0.20.0", device: str = "a100") -> dict[str, Any]:
    launch = f"python trl/scripts/{kind}.py --model_name_or_path Qwen/Qwen2.5-7B --use_peft "
    flags = ("--per_device_train_batch_size 1", "--gradient_checkpointing", "--bf16", *flags)
    given = ("--device", device, "--gpus", "1", "--framework", f"trl@{release}")
    return printed(launch + " ".join(flags), *given)


def test_qlora_has_its_ends_in_fp32_where_the_trainer_leaves_them_so() -> None:
    given = ("--max_length 1024", "--dtype bfloat16")

    def made(*flags: str, release: str = "0.20.0") -> float:
        return component(trl("sft", *given, *flags, release=release), "update", "weights")

    ends, four = 2 * VOCAB * HIDDEN / GIB, "--load_in_4bit"
    newer = made(four, release="0.26.0")
    assert made(four, "--fp16 true", "--bf16 false") - newer == pytest.approx(2 * ends, rel=0.02)
    # With bf16 TRL casts those of a model in four bits back (`peft_module_casting_to_bf16`).
    assert made(four, "--bf16 true") == pytest.approx(newer, abs=0.2)
    eight = made("--load_in_8bit", "--bf16 true")
    assert eight - made("--load_in_8bit", release="0.26.0") == pytest.approx(2 * ends, rel=0.1)


def test_hidden_states_are_in_fp32_where_a_quantized_model_was_prepared() -> None:
    given = ("--load_in_4bit", "--max_length 1024", "--dtype bfloat16", "--bf16 true")
    made, newer = (
        component(trl("sft", *given, release=release), "update", "activations")
        for release in ("0.20.0", "0.26.0")
    )
    assert made > 1.5 * newer


@pytest.mark.parametrize(
    ("flags", "more"),
    [
        ("--lora_target_modules q_proj v_proj", 0.0),
        ("--lora_target_modules all-linear", 0.2),
        ("--lora_dropout 0", -0.01),
        ("--use_dora true", 0.05),
    ],
)
def test_what_adapters_take_of_their_inputs_follows_the_flags(flags: str, more: float) -> None:
    """Without `lora_target_modules` queries and values are adapted, with a dropout of 0.05."""
    given = ("--max_length 1024", "--dtype bfloat16", "--gradient_checkpointing false")
    plain, other = (
        component(trl("sft", *given, *which, release="1.9.2"), "update", "activations")
        for which in ((), (flags,))
    )
    grown = other / plain - 1
    assert grown == pytest.approx(0) if more == 0 else grown > more if more > 0 else grown < more


def test_open_instruct_adapts_every_matrix_by_itself() -> None:
    launch = (
        "accelerate launch --num_processes 1 open_instruct/finetune.py --model_name_or_path "
        "Qwen/Qwen2.5-7B --max_seq_length 1024 --per_device_train_batch_size 1 --use_lora "
        "--lora_rank 16 --lora_alpha 32"
    )
    made = printed(launch, "--device", "h200", "--gpus", "1")
    model = find("Qwen2.5-7B")
    assert model is not None
    moments = 8 * model.shape.adapter_parameters(16) / GIB
    assert component(made, "update", "optimizer") == pytest.approx(moments, rel=0.02)


LORA_PPO = (
    "algorithm.adv_estimator=gae",
    "actor_rollout_ref.model.lora_rank=16",
    "critic.model.path=Qwen/Qwen2.5-7B",
    "critic.ppo_micro_batch_size_per_gpu=2",
    "trainer.n_gpus_per_node=1",
    "actor_rollout_ref.rollout.tensor_model_parallel_size=1",
)


def test_a_critic_has_adapters_by_a_setting_of_its_own() -> None:
    whole = verl(*LORA_PPO, release="0.7.0", device="a100")
    adapted = verl(*LORA_PPO, "critic.model.lora_rank=16", release="0.7.0", device="a100")
    assert whole["outcome"] == "impossible"
    critic = stage(whole, "update")["components"]["critic, idle"]
    # fp32 weights and two moments; without its head for the words
    assert critic == pytest.approx(12 * (P - VOCAB * HIDDEN / GIB), rel=0.01)
    low = stage(adapted, "update")["components"]["critic, idle"]
    assert low < critic / 2.5


def openrlhf(
    kind: str, *flags: str, release: str = "0.8.5", device: str = "a100"
) -> dict[str, Any]:
    launch = (
        f"deepspeed --num_gpus 8 --module openrlhf.cli.train_{kind} --pretrain Qwen/Qwen2.5-7B "
    )
    given = ("--device", device, "--framework", f"openrlhf@{release}")
    return printed(launch + " ".join(flags), *given)


SFT = ("--max_len 2048", "--micro_train_batch_size 1", "--train_batch_size 64", "--bf16")


@pytest.mark.parametrize("stage_of_zero", [2, 3])
def test_an_offloaded_optimizer_takes_the_gradients_along(stage_of_zero: int) -> None:
    zero = (*SFT, f"--zero_stage {stage_of_zero}")
    held, offloaded = openrlhf("sft", *zero), openrlhf("sft", *zero, "--adam_offload")
    assert component(held, "optimizer", "gradients") == pytest.approx(2 * P / 8, rel=0.01)
    assert component(offloaded, "optimizer", "gradients") == 0
    assert component(offloaded, "update", "gradients") == 0
    # 16 bytes a parameter go to the host; the gradients are two of them.
    assert offloaded["host_gib"] >= 14 * P


def test_openrlhf_has_its_logits_whole_below_liger() -> None:
    plain = openrlhf("sft", *SFT, "--zero_stage 3", "--adam_offload")
    liger = openrlhf("sft", *SFT, "--zero_stage 3", "--adam_offload", "--use_liger_kernel")
    of_logits = component(plain, "update", "logits")
    assert of_logits == component(liger, "update", "logits")
    assert of_logits == pytest.approx(16 * 2048 * VOCAB / GIB, rel=0.05)


_DPO = (
    "accelerate launch --num_processes {} -m trl.scripts.dpo --model_name_or_path Qwen/Qwen2.5-7B"
    " --max_length 1024 --per_device_train_batch_size 1 --gradient_checkpointing true"
)


def _dpo(gpus: int, *options: str) -> dict[str, Any]:
    launch = " ".join((_DPO.format(gpus), *options))
    return printed(launch, "--device", "h200", "--framework", "trl@1.0.0")


def test_trls_logits_are_fp32_where_accelerate_casts_outputs() -> None:
    bf16 = ("--dtype bfloat16", "--use_peft", "--lora_r 8")
    logits = component(_dpo(1, *bf16), "update", "logits")
    assert logits == pytest.approx(16 * 2048 * VOCAB / GIB, rel=0.02)
    # Without mixed precision they stay in the model's type.
    plain = component(_dpo(1, *bf16, "--bf16 false"), "update", "logits")
    assert plain == pytest.approx(11 * 2048 * VOCAB / GIB, rel=0.02)


def test_trl_computes_in_the_types_of_the_weights_where_nothing_casts_them() -> None:
    mixed, plain = (
        component(_dpo(1, f"--dtype {kind}", f"--bf16 {on}"), "update", "activations")
        for kind, on in (("bfloat16", "true"), ("float32", "false"))
    )
    assert plain == pytest.approx(2 * mixed, rel=0.1)


def test_data_parallelism_has_buckets_besides_the_gradients() -> None:
    one, two = (
        sum(
            component(_dpo(gpus, "--dtype bfloat16"), "update", name)
            for name in ("gradients", "reduction buffer")
        )
        for gpus in (1, 2)
    )
    assert two - one == pytest.approx(2 * P, abs=0.03)


def test_accelerate_trains_fp32_copies_under_fsdp() -> None:
    made = _dpo(4, "--dtype bfloat16", "--fsdp full_shard")
    assert component(made, "optimizer", "optimizer") == pytest.approx(8 * P / 4, abs=0.03)
    made = _dpo(4, "--dtype bfloat16", "--fsdp full_shard", "--bf16 false")
    assert component(made, "optimizer", "optimizer") == pytest.approx(4 * P / 4, abs=0.03)


@pytest.mark.parametrize(
    ("stage_of_zero", "bytes_a_gpu"), [(2, 32_366_370_176), (3, 17_135_137_152)]
)
def test_states_are_those_of_deepspeeds_estimators(stage_of_zero: int, bytes_a_gpu: int) -> None:
    """`estimate_zero2_…` and `estimate_zero3_model_states_mem_needs` of DeepSpeed 0.19.8.

    For 7,615,616,512 parameters on 8 GPUs, ZeRO-3 without its largest layer. The command prints a
    rank's flat copy of gradients more, 2 bytes a parameter, and for ZeRO-3 gradients beside it.
    """
    made = openrlhf("sft", *SFT, f"--zero_stage {stage_of_zero}")
    parts = stage(made, "optimizer")["components"]
    names = ("weights", "gradients", "optimizer", "optimizer's temporaries")
    more = (4 if stage_of_zero == 3 else 2) * P / 8
    said = sum(parts[name] for name in names)
    assert said == pytest.approx(bytes_a_gpu / GIB + more, abs=0.03)


RECORDED = json.loads((Path(__file__).parent / "megatron_report.json").read_bytes())


@pytest.mark.parametrize("row", RECORDED["rows"], ids=lambda row: str(row["model"]))
def test_states_are_those_of_megatrons_report(row: dict[str, Any]) -> None:
    """Its theoretical report (`megatron_report.py`), to the hundredth of a GiB that is printed."""
    sizes = {"tensor": 1, "pipeline": 1, "expert": 1, "expert_tensor": 1} | row["layout"]
    nodes = max(1, sizes["gpus"] // 8)
    launch = (
        f"torchrun --nnodes={nodes} --nproc_per_node={min(8, sizes['gpus'])}"
        " -m verl.trainer.sft_trainer engine=megatron optim=megatron data.train_batch_size=64"
        f" data.micro_batch_size_per_gpu=1 data.max_length=1024 model.path={row['model']}"
        f" engine.tensor_model_parallel_size={sizes['tensor']}"
        f" engine.pipeline_model_parallel_size={sizes['pipeline']}"
        f" engine.expert_model_parallel_size={sizes['expert']}"
        f" engine.expert_tensor_parallel_size={sizes['expert_tensor']}"
        f" trainer.nnodes={nodes} trainer.n_gpus_per_node={min(8, sizes['gpus'])}"
    )
    made = printed(launch, "--device", "b200")
    held = sum(component(made, "optimizer", name) for name in ("weights", "gradients", "optimizer"))
    assert held == pytest.approx(row["bytes"] / GIB, abs=0.02)


@pytest.mark.parametrize(
    ("release", "settings", "kept"),
    [
        ("0.8.0", (), True),
        ("0.9.0", (), False),
        ("0.7.1", (), False),
        ("0.7.1", ("trainer.use_legacy_worker_impl=disable",), True),
        ("0.8.0", ("actor_rollout_ref.model.lora_rank=0",), False),
        # One micro batch a step has no other.
        ("0.8.0", (f"{_A}.ppo_mini_batch_size=8", f"{_A}.ppo_micro_batch_size_per_gpu=8"), False),
    ],
)
def test_embeddings_that_wait_for_the_steps_last_micro_batch(
    release: str, settings: tuple[str, ...], kept: bool
) -> None:
    made = verl("actor_rollout_ref.model.lora_rank=8", *settings, release=release)
    # Eight sequences a GPU in micro batches of two: six of mean length are in other ones.
    tokens = 6 * round((512 + 1024) / 4.5)
    expected = tokens * 4 * HIDDEN / GIB if kept else 0
    embeddings = component(made, "update", "retained embeddings")
    assert embeddings == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("algorithm", "critic"),
    [
        ("gae", True),
        *((name, False) for name in ("grpo", "rloo", "remax", "reinforce_plus_plus", "gpg")),
    ],
)
def test_an_algorithm_has_the_models_that_verl_loads_for_it(algorithm: str, critic: bool) -> None:
    """`need_critic` and `need_reference_policy` of verl's `trainer/ppo/utils.py`."""
    more = ("critic.ppo_micro_batch_size_per_gpu=2", "critic.model.path=Qwen/Qwen2.5-7B")
    bare = verl(f"algorithm.adv_estimator={algorithm}", *more)
    assert any(s["stage"] == "critic" for s in bare["stages"]) is critic
    assert _passes(bare) == 1
    for kept in (f"{_A}.use_kl_loss=True", "algorithm.use_kl_in_reward=True"):
        assert _passes(verl(f"algorithm.adv_estimator={algorithm}", *more, kept)) == 2


def _passes(made: dict[str, Any]) -> int:
    return [s["stage"] for s in made["stages"]].count("log-prob")


@pytest.mark.parametrize("backend", ["fsdp", "fsdp2", "megatron"])
def test_fsdp_keeps_a_reference_on_the_host_whatever_is_asked(backend: str) -> None:
    below = "megatron" if backend == "megatron" else "fsdp_config"
    kept, moved = (
        component(
            verl(
                f"{_A}.strategy={backend}",
                f"{_A}.use_kl_loss=True",
                f"actor_rollout_ref.ref.{below}.param_offload={asked}",
            ),
            "update",
            "reference, idle",
        )
        for asked in ("False", "True")
    )
    assert moved == 0
    assert (kept > 1) is (backend == "megatron")


@pytest.mark.parametrize(
    "loss",
    ["gspo", "cispo", "clip_cov", "geo_mean"],
)
def test_the_form_of_a_loss_takes_nothing(loss: str) -> None:
    """They weigh a token's or a sequence's probability ratio (verl's `core_algos.py`)."""
    assert verl(f"{_A}.policy_loss.loss_mode={loss}")["stages"] == verl()["stages"]


@pytest.mark.parametrize(
    ("algorithm", "critic"),
    [("gae", True), ("reinforce", False), ("rloo", False), ("group_norm", False)],
)
def test_an_algorithm_has_the_models_that_openrlhf_loads_for_it(
    algorithm: str, critic: bool
) -> None:
    launch = (
        "python -m openrlhf.cli.train_ppo_ray --pretrain Qwen/Qwen2.5-7B --colocate_all_models"
        " --actor_num_nodes 1 --actor_num_gpus_per_node 8 --ref_num_nodes 1"
        " --ref_num_gpus_per_node 8 --critic_num_nodes 1 --critic_num_gpus_per_node 8"
        " --micro_train_batch_size 1 --train_batch_size 64 --prompt_max_len 512"
        " --generate_max_len 512 --zero_stage 3 --remote_rm_url reward.py"
        f" --advantage_estimator {algorithm} --init_kl_coef "
    )
    for coefficient, reference in (("0", False), ("0.01", True)):
        made = printed(launch + coefficient, "--device", "h100", "--framework", "openrlhf@0.9.3")
        assert any(s["stage"] == "critic" for s in made["stages"]) is critic
        assert (component(made, "update", "reference, idle") > 0) is reference
