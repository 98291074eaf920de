from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.rules._support.example import lines, verl
from tests.rules.helpers import found, marked, quiet

SLUG = "duplicate-key"


@pytest.mark.parametrize(
    "script",
    [
        lines("trainer.nnodes=1", "trainer.n_gpus_per_node=8"),
        lines("trainer.nnodes=1") + lines("trainer.nnodes=2"),
        lines("'~trainer.nnodes'", "+trainer.nnodes=2"),
        'if [ -n "$A" ]; then X=1; else X=2; fi\n' + lines("trainer.nnodes=$X"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_another_value_is_a_warning(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, lines("trainer.nnodes=1", "trainer.nnodes=2")) == snapshot


def test_the_same_value_is_a_note(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, lines("trainer.nnodes=1", "trainer.nnodes=1")) == snapshot


def test_the_same_value_written_differently_is_a_note(snapshot: SnapshotAssertion) -> None:
    script = verl("data.shuffle=True", "data.shuffle=$x", before="x=true")
    assert marked(SLUG, script) == snapshot


def test_unknown_values_are_compared_as_text(snapshot: SnapshotAssertion) -> None:
    script = lines("trainer.nnodes=$NODES", "trainer.nnodes=$NODES", "trainer.nnodes=$OTHER")
    assert marked(SLUG, script) == snapshot


def test_names_the_line_of_the_one_before(snapshot: SnapshotAssertion) -> None:
    script = lines("trainer.nnodes=1", "trainer.nnodes=2", "trainer.nnodes=3")
    assert marked(SLUG, script) == snapshot


def test_rounds_of_a_loop_are_one_finding() -> None:
    """PedroMLF/Reward-Hacking-in-Explanations: nine rounds, of which each has another name."""
    launch = lines("trainer.experiment_name=a-$i", "trainer.experiment_name=b-$i")
    (finding,) = found(SLUG, f"for i in 1 2 3; do\n{launch}done\n")
    assert finding.message.startswith("trainer.experiment_name is set twice: to a-1 at line ")


def test_what_a_called_script_is_given_is_meant_to_win() -> None:
    """verl-project/verl-omni: a benchmark runs an example with other settings."""
    inner = lines("trainer.nnodes=1", end=' "$@"').encode()
    files = {"run.sh": inner, "more.sh": b'bash run.sh trainer.nnodes=2 "$@"\n'}
    for script in ("bash run.sh trainer.nnodes=2\n", "bash more.sh trainer.nnodes=3\n"):
        options = CheckOptions(files=files.get, select=["RLB026"])
        given = ScriptFile(path="a.sh", data=script.encode(), tree_path="a.sh")
        report = check_script(given, options)
        assert len(report.launches) == 1
        assert report.findings == ()
