"""Settings that move memory and that no reader asks for.

A setting is one of them when its name holds one of `WORDS`: it offloads, divides, recomputes,
freezes or fuses something, or changes a data type. Whether the model reads it is not written down
anywhere: `MemorySettings` notes each key that a reader asks for, and what a script sets besides is
unread. What is unread can only make an estimate too high (the settings that are off, or as the
release has them anyway, are left out), so that nothing is called impossible or likely to fail
beside one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from bot.base.regex import regex
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of
from bot.frameworks.settings.setting import Setting
from bot.memory.workload import RoleName

WORDS = frozenset((
    "offload", "offloading", "sleep", "paged",
    "shard", "shards", "sharded", "sharding", "reshard", "parallel", "zero", "zero2", "zero3",
    "recompute", "freeze", "frozen", "fused", "liger", "tiled", "chunking",
    "dtype", "precision", "4bit", "8bit", "fp8", "nested",
    "quant", "quantization", "quantize", "quantized",
    "optim", "optimizer", "galore", "mtp",
))  # fmt: skip
"""Parts of a name, between underscores, that say that memory is moved, divided or narrowed."""
_PAIRS = regex(r"(?:gradient|activation|entropy)_checkpointing|logits_to_keep")
_BESIDE = frozenset(
    (
        *("ckpt", "path", "prefix", "profiler", "indexed", "calls", "var"),
        *("ray", "overlap", "router", "prefill", "factor"),
    )
)
"""Parts of a name that say that it concerns something else: files, profilers, tools."""
_WITHOUT = regex(r"actor_rollout_ref\.ref\.(?:.*\.)?(?:entropy|optimizer)_\w+")
"""What verl's reference has settings for and does not have: an entropy, an optimizer."""
_BACKENDS = {
    "fsdp": frozenset(("fsdp", "fsdp_config")),
    "fsdp2": frozenset(("fsdp", "fsdp_config")),
    "fsdp_turbo": frozenset(("fsdp", "fsdp_config", "turbo_config")),
    "veomni": frozenset(("veomni",)),
    "megatron": frozenset(("megatron", "override_transformer_config", "override_optimizer_config")),
}
"""Backend of verl to the groups of settings that it takes."""
_GROUPS = frozenset(("torchtitan", "automodel")).union(*_BACKENDS.values())
_PREFIXES: Mapping[bool, tuple[tuple[str, RoleName], ...]] = {
    True: (
        ("critic.", "critic"),
        ("actor_rollout_ref.ref.", "reference"),
        ("reward", "reward"),
        ("worker.critic.", "critic"),
        ("worker.ref.", "reference"),
    ),
    False: (("critic.", "critic"), ("ref.", "reference"), ("reward.", "reward")),
}
"""Whether a framework is verl to the prefixes of each role's settings."""
_PRESETS = regex(
    r"(?:\A|/)(?:(?:deepspeed_)?zero[123](?:_offload)?|fsdp[12]?|multi_gpu|single_gpu|ddp)\.ya?ml\Z"
)
"""The files of accelerate that TRL ships (`trl/accelerate_configs`), which offload nothing, and
those whose name says that they do. Another file is not read unless the repository has it."""
_FOUR_BITS = "bnb_4bit_quant_type"
"""Chooses between two types of four bits each."""
_OFF: tuple[object, ...] = (None, False, 0, "", "none", "null", "false", "0", "no", [])
_ASSUMED = frozenset(("bf16", "bfloat16", "float16", "fp16", "auto"))
"""Data types that every estimate takes for what is computed."""


def moves_memory(key: str) -> bool:
    """Whether a setting of this name moves, divides, narrows or recomputes something."""
    groups, _, name = key.rpartition(".")
    parts = set(name.lower().replace("-", "_").split("_"))
    if parts & _BESIDE or "profiler" in groups:
        return False
    return bool(parts & WORDS) or bool(_PAIRS.search(name))


def unread_settings(
    plan: Plan, read: Collection[str], roles: Collection[RoleName]
) -> tuple[str, ...]:
    """The settings of a launch that may lower its peak and are not among those `read`.

    Those of a role that the job does not have change nothing.
    """
    absent = tuple(
        prefix for prefix, role in _PREFIXES[plan.framework == "verl"] if role not in roles
    )
    return tuple(key for key in dict.fromkeys(_unread(plan, read)) if not key.startswith(absent))


def _unread(plan: Plan, read: Collection[str]) -> Iterator[str]:
    used = _BACKENDS.get(plan.train.value or "", frozenset())
    fields = {getattr(plan, name).key for name in ("train", "infer", "adapter", "algorithm")}
    for setting in plan.settings:
        if setting.operator == "~" or setting.key in read or setting.key in fields:
            continue
        if _WITHOUT.fullmatch(setting.key) or (plan.framework == "verl" and "." not in setting.key):
            continue  # A word of Hydra without a dot chooses a group.
        other = set(setting.key.split(".")[:-1]) & _GROUPS
        inert = bool(used) and not other <= used
        if moves_memory(setting.key) and not inert and _changes(plan, setting):
            yield setting.key
    for argument in plan.bad_arguments:
        name = argument.word.text.partition("=")[0].lstrip("-")
        if argument.word.text.startswith("--") and moves_memory(name):
            yield f"--{name}"
    tensor = launcher_option(plan.launch, "parallelism_config_tp_size")
    if tensor is not None and tensor.value != "1":
        yield f"--{tensor.name}"
    files = ("deepspeed_config_file",) if plan.launch.launcher_file else ("config_file",)
    preset = launcher_option(plan.launch, *files, "deepspeed_config_file")
    known = preset is None or f"--{preset.name}" in read
    if preset is not None and not known and not _PRESETS.search(preset.value or ""):
        yield f"--{preset.name} {preset.value or ''}".rstrip()


def _changes(plan: Plan, setting: Setting) -> bool:
    """Whether a setting is on, and not what the release does anyway."""
    winning = plan.last(setting.key)
    if winning is not setting:
        return False
    if not setting.known:
        return True
    resolved = values_of(plan).get(setting.key)
    value = resolved.value if resolved is not None else setting.value
    if setting.key == _FOUR_BITS:
        return False
    text = value.lower() if isinstance(value, str) else value
    if text in _OFF or (text == 1 and "parallel" in setting.key):
        return False
    if "dtype" in setting.key and text in _ASSUMED:
        return False
    known = plan.table.get(setting.key) if plan.table is not None else None
    return known is None or known.default is None or known.default != value
