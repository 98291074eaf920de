"""Hydra's command line: each word becomes a setting, a flag, or something Hydra would refuse.

The authority is hydra-core's own `OverridesParser`. Importing it costs about 100 ms, so the plain
shapes of nearly all scripts are read by patterns that give the same answer, all others by Hydra.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from typing import Any, Final, cast

from bot.base.allowance import Allowance
from bot.base.digits import whole_number
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, plural_message
from bot.base.regex import regex
from bot.frameworks import setting as settings
from bot.frameworks.setting import UNKNOWN, BadArgument, Operator, Setting, UnknownValue
from bot.frameworks.spaced import spaced
from bot.report import JsonValue
from bot.shell.source import Span
from bot.shell.words import Word

_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_PATH = rf"{_NAME}(?:\.{_NAME})*"
_OVERRIDE = regex(rf"(?P<op>\+\+?|~)?(?P<key>{_PATH}(?:@{_PATH})?)=(?P<value>.*)\Z", re.DOTALL)
_DELETION = regex(rf"~(?P<key>{_PATH}(?:@{_PATH})?)\Z")

_DIGITS = r"(?:0|[1-9](?:_?[0-9])*)"
_FRACTION = r"[0-9](?:_?[0-9])*"
_POINT = rf"(?:{_DIGITS}?\.{_FRACTION}|{_DIGITS}\.)"
_HOLDER = regex(r"<[A-Za-z][\w \-/.]{0,40}>|\{(?:your|YOUR|my|MY)_\w{1,40}\}")
_INT = regex(rf"[+-]?{_DIGITS}\Z")
_FLOAT = regex(rf"[+-]?(?:(?:{_POINT}|{_DIGITS})[eE][+-]?{_FRACTION}|{_POINT})\Z")
_NOT_FINITE = regex(r"[+-]?(?:inf|nan)\Z", re.IGNORECASE)
_RUN = r"[A-Za-z0-9_/.:+%*@?|-]+"
_PLAIN = regex(rf"{_RUN}\Z")
_SEVERAL = regex(rf"{_RUN}(?:[ \t]+{_RUN})+\Z")
"""Words with blanks between them, which Hydra's grammar takes for one text."""
_REFUSED = regex(rf"(?:{_RUN}(?:[ \t]+{_RUN})*)?(?:(?P<character>[<>;&#!])|(?<=.)(?P<brace>\}})\Z)")
"""Values that the grammar refuses at the character after a text of plain words."""
_QUOTED = regex(r"""'[^'\\$]*'\Z|"[^"\\$]*"\Z""")
_ITEM = rf"""(?:'[^'\\$]*'|"[^"\\$]*"|{_RUN})"""
_LIST = regex(rf"\[[ \t]*(?:{_ITEM}(?:[ \t]*,[ \t]*{_ITEM})*[ \t]*)?\]\Z")
_ITEMS = regex(_ITEM)

_NO_VALUE = frozenset(
    [
        "--help",
        "-h",
        "--hydra-help",
        "--version",
        "--resolve",
        "--run",
        "-r",
        "--multirun",
        "-m",
        "--shell-completion",
        "-sc",
    ]
)
_ONE_VALUE = frozenset(
    [
        "--cfg",
        "-c",
        "--package",
        "-p",
        "--config-path",
        "-cp",
        "--config-name",
        "-cn",
        "--config-dir",
        "-cd",
        "--experimental-rerun",
    ]
)
_SHORT = {"-cp": "--config-path", "-cn": "--config-name", "-cd": "--config-dir", "-c": "--cfg"}
_SHORT |= {"-p": "--package", "-i": "--info", "-m": "--multirun", "-r": "--run", "-h": "--help"}


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of Hydra's own, such as --config-name=ppo_megatron_trainer."""

    name: str
    """The long form, with its dashes."""
    value: str | None
    """None for a flag without a value, or when a hole decides it."""
    span: Span
    """Where the value (or the flag) was written."""
    text: str | None = None
    """The value of a flag that has one, with its holes as `Word.text` writes them."""


@dataclass(slots=True)
class HydraLine:
    """Hydra's arguments, sorted out."""

    settings: list[Setting] = field(default_factory=list)
    bad: list[BadArgument] = field(default_factory=list)
    flags: dict[str, Flag] = field(default_factory=dict)
    """The last of each name wins, as in argparse."""
    searches: bool = False
    """Whether it adds folders in which configurations are looked for."""


_SHOWN: Final = 60
_WORD: Final = 16
"""Characters that each word counts for, besides its own."""
CHARACTERS: Final = 50_000
GRAMMAR: Final = Allowance("grammar")
"""Characters that all launches of a script hand to Hydra's grammar, a thousand times as dear as
ours."""
_TOO_MUCH: Final = (
    "it is not read: the script has more overrides of Hydra's own grammar than are read; "
    "write plain values"
)
_MOST_LEVELS: Final = 100
"""Levels of a key; OmegaConf's own functions are recursive."""


class _NoAnswerError(Exception):
    """The fast path leaves the word to Hydra."""


