"""Names to shapes, and shapes to exact counts of parameters."""

from __future__ import annotations

import json
import re

import pytest

from bot.memory.shapes.fine_tunes import bases
from bot.memory.shapes.hub_numbers import NotReadError
from bot.memory.shapes.models import (
    find,
    from_config,
    guess,
    models_by_key,
    near,
    not_known,
    pinned,
)


@pytest.mark.parametrize(
    ("billions", "path"),
    [
        (0.494, "Qwen/Qwen2.5-0.5B"),
        (1.544, "Qwen/Qwen2.5-1.5B-Instruct"),
        (3.086, "Qwen/Qwen2.5-3B"),
        (7.616, "Qwen/Qwen2.5-7B"),
        (14.770, "Qwen/Qwen2.5-14B"),
        (32.764, "Qwen/Qwen2.5-32B"),
        (72.706, "Qwen/Qwen2.5-72B"),
        (8.191, "Qwen/Qwen3-8B"),
        (8.030, "meta-llama/Llama-3.1-8B"),
        (671.026, "deepseek-ai/DeepSeek-V3"),
        (30.532, "Qwen/Qwen3-30B-A3B"),
        (0.853, "Qwen/Qwen3.5-0.8B"),
        (2.213, "Qwen/Qwen3.5-2B"),
        (4.539, "Qwen/Qwen3.5-4B"),
        (9.410, "Qwen/Qwen3.5-9B"),
        (27.357, "Qwen/Qwen3.5-27B"),
        (35.107, "Qwen/Qwen3.5-35B-A3B"),
        (122.563, "Qwen/Qwen3.5-122B-A10B"),
        (396.802, "Qwen/Qwen3.5-397B-A17B"),
        (79.674, "Qwen/Qwen3-Next-80B-A3B-Instruct"),
        (4.300, "google/gemma-3-4b-it"),
        (12.187, "google/gemma-3-12b-it"),
        (27.432, "google/gemma-3-27b-pt"),
        (9.400, "THUDM/GLM-Z1-9B-0414"),
        (106.852, "zai-org/GLM-4.5-Air-Base"),
        (352.798, "zai-org/GLM-4.5"),
        (10.293, "zai-org/GLM-4.1V-9B-Thinking"),
        (107.711, "zai-org/GLM-4.5V"),
        (107.711, "zai-org/GLM-4.6V"),
        (4.732, "OpenGVLab/InternVL3_5-4B"),
        (8.528, "OpenGVLab/InternVL3_5-8B-HF"),
        (15.120, "OpenGVLab/InternVL3_5-14B-Instruct"),
        (30.849, "OpenGVLab/InternVL3_5-30B-A3B"),
        (38.390, "OpenGVLab/InternVL3_5-38B"),
        (240.699, "OpenGVLab/InternVL3_5-241B-A28B"),
        (24.011, "mistralai/Mistral-Small-3.1-24B-Instruct-2503"),
        (8.932, "Qwen/Qwen2.5-Omni-7B"),  # 10.732 with the parts that speak
        (31.719, "Qwen/Qwen3-Omni-30B-A3B-Instruct"),
        (0.938, "OpenGVLab/InternVL3-1B"),
        (7.944, "OpenGVLab/InternVL3-8B-Instruct"),
        (38.388, "OpenGVLab/InternVL3-38B"),
        (73.406, "Qwen/Qwen2-VL-72B-Instruct"),
        (3.849, "mistralai/Ministral-3-3B-Instruct-2512-BF16"),
        (8.918, "mistralai/Ministral-3-8B-Base-2512"),
        (13.945, "mistralai/Ministral-3-14B-Reasoning-2512"),
        (8.020, "mistralai/Ministral-8B-Instruct-2410"),
        (1.485, "allenai/OLMo-2-0425-1B-Instruct"),
        (7.298, "allenai/Olmo-3-7B-Think-SFT"),
        (32.234, "allenai/Olmo-3-32B-Think"),
        (6.919, "allenai/OLMoE-1B-7B-0125-Instruct"),
        (8.171, "ibm-granite/granite-3.1-8b-instruct"),
        (2.534, "ibm-granite/granite-3.3-2b-instruct"),
        (7.456, "tiiuae/Falcon3-7B-Instruct"),
        (228.690, "MiniMaxAI/MiniMax-M2"),  # the corrections of its routers are buffers
        (8.804, "internlm/internlm3-8b-instruct"),
        (2.725, "openbmb/MiniCPM-2B-sft-bf16"),
        (0.361, "baidu/ERNIE-4.5-0.3B-PT"),
        (0.268, "google/gemma-3-270m-it"),
        (13.960, "microsoft/Phi-3-medium-4k-instruct"),
        (1.012, "EleutherAI/pythia-1b-deduped"),
        (0.124, "openai-community/gpt2"),
        (1.558, "gpt2-xl"),
        (671.026, "deepseek-ai/DeepSeek-V3.1-Terminus"),
        (32.566, "zai-org/GLM-4-32B-0414"),
        (32.566, "THUDM/GLM-Z1-32B-0414"),
        (7.063, "llava-hf/llava-1.5-7b-hf"),
        (2.247, "HuggingFaceTB/SmolVLM2-2.2B-Instruct"),
        (0.507, "HuggingFaceTB/SmolVLM2-500M-Video-Instruct"),
        (0.256, "HuggingFaceTB/SmolVLM-256M-Instruct"),
        (5.104, "google/gemma-4-E2B-it"),
        (7.941, "google/gemma-4-E4B-it"),
        (25.806, "google/gemma-4-26B-A4B-it"),
        (31.273, "google/gemma-4-31B"),
        (31.578, "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
        (31.578, "/models/Nemotron-3-Nano-30B-A3B"),
        (8.888, "nvidia/NVIDIA-Nemotron-Nano-9B-v2"),
        (12.310, "nvidia/NVIDIA-Nemotron-Nano-12B-v2-Base"),
        (8.101, "nvidia/Nemotron-H-8B-Reasoning-128K"),
        (120.669, "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"),
        (0.521, "tiiuae/Falcon-H1-0.5B-Instruct"),
        (3.149, "tiiuae/Falcon-H1-3B-Base"),
        (7.586, "tiiuae/Falcon-H1-7B-Instruct"),
        (33.642, "tiiuae/Falcon-H1-34B-Instruct"),
        (6.939, "ibm-granite/granite-4.0-h-tiny"),
        (32.207, "ibm-granite/granite-4.0-h-small-base"),
        (3.191, "ibm-granite/granite-4.0-h-micro"),
        (3.403, "ibm-granite/granite-4.0-micro"),
        (1.170, "LiquidAI/LFM2-1.2B"),
        (2.569, "LiquidAI/LFM2-2.6B"),
        (8.340, "LiquidAI/LFM2-8B-A1B"),
        (108.642, "meta-llama/Llama-4-Scout-17B-16E-Instruct"),
        (401.584, "meta-llama/Llama-4-Maverick-17B-128E"),
        (16.408, "moonshotai/Kimi-VL-A3B-Thinking-2506"),
        (743.911, "zai-org/GLM-5"),
        (671.878, "deepseek-ai/DeepSeek-V3.2"),
        (80.393, "tencent/Hunyuan-A13B-Instruct"),
        (7.505, "tencent/Hunyuan-7B-Instruct"),
        (21.825, "baidu/ERNIE-4.5-21B-A3B-PT"),
        (299.484, "baidu/ERNIE-4.5-300B-A47B-Base-PT"),
        (8.185, "openbmb/MiniCPM4-8B"),
        (32.003, "LGAI-EXAONE/EXAONE-4.0-32B"),
        (228.690, "MiniMaxAI/MiniMax-M2.5"),
        (1026.879, "moonshotai/Kimi-K2.5"),
        (8.302, "XiaomiMiMo/MiMo-VL-7B-RL-2508"),
        (7.623, "XiaomiMiMo/MiMo-7B-RL"),  # 7.833 with its layer for multi-token prediction
    ],
)
def test_published_counts(path: str, billions: float) -> None:
    model = find(path)
    assert model is not None
    assert round(model.shape.parameters / 1e9, 3) == billions


def test_every_count_equals_the_one_made_elsewhere() -> None:
    assert len(models_by_key()) > 60
    for model in models_by_key().values():
        assert model.shape.parameters == pinned()[model.name], model.name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/mnt/models/Qwen2.5-7B-Instruct/", "Qwen2.5-7B"),
        ("${?HOME}/models/Qwen2.5-7B", "Qwen2.5-7B"),
        ("~/.cache/hub/models--Qwen--Qwen2.5-7B-Instruct/snapshots/a09a3545", "Qwen2.5-7B"),
        ("/ckpt/Qwen2.5-7B/global_step_100", "Qwen2.5-7B"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama-3-8B"),
        ("Qwen/Qwen2.5-Coder-14B-Instruct", "Qwen2.5-14B"),
        ("Qwen/Qwen2.5-Math-7B", "Qwen2.5-7B"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "DeepSeek-R1-Distill-Qwen-7B"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "Mistral-7B-v0.3"),
        ("OpenRLHF/Llama-3-8b-sft-mixture", "Llama-3-8B"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "Qwen3-30B-A3B"),
        ("deepseek-ai/DeepSeek-V3-0324", "DeepSeek-V3"),
        ("THUDM/glm-4-9b-chat", "GLM-4-9B"),
        ("THUDM/glm-4-9b-chat-hf", "GLM-4-9B"),
        ("zai-org/GLM-4-9B-0414", "GLM-4-9B-0414"),  # two norms more in each layer
        ("zai-org/GLM-4-32B-0414", "GLM-4-32B-0414"),
        ("zai-org/GLM-4-32B", None),
        ("deepseek-ai/DeepSeek", None),
        ("mistralai/Mistral-7B-Instruct", None),  # its versions have two vocabularies
        ("my-own-7b", None),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", None),
        ("Qwen/Qwen2.5-8B", None),
        ("Mistral-7B-v0.9", None),
        ("7b", None),
        ("", None),
        ("///", None),
    ],
)
def test_a_name_is_matched_whole_or_not_at_all(path: str, name: str | None) -> None:
    found = find(path)
    if name is None:
        assert found is None
    else:
        assert found is not None
        assert found.shape.parameters == pinned()[name]


