from __future__ import annotations

from pathlib import Path

import pytest

from bot.frameworks.releases import beside_tables
from bot.frameworks.trl.dropped import dropped_by


@pytest.mark.parametrize(
    ("option", "release"),
    [
        ("overwrite_output_dir", "5.0.0"),
        ("group_by_length", "5.2.0"),
        ("warmup_ratio", "5.15.0"),
        ("torch_dtype", ""),  # TRL's own: 0.26 and 0.27 are read with the same transformers.
        ("max_prompt_length", ""),
        ("learning_rate", ""),
        ("no_such_option", ""),
    ],
)
def test_who_dropped_an_option(option: str, release: str) -> None:
    assert dropped_by(option) == release


def test_the_documentation_counts_them() -> None:
    table = beside_tables("trl", "options")
    assert table is not None
    dropped = {row[0] for row in table["options"] if dropped_by(row[0])}
    text = Path("docs/frameworks.md").read_text(encoding="utf-8")
    assert f"and {len(dropped) - 3} others" in " ".join(text.split())
