"""Extended regular expressions against bash's own, and the work that hostile ones take."""

from __future__ import annotations

import random
import subprocess

import pytest

from bot.shell.regexes import search

_ATOMS = ("a", "b", "c", ".", "[ab]", "[^a]", "[[:digit:]]", "1", "a", "b")
_REPEATS = ("*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}")
_JUDGE = r"""
while IFS=$'\t' read -r pattern text; do
    [[ $text =~ $pattern ]]; echo $?
done
"""


def _expression(random_: random.Random, depth: int = 0) -> str:
    chance = random_.random()
    if depth > 3 or chance < 0.35:
        return random_.choice(_ATOMS)
    inner = _expression(random_, depth + 1)
    if chance < 0.6:
        return inner + _expression(random_, depth + 1)
    if chance < 0.72:
        return f"({inner})"
    if chance < 0.82:
        return f"({inner}|{_expression(random_, depth + 1)})"
    if chance < 0.96:
        return f"({inner}){random_.choice(_REPEATS)}"
    return random_.choice("^$") + inner


def _active(expression: str) -> list[tuple[str, bool]]:
    return [(character, False) for character in expression]


@pytest.mark.process
@pytest.mark.parametrize("seed", range(3))
def test_matches_are_those_of_bash(seed: int) -> None:
    random_ = random.Random(seed)  # noqa: S311 - examples, no secrets
    cases = [
        (_expression(random_), "".join(random_.choices("abc12", k=random_.randrange(8))))
        for _ in range(1_500)
    ]
    lines = "".join(f"{expression}\t{text}\n" for expression, text in cases)
    done = subprocess.run(
        ["bash", "-c", _JUDGE], input=lines, capture_output=True, text=True, check=True
    )
    evaluated = 0
    for (expression, text), line in zip(cases, done.stdout.splitlines(), strict=True):
        found = search(_active(expression), text, lambda _: None)
        if found is None:
            continue
        evaluated += 1
        assert found == (line == "0"), (expression, text)
    assert evaluated > 0.6 * len(cases)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("(a|aa)*$", "a" * 200 + "b"),
        ("^(a+)+$", "a" * 200 + "b"),
        ("(x+x+)+y", "x" * 200),
        ("(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)z", "a" * 2_000),
        ("(a|b|ab)*(a|b|ab)*(a|b|ab)*c", "ab" * 300),
        ("((a*)*)*b", "a" * 500),
    ],
)
def test_the_work_grows_with_the_expression_times_the_text(expression: str, text: str) -> None:
    work: list[int] = []
    found = search(_active(expression), text, work.append)
    assert found is not None
    assert 0 < sum(work) <= 2 * 10 * (len(expression) + 200) * (len(text) + 2)


@pytest.mark.parametrize(
    "expression",
    ["a{2}", "a{", "(a", "a)", "*a", "a**", "\\w",
     "[[.a.]]", "[a", "[b-a]", "[[:nothing:]]", "(^a)*", "a^", "(a$)", "(" * 3_000 + ")" * 3_000],
)  # fmt: skip
def test_what_libraries_refuse_or_read_differently_is_not_evaluated(expression: str) -> None:
    assert search(_active(expression), "aaa", lambda _: None) is None


def test_a_search_too_long_is_not_evaluated() -> None:
    assert search(_active("(a|b)*c" * 100), "ab" * 10_000, lambda _: None) is None


def test_quoted_characters_stand_for_themselves() -> None:
    quoted = [("(", True), ("a", False), (")", True)]
    for text, expected in (("x(a)", True), ("xa", False)):
        assert search(quoted, text, lambda _: None) is expected
    assert search([("a", False), ("*", True)], "xa*", lambda _: None) is True


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        ("^[0-9]+$", "128", True),
        ("^[0-9]+$", "12a", False),
        ("^[^/]+/[^/]+$", "a/b", True),
        ("^[^/]+/[^/]+$", "a/b/c", False),
        ("[]|()-]x", "a(x", True),
        ("[^]|()-]x", "a)x", False),
        ("[[:alpha:]_][a-c-]", "_-", True),
        ("^a|b$", "ac", True),
        ("^a|b$", "cb", True),
        ("^a|b$", "cac", False),
        ("a!(b)@x", "a!b@x", True),
    ],
)
def test_expressions_of_scripts(expression: str, text: str, expected: bool) -> None:
    assert search(_active(expression), text, lambda _: None) is expected
