"""Other files of the tree: what is sourced, run and read, and what stays unknown without them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from bot.shell import Invocation, ShellLimits, read
from bot.shell.words import Hole, Reading
from tests.shell.judge import Call, Judge, Script, bash_version, verdict
from tests.shell.trees import TREES


def reading(text: str, path: str = "run.sh", **files: str) -> Reading:
    """A script called by nobody knows whom; `__` in a name of a file stands for a slash."""
    given = {name.replace("__", "/") + ".sh": data.encode() for name, data in files.items()}
    return read(text.encode(), path, files=given.get)


def argv(result: Reading) -> list[list[str]]:
    return [[word.text for word in command.argv] for command in result.commands]


def _script(name: str) -> Script:
    path, files = TREES[name]
    return Script(files[path], files=files, path=path, folder=name.replace(" ", "-"))


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge") / "all")


@pytest.fixture(scope="module")
def calls(judge: Judge) -> dict[str, list[Call]]:
    return dict(zip(TREES, judge.run([_script(name) for name in TREES]), strict=True))


def _files(name: str) -> Callable[[str], bytes | None]:
    files = {path: text.encode() for path, text in TREES[name][1].items()}
    return files.get


@pytest.mark.process
@pytest.mark.skipif(bash_version() < (5, 2), reason="bash 5.2 or newer is the judge")
@pytest.mark.parametrize("name", TREES)
def test_tree(name: str, judge: Judge, calls: dict[str, list[Call]]) -> None:
    script = _script(name)
    environment = judge.environment(script)
    result = read(
        script.text.encode(),
        script.path,
        Invocation(environment=environment, arguments=()),
        files=_files(name),
    )
    assert calls[name]
    assert verdict(calls[name], result, environment) == "exact"


@pytest.mark.skipif(bash_version() < (5, 2), reason="bash 5.2 or newer is the judge")
@pytest.mark.parametrize("name", TREES)
def test_tree_called_by_nobody_knows_whom(
    name: str, judge: Judge, calls: dict[str, list[Call]]
) -> None:
    """Nothing is wrong where the environment and the place of the tree are unknown."""
    script = _script(name)
    result = read(script.text.encode(), script.path, files=_files(name))
    found = verdict(calls[name], result, judge.environment(script), ordered=False)
    assert found in ("exact", "hole")


def test_the_folder_of_the_script_is_found_and_not_guessed() -> None:
    text = 'D="$(cd "$(dirname "$0")" && pwd)"\n. "$D/../env.sh"\ncmd $A $D\n'
    assert argv(reading(text, "a/b/run.sh", a__env="A=1")) == [
        ["cmd", "1", "${?PWD}/a/b"],
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('cd "$PBS_O_WORKDIR" || exit $?\nbash a/x.sh\n', True),  # ztlmememe/VERL-NSCC
        ("cd $SLURM_SUBMIT_DIR\nbash a/x.sh\n", True),
        ('cd "${SLURM_SUBMIT_DIR}/a"\nbash ./x.sh\n', True),
        ('bash "$SLURM_SUBMIT_DIR/a/x.sh"\n', True),
        ("cd $SLURM_SUBMIT_DIR/..\nbash a/x.sh\n", False),
        ("SLURM_SUBMIT_DIR=/opt/b\ncd $SLURM_SUBMIT_DIR\nbash a/x.sh\n", False),
        ("cd $SLURM_TMPDIR\nbash a/x.sh\n", False),
    ],
)
def test_a_job_begins_in_the_folder_that_it_was_submitted_from(text: str, *, found: bool) -> None:
    assert (["cmd", "a"] in argv(reading(text, a__x="#!/bin/bash\ncmd a\n"))) is found


def test_a_script_beside_this_one_is_run_by_its_path() -> None:
    text = 'D="$(cd "$(dirname "$0")" && pwd)"\nexec "$D/x.sh" b "$@"\n'
    assert argv(reading(text, "a/run.sh", a__x="#!/bin/bash\ncmd a $1\n"))[-1] == ["cmd", "a", "b"]


def test_pieces_of_another_file_lie_at_the_command_that_brought_them() -> None:
    text = 'X=1\nsource env.sh\ncmd "$A"\nbash other.sh\n'
    result = reading(text, env="B=2\nA=$B-3\n", other="cmd a$((1+1)) b\n")
    word = result.commands[0].argv[1]
    span = word.span_of(0, 1)
    assert word.text == "2-3"
    assert text[span.start : span.end] == "source env.sh"
    assert [piece.via for piece in word.pieces] == [("A", "B"), ("A",)]
    inner = result.commands[-1]
    assert [w.text for w in inner.argv] == ["cmd", "a2", "b"]
    for one in (inner.span, *(w.span for w in inner.argv), *(w.span_of(0, 1) for w in inner.argv)):
        assert text[one.start : one.end] == "bash other.sh"
    literals = [piece for word in inner.argv for piece in word.pieces if piece.literal]
    assert all(text[p.span.start : p.span.end] == p.text for p in literals)


def test_a_problem_of_another_file_names_it() -> None:
    text = "cmd a\nsource env.sh\ncmd b\n"
    result = reading(text, env='A="x\n')
    (problem,) = result.problems
    assert problem.kind == "syntax"
    assert problem.message == "in env.sh: this double quote is never closed"
    assert text[problem.span.start : problem.span.end] == "source env.sh"
    assert argv(result) == [["cmd", "a"], ["cmd", "b"]]


# Files that nobody knows


def test_an_unknown_file_may_set_what_is_not_set() -> None:
    result = reading('A=1; source "$CONF/env.sh"; cmd $A x$B ${N:-8} "${L[@]}" ${#L[@]}')
    assert argv(result)[-1] == [
        "cmd",
        "1",
        "x${?set by source $CONF/env.sh}",
        "8",
        "${?set by source $CONF/env.sh}",
        "${?set by source $CONF/env.sh}",
    ]
    (hole,) = result.commands[-1].argv[2].holes
    assert hole == Hole("unsupported", "set by source $CONF/env.sh", "B")
    assert result.commands[-1].argv[3].pieces[0].default_of == "N"


def test_without_files_nothing_is_known_of_them() -> None:
    environments: tuple[dict[str, str] | None, ...] = (None, {})
    for environment in environments:
        result = read(
            b". ./env.sh; cmd x$A", "run.sh", Invocation(environment=environment, arguments=())
        )
        assert argv(result) == [["cmd", "x${?set by source ./env.sh}"]]
        result = read(
            b"bash other.sh; cmd $(cat v)$(<v)",
            "run.sh",
            Invocation(environment=environment, arguments=()),
        )
        assert argv(result) == [
            ["bash", "other.sh"],
            ["cat", "v"],
            ["cmd", "${?output of cat v}${?output of <v}"],
        ] or argv(result) == [
            ["bash", "other.sh"],
            ["cmd", "${?output of cat v}${?output of <v}"],
        ]


def test_a_variable_that_an_unknown_file_may_set_can_be_demanded() -> None:
    result = read(b". ./env.sh; cmd ${A:?}; cmd b", "run.sh", Invocation(environment={}))
    assert argv(result)[-1] == ["cmd", "b"]


@pytest.mark.parametrize(
    "path", ["../env.sh", "/etc/profile", "a/../../env.sh", "~/env.sh", "$HOME/env.sh", "/env.sh"]
)
def test_nothing_outside_the_tree_is_asked_for(path: str) -> None:
    asked: list[str] = []

    def files(name: str) -> bytes | None:
        asked.append(name)
        return b"A=1"

    for environment in (None, {"PWD": "/srv/tree", "HOME": "/home/u"}):
        text = f"source {path}; cmd x$A $(cat {path}); bash {path}; [ -f {path} ] && cmd b"
        result = read(
            text.encode(), "run.sh", Invocation(environment=environment, arguments=()), files=files
        )
        assert any("${?" in word for words in argv(result) for word in words)
    assert asked == []


def test_what_the_script_writes_is_no_longer_known() -> None:
    writers = ("echo A=2 > v", "cmd >> ./v", "sed -i s/1/2/ v", "cp w v", "echo A=2 | tee v")
    for writer in writers:
        result = read(
            f"{writer}\n. ./v; cmd end $A $(cat v)\n".encode(), "run.sh", files={"v": b"A=1"}.get
        )
        assert "1" not in argv(result)[-1]


def test_a_file_that_is_no_text() -> None:
    for data in (b"A=\xff", b"A=1\0"):
        result = read(b". ./v; cmd $A", "run.sh", files={"v": data}.get)
        assert argv(result) == [["cmd", "${?set by source ./v}"]]


# Bounds


@pytest.mark.parametrize("text", [". ./run.sh", "bash run.sh", "./run.sh"])
def test_a_script_that_includes_itself(text: str) -> None:
    script = f"#!/bin/bash\ncmd a\n{text}\n{text}\ncmd $A\n"
    result = read(script.encode(), "run.sh", files={"run.sh": script.encode()}.get)
    (problem,) = result.problems
    assert problem.kind == "limit"
    assert "the bound files=100 of the reader is reached" in problem.message
    assert ["cmd", "a"] in argv(result)


def test_many_files() -> None:
    text = "".join(f". ./f{n}\n" for n in range(200)) + "cmd $A\n"
    result = read(text.encode(), "run.sh", files=lambda name: b"A=" + name.encode())
    assert [problem.kind for problem in result.problems] == ["limit"]
    assert argv(result) == [["cmd", "f99"]]


def test_a_file_that_sources_itself_often() -> None:
    data = b". ./x.sh\n" * 45 + b'OPTS="$OPTS --a 1"; cmd $OPTS\n' * 20
    start = time.process_time()
    result = read(data, "x.sh", files={"x.sh": data}.get)
    assert time.process_time() - start < 20
    assert {problem.kind for problem in result.problems} == {"limit"}


def test_large_files() -> None:
    files = {"v": b"A=1\n" + b"#" * 600_000, "w": b"B=1\n" + b"#" * 600_000}
    result = read(b". ./v; . ./w; cmd $A x$B", "run.sh", files=files.get)
    (problem,) = result.problems
    assert "the bound bytes=" in problem.message
    assert argv(result) == [["cmd", "1", "x${?set by source ./w}"]]
    result = read(b". ./v; cmd $A", "run.sh", files=files.get, limits=ShellLimits(bytes=1000))
    assert "${?" in argv(result)[0][1]


def test_a_file_that_is_only_looked_for_is_not_read() -> None:
    files = {"data.jsonl": b"{}\n" * 1_000_000, "empty.jsonl": b""}
    text = b"[ -f data.jsonl ] && cmd a; [ -s data.jsonl ] && cmd b; [[ -e empty.jsonl ]] && cmd c"
    result = read(text, "run.sh", files=files.get)
    assert not result.problems
    assert argv(result) == [["cmd", "a"], ["cmd", "b"], ["cmd", "c"]]
    assert not any(command.assumptions for command in result.commands)


def test_files_that_are_looked_for_are_counted() -> None:
    text = "".join(f"[ -f f{n} ] || exit 1\n" for n in range(200)) + "cmd a\n"
    result = read(text.encode(), "run.sh", files=lambda _: b"x")
    (problem,) = result.problems
    assert problem.kind == "limit"
    assert "a file is not looked for" in problem.message


def test_parts_of_all_files_count_together() -> None:
    text = "for i in 1 2 3 4 5; do . ./v; done; cmd a"
    result = read(text.encode(), "run.sh", files={"v": b"x y " * 5_000}.get)
    assert [problem.kind for problem in result.problems] == ["limit"]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("cd nowhere\nbash train.sh", ["nowhere/train.sh"]),
        ("cd sub; bash train.sh; cd nowhere; sh ./train.sh", ["sub/nowhere/train.sh"]),
        ("bash gone.sh; bash gone.sh", ["gone.sh"]),
        ("cd sub; bash train.sh", []),
        ("cat > made.sh <<< 'cmd a'\nbash made.sh", []),
        ("bash $UNKNOWN/train.sh; bash /opt/train.sh; bash -c 'cmd b'", []),
    ],
)
def test_a_script_that_is_not_there_is_reported(text: str, missing: list[str]) -> None:
    result = reading(text, sub__train="cmd a")
    assert [problem.kind for problem in result.problems] == ["unsupported"] * len(missing)
    for problem, path in zip(result.problems, missing, strict=True):
        assert problem.message.endswith(f" is not read: there is no file {path} in the tree")


def test_without_a_tree_no_script_is_missed() -> None:
    assert read(b"bash train.sh", "run.sh").problems == ()


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("srun -N 1 bash -c 'cmd $X'", ["1"]),
        ("srun -N 1 env X=2 bash -c 'cmd $X'", ["2"]),
        (
            'srun --export=ALL,A=b apptainer exec --nv x.sif bash -lc "cd a && cmd $X $Y"',
            ["1", "2"],
        ),
        ("singularity exec --nv x.sif cmd b", None),
        ("nice -n 5 bash -c 'exit 3'; cmd a", ["a"]),
        ("sbatch -N 2 --wrap 'cmd $X'", ["1"]),
        ("sbatch --wrap='cmd $X b'", ["1", "b"]),
        ("sbatch <<EOF\n#!/bin/bash\n#SBATCH -N 2\ncmd $X $Y\nEOF", ["1", "2"]),
        ("sbatch <<'EOF'\ncmd $X\nEOF", ["1"]),
        ("docker run --rm -v a:b image bash -c 'cmd a'", ["a"]),
        ("docker run --rm image bash -c 'cmd $X'", None),  # Of what the image sets.
        ('docker run --rm image bash -c "cmd $X"', ["1"]),
        ("ssh -p 22 -o A=b me@host cmd a '&&' true", ["a"]),
        ("ssh host 'cmd $X'", None),
        ("ssh host bash -s <<'EOF'\ncmd a\nEOF", ["a"]),
        ("ssh host <<'EOF'\ncmd a\nEOF", ["a"]),
        ("ssh host <<'EOF'\ncmd $(hostname)\nEOF", None),
        ("ray job submit --address a -- bash -c 'cmd a'", ["a"]),
        ("uv run bash -c 'cmd a'", ["a"]),
        ('uv run python submit.py -- bash -c \\"cd x \\&\\& cmd a\\"', None),  # It joins them.
        ("bash -s <<< 'cmd a'", ["a"]),
        ("bash -n <<< 'cmd a'", None),
        ('srun bash -c "$UNKNOWN cmd a"', None),
        ("srun bash", None),
        ("ssh; sbatch; docker; srun", None),
        ("ssh -p", None),
        ("sbatch --wrap", None),
    ],
)
def test_what_other_programs_hand_to_a_shell(text: str, inner: list[str] | None) -> None:
    result = read(f"export X=1; Y=2\n{text}\n".encode(), "run.sh")
    assert result.problems == ()
    ran = [words[1:] for words in argv(result) if words[0] == "cmd"]
    assert ran == ([] if inner is None else [inner])


@pytest.mark.parametrize(
    "text",
    [
        "nohup bash x.sh a > log.txt &",
        "stdbuf -oL -eL ./x.sh a 2>&1 | tee log.txt",  # cxcscmu/verl-agent-deepresearch
        "timeout 3h nice -n 5 ./x.sh a",
        "setsid nohup bash x.sh a",
        "srun -N 1 --ntasks=1 bash x.sh a",
        "srun --container-image=a.sqsh ./x.sh a",
        "apptainer exec --nv a.sif bash x.sh a",
        "sudo -E bash x.sh a",
        "uv run --frozen bash x.sh a",
        "conda run -n verl bash ./x.sh a",
        "flock /tmp/lock bash x.sh a",
        "env X=1 ./x.sh a",
        "./x.sh a",
    ],
)
@pytest.mark.parametrize("first", ["#!/usr/bin/env bash\n", "#! /bin/sh\n", ""])
def test_a_script_behind_what_starts_it(text: str, first: str) -> None:
    commands = argv(reading(f"export X=1\n{text}\n", x=f"{first}cmd $X $1\n"))
    assert [words for words in commands if words[0] == "cmd"] == [["cmd", "1", "a"]]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("srun python3 train.py --script ./x.sh", "cmd a"),
        ("docker run --rm image bash x.sh", "cmd a"),  # Of the image.
        ("srun ./x.sh", "#!/usr/bin/env python3\ncmd a"),
        ("nohup ./x.py", "cmd a"),
        ("./gone.sh", "cmd a"),
    ],
)
def test_what_starts_no_script_of_the_tree(text: str, inner: str) -> None:
    assert ["cmd", "a"] not in argv(reading(f"{text}\n", x=inner))


@pytest.mark.parametrize(
    "folder",
    [
        '$(dirname "$(readlink -f "$0")")',
        '$(dirname $(realpath "${BASH_SOURCE[0]}"))',
        '$(cd "$(dirname "$(readlink -e -- "$0")")" && pwd)',
    ],
)
def test_the_folder_of_a_script_by_its_whole_path(folder: str) -> None:
    text = f"D={folder}\nbash $D/../x.sh\n"
    assert argv(reading(text, "a/b/run.sh", a__x="cmd found"))[-1] == ["cmd", "found"]
    (words,) = argv(read(text.encode(), "a/b/run.sh"))
    assert words == ["bash", "${?directory of the script}/../x.sh"]


@pytest.mark.parametrize("text", ["readlink x.sh", "readlink -n $0", "realpath a b", "realpath"])
def test_other_paths_stay_unknown(text: str) -> None:
    (words,) = argv(reading(f"cmd $({text})\n", x="cmd"))
    assert words[1].startswith("${?output of")


@pytest.mark.parametrize(
    ("first", "expected"),
    [("#!/bin/bash\n", ["cmd", "1", "a"]), ("", None), ("#!/bin/cat\n", None)],
)
def test_a_submitted_script_of_the_tree_is_read(first: str, expected: list[str] | None) -> None:
    """Slurm refuses a script whose first line names no interpreter."""
    text = "export X=1\nsbatch -N 2 --time 10 jobs/a.sh a --b"
    commands = argv(reading(text, jobs__a=f"{first}#SBATCH -N 2\ncmd $X $1\n"))
    assert [words for words in commands if words[0] == "cmd"] == ([expected] if expected else [])


def test_a_script_may_be_called_from_a_folder_above_it() -> None:
    """RUC-NLPIR/Tool-Star: each of its projects has a folder, in which its scripts are called."""
    text = "bash scripts/train/a.sh 1\n"
    own = {"p__scripts__train__a": "cmd p $1\n"}
    assert argv(reading(text, "p/scripts/run.sh", **own))[-1] == ["cmd", "p", "1"]
    root = reading(text, "p/scripts/run.sh", scripts__train__a="cmd root\n", **own)
    assert argv(root)[-1] == ["cmd", "root"]
    for script in (f"cd /data\n{text}", "bash a.sh 1\n"):
        assert ["cmd", "p", "1"] not in argv(reading(script, "p/scripts/run.sh", **own))
    back = f'here=$(pwd)\ncd "$here/sub"\ncd "$here"\n{text}'
    assert ["cmd", "p", "1"] in argv(reading(back, "p/scripts/run.sh", **own))
    assert ["cmd", "p", "1"] not in argv(reading(text, "q/scripts/run.sh", **own))


def test_a_file_beside_the_script_is_sourced_where_the_root_has_none() -> None:
    """OpenRLHF's train_llama_slurm.sh, which is called from its own folder."""
    text = "source ./one.sh\ncmd $A\n"
    assert argv(reading(text, "examples/run.sh", examples__one="A=1")) == [["cmd", "1"]]
    both = reading(text, "examples/run.sh", examples__one="A=1", one="A=2")
    assert argv(both) == [["cmd", "2"]]
    elsewhere = reading(f"cd /data\n{text}", "examples/run.sh", examples__one="A=1")
    assert not elsewhere.commands[-1].argv[-1].complete
    itself = reading(
        "source ./run.sh\ncmd 1\n", "examples/run.sh", examples__run="source ./run.sh\n"
    )
    assert argv(itself)[-1] == ["cmd", "1"]


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("bash $REPO/train/a.sh", True),
        ("source ${REPO}/train/a.sh", True),
        ("bash $HOME/train/a.sh", False),
        ("bash $(pick)/train/a.sh", False),
        ("bash $REPO/a.sh", False),
        ("bash $REPO/../train/a.sh", False),
        ("bash $REPO-old/train/a.sh", False),
    ],
)
def test_a_folder_that_only_the_caller_sets_is_the_root(start: str, found: bool) -> None:
    """beanie00/self-distillation-analysis: WORKSPACE_DIR stands in a file that git leaves out."""
    words = argv(reading(f"{start}\n", train__a="cmd 1\n", a="cmd 2\n"))
    assert (["cmd", "1"] in words) is found
    assert ["cmd", "2"] not in words


