"""Sentences in more than one language: a template and its values, said in English unless asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Final, Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh"]


class Message(str):
    """An English sentence that remembers how it was made, so that it can be said again.

    It is the English text wherever a string is wanted.
    """

    __slots__ = ("template", "values")

    template: str
    """The English sentence with `{name}` where a value stands."""
    values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> Message:
        """Make the sentence; raises KeyError when a value is missing."""
        message = super().__new__(cls, template.format_map(values))
        message.template = template
        message.values = values
        return message

    def __reduce__(self) -> tuple[type[Message], tuple[str, Mapping[str, object]]]:
        """How it is copied and pickled: reports are copied when they are printed."""
        return Message, (self.template, self.values)


def message(template: str, /, **values: object) -> Message:
    """The English sentence of a template; values that are messages are translated with it.

    Raises KeyError when the template names a value that is not given.
    """
    return Message(template, values)


def translated(sentence: str, catalogue: Mapping[str, str]) -> str:
    """The sentence by a catalogue of templates; the English one where the catalogue has none."""
    if not isinstance(sentence, Message):
        return catalogue.get(sentence, sentence)
    template = catalogue.get(sentence.template)
    if template is None:
        return str(sentence)
    values = {
        name: translated(value, catalogue) if isinstance(value, Message) else value
        for name, value in sentence.values.items()
    }
    return template.format_map(values)


_DEEPEST: Final = 5
"""Messages within messages that are read back at most."""


def to_data(sentence: str) -> Any:
    """A sentence for JSON that is read back: a plain one as it is, a message with its making.

    Values that are neither messages, numbers, booleans nor None are kept as the text that they are.
    """
    if not isinstance(sentence, Message):
        return sentence
    return {
        "template": sentence.template,
        "values": {name: _value_to_data(value) for name, value in sentence.values.items()},
    }


def _value_to_data(value: object) -> Any:
    if isinstance(value, Message):
        return to_data(value)
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def from_data(data: object) -> str:
    """What `to_data` made; raises ValueError for anything else.

    A template may name values and nothing more: no attribute, no index, no width that could fill
    the memory.
    """
    return _read(data, _DEEPEST)


def _read(data: object, depth: int) -> str:
    if isinstance(data, str):
        return data
    if not isinstance(data, dict) or data.keys() != {"template", "values"} or not depth:
        raise ValueError("not a sentence")
    template, values = data["template"], data["values"]
    if not isinstance(template, str) or not isinstance(values, dict):
        raise ValueError("not a sentence")
    for _, name, width, conversion in Formatter().parse(template):
        if name is not None and (name not in values or width or conversion):
            raise ValueError("not a template of ours")
    if not all(isinstance(name, str) and name.isidentifier() for name in values):
        raise ValueError("not a template of ours")
    return Message(template, {name: _read_value(value, depth) for name, value in values.items()})


def _read_value(value: object, depth: int) -> object:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return _read(value, depth - 1)


def sentence_of(error: Exception) -> str:
    """What an error says, still a message when it was raised with one."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Message) else str(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chinese:
    """What a rule or a check says in Chinese: its documentation, and its sentences."""

    summary: str
    why: str
    instead: str
    limits: str
    sentences: Mapping[str, str]
    """English template, as given to `message`, to the Chinese one with the same names."""
