"""Threads that read and write our types at once do not disturb each other."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import make_dataclass

import pytest

from bot.base.adapters import adapter_of
from bot.base.config import Config
from bot.evidence.literals import literal


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns whenever memory is collected, and that is often."""

    def turn(_phase: str, _about: dict[str, int]) -> None:
        time.sleep(0.0001)

    before = gc.get_threshold()
    gc.set_threshold(50)
    gc.callbacks.append(turn)
    yield
    gc.callbacks.remove(turn)
    gc.set_threshold(*before)


@pytest.mark.slow
@pytest.mark.usefixtures("restless")
def test_sixteen_threads_parse_and_make_adapters_at_once() -> None:
    printed = str({"a": [{"b": (1, 2.5, None)}] * 40})

    def act(number: int) -> bool:
        own = make_dataclass(f"Own{number}", [("size", int)])
        assert adapter_of(own).dump_python(own(number)) == {"size": number}
        adapter_of(Config)
        return literal(printed, 100_000) == {"a": [{"b": [1, 2.5, None]}] * 40}

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(act, range(100)))


def test_an_adapter_is_made_once() -> None:
    assert adapter_of(Config) is adapter_of(Config)
