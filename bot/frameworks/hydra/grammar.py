"""Hydra's grammar of an override: its operator, key and value, or why Hydra refuses it.

The authority is hydra-core's own `OverridesParser`. Importing it costs about 100 ms, so the plain
shapes of nearly all scripts are read by patterns that give the same answer, all others by Hydra.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final, cast

from bot.base.allowance import Allowance
from bot.base.digits import whole_number
from bot.base.messages import Message, message
from bot.base.regex import regex
from bot.frameworks.settings.setting import Operator
from bot.report import JsonValue

_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_FULL_WIDTH = chr(0xFF1D)
"""The sign that Chinese and Japanese keyboards write for `=`."""
_PATH = rf"{_NAME}(?:\.{_NAME})*"
_OVERRIDE = regex(rf"(?P<op>\+\+?|~)?(?P<key>{_PATH}(?:@{_PATH})?)=(?P<value>.*)\Z", re.DOTALL)
_DELETION = regex(rf"~(?P<key>{_PATH}(?:@{_PATH})?)\Z")

_DIGITS = r"(?:0|[1-9](?:_?[0-9])*)"
_FRACTION = r"[0-9](?:_?[0-9])*"
_POINT = rf"(?:{_DIGITS}?\.{_FRACTION}|{_DIGITS}\.)"
INT = regex(rf"[+-]?{_DIGITS}\Z")
_FLOAT = regex(rf"[+-]?(?:(?:{_POINT}|{_DIGITS})[eE][+-]?{_FRACTION}|{_POINT})\Z")
_NOT_FINITE = regex(r"[+-]?(?:inf|nan)\Z", re.IGNORECASE)
_RUN = r"[A-Za-z0-9_/.:+%*@?|-]+"
_PLAIN = regex(rf"{_RUN}\Z")
_SEVERAL = regex(rf"{_RUN}(?:[ \t]+{_RUN})+\Z")
"""Words with blanks between them, which Hydra's grammar takes for one text."""
_REFUSED = regex(rf"(?:{_RUN}(?:[ \t]+{_RUN})*)?(?:(?P<character>[<>;&#!])|(?<=.)(?P<brace>\}})\Z)")
"""Values that the grammar refuses at the character after a text of plain words."""
_QUOTE = r"""(?:'(?:[^'\\$]|\$(?!\{))*'|"(?:[^"\\$]|\$(?!\{))*")"""
"""A text in quotes without a reference (`${…}`) or a backslash."""
_QUOTED = regex(rf"{_QUOTE}\Z")
_ITEM = rf"(?:{_QUOTE}|{_RUN})"
_LIST = regex(rf"\[[ \t]*(?:{_ITEM}(?:[ \t]*,[ \t]*{_ITEM})*[ \t]*)?\]\Z")
_ITEMS = regex(_ITEM)

_SHOWN: Final = 60
_WORD: Final = 16
"""Characters that each word counts for, besides its own."""
CHARACTERS: Final = 50_000
GRAMMAR: Final = Allowance("grammar")
"""Characters that all launches of a script hand to Hydra's grammar, a thousand times as dear as
ours."""
_BRACED: Final = regex(r"\{[A-Za-z_]\w{0,99}\}")
"""A name in braces, which lacks its dollar, or is still to be filled in."""
_TOO_MUCH: Final = (
    "it is not read: the script has more overrides of Hydra's own grammar than are read; "
    "write plain values"
)


class NoAnswerError(Exception):
    """The fast path leaves the word to Hydra."""


def parse(text: str) -> tuple[Operator, str, JsonValue] | str:
    """Operator, key and value, or a sentence that says why Hydra refuses it."""
    try:
        return fast(text)
    except NoAnswerError:
        return parse_with_hydra(text)


