"""Writes `bot/memory/shapes/shapes.json`: shapes of models, each counted elsewhere too.

    python -m schemas.models.generate_shapes --litgpt config.py --aiconfigurator model_configs

A row of the file that no source makes anew stays.

Run it where torch and transformers are installed; neither is needed afterwards. The shapes come
from `litgpt/config.py` (Apache-2.0), from the configurations that `aiconfigurator-core`
(Apache-2.0) ships, and from `rows.json` (models' own pages; for some sizes the source of torchtitan
and MaxText). The count that is pinned beside each is that of the module
which transformers itself builds (on the meta device, without weights), so that the arithmetic of
`bot.memory.shapes.shape` is compared with something that does not share its formulas. A model
whose two counts differ, or that transformers cannot build, is named and left out.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from bot.memory.shapes.hub_config import read_config
from bot.memory.shapes.hub_numbers import NotReadError
from bot.memory.shapes.models import read_shape
from bot.memory.shapes.shape import Shape

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "bot" / "memory" / "shapes" / "shapes.json"
_TYPES = (
    (r"Qwen2\.5|QwQ", "qwen2"),
    (r"Qwen3.*-A\d", "qwen3_moe"),
    (r"Qwen3", "qwen3"),
    (r"Llama|SmolLM2|R1-Distill-Llama|Falcon3", "llama"),
    (r"Mixtral", "mixtral"),
    (r"Mistral|Mathstral", "mistral"),
    (r"pythia", "gpt_neox"),
    (r"CodeGemma", "gemma"),
    (r"OLMo-2", "olmo2"),
    (r"[Gg]emma-2-", "gemma2"),
    (r"[Gg]emma-3-1b", "gemma3_text"),
    (r"[Gg]emma-\d?\d?b?(?:2b|7b)", "gemma"),
    (r"[Pp]hi-(?:3|4)", "phi3"),
)
_TIED = re.compile(
    r"Qwen2\.5-(?:\w+-)?(?:0\.5|1\.5|3)B|Qwen3-(?:0\.6|1\.7|4)B|Llama-3\.2|[Gg]emma|CodeGemma|"
    r"SmolLM2|"
    r"Phi-4-mini"
)
_ENDING = re.compile(
    r"-(?:Instruct|Base|Chat|chat|it|hf|Thinking|instruct|reasoning|plus|Preview|2507|2407|2411|1M|"
    r"deduped)"
    r"(?=-|\Z)"
)


def _litgpt(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each shape of litgpt as a Hugging Face configuration."""
    spec = importlib.util.spec_from_file_location("litgpt_config", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} cannot be read.")
    module = importlib.util.module_from_spec(spec)
    sys.modules["litgpt_config"] = module
    spec.loader.exec_module(module)
    for row in module.configs:
        kind = next((kind for found, kind in _TYPES if re.match(found, row["name"])), None)
        if kind is None:
            continue
        shape = module.Config(**row)
        config: dict[str, Any] = {
            "model_type": kind,
            "hidden_size": shape.n_embd,
            "num_hidden_layers": shape.n_layer,
            "num_attention_heads": shape.n_head,
            "num_key_value_heads": shape.n_query_groups,
            "head_dim": shape.head_size,
            "intermediate_size": shape.intermediate_size,
            "vocab_size": shape.padded_vocab_size,
            "tie_word_embeddings": bool(_TIED.match(row["name"])),
        }
        if kind == "qwen3_moe":
            config |= {
                "num_experts": shape.n_expert,
                "num_experts_per_tok": shape.n_expert_per_token,
                "moe_intermediate_size": shape.moe_intermediate_size,
            }
        if kind == "mixtral":
            config |= {
                "num_local_experts": shape.n_expert,
                "num_experts_per_tok": shape.n_expert_per_token,
            }
        yield re.sub(r"\AR1-", "DeepSeek-R1-", row["name"]), config


