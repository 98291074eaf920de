"""A sentence is English by itself, and can be said again in another language."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable

import pytest

from bot.language import Message, say, translated

CHINESE = {
    "{key} is unknown; {hint}": "{key} 不存在；{hint}",
    "did you mean {near}?": "是否想写 {near}？",
    "Plain.": "普通。",
}


def test_a_message_is_its_english_text() -> None:
    message = say("{key} is unknown; {hint}", key="a.b", hint=say("did you mean {near}?", near="c"))
    assert message == "a.b is unknown; did you mean c?"
    assert json.dumps([message]) == '["a.b is unknown; did you mean c?"]'


def test_values_that_are_messages_are_translated_too() -> None:
    message = say("{key} is unknown; {hint}", key="a.b", hint=say("did you mean {near}?", near="c"))
    assert translated(message, CHINESE) == "a.b 不存在；是否想写 c？"


def test_values_are_not_templates() -> None:
    message = say("{key} is unknown; {hint}", key="{hint}", hint="{key} {0} %s")
    assert message == "{hint} is unknown; {key} {0} %s"
    assert translated(message, CHINESE) == "{hint} 不存在；{key} {0} %s"


def test_a_sentence_without_a_translation_stays_english() -> None:
    assert translated(say("Other {x}.", x=1), CHINESE) == "Other 1."
    assert translated("Plain.", CHINESE) == "普通。"
    assert translated("plain text", CHINESE) == "plain text"


def test_a_missing_value_is_a_fault() -> None:
    with pytest.raises(KeyError):
        say("{key} is unknown")


def test_a_message_is_a_message() -> None:
    assert isinstance(say("x"), Message)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])  # noqa: S301
def test_a_copied_message_can_still_be_translated(copied: Callable[[Message], Message]) -> None:
    message = say("{key} is unknown; {hint}", key="a.b", hint=say("did you mean {near}?", near="c"))
    assert copied(message) == message
    assert translated(copied(message), CHINESE) == "a.b 不存在；是否想写 c？"
