"""Sentences in more than one language: a template and its values, said in English unless asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

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


def say(template: str, /, **values: object) -> Message:
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
    """English template, as given to `say`, to the Chinese one with the same names."""
