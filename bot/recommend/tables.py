"""The tables that a question without a method, or without a model, gets: text or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.base.messages import mark
from bot.recommend.options import counts
from bot.recommend.report import MethodVerdict, Recommendations
from bot.recommend.request import Candidate, responses_of
from bot.render.blocks import table_head, table_row
from bot.render.columns import aligned, hanging
from bot.render.escape import markdown_cell, markdown_inline, terminal
from bot.render.speech import tr, tr_plural

WIDTH = 80
"""Columns of a line where the terminal's are not known."""


FIRST = 3
"""Predictions that are shown where no card is named, and cards with rows of their own."""
USUAL_HOST = 64
"""GiB of a host for each of its GPUs that are not worth a word: a desktop with one card has them,
and a server of eight RTX 4090 with 512 GiB."""


def one_run(cards: Sequence[str], gpus: int, device: str) -> str:
    """What unequal cards that stand in one run are taken as."""
    return tr(
        "In one run {cards} train as {gpus} × {device}: each GPU takes an equal share, so that the "
        "smallest card decides.",
        cards=" + ".join(cards),
        gpus=gpus,
        device=device,
    )


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table."""
    yield table_head(*map(markdown_cell, head))
    yield from (table_row(*map(markdown_cell, row)) for row in rows)


def tokens(longest: int | None) -> str:
    """Tokens as lengths are written; nothing for none."""
    return f"{longest // 1024}k" if longest else ""


def up_to(verdicts: Sequence[MethodVerdict]) -> Iterator[str]:
    """What the longest lengths are, where there are any."""
    if any(one.longest for one in verdicts):
        yield tr(
            "up to: tokens of prompt and response together that fit with every memory option; "
            "{most} are tried at most.",
            most="32k",
        )


def needs_host(one: MethodVerdict) -> bool:
    """Whether what does needs more of its host than machines with so many cards usually have."""
    return one.verdict != "no" and one.host_gib > USUAL_HOST * Candidate(one.gpus).per_node


def if_may_fit(verdicts: Sequence[MethodVerdict]) -> Iterator[str]:
    """What `may fit` means, where one has it."""
    if any(one.verdict == "may fit" for one in verdicts):
        yield may_fit()


def may_fit() -> str:
    """What that verdict means."""
    return tr(
        "May fit: the estimate's conservative figure is above the card, no margin is left, "
        "or a host needs more than 256 GiB for each of its GPUs. Try it before you rely on it."
    )


def verdict_word(one: MethodVerdict) -> str:
    """The verdict in a word."""
    if one.verdict == "no":
        return tr("no")
    return tr("fits") if one.verdict == "fits" else tr("may fit")


def default_sentence(defaults: Sequence[str]) -> str:
    """What was taken where the question is open."""
    return tr("Taken where the question is open: {defaults}.", defaults=tr(", ").join(defaults))


def method_name(method: str, rank: int | None = None) -> str:
    """A method as a table has it, an adapter with its rank where that is given."""
    names = {"full": tr("full"), "lora": "LoRA", "dora": "DoRA", "qlora": "QLoRA"}
    return names[method] if method == "full" or rank is None else f"{names[method]} r{rank}"


def _training(method: str) -> str:
    """A method at the beginning of a sentence."""
    return tr("Full training") if method == "full" else method_name(method)


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
    lines = [*markdown_table(head, rows), ""]
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
        has_longest = any(one.longest for one in answer.methods)
        head = [tr("hardware"), tr("method"), tr("needs"), tr("usable"), tr("margin"), tr("binds")]
        head += [tr("verdict"), *([tr("up to")] if has_longest else [])]
        rows = [
            [
                _hardware(one, is_alone=len({one.asked_gpus for one in answer.methods}) == 1),
                method_name(one.method),
                f"{one.peak_gib:.1f}",
                f"{one.share_gib or one.usable_gib:.1f}",
                f"{one.margin_gib:.1f}",
                tr(one.binding),
                verdict_word(one),
                *([tokens(one.longest)] if has_longest else []),
            ]
            for one in answer.methods
        ]
        return [head, *rows]
    columns = list(dict.fromkeys((one.method, one.asked_gpus) for one in answer.methods))
    is_choice = len({asked for _, asked in columns}) > 1
    heads = [
        tr("{verdict} on {gpus}", verdict=method_name(method), gpus=asked)
        if is_choice
        else method_name(method)
        for method, asked in columns
    ]
    rows = [[tr("card"), tr("usable"), *heads]]
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
        verdict = verdict_word(one)
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
    yield from up_to(answer.methods)
    if not _counted(answer):
        yield from _of_each_card(answer)
        return
    for one in answer.methods:
        if one.together:
            yield one_run(one.together, one.asked_gpus or 0, one.device)
    yield from _enough(answer)
    yield from _of_each_row(answer)


def _enough(answer: Recommendations) -> Iterator[str]:
    """Which of several numbers of one card is enough, by method."""
    rows = [one for one in answer.methods if one.asked_gpus and not one.together]
    for method, device in dict.fromkeys((one.method, one.device) for one in rows):
        own = [one for one in rows if (one.method, one.device) == (method, device)]
        able = sorted(one.asked_gpus or 0 for one in own if one.verdict != "no")
        sure = sorted(one.asked_gpus or 0 for one in own if one.verdict == "fits")
        place = {"method": _training(method), "device": device}
        if len(own) == 1:
            continue
        if not able:
            most = max(one.asked_gpus or 0 for one in own)
            yield tr("{method}: {gpus} × {device} are too few.", gpus=most, **place)
        elif not sure:
            yield tr("{method}: {gpus} × {device} may be enough.", gpus=able[0], **place)
        elif able[0] < sure[0]:
            enough = mark("{method}: {gpus} × {device} are enough, and {fewer} may be.")
            yield tr(enough, gpus=sure[0], fewer=able[0], **place)
        else:
            yield tr_plural(
                "{method}: {count} × {device} is enough.",
                "{method}: {count} × {device} are enough.",
                sure[0],
                **place,
            )


def _of_each_card(answer: Recommendations) -> Iterator[str]:
    """What the cells of a table by card are."""
    asked = {one.asked_gpus for one in answer.methods}
    if asked == {None}:
        yield tr("The fewest GPUs of each card{tried}, by method.", tried=_tried(answer))
    else:
        numbers = tr(", ").join(str(gpus) for gpus in sorted(filter(None, asked)))
        yield tr("Whether {gpus} GPUs of each card do, by method.", gpus=numbers)
    if is_survey(answer):
        yield tr("Name cards to see their settings.")
    yield from if_may_fit(answer.methods)


def _of_each_row(answer: Recommendations) -> Iterator[str]:
    for one in answer.methods:
        is_of_host = one.share_gib is None and one.ram_gib is not None
        says = {
            "method": _training(one.method),
            "gpus": one.gpus,
            "device": one.device,
            "margin": f"{one.margin_gib:.1f}",
            "needed": f"{one.host_gib:.0f}" if is_of_host else f"{one.peak_gib:.1f}",
            "share": f"{one.share_gib or 0:.1f}",
            "ram": f"{one.ram_gib or 0:.0f}",
            "host": tr(", host RAM {gib} GiB", gib=f"{one.host_gib:.0f}")
            if needs_host(one)
            else "",
            "most": _most(one),
        }
        if one.share_gib is not None:
            yield tr(
                "The engine of {method} needs {needed} GiB of each of {gpus} × {device}, its share "
                "is {share}.",
                **says,
            )
        elif is_of_host:
            yield tr(
                "{method} on {gpus} × {device} needs {needed} GiB of each host, which has {ram}.",
                **says,
            )
        elif one.verdict == "no" and one.margin_gib >= 0:
            yield tr(
                "{method} would leave {margin} GiB on {gpus} × {device}, and most runs that came "
                "so near ran out of memory.",
                **says,
            )
        if one.verdict == "fits":
            yield tr("{method} fits on {gpus} × {device}, margin {margin} GiB{host}.", **says)
        elif one.verdict == "may fit":
            yield tr(
                "{method} may fit on {gpus} × {device}: the expected margin is {margin} "
                "GiB{most}{host}.",
                **says,
            )
        else:
            yield _needed(answer, one)


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


def _needed(answer: Recommendations, one: MethodVerdict) -> str:
    """How many more GPUs surely do, and may; that none does, with the ways that were searched."""
    less = one.too_few_gpus or one.gpus
    is_megatrons = one.method == "full" and answer.question.task not in ("ppo", "sft")
    searched = "FSDP, Megatron" if is_megatrons else "FSDP"
    if one.more_gpus is None and one.may_fit_gpus is None:
        sentence = mark(
            "{method} does not fit on up to {gpus} × {device} by the ways that are searched: "
            "{ways}."
        )
    elif one.more_gpus is None:
        sentence = mark(
            "{method} may fit on {gpus} × {device}, and surely fits on none up to {most}."
        )
    elif one.may_fit_gpus is not None:
        sentence = mark("{method} needs {gpus} × {device} to fit surely, and may fit on {fewer}.")
    elif less > answer.question.budget_gpus:
        sentence = mark("{method} needs {gpus} × {device}; {less} are too few.")
    else:
        sentence = mark("{method} needs {gpus} × {device}.")
    return tr(
        sentence,
        method=_training(one.method),
        gpus=one.more_gpus or one.may_fit_gpus or less,
        device=one.device,
        fewer=one.may_fit_gpus,
        less=less,
        most=less,
        ways=searched if answer.question.framework == "verl" else "DeepSpeed",
    )
