"""In which types TRL and open-instruct keep a model, and in which they compute.

Sources: transformers' `TrainingArguments`, TRL's configurations 0.13 to 1.16, PEFT, accelerate's
`prepare_model` (`accelerator.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Required, TypedDict

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.readers.settings import MemorySettings, needed
from bot.memory.readers.trl.backend import deepspeed_file
from bot.memory.readers.trl.unsloth import by_unsloth, is_quantized, keeps_wrapper
from bot.memory.workload import Backend

_WIDTH = {"float32": 4.0, "fp32": 4.0, "auto": 2.0, "bfloat16": 2.0, "bf16": 2.0, "float16": 2.0}
_MIXED = ("bf16", "fp16")
_HALF = {"bfloat16": "bf16", "bf16": "bf16", "float16": "fp16"}
_ASKS = regex(r"is_(?:bf16|bfloat16)_(?:supported|available)|get_device_capability")
"""How programs ask for it."""
_CAST_UNTIL = {
    "sft": (0, 26), "rm": (0, 26), "dpo": (0, 29), "grpo": (0, 26), "rloo": (0, 27),
    "kto": (1, 4), "orpo": (9,), "cpo": (9,),
}  # fmt: skip
"""Algorithm to the first release of TRL that does not prepare a quantized model; 1.16 has some that
still do."""


def width_of(name: str) -> float | None:
    """Bytes of a number of a type; None where there is no such type."""
    return _WIDTH.get(name.removeprefix("torch."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """Bytes a parameter of the model and its states, and what passes through its layers."""

    weights: float
    loaded: float = 2.0
    """Of a model that is not trained: the type that it is loaded in."""
    stated: float = 2.0
    """Of one as `from_pretrained` loads it."""
    gradients: float
    optimizer: float
    step: float
    step_widest: float = 0.0
    """Of an entry of the widest matrix, while an optimizer steps one tensor after the other."""
    adapter: float = 2.0
    """Of an adapter's parameter while it computes."""
    frozen: float | None = None
    """Of a quantized parameter."""
    whole_experts: bool = False
    """Whether routed experts are not quantized."""
    ends: float = 2.0
    """Of what is not quantized below a quantized adapter."""
    computes: float = 2.0
    """Of what passes through the layers: the weights' type where nothing casts it."""
    casts_outputs: bool = False
    """Whether accelerate makes the model's outputs fp32: its `prepare_model` wraps `forward` in
    `convert_outputs_to_fp32` where mixed precision is its own, not DeepSpeed's."""

    autocast: bool = False
    """Whether autocast makes bf16 of fp32 weights, product by product; FSDP casts its units."""
    recast: bool = False
    """Whether autocast makes the other type of 16 bits of frozen weights: bf16 of fp16."""
    half: str | None = None
    """The type of 16 bits that it computes in: bf16 or fp16."""
    prepared: bool = False
    """Whether norms are in fp32 beside quantized matrices, which makes hidden states fp32."""

    @property
    def residual(self) -> float:
        """Bytes of the residual stream's unit."""
        return 4.0 if self.autocast or self.prepared else self.computes


def precision_of(get: MemorySettings, backend: Backend, algorithm: str) -> Precision:
    """The types of a plan; raises NoEstimateError where one is not known."""
    instruct = get.plan.framework == "open-instruct"
    stated = _loaded(get) or get.text("dtype", "torch_dtype", "model_dtype")
    # open-instruct loads in bf16; transformers' default is fp32.
    name = (stated or ("bfloat16" if instruct else "float32")).lower()
    width = needed(_WIDTH.get(name), "The data type {name} is not known.", name=name)
    frozen = _frozen(get)
    again = _prepares(get, algorithm)
    program = get.plan.written
    prepared = frozen is not None and (again or (program is not None and program.prepared))
    half = _mixed(get, instruct=instruct)
    own = by_unsloth(get)  # Its kernels cast nothing.
    mixed, other = half is not None, _HALF.get(name, half) != half
    narrow = 2.0 if backend.startswith("zero") else width
    ends = (_ends(get, backend, narrow) if again else 4.0) if prepared else None
    if backend.startswith("zero"):
        made = _under_zero(get, frozen, ends or 2.0, prepared=prepared)
        return replace(made, stated=width, half=half or _HALF.get(name))
    adapted = bool(get.plan.adapter.value)
    # accelerate makes trained parameters fp32 (`prepare_model`, `fsdp2_prepare_model`).
    divided = backend in ("fsdp", "fsdp2") and mixed and not adapted
    weights = 4.0 if divided else width
    return Precision(
        weights=weights,
        loaded=width,
        stated=width,
        **(_adapters(get, quantized=frozen is not None) if adapted else _whole(get, weights)),
        frozen=frozen,
        whole_experts=whole_experts(get),
        ends=ends or max(2.0, weights),
        prepared=prepared,
        half=half or _HALF.get(name),
        computes=2.0 if mixed else width,
        casts_outputs=keeps_wrapper(get, algorithm) if own else mixed and not instruct,
        autocast=mixed and width > 2 and backend == "ddp" and not (adapted and frozen),
        recast=mixed and not own and adapted and backend == "ddp" and frozen is None and other,
    )


