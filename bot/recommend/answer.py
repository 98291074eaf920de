"""From a question to the answer of `rlbot recommend`: published rows, then predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot import __version__
from bot.base.devices import Device
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language, message, translated
from bot.frameworks.settings.releases import releases
from bot.recommend.cards import CardGroup, by_kind, usual_devices
from bot.recommend.fitting import FittingCandidate, NearestMiss
from bot.recommend.methods import LargerCounts, larger_counts
from bot.recommend.options import counts, divides, explain, left_over, shareable_batch, step_of
from bot.recommend.published import DATED, matching, nearest, rows_of
from bot.recommend.report import Miss, Predicted, PublishedRow, Question, Recommendations, Switched
from bot.recommend.request import QUANTIZED, TASKS, Hardware, Request
from bot.recommend.scripts import file_name, script
from bot.recommend.search import Search
from bot.report import Tool
from bot.table.parts import Page

BEYOND = 5
"""Devices for which more GPUs than the budget are tried when nothing fits within it."""


@dataclass(frozen=True, slots=True)
class RecommendAnswer:
    """The answer, and the script of each prediction by its rank."""

    recommendations: Recommendations
    scripts: dict[int, tuple[str, str]]
    """Rank to file name and text."""

    @property
    def first(self) -> int | None:
        """The rank of the first prediction that fits; None where at best one may fit."""
        predicted = self.recommendations.predicted
        return next((one.rank for one in predicted if not one.may_fit), None)


def recommend(
    search: Search, hardware: Hardware, *, page: Page | None = None, language: Language = "en"
) -> RecommendAnswer:
    """The answer: what fits the hardware, else what came near and what would do."""
    request, release = search.request, search.release
    budget, most = hardware.budget, hardware.most
    named = bool(hardware.devices)
    chosen = hardware.devices or usual_devices()
    fitting, misses = _searched(search, hardware, chosen)
    known = rows_of(page)
    rows = matching(known, request, most, budget)
    ranked = list(enumerate(fitting, len(rows) + 1))
    notes = [*_notes(request, budget, page, rows, least=bool(fitting) and not named)]
    if not fitting:
        notes += _beyond(search, misses, hardware)
    answer = Recommendations(
        tool=Tool(name="rlbot", version=__version__),
        language=language,
        question=Question(
            model=request.model.name,
            task=request.task,
            method=request.method,
            framework=request.framework,
            release=release,
            prompt=request.prompt,
            response=request.response,
            images=request.images,
            batch=request.batch,
            budget_gpus=budget,
        ),
        published=tuple(rows),
        nearest=None if rows else nearest(known, request, list(most or ())),
        predicted=tuple(_predicted(rank, one, request, language) for rank, one in ranked),
        misses=tuple(_miss(miss, hardware.budget_of(miss.device)) for miss in misses),
        assumptions=tuple(
            translated(assumption, language)
            for assumption in (fitting[0].estimate.assumptions if fitting else ())
        ),
        notes=tuple(translated(note, language) for note in notes),
    )
    scripts = {
        rank: (
            file_name(request, one.candidate, one.device),
            script(request, one.candidate, one.device, release),
        )
        for rank, one in ranked
    }
    return RecommendAnswer(answer, scripts)


def _searched(
    search: Search, hardware: Hardware, devices: Sequence[Device]
) -> tuple[list[FittingCandidate], list[NearestMiss]]:
    """What fits on any of the devices, the best first, and what nearly does on those without."""
    fitting: list[FittingCandidate] = []
    misses: list[NearestMiss] = []
    least = hardware.fewest or not hardware.devices

    def on(group: CardGroup) -> tuple[list[FittingCandidate], NearestMiss | None]:
        budget = hardware.budget_of(group.device)
        return search.on(group.device, budget, least=least, whole=hardware.whole)

    groups = [CardGroup(device, hardware.budget_of(device)) for device in dict.fromkeys(devices)]
    for group, (here, miss) in by_kind(groups, on):
        fitting += [_moved(one, group.device) for one in here]
        if miss is not None:
            misses.append(replace(miss, device=group.device))
    alternatives = len(set(hardware.devices)) < len(hardware.devices)
    if hardware.whole and not alternatives:  # The GPUs that are there come first.
        fitting.sort(
            key=lambda one: (
                not one.sure,
                one.candidate.gpus != hardware.budget_of(one.device),
                one.order,
            )
        )
    else:
        fitting.sort(key=lambda one: one.order)
    misses.sort(key=lambda miss: miss.short)
    return fitting, misses


def _moved(fitting: FittingCandidate, device: Device) -> FittingCandidate:
    return replace(fitting, device=device, estimate=replace(fitting.estimate, device=device))


def _predicted(
    rank: int, fitting: FittingCandidate, request: Request, language: Language
) -> Predicted:
    estimate = fitting.estimate
    usable, peak = estimate.usable, estimate.peak()
    margin = usable.in_gib - peak.in_gib
    outcome = estimate.outcome
    return Predicted(
        rank=rank,
        gpus=fitting.candidate.gpus,
        device=fitting.device.label,
        file_name=file_name(request, fitting.candidate, fitting.device),
        total_gib=round(fitting.device.memory_gib * fitting.candidate.gpus, 1),
        verdict="fits" if outcome == "fits" else "tight",
        binding=estimate.binding().name,
        peak_gib=round(peak.in_gib, 2),
        usable_gib=round(usable.in_gib, 2),
        margin_gib=round(margin, 2),
        margin_percent=round(100 * margin / usable.in_gib, 1),
        may_fit=not fitting.sure,
        floor_gib=round(estimate.peak("floor").in_gib, 2),
        conservative_gib=round(estimate.peak("conservative").in_gib, 2),
        host_gib=round(estimate.host.in_gib, 2),
        options=tuple(
            Switched(setting=setting, why=translated(why, language))
            for setting, why in explain(request, fitting.candidate)
        ),
    )


def _miss(miss: NearestMiss, budget: int) -> Miss:
    stage = miss.estimate.binding()
    parts = sorted(stage.components["expected"].items(), key=lambda item: -item[1].count)
    return Miss(
        device=miss.device.label,
        gpus=miss.candidate.gpus,
        budget_gpus=budget,
        stage=stage.name,
        needed_gib=round(stage.total.expected.in_gib, 2),
        usable_gib=miss.device.usable_gib,
        components={name: round(amount.in_gib, 2) for name, amount in parts},
        engine_gib=round(miss.engine.in_gib, 2) if miss.engine else None,
        share_gib=round(miss.device.memory_gib * miss.candidate.share, 2) if miss.engine else None,
        host_gib=round(miss.estimate.host.in_gib, 2) if miss.host else None,
        ram_gib=round(miss.host.in_gib, 2) if miss.host else None,
    )


def _notes(
    request: Request, budget: int, page: Page | None, rows: Sequence[PublishedRow], *, least: bool
) -> Iterator[str]:
    if page is None:
        yield message(
            "Published rows are those of verl's page of {date}; --page PAGE names another.",
            date=DATED,
        )
    elif not rows:
        yield message(
            "The page has no row for {task} of {model}.",
            task=request.label if request.method != "qlora" else f"{request.task}-qlora",
            model=request.model.name,
        )
    yield from left_over(budget)
    usual = [n for n in counts(budget) if n & (n - 1) == 0 or n == budget]
    left = [n for n in usual if not divides(request, n)]
    if left:
        yield message(
            "{step} cannot be shared out over {gpus} GPUs; these were left out. "
            "--batch {near} can be.",
            step=step_of(request),
            gpus=", ".join(map(str, left)),
            near=shareable_batch(request.batch, request.responses, left),
        )
    if request.framework == "verl" and request.method == "full":
        yield message(
            "Full training with FSDP keeps its weights in fp32. model_dtype=bf16 would halve "
            "them and Adam's states, but rounds every update: set it if you accept that."
        )
    if least:
        yield message(
            "The least GPUs of each device; --device shows more of them with fewer options."
        )


def _beyond(search: Search, misses: Sequence[NearestMiss], hardware: Hardware) -> Iterator[str]:
    """What would do where nothing fits: other ways on the nearest device, then more GPUs."""
    if misses:
        device = misses[0].device
        budget = hardware.budget_of(device)
        most = max(gpus for gpus in counts(budget) if divides(search.request, gpus))
        ways = tuple(other_ways(search, device, most))
        if ways:
            yield message(
                "On {gpus} × {device} would fit: {ways}.",
                gpus=most,
                device=device.label,
                ways="; ".join(ways),
            )
    enough: list[tuple[int, str]] = []
    for miss in misses[:BEYOND]:
        more = larger_counts(search, miss.device, hardware.budget_of(miss.device))
        if more.surely is not None or more.perhaps is not None:
            enough.append((more.surely or more.perhaps or 0, _more(miss.device, more)))
    if enough:
        enough.sort(key=lambda one: one[0])
        yield message(
            "More GPUs would do: {hardware}; --budget-gpus {gpus} shows the settings.",
            hardware=", ".join(hardware for _, hardware in enough),
            gpus=enough[-1][0],
        )


def _more(device: Device, more: LargerCounts) -> str:
    """The GPUs that do, and those that may."""
    if more.surely is None:
        return message("{gpus} × {device} (may fit)", gpus=more.perhaps, device=device.label)
    hardware = f"{more.surely} × {device.label}"
    if more.perhaps is None:
        return hardware
    return message("{hardware} ({gpus} may fit)", hardware=hardware, gpus=more.perhaps)


_LEAST_RESPONSE = 256
"""Tokens below which a shorter response is no answer."""


def other_ways(search: Search, device: Device, gpus: int) -> Iterator[str]:
    """Ways that surely fit a number of GPUs on which the request does not, a clause for each.

    An adapter, each other framework that has the task (verl and OpenRLHF share out sequences, TRL
    does not), and the longest response of those that halving makes.
    """
    request = search.request
    offloading = replace(request, may_offload=True)
    if not request.may_offload and _fits(search, offloading, device, gpus, search.release):
        yield message("what waits on the host (without the words no offload)")
    heavy = request.method in ("full", "qlora")
    if heavy and _fits(search, replace(request, method="lora"), device, gpus):
        yield message("LoRA (--method lora)")
    quantized = replace(request, method="qlora", framework="trl")
    able = request.task in QUANTIZED and request.method in ("full", "lora")
    if able and _fits(search, quantized, device, gpus):
        yield message("QLoRA (--framework trl --method qlora)")
    for framework, tasks in TASKS.items():
        other = replace(request, framework=framework)
        able = request.task in tasks and request.method not in ("dora", "qlora")
        if framework != request.framework and able and _fits(search, other, device, gpus):
            yield message("{framework} (--framework {framework})", framework=framework)
    response = request.response // 2
    while response >= _LEAST_RESPONSE:
        if _fits(search, replace(request, response=response), device, gpus, search.release):
            yield message(
                "shorter responses (--lengths {prompt}+{response})",
                prompt=request.prompt,
                response=response,
            )
            return
        response //= 2


def _fits(
    search: Search, request: Request, device: Device, gpus: int, release: str | None = None
) -> bool:
    if not divides(request, gpus):
        return False
    release = release or releases(request.framework)[-1]
    return Search(request, release, search.host).surely_fits(device, gpus)
