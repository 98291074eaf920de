"""The optimizer of verl's FSDP trainers: what it keeps of a parameter, and what its step takes.

Sources: `build_optimizer` of verl's `workers/config/optimizer.py` (0.6 on); `_multi_tensor_adamw`
and `_single_tensor_adamw` of torch; `Optimizer8bit` of bitsandbytes; torchao's `prototype` and
`optim/adam.py`, whose step is compiled, a parameter at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from bot.memory.readers.settings import MemorySettings
from bot.memory.workload import Role

_KNOWN: Final = frozenset(
    ("betas", "bf16_stochastic_round", "capturable", "eps", "foreach", "fused", "weight_decay")
)
"""Arguments of an optimizer that keep as much of a parameter, whatever they are."""
_OWN_STATES: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "bitsandbytes.optim": {
            "AdamW": 8.0,
            "PagedAdamW": 8.0,
            "AdamW8bit": 2.0,
            "PagedAdamW8bit": 2.0,
            "Lion8bit": 1.0,
        },
        "torchao.optim": {"AdamW8bit": 2.0, "AdamW4bit": 1.0, "AdamWFp8": 2.0},
    }
)
"""Bytes of a parameter's moments where they have types of their own."""


def with_optimizer(role: Role, get: MemorySettings, config: str) -> Role:
    """A role with what its optimizer takes of a parameter; FSDP's settings stand at `config`.

    torch's AdamW, where nothing else is said, takes the root of all second moments together, unless
    it is told to take one tensor after the other (`foreach`), or all is fused.
    """
    below, _, last = config.rpartition(".")
    optim = f"{below.removesuffix('.model')}.optim" if last != "engine" and below else "optim"
    name = get.text(f"{optim}.optimizer") or "AdamW"
    package = get.text(f"{optim}.optimizer_impl") or "torch.optim"
    given = _arguments(get, f"{optim}.override_optimizer_config")
    own = _OWN_STATES.get(package, {}).get(name)
    if own is not None:
        return replace(role, optimizer_bytes=own, step_bytes=0.0)
    each = role.weight_bytes
    role = replace(role, optimizer_bytes=2 * each, step_bytes=0.0)
    if (package, name) == ("torchao.optim", "_AdamW"):
        return role
    if package != "torch.optim" or name not in ("Adam", "AdamW"):
        get.doubt(f"{optim}.optimizer")
        get.doubt(f"{optim}.optimizer_impl")
    if given.get("fused") is True:
        return role
    if given.get("foreach") is False:
        return replace(role, step_widest_bytes=2 * each)
    return replace(role, step_bytes=each)


def _arguments(get: MemorySettings, key: str) -> Mapping[str, object]:
    """What the optimizer is given besides; one that may keep less or more counts as not read."""
    value = get.value(key)
    found: dict[str, object] = dict(value) if isinstance(value, dict) else {}
    for name in sorted(_KNOWN):
        if (single := get.value(f"{key}.{name}")) is not None:
            found[name] = single
    if found.keys() - _KNOWN or not isinstance(value, dict | None):
        get.doubt(key)
    return found
