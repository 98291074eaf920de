"""From a question that names a model to its answer: each method's verdict, then the predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from bot.base.devices import Device
from bot.base.messages import Language, mark, message, translated
from bot.recommend.answer import RecommendAnswer, recommend
from bot.recommend.cards import CardGroup, by_kind, rarity, usual_devices
from bot.recommend.defaults import (
    BATCH,
    FRAMEWORK,
    METHOD,
    next_command,
    of_able_cards,
    of_able_methods,
    request_of,
    search_of,
    taken,
)
from bot.recommend.methods import fewest, longest, verdict_on
from bot.recommend.published import matching, rows_of
from bot.recommend.question import ParsedQuestion
from bot.recommend.report import MethodVerdict, Recommendations
from bot.recommend.request import Hardware, Method, ModelFolder, Request
from bot.recommend.search import Search
from bot.table.parts import Page

_FEW = 3
"""Cards up to which a method that does not fit is looked for on more GPUs than the budget."""
BUDGET = 8
"""GPUs at most where a question names no number: one node."""
LARGE_BUDGET = 256
"""GPUs at most where no card of one node does."""
LARGE = ("a100", "h100", "h800", "h20", "h200", "b200")
"""Tokens of the cards that such a question is answered for: those of large clusters."""


def answer_model(
    question: ParsedQuestion,
    *,
    by_words: bool = True,
    folder: ModelFolder | None = None,
    page: Page | None = None,
    language: Language = "en",
) -> RecommendAnswer:
    """The answer for a question with a model.

    Raises UserError with a sentence for what is unknown or contradictory. The predictions are of
    the method that is named, else of one with a published row for the cards, else of the first
    that fits: full, then LoRA.
    """
    question = of_able_methods(of_able_cards(question))
    is_open = by_words or question.task is None or question.response is None
    asked = question
    if not by_words:
        # Of options the GPUs are a budget, which moves no batch.
        asked, question = replace(question, gpus=None), _completed(question)
    searches = {
        request.method: search_of(question, request)
        for request in _requests(question, folder or question.model or "")
    }
    usual = sorted(usual_devices(), key=_common_first)
    numbers = question.choice or (question.gpus,)
    groups = question.groups or tuple(CardGroup(one, gpus) for one in usual for gpus in numbers)
    budget = max((one.gpus or BUDGET for one in groups), default=BUDGET)
    verdicts = list(_verdicts(searches, groups, budget)) if by_words else []
    if question.asks_longest and len(groups) <= _FEW:
        verdicts = [_with_longest(searches, groups, one) for one in verdicts]
    is_large = not question.cards and bool(verdicts) and not _fits_on_a_node(verdicts)
    if is_large:
        budget = question.gpus or max(question.choice, default=LARGE_BUDGET)
        groups = tuple(one for one in groups if one.device.token in LARGE)
        verdicts = list(_verdicts(searches, groups, budget))
    devices = tuple(one.device for one in groups)
    hardware = Hardware(
        devices=devices if is_large or question.cards else (),
        budget=budget,
        whole=groups[0].gpus is not None,
        fewest=is_large,
        numbers=tuple(one.gpus or budget for one in groups) if question.cards else (),
    )
    published = [
        method
        for method, one in searches.items()
        if question.cards and matching(rows_of(page), one.request, hardware.most, budget)
    ]
    preferred = (question.method, *published, _method(verdicts), *searches)
    search = next(searches[method] for method in preferred if method in searches)
    answer = recommend(search, hardware, page=page, language=language)
    clauses = taken(asked, method=search.request.method) if is_open else ()
    return replace(
        answer,
        recommendations=replace(
            answer.recommendations,
            methods=tuple(verdicts),
            next=_next_command(question, verdicts, answer.recommendations),
            defaults=tuple(translated(clause, language) for clause in clauses),
            notes=(
                *(translated(aside, language) for aside in question.asides),
                *answer.recommendations.notes,
                *(translated(note, language) for note in _too_long(search.request)),
                *(
                    translated(one, language)
                    for one in _on_larger_hosts(searches, devices, verdicts)
                ),
            ),
        ),
    )


def _too_long(request: Request) -> Iterator[str]:
    """A note where the lengths go beyond what the model was made for."""
    context, total = request.context, request.prompt + request.response
    if context is None or total <= context:
        return
    sentence = mark(
        "{model} was made for {tokens} tokens, and samples of {total} are asked for: it has not "
        "learned the positions beyond."
    )
    if request.online:
        sentence = mark(
            "{model} was made for {tokens} tokens, and prompt and response are {total}: the engine "
            "ends a response there."
        )
    name = request.path.rpartition("/")[2]  # A base may take fewer than its tuned model.
    yield message(sentence, model=name, tokens=context, total=total)


def _on_larger_hosts(
    searches: Mapping[Method, Search], devices: Sequence[Device], verdicts: Sequence[MethodVerdict]
) -> Iterator[str]:
    """A note for each method that fits where the hosts have more than the question says."""
    by_label = {device.label: device for device in devices}
    for one in verdicts:
        search = searches[one.method]
        if search.host is None or one.verdict != "no" or one.ram_gib is not None:
            continue
        without = Search(search.request, search.release)
        larger = verdict_on(without, by_label[one.device], one.gpus, look_further=False)
        if larger.verdict == "fits":
            yield message(
                "{method} would fit on {gpus} × {device} with {gib} GiB on each host, more than "
                "the {ram} GB that the question names.",
                method=one.method,
                gpus=larger.gpus,
                device=one.device,
                gib=f"{larger.host_gib:.0f}",
                ram=round(search.host.in_gib),
            )


def _with_longest(
    searches: Mapping[Method, Search], groups: Sequence[CardGroup], one: MethodVerdict
) -> MethodVerdict:
    """A verdict with the longest lengths; none where the method does not fit."""
    if one.verdict == "no":
        return one
    device = next(group.device for group in groups if group.device.label == one.device)
    return replace(one, longest=longest(searches[one.method], device, one.gpus))


def _completed(question: ParsedQuestion) -> ParsedQuestion:
    """The question of options alone, whose defaults are no guesses of what words mean."""
    return replace(
        question,
        method=question.method or METHOD,
        framework=question.framework or FRAMEWORK,
        batch=BATCH if question.batch is None else question.batch,
    )


def _next_command(
    question: ParsedQuestion, verdicts: Sequence[MethodVerdict], answer: Recommendations
) -> str | None:
    """The command that writes what fits, by the answer's own method first; else what may fit."""
    own = sorted(verdicts, key=lambda one: one.method != answer.question.method)
    asked = [one for one in own if one.method == question.method]
    if any(one.verdict != "no" for one in asked):
        own = asked  # What is asked for may fit: another method is no next step.
    first = next((one for one in own if one.verdict == "fits"), None)
    if first is not None:
        return next_command(question, question.model or "", first)
    for one in own[: len(asked) or 1]:
        for each in answer.predicted:
            if one.verdict == "may fit" and (each.gpus, each.device) == (one.gpus, one.device):
                # Without it nothing is written that may not fit.
                words = f"--choice {each.rank}"
                return next_command(question, question.model or "", one, words)
    return None


