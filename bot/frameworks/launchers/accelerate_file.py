"""What `accelerate launch --config_file FILE` takes from a file of the repository.

As `_validate_launch_command` of accelerate's `launch.py` does: an option of the command line wins,
`distributed_type` chooses the backend where no option does, and the keys of its group are options
by their own names, `fsdp_` before those that lack it. A file that asks for what no estimate knows
(Megatron-LM, TPUs, FP8, FSDP without a policy that wraps layers) is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from bot.frameworks.checkout import ScriptPlace
from bot.frameworks.files.config_files import LIMITS, ComposeError
from bot.frameworks.files.named_files import text_of
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan import Launch

_GROUPS: Final = {"DEEPSPEED": "deepspeed", "FSDP": "fsdp"}
_COPIES: Final = ("MULTI_GPU", "MULTI_NPU", "MULTI_MLU", "MULTI_MUSA", "MULTI_XPU", "MULTI_HPU")
_STATED: Final = ("multi_gpu", "use_deepspeed", "use_fsdp", "use_megatron_lm", "tpu", "cpu")
_SHARED: Final = ("num_processes", "num_machines", "mixed_precision")
_FOREIGN: Final = ("fp8_config", "megatron_lm_config", "use_cpu")


def with_file(launch: Launch, place: ScriptPlace | None) -> Launch:
    """The launch with what the file of its launcher says, where that file is known.

    It is one that the script wrote before, else the repository's.
    """
    if "accelerate launch" not in launch.launcher:
        return launch
    option = launcher_option(launch, "config_file")
    if option is None or launcher_option(launch, *_STATED) is not None:
        return launch
    written = launch.command.files.get(option.text)
    if written is not None:
        found = _options(option.text, written.content.text)
        options = {key: written.with_unknown(value) for key, value in found.items()}
        return replace(launch, launcher_file=options) if options else launch
    text = _content(place, option.text) if place is not None else None
    found = _options(option.text, text) if text is not None else {}
    return replace(launch, launcher_file=found) if found else launch


def _content(place: ScriptPlace, name: str) -> str | None:
    """What the repository's file of that name holds; it may be of JSON, which is YAML too."""
    if name.endswith(".json"):
        data = place.checkout.json(place.path, name)
        return data.decode("utf-8", "replace") if data is not None else None
    path = place.checkout.recipe(place.path, name)
    return text_of(place.checkout.files, path) if path is not None else None


def options_of(data: Any) -> dict[str, str]:
    """The options that a file of accelerate's comes to, by name; empty where it is not followed.

    `num_processes` without a backend (`distributed_type: 'NO'`) is only known to be one process
    where it says so: transformers copies the model to all GPUs that it sees.
    """
    if not isinstance(data, dict) or any(data.get(key) for key in _FOREIGN):
        return {}
    kind, where = data.get("distributed_type"), data.get("compute_environment", "LOCAL_MACHINE")
    one = kind in ("NO", False) and data.get("num_processes", 1) == 1
    group = _GROUPS.get(kind) if isinstance(kind, str) else None
    known = group is not None or one or kind in _COPIES
    if not known or where != "LOCAL_MACHINE" or data.get("mixed_precision") == "fp8":
        return {}
    found = {key: data[key] for key in _SHARED if key in data}
    if one:
        found["num_processes"] = 1
    if group is not None:
        inner = data.get(f"{group}_config") or {}
        parallel = data.get("parallelism_config") or {}
        if not isinstance(inner, dict) or not isinstance(parallel, dict):
            return {}
        wrapped = inner.get("fsdp_auto_wrap_policy", inner.get("auto_wrap_policy"))
        if group == "fsdp" and wrapped != "TRANSFORMER_BASED_WRAP":
            return {}
        fsdp = group == "fsdp"
        own = {
            f"fsdp_{k}" if fsdp and not str(k).startswith("fsdp") else k: inner[k] for k in inner
        }
        found |= {f"use_{group}": True, **parallel, **own}
    return {str(key): _text(value) for key, value in found.items() if value is not None}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=16)  # Each launch of a loop asks for it with each release that is tried.
def _options(path: str, text: str) -> Mapping[str, str]:
    # PyYAML takes long to import, and few launches have such a file.
    from bot.frameworks.files.yaml_data import read_yaml

    if len(text) > LIMITS.file_bytes:
        return {}
    try:
        return options_of(read_yaml(path, text.removeprefix("\ufeff"), LIMITS))
    except ComposeError:
        return {}
