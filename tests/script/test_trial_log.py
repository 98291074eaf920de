from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.frameworks import plans
from bot.script.trial_log import Trial, largest_passing, outcome, read_trials, tried_batches
from bot.shell import read

trials = st.lists(
    st.builds(Trial, value=st.integers(0, 999), passed=st.booleans()), min_size=2, max_size=9
)


@pytest.mark.parametrize(
    "comment",
    [
        "#",
        "# 32",
        "# 32 GPUs",
        "# 8x",
        "# 8x H100, 4x A100",
        "# 2x, 4x, 8x",
        "# 0.5√ → 0.6×",
        "# v0.8√",
        "# 45 ok for us",
        "# 3×3 kernels",
        "# 2×4×8",
        "# see 1000oms",
    ],
)
def test_other_comments_are_no_logs(comment: str) -> None:
    assert read_trials(comment) == ()


@pytest.mark.parametrize(
    "comment",
    [
        "# 32√ → 64×",
        "#32✓,64✗",
        "# batch: 32 ok; 64 oom",
        "# 32 (ok) -> 64 (OOM)",
        "# 32: pass | 64: fail",
        "# 32√ 64x (H100, 2025-05)",
        "# 32 passed, 64 failed",
        "# 32✔ / 64❌",
    ],
)
def test_forms_of_a_log(comment: str) -> None:
    assert read_trials(comment) == (Trial(32, True), Trial(64, False))


def test_one_entry_counts_when_it_is_all_there_is() -> None:
    assert read_trials("# 45×") == (Trial(45, False),)
    assert read_trials("# 45× since May") == ()


@given(trials, st.sampled_from([" → ", ", ", " ", " | ", "; ", " -> "]))
def test_what_is_written_is_read(tried: list[Trial], between: str) -> None:
    text = between.join(f"{t.value}{'√' if t.passed else '×'}" for t in tried)
    assert read_trials(f"# {text}") == tuple(tried)


@given(trials)
def test_the_largest_passing_has_no_failure_below_it(tried: list[Trial]) -> None:
    best = largest_passing(tried)
    failed = [t.value for t in tried if outcome(tried, t.value) is False]
    passed = [t.value for t in tried if outcome(tried, t.value)]
    if best is None:
        assert all(any(f < p for f in failed) for p in passed)
    else:
        assert outcome(tried, best)
        assert all(f > best for f in failed)
        assert all(p <= best or any(f < p for f in failed) for p in passed)


def test_the_last_trial_of_a_value_counts() -> None:
    tried = (Trial(8, False), Trial(8, True))
    assert outcome(tried, 8) is True
    assert outcome(tried, 9) is None
    assert largest_passing(tried) == 8


def batches(script: str) -> list[tuple[int, bool]]:
    reading = read(script.encode(), "a.sh")
    (plan,) = plans(reading)
    return [(trial.value, trial.passed) for trial in tried_batches(reading, plan)]


LAUNCH = "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.ppo_mini_batch_size=8"


@pytest.mark.parametrize(
    "script",
    [
        f"{LAUNCH} data.train_batch_size=64\n",
        f"n=4 # 4√ → 5×\n{LAUNCH} data.train_batch_size=64 trainer.nnodes=$n\n",
        f"n=5 # 4√ → 5×\n{LAUNCH} data.train_batch_size=$((n + 1))\n",
    ],
)
def test_a_log_of_another_value_is_none_of_the_batch(script: str) -> None:
    assert batches(script) == []


def test_a_log_may_name_its_setting() -> None:
    launch = f"{LAUNCH} \\\n  data.train_batch_size=58 \\\n  trainer.nnodes=1\n"
    assert batches(f"# data.train_batch_size: 58√ → 59×\nx=1\n{launch}") == [
        (58, True),
        (59, False),
    ]
    assert batches(f"# data.train_batch_size: 58√\nx=1\n{launch}") == [(58, True)]
    assert batches(f"# data.other_size: 58√ → 59×\nx=1\n{launch}") == []
    assert batches(f"# data.train_batch_size: 58\nx=1\n{launch}") == []
    assert batches(f"# data.train_batch_size is 58√ → 59×\nx=1\n{launch}") == []


def test_a_log_of_the_batch_per_gpu_is_scaled_to_all_gpus() -> None:
    script = f"n=44 # 40√ → 44√ → 45×\n{LAUNCH} data.train_batch_size=$((n * 4))\n"
    assert batches(script) == [(160, True), (176, True), (180, False)]
    beside = f"{LAUNCH} \\\n  data.train_batch_size=58 # 58√ 59×\n"
    assert batches(beside) == [(58, True), (59, False)]
