"""How many requests a check and a command may take."""

from __future__ import annotations

import pytest

from benchmarks.github_requests import TREE, measure, measure_commands


@pytest.mark.process
@pytest.mark.parametrize(("base", "more"), [({}, 0), (TREE, 1)])
def test_a_check_and_commands_stay_below_their_bounds(base: dict[str, str], more: int) -> None:
    """`more`: the files of the repository's own configuration."""
    measured = measure(base, "", ("no script", "one script"))
    total = {name: sum(both) for name, both in measured.items()}
    assert total["no script"] == 1
    assert total["one script"] <= 5 + more
    assert total["again"] <= 3 + more
    commands = {name: sum(both) for name, both in measure_commands(base, "").items()}
    assert commands["/verify, nothing new"] <= 5 + more
    # What is read early comes with the repository's own configuration.
    assert max(commands.values()) <= 8
    assert commands["/verify, new commit by the author"] <= 7
