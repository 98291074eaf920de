"""The memory estimate: for the terminal, for the comment, and as a drawing of one bar a stage."""

from __future__ import annotations

from collections.abc import Iterator

from bot.render.columns import padded, width_of
from bot.render.escape import html_text, markdown_cell, markdown_inline, terminal
from bot.render.speech import counted, speaking, tr, tr_plural, word
from bot.render.wording import counted_launch
from bot.render.words import STEP
from bot.report import (
    Estimate,
    EstimateAllocated,
    EstimateCard,
    EstimateLengths,
    EstimateShortage,
    EstimateStage,
    Evidence,
    Report,
)
from bot.report.claims import ClaimName, SourceName, source_names

_BAR = 26
_EIGHTHS = " ▏▎▍▌▋▊▉"
_HELPS = 3
_REFUSALS = 3
"""What stops a launch that is said of an estimate; rlbot lint says all."""
_WIDE = 1.4
"""Times what is expected from which the conservative level is named beside it."""
_VISIBLE = 1.0
"""GiB of freed blocks from which they are named."""


def bar(part: float, whole: float, width: int = _BAR) -> str:
    """`part` of `whole` as blocks of an eighth of a column; full when it is more."""
    share = min(1.0, part / whole) if whole > 0 else 1.0
    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    blocks = "█" * full + (_EIGHTHS[rest] if rest else "")
    return blocks + "░" * (width - len(blocks))


def headline(estimate: Estimate, evidence: Evidence | None = None) -> str:
    """On what, and the verdict: "2 × H800 (79.3 GiB usable): tight, 74.4 GiB expected".

    Beside a run that went well the prediction is no verdict: what was measured stands beside it,
    and where no figure counts, how far the run came. Where the conservative level is far above what
    is expected and no run says the lengths, both stand there.
    """
    figures = {
        "gpus": estimate.gpus,
        "device": estimate.device,
        "usable": f"{estimate.usable_gib:.1f}",
        "peak": f"{estimate.peak_gib:.1f}",
    }
    if evidence is not None and evidence.steps and evidence.verdict != "inconsistent":
        peak = next((claim for claim in evidence.claims if claim.claim == ClaimName.PEAK), None)
        if evidence.peak_gib is None or peak is None or peak.verdict != "consistent":
            return tr(
                "{gpus} × {device} ({usable} GiB usable): {peak} GiB expected, and the run "
                "completed {steps}",
                steps=counted(evidence.steps, STEP),
                **figures,
            )
        seen = f"{evidence.peak_gib:.1f}"
        if SourceName.SYSTEM_STREAM not in source_names(peak.source):
            if estimate.allocated is not None:
                figures["peak"] = f"{estimate.allocated.expected_gib:.1f}"
            return tr(
                "{gpus} × {device} ({usable} GiB usable): {peak} GiB expected, {seen} GiB measured "
                "by the allocator of one rank",
                seen=seen,
                **figures,
            )
        return tr(
            "{gpus} × {device} ({usable} GiB usable): {peak} GiB expected, {seen} GiB measured",
            seen=seen,
            **figures,
        )
    most = max((stage.conservative_gib for stage in estimate.stages), default=0.0)
    expected = estimate.peak_gib or most
    if most > _WIDE * expected and not estimate.measured_lengths:
        line = tr(
            "{gpus} × {device} ({usable} GiB usable): {outcome}, {peak} GiB expected, up to "
            "{most} GiB",
            outcome=tr(estimate.outcome),
            most=f"{most:.1f}",
            **figures,
        )
    else:
        line = tr(
            "{gpus} × {device} ({usable} GiB usable): {outcome}, {peak} GiB expected",
            outcome=tr(estimate.outcome),
            **figures,
        )
    return _on_host(line, estimate)


def _on_host(line: str, estimate: Estimate | EstimateCard) -> str:
    """The same with the verdict on the host's memory, where that is not enough for sure."""
    if estimate.host_outcome is None or estimate.host_outcome == "fits":
        return line
    return tr(
        "{line}; {outcome} on hosts of {memory} GiB",
        line=line,
        outcome=tr(estimate.host_outcome),
        memory=f"{estimate.host_memory_gib or 0.0:.0f}",
    )


