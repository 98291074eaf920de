from __future__ import annotations

from pathlib import Path

import pytest

from bot.frameworks.programs.of_transformers import added_after, dropped_by
from bot.frameworks.settings.releases import beside_tables


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


@pytest.mark.parametrize(
    ("option", "release"),
    [
        ("activation_checkpointing", "5.19.0"),
        ("dataloader_in_order", "5.14.1"),
        ("bnb_4bit_quant_storage", ""),  # TRL's own: 0.25 and 0.26 are read with the same.
        ("vllm_mode", ""),
        ("learning_rate", ""),
        ("no_such_option", ""),
    ],
)
def test_who_added_an_option(option: str, release: str) -> None:
    """Named is the last release known not to have it."""
    assert added_after(option) == release


def test_the_documentation_counts_them() -> None:
    table = beside_tables("trl", "options")
    assert table is not None
    dropped = {row[0] for row in table["options"] if dropped_by(row[0])}
    text = Path("docs/frameworks.md").read_text(encoding="utf-8")
    assert f"and {len(dropped) - 3} others" in " ".join(text.split())
