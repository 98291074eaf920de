"""Comparing a value that a script gives with the one that a run recorded."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bot.base.digits import is_digits
from bot.base.regex import regex
from bot.base.secret_values import covered
from bot.report import JsonValue, Scalar
from bot.script.name import hub_model

MAX_SHOWN: Final = 200
"""Characters of a value that a report shows."""

_NUMBER = regex(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z", re.ASCII)
_NULLS = frozenset({"null", "none"})
_BOOLS = {"true": True, "false": False}
_DEPTH = 40
_LONGEST = 65_536
"""Characters of a text that may be a list or a mapping."""
_UNKNOWN_PART = regex(r"\$\{\?[^{}]{0,500}\}")
_HUB_NAME = regex(r"[\w-][\w.-]{0,200}/[\w.-]{1,200}\Z", re.ASCII)
_FILE = regex(r"\.(?:parquet|jsonl?|csv|arrow|txt|py|ya?ml)\Z")
_ANY_DATA = regex(r"(?:train|test|val|validation|valid|dev|eval|data)\.\w{1,20}\Z")
_DECORATION = str.maketrans("", "", "[]'\" \t")


class Missing:
    """No such key."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


def lookup(config: Mapping[str, JsonValue], key: str) -> JsonValue | Missing:
    """The entry of a nested configuration under a dotted key, or MISSING.

    Keys may have been flattened by the logger at any level ("a.b": {"c": 1}), and `argparse` turns
    dashes into underscores; the most deeply nested form wins.
    """
    found = _descend(config, key.split("."))
    if isinstance(found, Missing) and "-" in key:
        return _descend(config, key.replace("-", "_").split("."))
    return found


def _descend(node: Mapping[str, JsonValue], parts: list[str]) -> JsonValue | Missing:
    # Joining may start at any dot: bounded, since a key has few parts.
    for length in range(1, min(len(parts), 24) + 1):
        name = ".".join(parts[:length])
        if name not in node:
            continue
        value = node[name]
        if length == len(parts):
            return value
        if isinstance(value, dict):
            found = _descend(value, parts[length:])
            if not isinstance(found, Missing):
                return found
    return MISSING


def leaves(config: Mapping[str, JsonValue], prefix: str = "") -> Iterator[tuple[str, JsonValue]]:
    """The entries of a nested configuration by their dotted keys; an empty mapping is an entry."""
    for key, value in config.items():
        if isinstance(value, dict) and value and prefix.count(".") < 30:
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def same(claimed: JsonValue, observed: JsonValue, *, depth: int = 0) -> bool | None:
    """Whether both mean the same to a framework; None when one of them is not decided.

    Numbers compare by value (1e-6 is 1e-06 and "1e-6", 1 is 1.0), true is "True", null is "None".
    A mapping may have more entries in the run, since Hydra merges it into the defaults. A text is
    the list of its words, and the list or mapping that it is in JSON: so transformers takes
    `--report_to wandb` and `--gradient_checkpointing_kwargs '{…}'`.
    Interpolations ("${…}") and missing values ("???") are not decided.
    """
    if _is_unresolved(claimed) or _is_unresolved(observed) or depth > _DEPTH:
        return None
    if isinstance(claimed, list) and isinstance(observed, list):
        if len(claimed) != len(observed):
            return False
        return _all_true(
            same(a, b, depth=depth + 1) for a, b in zip(claimed, observed, strict=True)
        )
    if isinstance(claimed, dict) and isinstance(observed, dict):
        if any(key not in observed for key in claimed):
            return False
        return _all_true(same(claimed[key], observed[key], depth=depth + 1) for key in claimed)
    if isinstance(claimed, (list, dict)) or isinstance(observed, (list, dict)):
        ours, theirs = _parsed(claimed, observed), _parsed(observed, claimed)
        if (ours, theirs) != (claimed, observed):
            return same(ours, theirs, depth=depth + 1)
        # W&B writes objects that JSON cannot hold as their `str`.
        return str(claimed) == str(observed)
    return _scalars(claimed, observed)


def _parsed(value: JsonValue, like: JsonValue) -> JsonValue:
    """A text as the list or mapping that it stands for where the other value is one."""
    if not isinstance(value, str) or len(value) > _LONGEST or not isinstance(like, (list, dict)):
        return value
    if value.startswith(("[", "{")):
        try:
            read: JsonValue = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return read if type(read) is type(like) else value
    words: list[JsonValue] = [*value.split()]
    return words if words and len(words) == len(like) and isinstance(like, list) else value


