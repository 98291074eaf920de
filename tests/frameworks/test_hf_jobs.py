"""What the jobs of Hugging Face's `hf jobs` run on."""

from __future__ import annotations

import pytest

from bot.frameworks import plans
from bot.frameworks.launchers.hf_jobs import card_of_jobs
from bot.frameworks.plan import Plan
from bot.shell import read

SFT = "trl sft --model_name_or_path Qwen/Qwen3-4B"


def planned(text: str) -> list[Plan]:
    return list(plans(read(text.encode(), "run.sh")))


@pytest.mark.parametrize(
    ("flavor", "card", "gpus"),
    [
        ("t4-small", "t4", 1),
        ("l4x4", "l4", 4),
        ("l40sx1", "l40s", 1),
        ("a10g-largex2", "a10g", 2),
        ("a100-large", "a100-80gb", 1),
        ("a100x8", "a100-80gb", 8),
        ("h200", "h200", 1),
        ("rtx-pro-6000x2", "rtx-pro-6000", 2),
        ("cpu-upgrade", None, None),
        ("$FLAVOR", None, None),
        ("l4x", None, None),
        ("", None, None),
    ],
)
def test_a_flavor_is_a_card_and_a_number(flavor: str, card: str | None, gpus: int | None) -> None:
    (plan,) = planned(f'hf jobs run --flavor "{flavor}" huggingface/trl {SFT}\n')
    assert card_of_jobs([plan]) == card
    assert plan.gpus.value == plan.gpus_per_node.value == gpus


def test_what_the_program_takes_of_several_cards() -> None:
    job = "hf jobs run --flavor l4x4 huggingface/trl"
    (told,) = planned(f"{job} accelerate launch --num_processes 2 -m trl.scripts.sft\n")
    assert told.gpus.value == 2
    (alone,) = planned(f"{job} python -m trl.scripts.sft\n")
    assert alone.gpus.value is None
    (one,) = planned("hf jobs run --flavor=l4x1 huggingface/trl python -m trl.scripts.sft\n")
    assert one.gpus.value == 1


def test_a_flavor_of_anything_else_is_none() -> None:
    (plan,) = planned(f"docker run --flavor l4x4 huggingface/trl {SFT}\n")
    assert card_of_jobs([plan]) is None
    assert plan.gpus.value is None


def test_jobs_that_ask_for_two_cards_ask_for_none() -> None:
    both = planned("".join(f"hf jobs run --flavor {f} image {SFT}\n" for f in ("l4x1", "h200")))
    assert len(both) == 2
    assert card_of_jobs(both) is None
