"""Files config.json of many families: counted to the last digit, or not read, with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.memory.shapes.hub_numbers import NotReadError
from bot.memory.shapes.mixers import Mamba
from bot.memory.shapes.models import find, from_config, models_by_key
from tests.command import rlbot

ROWS = json.loads((Path(__file__).parents[2] / "schemas" / "models" / "rows.json").read_bytes())
MODELS: dict[str, Any] = ROWS["models"]
NANO: dict[str, Any] = {
    "model_type": "nemotron_h",
    "hidden_size": 2688,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
    "intermediate_size": 1856,
    "mamba_head_dim": 64,
    "mamba_num_heads": 64,
    "moe_intermediate_size": 1856,
    "moe_shared_expert_intermediate_size": 3712,
    "n_groups": 8,
    "n_routed_experts": 128,
    "num_attention_heads": 32,
    "num_experts_per_tok": 6,
    "num_hidden_layers": 52,
    "num_key_value_heads": 2,
    "head_dim": 128,
    "ssm_state_size": 128,
    "tie_word_embeddings": False,
    "vocab_size": 131072,
}
"""Nemotron 3 Nano 30B-A3B as its config.json has it."""


DEFAULTS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "class_defaults.json").read_text("utf-8")
)
"""What transformers 5.24 writes of a configuration class without arguments, less what decides no
parameter, and how many the model has that it builds of it."""


def _read(config: object) -> Any:
    return from_config("my-own", json.dumps(config).encode()).shape


@pytest.mark.parametrize("name", MODELS)
def test_the_config_of_a_known_model_gives_its_count(name: str) -> None:
    config = MODELS[name]
    if "vision_config" in config and config["model_type"] not in ("qwen2_vl", "qwen2_5_vl"):
        with pytest.raises(NotReadError, match="vision tower"):
            _read(config)
        return
    known = find(name)
    assert known is not None
    assert _read(config) == known.shape


@pytest.mark.parametrize("kind", DEFAULTS)
def test_what_transformers_writes_gives_the_count_that_it_builds(kind: str) -> None:
    """Its files have other names than those of the makers: Qwen3's experts, Gemma 4's layers."""
    assert _read(DEFAULTS[kind]["config"]).parameters == DEFAULTS[kind]["count"]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("gemma4_text", {"per_layer_config": {"05": {"head_dim": 512}}}),
        ("gemma4_text", {"per_layer_config": {"x": {"head_dim": 512}}}),
        ("gemma4_text", {"per_layer_config": {}}),
        ("qwen3_moe", {"num_local_experts": None}),
        ("afmoe", {"num_experts": "many"}),
        ("glm4_moe_lite", {"mlp_layer_types": ["dense", "sparse"]}),
    ],
)
def test_what_it_writes_is_not_guessed(kind: str, more: dict[str, object]) -> None:
    with pytest.raises(NotReadError):
        _read({**DEFAULTS[kind]["config"], **more})


@pytest.mark.parametrize("name", ["Qwen2-VL-2B", "Qwen2.5-VL-3B", "Qwen2.5-VL-7B"])
def test_qwen_s_files_as_they_are_published(name: str) -> None:
    """The numbers of the text stand at the top, beside the tower's."""
    config = MODELS[name]
    top = {k: v for k, v in config.items() if k != "text_config"}
    flat = {**config["text_config"], **top}
    assert _read(flat) == _read(config)
    quantized = {"quantization_config": {"quant_method": "awq"}}
    for one in (flat, config):
        with pytest.raises(NotReadError, match="quantized"):
            _read({**one, **quantized})


@pytest.mark.parametrize("name", ["opt-1.3b", "gpt2"])
def test_a_file_says_whether_head_and_embedding_are_one(name: str) -> None:
    """As transformers reads it; most files of GPT-2's kin do not say."""
    known, config = find(name), MODELS[name]
    assert known is not None
    apart = _read({**config, "tie_word_embeddings": False})
    assert apart.parameters - known.shape.parameters == apart.vocab * apart.hidden