def read_line(words: Sequence[Word]) -> HydraLine:
    """Sort out the arguments of a program that starts with `@hydra.main`.

    A word whose key holds something unknown, or that is unknown altogether, is left out: it may be
    any setting.
    """
    line = HydraLine()
    rows = 0
    in_row = False
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        text = word.text
        if text.startswith("-") and len(text) > 1 and not _INT.match(text):
            in_row = False
            at += _read_flag(line, word, words[at] if at < len(words) else None)
            continue
        if not in_row:
            in_row, rows = True, rows + 1
        if rows > 1:
            # argparse gives `overrides` (nargs="*") the first row of words alone.
            problem = message(
                "Hydra takes all overrides in one row: this one stands after a flag that follows "
                "other overrides, and is refused as an unrecognized argument"
            )
            line.bad.append(BadArgument(word, word.span, problem))
            continue
        if blanks := spaced(words[at - 1 : at + 2]):
            bad, taken = blanks
            line.bad.append(bad)
            at += taken
            continue
        read = read_override(word)
        if isinstance(read, Setting):
            line.settings.append(read)
        elif read is not None:
            line.bad.append(read)
    mentioned = any("searchpath" in word.text for word in words)
    line.searches = mentioned or "--config-dir" in line.flags
    return line


def _read_flag(line: HydraLine, word: Word, following: Word | None) -> int:
    """Record a flag; returns how many of the following words belong to it."""
    name, equals, value = word.text.partition("=")
    if name.startswith("--") and name not in _NO_VALUE and name not in _ONE_VALUE:
        # argparse takes any beginning that fits one flag alone.
        fitting = [f for f in (*_NO_VALUE, *_ONE_VALUE, "--info") if f.startswith(name)]
        name = fitting[0] if len(fitting) == 1 else name
    known = _SHORT.get(name, name)
    if name in _NO_VALUE and not equals:
        line.flags[known] = Flag(known, None, word.span)
        return 0
    if known == "--info":
        line.flags[known] = Flag(known, value or None, word.span)
        return 0
    if name in _ONE_VALUE:
        if equals:
            span = word.span_of(len(name) + 1, len(word.text))
            line.flags[known] = Flag(known, value if word.complete else None, span, value)
            return 0
        if following is None:
            problem = plural_message(
                "{name} needs a value", "{name} needs {count} values", 1, name=name
            )
            line.bad.append(BadArgument(word, word.span, problem))
            return 0
        given = following.text if following.complete else None
        span, text = following.span_of(0, len(following.text)), following.text
        line.flags[known] = Flag(known, given, span, text)
        return 1
    if word.complete:
        problem = message(
            "Hydra has no option {name}: settings are written key=value, without dashes", name=name
        )
        line.bad.append(BadArgument(word, word.span, problem))
    return 0


def read_override(word: Word) -> Setting | BadArgument | None:
    """One word as Hydra would read it; None when its key cannot be known."""
    shown = word.text
    equals = _first_equals(word)
    parsed, marks = _with_marks(word)
    key_text = shown[:equals] if equals is not None else shown
    if "${?" in key_text:
        return None
    if key_text.count(".") > _MOST_LEVELS:
        span = word.span_of(0, len(shown))
        problem = message("{key} has more than {most} levels", key=_short(shown), most=_MOST_LEVELS)
        return BadArgument(word, span, problem)
    answer = _answer(parsed)
    if isinstance(answer, str):
        span = settings.span_of_refused(word, equals)
        why = _unmarked(answer, word, marks)
        holder = _HOLDER.search(parsed)
        alone = holder and not isinstance(_answer(_HOLDER.sub("x", parsed)), str)
        return BadArgument(word, span, why, placeholder=holder[0] if holder and alone else "")
    operator, key, value = answer
    known: JsonValue | UnknownValue = value
    if any(_holds(value, mark) for mark in marks):
        known = UNKNOWN
    at = len(shown) if equals is None else equals
    key_span = word.span_of(0, at)
    value_span = word.span_of(at + 1, len(shown))
    if equals is not None and at + 1 == len(shown):
        end = word.span_of(at, at + 1).end
        value_span = Span(end, end)
    return Setting(
        key=key,
        value=known,
        text=shown[at + 1 :],
        operator=operator,
        word=word,
        key_span=key_span,
        value_span=value_span,
    )


def _answer(text: str) -> tuple[Operator, str, JsonValue] | str:
    """As `parse_with_hydra`, which is asked where nothing quicker has the answer."""
    try:
        return fast(text)
    except _NoAnswerError:
        return parse_with_hydra(text)


def _first_equals(word: Word) -> int | None:
    """Where the first known `=` stands in `word.text`."""
    at = 0
    for piece in word.pieces:
        if isinstance(piece.text, str):
            found = piece.text.find("=")
            if found >= 0:
                return at + found
            at += len(piece.text)
        else:
            at += len(piece.text.reason) + 4
    return None


