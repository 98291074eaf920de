"""The style sheet of the page and of its charts, in GitHub's measures and colours."""

from __future__ import annotations

CSS = """
:root {
  color-scheme: light dark;
  --text: #1f2328; --muted: #59636e; --back: #ffffff; --box: #ffffff; --line: #d1d9e0;
  --soft: #f6f8fa; --code: #818b981f; --link: #0969da;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #f0f6fc; --muted: #9198a1; --back: #0d1117; --box: #0d1117; --line: #3d444d;
    --soft: #151b23; --code: #656c7633; --link: #4493f8;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; color: var(--text); background: var(--back);
  font: 14px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial,
    sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji";
  overflow-wrap: break-word;
}
main {
  max-width: 860px; margin: 24px auto; padding: 16px;
  background: var(--box); border: 1px solid var(--line); border-radius: 6px;
}
main > :first-child { margin-top: 0; }
main > :last-child { margin-bottom: 0; }
p, ul, ol, pre, table, details { margin: 0 0 16px; }
ul, ol { padding-left: 2em; }
li + li { margin-top: 4px; }
a { color: var(--link); text-underline-offset: 3px; }
code, pre {
  font-family: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono",
    monospace;
}
code {
  padding: .2em .4em; font-size: 85%; white-space: break-spaces; overflow-wrap: anywhere;
  background: var(--code); border-radius: 6px;
}
code.short, td strong { white-space: nowrap; overflow-wrap: normal; }
pre {
  padding: 16px; overflow: auto; font-size: 85%; line-height: 1.45;
  background: var(--soft); border-radius: 6px;
}
pre code { padding: 0; font-size: 100%; white-space: pre; background: none; }
table { display: block; width: max-content; max-width: 100%; overflow: auto;
  border-spacing: 0; border-collapse: collapse; }
th, td { padding: 6px 13px; border: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; text-align: left; }
tbody tr:nth-child(2n) { background: var(--soft); }
summary { cursor: pointer; }
details[open] > summary { margin-bottom: 12px; }
@media (max-width: 600px) {
  main { margin: 0; padding: 16px 12px; border-width: 0 0 1px; border-radius: 0; }
  ul, ol { padding-left: 1.4em; }
  table { display: table; width: 100%; }
  table:has(th:nth-child(5)) { display: block; }
  th, td { min-width: 5em; padding: 6px; }
  td { overflow-wrap: anywhere; }
  th:last-child, td:last-child { min-width: 5.8em; }
  th:first-child, td:first-child { width: 2.4em; min-width: 0; }
  td code { padding: .15em .25em; }
  pre { padding: 12px; }
}
"""

CHART_CSS = """
svg.chart { --ink: #1f2328; --faint: #59636e; --grid: #d1d9e0; --paper: #ffffff; color: var(--ink);
  display: block; max-width: 100%; height: auto; }
svg.chart text { fill: var(--ink); }
svg.chart .axis { fill: var(--faint); }
svg.chart .grid { stroke: var(--grid); stroke-width: .7; }
svg.chart .base, svg.chart .tick { stroke: var(--faint); }
svg.chart .curve { fill: none; stroke-width: 1.7; stroke-linejoin: round; }
svg.chart .band { opacity: .16; stroke: none; }
svg.chart .level { stroke: var(--faint); stroke-dasharray: 3 3; }
svg.chart .strong { stroke: #cf222e; stroke-dasharray: none; stroke-width: 1.4; }
svg.chart circle.peak { fill: none; stroke: #cf222e; stroke-width: 2; }
svg.chart .label { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
svg.chart .leader { stroke: #cf222e; }
svg.chart text.peak { font-weight: 600; }
svg.chart .curve.rest { stroke: var(--faint); stroke-width: .8; opacity: .5; }
HUES
@media (prefers-color-scheme: dark) {
  svg.chart { --ink: #f0f6fc; --faint: #9198a1; --grid: #3d444d; --paper: #0d1117; }
  svg.chart .strong, svg.chart circle.peak, svg.chart .leader { stroke: #f85149; }
}
"""
_HUES = ("#4269d0", "#c98500", "#e0533c", "#38a08a", "#3ca951", "#d8609a", "#a463f2", "#9c6b4e")
"""Eight that stay apart on white and on near-black, and in order for those who see no red."""
CHART_CSS = CHART_CSS.replace(
    "HUES",
    "\n".join(
        f"svg.chart .curve.hue{i} {{ stroke: {hue}; }} "
        f"svg.chart .band.hue{i}, svg.chart .dot.hue{i} {{ fill: {hue}; }}"
        for i, hue in enumerate(_HUES)
    ),
)
FIGURE_CSS = """
figure { margin: 0 0 24px; }
figcaption { margin-bottom: 8px; color: var(--muted); }
figure .narrow { display: none; }
@media (max-width: 600px) {
  figure .wide { display: none; }
  figure .narrow { display: block; }
}
"""
