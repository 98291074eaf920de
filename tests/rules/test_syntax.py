from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "syntax"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        "",
        "# only a comment\n",
        verl(before='#!/usr/bin/env bash\nset -xeuo pipefail\nexport A="1"'),
        verl(end=' "$@"'),
        verl(end=" \\"),
        "train_files=\"['$HOME/a.parquet']\"\n" + verl("data.train_files=$train_files"),
        'if [ -z "$X" ]; then\n  X=1\nfi\ncase $X in 1) Y=2 ;; *) Y=3 ;; esac\n' + verl(),
        "cat <<'EOF'\nif then (\nEOF\n" + verl(),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl('trainer.experiment_name="first'),
        "if true; then\n" + verl(),
        "x=$(date\n",
        "for i in 1 2; do echo $i\n",
        verl() + "fi\n",
        "(echo a\n",
        "MODEL=<PATH_TO_MODEL>\n" + verl(),
        verl("trainer.default_local_dir=<DIR>"),
        # 1FirstWave1/ascend_verl, in its copy of Megatron-LM.
        "CHECKPOINT=<Path to checkpoint (e.g /345m)>\n",
        "TEST_FILE=<PATH_OF_DATA> \\\n        (e.g., /testseen.txt)\n",
        "TEST_FILE=<PATH_OF_DATA>.txt\necho (\n",
    ],
)
def test_says_what_bash_refuses(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_bytes_that_are_not_text(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, b"echo \xff\xfe\n") == snapshot


def test_a_bound_is_something_unchecked(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, "echo " + "$(" * 200 + "true" + ")" * 200 + "\n") == snapshot
