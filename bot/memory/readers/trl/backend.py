"""What divides a model that transformers' trainer trains, and what it keeps on the host."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bot.base.digits import natural_number
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.frameworks.files.named_files import below_unknown
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan import Launch, UnreadFile
from bot.frameworks.plan_values import version_at_least
from bot.memory.readers.settings import MemorySettings, NoEstimateError, needed
from bot.memory.workload import ZERO_STAGES, Backend, Offload

_OFFLOADS = regex(r"(?<!no)(?<!no[_-])offload")
"""In a preset's name; `zero3_no_offload` says the opposite."""

_STRATEGIES = {
    "1": "full_shard",
    "2": "shard_grad_op",
    "3": "no_shard",
    "4": "hybrid_shard",
    "5": "hybrid_shard_zero2",
}
_FILES = ("config_file", "accelerate_config")
"""The options that name a file of accelerate's."""
_TRUE = frozenset({"1", "true", "t", "yes", "y", "on"})
"""What accelerate's `str_to_bool` takes for it."""


def backend_of(get: MemorySettings) -> Backend:
    """What divides the model; raises NoEstimateError where a file that was not read says it."""
    train, key = get.plan.train.value, get.plan.train.key
    refuse_unread_file(get)
    if train is not None and key in _FILES and not get.plan.launch.launcher_file:
        _by_name(get)
    if train in ("fsdp", "fsdp2"):
        return "fsdp2" if train == "fsdp2" or _second_of_trainer(get) else "fsdp"
    if train != "deepspeed":
        if train is None and key in _FILES:
            raise NoEstimateError(
                "What {path} says of the backend is not known.",
                path=preset_path(get) or f"--{key}",
            )
        return "ddp"
    stage = get.whole("deepspeed_stage", "zero_stage")
    if stage is None:
        stage = _preset(get)
    return needed(ZERO_STAGES.get(-1 if stage is None else stage), "ZeRO's stage is not known.")


def _preset(get: MemorySettings) -> int | None:
    """The launcher's stage, else that of the file, in its name where the tree does not have it.

    DeepSpeed's part of an accelerate file that names neither a stage nor a file has stage 2
    (`DeepSpeedPlugin` of accelerate's `dataclasses.py`).
    """
    launch = get.plan.launch
    given = launcher_option(launch, "zero_stage")
    if given is not None:
        return natural_number(given.value or "")
    if (written := deepspeed_file(get)) is not None:
        return written.stage
    if launch.launcher_file and "deepspeed_config_file" not in launch.launcher_file:
        return 2
    stage = re.search(r"(?:zero|stage|ds_z)_?([0-3])|\A([0-3])\Z", _preset_name(get))
    if stage is None:
        return None
    _by_name(get)
    return int(stage[1] or stage[2])


def _by_name(get: MemorySettings) -> None:
    """Say that the name of a file alone says how the model is divided."""
    if path := preset_path(get):
        get.guessed.append(
            message("ZeRO or FSDP as the name of {path} says, which was not read", path=path)
        )


def refuse_unread_file(get: MemorySettings, *, gpus: bool = True) -> None:
    """Raise NoEstimateError where a file says how the model is divided that is not there, or none.

    One of accelerate's that is not there may be among TRL's own by its name, which does not say how
    many GPUs there are: where those are not known either (`gpus`), it is what lacks.
    """
    unread, train = get.plan.unread_file, get.plan.train
    if unread is None:
        return
    accelerates = train.key in _FILES and unread.path == preset_path(get)
    if not gpus and accelerates:
        raise _unread_error(unread, gpus=False)
    if unread.why == "broken" or not accelerates or train.value is None:
        raise _unread_error(unread)


def _unread_error(unread: UnreadFile, *, gpus: bool = True) -> NoEstimateError:
    if not gpus:
        why = message("The number of GPUs is not known: {problem}.", problem=unread.problem)
    else:
        why = message(
            "How the launch divides its model is not known: {problem}.", problem=unread.problem
        )
    if unread.why != "missing":
        return NoEstimateError(why)
    return NoEstimateError(
        "{why} It is looked for beside the script and in the folders above.", why=why
    )


def _preset_name(get: MemorySettings) -> str:
    """The file that says how DeepSpeed is used; below an unknown folder it is what follows."""
    name = below_unknown(preset_path(get))
    return "" if "${?" in name else name


def preset_path(get: MemorySettings) -> str:
    """That file as it is named, for accelerate or for the trainer."""
    launch = get.plan.launch
    if "use_deepspeed" in launch.launcher_file:
        option = launcher_option(launch, "deepspeed_config_file")
    else:
        option = launcher_option(launch, "config_file", "deepspeed_config_file")
    named = get.path("deepspeed") or get.path("accelerate_config")
    return (option.text if option else "") or named or ""


