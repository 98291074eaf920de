"""What `rlbot recommend` prints for a model: published rows, predictions, what came near.

As text or Markdown. `bot.recommend.tables` has the verdicts on methods above them, and the answer
for cards alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.recommend.report import (
    Miss,
    NearRow,
    Predicted,
    PublishedRow,
    Question,
    Recommendations,
)
from bot.recommend.tables import (
    FIRST,
    WIDTH,
    default_sentence,
    is_survey,
    may_fit,
    method_lines,
    method_markdown,
)
from bot.render.columns import aligned, hanging
from bot.render.escape import link, markdown_cell, markdown_inline, terminal
from bot.render.speech import speaking, tr, word

SUMS = 3
"""Devices on which nothing fits that are shown with their sum; the others are named."""


def text(answer: Recommendations, width: int = WIDTH) -> str:
    """The answer for a terminal; its sentences are broken at `width` columns."""
    with speaking(answer.language):
        return "\n".join(_text(answer, width)) + "\n"


def _text(answer: Recommendations, width: int) -> Iterator[str]:
    yield from _lines(_head(answer), width)
    if answer.defaults:
        yield from _lines(default_sentence(answer.defaults), width)
    methods = method_lines(answer, width)
    if methods:
        yield ""
        yield from methods
    for row in answer.published:
        yield ""
        yield f"{row.rank:>3}  {terminal(f'{row.gpus} × {row.device}')}  {tr('published row')}"
        yield from _lines(_row(row), width, "     ")
        if row.link:
            yield f"     {terminal(row.link)}"
    if answer.nearest:
        yield ""
        yield from _lines(_near_row_text(answer.nearest), width)
        if answer.nearest.link:
            yield f"  {terminal(answer.nearest.link)}"
    yield from _predictions(answer, width)
    yield from _misses(answer, width)
    why = _whys(answer)
    if why:
        yield ""
        yield tr("What the options do, the cheapest in time first:")
        for line in why:
            first, *more = hanging(terminal(line), "    ", width)
            yield from (first[2:], *more)
    yield ""
    for line in _below(answer):
        yield from _lines(line, width)


def _predictions(answer: Recommendations, width: int) -> Iterator[str]:
    predicted = _predictions_to_show(answer)
    if not predicted:
        return
    yield ""
    yield tr("Predicted, nobody has run it (GiB of each GPU):")
    yield from _table(predicted, width)
    more = len(answer.predicted) - len(predicted)
    if more:
        yield "  " + tr("… and {count} more: name cards, or take --format json.", count=more)


def _misses(answer: Recommendations, width: int) -> Iterator[str]:
    if is_survey(answer):
        return  # The table above has them.
    shown, others = _nearest(answer)
    for miss in shown:
        yield ""
        yield from _lines(_miss_text(miss), width)
        yield from _lines(_sum(miss), width, "     ")
    if others:
        yield ""
        yield from _lines(others, width)


def _predictions_to_show(answer: Recommendations) -> Sequence[Predicted]:
    """The predictions to show: all, or the first ones below a table of every card."""
    return answer.predicted[:FIRST] if is_survey(answer) else answer.predicted


def _lines(sentence: str, width: int, indent: str = "") -> list[str]:
    """A sentence over as many lines as it takes."""
    return hanging(terminal(sentence), indent, width)


def _table(predicted: Sequence[Predicted], width: int) -> Iterator[str]:
    """Two lines a prediction: its figures, and the options that are on."""
    heads = (tr("hardware"), tr("verdict"), tr("needs"), tr("usable"), tr("margin"), tr("binds"))
    rows = [["#", *heads, tr("host RAM")]]
    for one in predicted:
        host = f"{one.host_gib:.1f}" if one.host_gib >= 0.05 else ""
        rows.append(
            [
                str(one.rank),
                f"{one.gpus} × {one.device}",
                verdict(one),
                f"{one.peak_gib:.1f}",
                f"{one.usable_gib:.1f}",
                f"{one.margin_gib:.1f} ({one.margin_percent:.0f} %)",
                tr(one.binding),
                host,
            ]
        )
    lines = aligned([[terminal(cell) for cell in row] for row in rows], right={0, 3, 4, 5, 7})
    yield f"  {lines[0]}"
    for line, one in zip(lines[1:], predicted, strict=True):
        yield f"  {line}"
        yield from hanging(terminal(_options(one)), "       ", width)


def verdict(one: Predicted) -> str:
    """The verdict in a word; a band that crosses the card is "may fit"."""
    return tr("may fit") if one.may_fit else tr(one.verdict)


def markdown(answer: Recommendations) -> str:
    """The answer as Markdown."""
    with speaking(answer.language):
        return "\n".join(_markdown(answer)) + "\n"


def _markdown(answer: Recommendations) -> Iterator[str]:
    yield f"**{markdown_inline(_head(answer))}**"
    yield ""
    if answer.defaults:
        yield markdown_inline(default_sentence(answer.defaults))
        yield ""
    yield from method_markdown(answer)
    if answer.nearest:
        near = markdown_inline(_near_row_text(answer.nearest))
        yield f"{near} {link(tr('script'), answer.nearest.link)}" if answer.nearest.link else near
        yield ""
    heads = (tr("hardware"), tr("source"), tr("verdict"), tr("margin"), tr("binds"), tr("options"))
    yield " | ".join(("| ", *heads)) + " |"
    yield "| --: | --- | --- | --- | --: | --- | --- |"
    for row in answer.published:
        source = tr("published row")
        linked = link(source, row.link) if row.link else source
        cells = [f"{row.gpus} × {row.device}", _row(row)]
        hardware, says = map(markdown_cell, cells)
        yield f"| {row.rank} | {hardware} | {linked} | {says} | | | |"
    for one in answer.predicted:
        cells = [
            f"{one.gpus} × {one.device}",
            tr("predicted, nobody has run it"),
            verdict(one),
            _margin(one),
            tr(one.binding),
            _options(one),
        ]
        yield f"| {one.rank} | " + " | ".join(map(markdown_cell, cells)) + " |"
    yield ""
    shown, others = _nearest(answer)
    for miss in shown:
        terms = f"{_miss_text(miss)} {_sum(miss)}"
        yield f"- {markdown_inline(terms)}"
    if others:
        yield f"- {markdown_inline(others)}"
    yield from (f"- {markdown_inline(line)}" for line in (*_whys(answer), *_below(answer)))


def _head(answer: Recommendations) -> str:
    question = answer.question
    task = question.task if question.method == "full" else f"{question.task}-{question.method}"
    return tr(
        "{task} of {model} with {framework} {release}, {tokens} tokens, "
        "batch {batch}, GPU budget {gpus}",
        task=task,
        model=question.model,
        framework=question.framework,
        release=question.release,
        tokens=_lengths(question),
        batch=question.batch,
        gpus=question.budget_gpus,
    )


def _lengths(question: Question) -> str:
    prompt, response = question.prompt, question.response
    lengths = f"{prompt} + {response}" if prompt else f"{response}"
    return (
        tr("{lengths} ({images} of images)", lengths=lengths, images=question.images)
        if question.images
        else lengths
    )


def _near_row_text(row: NearRow) -> str:
    names = {"model": tr("model"), "task": tr("task"), "device": tr("device")}
    return tr(
        "Published nearest: {task} of {model} on {gpus} × {device} ({row}). It differs in: "
        "{differs}.",
        task=row.task,
        model=row.model,
        gpus=row.gpus,
        device=row.device,
        row=_row(row),
        differs=tr(", ").join(names[one] for one in row.differs) or tr("the number of GPUs"),
    )


def _row(row: PublishedRow | NearRow) -> str:
    parts = [row.tag, row.train, row.infer]
    if row.max_batch:
        parts.append(f"MaxBatch {row.max_batch}")
    return tr(", ").join(part for part in parts if part)


def _margin(one: Predicted) -> str:
    return f"{one.margin_gib:.1f} GiB ({one.margin_percent:.0f} %)"


def _options(one: Predicted) -> str:
    if not one.options:
        return tr("no memory option")
    # The explanations below the list have the whole names.
    return ", ".join(o.setting.replace("actor_rollout_ref.", "") for o in one.options)


def _nearest(answer: Recommendations) -> tuple[Sequence[Miss], str]:
    """The misses to show with their sums, and a sentence that names the others."""
    shown, others = answer.misses[:SUMS], answer.misses[SUMS:]
    if not others:
        return shown, ""
    names = tr(", ").join(miss.device for miss in others)
    return shown, tr("Nor on {devices}.", devices=names)


def _miss_text(miss: Miss) -> str:
    return tr(
        "Nothing that is searched fits on {device} within a GPU budget of {budget}. "
        "The nearest is {gpus} × {device}:",
        device=miss.device,
        budget=miss.budget_gpus,
        gpus=miss.gpus,
    )


def _sum(miss: Miss) -> str:
    """The arithmetic: what is too much for the card, or for the engine's share of it."""
    terms = []
    if miss.needed_gib > miss.usable_gib:
        parts = [f"{word(name)} {gib:.1f}" for name, gib in miss.components.items() if gib >= 0.05]
        terms.append(
            tr(
                "{stage} takes {needed} GiB of {usable}: {parts}",
                stage=tr(miss.stage),
                needed=f"{miss.needed_gib:.1f}",
                usable=f"{miss.usable_gib:.1f}",
                parts=" + ".join(parts),
            )
        )
    elif miss.engine_gib is None and miss.ram_gib is None:
        terms.append(
            tr(
                "{stage} would leave {margin} GiB, and most runs that came so near ran out of "
                "memory",
                stage=tr(miss.stage),
                margin=f"{miss.usable_gib - miss.needed_gib:.1f}",
            )
        )
    if miss.engine_gib is not None:
        terms.append(
            tr(
                "the engine needs {needed} GiB, its share of the card is {share}",
                needed=f"{miss.engine_gib:.1f}",
                share=f"{miss.share_gib or 0:.1f}",
            )
        )
    if miss.ram_gib is not None:
        terms.append(
            tr(
                "each host needs {needed} GiB for what waits there, and has {ram}",
                needed=f"{miss.host_gib or 0:.1f}",
                ram=f"{miss.ram_gib:.0f}",
            )
        )
    return tr("; ").join(terms)


def _whys(answer: Recommendations) -> list[str]:
    """Each option that any prediction uses, once, in the order of its cost."""
    names: list[str] = []
    why: dict[str, str] = {}
    for one in _predictions_to_show(answer):
        at = 0
        for option in one.options:
            name = option.setting.replace("=", " ").split()[0]
            if name not in why:
                # Behind the option that comes before it in this prediction.
                names.insert(at, name)
                why[name] = option.why
            at = names.index(name) + 1
    return [tr("{what}: {why}", what=name, why=why[name]) for name in names]


def _below(answer: Recommendations) -> list[str]:
    lines = []
    if answer.published or answer.predicted:
        lines.append(
            tr(
                "Published rows first; then what fits before what may fit, common cards before "
                "rare ones, fewer GPUs, fewer options."
            )
        )
    if any(one.may_fit for one in answer.predicted):
        lines.append(may_fit())
    if answer.assumptions:
        lines.append(tr("assumed: {assumptions}", assumptions=tr("; ").join(answer.assumptions)))
    return [*lines, *answer.notes]
