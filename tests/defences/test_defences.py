"""The list that `make defences` goes through: what it names is there, and no threat is left out."""

from __future__ import annotations

import ast
import re

import pytest

from tests.command import ROOT
from tests.defences.listed import DEFENCES, THREATS, Defence
from tests.defences.weaken import Change, Text, becomes, is_assigned, never, returns, weakened

GUIDE = (ROOT / "docs" / "security.md").read_text("utf-8")


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda one: f"{one.threat} {one.what}")
def test_each_defence_stands_where_the_list_has_it(defence: Defence) -> None:
    text = (ROOT / defence.file).read_text("utf-8")
    weaker = weakened(text, defence.place, defence.change)
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


CODE = """
LIMIT = 3

def other(x):
    return x > LIMIT

class Door:
    def opens(self, key):
        if key != LIMIT: return False
        return key > LIMIT
"""


@pytest.mark.parametrize(
    ("place", "change", "weaker"),
    [
        ("x.py::other", returns("True"), CODE.replace("return x > LIMIT", "return True")),
        ("x.py::LIMIT", is_assigned("9"), CODE.replace("= 3", "= 9")),
        ("x.py::Door.opens", never("key != LIMIT"), CODE.replace("key != LIMIT", "False")),
        ("x.py::Door.opens", becomes("key>LIMIT", "1"), CODE.replace("key > LIMIT", "1")),
    ],
)
def test_a_change_is_found_by_its_definition(place: str, change: Change, weaker: str) -> None:
    inside = "(  # why\n  key  !=  LIMIT\n ):\n            return"
    spread = CODE.replace("key != LIMIT: return", inside)
    expected = ast.unparse(ast.parse(weaker))
    assert weakened(CODE, place, change) == expected
    assert weakened(spread, place, change) == expected


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("x.py::opens", returns("True")),
        ("x.py::Door.closes", returns("True")),
        ("x.py::Door.opens", never("key == LIMIT")),
        ("x.py::other", is_assigned("True")),
        ("x.py::LIMIT", returns("True")),
        ("x.yml", Text("not there", "")),
        ("x.yml", Text("LIMIT", "")),
    ],
)
def test_a_defence_that_is_not_there_once_is_an_error(place: str, change: Change) -> None:
    with pytest.raises(ValueError, match=r"(?:stands|defined) \d+ times"):
        weakened(CODE, place, change)


def test_the_guide_tells_how_many_there_are() -> None:
    assert f"{len(DEFENCES)} defences against all {len(THREATS)} threats" in GUIDE