def offload_of(get: MemorySettings, backend: Backend) -> tuple[Offload, Offload, Offload]:
    """Whether weights, gradients and optimizer are on the host.

    DeepSpeed's own file says so where the tree has it. Another says so in its name, as it does its
    stage: `zero3_offload` moves all, at stages 1 and 2 the optimizer with its gradients
    (LLaMA-Factory's `ds_z*_offload_config.json`, ms-swift's `zero*_offload.json`). Accelerate's own
    options do without a file: `--fsdp_offload_params` and the word `offload` in the trainer's
    `fsdp` keep all there (torch's `CPUOffload` and `CPUOffloadPolicy`), `--offload_param_device`
    and `--offload_optimizer_device` name DeepSpeed's.
    """
    launch = get.plan.launch
    if backend in ("fsdp", "fsdp2"):
        whole = launcher_option(launch, "fsdp_offload_params")
        moved = whole is not None and says(whole.value)
        moved = moved or "offload" in _fsdp(get)
        moved = moved or says(of_trainer(get).get("cpu_offload"))
        kept = _kept(moved)
        return kept, kept, kept
    written = deepspeed_file(get)
    named = written is None and bool(_OFFLOADS.search(_preset_name(get)))
    named = named and get.plan.train.value == "deepspeed"
    weights = get.on(False, "deepspeed_offload_param") or bool(written and written.weights)
    weights = weights or _off_the_gpu(launch, "offload_param_device")
    weights = weights or (named and backend == "zero3")
    optimizer = get.on(False, "deepspeed_offload_optimizer") or named
    optimizer = optimizer or bool(written and written.optimizer)
    optimizer = optimizer or _off_the_gpu(launch, "offload_optimizer_device")
    # bitsandbytes' paged optimizers leave the GPU where it is full, without the gradients.
    paged = optimizer or "paged" in (get.text("optim") or "")
    return _kept(weights), _kept(optimizer), _kept(paged)


def _kept(moved: bool) -> Offload:
    return "always" if moved else "none"


@dataclass(frozen=True, slots=True)
class DeepSpeedFile:
    """What DeepSpeed's own JSON says: ZeRO's stage, and whether states are on the host."""

    stage: int
    weights: bool
    optimizer: bool
    own_optimizer: bool
    """Whether it names an optimizer, which then is DeepSpeed's whatever the trainer has."""


def deepspeed_file(get: MemorySettings) -> DeepSpeedFile | None:
    """The file that accelerate or the trainer is given; None where it is not known.

    It is one that the script wrote before, where an unknown part is none of JSON's values, else the
    tree's.
    """
    name = preset_path(get)
    content = _json_of(get, name)
    if content is None:
        return None
    own = get.plan.launch.command.files.get(name)
    zero = content.get("zero_optimization")
    stage = zero.get("stage", 0) if isinstance(zero, dict) else None
    if not isinstance(zero, dict) or not isinstance(stage, int):
        return None
    if own is not None and own.unknown and "null" in json.dumps(zero):
        return None
    get.asked.add("--deepspeed_config_file")

    def moved(part: str) -> bool:
        states = zero.get(part)
        return isinstance(states, dict) and states.get("device") in ("cpu", "nvme")

    optimizer = moved("offload_optimizer") or zero.get("cpu_offload") is True
    return DeepSpeedFile(stage, moved("offload_param"), optimizer, "optimizer" in content)


def _json_of(get: MemorySettings, path: str) -> dict[str, Any] | None:
    """A file of JSON that the script wrote before, else the tree's; None where it is not known.

    Or the JSON itself, which the trainer takes for its file (`TrainingArguments`).
    """
    name = below_unknown(path)
    data: str | bytes | None = path if path.startswith("{") else None
    own = get.plan.launch.command.files.get(path)
    if own is not None:
        data = own.content.text.translate(dict.fromkeys(map(ord, own.unknown), "null"))
    elif get.files is not None and name.endswith(".json") and "${?" not in name:
        data = get.files(name)
    try:
        content = json.loads(data) if data else None
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def of_trainer(get: MemorySettings) -> Mapping[str, Any]:
    """What the trainer's own `fsdp_config` says, JSON or a file of it; empty without one.

    Its keys may begin with `fsdp_` (`_process_fsdp_args` of transformers' `training_args.py`).
    """
    given = get.text("fsdp_config")
    if not given or not _fsdp(get):
        return {}
    try:
        content = json.loads(given) if given.lstrip().startswith("{") else _json_of(get, given)
    except (ValueError, RecursionError):
        content = None
    if content is None:
        get.doubt("fsdp_config")
        return {}
    return {key.removeprefix("fsdp_"): value for key, value in content.items()}


