"""Where a count decides between two texts, `plural_message` and `mark_plural` make the choice.

A choice by hand knows English alone: it cannot be translated for a language with other plurals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import pytest

from tests.parsed import modules, nodes

_AGREE = {"are": "is", "were": "was", "have": "has", "do": "does", "their": "its", "them": "it"}
"""English words that follow a plural, and what they are in the singular."""
_COUNTS = {"1", "a", "an", "one"}


@pytest.mark.parametrize(
    "code",
    [
        'message("1 GPU") if count == 1 else message("{count} GPUs", count=count)',
        'message("{count} seconds", count=n) if n != 1 else message("1 second")',
        '"a value" if least == 1 else f"{least} values"',
        "f\"{count} GPU{'s' if count > 1 else ''}\"",
        "f\"{count} entr{'ies' if count != 1 else 'y'}\"",
        'changes = "1 change is" if hidden == 1 else f"{hidden} changes are"',
        'tr("1 agrees with its run") if n < 2 else tr("{n} agree with their runs", n=n)',
        'message("remove the setting") if len(found) == 1 else message("remove the settings")',
        'if n == 1:\n    raise Error("1 row")\nraise Error(message("{n} rows", n=n))',
        'text = "the row"\nif len(rows) != 1:\n    text = tr("the {count} rows", count=len(rows))',
        'if 1 == n:\n    yield tr("1 job is left")\nelse:\n    yield tr("{n} jobs are left", n=n)',
    ],
)
def test_a_plural_made_by_hand_is_found(code: str) -> None:
    assert list(_by_hand(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        'plural_message("{count} GPU", "{count} GPUs", count)',
        'message(" and {count} more", count=n - 1) if n > 1 else ""',
        'message("a node uses") if nodes > 1 else message("the launch uses")',
        'message("the file is gone") if path is None else message("the files are gone")',
        'tr("all {count}", count=said) if gone > 1 else said',
        'if n == 1:\n    raise Error(message("It is one line."))\nraise Error("No row of it.")',
    ],
)
def test_a_choice_between_other_texts_is_none(code: str) -> None:
    assert not list(_by_hand(ast.parse(code)))


def test_no_plural_is_made_by_hand() -> None:
    found = [f"{path}:{line}" for path, tree in modules().items() for line in _by_hand(tree)]
    assert found == []


def _by_hand(tree: ast.AST) -> Iterator[int]:
    """The lines where a comparison with one decides between the two numbers of one text."""
    for choice in nodes(tree, ast.IfExp):
        if _with_one(choice.test) and _differ_by_number(
            _texts([choice.body]), _texts([choice.orelse])
        ):
            yield choice.lineno
    for node in nodes(tree, ast.mod, ast.stmt, ast.excepthandler, ast.match_case):
        for block in _blocks(node):
            for number, each in enumerate(block):
                if isinstance(each, ast.If) and _with_one(each.test):
                    # Without `else`, what stands before or behind is the other case.
                    other = each.orelse or [*block[:number][-1:], *block[number + 1 :][:1]]
                    if _differ_by_number(_texts(each.body), _texts(other)):
                        yield each.lineno


def _blocks(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _with_one(test: ast.expr) -> bool:
    """Whether a test compares something with one, or tells one from several."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    sides = [test.left, *test.comparators]
    return any(isinstance(side, ast.Constant) and side.value in (1, 2) for side in sides)


def _texts(nodes: Sequence[ast.AST]) -> list[str]:
    """The texts in nodes, a placeholder where an f-string has a value."""
    texts = []
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                texts.append(each.value)
            elif isinstance(each, ast.JoinedStr):
                texts.append(
                    "".join(
                        str(part.value) if isinstance(part, ast.Constant) else "{}"
                        for part in each.values
                    )
                )
    return texts


def _differ_by_number(some: Sequence[str], others: Sequence[str]) -> bool:
    endings = ({"", "s"}, {"", "es"}, {"y", "ies"})
    return any(
        one != other and ({one, other} in endings or _singular(one) == _singular(other) != [])
        for one in some
        for other in others
    )


def _singular(text: str) -> list[str]:
    """The words of a text without what tells one from several."""
    words = re.findall(r"[a-z]+|1", re.sub(r"\{\w*\}", "", text.lower()))
    kept = [_AGREE.get(word, word) for word in words if word not in _COUNTS]
    return [re.sub("ie$", "y", word.removesuffix("s")) for word in kept]
