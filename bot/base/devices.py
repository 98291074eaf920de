"""Accelerators: the token of a file name, the name that W&B reports, the memory.

A name alone is ambiguous (an H20 has 96 GB or 141 GB), so name AND memory decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from bot.base.csv_file import read_table
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, plural_message
from bot.base.regex import regex

Interconnect: TypeAlias = Literal["nvlink", "xgmi", "hccs", "metaxlink", "pcie"]
_INTERCONNECTS: dict[str, Interconnect] = {name: name for name in get_args(Interconnect)}

MIB = 1 << 20
GIB = 1 << 30

_TOLERANCE = 0.03
"""Drivers of one card differ by this share of the memory (an A100 80GB: 81,251 to 81,920 MiB)."""


class Vendor(StrEnum):
    """Who makes an accelerator, which decides the software that it takes."""

    NVIDIA = "NVIDIA"
    AMD = "AMD"
    ASCEND = "Ascend"
    METAX = "MetaX"


_NO_BF16 = ("v100", "t4", "rtx2080ti", "rtx8000")
"""NVIDIA's cards before Ampere: they compute bf16 in other ways, with few kernels."""
_GEFORCE = "NVIDIA GeForce "
"""Cards that workshops refit with other chips of memory."""
_REFITTED = regex(r"(.+)-(\d{1,2})")
_MODULE = 16
"""GB of which a host's memory is a multiple."""
_VENDORS: Mapping[Interconnect, Vendor] = {
    "xgmi": Vendor.AMD,
    "hccs": Vendor.ASCEND,
    "metaxlink": Vendor.METAX,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One kind of accelerator."""

    token: str
    """As it stands in a file name: h100, a100-40."""
    reported_name: str
    """As NVML or ROCm names it and W&B records it; empty where W&B records none (Ascend)."""
    memory_bytes: int
    usable_gib: float
    """What PyTorch can hold at most: the memory less what driver and ECC keep, GiB."""
    interconnect: Interconnect
    """How the GPUs of one host reach each other."""
    name_tokens: tuple[str, ...]
    """Every token of file names that may mean it."""
    verified: bool
    """False while no public source states name and memory: no error is built on such a row."""
    source: str

    @property
    def memory_gib(self) -> float:
        """Total memory in GiB."""
        return self.memory_bytes / GIB

    @property
    def vendor(self) -> Vendor:
        """Who makes it."""
        return _VENDORS.get(self.interconnect, Vendor.NVIDIA)

    @property
    def has_bf16(self) -> bool:
        """Whether it computes in bf16 itself."""
        return self.token.partition("-")[0] not in _NO_BF16

    @property
    def label(self) -> str:
        """As the page writes it: H100, A100-40, RTX4090."""
        return self.token.upper()


@cache
def devices() -> tuple[Device, ...]:
    """Every known device, in the order of the table `devices.csv`."""
    return tuple(
        Device(
            token=row["token"],
            reported_name=row["reported_name"],
            memory_bytes=int(row["memory_mib"]) * MIB,
            usable_gib=float(row["usable_gib"]),
            interconnect=_INTERCONNECTS[row["interconnect"]],
            name_tokens=tuple(row["name_tokens"].split(",")),
            verified=row["verified"] == "yes",
            source=row["source"],
        )
        for row in read_table(Path(__file__).parent / "devices.csv")
    )


def by_token(token: str) -> tuple[Device, ...]:
    """The devices that a file name's token may mean; empty when it is not known."""
    low = token.lower()
    match = None if low in _by_token() else _REFITTED.fullmatch(low)
    return (
        _by_token().get(low, ()) if match is None else refitted(by_token(match[1]), int(match[2]))
    )


def refitted(cards: Iterable[Device], gib: int) -> tuple[Device, ...]:
    """The first of the cards with another memory than the table's, where it can have been refitted.

    A GeForce from half to twice of its memory can; a multiple of 16 beyond its own that is not
    twice as much is likelier the host's. What the driver keeps stays the same.
    """
    for card in cards:
        times = gib / card.memory_gib
        is_hosts = times > 1 and gib % _MODULE == 0 and round(2 * card.memory_gib) != gib
        if card.reported_name.startswith(_GEFORCE) and 0.5 <= times <= 2.01 and not is_hosts:
            other = replace(
                card,
                token=f"{card.token}-{gib}",
                memory_bytes=gib * GIB,
                usable_gib=round(gib - card.memory_gib + card.usable_gib, 2),
                name_tokens=(f"{card.token}-{gib}",),
                verified=False,
            )
            return (other,)
    return ()


def original(card: Device) -> Device | None:
    """The card of the same name with the memory that it is sold with; None for such a one."""
    of_name = _by_token().get(card.token.partition("-")[0], ())
    return of_name[0] if card.reported_name.startswith(_GEFORCE) and card not in of_name else None


def label_of(token: str) -> str | None:
    """How the page calls what a token means; None where that is not known."""
    known = by_token(token)
    labels = {d.label for d in known if d.token == token} or {d.label for d in known}
    return labels.pop() if len(labels) == 1 else token.upper() if known else None


@cache
def _by_token() -> Mapping[str, tuple[Device, ...]]:
    found: dict[str, tuple[Device, ...]] = {}
    for device in devices():
        for token in {device.token, *device.name_tokens}:
            found[token] = (*found.get(token, ()), device)
    return found


def by_report(name: str, memory_bytes: int | None) -> Device | None:
    """The device that reports this name and memory; None when unknown or ambiguous.

    The name is matched exactly first, then as the beginning of the reported one ("NVIDIA H20-3e"
    is not an "NVIDIA H20"); the memory, when known, must agree within 3 %.
    """
    wanted = name.casefold().strip()
    named = [d for d in devices() if d.reported_name and d.reported_name.casefold() == wanted]
    if not named:
        named = [
            d
            for d in devices()
            if d.reported_name and wanted.startswith(d.reported_name.casefold() + " ")
        ]
    if memory_bytes is not None:
        named = [
            d for d in named if abs(d.memory_bytes - memory_bytes) <= _TOLERANCE * memory_bytes
        ]
    tokens = {d.token for d in named}
    return named[0] if len(tokens) == 1 else None


def gpu_count(count: int) -> Message:
    """`1 GPU`, `8 GPUs`."""
    return plural_message("{count} GPU", "{count} GPUs", count)
