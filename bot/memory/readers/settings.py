"""A plan's settings, typed, as an estimate needs them; what is not known stops it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Final, TypeVar

from bot.base.errors import SentenceError
from bot.base.messages import mark, message, plural_message
from bot.base.regex import regex
from bot.frameworks.plan import Field, Plan
from bot.frameworks.plan_values import values_of
from bot.frameworks.settings.setting import Setting
from bot.report import JsonValue

T = TypeVar("T")
_ON = ("true", "1", "yes", "on")
_OFF = ("false", "0", "no", "off", "none", "null", "")
_SIZE = regex(r"(?:length|size|bsz|_len|per_gpu|per_node|nnodes|num_nodes|rollout\.n)\Z")
"""How keys end that say how much there is: an estimate needs most of them."""

LONGEST: Final = 100_000_000
"""Tokens above which a length is a slip: ten times the longest context of any model."""

NOT_KNOWN: Final = mark("{key} is not known: give --set {key}=VALUE.")
ADAPTER_UNKNOWN: Final = mark(
    "Whether an adapter is trained is not known: give --set {key}, or what it is instead."
)
MODEL_UNKNOWN: Final = mark(
    "The model ({key}) is not known without running the script: give --set {key}=NAME."
)


def release_assumption(framework: str, release: str) -> str:
    """The assumption that every estimate makes: whose defaults apply."""
    if " " in release:  # A configuration of its own: verl/trainer/config of this repository.
        return message("{framework} as in {place}", framework=framework, place=release)
    return message("{framework} {release} profile", framework=framework, release=release)


def assumed_mean(tokens: float) -> str:
    """The assumption about lengths where samples or whole sequences count."""
    return message(
        "mean sequence {tokens} tokens, 22 % of the maximum (no run given)",
        tokens=round(tokens),
    )


def assumed_longest(tokens: int, most: int) -> str:
    """The assumption about batches of samples that are padded to their longest."""
    return message(
        "batches padded to {tokens} tokens, of {most} that are allowed", tokens=tokens, most=most
    )


class NoEstimateError(SentenceError):
    """No estimate is possible; the message is a sentence that names what is missing or wrong."""


def indivisible(gpus: int, by: str) -> NoEstimateError:
    """That GPUs cannot be shared out in parts of a size, which is named."""
    return NoEstimateError(
        plural_message(
            "{count} GPU cannot be divided by {by}.",
            "{count} GPUs cannot be divided by {by}.",
            gpus,
            by=by,
        )
    )


class MemorySettings:
    """The values of one plan: the last one given, else the release's default, else `otherwise`."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.asked: set[str] = set()
        """The keys that a reader has asked for."""
        self._values = values_of(plan)
        self._last = {setting.key: setting for setting in plan.settings}
        self.files: Callable[[str], bytes | None] | None = None
        """The files of the script's tree; None without one."""
        self.guessed: list[str] = []
        """What may be otherwise than it is taken for, a clause for each."""
        self.profile = release_assumption(plan.framework, plan.configuration.release)
        """The assumption of whose defaults apply."""

    def named(self, key: str) -> str:
        """What the launch calls a setting."""
        return key

    def _written(self, keys: Sequence[str]) -> str:
        """Of the keys of a value the one that the launch sets, as it calls it."""
        names = [self.named(key) for key in keys]
        return next((name for name in names if name in self._last), names[0])

    def value_or(self, guess: JsonValue, key: str, assumption: str) -> JsonValue:
        """The value at a key; where only a run decides it a guess, which is said so."""
        try:
            return self.value(key)
        except NoEstimateError:
            self.guessed.append(assumption)
            return guess

    def doubt(self, key: str) -> None:
        """Take a key for one that is not read: it may lower the peak further than is known."""
        self.asked.discard(key)

    def value(self, *keys: str) -> JsonValue:
        """The value at the first key that the script sets, else at the first with a default.

        None when none has one. Raises NoEstimateError when only a run decides it.
        """
        self.asked.update(keys)
        for key in keys:
            setting = self._last.get(key)
            if setting is None or setting.operator == "~":
                continue
            if not setting.known:
                raise _undecided(setting, self.plan)
            resolved = self._values.get(key)
            return resolved.value if resolved is not None else setting.value  # type: ignore[return-value]
        for key in keys:
            resolved = self._values.get(key)
            if resolved is not None and resolved.value is not None:
                return resolved.value
            option = self.plan.table.get(key) if self.plan.table is not None else None
            if resolved is None and option is not None and option.type != "mandatory":
                default = option.default
                if default is not None and not (isinstance(default, str) and "${" in default):
                    return default
        return None

    def whole(self, *keys: str) -> int | None:
        """A whole number; None when it is not set."""
        value = self.value(*keys)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise NoEstimateError(
                "{key} is {value}, where a whole number belongs.",
                key=self._written(keys),
                value=f"{value!r}",
            )
        # -1 is in use for none, or for all.
        return value if value >= -1 else positive(value, self._written(keys))

    def count(self, *keys: str) -> int | None:
        """A number of things; None when it is not set. Raises when it is not positive."""
        return positive(self.whole(*keys), self._written(keys))

    def length(self, *keys: str) -> int | None:
        """A number of tokens; None when it is not set. Raises when it is none that there can be."""
        return as_length(self.count(*keys), self._written(keys))

    def limit(self, *keys: str) -> int | None:
        """A limit; None when it is not set, or -1 or 0 takes it away."""
        return max(0, self.whole(*keys) or 0) or None

    def size(self, *keys: str) -> int:
        """A parallel size: 1 when it is not set. Raises when it is not positive."""
        return self.count(*keys) or 1

    def number(self, otherwise: float, *keys: str) -> float:
        """A number."""
        value = self.value(*keys)
        if value is None:
            return otherwise
        if isinstance(value, str):  # An option whose parser is not known is text.
            value = _number(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise NoEstimateError(
                "{key} is {value}, where a number belongs.",
                key=self._written(keys),
                value=f"{value!r}",
            )
        return float(value)

    def share(self, otherwise: float, *keys: str) -> float:
        """A share of the memory. Raises when it is not between 0 and 1."""
        value = self.number(otherwise, *keys)
        if not 0 < value <= 1:
            raise NoEstimateError(
                "{key} is {value}, where a share of the memory belongs: more than 0 and at most 1.",
                key=self._written(keys),
                value=f"{value:g}",
            )
        return value

    def on(self, otherwise: bool, *keys: str) -> bool:
        """A switch. Raises for a word that says neither on nor off."""
        value = self.value(*keys)
        if value is None:
            return otherwise
        if not isinstance(value, str):
            return bool(value)
        word = value.lower()
        if word not in (*_ON, *_OFF):
            raise NoEstimateError(
                "{key} is {value}, where True or False belongs.",
                key=self._written(keys),
                value=value,
            )
        return word in _ON

    def text(self, *keys: str) -> str | None:
        """A text; None when it is not set."""
        value = self.value(*keys)
        return value if isinstance(value, str) and value else None

    def path(self, *keys: str) -> str | None:
        """A path or hub name, whose first part may be unknown (`${?HOME}/models/Qwen3-8B`)."""
        self.asked.update(keys)
        for key in keys:
            setting = self.plan.last(key)
            if setting is not None and setting.operator != "~" and not setting.known:
                return setting.text.strip("\"'")
        return self.text(*keys)

    def pass_over(self, begin: str, end: str = "") -> None:
        """Take the settings of such names for read, where they have no effect."""
        keys = (one.key for one in self.plan.settings)
        self.asked.update(key for key in keys if key.startswith(begin) and key.endswith(end))

    def all_on(self, otherwise: bool, *keys: str) -> bool:
        """Whether every one of several switches is on; all are read, whatever the first says."""
        self.asked.update(keys)
        return all(self.on(otherwise, key) for key in keys)

    def model(self, *keys: str) -> str | None:
        """The path of a model; raises NoEstimateError where nothing of it is known."""
        found = self.path(*keys)
        if found is not None and found.endswith("}"):
            self.value(*keys)
        return found


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _unset(setting: Setting) -> list[str]:
    return [hole.name for hole in setting.holes if hole.kind == "unset" and hole.name]


def _undecided(setting: Setting, plan: Plan) -> NoEstimateError:
    names = _unset(setting)
    sizes = (other for other in plan.settings if _SIZE.search(other.key))
    every = dict.fromkeys([*names, *(name for other in sizes for name in _unset(other))])
    others = [name for name in every if name != names[0]] if names else []
    if others:
        return NoEstimateError(
            "{key} needs the variable {name}, which the script leaves to its caller: give "
            "--env {name}=VALUE, and so for what other settings need: {others}.",
            key=setting.key,
            name=names[0],
            others=", ".join(others),
        )
    if names:
        return NoEstimateError(
            "{key} needs the variable {name}, which the script leaves to its caller: give "
            "--env {name}=VALUE.",
            key=setting.key,
            name=names[0],
        )
    if any(hole.kind == "argument" for hole in setting.holes):
        return NoEstimateError(
            "{key} is {text}, which the script leaves to its caller: give the script's arguments "
            "with --args.",
            key=setting.key,
            text=setting.text,
        )
    if any(hole.kind == "unsupported" and hole.name for hole in setting.holes):
        return NoEstimateError(
            "{key} is {text}: --root names the folder to read that file from.",
            key=setting.key,
            text=setting.text,
        )
    return NoEstimateError(
        "{key} is {text}, which only running decides: give --set {key}=VALUE.",
        key=setting.key,
        text=setting.text,
    )


def counted(field: Field[int]) -> int | None:
    """A number of things that a plan has; raises NoEstimateError where it is less than one."""
    return positive(field.value, field.key)


def length_of(field: Field[int]) -> int | None:
    """A length that a plan has; raises NoEstimateError where it is none that there can be."""
    return as_length(counted(field), field.key)


def positive(value: int | None, key: str | None) -> int | None:
    """A number of things as it is; raises NoEstimateError where it is less than one."""
    if value is not None and value < 1:
        raise NoEstimateError(
            "{key} is {value}, where a positive number belongs.", key=key, value=value
        )
    return value


def as_length(value: int | None, key: str | None) -> int | None:
    """A number of tokens as it is; raises NoEstimateError where there is no sequence as long."""
    if value is not None and value > LONGEST:
        raise NoEstimateError(
            "{key} is {value}, where a length of at most {most} tokens belongs.",
            key=key,
            value=value,
            most=f"{LONGEST:,}",
        )
    return value


def needed(value: T | None, sentence: str, /, **values: object) -> T:
    """The value; raises NoEstimateError with the sentence, or of its template, without one."""
    if value is None:
        raise NoEstimateError(sentence, **values)
    return value
