"""Defaults for what a question leaves open (task, method, framework, sizes), each reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import cast

from bot.base.devices import Vendor, gpu_count, original
from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.frameworks.settings.releases import releases
from bot.memory.shapes.models import find
from bot.memory.units import Bytes
from bot.recommend.options import counts, shareable_batch
from bot.recommend.question import ParsedQuestion
from bot.recommend.report import MethodVerdict
from bot.recommend.request import (
    MOST_GPUS,
    NODE,
    ONLINE,
    PROMPT,
    QUANTIZED,
    RESPONSE,
    TASKS,
    FrameworkName,
    ModelFolder,
    Request,
    Sizes,
    check_method,
    make_request,
    responses_of,
)
from bot.recommend.search import Search

TASK, METHOD = "grpo", "full"
FRAMEWORK: FrameworkName = "verl"
BATCH, RANK = 128, 32


def task_of(question: ParsedQuestion) -> str:
    """The task, else GRPO; fine-tuning where the method or a card is for samples alone."""
    return question.task or (
        QUANTIZED[0] if "qlora" in _methods(question) or _lacks_bf16(question) else TASK
    )


def _methods(question: ParsedQuestion) -> tuple[str, ...]:
    """The methods that are named."""
    return question.methods if question.method is None else (question.method,)


def _lacks_bf16(question: ParsedQuestion) -> bool:
    """Whether a card has no bf16."""
    return not all(card.has_bf16 for card in question.cards)


def framework_of(question: ParsedQuestion) -> FrameworkName:
    """The framework, else the first that has the task and the method.

    Raises UserError for one that no script is made with for a card of the question.
    """
    framework = _framework_of(question)
    for card in question.cards:
        if card.vendor is Vendor.ASCEND and framework != "verl":
            raise UserError(
                "For a {label} scripts are made with verl alone: full or lora, and one of {tasks}.",
                label=card.label,
                tasks=", ".join(TASKS["verl"]),
            )
        if not card.has_bf16 and (framework != "trl" or task_of(question) in ONLINE):
            raise UserError(
                "The {label} has no bf16: scripts for it are made with trl alone, in fp16, for one "
                "of {tasks}.",
                label=card.label,
                tasks=", ".join(QUANTIZED),
            )
    return framework


def of_able_cards(question: ParsedQuestion) -> ParsedQuestion:
    """The question with those of several cards alone that scripts are made for, and why so.

    As it is where that is none of them, or each.
    """
    able, why, unable = [], [], []
    for card, number in zip_longest(question.cards, question.numbers):
        try:
            framework_of(replace(question, cards=(card,)))
            able.append((card, number))
        except UserError as error:
            why.append(sentence_of(error))
            unable.append(card)
    if not able or not why:
        return question
    numbers = tuple(number for _, number in able if number)
    return replace(
        question,
        cards=tuple(card for card, _ in able),
        numbers=numbers,
        is_mixed=question.is_mixed and len(able) > 1,
        unable=tuple(unable),
        asides=(*question.asides, *dict.fromkeys(why)),
    )


def of_able_methods(question: ParsedQuestion) -> ParsedQuestion:
    """The question with those of several methods alone that its task can be trained with, and why.

    As it is where that is none of them, or each.
    """
    able, why = [], []
    for method in question.methods:
        alone = replace(question, method=method, methods=())
        try:
            check_method(method, framework_of(alone), task_of(alone))
            able.append(method)
        except UserError as error:
            why.append(sentence_of(error))
    if not able or not why:
        return question
    one, several = (able[0], ()) if len(able) == 1 else (None, tuple(able))
    asides = (*question.asides, *dict.fromkeys(why))
    return replace(question, method=one, methods=several, asides=asides)


def _framework_of(question: ParsedQuestion) -> FrameworkName:
    if question.framework is not None:
        return cast("FrameworkName", question.framework)
    if {"dora", "qlora"} & {*_methods(question)} or _lacks_bf16(question):
        return "trl"
    task = task_of(question)
    return next((name for name, tasks in TASKS.items() if task in tasks), FRAMEWORK)


def gpus_of(question: ParsedQuestion) -> int:
    """The number of GPUs; else a whole node where they are linked, and one card otherwise."""
    if question.gpus is not None:
        return question.gpus
    return 1 if any(card.interconnect == "pcie" for card in question.cards) else 8


def sizes_of(question: ParsedQuestion) -> Sizes:
    """Lengths, batch and rank; a single length is a sample's, or the response's.

    Lengths that are open go no further than the positions that a model has learned, and have the
    images beside their text.
    """
    online = task_of(question) in ONLINE
    known = find(question.model) if question.model is not None else None
    total = min(PROMPT + RESPONSE, (known and known.shape.positions) or PROMPT + RESPONSE)
    images = question.images or 0
    prompt, response = (total // 2 + images, total // 2) if online else (0, total + images)
    return Sizes(
        prompt=prompt if question.prompt is None else question.prompt,
        response=response if question.response is None else question.response,
        batch=_batch(question) if question.batch is None else question.batch,
        rank=RANK if question.rank is None else question.rank,
        images=images,
    )


def request_of(question: ParsedQuestion, model: str | ModelFolder, method: str) -> Request:
    """The request for a model and a method; raises UserError as `make_request` does.

    And for tokens of images that it has no place for.
    """
    request = make_request(
        model,
        task=task_of(question),
        method=method,
        framework=framework_of(question),
        sizes=sizes_of(question),
    )
    _check_images(request)
    default_batch = BATCH if question.batch is None else None
    return replace(
        request,
        default_batch=default_batch,
        may_offload=question.may_offload,
        node=question.node,
    )


def _check_images(request: Request) -> None:
    """Raise UserError for tokens of images that the model or the lengths have no place for."""
    if request.images and not request.model.shape.vision:
        raise UserError(
            "{model} reads no images: leave their tokens out, or name a model that does.",
            model=request.model.name,
        )
    longest = request.prompt or request.response
    if request.images > longest:
        raise UserError(
            "Images of {images} tokens have no place in {tokens}: they are tokens of the prompt, "
            "or of the sample.",
            images=request.images,
            tokens=longest,
        )


def search_of(question: ParsedQuestion, request: Request) -> Search:
    """The search of a request with the framework's newest release, on the question's hosts."""
    host = None if question.ram is None else Bytes(question.ram << 30)
    return Search(request, releases(request.framework)[-1], host)


def _batch(question: ParsedQuestion) -> int:
    """The default batch, or the next one that can be shared out over the GPUs.

    And over the power of two within them where that is near: fewer may do what all cannot.
    """
    numbers = [one.gpus or 1 for one in question.groups] or question.choice or [question.gpus or 1]
    most = [counts(number)[-1] for number in numbers]
    share = partial(shareable_batch, BATCH, responses_of(task_of(question)))
    both = share([*most, *(1 << (number.bit_length() - 1) for number in most)])
    return both if both <= 3 * BATCH else share(most)


def next_command(question: ParsedQuestion, model: str, verdict: MethodVerdict, *more: str) -> str:
    """The command that writes the script of a verdict, with what the question says already."""
    nodes, left = divmod(verdict.gpus, question.node)
    several = question.node < NODE and nodes > 1 and not left
    gpus = f"{nodes} nodes {question.node}" if several else f"{verdict.gpus}"
    words = [f"{gpus}x{verdict.device.lower()}", model, verdict.method]
    words += [word for word in (question.task, question.framework) if word]
    if question.response is not None:
        # A short one by itself would be a number of GPUs.
        short = "response=" if question.response <= MOST_GPUS else ""
        prompt = short if question.prompt is None else f"{question.prompt}+"
        words.append(f"{prompt}{question.response}")
    elif question.prompt is not None:
        words.append(f"prompt={question.prompt}")
    words += [f"images={question.images}"] if question.images is not None else []
    words += [f"batch={question.batch}"] if question.batch is not None else []
    has_rank = question.rank is not None and verdict.method != "full"
    words += [f"rank={question.rank}"] if has_rank else []
    words += [f"ram={question.ram}"] if question.ram is not None else []
    words += [] if question.may_offload else ["no", "offload"]
    words += more
    return f"rlbot recommend {' '.join(words)} --write scripts/"


def taken(question: ParsedQuestion, *, method: str | None) -> Iterator[str]:
    """Each default that was taken, as a clause; `method` is the one that was chosen, if any."""
    sizes = sizes_of(question)
    yield from _taken_cards(question)
    if question.is_model_taken and question.model is not None:
        yield message("model {model}", model=question.model)
    elif question.base is not None:
        yield message("the shape of {model} from {base}", model=question.model, base=question.base)
    if question.task is None:
        yield message("task {task}", task=task_of(question))
    if question.method is None and method is not None:
        yield message("method {method}", method=method)
    if question.framework is None:
        yield framework_of(question)
    yield from _taken_lengths(question, sizes)
    if question.batch is None:
        yield message("batch {batch}", batch=sizes.batch)
    if question.rank is None and question.method != "full":
        yield message("rank {rank}", rank=sizes.rank)
    for card in dict.fromkeys(question.unable):
        yield message("no scripts for {device}", device=card.label)
    if question.left_out:
        yield message("not understood and left out: {words}", words=" ".join(question.left_out))


def _taken_cards(question: ParsedQuestion) -> Iterator[str]:
    if question.gpus is None and question.model is None and not question.numbers:
        yield gpu_count(gpus_of(question))
    if question.gpus is not None and len(question.cards) > 1:
        yield message("{gpus} of each card", gpus=question.gpus)
    for card in dict.fromkeys(question.cards):
        if usual := original(card):
            yield message(
                "{device} with {gib} GB instead of {usual}",
                device=usual.label,
                gib=round(card.memory_gib),
                usual=round(usual.memory_gib),
            )
    if question.is_card_taken:
        yield message("card {device}", device=", ".join(one.label for one in question.cards))


def _taken_lengths(question: ParsedQuestion, sizes: Sizes) -> Iterator[str]:
    if question.response is None:
        tokens = f"{sizes.prompt}+{sizes.response}" if sizes.prompt else str(sizes.response)
        yield message("lengths {tokens}", tokens=tokens)
    elif question.prompt is None and sizes.prompt:
        yield message("prompts of {tokens} tokens", tokens=sizes.prompt)
