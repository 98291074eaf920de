from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import lines, openrlhf, verl
from tests.rules.helpers import marked, quiet

SLUG = "missing-setting"
BASE = ("algorithm.adv_estimator=grpo", "actor_rollout_ref.actor.use_dynamic_bsz=True")


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        lines(*BASE, "$SETTINGS"),
        lines(*BASE, '"$@"', "actor_rollout_ref.rollout.name=vllm"),
        "# verl: 0.4.1\n" + lines(*BASE),  # it had a default then
        openrlhf(),
        openrlhf(without=("--reward.model_name_or_path",)).replace(
            "--train.colocate_all", "--train.colocate_all --reward.remote_url http://127.0.0.1:5000"
        ),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        lines(*BASE),
        "# verl: 0.9.1\n" + lines(*BASE),
        openrlhf(without=("--data.prompt_dataset",)),
        openrlhf(without=("--reward.model_name_or_path",)),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