def test_a_tower_for_sound_is_not_counted() -> None:
    with pytest.raises(NotReadError, match="sound"):
        _read({"model_type": "a", "text_config": MODELS["Qwen2-7B"], "audio_config": {}})


def test_towers_that_are_counted() -> None:
    counted = ("Qwen2-VL-2B", "Qwen2.5-VL-3B", "Qwen2.5-VL-7B", "MiMo-VL-7B")
    for name in counted:
        assert _read(MODELS[name]).vision > 4e8


@pytest.mark.parametrize("name", ["InternVL3-8B", "Kimi-VL-A3B", "Llama-4-Scout-17B-16E"])
def test_a_tower_that_is_not_counted_is_that_of_the_folder_s_name(name: str) -> None:
    known = find(name)
    assert known is not None
    bytes_of = json.dumps(MODELS[name]).encode()
    assert from_config(f"/models/{name}", bytes_of).shape == known.shape
    other = {**MODELS[name], "text_config": {**MODELS[name]["text_config"], "vocab_size": 7}}
    with pytest.raises(NotReadError, match="vision tower"):
        from_config(f"/models/{name}", json.dumps(other).encode())


def test_a_model_that_is_published_in_fp8_is_read_and_another_is_not() -> None:
    fp8 = {"quantization_config": {"quant_method": "fp8"}}
    assert _read({**MODELS["Moonlight-16B-A3B"], **fp8}) == _read(MODELS["Moonlight-16B-A3B"])
    with pytest.raises(NotReadError, match="quantized"):
        _read({**MODELS["Qwen2-7B"], "quantization": {"bits": 4}})  # MLX
    for name, method in (("Qwen2-7B", "fp8"), ("Moonlight-16B-A3B", "awq")):
        with pytest.raises(NotReadError, match="quantized"):
            _read({**MODELS[name], "quantization_config": {"quant_method": method}})


def test_layers_of_two_attentions_some_of_which_take_the_keys_of_others() -> None:
    config = MODELS["gemma-4-E2B"]["text_config"]
    shape = _read(config)
    # Counted by hand: 28 layers of windows of one head of 256, 7 in full of one of 512.
    apart = {**config, "num_kv_shared_layers": 0, "use_double_wide_mlp": False}
    keys = 16 * (2 * 1536 * 256 + 256) + 4 * (2 * 1536 * 512 + 512)
    assert _read(apart).parameters - shape.parameters == keys - 20 * 3 * 1536 * 6144
    assert shape.layer_embedding == 35 * 262_144 * 256
    assert shape.ends == shape.embedding + shape.layer_embedding
    assert shape.linear_parameters < shape.parameters / 2


def test_layers_of_three_kinds() -> None:
    shape = _read(NANO)
    assert shape.parameters == 31_577_937_344
    assert shape == models_by_key()["nemotron-3-nano-30b-a3b"].shape
    assert (shape.layers, shape.full_layers, shape.dense_layers) == (52, 6, 0)
    assert isinstance(shape.linear, Mamba)
    assert (shape.linear.layers, shape.experts.layers) == (23, 23)
    # One sequence: 64 heads of 64 channels by 128 numbers, and three tokens of the convolution.
    assert shape.linear.state == 64 * 64 * 128 + 3 * 6144
    assert shape.active_intermediate == 6 * 1856 + 3712


def test_the_kinds_of_layers_as_newer_files_have_them() -> None:
    letters = {"M": "mamba", "*": "attention", "E": "moe"}
    types = [letters[letter] for letter in NANO["hybrid_override_pattern"]]
    newer = {k: v for k, v in NANO.items() if k != "hybrid_override_pattern"}
    assert _read({**newer, "layers_block_type": types}) == _read(NANO)
    named = ["linear_attention" if t == "mamba" else t for t in types]
    assert _read({**newer, "layers_block_type": named}) == _read(NANO)