def test_a_config_beside_the_script() -> None:
    config = {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "intermediate_size": 18944,
        "vocab_size": 152064,
        "tie_word_embeddings": False,
    }
    made = from_config("my-own", json.dumps(config).encode())
    assert made.shape.parameters == 7_615_616_512


GEMMA = {
    "model_type": "gemma3",
    "text_config": {
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "model_type": "gemma3_text",
        "num_hidden_layers": 34,
    },
    "vision_config": {
        "hidden_size": 1152,
        "image_size": 896,
        "intermediate_size": 4304,
        "num_hidden_layers": 27,
        "patch_size": 14,
    },
}
"""Gemma-3-4b as its config.json has it: most numbers of the text are the class's defaults."""


def test_a_tower_is_counted_by_its_config() -> None:
    made = from_config("my-own", json.dumps(GEMMA).encode()).shape
    assert (made.parameters, made.vision) == (4_300_079_472, 419_816_304)
    known = find("google/gemma-3-4b-it")
    assert known is not None
    assert made == known.shape


@pytest.mark.parametrize("tower", [{}, {"hidden_size": 1152}, None, {"patch_size": 0}, 3])
def test_a_tower_without_its_numbers_is_not_guessed(tower: object) -> None:
    with pytest.raises(NotReadError, match=r"lacks|belongs|another kind"):
        from_config("my-own", json.dumps({**GEMMA, "vision_config": tower}).encode())


