from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "no-launch"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        "if [ -d /data ]; then\n" + verl() + "fi\n",
        "ray job submit -- " + verl(),
        "python3 train.py --lr 1e-6\n",
        "bash other.sh\n",
        'if [ "$#" -lt 2 ]; then\n  echo "two arguments"; exit 1\nfi\n' + verl(),
        'echo "unclosed\n',
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script", ["", "\n\n", "# to be written\n", "#!/bin/bash\nset -x\nX=1\nexport Y=2\necho $X\n"]
)
def test_a_script_that_starts_nothing(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    "script",
    [
        "python3 train.py --lr 1e-6\n",
        "cd out\nbash other.sh\nmake\nmake\ntrue\n",
        'echo "not yet"; exit 1\n' + verl(),
    ],
)
def test_unknown_programs_are_something_unchecked(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
