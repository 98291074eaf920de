"""The tables that a question without a method, or without a model, gets: text or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.recommend.options import counts
from bot.recommend.report import CardOverview, MethodVerdict, Recommendations
from bot.recommend.request import Candidate, responses_of
from bot.render.blocks import table_head, table_row
from bot.render.columns import aligned, hanging
from bot.render.escape import markdown_cell, markdown_inline, terminal
from bot.render.speech import speaking, tr

WIDTH = 80
"""Columns of a line where the terminal's are not known."""


FIRST = 3
"""Predictions that are shown where no card is named, and cards with rows of their own."""
USUAL_HOST = 64
"""GiB of a host for each of its GPUs that are not worth a word: a desktop with one card has them,
and a server of eight RTX 4090 with 512 GiB."""


def overview_text(answers: Sequence[CardOverview], width: int = WIDTH) -> str:
    """What each group of cards can train, for a terminal; sentences are broken at `width`."""
    with speaking(answers[0].language):
        lines = []
        for answer in answers:
            lines += hanging(terminal(_cards_head(answer)), "", width)
            lines += hanging(terminal(_of_run(answer)), "", width) if _of_run(answer) else []
            lines += [*default_lines(answer.defaults if answer is answers[0] else (), width), ""]
            lines += [f"  {line}" for line in aligned(_overview_rows(answer), right={2, 3, 5, 6})]
            lines.append("")
        for line in _overview_below(answers):
            lines += hanging(terminal(line), "", width)
        return "\n".join(lines) + "\n"


def overview_markdown(answers: Sequence[CardOverview]) -> str:
    """What each group of cards can train, as Markdown."""
    with speaking(answers[0].language):
        lines = []
        for answer in answers:
            head, *rows = _overview_rows(answer)
            lines += [f"**{markdown_inline(_cards_head(answer))}**", ""]
            if sentence := _of_run(answer):
                lines += [markdown_inline(sentence), ""]
            if answer.defaults and answer is answers[0]:
                lines += [markdown_inline(default_sentence(answer.defaults)), ""]
            lines += [*_markdown_table(head, rows), ""]
        lines += [f"- {markdown_inline(line)}" for line in _overview_below(answers)]
        return "\n".join(lines) + "\n"


def _of_run(answer: CardOverview) -> str:
    """What the cards of one run are taken as; nothing for cards of one kind."""
    asked = answer.question
    return _together(asked.together, asked.gpus, asked.device) if asked.together else ""


def _together(together: Sequence[str], gpus: int, device: str) -> str:
    return tr(
        "In one run {cards} train as {gpus} × {device}: each GPU takes an equal share, so that the "
        "smallest card decides.",
        cards=" + ".join(together),
        gpus=gpus,
        device=device,
    )


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield table_head(*map(markdown_cell, head))
    yield from (table_row(*map(markdown_cell, row)) for row in rows)


def _cards_head(answer: CardOverview) -> str:
    question = answer.question
    return tr(
        "{gpus} × {device} ({usable} GiB usable each): {task} with {framework} {release}, "
        "{tokens} tokens, batch {batch}",
        gpus=question.gpus,
        device=question.device,
        usable=f"{question.usable_gib:.1f}",
        task=question.task,
        framework=question.framework,
        release=question.release,
        tokens=f"{question.prompt} + {question.response}" if question.prompt else question.response,
        batch=question.batch,
    )


def _overview_rows(answer: CardOverview) -> list[list[str]]:
    """Head and rows: model, then verdict, GiB and longest lengths of each method."""
    methods = list(dict.fromkeys(one.method for one in answer.models))
    head = [tr("model")]
    for method in methods:
        head += [_method(method, answer.question.rank), tr("GiB"), tr("up to")]
    needs_host = any(map(_needs_host, answer.models))
    head += [tr("host RAM")] if needs_host else []
    rows = [[*head, tr("what limits")]]
    for model in dict.fromkeys(one.model for one in answer.models):
        cells = [one for one in answer.models if one.model == model]
        row = [model]
        for one in cells:
            verdict = _verdict(one)
            if one.gpus != answer.question.gpus:
                verdict = tr("{verdict} on {gpus}", verdict=verdict, gpus=one.gpus)
            row += [verdict, f"{one.peak_gib:.1f}", _tokens(one.longest)]
        if needs_host:
            row.append(
                "/".join("-" if one.verdict == "no" else f"{one.host_gib:.0f}" for one in cells)
            )
        limits = [tr(one.binding) for one in cells if one.verdict == "no"]
        rows.append([*row, limits[-1] if limits else ""])
    return rows


def _overview_below(answers: Sequence[CardOverview]) -> Iterator[str]:
    models = [one for answer in answers for one in answer.models]
    yield from answers[0].notes
    yield from _up_to(models)
    if any(map(_needs_host, models)):
        yield tr("host RAM: GiB of each host for what waits on it, by method.")
    yield from _may_fit(models)
    for command in dict.fromkeys(answer.next for answer in answers if answer.next):
        yield tr("Next: {command}", command=command)