def _loaded(get: MemorySettings) -> str | None:
    """The type in which a program loads its model, where it says none.

    That of the files in transformers 5 (`modeling_utils.py`: "auto"), which TRL's releases since
    0.28 are newer than; fp32 before.
    """
    said = any(get.plan.last(name) is not None for name in ("dtype", "torch_dtype"))
    return None if get.plan.written is None or said else unsaid_type(get)


def unsaid_type(get: MemorySettings) -> str:
    """The type of `from_pretrained` that is given none."""
    return "auto" if version_at_least(get.plan, 0, 28) else "float32"


def _under_zero(
    get: MemorySettings, frozen: float | None, ends: float, *, prepared: bool
) -> Precision:
    """bf16 beside DeepSpeed's fp32 weights, and the moments of an optimizer of those.

    That is the trainer's where DeepSpeed's file names none (`deepspeed_init` of transformers).
    """
    own = (written := deepspeed_file(get)) is not None and written.own_optimizer
    fused = own or get.plan.framework == "open-instruct" or _fused(get)
    return Precision(
        weights=2.0,
        gradients=2.0,
        optimizer=4.0 + (8.0 if own else _moments(get, 8.0)),
        step=0.0 if fused else 4.0,
        frozen=frozen,
        whole_experts=whole_experts(get),
        ends=ends,
        prepared=prepared,
    )


class _Trained(TypedDict, total=False):
    """What `Precision` has of the parameters that are trained."""

    gradients: Required[float]
    optimizer: Required[float]
    step: Required[float]
    step_widest: float
    adapter: float


def _adapters(get: MemorySettings, *, quantized: bool) -> _Trained:
    """PEFT's, in fp32 whatever the base is in; TRL casts them to bf16 above a quantized one."""
    narrow = quantized and version_at_least(get.plan, 0, 26) and not by_unsloth(get)
    each = 2.0 if narrow else 4.0
    return _Trained(gradients=each, optimizer=_moments(get, 2 * each), step=0.0, adapter=each)


def _whole(get: MemorySettings, width: float) -> _Trained:
    """A model's own, of `width` bytes each."""
    return _Trained(
        gradients=width,
        optimizer=_moments(get, 2 * width),
        step=0.0 if get.plan.framework == "open-instruct" or _fused(get) else width,
        step_widest=_widest(get, width),
    )


def _mixed(get: MemorySettings, *, instruct: bool) -> str | None:
    """The type that the trainer computes in by mixed precision, bf16 or fp16; None without it.

    `bf16` of `TrainingArguments` is off unless set; TRL's own configurations turn it on where
    neither it nor `fp16` is set, in the releases whose default of it is None. Where it is off,
    accelerate's own option counts (`ACCELERATE_MIXED_PRECISION` in `TrainingArguments`).
    """
    fp16 = _switched(get, False, "fp16")
    own = None if instruct else launcher_option(get.plan.launch, "mixed_precision")
    if _switched(get, not instruct and not fp16, "bf16"):
        return "bf16"
    said = own.value if own is not None else None
    return "fp16" if fp16 else next((one for one in _MIXED if one == said), None)