def _common_first(device: Device) -> tuple[int, int]:
    return rarity(device), -device.memory_bytes


def _requests(question: ParsedQuestion, model: str | ModelFolder) -> Iterator[Request]:
    """The method that is named, and LoRA beside full training as the next cheaper way."""
    usual = ("full", "lora") if question.method in (None, "full") else (question.method,)
    for method in (one for one in question.methods or usual if one not in question.unwanted):
        yield request_of(question, model, method or METHOD)


def _verdicts(
    searches: Mapping[Method, Search], groups: Sequence[CardGroup], budget: int
) -> Iterator[MethodVerdict]:
    few = len(groups) <= _FEW
    for search in searches.values():
        verdict = partial(_verdict, search, budget=budget, look_further=few)
        for group, one in by_kind(groups, verdict):
            yield replace(
                one,
                device=group.device.label,
                asked_gpus=group.gpus,
                together=group.together,
            )


def _verdict(search: Search, group: CardGroup, *, budget: int, look_further: bool) -> MethodVerdict:
    if group.gpus is not None:
        return verdict_on(search, group.device, group.gpus)
    fits = fewest(search, group.device, budget)
    return fits or verdict_on(search, group.device, budget, look_further=look_further)


def _fits_on_a_node(verdicts: Sequence[MethodVerdict]) -> bool:
    """Whether the first method surely fits on a node of any card of large clusters."""
    labels = {token.upper() for token in LARGE}
    return any(
        one.verdict == "fits" and one.method == verdicts[0].method and one.device in labels
        for one in verdicts
    )


def _method(verdicts: Sequence[MethodVerdict]) -> Method:
    """The first method that fits somewhere, else the first that may, else full training."""
    for wanted in ("fits", "may fit"):
        for one in verdicts:
            if one.verdict == wanted:
                return one.method
    return "full"
