"""Rows that are published: those of a page, else verl's page as it was when this was released.

`published_rows.csv` holds verl's docs/perf/device_tuning.rst as last updated on `DATED`. Its column
`shape` names the released model of the size that a row gives (there is no Qwen2-70B).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from math import log2
from pathlib import Path

from bot.base.csv_file import read_table
from bot.base.devices import by_token
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.memory.shapes.models import Model, find
from bot.recommend.report import NearRow, PublishedRow
from bot.recommend.request import Request
from bot.table.parts import Page

DATED = "2025-06-25"
_SCRIPTS = "https://github.com/volcengine/verl/blob/main/examples/tuning/"
_RESOURCE = regex(r"([0-9]+)\s*[*x×]\s*([A-Za-z0-9.\- ]+)")
"""8*H20, as the page writes it."""
_TRAINS = {"verl": ("fsdp", "megatron"), "openrlhf": ("deepspeed",), "trl": ("deepspeed",)}
_FARTHEST = 1.0
"""Doublings of a model's parameters up to which a row is near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFacts:
    """What a published row says."""

    model: str
    known: Model
    task: str
    printed: PublishedRow

    @property
    def tokens(self) -> set[str]:
        """Each token that its device may mean."""
        device = self.printed.device
        return {each.token for each in by_token(device)} | {device.lower()}


def rows_of(page: Page | None) -> tuple[RowFacts, ...]:
    """The rows of a page, or the shipped ones without one, fewest GPUs first."""
    rows = _shipped() if page is None else tuple(_facts_of_rows(page))
    return tuple(sorted(rows, key=lambda row: (row.printed.gpus, row.printed.device)))


def _facts_of_rows(page: Page) -> Iterator[RowFacts]:
    for _, row in page.rows():
        model = find(row.text("model"))
        resource = _RESOURCE.match(row.text("resource"))
        if model is None or resource is None:
            continue
        batch = row.text("max_batch")
        cell = row.cell("link")
        cells = {name: row.text(name) for name in ("model", "task", "tag", "train", "infer")}
        cells |= {"gpus": resource[1], "device": resource[2].strip()}
        cells["max_batch"] = "" if batch in ("\\", "\\\\") else batch
        yield _facts(model, cells, cell.link.url if cell and cell.link else None)


@cache
def _shipped() -> tuple[RowFacts, ...]:
    return tuple(
        _facts(model, row, _SCRIPTS + row["script"])
        for row in read_table(Path(__file__).parent / "published_rows.csv")
        if (model := find(row["shape"])) is not None
    )


def _facts(model: Model, cells: Mapping[str, str], link: str | None) -> RowFacts:
    return RowFacts(
        model=cells["model"],
        known=model,
        task=cells["task"].lower(),
        printed=PublishedRow(
            rank=0,
            gpus=int(cells["gpus"]),
            device=cells["device"],
            tag=cells["tag"],
            max_batch=cells["max_batch"] or None,
            train=cells["train"],
            infer=cells["infer"],
            link=link,
        ),
    )


def matching(
    rows: Sequence[RowFacts], request: Request, most: Mapping[str, int] | None, budget: int
) -> list[PublishedRow]:
    """The rows for the model, the task and the method, within the budget.

    `most` names the devices that there are, and the GPUs of each; None where any will do.
    """
    fitting = [
        row
        for row in _trained(rows, request)
        if row.known.shape == request.model.shape
        and row.task == request.label
        and row.printed.gpus <= _most(row, most, budget)
    ]
    return [replace(row.printed, rank=rank) for rank, row in enumerate(fitting, 1)]


def _most(row: RowFacts, most: Mapping[str, int] | None, budget: int) -> int:
    """The GPUs that there are of a row's device."""
    if most is None:
        return budget
    return max((most.get(token, 0) for token in row.tokens), default=0)


def nearest(
    rows: Sequence[RowFacts], request: Request, tokens: Sequence[str] | None
) -> NearRow | None:
    """The row of the same method that is nearest in size, device and family; None when none is."""
    near = [
        row
        for row in _trained(rows, request)
        if request.online
        and ("-lora" in row.task) == (request.method == "lora")
        and request.method != "dora"
        and _doublings(row, request) <= _FARTHEST
    ]
    if not near:
        return None
    devices = set(tokens or ())

    def distance(row: RowFacts) -> float:
        other_device = bool(devices) and not row.tokens & devices
        return (
            _doublings(row, request)
            + 0.5 * other_device
            + 0.5 * (_family(row.model) != _family(request.model.name))
        )

    row = min(near, key=distance)
    other = {
        "model": row.known.shape != request.model.shape,
        "task": row.task != request.label,
        "device": bool(devices) and not row.tokens & devices,
    }
    differs = tuple(name for name, is_other in other.items() if is_other)
    what = {field.name: getattr(row.printed, field.name) for field in fields(row.printed)}
    del what["rank"]
    return NearRow(model=row.model, task=row.task, differs=differs, **what)


def _trained(rows: Sequence[RowFacts], request: Request) -> Iterator[RowFacts]:
    """The rows that the framework trains; none for QLoRA, since no row says how a base is kept."""
    trains = _TRAINS[request.framework]
    known = () if request.method == "qlora" else rows
    return (row for row in known if row.printed.train.lower().startswith(trains))


def _doublings(row: RowFacts, request: Request) -> float:
    return abs(log2(row.known.shape.parameters / request.model.shape.parameters))


def _family(name: str) -> str:
    return re.split(r"[\d.-]", name.lower())[0]
