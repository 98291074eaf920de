"""Facts as JSON and back: what the reading process hands over.

Sentences cross with their template and values, so that they can be said in another language.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from bot.base.messages import from_data, to_data
from bot.base.traces import from_json as trace_from
from bot.evidence.facts import Facts, GpuInfo, MetricSeries, RunId, Sibling

_SENTENCES: Final = ("gaps", "sibling_gaps")


def to_json(facts: Facts) -> dict[str, Any]:
    """Facts as plain data."""
    data = asdict(facts)
    data["source"] = to_data(facts.source)
    data["printed"] = sorted(facts.printed)
    for name in _SENTENCES:
        data[name] = [to_data(sentence) for sentence in getattr(facts, name)]
    return data


def from_json(data: dict[str, Any]) -> Facts:
    """What `to_json` made. Raises TypeError, KeyError or ValueError for anything else."""
    fields = dict(data)
    fields["run"] = RunId(**fields["run"])
    fields["history"] = {key: _series(series) for key, series in fields["history"].items()}
    fields["system"] = {int(gpu): _series(series) for gpu, series in fields["system"].items()}
    fields["gpus"] = tuple(GpuInfo(**gpu) for gpu in fields["gpus"])
    fields["siblings"] = tuple(Sibling(**sibling) for sibling in fields["siblings"])
    fields["args"] = tuple(fields["args"])
    fields["printed"] = frozenset(fields["printed"])
    fields["window"] = tuple(fields["window"]) if fields["window"] is not None else None
    fields["source"] = from_data(fields["source"])
    for name in _SENTENCES:
        fields[name] = tuple(from_data(sentence) for sentence in fields[name])
    return Facts(**fields)


def _series(data: dict[str, Any]) -> MetricSeries:
    values = data.get("values")
    by_step = {int(step): value for step, value in values.items()} if values is not None else None
    return MetricSeries(**{**data, "values": by_step, "trace": trace_from(data.get("trace"))})