def estimate_lines(name: str, estimate: Estimate) -> list[str]:
    """The estimate for a terminal."""
    name = terminal(name)
    stopped = [f"  {terminal(line)}" for line in _refused(estimate)]
    if estimate.cards:
        return [*_on_cards(name, estimate), *stopped]
    if estimate.outcome == "no prediction":
        reason = terminal(estimate.reason or "")
        return [tr("{name}: no prediction. {reason}", name=name, reason=reason), *stopped]
    lines = [tr("{name} on {what}", name=name, what=terminal(headline(estimate)))]
    stages = fullest(estimate)
    labels = [_label(stage, estimate) for stage in stages]
    wide = max(map(width_of, [*labels, tr("stage")]))
    heads = [tr("floor"), tr("expected"), tr("conservative")]
    columns = [max(9, width_of(head) + 2) for head in heads]
    cells = "".join(" " * (w - width_of(h)) + h for w, h in zip(columns, heads, strict=True))
    lines.append(f"  {padded(tr('stage'), wide)}{cells}")
    peak = max(stage.expected_gib for stage in stages)
    for label, stage in zip(labels, stages, strict=True):
        figures = (stage.floor_gib, stage.expected_gib, stage.conservative_gib)
        shown = "".join(f"{f:>{w}.1f}" for f, w in zip(figures, columns, strict=True))
        drawn = bar(stage.expected_gib, estimate.usable_gib or 1.0)
        binds = f"  {tr('binds')}" if stage.expected_gib == peak else ""
        lines.append(f"  {padded(label, wide)}{shown}   {drawn}{binds}")
    return lines + [f"  {terminal(note)}" for note in notes(estimate)]


def _on_cards(name: str, estimate: Estimate) -> list[str]:
    """What common cards would say, where nothing says which it is."""
    heads = [tr("device"), tr("usable"), tr("expected"), tr("verdict")]
    rows = [
        [
            card.device,
            f"{card.usable_gib:.1f}",
            "–" if card.peak_gib is None else f"{card.peak_gib:.1f}",
            _on_host(tr(card.outcome), card),
        ]
        for card in estimate.cards
    ]
    wide = [max(map(width_of, column)) for column in zip(heads, *rows, strict=True)]
    lines = [
        f"  {padded(device, wide[0])}  {usable.rjust(wide[1])}  {peak.rjust(wide[2])}  {outcome}"
        for device, usable, peak, outcome in (heads, *rows)
    ]
    said = tr("{name}: nothing says which card: name it with --device. GiB of each GPU:", name=name)
    hosts = dict.fromkeys(line for card in estimate.cards for line in _host_line(card))
    return [said, *lines, *(f"  {line}" for line in hosts)]


def fullest(estimate: Estimate) -> list[EstimateStage]:
    """Of stages with one name on one pool the fullest, in the order of a step."""
    best: dict[tuple[str, str], EstimateStage] = {}
    for stage in estimate.stages:
        key = (stage.pool, stage.stage)
        if key not in best or stage.expected_gib > best[key].expected_gib:
            best[key] = stage
    return list(best.values())


def _label(stage: EstimateStage, estimate: Estimate) -> str:
    pools = {other.pool for other in estimate.stages}
    name = tr(stage.stage)
    return name if len(pools) == 1 else f"{terminal(stage.pool)}: {name}"


def notes(estimate: Estimate) -> list[str]:
    """What is in the fullest stage, what would help, the host's memory, the assumptions."""
    stage = max(estimate.stages, key=lambda s: s.expected_gib)
    parts = sorted(stage.components.items(), key=lambda item: -item[1])
    made = tr(", ").join(f"{word(name)} {gib:.1f}" for name, gib in parts if gib >= 0.05)
    found = [*_refused(estimate), tr("{stage}: {parts}", stage=tr(stage.stage), parts=made)]
    if estimate.engine_short is not None:
        found.insert(-1, _shortage(estimate.engine_short))
    if estimate.allocated is not None:
        found.append(_allocated(estimate.allocated, estimate))
    found.extend(_card_line(estimate))
    if estimate.options:
        shown = [f"{o.setting} (-{o.saves_gib:.1f} GiB)" for o in estimate.options[:_HELPS]]
        found.append(tr("would help most: {options}", options=tr(", ").join(shown)))
    if estimate.applied:
        found.append(tr("on already: {options}", options=tr(", ").join(estimate.applied)))
    found.extend(_host_line(estimate))
    if estimate.assumptions:
        found.append(tr("assumed: {assumptions}", assumptions=tr("; ").join(estimate.assumptions)))
    if estimate.by_lengths is not None:
        found.append(_by_lengths(estimate.by_lengths))
    return found