def _fsdp(get: MemorySettings) -> set[str]:
    """The words of the trainer's `fsdp`, "true" where it is only on; empty where it is not."""
    given = get.value("fsdp")
    words = " ".join(map(str, given)) if isinstance(given, list) else str(given or "")
    return set(words.lower().split())


def _second_of_trainer(get: MemorySettings) -> bool:
    """Whether transformers' trainer divides by FSDP2: since its 5.0 if asked, since 5.10 anyway.

    TRL is read with those since 0.27.2 and since 1.6.
    """
    if not _fsdp(get) or launcher_option(get.plan.launch, "use_fsdp") is not None:
        return False
    version = of_trainer(get).get("version", 2 if version_at_least(get.plan, 1, 6) else 1)
    return str(version) == "2" and version_at_least(get.plan, 0, 27, 2)


def says(value: object) -> bool:
    """Whether a word of an option or a file says that it is on."""
    return str(value).lower() in _TRUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Divided:
    """How FSDP divides a model, by accelerate's options or the trainer's `fsdp`."""

    shard: int
    """Ranks that share one copy."""
    reshard: bool = True
    """False where whole weights stay from a layer's forward pass to its backward pass."""


def divided(get: MemorySettings, gpus: int, per_node: int | None) -> Divided:
    """What FSDP's options say besides its version; FULL_SHARD without any.

    Accelerate's strategies by name or number (`FSDP_SHARDING_STRATEGY` of its `constants.py`),
    which may stand in `fsdp_reshard_after_forward` too, and transformers' words in `fsdp`
    (`FSDPOption` of its `trainer_utils.py`). HYBRID_SHARD divides within a node, NO_SHARD not at
    all; SHARD_GRAD_OP and the hybrid one of that kind leave layers whole after their forward pass.
    """
    launch = get.plan.launch
    named = [
        launcher_option(launch, name)
        for name in ("fsdp_sharding_strategy", "fsdp_reshard_after_forward")
    ]
    words = {(option.value or "").lower() for option in named if option}
    words |= _fsdp(get)
    words.add(str(of_trainer(get).get("reshard_after_forward", "")).lower())
    words = {_STRATEGIES.get(word, word) for word in words}
    shard = gpus
    if words & {"hybrid_shard", "hybrid_shard_zero2"}:
        shard = min(gpus, per_node or gpus)
    elif "no_shard" in words:
        shard = 1
    shard = max(1, shard // _size(launch, "dp_replicate"))
    whole = words & {"shard_grad_op", "hybrid_shard_zero2", "false"}
    return Divided(shard=shard, reshard=not whole)


def compiled(get: MemorySettings) -> bool:
    """Whether `torch.compile` makes the model.

    A backend or a mode says so too (`TrainingArguments.__post_init__`).
    """
    mode = any(get.text(f"torch_compile_{name}") for name in ("backend", "mode"))
    return get.on(False, "torch_compile") or mode


def learners_of(get: MemorySettings) -> list[int]:
    """GPUs of each node that train, as open-instruct lists them; they may differ."""
    listed = get.value("num_learners_per_node", "actor_num_gpus_per_node")
    counts = listed if isinstance(listed, list) else []
    return [count for count in counts if isinstance(count, int)]


def sequence_ranks(get: MemorySettings) -> tuple[int, int]:
    """Ranks that share out each sequence by accelerate's `ParallelismConfig`: context, Ulysses.

    FSDP2 has the former (`cp_size`), DeepSpeed the latter (`sp_size`, which divides the heads too);
    each rank has its part of a row from the embedding to the loss.
    """
    launch = get.plan.launch
    return _size(launch, "cp"), _size(launch, "sp")


def _size(launch: Launch, name: str) -> int:
    option = launcher_option(launch, f"parallelism_config_{name}_size")
    if option is None:
        return 1
    size = natural_number(option.value or "")
    if not size:
        raise NoEstimateError(
            "--{option} is not known without running the script.", option=option.name
        )
    return size


def _off_the_gpu(launch: Launch, name: str) -> bool:
    device = launcher_option(launch, name)
    return device is not None and device.value in ("cpu", "nvme")


def waiting_gradients(get: MemorySettings, backend: Backend, computes: float) -> float:
    """Bytes of a gradient that FSDP keeps whole until a step's last micro batch; 0 elsewhere.

    transformers' `Trainer` leaves the reduction out of the others (`accelerator.no_sync`, in TRL's
    own loops through `accumulate`) unless `accelerator_config` has `sync_each_batch`. Under FSDP2
    it does so since accelerate 1.11 (`set_requires_gradient_sync`), which is of the days of TRL
    0.24. accelerate's mixed precision reduces in the type that is computed with.
    """
    waits = backend == "fsdp" or (backend == "fsdp2" and version_at_least(get.plan, 0, 25))
    each = "sync_each_batch" in (get.text("accelerator_config") or "")
    return computes if waits and not each else 0.0
