"""The guide to the reader names its bounds as they are."""

from __future__ import annotations

import re
from dataclasses import fields

from bot.shell import ShellLimits
from tests.command import ROOT


def test_the_table_of_bounds_is_the_readers() -> None:
    text = (ROOT / "docs/shell.md").read_text(encoding="utf-8")
    section = text.partition("\n## Bounds\n")[2].partition("\n## ")[0]
    table = dict(re.findall(r"^\| (\w+) \| ([0-9,]+) \|", section, re.MULTILINE))
    limits = ShellLimits()
    assert table == {f.name: f"{getattr(limits, f.name):,}" for f in fields(ShellLimits)}
