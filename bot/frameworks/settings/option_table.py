"""The options of one command-line module of one release, with argparse's rules for them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from bot.base.messages import enumeration, mark, message
from bot.base.regex import regex
from bot.base.spelling import slip
from bot.frameworks.settings.key_table import OK, Key, KeyTable, KeyVerdict, refusal
from bot.frameworks.settings.releases import beside_tables, spans_of_releases, timeline
from bot.frameworks.settings.setting import UNKNOWN, Setting, WholeSetting
from bot.report import Scalar

_TYPES = {
    "flag": "bool", "off": "bool", "bool": "bool", "int": "int", "float": "float", "str": "str",
    "int?": "int", "float?": "float",
}  # fmt: skip
"""Types of `generate.py`; those with a question mark take `none` too."""
_TRUE = frozenset(("yes", "true", "t", "y", "1"))
_FALSE = frozenset(("no", "false", "f", "n", "0"))
"""What transformers' `string_to_bool` takes, in any case."""

UNLIMITED: Final = frozenset(
    ("max_length", "max_seq_length", "max_prompt_length", "max_completion_length")
)
"""TRL's options whose None, of a program or a recipe, is no default: nothing limits a length. The
command lines of releases before transformers 5 have no word for it."""


@cache
def _renames(framework: str) -> Mapping[str, Sequence[str]]:
    found = beside_tables(framework, "renames")
    return found["renames"] if found else {}


