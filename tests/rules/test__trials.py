from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules._trials import Trial, largest_passing, outcome, read_trials

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