def _switched(get: MemorySettings, otherwise: bool, name: str) -> bool:
    """Whether `bf16` or `fp16` is on.

    Where a program asks whether the GPU has bf16 (`bf16=is_bf16_supported()`), it has: every one
    since Ampere does, and fp16 in its place takes as much.
    """
    setting = get.plan.last(name)
    if setting is not None and not setting.known and _ASKS.search(setting.text):
        get.asked.add(name)
        return name == "bf16"
    return get.on(otherwise, name)


def _frozen(get: MemorySettings) -> float | None:
    four, nested = get.on(False, "load_in_4bit"), get.on(False, "use_bnb_nested_quant")
    if is_quantized(get):
        return constants.NF4_NESTED
    if four:
        return constants.NF4_NESTED if nested else constants.NF4
    return constants.INT8 if get.on(False, "load_in_8bit") else None


def whole_experts(get: MemorySettings) -> bool:
    """Whether routed experts are left in the type that they are loaded in, whatever is quantized.

    bitsandbytes takes linear modules, and transformers 5, which TRL's releases since 0.28 are newer
    than, has the experts of a layer in one parameter (bitsandbytes#1849). unsloth quantizes them.
    """
    return _frozen(get) is not None and version_at_least(get.plan, 0, 28) and not by_unsloth(get)


def _prepares(get: MemorySettings, algorithm: str) -> bool:
    """Whether the trainer calls PEFT's `prepare_model_for_kbit_training`.

    It makes fp32 of what is not quantized. TRL's trainers of these releases do, as open-instruct's.
    Of a model that is divided they say that they do not (`is_sharded_qlora`), but what public runs
    took says that it is in fp32.
    """
    if get.plan.framework == "open-instruct":
        return True
    if by_unsloth(get):
        return False
    if version_at_least(get.plan, *_CAST_UNTIL.get(algorithm, (0, 26))):
        return False
    return algorithm not in ("grpo", "rloo") or version_at_least(get.plan, 0, 22)


def _ends(get: MemorySettings, backend: Backend, weights: float) -> float:
    """Bytes of a parameter of embedding and head in a model that was prepared.

    fp32, but for TRL's four bits with `bf16` on one GPU or copied to each: its
    `peft_module_casting_to_bf16` makes them bf16 again, and leaves the norms in fp32.
    """
    whole = get.plan.framework != "open-instruct" and backend == "ddp"
    again = whole and get.on(False, "load_in_4bit") and _switched(get, True, "bf16")
    return max(2.0, weights) if again and not _switched(get, False, "fp16") else 4.0


def _fused(get: MemorySettings) -> bool:
    """Whether the optimizer's step makes no copy of a moment.

    torch's AdamW takes the root of all second moments together (`_multi_tensor_adam`), unless it is
    the fused one, which `TrainingArguments` takes with torch 2.8 (transformers#37358); TRL 0.22 is
    the first release after that. bitsandbytes' and the others' go through one tensor at a time.
    """
    name = get.text("optim")
    if name is None:
        return version_at_least(get.plan, 0, 22)
    return name.lower() != "adamw_torch"


def _widest(get: MemorySettings, width: float) -> float:
    """Adafactor's fp32 copies of a tensor and its gradient, and two temporaries (`step` there).

    Measured on a GPU in bf16 (`tests/memory/measured`); what is in fp32 has no copies.
    """
    if (get.text("optim") or "").lower() != "adafactor":
        return 0.0
    return 16.0 if width < 4 else 8.0


def embedding_moments(get: MemorySettings) -> float:
    """What the moments of an embedding's entry take more than those of others.

    transformers' `Trainer.create_optimizer` leaves embeddings to fp32 in bitsandbytes' 8-bit
    optimizers (`register_module_override`): four bytes for one.
    """
    name = (get.text("optim") or "").lower()
    other = "torch" in name or "galore" in name  # torchao's, GaLore's
    if get.plan.framework != "trl" or "8bit" not in name or other:
        return 0.0
    return 3.0 if "lion" in name or "rmsprop" in name else 6.0


def _moments(get: MemorySettings, both: float) -> float:
    """Bytes of a parameter's moments, by `optim` of transformers' `TrainingArguments`.

    bitsandbytes' 8-bit ones take a byte each, Lion has one, Adafactor a row and a column, plain SGD
    none.
    """
    name = (get.text("optim") or "").lower()
    if name in ("adafactor", "sgd"):
        return 0.0
    both = 2.0 if "8bit" in name else both
    return both / 2 if "lion" in name else both