def same_file(claimed: JsonValue, observed: JsonValue) -> bool | None:
    """Whether two paths name one file or folder that lies elsewhere; None where only names agree.

    They do where one is the end of the other, or both end in the same folder and name. A file that
    every data set has, a `train.parquet`, is named by its folder. A name on a hub (`a/b`) lies
    nowhere else but in its cache. Lists are compared path by path.
    """
    if isinstance(claimed, list) and isinstance(observed, list):
        if len(claimed) != len(observed) or not claimed:
            return False
        return _all_true(same_file(a, b) for a, b in zip(claimed, observed, strict=True))
    if not isinstance(claimed, str) or not isinstance(observed, str):
        return False
    claimed, observed = hub_model(claimed) or claimed, hub_model(observed) or observed
    if "/" not in claimed or "/" not in observed or _is_hub_name(claimed, observed):
        return claimed == observed
    ours, theirs = _parts(claimed), _parts(observed)
    if not ours or not theirs or ours[-1] != theirs[-1] or "${?" in ours[-1]:
        return False
    alike = min(2, len(ours), len(theirs))
    if ours[-alike:] == theirs[-alike:]:
        return True
    return False if _ANY_DATA.match(ours[-1]) else None


def _is_hub_name(*paths: str) -> bool:
    """Whether all of them may be names on a hub: two parts, and no file's end."""
    return all(_HUB_NAME.match(path) and not _FILE.search(path) for path in paths)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".", "..", "~")]


def fits(text: str, observed: JsonValue) -> bool | None:
    """Whether a value fits a text whose unknown parts read `${?NAME}`; None when nothing is known.

    Quotes, brackets and blanks are left out on both sides, so that Hydra's `['a','b']` and the
    run's list compare by what they hold.
    """
    known = [_bare(part) for part in _UNKNOWN_PART.split(text)]
    if not any(map(str.isalnum, "".join(known))) or isinstance(observed, dict):
        return None
    seen = ",".join(map(str, observed)) if isinstance(observed, list) else str(observed)
    return _in_order(known, _bare(seen))


def _in_order(parts: list[str], text: str) -> bool:
    """Whether a text is made of these parts, with anything between two of them."""
    if len(parts) == 1:
        return text == parts[0]
    first, *middle, last = parts
    at, end = len(first), len(text) - len(last)
    if at > end or not (text.startswith(first) and text.endswith(last)):
        return False
    for part in middle:
        at = text.find(part, at, end) + len(part)
        if at < len(part):
            return False
    return True


def _bare(text: str) -> str:
    return text.translate(_DECORATION)


def _all_true(outcomes: Iterable[bool | None]) -> bool | None:
    results = list(outcomes)
    if any(result is False for result in results):
        return False
    return None if any(result is None for result in results) else True


def _scalars(claimed: Scalar, observed: Scalar) -> bool:
    left, right = _typed(claimed), _typed(observed)
    if left is None or right is None:
        return left is right
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    if isinstance(left, int) and isinstance(right, int):  # bool is an int: use_kl_loss=1 is true.
        return left == right
    try:
        a, b = float(left), float(right)
    except OverflowError:
        return left == right
    return math.isclose(a, b, rel_tol=1e-9) or (math.isnan(a) and math.isnan(b))


def _typed(value: Scalar) -> Scalar:
    """A scalar as itself; text that can only be a number, a truth value or null as that."""
    if not isinstance(value, str):
        return value
    folded = value.casefold()
    if folded in _NULLS:
        return None
    if folded in _BOOLS:
        return _BOOLS[folded]
    if len(value) < 64 and _NUMBER.match(value):
        return int(value) if is_digits(value.lstrip("+-")) else float(value)
    return value


def whole(value: JsonValue | Missing) -> int | None:
    """A whole number, as such or as text that a logger made of it; None for anything else."""
    found = None if isinstance(value, (Missing, list, dict)) else _typed(value)
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _is_unresolved(value: JsonValue) -> bool:
    return isinstance(value, str) and ("${" in value or value == "???")


def shown(value: JsonValue | Missing, key: str = "") -> Scalar:
    """A value for a report: scalars as they are, the rest as JSON; long text says what was cut.

    Runs record keys and tokens with their settings: those of the setting `key` are covered.
    """
    if isinstance(value, Missing):
        return None
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number.
    if isinstance(value, str):
        value = covered(value, key)
        if len(value) > MAX_SHOWN:
            return f"{value[:MAX_SHOWN]}…(+{len(value) - MAX_SHOWN} characters)"
    return value
