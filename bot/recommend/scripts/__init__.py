"""Scripts for a request: the text that `rlbot recommend --write` writes and the search reads."""

from __future__ import annotations

from bot.base.devices import Device
from bot.recommend.request import Candidate, Request
from bot.recommend.scripts import openrlhf, trl, verl


def script(request: Request, candidate: Candidate, device: Device, release: str) -> str:
    """A whole script.

    Of the device its vendor counts, and whether it has bf16; its name stands in a comment and in
    the run's name.
    """
    write = {"verl": verl.script, "openrlhf": openrlhf.script, "trl": trl.script}
    return write[request.framework](request, candidate, device, release)


def file_name(request: Request, candidate: Candidate, device: Device) -> str:
    """[model]_[task]_[gpunums]_[device]_[train]_[infer].sh; hf where nothing is generated."""
    train = "fsdp" if request.framework == "verl" else "deepspeed"
    if candidate.layout is not None:
        train = "megatron"
    infer = "vllm" if request.online else "hf"
    return f"{request.token}_{request.label}_{candidate.gpus}_{device.token}_{train}_{infer}.sh"
