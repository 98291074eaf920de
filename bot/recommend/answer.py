"""From a question to the answer of `rlbot recommend`: published rows, then predictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd, lcm

from bot import __version__
from bot.base.devices import Device, by_token, devices
from bot.base.errors import UserError
from bot.base.messages import Language, message, translated
from bot.memory.models import find
from bot.memory.predict import device_named
from bot.memory.settings import NoPredictionError
from bot.memory.units import Bytes
from bot.memory.zh import SENTENCES
from bot.recommend.ladder import divides, explain
from bot.recommend.report import Miss, Predicted, Published, Question, Recommendations, Switched
from bot.recommend.request import Wish
from bot.recommend.scripts import file_name, script
from bot.recommend.search import Found, Nearest, Search, counts
from bot.report import Tool
from bot.table.page import Page

_NO_BF16 = ("v100", "t4")
_RESOURCE = re.compile(r"([0-9]+)\s*[*x×]\s*([A-Za-z0-9.\- ]+)")
"""8*H20, as the page writes it."""

BEYOND = 5
"""Devices for which more GPUs than the budget are tried when nothing fits within it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer, and the script of each prediction by its rank."""

    recommendations: Recommendations
    scripts: dict[int, tuple[str, str]]
    """Rank to file name and text."""


def recommend(
    wish: Wish,
    *,
    release: str,
    named: Sequence[str] = (),
    budget: int = 8,
    page: Page | None = None,
    language: Language = "en",
    whole: bool = False,
) -> Answer:
    """The answer; raises UserError for a device that is unknown or cannot be asked about.

    With `whole`, the budget's own number of GPUs is listed too where it fits.
    """
    if not 1 <= budget <= 1024:
        raise UserError(f"--budget-gpus is {budget}; a number from 1 to 1024 belongs there.")
    chosen = [_device(name) for name in named] or _usual()
    if not any(divides(wish, gpus) for gpus in counts(budget)):
        raise UserError(f"A step of {wish.batch} cannot be shared out over the GPUs.")
    search = Search(wish, release)
    found: list[Found] = []
    misses: list[Nearest] = []
    alike: dict[tuple[int, float], tuple[list[Found], Nearest | None]] = {}
    for device in dict.fromkeys(chosen):
        key = (device.memory_bytes, device.usable_gib)
        if key not in alike:
            alike[key] = search.on(device, budget, least=not named, whole=whole)
        here, miss = alike[key]
        found += [_moved(one, device) for one in here]
        if miss is not None:
            misses.append(replace(miss, device=device))
    found.sort(key=lambda one: one.order)
    rows = _published(page, wish, [d.token for d in chosen] if named else None, budget)
    ranked = list(enumerate(found, len(rows) + 1))
    notes = [*_notes(wish, budget, page, rows, least=bool(found) and not named)]
    if not found:
        notes += _beyond(search, sorted(misses, key=_short), budget)
    tell = [_told(note, language) for note in notes]
    answer = Recommendations(
        tool=Tool(name="rlbot", version=__version__),
        language=language,
        question=Question(
            model=wish.model.name,
            task=wish.task,
            method=wish.method,
            framework=wish.framework,
            release=release,
            prompt=wish.prompt,
            response=wish.response,
            batch=wish.batch,
            budget_gpus=budget,
        ),
        published=tuple(rows),
        predicted=tuple(_predicted(rank, one, wish, language) for rank, one in ranked),
        misses=tuple(map(_miss, sorted(misses, key=_short))),
        assumptions=tuple(
            _told(assumption, language)
            for assumption in (found[0].budget.assumptions if found else ())
        ),
        notes=tuple(tell),
    )
    scripts = {
        rank: (
            file_name(wish, one.way, one.device),
            script(wish, one.way, one.device.label, release),
        )
        for rank, one in ranked
    }
    return Answer(answer, scripts)


def _device(name: str) -> Device:
    try:
        device = device_named(name)
    except NoPredictionError as error:
        raise UserError(str(error)) from None
    if device.token in _NO_BF16:
        raise UserError(f"A {device.label} has no bf16, which every script here trains in.")
    if device.interconnect == "hccs":
        raise UserError(
            f"No script is made for a {device.label}: the frameworks ask for other settings there."
        )
    return device


def _usual() -> list[Device]:
    """Each verified device that can train in bf16 with the scripts made here."""
    found: dict[str, Device] = {}
    for device in devices():
        fits = device.verified and device.interconnect != "hccs" and device.token not in _NO_BF16
        if fits:
            found.setdefault(device.token, device)
    return list(found.values())


def _moved(found: Found, device: Device) -> Found:
    return Found(device, found.way, replace(found.budget, device=device))


def _short(miss: Nearest) -> int:
    return miss.budget.peak().count - Bytes.gib(miss.device.usable_gib).count


def _predicted(rank: int, found: Found, wish: Wish, language: Language) -> Predicted:
    budget = found.budget
    usable, peak = budget.usable, budget.peak()
    margin = usable.less(peak)
    outcome = budget.outcome
    return Predicted(
        rank=rank,
        gpus=found.way.gpus,
        device=found.device.label,
        file_name=file_name(wish, found.way, found.device),
        total_gib=round(found.device.memory_gib * found.way.gpus, 1),
        verdict="fits" if outcome == "fits" else "tight",
        binding=budget.binding().name,
        peak_gib=round(peak.in_gib, 2),
        usable_gib=round(usable.in_gib, 2),
        margin_gib=round(margin.in_gib, 2),
        margin_percent=round(100 * (margin / usable), 1),
        host_gib=round(budget.host.in_gib, 2),
        options=tuple(
            Switched(setting=setting, why=_told(why, language))
            for setting, why in explain(wish, found.way)
        ),
    )


def _miss(miss: Nearest) -> Miss:
    stage = miss.budget.binding()
    parts = sorted(stage.components["expected"].items(), key=lambda item: -item[1].count)
    return Miss(
        device=miss.device.label,
        gpus=miss.way.gpus,
        stage=stage.name,
        needed_gib=round(stage.total.expected.in_gib, 2),
        usable_gib=miss.device.usable_gib,
        components={name: round(amount.in_gib, 2) for name, amount in parts},
        engine_gib=round(miss.engine.in_gib, 2) if miss.engine else None,
        share_gib=round(miss.device.memory_gib * miss.way.share, 2) if miss.engine else None,
    )


def _published(
    page: Page | None, wish: Wish, tokens: Sequence[str] | None, budget: int
) -> list[Published]:
    """The page's rows for the model, the task and the method, fewest GPUs first."""
    found = []
    for _, row in page.rows() if page else ():
        model = find(row.text("model"))
        resource = _RESOURCE.match(row.text("resource"))
        if model is None or model.shape != wish.model.shape or resource is None:
            continue
        if row.text("task").lower() != wish.label or int(resource[1]) > budget:
            continue
        device = resource[2].strip()
        meant = {d.token for d in by_token(device)} | {device.lower()}
        if tokens is not None and not meant & set(tokens):
            continue
        train = row.text("train").lower()
        ours = {"verl": ("fsdp", "megatron"), "openrlhf": ("deepspeed",), "trl": ("deepspeed",)}
        if not train.startswith(ours[wish.framework]):
            continue
        found.append((int(resource[1]), device, row))
    found.sort(key=lambda one: one[:2])
    return [
        Published(
            rank=rank,
            gpus=gpus,
            device=device,
            tag=row.text("tag"),
            max_batch=None if row.text("max_batch") in ("", "\\\\") else row.text("max_batch"),
            train=row.text("train"),
            infer=row.text("infer"),
            link=cell.link.url if (cell := row.cell("link")) and cell.link else None,
        )
        for rank, (gpus, device, row) in enumerate(found, 1)
    ]