FROM_THE_AUTHORS_FOLDER = [
    "cd /home/me/proj/r10\nbash train/a.sh",
    "cd /home/me/proj/r10/train\nbash a.sh",
    "cd $HOME/proj/r10 || exit 1\nsource train/a.sh",
    "cd ~/r10\n./train/a.sh",
    "cd ~/r10\ncd train/..\nbash ./train/a.sh",
    "cd /scratch/$USER/r10\nbash train/a.sh",
    "cd /data/me/r10\nsrun apptainer exec img.sif bash train/a.sh",
    "bash /home/me/r10/train/a.sh",
    "bash /scratch/$USER/r10/train/a.sh",
    "R=$HOME/src/r10; bash $R/train/a.sh",
]


@pytest.mark.parametrize(
    "start",
    [
        "cd /home/me/r10\nbash train/gone.sh",
        "cd /home/me/r10\nbash ../train/a.sh",
        "cd /opt/r10\nbash train/a.sh",
        "cd $(pick)\nbash train/a.sh",
        "cd\nbash train/a.sh",
        "cd ~\nbash train/a.sh",
        "cd /\nbash train/a.sh",
        "cd /scratch/$USER\nbash train/a.sh",
        "cd $REPO/r10\nbash train/a.sh",
        "bash /train/a.sh",
        "bash /home/me/r10/a.sh",
        "bash /usr/share/r10/train/a.sh",
        "cd ~/r10\ncp new.sh train/a.sh\nbash train/a.sh",
        "cp new.sh /home/me/r10/train/a.sh\nbash /home/me/r10/train/a.sh",
    ],
)
def test_a_script_that_is_not_of_the_tree_behind_the_authors_cd(start: str) -> None:
    assert argv(reading(f"{start}\n", train__a="#!/bin/bash\ncmd 1\n"))[-1] != ["cmd", "1"]


