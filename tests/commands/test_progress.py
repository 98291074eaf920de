from __future__ import annotations

import io
import json
from pathlib import Path

from bot.commands.terminal import ProgressLine
from tests.command import rlbot


class Terminal(io.StringIO):
    """A stream that somebody looks at."""

    def isatty(self) -> bool:
        return True


def shown_after(stream: io.StringIO, seconds: float) -> str:
    times = iter([0.0, 1.0, seconds])
    line = ProgressLine(2.0, stream, lambda: next(times))
    line.show("reading script 1: a.sh")
    line.show("reading script 2: b\x1b[31m.sh")
    line.clear()
    return stream.getvalue()


def test_what_takes_long_says_how_far_it_is_and_leaves_nothing() -> None:
    shown = shown_after(Terminal(), 2.5)
    assert "reading script 2: b" in shown
    assert "\x1b[31m" not in shown
    assert shown.endswith("\r\x1b[K")


def test_what_is_fast_says_nothing() -> None:
    assert shown_after(Terminal(), 1.9) == ""


def test_what_is_no_terminal_gets_nothing() -> None:
    assert shown_after(io.StringIO(), 100.0) == ""


def test_a_path_that_cannot_be_read_does_not_cost_the_others_their_results(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "run.sh").write_text("python3 -m verl.trainer.main_ppo\n", encoding="utf-8")
    (tmp_path / "two").mkdir()
    result = rlbot("lint", "one", "two", "three.sh", "--format", "json", cwd=tmp_path)
    report = json.loads(result.out)
    assert [script["path"] for script in report["scripts"]] == ["one/run.sh"]
    folder, missing = (item["reason"] for item in report["unchecked"])
    assert folder.startswith("The folder two holds no script (*.sh, *.bash, *.slurm, ")
    assert missing == "three.sh does not exist."
    assert rlbot("lint", "two", cwd=tmp_path).status == 2


def test_a_framework_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("python3 -m verl.trainer.main_ppo\n", encoding="utf-8")
    result = rlbot("lint", "run.sh", "--against", "vrl@0.4.1", cwd=tmp_path)
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "rlbot: vrl is no framework that is known: use one of verl, openrlhf, trl, open-instruct.\n"
    )
