"""The list that `make defences` goes through: what it names is there, and no threat is left out."""

from __future__ import annotations

import re

import pytest

from tests.command import ROOT
from tests.defences.__main__ import mutated
from tests.defences.listed import DEFENCES, THREATS, Defence

GUIDE = (ROOT / "docs" / "security.md").read_text("utf-8")


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda one: f"{one.threat} {one.what}")
def test_each_defence_stands_where_the_list_has_it(defence: Defence) -> None:
    text = (ROOT / defence.file).read_text("utf-8")
    weaker = mutated(text, defence)
    assert weaker != text
    if defence.file.endswith(".py"):
        compile(weaker, defence.file, "exec")
    for test in defence.tests:
        file, _, name = test.partition("::")
        assert not name or f"def {name}(" in (ROOT / file).read_text("utf-8"), test


def test_every_threat_of_the_guide_has_a_defence_that_is_tested() -> None:
    told = re.findall(r"^\| (T\d+) \|", GUIDE, re.MULTILINE)
    assert tuple(told) == THREATS
    assert {defence.threat for defence in DEFENCES} == set(THREATS)


def test_a_defence_that_moved_is_an_error() -> None:
    gone = Defence("T1", "is gone", "x.py", "not there", "", ())
    with pytest.raises(ValueError, match="stands 0 times"):
        mutated("there", gone)


def test_the_guide_tells_how_many_there_are() -> None:
    assert f"{len(DEFENCES)} of {len(DEFENCES)} defences" in GUIDE
