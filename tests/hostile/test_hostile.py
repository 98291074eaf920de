"""Nothing that arrives takes long, takes much, or ends in a fault."""

from __future__ import annotations

import pytest

from bot.base.isolated import IsolationLimits, isolated
from tests.hostile.inputs import INPUTS
from tests.hostile.reading import read_all

LIMITS = IsolationLimits(processor=8, memory=1 << 29)
"""Far above the two seconds that the slowest takes: a busy machine's are longer."""


@pytest.mark.parametrize("kind", INPUTS)
def test_every_input_is_read_within_the_limits(kind: str) -> None:
    begun: list[int] = []
    inputs = [(kind, name, text.encode("utf-8")) for name, text in INPUTS[kind].items()]
    isolated(read_all, (inputs,), functions={"note": begun.append}, limits=LIMITS)
    assert len(begun) == len(inputs)
