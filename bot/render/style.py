"""The style sheet of the page, in GitHub's measures and colours."""

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
  table:has(th:nth-child(6)) { display: block; }
  th, td { min-width: 5em; padding: 6px; }
  td { overflow-wrap: anywhere; }
  th:first-child, td:first-child { width: 2.4em; min-width: 0; }
  td code { padding: .15em .25em; }
  pre { padding: 12px; }
}
"""
