"""Which layers transformers' trainer recomputes, and where it keeps what it recomputes from."""

from __future__ import annotations

import json
from typing import Any, Literal, TypedDict

from bot.frameworks.launchers.launcher_options import launcher_option
from bot.memory.readers.settings import MemorySettings
from bot.memory.readers.trl import unsloth
from bot.memory.readers.trl.backend import of_trainer, says

_SWITCHES = ("activation_checkpointing", "gradient_checkpointing")
"""The second is an alias since transformers 5.23, used where the first is not set
(`TrainingArguments.__post_init__`)."""
_ARGUMENTS = tuple(f"{switch}_kwargs" for switch in _SWITCHES)
_READ = {"use_reentrant", "every_n_layers", "offload"}
"""With the first, which is torch's, as much is kept either way."""


class Recomputation(TypedDict):
    """Fields of a `Role`."""

    checkpointing: bool
    recompute: Literal["uniform", "block"]
    recompute_layers: int
    activation_offload: bool


def recomputation(get: MemorySettings, layers: int) -> Recomputation:
    """How the layers are recomputed.

    `every_n_layers` leaves the activations of all but every n-th layer where they are, `offload`
    keeps the inputs of those that are recomputed on the host (`_set_gradient_checkpointing` and
    `_activation_checkpointing_enable` of transformers' `modeling_utils.py`, 5.20), as accelerate's
    `activation_checkpointing_offload` does under FSDP2 (1.15).
    """
    on, every, offload = recomputes(get), 1, False
    if _by_fsdp(get):
        offload = _fsdp_says(get, f"{_SWITCHES[0]}_offload")
    elif on:
        every, offload = _arguments(get)
    else:
        get.text(*_ARGUMENTS)  # How is said, and changes nothing.
    return {
        "checkpointing": on,
        "recompute": "block" if every > 1 else "uniform",
        "recompute_layers": -(-layers // every) if every > 1 else 1,
        "activation_offload": offload
        or get.on(False, "activation_offloading")
        or unsloth.offloads(get),
    }


def recomputes(get: MemorySettings) -> bool:
    """Whether layers are recomputed: what a program turns on stays so, whatever arguments say."""
    program = get.plan.written
    return (
        get.on(False, *_SWITCHES) or (program is not None and program.recomputed) or _by_fsdp(get)
    )


def _by_fsdp(get: MemorySettings) -> bool:
    return _fsdp_says(get, _SWITCHES[0])


def _fsdp_says(get: MemorySettings, name: str) -> bool:
    """Whether accelerate's options or the trainer's `fsdp_config` have something on."""
    option = launcher_option(get.plan.launch, f"fsdp_{name}")
    return (option is not None and says(option.value)) or says(of_trainer(get).get(name))


def _arguments(get: MemorySettings) -> tuple[int, bool]:
    """Of how many layers one is recomputed, and whether its input is on the host.

    Arguments that say something else, both, or nothing that can be read count as not read.
    """
    given = get.text(*_ARGUMENTS)
    try:
        found: Any = json.loads(given) if given else {}
    except (ValueError, RecursionError):
        found = None
    every = found.get("every_n_layers", 1) if isinstance(found, dict) else 0
    offload = isinstance(found, dict) and says(found.get("offload"))
    known = isinstance(every, int) and every > 0 and not found.keys() - _READ
    if known and (every == 1 or not offload):
        return every, offload
    for name in _ARGUMENTS:
        get.doubt(name)
    return 1, False
