from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import PATH, marked, quiet

SLUG = "name-adapter"
LORA = PATH.replace("grpo", "grpo-lora")
RANK = "actor_rollout_ref.model.lora_rank"


@pytest.mark.parametrize(
    ("script", "path"),
    [
        (verl(), PATH),
        (verl(f"{RANK}=0"), PATH),
        (verl(f"{RANK}=32"), LORA),
        (verl(f"{RANK}=$RANK"), PATH),
        (verl(f"{RANK}=$RANK"), LORA),
        (verl(f"{RANK}=$rank", before="rank=${LORA_RANK:-64}"), LORA),
        (verl(f"{RANK}=32"), "scripts/run_qwen3_8b_fsdp.sh"),
    ],
)
def test_stays_silent(script: str, path: str) -> None:
    assert quiet(SLUG, script, path)


def test_lora_without_the_suffix(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{RANK}=32")) == snapshot


def test_the_suffix_without_lora(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{RANK}=0"), LORA) == snapshot


def test_the_suffix_with_verls_default(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(), LORA) == snapshot
