"""The memory budget as a drawing: one bar a stage, stacked by what takes the memory."""

from __future__ import annotations

from bot.render.budget import fullest, headline
from bot.render.escape import html_text
from bot.render.speech import tr
from bot.report import Estimate

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
        parts.append(
            f'<text x="8" y="20" font-size="13" font-weight="600" fill="currentColor">{title}'
            "</text>"
        )
    for row, stage in enumerate(stages):
        y = top + _ROW * row
        parts.append(
            f'<text x="{left - 8}" y="{y + 14}" text-anchor="end" fill="currentColor">'
            f"{html_text(tr(stage.stage))}</text>"
        )
        x = float(left)
        for name, gib in stage.components.items():
            wide = gib / scale * room
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="18" '
                f'fill="{colour[name]}"><title>{html_text(name)} {gib:.1f} GiB</title></rect>'
            )
            x += wide
        parts.append(
            f'<text x="{width - 8}" y="{y + 14}" text-anchor="end" fill="currentColor">'
            f"{stage.expected_gib:.1f}</text>"
        )
    line = left + usable / scale * room
    parts.append(
        f'<line x1="{line:.1f}" x2="{line:.1f}" y1="{top - 8}" y2="{below}" '
        'stroke="currentColor" stroke-dasharray="4 3"/>'
    )
    parts.append(
        f'<text x="{line:.1f}" y="{top - 12}" text-anchor="end" fill="currentColor">'
        f"{usable:.1f} GiB</text>"
    )
    for i, name in enumerate(names):
        x = (left if across > 2 else 8) + (i % across) * (200 if across > 2 else 170)
        y = below + 18 + 18 * (i // across)
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour[name]}"/>')
        parts.append(f'<text x="{x + 15}" y="{y}" fill="currentColor">{html_text(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