def fast(text: str) -> tuple[Operator, str, JsonValue] | str:
    """As `parse_with_hydra` for a plain override; raises `NoAnswerError` for any other."""
    found = _OVERRIDE.match(text)
    if found is None:
        deletion = _DELETION.match(text)
        if deletion is None:
            raise NoAnswerError
        return "~", deletion["key"], None
    sign, key, value = found.groups("")
    operator = cast("Operator", sign)
    if not value:
        return operator, key, ""
    if value[0] == "[" and _LIST.match(value):
        return operator, key, [_primitive(item) for item in _ITEMS.findall(value)]
    try:
        return operator, key, _primitive(value)
    except NoAnswerError:
        refused = _REFUSED.match(value)
        if refused is None:
            raise
    if refused["character"]:
        return _not_taken(refused["character"], text.partition("=")[0])
    return _not_read(text, "extraneous input '}' expecting <EOF>")


@lru_cache(maxsize=1024)
def _primitive(text: str) -> JsonValue:
    if _PLAIN.match(text):
        return _plain(text)
    if _QUOTED.match(text):
        return text[1:-1]
    if _SEVERAL.match(text):
        return text
    raise NoAnswerError


def _plain(text: str) -> JsonValue:
    lowered = text.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered == "null":
        return None
    if _NOT_FINITE.match(text):
        raise NoAnswerError
    if text[0].isalpha():
        return text
    if INT.match(text):
        number = whole_number(text)
        if number is None:
            raise NoAnswerError
        return number
    return float(text) if _FLOAT.match(text) else text


@cache
def _parser() -> Any:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    return OverridesParser.create()


def parse_with_hydra(text: str) -> tuple[Operator, str, JsonValue] | str:
    """Hydra's own answer: operator, key and value, or a sentence that says why it refuses."""
    if "=" not in text and not text.startswith("~"):
        if _FULL_WIDTH in text:
            return message(
                "{word} has a full-width {sign}: settings are written key=value",
                word=repr(text),
                sign=_FULL_WIDTH,
            )
        return message("{word} is no override: settings are written key=value", word=repr(text))
    if not GRAMMAR.takes(_WORD + len(text)):
        return _TOO_MUCH
    from hydra.core.override_parser.types import OverrideType
    from hydra.errors import HydraException

    try:
        override = _parser().parse_override(text)
        if override.is_sweep_override():
            return message(
                "Hydra reads {setting} as several values to sweep over: write [a,b] for a list, or "
                "put the value in quotes of its own",
                setting=repr(text),
            )
        value = override.value()
    except HydraException as error:
        return _complaint(text, error)
    except ValueError:
        return message(
            "a number in {setting} has more digits than Python converts", setting=clipped(text)
        )
    except RecursionError:
        return message("{setting} is nested too deeply for Hydra", setting=clipped(text))
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


def _complaint(text: str, error: Exception) -> str:
    """Hydra's complaint as one sentence."""
    start = getattr(error.__cause__, "startIndex", None)
    key, _, value = text.partition("=")
    if isinstance(start, int) and start < len(text):
        if start <= len(key):
            return message(
                "Hydra cannot take the character {character} in the key of {setting}",
                character=repr(text[start]),
                setting=repr(text),
            )
        return _not_taken(text[start], key)
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    if "=" in value:
        reason = message(
            "a second '=' needs quotes of its own around the value, or a backslash before it"
        )
    elif _BRACED.fullmatch(value):
        reason = message(
            "a variable of the script is written {variable}, and a mapping {mapping}",
            variable=f"${value}",
            mapping="{key:value}",
        )
    elif "{" in value:
        reason = message(
            "{reason}; mappings are written {mapping}, their keys without quotes",
            reason=reason,
            mapping="{key:value}",
        )
    return _not_read(text, reason)


def _not_taken(character: str, key: str) -> str:
    return message(
        "Hydra cannot take the character {character} in the value of {key}: put the value in "
        "quotes of its own, or a backslash before the character",
        character=repr(character),
        key=key,
    )


def _not_read(text: str, reason: str) -> str:
    clause = reason if isinstance(reason, Message) else reason.rstrip().rstrip(".")
    return message("Hydra cannot read {setting}: {reason}", setting=repr(text), reason=clause)


def _json(value: Any) -> JsonValue:
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    return cast("JsonValue", value)


def clipped(text: str) -> str:
    """The beginning of a word, quoted."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