def _host_line(estimate: Estimate | EstimateCard) -> Iterator[str]:
    """What is offloaded to each host, against what it has."""
    if estimate.host_outcome is not None:
        yield tr(
            "on each host: {gib} of {memory} GiB of memory, {outcome}",
            gib=f"{estimate.host_gib or 0.0:.1f}",
            memory=f"{estimate.host_memory_gib or 0.0:.0f}",
            outcome=tr(estimate.host_outcome),
        )
    elif estimate.host_gib and estimate.host_gib >= 0.05:
        yield tr("on each host: {gib} GiB of memory", gib=f"{estimate.host_gib:.1f}")


def _refused(estimate: Estimate) -> Iterator[str]:
    """What stops the launch."""
    for problem in estimate.refusals[:_REFUSALS]:
        yield tr("the launch cannot start: {problem}", problem=problem)
    if left := len(estimate.refusals[_REFUSALS:]):
        yield tr_plural(
            "{count} more error like this: rlbot lint names it",
            "{count} more errors like these: rlbot lint names them",
            left,
        )


def _shortage(short: EstimateShortage) -> str:
    parts = [f"{word(name)} {gib:.1f}" for name, gib in short.components.items() if gib >= 0.05]
    return tr(
        "the engine needs {needed} GiB to start ({parts}), and its share of the card is {share}: "
        "raise it",
        needed=f"{short.needed_gib:.1f}",
        parts=" + ".join(parts),
        share=f"{short.share_gib:.1f}",
    )


def _by_lengths(lengths: EstimateLengths) -> str:
    if lengths.oom == "any":
        return tr("likely OOM whatever the lengths of the data")
    if lengths.oom == "none":
        return tr("likely OOM at no length that the settings allow")
    return tr(
        "likely OOM where a sequence has {tokens} tokens or more on the mean: give your lengths",
        tokens=f"{lengths.from_tokens or 0:,}",
    )


def _card_line(estimate: Estimate) -> Iterator[str]:
    """What the card shows, where that is visibly more than what is needed."""
    shown = max((stage.card_gib or 0.0 for stage in estimate.stages), default=0.0)
    most = max((stage.card_conservative_gib or 0.0 for stage in estimate.stages), default=0.0)
    if shown >= (estimate.peak_gib or shown) + _VISIBLE:
        yield tr(
            "the card shows some {gib} GiB (conservative {most}), freed blocks among them",
            gib=f"{shown:.0f}",
            most=f"{most:.0f}",
        )


def _allocated(peak: EstimateAllocated, estimate: Estimate) -> str:
    """What torch reports; its conservative level has a share of its own, of QLoRA a wider one."""
    gib, most = f"{peak.expected_gib:.1f}", f"{peak.conservative_gib:.1f}"
    level = max(stage.conservative_gib for stage in estimate.stages)
    if not peak.engine_gib and peak.conservative_gib > level:
        return tr(
            "torch reports {gib} GiB allocated at most (conservative {most}, by a share of its "
            "own that is wider than the stage's)",
            gib=gib,
            most=most,
        )
    if not peak.engine_gib:
        return tr(
            "torch reports {gib} GiB allocated at most (conservative {most})", gib=gib, most=most
        )
    return tr(
        "torch reports {gib} GiB allocated at most (conservative {most}), with the engine's "
        "{engine} in the same process",
        gib=gib,
        most=most,
        engine=f"{peak.engine_gib:.1f}",
    )


def estimate_table(estimate: Estimate) -> str:
    """The estimate as a Markdown table with bars of characters, and the notes below."""
    heads = ("stage", "floor", "expected", "conservative")
    rows = ["| " + " | ".join([*map(tr, heads), "GiB"]) + " |", "| --- | --: | --: | --: | --- |"]
    for stage in fullest(estimate):
        figures = (stage.floor_gib, stage.expected_gib, stage.conservative_gib)
        cells = [markdown_cell(_label(stage, estimate)), *(f"{figure:.1f}" for figure in figures)]
        rows.append("| " + " | ".join([*cells, bar(figures[1], estimate.usable_gib or 1.0)]) + " |")
    return "\n".join(rows)


