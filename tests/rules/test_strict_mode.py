from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, marked, quiet

SLUG = "strict-mode"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(before="set -x\ncd /tmp\nexport A=1"),
        verl(before="ray stop --force"),
        verl(before="set -e\npip install verl"),
        verl(before="set -xeuo pipefail\npip install verl"),
        verl(before="set -o errexit\npip install verl"),
        # OuXianHao/EasyR1-video-opd.
        verl(before="set -Eeuo pipefail\npip install verl"),
        verl(before="set -eE -uT\npip install verl"),
        verl(before="set -TBe\npip install verl"),
        "#!/bin/bash -Ee\n" + verl(before="pip install verl"),
        # ali-vosoughi/VerifyGRPO-Rad.
        verl(before="python3 -c 'import verl' || { echo BROKEN; exit 2; }"),
        verl(before="pip install verl || exit 2"),
        verl(before="if python3 -c 'import verl'; then echo there; fi"),
        verl(before="if ! pip install verl; then exit 2; fi"),
        verl(before="until curl -s localhost; do sleep 1; done"),
        "python3 prepare.py && " + verl(),
        "#!/bin/bash -ex\n" + verl(before="pip install verl"),
        verl() + "python3 report.py\n",  # after the launch
        "pip install verl\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(before="pip install verl"),
        verl(before="set -Euo pipefail\npip install verl"),
        verl(before="cd /data && git pull"),
        verl(before="if python3 -c 'import verl'; then pip install vllm; fi"),
        verl(before="set -x\n\nhuggingface-cli download Qwen/Qwen2.5-7B-Instruct"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_the_fix_stands_below_the_first_comments() -> None:
    script = verl(before="#!/usr/bin/env bash\n# A note.\npip install verl")
    assert fixed(SLUG, script) == script.replace("# A note.\n", "# A note.\nset -e\n")