def _notes(
    wish: Wish, budget: int, page: Page | None, rows: Sequence[Published], *, least: bool
) -> list[str]:
    notes: list[str] = []
    if page is None:
        notes.append(message("No page is here; --page PAGE names one, whose rows come first."))
    elif not rows:
        notes.append(
            message(
                "The page has no row for {task} of {model}.", task=wish.label, model=wish.model.name
            )
        )
    usual = [n for n in counts(budget) if n & (n - 1) == 0 or n == budget]
    left = [n for n in usual if not divides(wish, n)]
    if left:
        notes.append(
            message(
                "A step of {batch} cannot be shared out over {gpus} GPUs; these were left out. "
                "--batch {near} can be.",
                batch=wish.batch * wish.responses,
                gpus=", ".join(map(str, left)),
                near=_dividing(wish, left),
            )
        )
    if least:
        notes.append(
            message(
                "The least GPUs of each device; --device shows more of them with fewer options."
            )
        )
    return notes


def _beyond(search: Search, misses: Sequence[Nearest], budget: int) -> Iterator[str]:
    """How many GPUs would do where the budget does not, of the devices that come nearest."""
    enough: dict[str, int] = {}
    for miss in misses[:BEYOND]:
        for more in (budget * 4, budget * 16):
            fitting, _ = search.on(miss.device, more, least=True)
            if fitting:
                enough[miss.device.label] = fitting[0].way.gpus
                break
    if enough:
        parts = sorted(enough.items(), key=lambda one: one[1])
        yield message(
            "More GPUs would do: {hardware}; --budget-gpus {gpus} shows the settings.",
            hardware=", ".join(f"{gpus} × {device}" for device, gpus in parts),
            gpus=parts[-1][1],
        )


def _dividing(wish: Wish, gpus: Sequence[int]) -> int:
    """The next larger batch that can be shared out over each of these numbers of GPUs."""
    each = lcm(*(n // gcd(n, wish.responses) for n in gpus))
    return -(-wish.batch // each) * each


def _told(sentence: str, language: Language) -> str:
    return translated(sentence, SENTENCES if language == "zh" else {})
