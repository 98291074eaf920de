"""The comment of a big pull request: every script in it, below the limit, cuts said."""

from __future__ import annotations

import re

import pytest

from benchmarks.big_comment import SCRIPTS, answer, report
from bot.github.answer import BODY_LIMIT, mark_of


@pytest.mark.slow
def test_forty_scripts_with_five_hundred_findings() -> None:
    made = report()
    assert len(made.scripts) == SCRIPTS == 40
    assert sum(len(script.findings) for script in made.scripts) >= 500
    body = answer().body
    assert len(body) <= BODY_LIMIT
    assert mark_of(body)
    for number in range(SCRIPTS):
        assert f"_{number:02}.sh`" in body
    assert body.startswith("**Not ready: ")
    # What is to do stays, whatever has to go; it is said once of all scripts that have it.
    assert not [line for line in body.split("\n") if re.match("Left out .* to do", line)]
    assert body.count("there is no data.train") == 1
    assert "**To do**" in body
    assert body.index("**To do**") < body.index("<details>")
