"""A mixture of experts, counted by hand for Qwen3-30B-A3B: 48 layers of 128 experts of width 768,
hidden size 2048, eight experts a token."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.base.devices import by_token
from bot.frameworks import plans
from bot.memory.components.activations import (
    head_surroundings,
    kept,
    layer_at_work,
    routed_kept,
    update_parts,
)
from bot.memory.components.experts import adapter_of_experts, copies_in_transit, copies_kept, routed
from bot.memory.components.forward_pass import forward_parts
from bot.memory.components.states import states
from bot.memory.estimator import estimate_workload
from bot.memory.from_plan import workload_of
from bot.memory.shapes.models import find
from bot.memory.units import NOTHING, Bytes
from bot.memory.workload import Adapter, Layout, Pool, Role, Tokens, Workload
from bot.rules._support.example import verl
from bot.shell import read
from tests.memory.printed import component, printed

EACH = Adapter(kind="lora", rank=32, experts="each")
ONE_PAIR = 32 * (2048 + 2 * 768) + 32 * (768 + 2048)


def role(model: str = "Qwen3-30B-A3B", **changes: object) -> Role:
    found = find(model)
    assert found is not None
    made = Role(
        name="actor",
        shape=found.shape,
        head="language",
        trained=True,
        backend="megatron",
        layout=Layout(gpus=4, expert=4),
        weight_bytes=2.0,
        gradient_bytes=4.0,
        optimizer_bytes=12.0,
        step_bytes=0.0,
        update=Tokens(2, 8192, 8192),
        forward=Tokens(2, 8192, 8192),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_a_dense_model_has_neither_copies_nor_adapters_of_experts() -> None:
    dense = role("Qwen3-8B", adapter=EACH, layout=Layout(gpus=4), checkpointing=False)
    assert routed(dense, 8192) == 0
    assert adapter_of_experts(dense) == 0
    for part in (copies_kept, copies_in_transit, routed_kept):
        assert part(dense, 8192) == NOTHING


def test_each_token_has_a_copy_for_each_of_its_experts() -> None:
    assert routed(role(), 8192) == 8 * 8192
    divided = Layout(gpus=8, tensor=2, expert=4)
    assert routed(role(layout=divided), 8192) == 8 * 4096
    gathered = Layout(gpus=8, tensor=2, expert=4, expert_tensor=2)
    assert routed(role(layout=gathered), 8192) == 8 * 8192


def test_copies_that_wait_are_an_experts_input_and_elsewhere_its_output_too() -> None:
    assert copies_kept(role(), 8192) == Bytes.gib(0.25)
    assert copies_kept(role(backend="fsdp"), 8192) == Bytes.gib(0.5)
    assert copies_in_transit(role(), 8192) == Bytes.gib(0.5)
    assert copies_in_transit(role(backend="fsdp"), 8192) == NOTHING


def test_layers_that_are_kept_keep_their_copies_and_recomputed_ones_only_one() -> None:
    whole = role(checkpointing=False)
    assert routed_kept(whole, 8192) == Bytes.gib(48 * 0.25)
    backward = Bytes(8192 * 4 * 8 * 768)
    assert layer_at_work(whole, 8192) == Bytes.gib(0.5) + backward
    assert routed_kept(role(), 8192) == NOTHING
    assert kept(role(), 8192) == Bytes(2 * 48 * 2048 * 8192)
    dense = Bytes.of(8192 * (8 * 2048 + 4 * 4096 + 4 * 512 + 6 * 8 * 768 + 4 * 32))
    norms = Bytes.of(8192 * (2 * (4096 + 512) + 4 * (32 + 4)))
    assert layer_at_work(role(), 8192) == dense + norms + backward + Bytes.gib(0.75)
    # Layers that are recomputed together have their copies together.
    four = role(recompute_layers=4)
    assert layer_at_work(four, 8192) == (dense + norms) * 4 + backward + Bytes.gib(4 * 0.25 + 0.5)
    alone = role(recompute="block", recompute_layers=12)
    assert routed_kept(alone, 8192) == Bytes.gib(36 * 0.25)


def test_experts_that_are_recomputed_by_themselves_keep_their_input_alone() -> None:
    whole, some = (
        role(checkpointing=False, recompute_modules=frozenset(modules))
        for modules in ((), ("core_attn", "moe"))
    )
    assert routed_kept(some, 8192) == NOTHING
    width = Bytes(8192 * 6 * 8 * 768)
    assert kept(whole, 8192) == kept(some, 8192) + width * 48
    assert layer_at_work(some, 8192) == layer_at_work(whole, 8192) + width + Bytes.gib(0.25)
    activation = role(checkpointing=False, recompute_modules=frozenset(("moe_act", "layernorm")))
    spared = Bytes(8192 * (2 * 8 * 768 + 4 * 2048))
    assert kept(whole, 8192) == kept(activation, 8192) + spared * 48
    assert routed_kept(activation, 8192) == Bytes.gib(48 * 0.25)


def test_frozen_experts_keep_no_copies() -> None:
    frozen = role(adapter=Adapter(kind="lora", rank=32), checkpointing=False)
    assert routed_kept(frozen, 8192) == NOTHING
    assert copies_in_transit(frozen, 8192) == Bytes.gib(0.5)


def test_copies_are_no_part_of_the_floor() -> None:
    few = forward_parts(role(), "floor")["activations"]
    assert few == Bytes(2 * 2048 * 2)


@pytest.mark.parametrize(
    ("layout", "experts", "count"),
    [
        (Layout(gpus=4), "none", 0),
        (Layout(gpus=4), "each", 48 * 128 * ONE_PAIR),
        (Layout(gpus=4, expert=4), "each", 48 * 32 * ONE_PAIR),
        (Layout(gpus=8, expert=4, pipeline=2), "each", 24 * 32 * ONE_PAIR),
        # Only the factors of the experts' width are divided.
        (
            Layout(gpus=8, tensor=2, expert=4, expert_tensor=2),
            "each",
            48 * 32 * 32 * (2048 + 768 + 384 + 2048),
        ),
        (Layout(gpus=4, expert=4), "rank", 48 * ONE_PAIR),
    ],
)
def test_adapters_of_experts(layout: Layout, experts: str, count: int) -> None:
    adapter = Adapter(kind="lora", rank=32, experts=experts)  # type: ignore[arg-type]
    assert adapter_of_experts(role(layout=layout, adapter=adapter)) == count


def test_adapters_follow_the_targets() -> None:
    attention = replace(EACH, targets=frozenset(("q_proj", "o_proj")))
    assert adapter_of_experts(role(adapter=attention)) == 0
    down = replace(EACH, targets=frozenset(("down_proj",)))
    assert adapter_of_experts(role(adapter=down)) == 48 * 32 * 32 * (768 + 2048)


def test_adapters_of_experts_have_states_of_their_own() -> None:
    plain = states(role(adapter=replace(EACH, experts="none")))
    each = states(role(adapter=EACH))
    count = 48 * 32 * ONE_PAIR
    assert each.weights - plain.weights == Bytes(2 * count)
    assert each.gradients - plain.gradients == Bytes(4 * count)
    # Four ranks, each with other experts: nobody shares their optimizer.
    assert each.optimizer - plain.optimizer == Bytes(12 * count)
    more = role(adapter=EACH, layout=Layout(gpus=8, expert=4))
    assert states(more).optimizer < each.optimizer


@pytest.mark.parametrize("layout", [Layout(gpus=4, expert=4), Layout(gpus=4)])
def test_more_experts_never_lower_a_level(layout: Layout) -> None:
    for one, other in (("none", "rank"), ("rank", "each")):
        less, more = (
            estimate_workload(
                Workload(
                    framework="verl",
                    pools=(Pool(name="all", gpus=4, roles=(role(layout=layout, adapter=made),)),),
                    gpus_per_node=4,
                ),
                by_token("h100")[0],
            )
            for made in (replace(EACH, experts=kind) for kind in (one, other))  # type: ignore[arg-type]
        )
        assert less.peak("floor") < more.peak("floor")
        assert less.peak() < more.peak()


LORA = (
    "model_engine=megatron",
    "trainer.nnodes=1",
    "data.max_prompt_length=512",
    "data.max_response_length=1024",
    "actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B",
    "actor_rollout_ref.actor.strategy=megatron",
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=1",
)
MODEL = "actor_rollout_ref.model"


def adapter(*settings: str) -> Adapter:
    script = verl(*LORA, *settings).replace(
        "verl.trainer.main_ppo", "verl.trainer.main_ppo --config-name=ppo_megatron_trainer"
    )
    made = workload_of(plans(read(script.encode(), "x.sh"))[0]).pools[0].roles[0].adapter
    assert made is not None
    return made


def test_peft_below_fsdp_is_not_counted_on_experts() -> None:
    settings = [one for one in LORA if "megatron" not in one]
    script = verl(*settings, f"{MODEL}.lora_rank=32")
    made = workload_of(plans(read(script.encode(), "x.sh"))[0]).pools[0].roles[0].adapter
    assert made is not None
    assert made.experts == "none"


def test_megatron_bridge_shares_an_adapter_among_the_experts_of_a_rank() -> None:
    made = adapter(f"{MODEL}.lora.rank=32")
    assert (made.experts, made.rank) == ("rank", 32)
    assert made.targets == frozenset(
        ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    )
    alone = adapter(f"{MODEL}.lora.rank=32", f"+{MODEL}.lora.share_expert_adapters=False")
    assert alone.experts == "each"
    attention = adapter(f"{MODEL}.lora.rank=32", f"{MODEL}.lora.target_modules=[linear_qkv]")
    assert attention.targets == frozenset(("q_proj", "k_proj", "v_proj"))
    without = adapter(f"{MODEL}.lora.rank=32", f"{MODEL}.lora.exclude_modules=[linear_fc1]")
    assert without.experts == "none"


def test_copies_wait_for_both_moments_of_an_update() -> None:
    """A layer's moment, and the head's, which binds with eager entropy."""
    whole = role(checkpointing=False, update_logits=0.0)
    waiting = kept(whole, 8192) + routed_kept(whole, 8192)
    layer = update_parts(whole, "expected", NOTHING)
    assert layer["activations"] == waiting + layer_at_work(whole, 8192)
    head = update_parts(replace(whole, update_logits=28.0), "expected", NOTHING)
    assert head["logits"] > NOTHING
    assert head["activations"] == waiting + head_surroundings(whole, 8192, "expected")


def test_the_last_stage_of_a_pipeline_has_one_micro_batch_of_its_layers_copies() -> None:
    staged = role(checkpointing=False, layout=Layout(gpus=8, expert=4, pipeline=2))
    assert routed_kept(staged, 8192) == Bytes.gib(48 * 0.25)
    assert routed_kept(staged, 8192, last=True) == Bytes.gib(24 * 0.25)


def test_an_engine_keeps_experts_as_they_are_published() -> None:
    """OpenAI publishes gpt-oss's experts in MXFP4: 117 billion parameters in 61 GiB."""

    def weights(model: str) -> float:
        launch = (
            "python -m openrlhf.cli.train_ppo_ray --advantage_estimator group_norm"
            f" --pretrain {model} --init_kl_coef 0 --micro_train_batch_size 1"
            " --train_batch_size 8 --max_len 4096 --prompt_max_len 1024"
            " --generate_max_len 3072 --actor_num_nodes 1 --actor_num_gpus_per_node 8"
            " --vllm_num_engines 1 --vllm_tensor_parallel_size 1 --zero_stage 3"
            " --remote_rm_url reward.py"
        )
        made = printed(launch, "--device", "h200", "--framework", "openrlhf@0.9.3")
        return component(made, "rollout", "engine weights")

    assert weights("openai/gpt-oss-120b") == pytest.approx(60.8, rel=0.02)
    assert weights("unsloth/gpt-oss-120b-BF16") == pytest.approx(217.6, rel=0.01)


