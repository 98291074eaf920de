"""No regular expression of `bot/` takes more than linear time, so that any text may be given to it.

Each is judged by its structure, since a text that shows it would have to be known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from re._constants import (  # type: ignore[import-not-found]
    ANY,
    IN,
    LITERAL,
    NOT_LITERAL,
    POSSESSIVE_REPEAT,
)
from re._parser import SubPattern, parse  # type: ignore[import-not-found]
from typing import Any

import pytest

from bot.memory.shapes.contexts import _contexts
from bot.memory.shapes.fine_tunes import bases
from bot.recommend.chinese import (
    _before_a_card,
    _counted_in_chinese,
    _many_tokens,
    _money,
)
from bot.recommend.hub import _owners, _renamed
from bot.recommend.spellings import SPELLINGS
from tests.hostile.backtracking import problem
from tests.hostile.regexes import expressions

EXCEPTIONS = {
    "bot/base/naming_profiles.py: (?P<model>[a-z0-9.-]+)_x\\Z": "names of files",
    "bot/memory/shapes/fine_tunes.py: f'\\\\b(?:{row['name']})\\\\b'": "of a table, judged below",
    "bot/shell/expand/regular.py: expression.pattern": "tried only where its worst case is short",
    "bot/memory/shapes/contexts.py: row['name']": "of a table, judged below",
    "bot/recommend/hub.py: row['name']": "of a table, judged below",
    "bot/recommend/hub.py: row['beginning']": "of a table, judged below",
    "bot/recommend/chinese.py: f'([{digits}]{{1,7}})({every})|([0-9]{{1,4}}) ?({alone})'": (
        "of a table, judged below"
    ),
    "bot/recommend/chinese.py: pattern": "of a table, judged below",
    "bot/recommend/spellings/spelling.py: pattern": "of a table, judged below",
}
"""FILE: PATTERN to the reason why what it matches is short."""


@pytest.mark.slow
def test_no_expression_goes_back_and_forth() -> None:
    found = {}
    places = set()
    for one in expressions():
        place = one.place.replace('"', "'")  # Pythons write an f-string in quotes of their own.
        places.add(place)
        why = "not known" if one.pattern is None else problem(one.pattern, searched=one.searched)
        if why and place not in EXCEPTIONS:
            found[f"{one.file}:{one.line}"] = why
    assert found == {}
    assert places >= EXCEPTIONS.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        *(bases, _contexts, _owners, _renamed),
        lambda: tuple((one.found,) for one in SPELLINGS),
        lambda: ((_counted_in_chinese(),), (_money(),), (_many_tokens(),), (_before_a_card(),)),
    ],
)
def test_no_expression_of_a_table_goes_back_and_forth(
    table: Callable[[], tuple[tuple[Any, ...], ...]],
) -> None:
    patterns: list[re.Pattern[str]] = [pattern for pattern, *_ in table()]
    assert patterns
    assert [one.pattern for one in patterns if problem(one, searched=True)] == []


def _possessive_group(tree: Any) -> bool:
    """Whether a possessive quantifier stands behind more than one character or class."""
    if isinstance(tree, SubPattern):
        return any(_possessive_group(item) for item in tree)
    if not isinstance(tree, tuple | list):
        return False
    if len(tree) == 2 and tree[0] is POSSESSIVE_REPEAT:
        inside = tree[1][2]
        return len(inside) != 1 or inside[0][0] not in (IN, LITERAL, NOT_LITERAL, ANY)
    return any(_possessive_group(item) for item in tree)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"a*+[bc]++.?+", False),
        (r"(?:(?!-->).)*+", True),
        (r"a|(?P<b>(?:ab)++)", True),
        (r"(?:a)*+", False),
    ],
)
def test_possessive_groups_are_found(pattern: str, expected: bool) -> None:
    assert _possessive_group(parse(pattern)) is expected


@pytest.mark.slow
def test_no_group_is_possessive() -> None:
    """Before Python 3.11.5 such a group may match what it does not (python/cpython#106052)."""
    found = [
        f"{one.file}:{one.line}"
        for one in expressions()
        if one.pattern is not None
        and _possessive_group(parse(one.pattern.pattern, one.pattern.flags))
    ]
    assert found == []


@pytest.mark.slow
def test_all_of_them_are_found() -> None:
    files = {one.file for one in expressions()}
    assert len(files) > 80
    assert {"bot/shell/world/fields.py", "bot/base/config.py", "bot/table/rst.py"} <= files
    # One that `regex` makes, in a file that imports nothing else of them.
    assert "bot/memory/readers/datasets.py" in files
    assert len(list(expressions())) > 400


@pytest.mark.parametrize(
    ("pattern", "searched", "expected"),
    [
        (r"(?:a+)+b", False, "exponential"),
        (r"(?:a*)*b", False, "exponential"),
        (r"(?:a|a)*b", False, "exponential"),
        (r"(?:a{1,3})+b", False, "exponential"),
        (r"(\w+\.?)*x", False, "exponential"),
        (r"\w+\s*\w+x", False, "polynomial"),
        (r"[ \t]*-?[ \t]*x", False, "polynomial"),
        (r"a.*b.*c", False, "polynomial"),
        (r"a+b", True, "polynomial"),
        (r"\s+$", True, "polynomial"),
        (r"<a [^>]*>", True, "polynomial"),
        (r"(?m)^\s+x", True, "polynomial"),
        (r"(?=.*x)y", True, "polynomial"),
        (r"([\w.-]++)\s*+:", True, "polynomial"),
        (r"(?i)(?P<q>a*)(?P=q)b", False, "polynomial"),
        (r"a+b", False, ""),
        (r"a+", True, ""),
        (r"\w+\s+\w+x", False, ""),
        (r"(\w+\.)*\w+x", False, ""),
        (r'"[^"]*"', True, ""),
        (r"\A\s+$", True, ""),
        (r"(?m)^[ \t]+x", True, ""),
        (r"(?<![\w.-])([\w.-]++)['\"]?\s*+:", True, ""),
        (r"a*+a*b", False, ""),
        (r"(?=[ :])[ ]*+(:?)[ ]*", True, ""),
        (r".*x", False, ""),
        (r"(?s)<!--(?:(?!-->).)*+(?:-->)?", True, ""),
        (r"`((?:[^`\\]|\\.)*?)(?<!\s)\s*<", False, ""),
    ],
)
def test_the_judge(pattern: str, searched: bool, expected: str) -> None:
    assert problem(re.compile(pattern), searched=searched).partition(":")[0] == expected
    data = re.compile(pattern.encode())
    assert problem(data, searched=searched).partition(":")[0] == expected
