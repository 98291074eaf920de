"""Whatever a rule says can be translated."""

from __future__ import annotations

import pytest

from bot.base.messages import Message
from bot.rules._support.base import ScriptRule
from bot.rules._support.registry import RULES
from tests.rules.helpers import context


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.slug)
def test_what_the_bad_example_gets_remembers_its_template(rule: ScriptRule) -> None:
    example = rule.meta.example
    assert example is not None
    found = list(rule.check(context(example.bad, example.bad_path or example.path)))
    assert found
    for one in found:
        for text in (getattr(one, name, None) for name in ("message", "help", "fix_title")):
            assert text is None or isinstance(text, Message), text
