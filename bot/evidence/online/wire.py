"""Facts as JSON and back: what the reading process hands over."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.evidence.facts import Facts, GpuInfo, RunId, Series, Sibling
from bot.traces import from_json as trace_from


def to_json(facts: Facts) -> dict[str, Any]:
    """Facts as plain data."""
    return asdict(facts)


def from_json(data: dict[str, Any]) -> Facts:
    """What `to_json` made. Raises TypeError, KeyError or ValueError for anything else."""
    fields = dict(data)
    fields["run"] = RunId(**fields["run"])
    fields["history"] = {key: _series(series) for key, series in fields["history"].items()}
    fields["system"] = {int(gpu): _series(series) for gpu, series in fields["system"].items()}
    fields["gpus"] = tuple(GpuInfo(**gpu) for gpu in fields["gpus"])
    fields["siblings"] = tuple(Sibling(**sibling) for sibling in fields["siblings"])
    for name in ("args", "gaps", "sibling_gaps"):
        fields[name] = tuple(fields[name])
    return Facts(**fields)


def _series(data: dict[str, Any]) -> Series:
    return Series(**{**data, "trace": trace_from(data.get("trace"))})