def test_glm_has_biases_and_a_mixture_of_its_own() -> None:
    air = {
        "model_type": "glm4_moe",
        "attention_bias": True,
        "first_k_dense_replace": 1,
        "head_dim": 128,
        "hidden_size": 4096,
        "intermediate_size": 10944,
        "moe_intermediate_size": 1408,
        "n_routed_experts": 128,
        "n_shared_experts": 1,
        "num_attention_heads": 96,
        "num_experts_per_tok": 8,
        "num_hidden_layers": 46,
        "num_key_value_heads": 8,
        "num_nextn_predict_layers": 1,
        "tie_word_embeddings": False,
        "use_qk_norm": False,
        "vocab_size": 151552,
    }
    # The published 106,852,251,264 have the corrections of 45 routers besides, which are buffers.
    made = from_config("my-own", json.dumps(air).encode()).shape
    assert made.parameters == 106_852_251_264 - 45 * 128
    assert made.active_intermediate == 9 * 1408
    normed = from_config("my-own", json.dumps({**air, "use_qk_norm": True}).encode()).shape
    assert normed.parameters - made.parameters == 46 * 256


@pytest.mark.parametrize(
    ("name", "config"),
    [
        (
            "gpt2",
            {"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_inner": None, "n_layer": 12}
            | {"n_positions": 1024, "vocab_size": 50257},
        ),
        (
            "EleutherAI/pythia-1b",
            {"model_type": "gpt_neox", "hidden_size": 2048, "intermediate_size": 8192}
            | {"num_attention_heads": 8, "num_hidden_layers": 16, "vocab_size": 50304}
            | {"tie_word_embeddings": False},
        ),
        (
            "allenai/Olmo-3-1025-7B",
            {"model_type": "olmo3", "hidden_size": 4096, "intermediate_size": 11008}
            | {"num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32}
            | {"vocab_size": 100278, "tie_word_embeddings": False},
        ),
        (
            "MiniMaxAI/MiniMax-M2",
            {"model_type": "minimax_m2", "hidden_size": 3072, "intermediate_size": 1536}
            | {"num_attention_heads": 48, "num_key_value_heads": 8, "num_hidden_layers": 62}
            | {"head_dim": 128, "num_experts_per_tok": 8, "num_local_experts": 256}
            | {"vocab_size": 200064, "tie_word_embeddings": False},
        ),
        (
            "zai-org/GLM-4.7-Flash",
            {"model_type": "glm4_moe_lite", "hidden_size": 2048, "intermediate_size": 10240}
            | {"num_attention_heads": 20, "num_hidden_layers": 47, "first_k_dense_replace": 1}
            | {"moe_intermediate_size": 1536, "n_routed_experts": 64, "n_shared_experts": 1}
            | {"num_experts_per_tok": 4, "q_lora_rank": 768, "kv_lora_rank": 512}
            | {"qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256}
            | {"vocab_size": 154880, "tie_word_embeddings": False},
        ),
    ],
)
def test_a_family_by_its_config(name: str, config: dict[str, object]) -> None:
    known = find(name)
    assert known is not None
    assert from_config("my-own", json.dumps(config).encode()).shape == known.shape


def test_no_list_is_made_for_any_number_of_layers() -> None:
    with pytest.raises(NotReadError, match="num_hidden_layers"):
        from_config("my-own", json.dumps(_hybrid(num_hidden_layers=1_000_000)).encode())


def _hybrid(**more: object) -> dict[str, object]:
    """Qwen3-Next-80B-A3B as its config.json has it."""
    return {
        "model_type": "qwen3_next",
        "hidden_size": 2048,
        "num_hidden_layers": 48,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "intermediate_size": 5120,
        "moe_intermediate_size": 512,
        "shared_expert_intermediate_size": 512,
        "num_experts": 512,
        "num_experts_per_tok": 10,
        "vocab_size": 151936,
        "tie_word_embeddings": False,
        "full_attention_interval": 4,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4,
    } | more


def test_layers_of_linear_attention() -> None:
    shape = from_config("my-own", json.dumps(_hybrid()).encode()).shape
    assert shape.parameters == 79_674_391_296
    assert (shape.full_layers, shape.linear and shape.linear.layers) == (12, 36)
    named = _hybrid(layer_types=["linear_attention"] * 47 + ["full_attention"])
    assert from_config("my-own", json.dumps(named).encode()).shape.full_layers == 1


@pytest.mark.parametrize(
    "more",
    [
        {"layer_types": ["full_attention"]},
        {"layer_types": 7},
        {"full_attention_interval": 0},
        {"full_attention_interval": None},
        {"linear_conv_kernel_dim": None},
    ],
)
def test_layers_of_linear_attention_that_are_not_described(more: dict[str, object]) -> None:
    with pytest.raises(NotReadError):
        from_config("x", json.dumps(_hybrid(**more)).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b'{"model_type": "mamba"}',
        b'{"model_type": "qwen2"}',
        b'{"model_type": "qwen2", "hidden_size": "large"}',
        b'{"model_type": "qwen2", "hidden_size": 0, "num_attention_heads": 0}',
        b'{"model_type": "llama", "quantization_config": {}, "hidden_size": 1e999}',
        b'{"model_type": "qwen2_5_vl", "text_config": {}}',
        b"[" * 100_000,
        b" " * (2 << 20),
    ],
)
def test_a_config_that_describes_nothing(data: bytes) -> None:
    with pytest.raises(NotReadError):
        from_config("x", data)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Skywork/Skywork-Reward-V2-Llama-3.2-1B", "Llama-3.2-1B"),
        ("${?HOME}/verl/models/DeepSeek-V3-config-verl", "DeepSeek-V3"),
        ("checkpoint/multiturn-sft-qwen-2.5-7b-instruct/global_step_372", "Qwen2.5-7B"),
        ("ck/multiturn-sft-qwen-2.5-3b-instruct/global_step_372/huggingface", "Qwen2.5-3B"),
        (
            "verl_checkpoints/nq_train_refine-grpo-qwen2.5-3b-em/actor/best_val_step_200",
            "Qwen2.5-3B",
        ),
        ("out/global_step_3/actor/huggingface", None),
        ("OpenRLHF/Llama-3-8b-rm-700k", "Llama-3-8B"),
        ("my-qwen3-8b-grpo", "Qwen3-8B"),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", None),
        ("unsloth/Qwen3-14B-bnb-4bit", None),
        ("Qwen/Qwen3-Embedding-8B", None),
        ("somebody/InternVL-Qwen2.5-7B", None),
        ("/Qwen3-30B-MoE-merge", None),
        ("PRIME-RL/Eurus-2-7B-SFT", "Qwen2.5-7B"),
        ("/models/FsfairX-LLaMA3-RM-v0.1", "Llama-3-8B"),
        ("agentica-org/DeepScaleR-1.5B-Preview", "DeepSeek-R1-Distill-Qwen-1.5B"),
        ("agentica-org/DeepCoder-14B-Preview", "DeepSeek-R1-Distill-Qwen-14B"),
        ("Skywork/Skywork-OR1-Math-7B", "DeepSeek-R1-Distill-Qwen-7B"),
        ("open-thoughts/OpenThinker2-32B", "Qwen2.5-32B"),
        ("simplescaling/s1.1-32B", "Qwen2.5-32B"),
        ("open-r1/Qwen2.5-Math-7B-RoPE-300k", "Qwen2.5-7B"),
        ("allenai/Llama-3.1-Tulu-3-8B-SFT", "Llama-3.1-8B"),
        ("allenai/Llama-3.1-Tulu-3-8B-DPO", "Llama-3.1-8B"),
        ("allenai/Olmo-3.1-32B-Instruct", "Olmo-3-1125-32B"),
        ("zai-org/GLM-4.6", "GLM-4.5"),
        ("zai-org/GLM-4.6-FP8", None),
        ("zai-org/GLM-4.6V-Flash", "GLM-4.1V-9B"),
        ("HuggingFaceTB/SmolVLM-Instruct", "SmolVLM2-2.2B"),
        ("nvidia/Llama-3.1-Nemotron-Nano-8B-v1", "Llama-3.1-8B"),
        ("nvidia/Llama-3.1-Nemotron-Nano-4B-v1.1", None),  # pruned
        ("Qwen/Qwen3-Coder-Next", "Qwen3-Next-80B-A3B"),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "Qwen2.5-VL-7B"),
        ("ByteDance-Seed/UI-TARS-7B-DPO", "Qwen2-VL-7B"),
        ("cleanrl/EleutherAI_pythia-1b-deduped__sft__tldr", "pythia-1b"),
        ("lmsys/vicuna-13b-v1.5", "Llama-2-13b"),
        ("POLARIS-Project/Polaris-7B-Preview", "DeepSeek-R1-Distill-Qwen-7B"),
        ("POLARIS-Project/Polaris-4B-Preview", "Qwen3-4B"),
        ("deepseek-ai/DeepSeek-Prover-V1.5-RL", "deepseek-llm-7b"),
        ("mistralai/Devstral-Small-2505", "Mistral-Small-24B"),
        ("OpenResearcher/OpenResearcher-30B-A3B", "Nemotron-3-Nano-30B-A3B"),
        ("tiiuae/Falcon-H1R-7B", "Falcon-H1-7B"),
        ("mistralai/Magistral-Small-2509", "Mistral-Small-3.1-24B"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "DeepSeek-V3.2"),
        ("../hf_llama2_models/7B", "Llama-2-7b"),
        ("models/Qwen2.5/7B", "Qwen2.5-7B"),
        ("../hf_llama_models/7B", None),
        ("models/Qwen/7B", None),
        ("run3/7b", None),
        ("openbmb/Eurus-7b-sft", None),
        ("my-s1-320b", None),
        ("saves/Qwen2.5-Coder-14B_5k_sft_opt", "Qwen2.5-14B"),
        ("hub/models--me--Qwen3-1.7B-easy_500/snapshots/d13b8a7c1", "Qwen3-1.7B"),
        ("hub/models--me--easy-8k/snapshots/739e47db7", None),
        ("test/qwen7B_grid_search_lr-1e-05", None),
        ("ckpt/SKD_RKL-0.5B_14B", None),
        ("notzephyr-7b", None),
        ("Skywork/Skywork-OR1-7B-AWQ", None),
        ("notqwen3-8b", None),
        ("qwen3-8b1", None),
        ("", None),
    ],
)
def test_a_name_that_holds_the_name_of_another(path: str, name: str | None) -> None:
    assert find(path) is None
    made = guess(path)
    assert (made.name if made else None) == name