def _tokens(longest: int | None) -> str:
    """Tokens as lengths are written; nothing for none."""
    return f"{longest // 1024}k" if longest else ""


def _up_to(verdicts: Sequence[MethodVerdict]) -> Iterator[str]:
    """What the longest lengths are, where there are any."""
    if any(one.longest for one in verdicts):
        yield tr(
            "up to: tokens of prompt and response together that fit with every memory option; "
            "{most} are tried at most.",
            most="32k",
        )


def _needs_host(one: MethodVerdict) -> bool:
    """Whether what does needs more of its host than machines with so many cards usually have."""
    return one.verdict != "no" and one.host_gib > USUAL_HOST * Candidate(one.gpus).per_node


def _may_fit(verdicts: Sequence[MethodVerdict]) -> Iterator[str]:
    if any(one.verdict == "may fit" for one in verdicts):
        yield may_fit()


def may_fit() -> str:
    """What that verdict means."""
    return tr(
        "May fit: the estimate's conservative figure is above the card, no margin is left, "
        "or a host needs more than 2 TiB. Try it before you rely on it."
    )


def _verdict(one: MethodVerdict) -> str:
    if one.verdict == "no":
        return tr("no")
    return tr("fits") if one.verdict == "fits" else tr("may fit")


def default_lines(defaults: Sequence[str], width: int) -> list[str]:
    """What was taken where the question is open, for a terminal."""
    return hanging(terminal(default_sentence(defaults)), "", width) if defaults else []


def default_sentence(defaults: Sequence[str]) -> str:
    """What was taken where the question is open."""
    return tr("Taken where the question is open: {defaults}.", defaults=tr(", ").join(defaults))


def _method(method: str, rank: int | None = None) -> str:
    names = {"full": tr("full"), "lora": "LoRA", "dora": "DoRA", "qlora": "QLoRA"}
    return names[method] if method == "full" or rank is None else f"{names[method]} r{rank}"


def method_lines(answer: Recommendations, width: int) -> list[str]:
    """The methods' verdicts for a terminal; nothing where none was asked for."""
    if not answer.methods:
        return []
    rows = _rows(answer)
    right = set(range(2, 6)) if _counted(answer) else set(range(1, len(rows[0])))
    lines = [f"  {terminal(line)}" for line in aligned(rows, right=right)]
    for sentence in method_sentences(answer):
        lines += hanging(terminal(sentence), "", width)
    return lines


def method_markdown(answer: Recommendations) -> list[str]:
    """The methods' verdicts as Markdown; nothing where none was asked for."""
    if not answer.methods:
        return []
    head, *rows = _rows(answer)
    lines = [*_markdown_table(head, rows), ""]
    return [*lines, *map(markdown_inline, method_sentences(answer)), ""]


def is_survey(answer: Recommendations) -> bool:
    """Whether every card is in the table of methods, since none is named."""
    return len({one.device for one in answer.methods}) > FIRST


def _counted(answer: Recommendations) -> bool:
    """Whether a row is of one number of GPUs; it is else of a device, by method."""
    devices = {one.device for one in answer.methods}
    has_numbers = all(one.asked_gpus is not None for one in answer.methods)
    return len(devices) == 1 or (has_numbers and not is_survey(answer))


def _rows(answer: Recommendations) -> list[list[str]]:
    if _counted(answer):
        head = [tr("hardware"), tr("method"), tr("needs"), tr("usable"), tr("margin"), tr("binds")]
        rows = [
            [
                _hardware(one, is_alone=len({one.asked_gpus for one in answer.methods}) == 1),
                _method(one.method),
                f"{one.peak_gib:.1f}",
                f"{one.share_gib or one.usable_gib:.1f}",
                f"{one.margin_gib:.1f}",
                tr(one.binding),
                _verdict(one),
            ]
            for one in answer.methods
        ]
        if not any(one.longest for one in answer.methods):
            return [[*head, tr("verdict")], *rows]
        longest = [_tokens(one.longest) for one in answer.methods]
        return [
            [*head, tr("verdict"), tr("up to")],
            *([*row, tokens] for row, tokens in zip(rows, longest, strict=True)),
        ]
    methods = list(dict.fromkeys(one.method for one in answer.methods))
    rows = [[tr("card"), tr("usable"), *map(_method, methods)]]
    for device in dict.fromkeys(one.device for one in answer.methods):
        cells = [one for one in answer.methods if one.device == device]
        rows.append([device, f"{cells[0].usable_gib:.1f}", *map(_fewest, cells)])
    return rows


def _hardware(one: MethodVerdict, *, is_alone: bool) -> str:
    if is_alone or one.asked_gpus in (None, one.gpus):
        return f"{one.gpus} × {one.device}"
    return tr(
        "{gpus} of {asked} × {device}", gpus=one.gpus, asked=one.asked_gpus, device=one.device
    )


def _fewest(one: MethodVerdict) -> str:
    if one.asked_gpus is not None:
        verdict = _verdict(one)
        is_all = one.gpus == one.asked_gpus
        return verdict if is_all else tr("{verdict} on {gpus}", verdict=verdict, gpus=one.gpus)
    if one.verdict == "no":
        return tr("more than {gpus}", gpus=one.gpus)
    return str(one.gpus) if one.verdict == "fits" else tr("{gpus} may fit", gpus=one.gpus)


