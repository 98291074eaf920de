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


def test_a_reader_that_goes_away_ends_a_command_in_silence() -> None:
    done = _shell(f"set -o pipefail; {RLBOT} rule RLB020 | true")
    assert (done.returncode, done.stderr) == (141, "")


STREAMS = {
    "full": (">/dev/full", 2, "rlbot: The result could not be printed: no space left on device.\n"),
    "closed": (">&-", 2, "rlbot: The result could not be printed: bad file descriptor.\n"),
}


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize(
    "command",
    ["--version", "lint - --format sarif", "lint - --fix"],
)
def test_output_that_cannot_be_written_is_an_error_of_one_sentence(
    command: str, stream: str
) -> None:
    redirection, status, notice = STREAMS[stream]
    from_stdin = f" --stdin-filename a.sh <{GOOD}" if " - " in f"{command} " else ""
    done = _shell(f"{RLBOT} {command}{from_stdin} {redirection}")
    assert (done.returncode, done.stderr) == (status, notice)


def test_nothing_is_said_where_nobody_reads() -> None:
    for redirection in ("2>&-", "2>/dev/full", "<&- >/dev/null 2>&-"):
        done = _shell(f"{RLBOT} lint no-such-file.sh {redirection}")
        assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_closed_standard_input_is_an_error_of_one_sentence() -> None:
    done = _shell(f"{RLBOT} lint - --stdin-filename a.sh <&-")
    assert done.returncode == 2
    assert done.stderr == "rlbot: Standard input cannot be read: bad file descriptor.\n"


def test_a_file_that_is_opened_takes_no_closed_stream(tmp_path: Path) -> None:
    script = tmp_path / "a.sh"
    script.write_bytes((ROOT / GOOD).read_bytes())
    _shell(f"cd {tmp_path} && {RLBOT} lint --fix a.sh <&- >&- 2>&-")
    assert [path.name for path in tmp_path.iterdir()] == ["a.sh"]
    assert b"rlbot:" not in script.read_bytes()


def _shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False
    )