@pytest.mark.parametrize(
    "more",
    [
        {"hybrid_override_pattern": "MX"},
        {"hybrid_override_pattern": None},
        {"hybrid_override_pattern": ""},
        {"layers_block_type": ["mamba", 7]},
        {"layers_block_type": 7},
        {"mamba_num_heads": None},
        {"mamba_num_heads": "64"},
        {"conv_kernel": -1},
        {"moe_latent_size": 1.5},
    ],
)
def test_layers_that_are_not_described(more: dict[str, object]) -> None:
    with pytest.raises(NotReadError):
        _read({**NANO, **more})


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("granite-4.0-h-micro", {"layer_types": ["mamba"]}),
        ("granite-4.0-h-micro", {"mamba_n_heads": 0}),
        ("Falcon-H1-7B", {"mamba_n_heads": 0}),
        ("Falcon-H1-7B", {"mamba_chunk_size": "128"}),
        ("LFM2-1.2B", {"full_attn_idxs": 3}),
        ("LFM2-1.2B", {"block_multiple_of": 0}),
        ("LFM2-1.2B", {"block_ffn_dim_multiplier": "1"}),
        ("gemma-4-E2B", {"layer_types": None}),
        ("gemma-4-E2B", {"layer_types": ["full_attention"]}),
        ("gemma-4-E2B", {"global_head_dim": None}),
        ("gemma-4-E2B", {"num_kv_shared_layers": -1}),
        ("Hunyuan-A13B", {"moe_topk": [8, 7]}),
        ("Hunyuan-A13B", {"moe_intermediate_size": 1024}),
        ("ERNIE-4.5-21B-A3B", {"moe_layer_interval": 0}),
        ("ERNIE-4.5-21B-A3B", {"moe_num_experts": [64, 64]}),
    ],
)
def test_numbers_that_are_wrong(name: str, more: dict[str, object]) -> None:
    config = MODELS[name].get("text_config", MODELS[name])
    with pytest.raises(NotReadError):
        _read({**config, **more})


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("num_attention_heads", 0, "is 0, where a whole number from 1 to 16777215 belongs"),
        ("num_key_value_heads", 0, "is 0, where a whole number from 1 to 16777215 belongs"),
        ("num_hidden_layers", -3, "is -3, where a whole number from 1 to 10000 belongs"),
        ("vocab_size", 1e30, "is 1e+30, where a whole number from 1 to 16777215 belongs"),
        ("hidden_size", "abc", "is 'abc', where a whole number from 1 to 16777215 belongs"),
        ("intermediate_size", 1.5, "is 1.5, where a whole number from 0 to 16777215 belongs"),
    ],
)
def test_a_number_that_is_wrong_is_named(key: str, value: object, sentence: str) -> None:
    """It was "integer division or modulo by zero"."""
    with pytest.raises(NotReadError) as error:
        _read({**MODELS["Qwen2-7B"], key: value})
    assert str(error.value) == f"its {key} {sentence}"


def test_a_number_that_is_missing_is_named() -> None:
    with pytest.raises(NotReadError, match="it lacks num_attention_heads"):
        _read({**MODELS["Qwen2-7B"], "num_attention_heads": None})
    with pytest.raises(NotReadError, match="it has a value of another kind than files of its"):
        _read({**MODELS["LFM2-1.2B"], "block_ffn_dim_multiplier": float("inf")})


