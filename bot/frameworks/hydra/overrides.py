"""Hydra's command line: each word becomes a setting, a flag, or something Hydra would refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, plural_message
from bot.base.regex import regex
from bot.frameworks.hydra.grammar import INT, NoAnswerError, clipped, fast, parse
from bot.frameworks.settings.setting import (
    UNKNOWN,
    BadArgument,
    Operator,
    Setting,
    span_of_refused,
)
from bot.report import JsonValue
from bot.shell.source import Span
from bot.shell.words import Word

_HOLDER = regex(r"<[A-Za-z][\w \-/.]{0,40}>|\{(?:your|YOUR|my|MY)_\w{1,40}\}")
_NO_VALUE = {
    "--help": "-h",
    "--hydra-help": None,
    "--version": None,
    "--resolve": None,
    "--run": "-r",
    "--multirun": "-m",
    "--shell-completion": "-sc",
}
_ONE_VALUE = {
    "--cfg": "-c",
    "--package": "-p",
    "--config-path": "-cp",
    "--config-name": "-cn",
    "--config-dir": "-cd",
    "--experimental-rerun": None,
}
"""Hydra's flags without a value, and with one: each long form to its short one."""
_LONG = {short: long for long, short in (_NO_VALUE | _ONE_VALUE | {"--info": "-i"}).items()}


def foreign_option(text: str) -> bool:
    """Whether a word is an option that Hydra does not have, in full or by its beginning."""
    name = text.partition("=")[0]
    return name.startswith("--") and not any(long.startswith(name) for long in _LONG.values())


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of Hydra's own, such as --config-name=ppo_megatron_trainer."""

    value: str | None
    """None for a flag without a value, or when a hole decides it."""
    span: Span
    """Where the value (or the flag) was written."""
    text: str | None = None
    """The value of a flag that has one, with its holes as `Word.text` writes them."""


@dataclass(frozen=True, slots=True)
class HydraLine:
    """Hydra's arguments, sorted out."""

    settings: tuple[Setting, ...] = ()
    bad: tuple[BadArgument, ...] = ()
    flags: Mapping[str, Flag] = field(default_factory=dict)
    """The last of each name wins, as in argparse."""
    searches: bool = False
    """Whether it adds folders in which configurations are looked for."""


_KEPT: Final = 400
"""Characters of an override that is kept for the next script."""
_MOST_LEVELS: Final = 100
"""Levels of a key; OmegaConf's own functions are recursive."""


def read_line(words: Sequence[Word]) -> HydraLine:
    """Sort out the arguments of a program that starts with `@hydra.main`.

    A word whose key holds something unknown, or that is unknown altogether, is left out: it may be
    any setting.
    """
    settings: list[Setting] = []
    bad: list[BadArgument] = []
    flags: dict[str, Flag] = {}
    texts = [word.text for word in words]
    rows = 0
    in_row = False
    sweeps = not {"-m", "--multirun"}.isdisjoint(texts)
    at = 0
    while at < len(words):
        word, text = words[at], texts[at]
        at += 1
        if text.startswith("-") and len(text) > 1 and not INT.match(text):
            in_row = False
            at += _read_flag(flags, bad, word, words[at] if at < len(words) else None)
            continue
        if not in_row:
            in_row, rows = True, rows + 1
        if rows > 1:
            # argparse gives `overrides` (nargs="*") the first row of words alone.
            problem = message(
                "Hydra takes all overrides in one row: this one stands after a flag that follows "
                "other overrides, and is refused as an unrecognized argument"
            )
            bad.append(BadArgument(word, word.span, problem))
            continue
        beside = text[-1:] == "=" or (at < len(words) and texts[at][:1] == "=")
        if beside and (blanks := spaced(words[at - 1 : at + 2])):
            apart, taken = blanks
            bad.append(apart)
            at += taken
            continue
        read = read_override(word)
        if sweeps and isinstance(read, BadArgument):
            read = _swept(word) or read
        if isinstance(read, Setting):
            settings.append(read)
        elif read is not None:
            bad.append(read)
    searches = "--config-dir" in flags or any("searchpath" in text for text in texts)
    return HydraLine(tuple(settings), tuple(bad), flags, searches)


def _read_flag(
    flags: dict[str, Flag], bad: list[BadArgument], word: Word, following: Word | None
) -> int:
    """Record a flag; returns how many of the following words belong to it."""
    name, equals, value = word.text.partition("=")
    if name.startswith("--") and name not in _NO_VALUE and name not in _ONE_VALUE:
        # argparse takes any beginning that fits one flag alone.
        fitting = [f for f in (*_NO_VALUE, *_ONE_VALUE, "--info") if f.startswith(name)]
        name = fitting[0] if len(fitting) == 1 else name
    known = _LONG.get(name, name)
    if known in _NO_VALUE and not equals:
        flags[known] = Flag(None, word.span)
        return 0
    if known == "--info":
        flags[known] = Flag(value or None, word.span)
        return 0
    if known in _ONE_VALUE:
        if equals:
            span = word.span_of(len(name) + 1, len(word.text))
            flags[known] = Flag(value if word.complete else None, span, value)
            return 0
        if following is None:
            problem = plural_message(
                "{name} needs a value", "{name} needs {count} values", 1, name=name
            )
            bad.append(BadArgument(word, word.span, problem))
            return 0
        given = following.text if following.complete else None
        span, text = following.span_of(0, len(following.text)), following.text
        flags[known] = Flag(given, span, text)
        return 1
    if word.complete:
        problem = message(
            "Hydra has no option {name}: settings are written key=value, without dashes", name=name
        )
        if (dashed := name.replace("_", "-")) in _ONE_VALUE:
            problem = message("Hydra has no option {name}; it has {known}", name=name, known=dashed)
        bad.append(BadArgument(word, word.span, problem))
    return 0


