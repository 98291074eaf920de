from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, found, marked, quiet

SLUG = "shebang"


@pytest.mark.parametrize(
    "script",
    [
        "#!/usr/bin/env bash\n" + verl(),
        "#!/bin/bash\nA=(1)\n" + verl(),
        "#!/bin/sh\nA=1 # not [[ here ]]\n" + verl(),
        "",
        "# only a comment\n",
        "#!/bin/bash\n#SBATCH --nodes=2\n" + verl(),
        "#SBATCH --nodes=2\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(before="# Copyright"),
        verl(before="# !/bin/bash\n#SBATCH --nodes=2"),
        "#!/bin/sh\nset -x\n\nARGS=(a b)\n" + verl(),
        "#!/usr/bin/env sh\nif [[ -n $A ]]; then B=1; fi\n" + verl(),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_lines_of_a_job_file_that_is_written_are_not_the_script_s() -> None:
    job = (
        f"cat <<EOF > job.sbatch\n#!/bin/bash\n#SBATCH --nodes=2\n{verl()}EOF\nsbatch job.sbatch\n"
    )
    (finding,) = found(SLUG, job)
    assert (finding.severity, finding.message) == (
        "note",
        "the first line does not say which shell runs the script",
    )
    assert quiet(SLUG, f"#!/bin/bash\n{job}")
    (finding,) = found(SLUG, f"#SBATCH --nodes=1\n{job}")
    assert finding.severity == "warning"


def test_the_fix_writes_the_first_line() -> None:
    assert fixed(SLUG, verl()) == "#!/usr/bin/env bash\n" + verl()
    assert fixed(SLUG, "#!/bin/sh\nA=(1)\n" + verl()).startswith("#!/usr/bin/env bash\nA=")
