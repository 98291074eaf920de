"""The devices that are recommended, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from bot.base.devices import Device, Vendor, devices
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import sentence_of
from bot.memory.from_plan import device_named
from bot.memory.readers.settings import NoEstimateError

T = TypeVar("T")

_NAMED_ONLY = (
    *("a10g", "a30", "a5500", "l40", "rtx3090ti", "rtx4500ada"),
    *("rtxpro4000", "rtxpro4500", "rtxpro5000", "a100-64", "gb300", "h100nvl", "mi250x"),
    *("rtx5090laptop", "rtx3080-20", "rtx4090d-48"),
)
"""Cards that are answered where they are named: another one of their memory is commoner, or a
single cluster has them."""
_LEAST_GIB = 20
"""Below it a card trains small models alone."""
_COMMON = (
    ("a100", "h100", "a800", "h800", "h20", "rtx4090", "rtx3090"),
    (
        *("h200", "l40s", "a6000", "rtx6000ada", "a100-40", "a800-40", "rtx5090", "rtx4090d"),
        *("a40", "l20", "l4", "a10", "rtx3060", "rtx4060ti", "rtx4080"),
    ),
)
"""Tokens of devices, the commonest first: those of verl's and OpenRLHF's examples and of issues
about them, then those that clouds and workstations have; what is in neither is rare."""


def rarity(device: Device) -> int:
    """0 for the commonest devices, more for rarer ones."""
    for rank, tokens in enumerate(_COMMON):
        if device.token in tokens:
            return rank
    return len(_COMMON)


def usable_device(name: str) -> Device:
    """The device of a name; raises UserError for one that is not known."""
    try:
        return device_named(name)
    except NoEstimateError as error:
        raise UserError(sentence_of(error)) from None


@dataclass(frozen=True, slots=True)
class CardGroup:
    """Cards of one kind, and how many of them; None where no number is named."""

    device: Device
    gpus: int | None = None
    together: tuple[str, ...] = ()
    """The groups that stand in one run as this one, whose card is the smallest of theirs."""


def by_kind(
    groups: Iterable[CardGroup], answer: Callable[[CardGroup], T]
) -> Iterator[tuple[CardGroup, T]]:
    """Each group with its answer, which is made once for all that it is the same for."""
    made: dict[tuple[Vendor, bool, int, float, int | None], T] = {}
    for group in groups:
        device = group.device
        memory = device.memory_bytes, device.usable_gib
        kind = device.vendor, device.has_bf16, *memory, group.gpus
        if kind not in made:
            made[kind] = answer(group)
        yield group, made[kind]


def known_devices() -> list[Device]:
    """Each verified device."""
    known: dict[str, Device] = {}
    for device in devices():
        if device.verified:
            known.setdefault(device.token, device)
    return list(known.values())


def usual_devices() -> list[Device]:
    """Those that are listed where none is named.

    Ascend's and MetaX's take other software; small and old cards are for those who have one.
    """
    return [
        device
        for device in _with_cuda_or_rocm()
        if device.memory_gib >= _LEAST_GIB and device.token not in _NAMED_ONLY
    ]


def _with_cuda_or_rocm() -> list[Device]:
    vendors = (Vendor.NVIDIA, Vendor.AMD)
    return [one for one in known_devices() if one.vendor in vendors and one.has_bf16]


def nearest_in_memory(gib: int) -> list[Device]:
    """Three cards with the memory nearest to so many GiB, of two the larger, commonest first."""
    known = _with_cuda_or_rocm()
    nearest = min((abs(one.memory_gib - gib), -one.memory_gib) for one in known)
    near = [device for device in known if abs(device.memory_gib + nearest[1]) <= 1]
    return sorted(near, key=rarity)[:3]
