"""One setting that a launch gives to its framework, and words that are none."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.report import JsonValue
from bot.shell.source import Span
from bot.shell.words import Hole, Word

Operator: TypeAlias = Literal["", "+", "++", "~"]


class UnknownValue:
    """A value that nobody can know without running the script."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        return False


UNKNOWN: Final = UnknownValue()
GIVEN: Final = "--set"
"""The option with which whoever asks gives a setting of their own."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting that a launch gives to its framework."""

    key: str
    """Dotted key, as the framework names it (OpenRLHF: the option without its dashes)."""
    value: JsonValue | UnknownValue
    """The value as the framework would type it; UNKNOWN when a hole decides it."""
    text: str
    """The value as written on the command line, holes as `${?reason}`."""
    operator: Operator
    word: Word
    """The word of the command that carries it."""
    key_span: Span
    """Where the key (with its operator) was written."""
    value_span: Span
    """Where the value was written: the assignment, when it came through variables."""
    value_holes: tuple[Hole, ...] = ()
    """What nobody can know in the value, where it has words of its own, behind an option."""

    @property
    def holes(self) -> tuple[Hole, ...]:
        """What nobody can know in the setting."""
        return (*self.word.holes, *self.value_holes)

    @property
    def given(self) -> bool:
        """True when whoever asks gives it (`--set`), and not the script."""
        return any(piece.via == (GIVEN,) for piece in self.word.pieces)

    @property
    def known(self) -> bool:
        """True when the value is known."""
        return self.value is not UNKNOWN


class WholeSetting(Setting):
    """One of a file or of Python: its key is no beginning of another, as argparse would take it."""

    __slots__ = ()

    @classmethod
    def of(cls, setting: Setting) -> WholeSetting:
        """The same setting of a file."""
        return cls(*(getattr(setting, name) for name in Setting.__slots__))


@dataclass(frozen=True, slots=True)
class BadArgument:
    """A word that the framework could not take as a setting."""

    word: Word
    span: Span
    message: str
    """What is wrong with it: one sentence without its full stop."""
    instead: str | None = None
    """What to write in its place, where that is sure."""
    placeholder: str = ""
    """What someone is to replace in it, such as <path>, where that alone is wrong."""


def span_of_refused(word: Word, equals: int | None) -> Span:
    """The place of a word that Hydra refuses: of its second '=' where the whole lies elsewhere."""
    text = word.text
    whole = word.span_of(0, len(text))
    second = text.find("=", equals + 1) if equals is not None else -1
    if second < 0:
        return whole
    sign = word.span_of(second, second + 1)
    return whole if whole.start <= sign.start < whole.end else sign
