"""What `rlbot recommend` says of cards and methods: one figure each, and the reason that is so."""

from __future__ import annotations

from pathlib import Path

from tests.command import rlbot


def _said(words: str, *more: str) -> str:
    """The answer as one line."""
    result = rlbot("recommend", *words.split(), *more)
    assert result.status in (0, 1), result.err
    return " ".join(result.out.split())


def test_a_card_of_another_memory_has_a_name_of_its_own(tmp_path: Path) -> None:
    said = _said("h100 nvl Qwen3-8B", "--write", str(tmp_path))
    assert "Full training fits on 4 × H100NVL, margin 10.9 GiB." in said
    (script,) = tmp_path.iterdir()
    assert "_4_h100nvl_" in script.name
    assert "(H100NVL)" in script.read_text()
    estimate = rlbot("estimate", str(script)).out
    assert "4 × H100NVL (93.1 GiB usable): fits, 82.2 GiB expected" in estimate
    assert "Next: rlbot recommend 4xh100nvl Qwen3-8B" in _said("h100 nvl Qwen3-8B")


def test_the_common_card_keeps_its_name() -> None:
    said = _said("4xh100 Qwen3-8B", "--device", "h100-nvl")
    assert "H100 79.3 4 4 H100NVL 93.1 4 4" in said
    assert "H100NVL" not in _said("4xh100 Qwen3-8B")
