"""Configurations of models and runs, and console output, by class."""

from __future__ import annotations

import json
from typing import Final

_LLAMA: Final = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 32000,
    "num_attention_heads": 32, "intermediate_size": 11008,
}  # fmt: skip


def _model(**other: object) -> str:
    return json.dumps({**_LLAMA, **other})


MODELS: Final[dict[str, str]] = {
    "millions of layers": _model(num_hidden_layers=5_000_000),
    "millions of layers with experts": _model(
        model_type="qwen3_moe", num_hidden_layers=9_000_000, num_experts=8, decoder_sparse_step=1,
        num_experts_per_tok=2, moe_intermediate_size=64,
    ),
    "millions of linear layers": _model(
        model_type="qwen3_next", num_hidden_layers=9_000_000, full_attention_interval=4,
    ),
    "a number of a thousand digits": _model().replace("32000", "9" * 5_000),
    "no head": _model(num_attention_heads=0),
    "nested lists": "[" * 100_000,
    "nested texts": '{"text_config":' * 900 + "{}" + "}" * 900,
    "no number": _model(hidden_size=float("inf")),
    "a list of kinds": _model(model_type=["llama"]),
    "many kinds": _model(layer_types=["full_attention"] * 70_000),
}  # fmt: skip
RUNS: Final[dict[str, str]] = {
    "aliases that double": "a0: &a0 [x, x]\n"
    + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}, *a{n}]\n" for n in range(40)),
    "nested lists": "a: " + "[" * 900 + "]" * 900 + "\n",
    "nested mappings": json.dumps({"a": {"value": json.loads('{"b":' * 300 + "1" + "}" * 300)}}),
    "large namespaces": "".join(
        f"a{n}:\n  value: Namespace({', '.join(f'b{m}=[{m}, {m}]' for m in range(8_000))})\n"
        for n in range(60)
    ),
    "nested namespaces": "a:\n  value: " + "Namespace(a=" * 400 + "1" + ")" * 400 + "\n",
    "a long number": "a:\n  value: " + "9" * 6_000 + "\n",
    "a long number in a namespace": "a:\n  value: Namespace(a=" + "9" * 6_000 + ")\n",
    "many cards": json.dumps({"gpu_nvidia": [{"name": "x", "memoryTotal": "9" * 400}] * 20_000}),
    "a long time": "a: 1" + ":59" * 2_000 + ".5\n",
    "no value of its tag": "a: !!bool x\nb: !!timestamp x\n",
    "a merge of itself": "a: &a\n  <<: *a\n",
    "a tag": "a: !!python/object/apply:os.system [id]\n",
}
CONSOLES: Final[dict[str, str]] = {
    "a long line": "step:1 - " + "a:1 - " * 400_000,
    "steps": "".join(f"step:{n} - perf/max_memory_allocated_gb:1.5\n" for n in range(60_000)),
    "brackets": "step:1 - " + "[" * 200_000 + "\n",
    "namespaces": ("Namespace(" + "a=1, " * 9_000 + "b=2)\n") * 20,
    "open namespaces": "Namespace(a=" * 40_000 + "\n",
    "escapes": "\x1b[" * 200_000 + "\n",
    "rewritten lines": "a\r" * 400_000 + "\n",
    "a dictionary": "{'a': " * 900 + "1" + "}" * 900 + "\n",
    "errors": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate \n" * 20_000,
    "a traceback": 'Traceback (most recent call last):\n  File "x", line 1, in y\n' * 20_000,
}