def _aiconfigurator(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(folder.glob("*_config.json")):
        if path.name.endswith("_hf_quant_config.json"):
            continue
        config = json.loads(path.read_bytes())
        if config.get("model_type") == "llama4":
            continue  # Without their tower there.
        config.get("text_config", {}).pop("quantization_config", None)
        if not config.get("quantization_config") or config.get("model_type") in (
            "deepseek_v3",
            "kimi_k2",
            "gpt_oss",
            "qwen3_5",
            "qwen3_5_moe",
            "deepseek_v32",
            "gemma4",
            "kimi_k25",
            "minimax_m2",
            "nemotron_h",
        ):
            # Released in fp8 or mxfp4, or quantized afterwards: the shape is the same.
            if config.get("model_type") != "gpt_oss":  # Its experts alone are.
                config.pop("quantization_config", None)
            name = path.name.removesuffix("_config.json").split("--", 1)[1]
            yield re.sub(r"\ANVIDIA-|(?:-IT)?-(?:NVFP4|FP8|BF16)\Z", "", name), config


def _rows(path: Path, package: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was written down by hand: from models' own pages, or from a package's source."""
    data = json.loads(path.read_bytes())
    yield from (data[package] if package else data)["models"].items()


def _counted(config: Mapping[str, Any]) -> tuple[int, int]:
    """Parameters, and those beside the text model, of the module that transformers builds."""
    torch, hub = importlib.import_module("torch"), importlib.import_module("transformers")
    # MiMo is Qwen2 with layers for multi-token prediction beside, which are not counted; MiniCPM is
    # Llama with other scales.
    same = {"kimi_k2": "deepseek_v3", "mimo": "qwen2", "minicpm": "llama"}
    kind = same.get(config["model_type"], config["model_type"])
    unbuilt = ("model_type", "auto_map", "quantization_config")
    plain = {key: value for key, value in config.items() if key not in unbuilt}
    made = hub.AutoConfig.for_model(kind, **plain)
    auto = hub.AutoModelForImageTextToText if "vision_config" in config else None
    with torch.device("meta"):
        model = (auto or hub.AutoModelForCausalLM).from_config(made)
    model.tie_weights()
    total = sum(p.numel() for p in model.parameters())
    if auto is None:
        return total, 0
    text = ("language_model.", "lm_head.", "model.text_model.")
    named = model.named_parameters()
    return total, sum(p.numel() for name, p in named if not any(part in name for part in text))


_REQUIRED = ("hidden", "layers", "heads", "kv_heads", "head_dim", "intermediate", "vocab")


def _shape(config: Mapping[str, Any], vision: int) -> Shape:
    """With the tower that the configuration describes, where its parameters are so many."""
    try:
        described = read_config(config)
    except NotReadError:
        described = None
    if described is not None and described.vision == vision:
        return described
    return read_config(config, beside=vision)


def _compact(shape: Shape) -> dict[str, Any]:
    """Fields that differ from their default."""
    ones: dict[str, Any] = dict.fromkeys(_REQUIRED, 1)
    bare, given = asdict(Shape(**ones)), asdict(shape)
    for name in ("experts", "latent", "linear", "tower"):
        part = getattr(shape, name)
        if part is not None:
            usual = {field.name: field.default for field in fields(part)}
            given[name] = {k: v for k, v in given[name].items() if v != usual[k]}
    return {k: v for k, v in given.items() if k in _REQUIRED or v != bare[k]}


def main() -> None:
    """Write the file; print what was left out and why."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--litgpt", type=Path, help="litgpt/config.py")
    parser.add_argument("--aiconfigurator", type=Path, help="model_configs/")
    parser.add_argument("--versions", required=True, help='"litgpt 0.5.13, …", as data')
    options = parser.parse_args()
    models: dict[str, dict[str, Any]] = {}
    for source, rows in (
        ("litgpt", _litgpt(options.litgpt) if options.litgpt else ()),
        (
            "aiconfigurator-core",
            _aiconfigurator(options.aiconfigurator) if options.aiconfigurator else (),
        ),
        ("rows.json", _rows(HERE / "rows.json")),
        ("torchtitan", _rows(HERE / "rows.json", "torchtitan")),
        ("maxtext", _rows(HERE / "rows.json", "maxtext")),
    ):
        for full, config in rows:
            name = _ENDING.sub("", full)
            try:
                read_config(config, beside=0)
                total, vision = _counted(config)
                shape = _shape(config, vision)
            except NotReadError as error:
                sys.stderr.write(f"{full} ({source}): left out, {error}\n")
                continue
            except Exception as error:
                sys.stderr.write(f"{full} ({source}): not built: {error!r:.150}\n")
                continue
            if shape.parameters != total:
                sys.stderr.write(f"{full} ({source}): {shape.parameters} here, {total} built\n")
                continue
            row = {**_compact(shape), "parameters": total, "source": source}
            known = models.setdefault(name, row)
            if {**known, "source": ""} != {**row, "source": ""}:
                sys.stderr.write(f"{full} ({source}): another shape than {name} has\n")
                models[full] = row
    standing = json.loads(OUT.read_bytes())["models"]
    for name, row in standing.items():
        bare = {**_compact(read_shape(row)), **{k: row[k] for k in ("parameters", "source")}}
        models.setdefault(name, bare)
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(models.items()))
    OUT.write_text(
        f'{{"made_from": {json.dumps(options.versions)},\n"models": {{\n{lines}\n}}}}\n',
        encoding="utf-8",
    )
    sys.stderr.write(f"{len(models)} models\n")


if __name__ == "__main__":
    main()
