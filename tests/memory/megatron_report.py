"""Records what Megatron-LM's own report says of model states, to compare ours with.

    python -m tests.memory.megatron_report CLONE    # a clone of NVIDIA/Megatron-LM

Runs `compute_weight_and_optimizer_memory` of `megatron/training/theoretical_memory_usage.py` (its
relative import of printing helpers replaced) for the layouts below and writes the bytes, with the
commit, to megatron_report.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

from bot.memory.shapes.models import find
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Layout

OUT = Path(__file__).parent / "megatron_report.json"
SOURCE = "megatron/training/theoretical_memory_usage.py"
LAYOUTS: tuple[tuple[str, dict[str, int]], ...] = (
    ("Llama-2-7b", {"gpus": 8, "tensor": 2}),
    ("Llama-2-70b", {"gpus": 64, "tensor": 8, "pipeline": 4}),
    ("Llama-3.1-8B", {"gpus": 16, "tensor": 4, "pipeline": 2}),
    ("Mixtral-8x7B-v0.1", {"gpus": 32, "tensor": 2, "expert": 8}),
    ("Mistral-7B-v0.3", {"gpus": 4, "tensor": 4}),
)


def arguments(shape: Shape, layout: Layout) -> dict[str, Any]:
    """The options of Megatron that describe a shape and a layout."""
    moe = shape.experts
    return {
        "num_layers": shape.layers,
        "hidden_size": shape.hidden,
        "ffn_hidden_size": shape.intermediate,
        "kv_channels": shape.head_dim,
        "num_attention_heads": shape.heads,
        "group_query_attention": True,
        "num_query_groups": shape.kv_heads,
        "padded_vocab_size": shape.vocab,
        "untie_embeddings_and_output_weights": not shape.tied,
        "swiglu": shape.gated,
        "normalization": "RMSNorm",
        "multi_latent_attention": False,
        "num_experts": moe.count if moe else None,
        "moe_layer_freq": 1,
        "moe_ffn_hidden_size": moe.intermediate if moe else None,
        "moe_router_topk": moe.active if moe else 0,
        "moe_shared_expert_intermediate_size": None,
        "moe_latent_size": None,
        "mtp_num_layers": None,
        "add_bias_linear": False,
        "use_distributed_optimizer": True,
        "tensor_model_parallel_size": layout.tensor,
        "pipeline_model_parallel_size": layout.pipeline,
        "expert_model_parallel_size": layout.expert,
        "expert_tensor_parallel_size": layout.expert_tensor,
        "data_parallel_size": layout.replicas // layout.context,
        "world_size": layout.gpus,
    }


def main(clone: str) -> None:
    """Write the recorded figures."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", clone, *words], check=True, capture_output=True, text=True
        ).stdout

    text = git("show", f"HEAD:{SOURCE}").replace(
        "from .utils import is_hybrid_model, print_rank_0", "is_hybrid_model = print_rank_0 = None"
    )
    module = types.ModuleType("theoretical_memory_usage")
    exec(compile(text, SOURCE, "exec"), module.__dict__)  # noqa: S102 - a clone of one's own choice
    rows = []
    for name, sizes in LAYOUTS:
        model = find(name)
        assert model is not None, name
        options = types.SimpleNamespace(**arguments(model.shape, Layout(**sizes)))
        measured = module.compute_weight_and_optimizer_memory(options)
        rows.append({"model": name, "layout": sizes, "bytes": measured})
    data = {"source": f"NVIDIA/Megatron-LM {SOURCE}", "commit": git("rev-parse", "HEAD").strip()}
    OUT.write_text(json.dumps({**data, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
