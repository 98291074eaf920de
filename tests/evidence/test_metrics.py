"""Names of metrics are data: unique, with a unit and a source, and found under any of them."""

from __future__ import annotations

import pytest

from bot.evidence.metrics import ALLOCATED, GLOBAL_STEP, GROUPS, RESERVED, Alias, highest
from tests.evidence.samples import series


def test_no_name_means_two_things() -> None:
    keys = [alias.key for group in GROUPS for alias in group]
    assert len(keys) == len(set(keys))
    assert all(alias.source for group in GROUPS for alias in group)
    assert all(len({alias.unit for alias in group}) == 1 for group in GROUPS)


@pytest.mark.parametrize("alias", RESERVED + ALLOCATED + GLOBAL_STEP)
def test_each_name_is_found(alias: Alias) -> None:
    (group,) = [group for group in GROUPS if alias in group]
    history = {alias.key: series(alias.key, 3.0), "loss": series("loss", 9.0)}
    assert highest(history, group) == history[alias.key]


def test_the_highest_of_several_roles_counts_and_none_is_none() -> None:
    history = {alias.key: series(alias.key, float(n)) for n, alias in enumerate(RESERVED)}
    assert highest(history, RESERVED) == history[RESERVED[-1].key]
    assert highest({}, RESERVED) is None
