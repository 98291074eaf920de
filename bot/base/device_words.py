"""Accelerators as people and drivers write them: RTX 4090, A100-80GB, NVIDIA H100 80GB HBM3."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bot.base.devices import Device, Vendor, by_token, devices, refitted
from bot.base.regex import regex

BRAND = regex(r"(?:nvidia|geforce|tesla|amd|instinct|quadro|huawei|ascend|metax)[-_]?")
_FORM = regex(r"[-_]?(?:sxm\d?|pcie|hbm\d?e?|nvl(?=\d))(?=[-_\d]|\Z)")
_STATED = regex(r"[-_]\d{2,3}(?:gib|gb|g)?(?![a-z0-9])")
_MEMORY = regex(r"[-_]?(\d{2,3})(?:gib|gb|g)\Z")
ROUNDING = 0.08
"""Between what is said and what is exact, as a share: a card of 24 GB has 22.5 GiB."""


_WORDS: Mapping[str, Vendor] = {
    "nvidia": Vendor.NVIDIA,
    "cuda": Vendor.NVIDIA,
    "gpu": Vendor.NVIDIA,
    "amd": Vendor.AMD,
    "rocm": Vendor.AMD,
    "npu": Vendor.ASCEND,
    "ascend": Vendor.ASCEND,
    "metax": Vendor.METAX,
}


def is_maker(word: str) -> bool:
    """Whether a word names a maker's cards alone: npu, rocm, nvidia."""
    return word.lower() in _WORDS


def vendor_of(name: str) -> Vendor | None:
    """The maker of what a token such as h100, a word such as npu, or a reported name names."""
    makers = {device.vendor for device in by_token(name)}
    if len(makers) == 1:
        return makers.pop()
    first = name.lower().split()[:1]
    maker = _WORDS.get(first[0]) if first else None
    if maker is None and not name.isalnum():
        makers = {device.vendor for device in named(name)}
    return makers.pop() if len(makers) == 1 else maker


def named(text: str) -> tuple[Device, ...]:
    """The devices that a text names, as drivers do or people; none when it names no device."""
    reported = text.casefold().strip()
    for device in devices() if reported else ():
        if device.reported_name.casefold() == reported:
            return (device,)  # Of two of one name the one that is sold so is listed first.
    return card("-".join(text.split()))


def card(word: str) -> tuple[Device, ...]:
    """The devices that a word names: h100, RTX-4090, A100-80GB; none when it names no device."""
    low = _FORM.sub("", BRAND.sub("", word.lower()))
    exact = by_token(low)
    if exact:
        return exact
    memory = _MEMORY.search(low)
    if memory:
        found, gib = card(low[: memory.start()]), int(memory[1])
        return with_memory(found, gib) or refitted(found, gib)
    plain = re.sub(r"[-_]", "", low).removesuffix("s")
    return by_token(plain) if plain != low else ()


def only_card(words: Iterable[str]) -> str | None:
    """The one word that names a card, and which of those of its name; None where several do.

    Without its memory an A100 may be a card of 40 GB or of 80 GB.
    """
    every = {word: card(word) for word in words}
    cards = {
        word: [one for one in found if one.token == word] or found for word, found in every.items()
    }
    families = {one.token.partition("-")[0] for found in cards.values() for one in found}
    kinds = {one.token for one in devices() if one.token.partition("-")[0] in families}
    certain = [word for word in cards if cards[word] and (len(kinds) == 1 or _STATED.search(word))]
    return certain[0] if len(certain) == len(families) == 1 else None


def with_memory(named: Iterable[Device], gib: int) -> tuple[Device, ...]:
    """Those of the devices that have about so much memory."""
    family = {token for device in named for token in (device.token, *device.name_tokens)}
    family |= {token.partition("-")[0] for token in family}
    return tuple(
        device
        for device in devices()
        if abs(device.memory_gib - gib) <= ROUNDING * gib
        and family & {device.token, device.token.partition("-")[0], *device.name_tokens}
    )