def _with_marks(word: Word) -> tuple[str, list[str]]:
    """The text with an identifier in place of each hole, and those identifiers."""
    if word.complete:
        return word.text, []
    known = "".join(piece.text for piece in word.pieces if isinstance(piece.text, str))
    stem = "HOLE"
    while stem in known:
        stem += "_"
    marks: list[str] = []
    parts: list[str] = []
    for piece in word.pieces:
        if isinstance(piece.text, str):
            parts.append(piece.text)
        else:
            marks.append(f"{stem}{len(marks)}X")
            parts.append(marks[-1])
    return "".join(parts), marks


def _short(text: str) -> str:
    """The beginning of a word, quoted."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _unmarked(message: str, word: Word, marks: Sequence[str]) -> str:
    for mark, hole in zip(marks, word.holes, strict=True):
        message = message.replace(mark, f"${hole.name}" if hole.name else "…")
    return message


def _holds(value: object, mark: str) -> bool:
    if isinstance(value, str):
        return mark in value
    if isinstance(value, list):
        return any(_holds(item, mark) for item in value)
    if isinstance(value, dict):
        return any(_holds(item, mark) for pair in value.items() for item in pair)
    return False


def fast(text: str) -> tuple[Operator, str, JsonValue] | str:
    """As `parse_with_hydra` for a plain override; raises `_NoAnswerError` for any other."""
    found = _OVERRIDE.match(text)
    if found is None:
        deletion = _DELETION.match(text)
        if deletion is None:
            raise _NoAnswerError
        return "~", deletion["key"], None
    value = found["value"]
    operator = cast("Operator", found["op"] or "")
    if not value:
        return operator, found["key"], ""
    if value[0] == "[" and _LIST.match(value):
        return operator, found["key"], [_primitive(item) for item in _ITEMS.findall(value)]
    try:
        return operator, found["key"], _primitive(value)
    except _NoAnswerError:
        refused = _REFUSED.match(value)
        if refused is None:
            raise
    if refused["character"]:
        return _not_taken(refused["character"], text.partition("=")[0])
    return _not_read(text, "extraneous input '}' expecting <EOF>")


def _primitive(text: str) -> JsonValue:
    if _PLAIN.match(text):
        return _plain(text)
    if _QUOTED.match(text):
        return text[1:-1]
    if _SEVERAL.match(text):
        return text
    raise _NoAnswerError


def _plain(text: str) -> JsonValue:
    lowered = text.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered == "null":
        return None
    if _NOT_FINITE.match(text):
        raise _NoAnswerError
    if text[0].isalpha():
        return text
    if _INT.match(text):
        number = whole_number(text)
        if number is None:
            raise _NoAnswerError
        return number
    return float(text) if _FLOAT.match(text) else text


@cache
def _parser() -> Any:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    return OverridesParser.create()


def parse_with_hydra(text: str) -> tuple[Operator, str, JsonValue] | str:
    """Hydra's own answer: operator, key and value, or a sentence that says why it refuses."""
    if "=" not in text and not text.startswith("~"):
        return f"{text!r} is no override: settings are written key=value"
    if not GRAMMAR.takes(_WORD + len(text)):
        return _TOO_MUCH
    from hydra.core.override_parser.types import OverrideType
    from hydra.errors import HydraException

    try:
        override = _parser().parse_override(text)
        if override.is_sweep_override():
            return (
                f"Hydra reads {text!r} as several values to sweep over: write [a,b] for a list, "
                "or put the value in quotes of its own"
            )
        value = override.value()
    except HydraException as error:
        return _why(text, error)
    except ValueError:
        return f"a number in {_short(text)} has more digits than Python converts"
    except RecursionError:
        return f"{_short(text)} is nested too deeply for Hydra"
    operators: dict[object, Operator] = {
        OverrideType.CHANGE: "",
        OverrideType.ADD: "+",
        OverrideType.FORCE_ADD: "++",
        OverrideType.DEL: "~",
    }
    key = override.key_or_group
    if override.package is not None:
        key = f"{key}@{override.package}"
    return operators[override.type], key, _json(value)


def _why(text: str, error: Exception) -> str:
    """Hydra's complaint as one sentence."""
    start = getattr(error.__cause__, "startIndex", None)
    key, _, value = text.partition("=")
    if isinstance(start, int) and start < len(text):
        if start <= len(key):
            return f"Hydra cannot take the character {text[start]!r} in the key of {text!r}"
        return _not_taken(text[start], key)
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    if "=" in value:
        reason = "a second '=' needs quotes of its own around the value, or a backslash before it"
    elif "{" in value:
        reason = f"{reason}; mappings are written {{key:value}}, their keys without quotes"
    return _not_read(text, reason)


def _not_taken(character: str, key: str) -> str:
    return (
        f"Hydra cannot take the character {character!r} in the value of {key}: "
        "put the value in quotes of its own, or a backslash before the character"
    )


def _not_read(text: str, reason: str) -> str:
    return f"Hydra cannot read {text!r}: {reason}".rstrip().rstrip(".")


def _json(value: Any) -> JsonValue:
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    return cast("JsonValue", value)
