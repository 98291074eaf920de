from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "suppression"


@pytest.mark.parametrize(
    "comment",
    [
        "# rlbot: ignore[RLB026] the cluster overrides it",
        "# rlbot: ignore[duplicate-key, rlb041]: two rules, in any case",
        "# 44√ 45× # rlbot: ignore[trial-log] the last run was lucky",
        "# rlbot: see the guide for what is checked",
        "# rlbot ignores nothing here",
        "# the tool rlbot: ignore [sic]",
    ],
)
def test_stays_silent(comment: str) -> None:
    assert quiet(SLUG, verl(before=f"{comment}\nbatch=8"))


def test_text_that_is_no_comment_is_none() -> None:
    assert quiet(SLUG, verl("trainer.experiment_name='# rlbot: ignore[RLB026]'"))
    assert quiet(SLUG, verl(before="cat <<EOF\n# rlbot: ignore[RLB026]\nEOF"))


@pytest.mark.parametrize(
    "comment",
    [
        "# rlbot: ignore[RLB026]",
        "# rlbot: ignore[RLB026] --",
        "# rlbot: ignore",
        "# rlbot: ignore[] nothing is named",
        "# rlbot: ignore RLB026 the brackets are missing",
        "# rlbot: ignore[RLB026, duplicate-keys, colour] two of these are none",
        "# rlbot: ingore[RLB026] misspelt",
        "# rlbot: disable[RLB026] the word of another tool",
    ],
)
def test_says_what_is_wrong(comment: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(before=f"{comment}\nbatch=8")) == snapshot


def test_too_many_are_told(snapshot: SnapshotAssertion) -> None:
    many = "# rlbot: ignore[RLB026] again\n" * 300
    assert marked(SLUG, verl(before=f"{many}batch=8")) == snapshot
