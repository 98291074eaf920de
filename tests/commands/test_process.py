"""The installed command as a process: its status, its streams and its limits.

What a command prints and decides is tested in process; here stands what only a process shows.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import RLBOT, ROOT, rlbot, rlbot_process
from tests.commands.test_bad_input import BAD

GOOD = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("--help",),
        ("lint", "--help"),
        ("no-such-command",),
        ("lint", GOOD),
        ("lint", GOOD, "--format", "json"),
        ("lint", "no-such-file.sh"),
        ("verify", GOOD, "--offline"),
        ("rule", "RLB020"),
    ],
    ids=" ".join,
)
def test_a_process_does_what_the_call_in_process_does(arguments: tuple[str, ...]) -> None:
    assert rlbot_process(*arguments) == rlbot(*arguments)


@pytest.mark.parametrize("variable", ["LANG", "LC_ALL"])
@pytest.mark.parametrize("value", ["C", "POSIX", "no_SUCH.encoding"])
def test_output_is_utf8_wherever_it_goes(variable: str, value: str) -> None:
    arguments = ("lint", "-", "--stdin-filename", "测试.sh", "--format", "json")
    script = "echo √ 显存\n".encode()
    plain = rlbot_process(*arguments, stdin=script)
    assert "测试.sh" in plain.out
    assert rlbot_process(*arguments, stdin=script, environment={variable: value}) == plain


def test_all_bad_scripts_at_once_stay_within_the_limits(tmp_path: Path) -> None:
    """Address space and processor time are bounded by the system here."""
    for name, content in BAD.items():
        (tmp_path / f"{name.replace(' ', '_')}.sh").write_bytes(content)
    result = rlbot_process("lint", ".", "--select", "RLB001,RLB002", cwd=tmp_path)
    assert (result.status, result.err) == (1, "")
    assert result.out.splitlines()[-1].startswith(f"{len(BAD)} scripts: ")


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        ["sh", "-c", f"{RLBOT} rule RLB020 | head -n 1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
