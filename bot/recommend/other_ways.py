"""What to ask for next where a request does not fit: a method, a framework, lengths that do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.base.devices import Device
from bot.base.messages import message
from bot.frameworks.releases import releases
from bot.recommend.options import divides
from bot.recommend.request import QUANTIZED, TASKS, Request
from bot.recommend.search import Search

_LEAST_RESPONSE = 256
"""Tokens below which a shorter response is no answer."""


def other_ways(search: Search, device: Device, gpus: int) -> Iterator[str]:
    """Ways that surely fit a number of GPUs on which the request does not, a clause for each.

    An adapter, each other framework that has the task (verl and OpenRLHF share out sequences, TRL
    does not), and the longest response of those that halving makes.
    """
    request = search.request
    if request.method == "full" and _fits(replace(request, method="lora"), device, gpus):
        yield message("LoRA (--method lora)")
    quantized = replace(request, method="qlora", framework="trl")
    able = request.task in QUANTIZED and request.method in ("full", "lora")
    if able and _fits(quantized, device, gpus):
        yield message("QLoRA (--framework trl --method qlora)")
    for framework, tasks in TASKS.items():
        other = replace(request, framework=framework)
        able = request.task in tasks and request.method not in ("dora", "qlora")
        if framework != request.framework and able and _fits(other, device, gpus):
            yield message("{framework} (--framework {framework})", framework=framework)
    response = request.response // 2
    while response >= _LEAST_RESPONSE:
        if _fits(replace(request, response=response), device, gpus, search.release):
            yield message(
                "shorter responses (--lengths {prompt}+{response})",
                prompt=request.prompt,
                response=response,
            )
            return
        response //= 2


def _fits(request: Request, device: Device, gpus: int, release: str | None = None) -> bool:
    if not divides(request, gpus):
        return False
    release = release or releases(request.framework)[-1]
    return Search(request, release).surely_fits(device, gpus)
