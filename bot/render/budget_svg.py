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


def drawing(path: str, estimate: Estimate) -> str:
    """An SVG document: bars, and a line at the device's usable memory; no script in it."""
    stages = fullest(estimate)
    usable = estimate.usable_gib or 1.0
    scale = max(usable * 1.08, *(stage.expected_gib for stage in stages))
    names = list(dict.fromkeys(name for stage in stages for name in stage.components))
    colour = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)}
    room = _WIDTH - _LEFT - _RIGHT
    below = _TOP + _ROW * len(stages)
    height = below + 24 + 18 * -(-len(names) // 3) + 10
    title = html_text(f"{path.rsplit('/', 1)[-1]}: {headline(estimate)}")
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" role="img" font-family="sans-serif" '
            'font-size="12">'
        ),
        f"<title>{title}</title>",
        f'<text x="8" y="20" font-size="13" font-weight="600" fill="currentColor">{title}</text>',
    ]
    for row, stage in enumerate(stages):
        y = _TOP + _ROW * row
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end" fill="currentColor">'
            f"{html_text(tr(stage.stage))}</text>"
        )
        x = float(_LEFT)
        for name, gib in stage.components.items():
            wide = gib / scale * room
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="18" '
                f'fill="{colour[name]}"><title>{html_text(name)} {gib:.1f} GiB</title></rect>'
            )
            x += wide
        parts.append(
            f'<text x="{_WIDTH - 8}" y="{y + 14}" text-anchor="end" fill="currentColor">'
            f"{stage.expected_gib:.1f}</text>"
        )
    line = _LEFT + usable / scale * room
    parts.append(
        f'<line x1="{line:.1f}" x2="{line:.1f}" y1="{_TOP - 8}" y2="{below}" '
        'stroke="currentColor" stroke-dasharray="4 3"/>'
    )
    parts.append(
        f'<text x="{line:.1f}" y="{_TOP - 12}" text-anchor="end" fill="currentColor">'
        f"{usable:.1f} GiB</text>"
    )
    for i, name in enumerate(names):
        x, y = _LEFT + (i % 3) * 200, below + 18 + 18 * (i // 3)
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour[name]}"/>')
        parts.append(f'<text x="{x + 15}" y="{y}" fill="currentColor">{html_text(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