def test_an_authors_path_that_may_be_either_of_two_files_is_not_guessed() -> None:
    files = {"r10/train/a.sh": b"cmd 1\n", "train/a.sh": b"cmd 2\n"}
    for start in ("cd /home/me/r10; bash train/a.sh", "bash /home/me/r10/train/a.sh"):
        assert "cmd" not in [one[0] for one in argv(read(start.encode(), "x", files=files.get))]


@pytest.mark.parametrize("start", FROM_THE_AUTHORS_FOLDER)
def test_a_script_of_the_tree_behind_the_authors_cd(start: str) -> None:
    """YouAreSpecialToMe/SimOPD: its jobs begin with `cd $HOME/pythonProject/SimOPD`."""
    assert argv(reading(f"{start}\n", train__a="cmd 1\n"))[-1] == ["cmd", "1"]
    known = read(
        f"{start}\n".encode(),
        "run.sh",
        Invocation(environment={"PWD": "/srv/tree", "HOME": "/root", "USER": "me"}),
        files={"train/a.sh": b"cmd 1\n"}.get,
    )
    assert ["cmd", "1"] not in argv(known)  # It is known that the tree lies elsewhere.


def test_a_file_that_a_loop_runs_again_is_parsed_once() -> None:
    result = reading(
        "for i in {1..100}; do . ./lib.sh; bash ./lib.sh; done\ncmd end",
        lib="x=(" + "word " * 500 + ")\n",
    )
    assert not result.problems
    assert argv(result)[-1] == ["cmd", "end"]