_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 760, 130, 70, 30, 44
_COLOURS = (
    "#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5",
    "#9c6b4e", "#9498a0", "#1f3b73", "#8a5a00", "#a62c1a", "#2b6e5f", "#1d5c2a", "#b04a7c",
)  # fmt: skip
"""Ten hues that stay apart (Observable's categories), then darker ones of the same."""


def drawing(path: str, estimate: Estimate, *, width: int = _WIDTH, heading: bool = True) -> str:
    """An SVG document: bars, and a line at the device's usable memory; no script in it.

    Without `heading` the headline is left to what stands around the drawing.
    """
    stages = fullest(estimate)
    usable = estimate.usable_gib or 1.0
    scale = max(usable * 1.08, *(stage.expected_gib for stage in stages))
    names = list(dict.fromkeys(name for stage in stages for name in stage.components))
    colour = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)}
    left, right = (_LEFT, _RIGHT) if width > 500 else (80, 50)
    room = width - left - right
    across = max(1, (width - left) // 200 if width > 500 else width // 170)
    top = _TOP if heading else _TOP - 16
    below = top + _ROW * len(stages)
    height = below + 24 + 18 * -(-len(names) // across) + 10
    title = html_text(f"{path.rsplit('/', 1)[-1]}: {headline(estimate)}")
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="sans-serif" '
            'font-size="12">'
        ),
        f"<title>{title}</title>",
    ]
    if heading:
        parts.append(_text(8, 20, title, 'font-size="13" font-weight="600"'))
    for row, stage in enumerate(stages):
        y = top + _ROW * row
        parts.append(_text(left - 8, y + 14, html_text(tr(stage.stage))))
        x = float(left)
        for name, gib in stage.components.items():
            wide = gib / scale * room
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="18" '
                f'fill="{colour[name]}"><title>{html_text(name)} {gib:.1f} GiB</title></rect>'
            )
            x += wide
        parts.append(_text(width - 8, y + 14, f"{stage.expected_gib:.1f}"))
    line = left + usable / scale * room
    parts.append(
        f'<line x1="{line:.1f}" x2="{line:.1f}" y1="{top - 8}" y2="{below}" '
        'stroke="currentColor" stroke-dasharray="4 3"/>'
    )
    parts.append(_text(f"{line:.1f}", top - 12, f"{usable:.1f} GiB"))
    for i, name in enumerate(names):
        x = (left if across > 2 else 8) + (i % across) * (200 if across > 2 else 170)
        y = below + 18 + 18 * (i // across)
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour[name]}"/>')
        parts.append(f'<text x="{x + 15}" y="{y}" fill="currentColor">{html_text(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float | str, y: int, shown: str, how: str = 'text-anchor="end"') -> str:
    """A text that is escaped already."""
    return f'<text x="{x}" y="{y}" {how} fill="currentColor">{shown}</text>'


def estimates(report: Report, form: str) -> str:
    """The estimates of a report's scripts as `text`, `markdown` or `svg`."""
    with speaking(report.language):
        if form == "svg":
            return "".join(
                drawing(script.path, script.estimate)
                for script in report.scripts
                if script.estimate is not None and script.estimate.stages
            )
        blocks = []
        last = [script.path.rsplit("/", 1)[-1] for script in report.scripts]
        for script, short in zip(report.scripts, last, strict=True):
            if script.estimate is None:
                continue
            name = script.path if last.count(short) > 1 else short
            launch = counted_launch(script.counts) if script.counts else ""
            if form == "markdown":
                block = _markdown(name, script.estimate)
                block += f"\n- {markdown_inline(launch)}" if launch else ""
            else:
                block = "\n".join(estimate_lines(name, script.estimate))
                block += f"\n  {terminal(launch)}" if launch else ""
            blocks.append(block)
        blocks += [
            tr("not checked: {what}", what=terminal(item.reason)) for item in report.unchecked
        ]
        return "\n\n".join(blocks) + "\n"


def _markdown(name: str, estimate: Estimate) -> str:
    name = markdown_inline(name)
    if not estimate.stages:
        why = markdown_inline(estimate.reason or "")
        lines = [tr("{name}: no prediction. {reason}", name=name, reason=why)]
        return "\n".join([*lines, *(f"- {markdown_inline(line)}" for line in _refused(estimate))])
    head = tr("{name} on {what}", name=name, what=markdown_inline(headline(estimate)))
    below = "\n".join(f"- {markdown_inline(note)}" for note in notes(estimate))
    return f"**{head}**\n\n{estimate_table(estimate)}\n\n{below}"