@pytest.mark.parametrize(
    "kind",
    [
        "t5", "bart", "whisper", "mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv7", "llada",
        "Dream", "qwen2_audio", "voxtral", "bert", "jamba", "zamba2", "recurrent_gemma", "xlstm",
        "gemma3n_text", "mimo_v2_flash", "minimax", "kimi_linear", "deepseek_v4",
        "step3p5", "nemotron-nas", "dbrx", "phimoe", "mllama", "moshi", "", 7,
    ],
)  # fmt: skip
def test_families_that_are_not_known_get_no_number(kind: object) -> None:
    """With the numbers of a Llama beside, which many of them have."""
    config = {
        "model_type": kind,
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "d_model": 4096,
        "n_layers": 32,
        "n_heads": 32,
        "state_size": 16,
    }
    with pytest.raises(NotReadError, match=r"models of the type .* are not known"):
        _read(config)
    with pytest.raises(NotReadError):
        _read({"model_type": kind, "text_config": config, "vision_config": {}})


def test_a_file_that_does_not_say_what_it_describes() -> None:
    for config in ({}, {"hidden_size": 4096}, {"model_type": None, "hidden_size": 4096}):
        with pytest.raises(NotReadError, match="names no model_type"):
            _read(config)


def test_no_name_says_more_than_the_config_beside_the_script(tmp_path: Path) -> None:
    """The folder's name holds that of a known model; what lies in it is another one."""
    folder = tmp_path / "my-qwen3-8b-grpo"
    folder.mkdir()
    (tmp_path / "x.sh").write_text(
        "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo "
        "data.train_batch_size=128 data.max_prompt_length=1024 data.max_response_length=1024 "
        "actor_rollout_ref.rollout.name=vllm "
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=1 "
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 "
        "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=1 "
        f"actor_rollout_ref.model.path={folder.name} trainer.n_gpus_per_node=8 trainer.nnodes=1\n"
    )
    arguments = ("estimate", "x.sh", "--root", ".", "--device", "h100", "--gpus", "8")
    said = rlbot(*arguments, cwd=tmp_path).out
    assert "my-qwen3-8b-grpo taken for Qwen3-8B" in said
    (folder / "config.json").write_text('{"model_type": "llada"}')
    said = rlbot(*arguments, cwd=tmp_path).out
    assert "no prediction" in said
    assert "models of the type 'llada' are not known" in said


PHI: dict[str, Any] = MODELS["phi-2"]


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({**MODELS["EXAONE-3.5-2.4B"]}, 2_405_327_360),
        (
            {
                "model_type": "qwen", "vocab_size": 151936, "hidden_size": 4096,
                "intermediate_size": 22016, "num_hidden_layers": 32, "num_attention_heads": 32,
                "tie_word_embeddings": False,
            },
            7_721_324_544,
        ),
        (
            {
                "model_type": "internlm2", "vocab_size": 92544, "hidden_size": 4096,
                "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
                "num_key_value_heads": 8, "bias": False, "tie_word_embeddings": False,
            },
            7_737_708_544,
        ),
    ],
)  # fmt: skip
def test_families_whose_files_have_names_of_their_own(config: Any, count: int) -> None:
    """By what their pages say: the numbers of the first Qwen's MLP are of both its matrices."""
    assert _read(config).parameters == count


@pytest.mark.parametrize(
    "config",
    [
        {**PHI, "qk_layernorm": True},
        {**MODELS["stablelm-2-1_6b"], "use_parallel_residual": True},
        {**MODELS["stablelm-2-1_6b"], "qk_layernorm": True},
        {**MODELS["falcon-7b"], "alibi": True},
        {**MODELS["falcon-7b"], "new_decoder_architecture": True},
    ],
)
def test_a_switch_that_makes_other_layers_is_not_guessed(config: Any) -> None:
    with pytest.raises(NotReadError, match="which is not counted"):
        _read(config)


def test_what_some_families_have_besides() -> None:
    assert _read({**PHI, "vocab_size": 51201}).parameters - _read(PHI).parameters == 2 * 2560 + 1
    aya = MODELS["aya-expanse-8b"]
    normed = _read({**aya, "use_qk_norm": True}).parameters
    assert normed - _read(aya).parameters == 32 * (32 + 8) * 128
    one = _read({**MODELS["falcon-7b"], "multi_query": False})
    assert one.kv_heads == one.heads == 71
