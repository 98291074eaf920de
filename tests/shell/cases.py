"""Small scripts, one construct each, judged by real bash."""

from __future__ import annotations

from pathlib import Path


def _constructs() -> dict[str, str]:
    text = Path(__file__).with_name("constructs.sh").read_text(encoding="utf-8")
    sections = text.split("#== ")[1:]
    return {name: script for name, _, script in (one.partition("\n") for one in sections)}


CASES: dict[str, str] = {
    **_constructs(),
    # What depends on the last character of the file.
    "lone backslash at the end": "cmd a\ncmd b \\",
    "lone backslash glued at the end": "cmd a\\",
    "continuation at the end": "cmd a \\\n",
    "no line end at the end": "cmd a",
}
