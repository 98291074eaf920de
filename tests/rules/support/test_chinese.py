"""Whatever a rule says, it can say in Chinese."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from string import Formatter

import pytest

from bot.base.messages import Message, translated
from bot.rules._support.base import Rule
from bot.rules._support.registry import rules
from tests.rules.helpers import context

each_rule = pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.meta.slug)


def templates(rule: Rule) -> Iterator[str]:
    """The first argument of every `say` in the rule's file."""
    module = sys.modules[rule.check.__module__]
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "message"
        ):
            first = node.args[0]
            assert isinstance(first, ast.Constant), ast.unparse(node)
            assert isinstance(first.value, str)
            yield first.value


def names(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def has_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


@each_rule
def test_every_sentence_of_the_file_has_a_chinese_one_with_the_same_names(rule: Rule) -> None:
    assert rule.meta.zh is not None
    for template in templates(rule):
        assert template in rule.meta.zh.sentences, template


@each_rule
def test_chinese_sentences_are_chinese_and_name_the_same_values(rule: Rule) -> None:
    assert rule.meta.zh is not None
    for english, chinese in rule.meta.zh.sentences.items():
        assert names(english) == names(chinese), english
        # A sentence may be all names: "{name} = {value}".
        assert has_chinese(chinese) or not any(part.isalpha() for part in _words(english)), english


def _words(template: str) -> str:
    return "".join(text for text, *_ in Formatter().parse(template))


@each_rule
def test_the_documentation_is_there_in_chinese(rule: Rule) -> None:
    zh = rule.meta.zh
    assert zh is not None
    for text in (zh.summary, zh.why, zh.instead, zh.limits):
        assert has_chinese(text)
        assert text.endswith(("。", "`。", "）")), text
    assert "\n" not in zh.summary


@each_rule
def test_what_the_bad_example_is_told_comes_out_in_chinese(rule: Rule) -> None:
    example = rule.meta.example
    assert rule.meta.zh is not None
    found = list(rule.check(context(example.bad, example.bad_path or example.path)))
    assert found
    for one in found:
        for text in (getattr(one, name, None) for name in ("message", "help", "fix_title")):
            if text is not None:
                assert isinstance(text, Message), text
                assert has_chinese(translated(text, rule.meta.zh.sentences)), text