class OptionTable(KeyTable):
    """The options of an `argparse.ArgumentParser`; keys have no dashes."""

    def __init__(self, data: Mapping[str, Any], root: str) -> None:
        """`data` is the file of a release; raises `KeyError` when it does not have the root."""
        self.framework: str = data["framework"]
        self.version: str = data["version"]
        self.root = root
        self._options: Mapping[str, list[Any]] = data["roots"][root]
        self._dashed: bool = data.get("dashed", False)
        names = (*self._options, "help")
        self._places = {name: place for place, name in enumerate(names)}
        self._sorted = sorted(self._places)

    def is_alike(self, other: OptionTable) -> bool:
        """Whether another release has the same options."""
        return self._dashed == other._dashed and self._options == other._options

    def spelled(self, key: str) -> str:
        """An option with dashes as the table spells it: `lora-r` is `lora_r`, where both work."""
        return key.replace("-", "_") if self._dashed and "_" not in key else key

    def full(self, key: str, *, whole: bool = False) -> str | None:
        """The option that `key` names: itself, or unless `whole` the one that begins with it."""
        key = self.spelled(key)
        if whole or key in self._options:
            return key if key in self._options else None
        found = self.fitting(key)
        return found[0] if len(found) == 1 else None

    def fitting(self, key: str) -> list[str]:
        """The options that begin with `key`; argparse refuses a beginning that fits several."""
        key = self.spelled(key)
        if not key:
            return []
        start = end = bisect_left(self._sorted, key)
        while end < len(self._sorted) and self._sorted[end].startswith(key):
            end += 1
        return sorted(self._sorted[start:end], key=self._places.__getitem__)

    def convert(self, text: str, key: Key) -> Scalar:
        """The value as the option's type makes it; as text when that fails."""
        kind = str(self._options[key.name][1]) if key.name in self._options else key.type
        if kind == "bool":
            lowered = text.lower()
            return lowered in _TRUE if lowered in _TRUE | _FALSE else text
        if (kind.endswith("?") or key.name in UNLIMITED) and text.lower() in ("none", "null"):
            return None
        try:
            if kind.startswith("int"):
                return int(text)
            return float(text) if kind.startswith("float") else text
        except ValueError:
            return text

    def get(self, key: str) -> Key | None:
        """The option, by its name or by a beginning that fits it alone."""
        name = self.full(key)
        if name is None or name not in self._options:
            return None
        _, kind, arity, default, choices = self._options[name]
        return Key(name, _TYPES.get(kind, "any"), default, False, tuple(choices or ()), arity)

    def destination(self, key: str) -> str:
        """Where argparse puts the value: `muon.no_nesterov` sets `muon.nesterov`."""
        found = self._options.get(key)
        return str(found[0]) if found else key

    def switches_to(self, key: str) -> bool:
        """What a flag sets: False for those that switch something off."""
        return bool(self._options[key][1] != "off")

    def __contains__(self, key: str) -> bool:
        return self.full(key) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def spells(self, key: str) -> bool:
        """Whether there is an option of this very name."""
        return key in self._options

    def renamed(self, key: str) -> str | None:
        """The name that an older option has here, by `renames.json`; None for any other."""
        names = _renames(self.framework).get(key, ())
        return next((name for name in names if name in self._options), None)

    def nearest(self, key: str) -> str | None:
        """The name that an older option has now, else the most similar option; None when none is.

        0.10.2 renamed nearly all options: most kept their words and got a section (`--zero_stage`
        became `--ds.zero_stage`), the others are listed in `renames.json`.
        """
        if (name := self.renamed(key)) is not None:
            return name
        kept = [name for name in self._options if name.replace(".", "_") == key]
        kept += [name for name in self._options if name.rsplit(".", 1)[-1] == key]
        if len(set(kept)) == 1:
            return kept[0]
        return slip(key, self._options) or super().nearest(key)

    def history(self, key: str, /) -> str | None:
        """Releases whose module of the same name has the option, in words.

        For an option that only other modules have ever had, their releases, and which they are.
        None when no module of any release has it.
        """
        options = timeline(self.framework)
        if options is None:
            return None
        having = options.having(key, self.root)
        if having:
            return spans_of_releases(self.framework, having)
        words = spans_of_releases(self.framework, options.having(key))
        others = [name.rsplit(".", 1)[-1] for name in options.modules_having(key)]
        return words and message(
            "{when}, but only for {programs}", when=words, programs=enumeration(others, 3)
        )

    def verdict(self, setting: Setting) -> KeyVerdict:
        """What argparse would say to this option."""
        fitting = [] if isinstance(setting, WholeSetting) else self.fitting(setting.key)
        if setting.key not in self._options and len(fitting) != 1:
            if fitting:
                several = ", --".join(fitting)
                why = message(
                    "{option} may mean any of {options}",
                    option=f"--{setting.key}",
                    options=f"--{several}",
                )
                return refusal("unknown", why)
            return refusal(
                "unknown",
                message(
                    "{program} of {framework} {release} has no {option}",
                    program=self.root,
                    framework=self.framework,
                    release=self.version,
                    option=f"--{setting.key}",
                ),
                suggestion=self.nearest(setting.key),
            )
        key = self.get(setting.key)
        if key is None or setting.value is UNKNOWN:
            return OK
        values = setting.value if isinstance(setting.value, list) else [setting.value]
        for value in values:
            if key.type in _KINDS and isinstance(value, str):
                if (
                    key.type == "int"
                    and isinstance(setting, WholeSetting)
                    and _FLOAT.fullmatch(value)
                ):
                    continue  # No parser reads it: transformers 5 takes warmup_steps=0.1.
                return refusal("invalid", _takes(key.name, message(_KINDS[key.type]), value))
            if key.choices and value not in key.choices:
                allowed = ", ".join(str(choice) for choice in key.choices)
                wanted = message("one of {choices}", choices=allowed)
                return refusal("invalid", _takes(key.name, wanted, value))
        return OK

    def verdicts(self, settings: Sequence[Setting]) -> tuple[KeyVerdict, ...]:
        """What argparse would say to each option; they do not depend on each other."""
        return tuple(self.verdict(setting) for setting in settings)

    def refused(self, settings: Sequence[Setting]) -> tuple[bool, ...]:
        """See `KeyTable.refused`; an option whose value is of another kind is one that is there."""
        return tuple(
            (
                setting.key not in self._options
                and (isinstance(setting, WholeSetting) or len(self.fitting(setting.key)) != 1)
            )
            or self._no_choice(setting)
            for setting in settings
        )

    def _no_choice(self, setting: Setting) -> bool:
        """Whether a value is none of an option's, as `--optim adamw_hf` is since TRL 0.16."""
        key = self.get(setting.key)
        if key is None or not key.choices or setting.value is UNKNOWN:
            return False
        values = setting.value if isinstance(setting.value, list) else [setting.value]
        return any(value not in key.choices for value in values)


def _takes(name: str, wanted: str, value: object) -> str:
    return message(
        "{option} takes {wanted}, not {value}", option=f"--{name}", wanted=wanted, value=repr(value)
    )


_FLOAT: Final = regex(r"-?[0-9]{0,20}\.[0-9]{1,20}")
_KINDS = {"int": mark("a whole number"), "float": mark("a number"), "bool": mark("true or false")}
