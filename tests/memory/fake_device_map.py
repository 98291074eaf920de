"""Records how transformers and accelerate lay models over cards (`device_map="auto"`).

    python -m tests.memory.fake_device_map   # writes fake_device_map.json; needs torch,
                                             # transformers 5, accelerate and bitsandbytes

Models are on torch's meta device, cards are given by their sizes: no GPU is needed. Before
transformers 5 accelerate's own functions laid them out, which it still has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

MODELS: dict[str, dict[str, Any]] = {
    "Qwen2.5-7B": {
        "of": "Qwen2", "vocab_size": 152064, "hidden_size": 3584, "intermediate_size": 18944,
        "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
        "tie_word_embeddings": False,
    },
    "Qwen2.5-1.5B": {
        "of": "Qwen2", "vocab_size": 151936, "hidden_size": 1536, "intermediate_size": 8960,
        "num_hidden_layers": 28, "num_attention_heads": 12, "num_key_value_heads": 2,
        "tie_word_embeddings": True,
    },
    "Qwen2.5-32B": {
        "of": "Qwen2", "vocab_size": 152064, "hidden_size": 5120, "intermediate_size": 27648,
        "num_hidden_layers": 64, "num_attention_heads": 40, "num_key_value_heads": 8,
        "tie_word_embeddings": False,
    },
    "Llama-3.1-8B": {
        "of": "Llama", "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "tie_word_embeddings": False,
    },
    "Llama-2-7B": {
        "of": "Llama", "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 11008,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
        "tie_word_embeddings": False,
    },
    "Llama-3.1-70B": {
        "of": "Llama", "vocab_size": 128256, "hidden_size": 8192, "intermediate_size": 28672,
        "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
        "tie_word_embeddings": False,
    },
}  # fmt: skip
CARDS = (2, 3, 4, 8)
_GIB = 2**30
_Room: TypeAlias = dict[int | str, int]


def main() -> None:
    """Writes what each of the cards has of each model, in 16 and in four bits."""
    told = [one for name in MODELS for one in _of(name)]
    text = ",\n".join(f" {json.dumps(one)}" for one in told)
    Path(__file__).with_name("fake_device_map.json").write_text(f"[\n{text}\n]\n", "utf-8")


def _of(name: str) -> Iterator[dict[str, Any]]:
    for bits in (16, 4):
        for cards in CARDS:
            room: _Room = dict.fromkeys(range(cards), 79 * _GIB)
            room["cpu"] = 500 * _GIB
            for by, made in (("transformers", _newer), ("accelerate", _older)):
                laid = [{"layers": 0, "ends": []} for _ in range(cards)]
                for part, card in made(name, bits, room).items():
                    if re.fullmatch(r"model\.layers\.\d+", part):
                        laid[card]["layers"] += 1
                    elif part in ("model.embed_tokens", "lm_head"):
                        laid[card]["ends"].append(part.rpartition(".")[2])
                    elif not part:  # The whole model.
                        layers = MODELS[name]["num_hidden_layers"]
                        laid[card] = {"layers": layers, "ends": ["embed_tokens", "lm_head"]}
                yield {"model": name, "bits": bits, "by": by, "cards": laid}


def _model(name: str) -> Any:
    torch, transformers = import_module("torch"), import_module("transformers")
    sizes = dict(MODELS[name])
    config = getattr(transformers, f"{sizes.pop('of')}Config")(**sizes)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.tie_weights()
    return model


def _newer(name: str, bits: int, room: _Room) -> dict[str, Any]:
    of = import_module("transformers.integrations.accelerate")
    model, quantizer = _model(name), None
    if bits == 4:
        quantizers = import_module("transformers.quantizers.quantizer_bnb_4bit")
        config = import_module("transformers").BitsAndBytesConfig(load_in_4bit=True)
        quantizer = quantizers.Bnb4BitHfQuantizer(config)
        quantizer.modules_to_not_convert, quantizer.pre_quantized = ["lm_head"], False
        quantizer._process_model_before_weight_loading(model, device_map="auto")
    return dict(of._get_device_map(model, "auto", dict(room), quantizer))


def _older(name: str, bits: int, room: _Room) -> dict[str, Any]:
    of, torch = import_module("accelerate.utils"), import_module("torch")
    model = _model(name)
    how: dict[str, Any] = {"no_split_module_classes": list(model._no_split_modules)}
    how["dtype"] = torch.bfloat16 if bits == 16 else of.CustomDtype.INT4
    if bits == 4:
        heads = (key for key, _ in model.named_parameters() if "lm_head" in key)
        how["special_dtypes"] = dict.fromkeys(heads, torch.bfloat16)
    balanced = of.get_balanced_memory(model, max_memory=dict(room), low_zero=False, **how)
    if bits == 4:
        balanced = {place: amount * 0.9 for place, amount in balanced.items()}
    return dict(of.infer_auto_device_map(model, max_memory=balanced, **how))


if __name__ == "__main__":
    main()
