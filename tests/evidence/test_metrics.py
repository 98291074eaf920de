"""Names of metrics are data: unique, and found under any of them."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from bot.evidence import metrics
from bot.evidence.metrics import ALLOCATED, EACH_STEP, EVIDENCE, GLOBAL_STEP, RESERVED, highest
from tests.evidence.samples import series

GROUPS: Final = [value for value in vars(metrics).values() if isinstance(value, tuple)]


def test_no_name_means_two_things() -> None:
    names = Counter(name for group in GROUPS for name in group)
    assert set(names) == EVIDENCE | {*EACH_STEP}
    assert set(names.values()) == {1}


@pytest.mark.parametrize("name", RESERVED + ALLOCATED + GLOBAL_STEP)
def test_each_name_is_found(name: str) -> None:
    (group,) = [group for group in GROUPS if name in group]
    history = {name: series(name, 3.0), "loss": series("loss", 9.0)}
    assert highest(history, group) == history[name]


def test_the_highest_of_several_roles_counts_and_none_is_none() -> None:
    history = {name: series(name, float(n)) for n, name in enumerate(RESERVED)}
    assert highest(history, RESERVED) == history[RESERVED[-1]]
    assert highest({}, RESERVED) is None
