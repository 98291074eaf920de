"""Devices: name and memory decide together."""

from __future__ import annotations

import pytest

from bot.base.device_words import vendor_of
from bot.base.devices import MIB, Vendor, by_report, by_token, devices, original


@pytest.mark.parametrize(
    ("name", "mib", "token"),
    [
        ("NVIDIA H800", 81_559, "h800"),
        ("NVIDIA H20", 97_871, "h20"),
        ("NVIDIA H20-3e", 143_771, "h20-141"),
        ("NVIDIA H100 NVL", 95_830, "h100nvl"),
        ("nvidia a100-sxm4-80gb", 81_251, "a100"),
        ("NVIDIA A100-SXM4-40GB", 40_960, "a100-40"),
        ("NVIDIA GeForce RTX 4090 D", 24_564, "rtx4090d"),
        ("NVIDIA GeForce RTX 4090", 49_140, "rtx4090-48"),
        ("NVIDIA GeForce RTX 4090 D", 49_140, "rtx4090d-48"),
        ("NVIDIA GeForce RTX 3080", 20_480, "rtx3080-20"),
        ("NVIDIA GeForce RTX 2080 Ti", 22_528, "rtx2080ti-22"),
        ("NVIDIA A10G", 23_028, "a10g"),
        ("NVIDIA A30", 24_576, "a30"),
        ("NVIDIA L40", 46_068, "l40"),
        ("NVIDIA GH200 120GB", 97_871, "gh200"),
        ("NVIDIA A100-SXM-64GB", 65_536, "a100-64"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 97_887, "rtxpro6000"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 97_887, "rtxpro6000"),
        ("NVIDIA GeForce RTX 3090 Ti", 24_564, "rtx3090ti"),
        ("Tesla V100-SXM2-16GB", 16_160, "v100-16"),
        ("Tesla V100-PCIE-32GB", 32_768, "v100"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 16_376, "rtx4090laptop"),
        ("NVIDIA GeForce RTX 3050 Laptop GPU", 4_096, "rtx3050laptop"),
        ("NVIDIA GeForce RTX 3050 Laptop GPU", 6_144, "rtx3050laptop-6"),
        ("NVIDIA GeForce RTX 3080 Ti Laptop GPU", 16_384, None),
        ("AMD Instinct MI300X OAM", None, "mi300x"),
        ("MetaX C550", 65_536, "c550"),
        ("NVIDIA H20", 143_771, None),  # the name of one, the memory of another
        ("NVIDIA H2000", None, None),
        ("Some GPU", 81_559, None),
        ("", None, None),
    ],
)
def test_a_reported_device(name: str, mib: int | None, token: str | None) -> None:
    found = by_report(name, mib * MIB if mib is not None else None)
    assert (found.token if found else None) == token


def test_a_token_may_mean_several_devices() -> None:
    assert {device.token for device in by_token("H20")} == {"h20", "h20-141"}
    assert {device.token for device in by_token("H100")} == {"h100", "h100nvl"}
    assert by_token("h1000") == ()


@pytest.mark.parametrize(
    ("token", "usable"),
    [
        ("rtx3090-48", 47.7),  # Twice the chips.
        ("3090-48", 47.7),
        ("rtx3060-8", 7.74),  # Sold with less, too.
        ("rtx3090-32", None),  # Likelier the host's.
        ("rtx3090-96", None),
        ("rtx3090-4", None),
        ("h100-40", None),  # No workshop changes the memory of these.
        ("rtx9999-48", None),
    ],
)
def test_a_refitted_card_has_the_memory_that_its_token_says(
    token: str, usable: float | None
) -> None:
    found = by_token(token)
    assert [device.usable_gib for device in found] == ([] if usable is None else [usable])
    for device in found:
        assert by_token(device.token) == found
        assert not device.verified
        assert original(device) in by_token(device.token.partition("-")[0])
    assert original(by_token("rtx3090")[0]) is None
    assert original(by_token("a100-40")[0]) is None


def test_a_token_means_cards_of_one_memory() -> None:
    """What a script is named by, and the label in an answer, say which card it is."""
    sizes = {(device.token, device.memory_bytes) for device in devices()}
    assert len(sizes) == len({token for token, _ in sizes})


def test_a_maker_is_known_by_its_cards_and_its_name() -> None:
    assert vendor_of("c550") is vendor_of("metax") is Vendor.METAX
    assert vendor_of("h100") is Vendor.NVIDIA


def test_every_device_has_memory_tokens_and_a_source() -> None:
    for device in devices():
        assert device.memory_bytes >= 4 << 30, device
        assert all(device.name_tokens), device
        assert device.source, device
        assert 0.9 * device.memory_gib < device.usable_gib <= device.memory_gib, device


def test_an_unsourced_row_is_marked() -> None:
    for device in devices():
        unsure = "verify" in device.source or "by analogy" in device.source
        assert device.verified is not unsure, device