@lru_cache(maxsize=4096)  # Scripts of a folder share most of their overrides.
def _plain(text: str) -> tuple[int, Operator, str, JsonValue] | None:
    """Where the `=` of a plain override stands, its operator, key and value; None for any other."""
    at = text.find("=")
    if not 0 < at < len(text) - 1 or "${?" in text or text.count(".", 0, at) > _MOST_LEVELS:
        return None
    try:
        answer = fast(text)
    except NoAnswerError:
        return None
    return None if isinstance(answer, str) else (at, *answer)


def read_override(word: Word) -> Setting | BadArgument | None:
    """One word as Hydra would read it; None when its key cannot be known."""
    shown = parsed = word.text
    short = word.complete and len(shown) <= _KEPT
    if short and (plain := _plain(shown)) is not None:
        at, operator, key, value = plain
        key_span, value_span = word.spans_beside(at)
        return Setting(key, value, shown[at + 1 :], operator, word, key_span, value_span)
    marks: list[str] = []
    if word.complete:
        equals = shown.find("=")
    else:
        equals = _first_equals(word)
        parsed, marks = _with_marks(word)
    at = len(shown) if equals < 0 else equals
    if "${?" in shown[:at]:
        return None
    if shown.count(".", 0, at) > _MOST_LEVELS:
        span = word.span_of(0, len(shown))
        problem = message(
            "{key} has more than {most} levels", key=clipped(shown), most=_MOST_LEVELS
        )
        return BadArgument(word, span, problem)
    answer = parse(parsed)
    if isinstance(answer, str):
        span = span_of_refused(word, None if equals < 0 else equals)
        why = _unmarked(answer, word, marks)
        holder = _HOLDER.search(parsed)
        alone = holder and not isinstance(parse(_HOLDER.sub("x", parsed)), str)
        return BadArgument(word, span, why, placeholder=holder[0] if holder and alone else "")
    operator, key, value = answer
    known = UNKNOWN if any(_holds(value, mark) for mark in marks) else value
    key_span, value_span = word.spans_beside(at)
    if at + 1 == len(shown):
        end = word.span_of(at, at + 1).end
        value_span = Span(end, end)
    return Setting(key, known, shown[at + 1 :], operator, word, key_span, value_span)


def _swept(word: Word) -> Setting | None:
    """A setting that `--multirun` gives several values, as `seed=0,1,2`; None for any other."""
    left, _, values = word.text.partition("=")
    answer = parse(f"{left}=x") if values and not {",", "("}.isdisjoint(values) else ""
    if isinstance(answer, str) or "${?" in left:
        return None
    operator, key, _ = answer
    key_span, value_span = word.spans_beside(len(left))
    return Setting(key, UNKNOWN, values, operator, word, key_span, value_span)


def _first_equals(word: Word) -> int:
    """Where the first known `=` stands in `word.text`; -1 for nowhere."""
    at = 0
    for piece in word.pieces:
        if isinstance(piece.text, str):
            found = piece.text.find("=")
            if found >= 0:
                return at + found
            at += len(piece.text)
        else:
            at += len(piece.text.reason) + 4
    return -1


def _with_marks(word: Word) -> tuple[str, list[str]]:
    """The text with an identifier in place of each hole, and those identifiers."""
    known = "".join(piece.text for piece in word.pieces if isinstance(piece.text, str))
    stem = "HOLE"
    while stem in known:
        stem += "_"
    marks = [f"{stem}{number}X" for number in range(len(word.holes))]
    left = iter(marks)
    parts = (one.text if isinstance(one.text, str) else next(left) for one in word.pieces)
    return "".join(parts), marks


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


_KEY: Final = regex(r"(?:\+\+?)?[A-Za-z_]\w*(?:\.\w+)+")


def spaced(words: Sequence[Word]) -> tuple[BadArgument, int] | None:
    """A setting with blanks around its `=`, with the number of words that follow its first."""
    texts = [word.text for word in words]
    first = texts[0].removesuffix("=")
    if not all(word.complete for word in words) or not _KEY.fullmatch(first):
        return None
    if texts[0] != first:  # key= value
        # A word that begins with a blank stands behind a backslash that should end the line.
        if len(texts) == 1 or "=" in texts[1] or texts[1][:1] in ("-", "+", "~", " ", "\t"):
            return None
        parts = texts[:2]
    elif len(texts) > 1 and texts[1] == "=":  # key = value
        parts = texts[:3]
    elif len(texts) > 1 and texts[1].startswith("="):  # key =value
        parts = texts[:2]
    else:
        return None
    last = words[len(parts) - 1]
    # In an array the words stand elsewhere than the launch.
    start, end = words[0].span_of(0, len(first)).start, last.span_of(0, len(last.text)).end
    span = Span(start, end) if start < end else Span(words[0].span.start, last.span.end)
    problem = message("blanks stand around the = of {key}", key=first)
    return BadArgument(words[0], span, problem, "".join(parts)), len(parts) - 1