def method_sentences(answer: Recommendations) -> Iterator[str]:
    """What follows: what fits, and what the other way needs."""
    yield from dict.fromkeys(_conclusions(answer))
    if answer.next:
        yield tr("Next: {command}", command=answer.next)


def _conclusions(answer: Recommendations) -> Iterator[str]:
    yield from _up_to(answer.methods)
    if not _counted(answer):
        yield from _of_each_card(answer)
        return
    for one in answer.methods:
        if one.together:
            yield _together(one.together, one.asked_gpus or 0, one.device)
    yield from _of_each_row(answer)


def _of_each_card(answer: Recommendations) -> Iterator[str]:
    """What the cells of a table by card are."""
    asked = {one.asked_gpus for one in answer.methods}
    if asked == {None}:
        yield tr("The fewest GPUs of each card{tried}, by method.", tried=_tried(answer))
    elif len(asked) == 1:
        yield tr("Whether {gpus} GPUs of each card do, by method.", gpus=asked.pop())
    if is_survey(answer):
        yield tr("Name cards to see their settings.")
    yield from _may_fit(answer.methods)


def _of_each_row(answer: Recommendations) -> Iterator[str]:
    for one in answer.methods:
        name = tr("Full training") if one.method == "full" else _method(one.method)
        place = {"method": name, "gpus": one.gpus, "device": one.device}
        margin = f"{one.margin_gib:.1f}"
        host = tr(", host RAM {gib} GiB", gib=f"{one.host_gib:.0f}") if _needs_host(one) else ""
        if one.share_gib is not None:
            yield tr(
                "The engine of {method} needs {needed} GiB of each of {gpus} × {device}, its share "
                "is {share}.",
                needed=f"{one.peak_gib:.1f}",
                share=f"{one.share_gib:.1f}",
                **place,
            )
        elif one.ram_gib is not None:
            yield tr(
                "{method} on {gpus} × {device} needs {needed} GiB of each host, which has {ram}.",
                needed=f"{one.host_gib:.0f}",
                ram=f"{one.ram_gib:.0f}",
                **place,
            )
        elif one.verdict == "no" and one.margin_gib >= 0:
            yield tr(
                "{method} would leave {margin} GiB on {gpus} × {device}, and most runs that came "
                "so near ran out of memory.",
                margin=margin,
                **place,
            )
        if one.verdict == "fits":
            yield tr(
                "{method} fits on {gpus} × {device}, margin {margin} GiB{host}.",
                margin=margin,
                host=host,
                **place,
            )
        elif one.verdict == "may fit":
            yield tr(
                "{method} may fit on {gpus} × {device}: the expected margin is {margin} "
                "GiB{most}{host}.",
                margin=margin,
                host=host,
                most=_most(one),
                **place,
            )
        else:
            yield _needed(answer, one, name)


def _tried(answer: Recommendations) -> str:
    """A clause of the first numbers of GPUs that a step can be shared out over; "" for all."""
    step = answer.question.batch * responses_of(answer.question.task)
    able = [str(gpus) for gpus in counts(8) if step % gpus == 0]
    if len(able) == len(counts(8)):
        return ""
    return tr(" (of {numbers} …)", numbers=tr(", ").join(able))


def _most(one: MethodVerdict) -> str:
    """A clause with what may be needed, where that is more than there is."""
    if one.conservative_gib is None or one.conservative_gib <= one.usable_gib:
        return ""
    return tr(", conservatively {gib} GiB are needed", gib=f"{one.conservative_gib:.1f}")


def _needed(answer: Recommendations, one: MethodVerdict, name: str) -> str:
    """How many more GPUs surely do, and may; that none does, with the ways that were searched."""
    place = {"method": name, "gpus": one.more_gpus, "device": one.device}
    less = one.too_few_gpus or one.gpus
    if one.more_gpus is None and one.may_fit_gpus is not None:
        return tr(
            "{method} may fit on {gpus} × {device}, and surely fits on none up to {most}.",
            **(place | {"gpus": one.may_fit_gpus}),
            most=less,
        )
    if one.may_fit_gpus is not None:
        return tr(
            "{method} needs {gpus} × {device} to fit surely, and may fit on {fewer}.",
            **place,
            fewer=one.may_fit_gpus,
        )
    if one.more_gpus is not None and less > answer.question.budget_gpus:
        return tr("{method} needs {gpus} × {device}; {less} are too few.", **place, less=less)
    if one.more_gpus is not None:
        return tr("{method} needs {gpus} × {device}.", **place)
    if answer.question.framework != "verl":
        searched = "DeepSpeed"
    elif one.method != "full" or answer.question.task in ("ppo", "sft"):
        searched = "FSDP"
    else:
        searched = "FSDP, Megatron"
    return tr(
        "{method} does not fit on up to {gpus} × {device} by the ways that are searched: {ways}.",
        method=name,
        gpus=less,
        device=one.device,
        ways=searched,
    )
