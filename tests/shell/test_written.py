"""Scripts that a script writes, and texts that it types into terminals."""

from __future__ import annotations

import pytest

from bot.shell import read
from bot.shell.words import Reading


def reading(text: str) -> Reading:
    return read(text.encode(), "run.sh")


def ran(result: Reading) -> list[list[str]]:
    """The arguments of each `cmd`."""
    words = [[word.text for word in command.argv] for command in result.commands]
    return [argv[1:] for argv in words if argv[0] == "cmd"]


@pytest.mark.parametrize(
    "text",
    [
        "bash x.sh",
        "cat > x.sh <<EOF\ncmd a\nEOF\n",
        "cat > x.sh <<EOF\ncmd a\nEOF\ncd sub; bash x.sh",
        "cat > x.sh <<EOF\ncmd a\nEOF\nsed -i s/a/b/ x.sh; bash x.sh",
        "cat > x.sh <<EOF\ncmd a\nEOF\nmake > x.sh; bash x.sh",
        "cat > x.sh <<EOF\ncmd a\nEOF\nrm x.sh; ./x.sh",
        "cat > x.sh <<EOF\ncmd a\nEOF\n./x.sh",  # Its first line names no shell.
        "echo 'cmd a' >> x.sh; bash x.sh",  # What it held before is not known.
        "cat > x.sh <<EOF\n$RUN cmd a\nEOF\nbash x.sh",
        "A=$(mktemp)\nB=$(mktemp)\ncat > $A <<EOF\ncmd a\nEOF\nbash $B",
        "cat > /dev/null <<EOF\ncmd a\nEOF\nbash /dev/null",
        "sbatch --wait job.sh",
    ],
)
def test_what_is_not_known_is_not_run(text: str) -> None:
    assert ran(reading(text)) == []


JOB = "#!/bin/bash\n#SBATCH -N 1\ncmd $X \\$1"


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        (f"cat > job.sh <<EOF\n{JOB}\nEOF\nsbatch -p gpu job.sh 5", [["2", "5"]]),
        (f"cat <<EOF > $D/job.sh\n{JOB}\nEOF\nchmod +x $D/job.sh; $D/job.sh 6", [["2", "6"]]),
        (f"cat <<EOF | tee job.sh\n{JOB}\nEOF\nsbatch ./job.sh a", [["2", "a"]]),
        ("T=$(mktemp)\ncat > $T <<EOF\ncmd $X\nEOF\nbash $T", [["2"]]),
        ("cat > x.sh <<EOF\ncmd 1\nbash x.sh\nEOF\nbash x.sh", [["1"]] * 8),  # Files in files.
    ],
)
def test_a_script_that_is_written_is_run(text: str, inner: list[list[str]]) -> None:
    result = reading(f"X=2\n{text}\n")
    assert result.problems == ()
    assert ran(result) == inner


def test_a_word_of_a_written_script_has_its_place_in_the_script_that_writes_it() -> None:
    text = "LR=1e-6\ncat > x.sh <<EOF\ncmd lr=$LR a=b\nEOF\nbash x.sh\n"
    command = reading(text).commands[-1]
    assert [text[w.span.start : w.span.end] for w in command.argv[2:]] == ["a=b"]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("tmux attach -t 0; tmux ls; tmux; screen -r t; screen", []),
        ("tmux send-keys -t 0 'cmd half'", []),  # Nobody presses the key.
        ("tmux send-keys -t 0 C-c; tmux send -t 0 -l foo", []),
        ("tmux send-keys -t 0 $COMMAND C-m", []),
        ("tmux send-keys -t 0 'cd /a' C-m 'cmd b' Enter", [["b"]]),
        ('tmux send-keys -t 0 "cmd $X $Y" C-m', [["1", "2"]]),
        ("tmux send -t 0 'export A=3' C-m; tmux send -t 0 'cmd $A $X' ENTER", [["3", "1"]]),
        ("tmux new-session -d -s a 'cmd b | tee log'", [["b"]]),
        ("tmux new -d -s a \\; neww -n b 'cmd c' \\; splitw -h -p 50 cmd d e", [["c"], ["d", "e"]]),
        ("tmux new -d -s a\ntmux send-keys -t a 'bash -c \"cmd a\"' C-m", [["a"]]),
        ("screen -dmS a bash -c 'cmd b'", [["b"]]),
        ("screen -S a -X stuff $'cmd b\\n'; screen -S a -X stuff \"cmd $Y^M\"", [["b"], ["2"]]),
        ("screen -S a -X stuff 'cmd b'; screen -S a -X quit", []),
    ],
)
def test_texts_for_terminals(text: str, inner: list[list[str]]) -> None:
    result = reading(f"export X=1; Y=2\n{text}\n")
    assert result.problems == ()
    assert ran(result) == inner


def test_a_variable_of_the_terminals_own_is_no_mistake() -> None:
    (words,) = ran(reading("Y=2\ntmux send-keys -t 0 'cmd $Y $Z' C-m\n"))
    assert words == ["${?set by source ~/.bashrc}"] * 2


def test_terminals_have_their_own_variables() -> None:
    text = "tmux send -t a 'A=1' C-m\ntmux send -t b 'A=2' C-m\ntmux send -t a 'cmd $A' C-m\n"
    assert ran(reading(text)) == [["1"]]
