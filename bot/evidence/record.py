"""A run's facts as a report stores them: flat, with a digest, for a later comparison.

A run can be edited after it was checked. The record says what was read: a value for each fact, so
that a later reading can name what differs. Values of the run's configuration are kept only for
settings that the script or the row names; of the others, which may hold anything, a part of their
SHA-256 stands there, which shows a change and not the value.

Canonical form: a JSON object of the values, keys in the order of their code points, without
blanks, numbers that are whole as integers, the others as Python's shortest repr, text unescaped in
UTF-8. The digest is the SHA-256 of those bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.secret_values import is_secret
from bot.evidence.facts import Facts, MetricSeries
from bot.evidence.metrics import EVIDENCE
from bot.evidence.subject import KEYS
from bot.evidence.values import leaves, shown
from bot.report import FactsRecord, JsonValue, Scalar

_HASHED: Final = "sha256:"
_PACKAGES: Final = (
    *("verl", "openrlhf", "torch", "vllm", "sglang", "transformers", "deepspeed"),
    *("megatron-core", "trl", "ray", "flash-attn", "tensorrt-llm"),
)
"""Packages that decide what a run shows; the others say more of the machine than of the run."""
_BY_KIND: Final[Mapping[str, frozenset[str]]] = {
    "folder": frozenset({"exit code", "system", "host"}),
    "online": frozenset({"state", "created", "user", "system", "host"}),
    "log": frozenset(),
    "tensorboard": frozenset({"created"}),
    "verl-file": frozenset(),
    "swanlab": frozenset({"state", "created", "system", "host"}),
    "trackio": frozenset({"created", "system", "host"}),
    "mlflow": frozenset({"state", "created", "system"}),
    "manifest": frozenset({"exit code", "created", "system", "host"}),
    "several": frozenset({"exit code", "state", "created", "user", "system", "host"}),
}
"""Beginnings of facts that one way of reading gives and another may not."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that is not what it was; None where it was not, or is no longer, there."""

    fact: str
    before: Scalar
    now: Scalar


def record(facts: Facts, keys: Iterable[str]) -> FactsRecord:
    """The record of a run; `keys` are the settings whose values are kept."""
    kept = {*keys, *(key for fact in KEYS.values() for names in fact.values() for key in names)}
    values = dict(sorted(_values(facts, kept)))
    return FactsRecord(kind=facts.kind, digest=digest(values), values=values)


def digest(values: Mapping[str, Scalar]) -> str:
    """The SHA-256 of the canonical form, in hexadecimal digits."""
    return hashlib.sha256(_canonical(dict(values)).encode("utf-8", "surrogatepass")).hexdigest()


def differences(before: FactsRecord, facts: Facts) -> tuple[Difference, ...]:
    """What a run says now that it did not say then, and the other way round.

    Facts that only one of two ways of reading gives (a folder has no state) are left out when the
    run is read in another way than then.
    """
    kept = {
        name.removeprefix("config ")
        for name, value in before.values.items()
        if name.startswith("config ") and not str(value).startswith(_HASHED)
    }
    now = dict(_values(facts, kept))
    # Which settings are kept was decided then: a value that was hashed is compared hashed.
    names = sorted(before.values.keys() | now.keys())
    if before.kind != facts.kind:
        apart = _BY_KIND.get(before.kind, frozenset()) ^ _BY_KIND.get(facts.kind, frozenset())
        names = [name for name in names if not name.startswith(tuple(apart) or ("\0",))]
    found = []
    for name in names:
        left, right = before.values.get(name), now.get(name)
        if _canonical(left) != _canonical(right):
            found.append(Difference(name, left, right))
    return tuple(found)


def _values(facts: Facts, kept: set[str]) -> Iterator[tuple[str, Scalar]]:
    run = facts.run
    named = {
        "run id": run.id,
        "run entity": run.entity,
        "run project": run.project,
        "user": run.user,
        "state": facts.state,
        "created": facts.created,
        "exit code": facts.exit_code,
        "out of memory": facts.out_of_memory,
        "host gpus": facts.host_gpu_count,
        "history rows": facts.history_rows,
        "system rows": facts.system_rows,
    }
    for name, value in named.items():
        if value is not None:
            yield name, _plain(value)
    above = tuple(f"{name}." for name in kept)
    for key, leaf in leaves(facts.config):
        keep = (key in kept or key.startswith(above)) and not is_secret(key, str(leaf))
        yield f"config {key}", _plain(shown(leaf, key)) if keep else _hashed(leaf)
    for key in EVIDENCE & facts.history.keys():
        yield from _series(f"history {key}", facts.history[key])
    for index, series in facts.system.items():
        yield from _series(f"system GPU {index}", series)
    for index, gpu in enumerate(facts.gpus):
        memory = "unknown memory" if gpu.memory_bytes is None else f"{gpu.memory_bytes} bytes"
        yield f"host GPU {index}", f"{gpu.name}, {memory}"
    for package in _PACKAGES:
        if package in facts.requirements:
            yield f"package {package}", facts.requirements[package]


def _series(name: str, series: MetricSeries) -> Iterator[tuple[str, Scalar]]:
    yield f"{name} rows", series.rows
    yield f"{name} maximum", _plain(series.maximum)
    yield f"{name} last", _plain(series.last)


def _plain(value: Scalar) -> Scalar:
    """A number as the same one whatever read it: 16.0 is 16, and JSON knows no infinity."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def _hashed(value: JsonValue) -> str:
    text = _canonical(value).encode("utf-8", "surrogatepass")
    return f"{_HASHED}{hashlib.sha256(text).hexdigest()[:16]}"


def _canonical(value: object) -> str:
    return json.dumps(
        _whole(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


_DEEPER = "deeper"
"""Stands for what lies so deep; its text would be as deep to make."""


def _whole(value: object, depth: int = 0) -> object:
    if isinstance(value, float):
        return _plain(value)
    if isinstance(value, dict) and depth < 60:
        return {str(key): _whole(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and depth < 60:
        return [_whole(item, depth + 1) for item in value]
    return _DEEPER if isinstance(value, (dict, list, tuple)) else value
