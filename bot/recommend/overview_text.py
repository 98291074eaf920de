"""What cards alone can train, as a table of models and methods: text or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.recommend.report import CardOverview
from bot.recommend.tables import (
    WIDTH,
    default_sentence,
    if_may_fit,
    markdown_table,
    method_name,
    needs_host,
    one_run,
    tokens,
    up_to,
    verdict_word,
)
from bot.render.columns import aligned, hanging
from bot.render.escape import markdown_inline, terminal
from bot.render.speech import speaking, tr


def overview_text(answers: Sequence[CardOverview], width: int = WIDTH) -> str:
    """What each group of cards can train, for a terminal; sentences are broken at `width`."""
    with speaking(answers[0].language):
        lines = []
        for answer in answers:
            for sentence in _above(answer, answers[0]):
                lines += hanging(terminal(sentence), "", width)
            rows = aligned(_overview_rows(answer), right={2, 3, 5, 6})
            lines += ["", *(f"  {line}" for line in rows), ""]
        for sentence in _overview_below(answers):
            lines += hanging(terminal(sentence), "", width)
        return "\n".join(lines) + "\n"


def overview_markdown(answers: Sequence[CardOverview]) -> str:
    """What each group of cards can train, as Markdown."""
    with speaking(answers[0].language):
        lines = []
        for answer in answers:
            cards, *more = map(markdown_inline, _above(answer, answers[0]))
            for sentence in (f"**{cards}**", *more):
                lines += [sentence, ""]
            head, *rows = _overview_rows(answer)
            lines += [*markdown_table(head, rows), ""]
        lines += [f"- {markdown_inline(line)}" for line in _overview_below(answers)]
        return "\n".join(lines) + "\n"


def _above(answer: CardOverview, first: CardOverview) -> Iterator[str]:
    """The cards, what those of one run are taken as, and the defaults above the first table."""
    asked = answer.question
    yield _cards_head(answer)
    if asked.together:
        yield one_run(asked.together, asked.gpus, asked.device)
    if answer.defaults and answer is first:
        yield default_sentence(answer.defaults)


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
        head += [method_name(method, answer.question.rank), tr("GiB"), tr("up to")]
    with_host = any(map(needs_host, answer.models))
    head += [tr("host RAM")] if with_host else []
    rows = [[*head, tr("what limits")]]
    for model in dict.fromkeys(one.model for one in answer.models):
        cells = [one for one in answer.models if one.model == model]
        row = [model]
        for one in cells:
            says = verdict_word(one)
            if one.gpus != answer.question.gpus:
                says = tr("{verdict} on {gpus}", verdict=says, gpus=one.gpus)
            row += [says, f"{one.peak_gib:.1f}", tokens(one.longest)]
        if with_host:
            row.append(
                "/".join("-" if one.verdict == "no" else f"{one.host_gib:.0f}" for one in cells)
            )
        limits = [tr(one.binding) for one in cells if one.verdict == "no"]
        rows.append([*row, limits[-1] if limits else ""])
    return rows


def _overview_below(answers: Sequence[CardOverview]) -> Iterator[str]:
    models = [one for answer in answers for one in answer.models]
    yield from answers[0].notes
    yield from up_to(models)
    if any(map(needs_host, models)):
        yield tr("host RAM: GiB of each host for what waits on it, by method.")
    yield from if_may_fit(models)
    for command in dict.fromkeys(answer.next for answer in answers if answer.next):
        yield tr("Next: {command}", command=command)
