"""Scripts for a wish: the text that `rlbot recommend --write` writes, and that it reads itself."""

from __future__ import annotations

from bot.base.devices import Device
from bot.recommend.request import Way, Wish
from bot.recommend.scripts import openrlhf, trl, verl, verl_sft


def script(wish: Wish, way: Way, device: str, release: str) -> str:
    """A whole script; `device` is for its comment and the run's name alone."""
    if wish.framework == "verl" and not wish.online:
        return verl_sft.script(wish, way, device, release)
    write = {"verl": verl.script, "openrlhf": openrlhf.script, "trl": trl.script}
    return write[wish.framework](wish, way, device, release)


def file_name(wish: Wish, way: Way, device: Device) -> str:
    """[model]_[task]_[gpunums]_[device]_[train]_[infer].sh; hf where nothing is generated."""
    train = "fsdp" if wish.framework == "verl" else "deepspeed"
    infer = "vllm" if wish.online else "hf"
    return f"{wish.token}_{wish.label}_{way.gpus}_{device.token}_{train}_{infer}.sh"
