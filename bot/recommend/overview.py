"""The answer to a question that names cards alone: models, methods and lengths that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot import __version__
from bot.base.devices import Device
from bot.base.errors import UserError
from bot.base.messages import Language, enumeration, message, translated
from bot.frameworks.settings.releases import releases
from bot.recommend.defaults import (
    framework_of,
    gpus_of,
    next_command,
    of_able_cards,
    of_able_methods,
    request_of,
    search_of,
    sizes_of,
    taken,
    task_of,
)
from bot.recommend.methods import longest, verdict_on
from bot.recommend.options import divides, left_over, shareable_batch, step_of
from bot.recommend.question import ParsedQuestion
from bot.recommend.report import CardOverview, CardQuestion, MethodVerdict
from bot.recommend.request import QUANTIZED
from bot.report import Tool

LADDER = (
    "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-1.7B",
    "Qwen/Qwen3-4B",
    "Qwen/Qwen3-8B",
    "Qwen/Qwen3-14B",
    "Qwen/Qwen3-30B-A3B",
    "Qwen/Qwen3-32B",
    "meta-llama/Llama-3.1-70B",
    "Qwen/Qwen3-235B-A22B",
    "deepseek-ai/DeepSeek-V3",
)
"""One model of each size, the smallest first: another one of its size takes about as much."""
BEYOND = 2
"""Models that fit by no method that are shown; larger ones are left out."""


def overviews(question: ParsedQuestion, language: Language) -> list[CardOverview]:
    """What fits each group of cards; raises UserError for a question that contradicts itself."""
    question = of_able_methods(of_able_cards(question))
    alone = replace(question, numbers=(), is_mixed=False)
    return [
        _overview(replace(alone, cards=(one.device,), gpus=one.gpus), one.together, language)
        for one in question.groups
    ]


def _overview(
    question: ParsedQuestion, together: tuple[str, ...], language: Language
) -> CardOverview:
    (device,), gpus = question.cards, gpus_of(question)
    framework = framework_of(question)
    release = releases(framework)[-1]
    sizes, verdicts = sizes_of(question), list(_verdicts(question, device, gpus))
    fitting = [one for one in verdicts if one.verdict == "fits"]
    return CardOverview(
        tool=Tool(name="rlbot", version=__version__),
        language=language,
        question=CardQuestion(
            device=device.label,
            gpus=gpus,
            together=together,
            usable_gib=device.usable_gib,
            task=task_of(question),
            framework=framework,
            release=release,
            prompt=sizes.prompt,
            response=sizes.response,
            batch=sizes.batch,
            rank=sizes.rank,
        ),
        defaults=tuple(translated(one, language) for one in taken(question, method=None)),
        models=tuple(verdicts),
        next=next_command(question, fitting[-1].model, fitting[-1]) if fitting else None,
        notes=tuple(
            translated(note, language) for note in (*question.asides, *_notes(question, verdicts))
        ),
    )


def _notes(question: ParsedQuestion, verdicts: Sequence[MethodVerdict]) -> Iterator[str]:
    yield from left_over(gpus_of(question))
    if all(one.verdict == "no" for one in verdicts):
        yield message(
            "Nothing fits by the ways that are searched: FSDP, DeepSpeed, and Megatron for full "
            "training."
        )
    (card,) = question.cards
    tasks = _quantized_tasks(question, card, verdicts)
    if tasks:
        yield message(
            "QLoRA keeps the base in four bits a weight and fits models that LoRA does not, for "
            "{tasks}: {command}.",
            tasks=enumeration(tasks),
            command=f"rlbot recommend {gpus_of(question)}x{card.token} qlora {tasks[0]}",
        )


def _quantized_tasks(
    question: ParsedQuestion, card: Device, verdicts: Sequence[MethodVerdict]
) -> tuple[str, ...]:
    """The tasks in which QLoRA fits a model that is shown and that LoRA does not surely fit.

    Its script shares out no base, and experts stay in bf16, so that LoRA on many cards, or with a
    base that waits on the host, is often what fits.
    """
    is_open = not (question.method or question.methods) and question.framework in (None, "trl")
    if not is_open or card.interconnect != "pcie":
        return ()
    models = dict.fromkeys(one.model for one in verdicts)

    def fits(task: str, method: str, model: str) -> bool:
        request = request_of(replace(question, task=task, method=method), model, method)
        search = search_of(question, request)
        return verdict_on(search, card, gpus_of(question), look_further=False).verdict == "fits"

    return tuple(
        task
        for task in QUANTIZED
        if question.task in (None, task)
        and any(fits(task, "qlora", one) and not fits(task, "lora", one) for one in models)
    )


def _verdicts(question: ParsedQuestion, device: Device, gpus: int) -> Iterator[MethodVerdict]:
    methods = (question.method,) if question.method else question.methods or ("full", "lora")
    missed = 0
    for model in LADDER:
        row: list[MethodVerdict] = []
        for method in methods:
            request = request_of(question, model, method)
            if question.batch is not None and not divides(request, gpus):
                raise UserError(
                    "{step} cannot be shared out over {gpus} GPUs; batch={near} can be.",
                    step=step_of(request),
                    gpus=gpus,
                    near=shareable_batch(request.batch, request.responses, [gpus]),
                )
            search = search_of(question, request)
            one = verdict_on(search, device, gpus, look_further=False)
            if one.verdict != "no":
                one = replace(one, longest=longest(search, device, one.gpus))
            row.append(one)
        yield from row
        missed += all(one.verdict == "no" for one in row)
        if missed == BEYOND:
            return