def test_a_file_stands_where_the_command_stands_that_runs_it() -> None:
    result = reading(". ./lib.sh\n\nbash lib.sh\nf() { . ./lib.sh; }\nf", lib="cmd a\n")
    found = [command for command in result.commands if command.argv[0].text == "cmd"]
    lines = [result.source.text[: command.span.start].count("\n") for command in found]
    assert lines == [0, 2, 3]


def test_a_place_in_another_file_names_the_file_and_its_line() -> None:
    result = reading(
        "own=3\n. ./lib.sh\ncmd $own $theirs key=$theirs plain\nbash ./lib.sh\neval 'cmd a'\n",
        lib="# their first line\ntheirs=4\nother 5\n. ./deep.sh\n",
        deep="\n\ndeeper 6\n",
    )
    places = {
        word.text: {piece.span.inside for piece in word.pieces}
        for command in result.commands
        for word in command.argv
    }
    theirs, deep = {("lib.sh", 2)}, {("deep.sh", 3)}
    assert places == {
        "other": {("lib.sh", 3)},
        "5": {("lib.sh", 3)},
        "deeper": deep,
        "6": deep,
        "cmd": {None},
        "3": {None},
        "4": theirs,
        "key=4": {None} | theirs,
        "plain": {None},
        "a": {None},
        "bash": {None},
        "./lib.sh": {None},
    }
