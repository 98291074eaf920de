"""A version of a script is read once for all series, as it is within one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.bisect import candidates
from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.rules._support.base import RuleContext


@pytest.fixture(scope="package", autouse=True)
def _versions_read_once() -> Iterator[None]:
    known: dict[tuple[ScriptFile, str], RuleContext] = {}

    def read(script: ScriptFile, options: CheckOptions) -> RuleContext:
        key = script, repr(options)
        if key not in known:
            known[key] = read_script(script, options)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "read_script", read)
        yield
