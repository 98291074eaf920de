"""What `rlbot recommend` says of cards and methods: one figure each, and the reason that is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.recommend.options import counts
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


@pytest.mark.parametrize(
    ("words", "less"),
    [
        ("5xl40s Gemma-3-27b ppo verl 1024+8192 lora", 4),
        ("5xh100 Llama-3.1-70B remax lora 1024+4096", 4),
        ("7xh100 Qwen3-30B-A3B ppo verl 1024+8192 lora", 4),
        ("9xl40s Qwen3-1.7B ppo openrlhf 1024+8192 lora", 8),
    ],
)
def test_more_cards_do_what_fewer_do(words: str, less: int) -> None:
    """The open batch is one that the smaller number can share out too."""
    card = words.split()[0].partition("x")[2].upper()
    assert f"LoRA fits on {less} × {card}, margin" in _said(words)


def test_cards_that_nodes_cannot_share_evenly_are_said() -> None:
    note = "Nodes of at most 8 cannot have an even share of 9 GPUs; 8 are looked at."
    assert note in _said("9xl40s Qwen3-1.7B lora")
    assert "even share" not in _said("10xl40s Qwen3-1.7B lora")
    assert counts(9)[-1] == 8
    assert counts(10)[-1] == 10
    assert counts(17)[-1] == 16
    assert counts(256)[-1] == 256


def test_a_batch_that_all_cards_cannot_share_is_answered_for_fewer() -> None:
    said = _said("6xh100 Qwen3-8B batch=128")
    assert "Full training fits on 4 × H100" in said
    assert "A batch of 128 with 8 responses each cannot be shared out over 6 GPUs" in said
    ppo = _said("8xh100 Qwen3-8B ppo batch=127")
    assert "A batch of 127 cannot be shared out over 2, 4, 8 GPUs" in ppo
    assert "LoRA fits on 1 × H100" in ppo
    assert "cannot be shared out" not in _said("6xh100 Qwen3-8B")