def test_every_base_of_a_further_training_is_known() -> None:
    for pattern, base in bases():
        sizes = re.search(r"\(((?!\?:)[^)]*)\)", pattern.pattern)
        for size in sizes[1].replace("\\", "").split("|") if sizes else [""]:
            name = base.replace(r"\1", size)
            assert find(name) is not None, name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("my/own", None),
        ("", None),
        ("tencent/Hy4", None),
        ("google/gemma-9-99B-it", None),  # not Gemma-3-1b
        ("google/gemma-3n-E2B-it", None),  # not Gemma-3-27b
        ("openbmb/MiniCPM3-4B", None),
        ("EleutherAI/gpt-j-6b", None),
        ("Qwen/Qwen3", None),  # too many
        ("deepseek-ai/DeepSeek", None),
        ("Qwen/Qwen25-7B-Instruct", "Qwen2.5-7B"),
        ("Qwen2_5-7B-Instruct", "Qwen2.5-7B"),
        ("Qwen/Qwen2.5VL-7B-Instruct", "Qwen2.5-VL-7B"),
        ("Qwen/Qwen2-5-VL-7B-Instruct", "Qwen2.5-VL-7B"),
        ("Qwen/Qwen2.5-8B", "Qwen2.5-7B"),
        ("meta-llama/Lama-3.1-8B", "Llama-3.1-8B"),
        ("DeepSeek-R1-Distil-Qwen-7B", "DeepSeek-R1-Distill-Qwen-7B"),
        ("openai/gpt-os-20b", "gpt-oss-20b"),
        ("openai/gptoss-20b", "gpt-oss-20b"),
        ("zai-org/GLM4.5-Air", "GLM-4.5-Air"),
        ("mistralai/Mistral-7B-Instruct", "Mistral-7B-v0.3"),
        ("meta-llama/Llama-4-Scout", "Llama-4-Scout-17B-16E"),
        ("nvidia/Nemotron-3-Nano", "Nemotron-3-Nano-30B-A3B"),
        ("unsloth/tinyllama", "TinyLlama-1.1B"),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen2.5-7B"),
        ("/models/Qwen2.5-7B-Instruct-GPTQ-Int4/", "Qwen2.5-7B"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", "Qwen3-30B-A3B"),
        ("unsloth/Qwen3-14B-bnb-4bit", "Qwen3-14B"),
        ("unsloth/gemma-3-4b-it-unsloth-bnb-4bit", "Gemma-3-4b"),
        ("unsloth/mistral-7b-instruct-v0.3-bnb-4bit", "Mistral-7B-v0.3"),
        ("neuralmagic/Meta-Llama-3.1-8B-Instruct-FP8", "Llama-3.1-8B"),
        ("nvidia/Llama-3.1-70B-Instruct-FP8", "Llama-3.1-70B"),
        ("nvidia/Qwen3-235B-A22B-NVFP4", "Qwen3-235B-A22B"),
        ("RedHatAI/Qwen3-8B-quantized.w4a16", "Qwen3-8B"),
        ("bartowski/Qwen2.5-7B-Instruct-GGUF", "Qwen2.5-7B"),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-FP8", "Nemotron-3-Nano-30B-A3B"),
    ],
)
def test_a_name_that_is_nearly_one(path: str, name: str | None) -> None:
    assert find(path) is None
    assert near(path) == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/root/.cache/modelscope/hub/Qwen/Qwen2___5-7B-Instruct", "Qwen2.5-7B"),
        ("/cache/models--Qwen--Qwen3-8B", "Qwen3-8B"),
        ("/cache/models--Qwen--Qwen3-8B/", "Qwen3-8B"),
        ("/ckpts/Qwen2.5-7B/global_step_100/actor/huggingface", "Qwen2.5-7B"),
        ("/ckpts/Qwen2.5-7B/checkpoint-500", "Qwen2.5-7B"),
        ("/out/Qwen3-8B/merged", "Qwen3-8B"),
        ("hdfs://haruna/models/Qwen3-8B/", "Qwen3-8B"),
        ("/out/Qwen3-8B/reward", None),
        ("/Qwen3-8B/a/b", None),
    ],
)
def test_a_path_of_a_cache_or_a_checkpoint(path: str, name: str | None) -> None:
    made = find(path)
    assert (made.name if made else None) == name


def test_what_is_said_of_a_name_that_is_not_known() -> None:
    said = {path: str(not_known(path)) for path in ("my/own", "x/Qwen3-8B-AWQ", "x/Qwen4-8B")}
    assert said["my/own"] == "The shape of the model my/own is not known."
    hidden = "/tmp/${?variable EXP_NAME is not set in the script}/${?output of ls}"
    assert str(not_known(hidden)) == "The shape of the model /tmp/$EXP_NAME/… is not known."
    assert said["x/Qwen3-8B-AWQ"] == (
        "x/Qwen3-8B-AWQ is quantized, and what its weights take is not known; Qwen3-8B is known."
    )
    assert (
        said["x/Qwen4-8B"] == "The shape of the model x/Qwen4-8B is not known; that of Qwen3-8B is."
    )