_QLORA = "trl sft --dtype bfloat16 --use_peft --lora_r 16 --load_in_4bit --model_name_or_path "
_OPENRLHF = (
    "deepspeed --module openrlhf.cli.train_sft --train.micro_batch_size 1 --data.max_len 1024 "
    "--ds.zero_stage 3 --ds.load_in_4bit --ds.lora.rank 16 --model.model_name_or_path "
)
_OLD = (
    "deepspeed --module openrlhf.cli.train_sft --micro_train_batch_size 1 --max_len 1024 "
    "--zero_stage 3 --load_in_4bit --lora_rank 16 --pretrain "
)


@pytest.mark.parametrize(
    ("launch", "release", "model", "bits"),
    [
        (_QLORA, "trl@0.27.2", "Qwen/Qwen3-30B-A3B", 4),
        (_QLORA, "trl@0.28.0", "Qwen/Qwen3-30B-A3B", 16),
        (_QLORA.replace("4bit", "8bit"), "trl@1.16.0", "Qwen/Qwen3-30B-A3B", 16),
        (_OLD, "openrlhf@0.9.4", "Qwen/Qwen3-30B-A3B", 4),
        (_OLD, "openrlhf@0.9.5", "Qwen/Qwen3-30B-A3B", 16),
        (_OPENRLHF, "openrlhf@0.11.0", "Qwen/Qwen3-30B-A3B", 16),
        (_QLORA, "trl@1.16.0", "Qwen/Qwen3-32B", 4),
    ],
)
def test_quantization_leaves_experts_of_transformers_5_in_16_bits(
    launch: str, release: str, model: str, bits: int
) -> None:
    """26 GiB on a card was what a mixture of 30B was said to take, and takes 60."""
    made = printed(launch + model, "--device", "h200", "--gpus", "1", "--framework", release)
    weights = component(made, "update", "weights")
    assert (weights > 50) is (bits == 16)
    assert any("experts in 16 bits" in one for one in made["assumptions"]) is (
        bits == 16 and release.startswith("trl")
    )
    lowest = next(stage for stage in made["stages"] if stage["stage"] == "update")["floor_gib"]
    assert lowest < 35
