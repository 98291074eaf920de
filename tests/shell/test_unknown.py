"""What cannot be known is a hole with a reason, and every way that could be taken is followed."""

from __future__ import annotations

import pytest

from bot.shell import Invocation, ShellLimits, read
from bot.shell.words import Hole, Reading


def reading(text: str, environment: dict[str, str] | None = None) -> Reading:
    return read(text.encode(), "dir/run.sh", Invocation(environment=environment))


def argv(text: str, environment: dict[str, str] | None = None) -> list[list[str]]:
    return [[word.text for word in c.argv] for c in reading(text, environment).commands]


def hole(text: str) -> Hole:
    (found,) = reading(text).commands[-1].argv[1].holes
    return found


@pytest.mark.parametrize(
    ("text", "kind", "reason", "name"),
    [
        ("cmd a=$WORKDIR", "unset", "variable WORKDIR is not set in the script", "WORKDIR"),
        ("cmd $HOME/data", "environment", "HOME", "HOME"),
        ("cmd ~/data", "environment", "HOME", "HOME"),
        ("cmd run-$(date +%Y%m%d)", "command", "output of date +%Y%m%d", None),
        ("cmd $(nvidia-smi -L | wc -l)", "command", "output of nvidia-smi -L | wc -l", None),
        ("cmd $(expr 2 \\* 4)", "command", "output of expr 2 \\* 4", None),
        ("cmd p$RANDOM", "command", "value of RANDOM", None),
        ("cmd $((NNODES * 8))", "unset", "variable NNODES is not set in the script", "NNODES"),
        ("cmd $$", "command", "process number of the shell", None),
        ("cmd false; cmd $?", "command", "exit status of the last command", None),
        ("read X; cmd $X", "command", "line read from input", None),
        ("mapfile -t L <<< a; cmd ${L[0]}", "command", "lines read from input", None),
        ("cmd ${!NAME}", "unset", "variable NAME is not set in the script", "NAME"),
        ("cmd ${HOME:+x}", "environment", "HOME", "HOME"),
        ("X=a; cmd ${X@Q}", "unsupported", "transformation @Q", None),
        ("declare -i N=2; N+=3; cmd $N", "unsupported", "value changed by declare -i", None),
        ('getopts ab: o "$(hosts)"; cmd "$o"', "argument", "an option", "o"),
        ("shopt -s nullglob; cmd *.yaml", "command", "files that match *.yaml", None),
        ("declare -l L; L=ABC; cmd $L", "unsupported", "value changed by declare -l", None),
        ("declare -u U; read U <<< a; cmd $U", "unsupported", "value changed by declare -u", None),
        (
            "A=(a b c); unset 'A[1]'; cmd ${A[2]}",
            "unsupported",
            "array A has lost an element",
            None,
        ),
        (
            "declare -A M=([a]=1); unset 'M[a]'; M[b]=2; cmd ${M[a]-gone}",
            "unsupported",
            "array M has an unknown subscript",
            None,
        ),
        (
            "declare -A M=(a 1); cmd ${M[a]}",
            "unsupported",
            "array M has an unknown subscript",
            None,
        ),
        ("AB=1; cmd ${!A@}", "unsupported", "names of the variables A…", None),
        (
            "X=abc; Y='[&]'; cmd ${X/b/$Y}",
            "unsupported",
            "`&` or a backslash in a replacement",
            None,
        ),
        ("export $(cat .env); cmd $X", "unsupported", "set by export $(cat .env)", "X"),
        ('K=$(key); declare "$K=1"; cmd $X', "unsupported", 'set by declare "$K=1"', "X"),
        ("cmd $((64#_))", "limit", "a number of base 64 is not evaluated", None),
        ("cmd $(printf %x 255)", "command", "output of printf %x 255", None),
        ("cmd $(printf '\\101')", "command", "output of printf '\\101'", None),
        ("cmd $(printf %q 'a b')", "command", "output of printf %q 'a b'", None),
        ("pushd a; popd; cmd $PWD", "environment", "directory that cd leads to", "PWD"),
        ("shopt -s extglob; X=ab; cmd ${X##+(a)}", "unsupported", "pattern with a group", None),
        ("shopt -s extglob; X=ab; cmd ${X/@(a|b)/-}", "unsupported", "pattern with a group", None),
        (
            "[[ ab =~ a(.) ]]; cmd ${BASH_REMATCH[1]}",
            "unsupported",
            "what a regular expression matched",
            None,
        ),
    ],
)
def test_reason(text: str, kind: str, reason: str, name: str | None) -> None:
    found = hole(text)
    assert (found.kind, found.reason, found.name) == (kind, reason, name)


@pytest.mark.parametrize(
    ("words", "uses", "expected"),
    [
        ("$(hosts)", "${A[0]}", "${?output of hosts}"),
        ("$(hosts)", "${A[1]}", "${?element 1 of A}"),
        ("a $(hosts) b", "${A[0]} ${A[-1]} ${A[@]:0:1}", "a b a"),
        ("a $(hosts) b", "${A[2]}", "${?element 2 of A}"),
        ("a $(hosts) b", "${A[-2]}", "${?element -2 of A}"),
        ("a $(hosts) b", "${A[@]:0}", "a ${?output of hosts}"),
        ("x$(hosts)y", "${A[0]}", "x${?output of hosts}"),
        ("$ROOT/a $ROOT/b", "${A[1]}", "${?variable ROOT is not set in the script}/b"),
        ("$ROOT b", "${A[1]}", "${?element 1 of A}"),
        ("a $(hosts)", "${A[@]:2}", "${?elements of an array}"),
        ("a $(hosts)", "${A[@]: -1}", "${?elements of an array}"),
    ],
)
def test_elements_of_an_array_of_any_number(words: str, uses: str, expected: str) -> None:
    assert " ".join(argv(f"A=({words}); cmd {uses}")[-1][1:]) == expected


@pytest.mark.parametrize(
    ("words", "uses", "expected"),
    [
        ("a b", "$# $2", "2 b"),
        ('a "$(hosts)" b', "$# $3", "3 b"),
        ('"$X" b', "$# $2", "2 b"),
        ("$ROOT/a b", "$2", "b"),
        ("$! b", "$# $2", "2 b"),
        ("$((N / 2)) b", "$# $2", "2 b"),
        ("$1 b", "$# $2", "2 b"),
        ("a $(hosts)", "$1", "a"),
        ("a $(hosts) b", '"$@"', "a ${?output of hosts} b"),
        ("a $(hosts) b", "${@:1:1}", "a"),
        ("$(hosts) b", "$1", "${?output of hosts}"),
        ("$(hosts) b", "$2", "${?argument 2}"),
        ("$(hosts) b", "$#", "${?number of arguments}"),
        ("$(hosts) b", "${#@}", "${?number of arguments}"),
        ("$ROOT/a b", "$#", "${?number of arguments}"),
        ("$ROOT b", "$2", "${?argument 2}"),
        ("a $(hosts) b", "${@:3}", "${?elements of an array}"),
        ('"${A[@]}" b', "$2", "${?argument 2}"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        "set -- {words}; cmd {uses}",
        "f() {{ cmd {uses}; }}; f {words}",
        'g() {{ cmd {uses}; }}; f() {{ g "$@"; }}; f {words}',
        "f() {{ shift; cmd {uses}; }}; f z {words}",
        "export A X ROOT; bash -c 'cmd {uses}' _ {words}",
    ],
)
def test_arguments_of_any_number(call: str, words: str, uses: str, expected: str) -> None:
    given = argv("A=($(hosts)); " + call.format(words=words, uses=uses))[-1][1:]
    assert " ".join(given) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f() { shift 2; cmd $1 $#; }; f a b c", ["c 1"]),
        ("set -- a $(hosts); [[ -v 1 ]] && cmd b; [[ -v 2 ]] && cmd c || cmd d", ["b", "c", "d"]),
        ("set -- a $(hosts) b; shift 2; cmd $1", ["${?an argument behind shift}"]),
        ("f() { shift $N; cmd $#; }; f a b c", ["${?number of arguments}"]),
        (
            "N=0; set -- $(hosts) b; for x; do ((N++)); done; cmd $N",
            ["${?value of N behind the loop}"],
        ),
        (
            "N=0; for x in a $(hosts) b; do cmd $N; ((N++)); done",
            ["0", "1", "${?value of N behind the loop}"],
        ),
        ('N=0; for x in a "$Q" b; do ((N++)); done; cmd $N', ["3"]),
        (
            "set -- -a $(hosts) -b; while getopts a:b o; do cmd $o $OPTARG; done",
            ["a ${?output of hosts}", "${?an option} ${?value of an option}"],
        ),
    ],
)
def test_what_arguments_of_any_number_change(text: str, expected: list[str]) -> None:
    commands = argv(text)
    assert [" ".join(words[1:]) for words in commands if words[0] == "cmd"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("trap 'cmd never' INT TERM ERR HUP USR1 $(x); cmd a", ["a"]),
        ("trap 'cmd never' EXIT; trap - EXIT; cmd a", ["a"]),
        ("trap 'cmd never' EXIT; exec cmd b", []),
        ("trap 'cmd never' \"$X\"; trap EXIT", []),
        ("trap 'cmd end' EXIT; if [ -d x ]; then exit 1; fi; cmd a", ["a", "end"]),
        (
            "trap 'cmd end $X' EXIT; [ -d x ] && X=1 && exit; [ -e y ] && X=2 && exit",
            [
                "end ${?value of X when the script ends}",
                "end ${?variable X is not set in the script}",
            ],
        ),
        (
            "f() { local X=1; exit; }; trap 'cmd $X $1' EXIT; X=2; f a",
            ["${?value of X when the script ends} ${?an argument}"],
        ),
        # L-Dramatic/latentgrpo, which collects its results so.
        ("finalize() { cmd collect --steps 9; }\ntrap finalize EXIT\ntrain", ["collect --steps 9"]),
    ],
)
def test_what_runs_at_the_end(text: str, expected: list[str]) -> None:
    commands = argv(text)
    assert [" ".join(words[1:]) for words in commands if words[0] == "cmd"] == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("trap 'cmd a' DEBUG", "what trap runs on DEBUG is not followed"),
        ("trap 'cmd a' RETURN", "what trap runs on RETURN is not followed"),
        ('trap "$(x)" EXIT', "trap of a text that is not known (output of x)"),
        ("trap 'if' EXIT", "in trap: "),
    ],
)
def test_a_trap_that_is_not_followed_is_said(text: str, problem: str) -> None:
    (found,) = reading(text).problems
    assert str(found.message).startswith(problem)
    assert not reading("trap - DEBUG; trap '' RETURN; trap cmd INT; trap").problems


@pytest.mark.parametrize("option", ["expand_aliases", "lastpipe", "nocasematch"])
def test_an_option_that_is_not_followed_is_said(option: str) -> None:
    found = read(f"shopt -s {option}; cmd a; shopt -u {option}\n".encode(), "x.sh").problems
    assert [(problem.kind, str(problem.message)) for problem in found] == [
        ("unsupported", f"what shopt -s {option} changes is not followed")
    ]


@pytest.mark.parametrize(
    "change",
    [
        "((X = Y * 2))",
        "((X += $Y))",
        "((X = X + $(nproc)))",
        'let "X = Y + 1"',
        'let "X=$Y"',
        ": $((X = Y))",
        "((Y > 3 ? (X = 1) : (X = 2)))",
        "((A[0] = Y)); X=${A[0]}",
        "((A[Y] = 7)); X=${A[0]}",
        "f() { shift $Y; X=$1; }; f 1 2 3",
        "A[Y]=7; X=${A[@]:1}",
        "printf -v 'A[Y]' 7; X=${A[@]:1}",
        "printf -v A %d x; X=$?",
        "read 'A[Y]' <<< 7; X=${A[@]:1}",
        "read X A <<< 'a\\ b c'",
        "read -a A <<< 'a\\ b c'; X=${A[1]}",
        """while read X; do :; done <<'E'
a \\
b
E""",
    ],
)
def test_what_an_unknown_number_changes_is_unknown(change: str) -> None:
    text = f"Y=$(nproc)\nX=5; A=(1 2)\n{change}\ncmd $X\n"
    assert "${?" in argv(text)[-1][-1]


def test_words_added_to_an_array_that_nobody_knows_are_known() -> None:
    text = 'A=(a b); A[$(nproc)]=c; A+=(d e)\ncmd "${A[@]}"\ncmd ${A[1]}\nA=(x y)\ncmd ${A[1]}\n'
    unknown = "${?array A has an unknown subscript}"
    assert argv(text)[-3:] == [["cmd", unknown, "d", "e"], ["cmd", unknown], ["cmd", "y"]]


@pytest.mark.parametrize(
    ("before", "count"),
    [
        ('A=("$X" "$Y")', "2"),
        ("A=(a $((N)))", "2"),
        ('A=($X); A=("$Y")', "1"),
        ('for i in 1 2; do A+=("$X$i"); done', "2"),
        ("A=($X)", None),
        # rubenbalbastre/grpo-llm-unlearning, whose GPUs were one.
        ('IFS=, read -ra A <<< "$CUDA_VISIBLE_DEVICES"', None),
        ('IFS=, read -ra A <<< "0,1,2"', "3"),
        ('mapfile -t A < <(uniq "$PBS_NODEFILE")', None),
        ("A=(*.yaml)", "1"),
        ("shopt -s nullglob; A=(*.yaml)", None),
        ("shopt -s nullglob; A=('*.yaml')", "1"),
        ("A=($(scontrol show hostnames $NODES))", None),
        ('A=(a $X); B=("${A[@]}" c); A=("${B[@]}")', None),
        # homulillew/ESR-GRPO, whose check of eight times the nodes was never passed.
        ('A=("$HEAD"); for ip in $WORKERS; do A+=("$ip"); done', None),
        ('for ip in "${NODES[@]}"; do A+=("$ip"); done', None),
        ('A=("${#NODES[@]}")', "1"),
    ],
)
def test_an_array_has_any_number_of_what_nobody_knows(before: str, count: str | None) -> None:
    word = reading(f"{before}; cmd ${{#A[@]}}").commands[-1].argv[1]
    assert word.text == count if count is not None else word.holes


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("N=$((N + 1))", None),
        ("N=$(expr $N + 1)", None),
        ("((N++))", None),
        ("let N+=2", None),
        ("N=8", "8"),
        ("N=$((2 * 4))", "8"),
        ("M=$((N + 8))", "0"),
    ],
)
def test_rounds_over_what_nobody_knows_are_not_counted(body: str, value: str | None) -> None:
    word = reading(f"N=0; for host in $HOSTS; do {body}; done; cmd $N").commands[-1].argv[1]
    assert word.text == value if value is not None else word.holes
    (known,) = reading(f"N=0; for host in a; do {body}; done; cmd $N").commands[-1].argv[1:]
    assert known.text.isdigit() or "expr" in body


def test_number_that_is_only_compared_stays() -> None:
    text = "Y=$(nproc); X=5\n((X == Y || X <= Y || X != Y)) || true\ncmd $X\n"
    assert argv(text)[-1] == ["cmd", "5"]
    assert argv("f() { shift -1; cmd $1; shift 4; cmd $1; }; f 1 2\n") == [["cmd", "1"]] * 2


def test_group_in_a_pattern_may_match_or_not() -> None:
    text = "shopt -s extglob\ncase ab in @(a|ab)) cmd 1;; *) cmd 2;; esac\n"
    assert argv(text) == [["cmd", "1"], ["cmd", "2"]]
    assert argv("[[ ab == !(a) ]] && cmd 1 || cmd 2\n") == [["cmd", "1"], ["cmd", "2"]]


def test_hole_is_one_piece_of_its_word() -> None:
    assert argv("cmd a=$X/b") == [["cmd", "a=${?variable X is not set in the script}/b"]]


def test_hole_keeps_its_way() -> None:
    piece = reading("D=$(date)\nE=run-$D\ncmd n=$E").commands[-1].argv[1].pieces[-1]
    assert piece.via == ("E", "D")
    assert isinstance(piece.text, Hole)


def test_known_rest_of_a_path_with_a_hole() -> None:
    text = "M=$HOME/models/Qwen2.5-7B\ncmd ${M##*/} $(basename $M) ${M%/*}/x $(dirname $M)\n"
    assert argv(text) == [
        ["cmd", "Qwen2.5-7B", "Qwen2.5-7B", "${?HOME}/models/x", "${?HOME}/models"]
    ]


def test_name_of_the_script_is_known_and_its_folder_is_not() -> None:
    (words,) = argv('cmd $(basename "$0" .sh) $(basename ${BASH_SOURCE[0]}) "$(dirname "$0")"')
    assert words[1:3] == ["run", "run.sh"]
    assert words[3].startswith("${?")


def test_given_environment_leaves_nothing_open() -> None:
    assert argv("cmd a=$X ${Y:-d} $X", {"Y": "e"}) == [["cmd", "a=", "e"]]


def test_a_sourced_file_may_set_anything() -> None:
    assert argv("cmd x$A; source env.sh; cmd x$A", {}) == [
        ["cmd", "x"],
        ["cmd", "x${?set by source env.sh}"],
    ]


def test_required_variable_is_left_to_the_caller() -> None:
    assert argv("M=${M:-}\n: ${M:?set M}\ncmd $M") == [
        ["cmd", "${?variable M has to be set by the caller}"]
    ]
    assert argv("M=${M:-}\n: ${M:?set M}\ncmd $M", {}) == []


# Conditions that nobody can decide


def assumed(text: str) -> list[tuple[list[str], tuple[str, ...]]]:
    return [
        ([word.text for word in command.argv], command.assumptions)
        for command in reading(text).commands
    ]


def test_a_decided_condition_assumes_nothing() -> None:
    assert assumed("X=1\nif [ $X = 1 ]; then cmd a; else cmd b; fi") == [(["cmd", "a"], ())]


def test_both_sides_of_an_open_condition() -> None:
    assert assumed('if [ -d "$X" ]; then cmd a; else cmd b; fi; cmd c') == [
        (["cmd", "a"], ('`[ -d "$X" ]` is true',)),
        (["cmd", "b"], ('`[ -d "$X" ]` is false',)),
        (["cmd", "c"], ()),
    ]


def test_two_launches_from_an_open_condition() -> None:
    text = "if nvidia-smi | grep -q H100; then N=8; else N=4; fi\npython -m x n=$N\n"
    launches = [item for item in assumed(text) if item[0][0] == "python"]
    assert [words[-1] for words, _ in launches] == ["n=8", "n=4"]
    assert [assumption for _, (assumption,) in launches] == [
        "`nvidia-smi | grep -q H100` succeeds",
        "`nvidia-smi | grep -q H100` fails",
    ]


def test_the_same_question_has_the_same_answer() -> None:
    text = 'if [ -z "$X" ]; then A=1; fi\nif [ -n "$X" ]; then B=2; fi\ncmd "$A$B"\n'
    results = [words[1] for words, _ in assumed(text)]
    assert len(results) == 2
    assert results[0].startswith("1")
    assert results[1].endswith("2")


def test_a_case_on_an_unknown_word() -> None:
    text = "case $HOSTNAME in\n a*) N=1;;\n b) N=2;;\n *) N=3;;\nesac\ncmd $N\n"
    assert assumed(text) == [
        (["cmd", "1"], ("$HOSTNAME matches a* is true",)),
        (["cmd", "2"], ("$HOSTNAME matches a* is false", "$HOSTNAME matches b is true")),
        (["cmd", "3"], ("$HOSTNAME matches a* is false", "$HOSTNAME matches b is false")),
    ]


def test_a_failing_command_is_not_expected() -> None:
    assert assumed("mkdir a || exit 1\ncd a && cmd b\ncmd c && cmd d") == [
        (["mkdir", "a"], ()),
        (["cmd", "b"], ()),
        (["cmd", "c"], ()),
        (["cmd", "d"], ()),
    ]


def test_a_probe_may_fail() -> None:
    assert assumed("command -v uv && X=1; cmd x$X") == [
        (["cmd", "x1"], ("`command -v uv` succeeds",)),
        (["cmd", "x${?variable X is not set in the script}"], ("`command -v uv` fails",)),
    ]


@pytest.mark.parametrize(
    "test",
    [
        "echo > /dev/tcp/$HOST/8265",
        '< "/dev/tcp/localhost/$P"',
        "(echo >/dev/tcp/127.0.0.1/$P) >/dev/null 2>&1",
        "{ echo; } 2>&1 > /dev/tcp/localhost/80",
        "exec 3<>/dev/tcp/localhost/6379",
        'timeout 1 bash -c "echo > /dev/tcp/localhost/$P"',
        "port",
    ],
)
def test_a_port_may_answer(test: str) -> None:
    """From CudraniaTrec/vericode: the script ends where Ray's port is still in use."""
    text = (
        f"port() {{ (: >/dev/tcp/a/1) && return 0 || return 1; }}\nif {test}; then exit; fi; cmd a"
    )
    assert [words for words, _ in assumed(text) if words[0] == "cmd"] == [["cmd", "a"]]


def test_a_connection_that_fails_does_not_end_a_script() -> None:
    assert ["cmd", "a"] in argv("set -e\necho >/dev/tcp/a/1\ncmd a")
    assert argv("if echo > /dev/tcp.log; then cmd a; else cmd b; fi") == [["cmd", "a"]]


DETECTION = "$(python3 -c 'import torch_npu' 2>/dev/null && echo npu || echo gpu)"


@pytest.mark.parametrize(
    "text",
    [
        f"D=${{DEVICE:-{DETECTION}}}\ncmd $D",
        f"cmd {DETECTION}",
        f"cmd $(echo {DETECTION})",
        f"cmd $(echo {DETECTION} | tr a-z a-z)",
        f"d() {{ local x={DETECTION}; echo $x; }}\ncmd $(d)",
        "d() { if python3 -c 'import torch_npu'; then echo npu; else echo gpu; fi; }\ncmd `d`",
        f"for D in {DETECTION}; do cmd $D; done",
        f"case {DETECTION} in npu) D=npu;; *) D=gpu;; esac; cmd $D",
        f"[ {DETECTION} = npu ] && D=npu || D=gpu; cmd $D",
        "D=gpu; python3 -c 'import torch_npu' && D=npu; cmd $D",
        "if ! python3 -c 'import torch_npu'; then D=gpu; else D=npu; fi; cmd $D",
        "D=$(bash -c \"python3 -c 'import torch_npu' && echo npu || echo gpu\"); cmd $D",
    ],
)
def test_a_detection_is_followed_both_ways(text: str) -> None:
    found = {words[1]: why for words, why in assumed(text) if words[0] == "cmd"}
    assert found == {
        "npu": ("`python3 -c 'import torch_npu'` succeeds",),
        "gpu": ("`python3 -c 'import torch_npu'` fails",),
    }


def test_two_outcomes_in_one_command_agree() -> None:
    both = [words for words, _ in assumed(f"cmd {DETECTION} {DETECTION}") if words[0] == "cmd"]
    assert sorted(both) == [["cmd", "gpu", "gpu"], ["cmd", "npu", "npu"]]


def test_independent_outcomes_are_combined() -> None:
    text = "cmd $(a >log && echo 1 || echo 2) $(b >log && echo 3 || echo 4)"
    found = [" ".join(words[1:]) for words, _ in assumed(text) if words[0] == "cmd"]
    assert sorted(found) == ["1 3", "1 4", "2 3", "2 4"]


def test_a_command_reached_either_way_assumes_what_both_do() -> None:
    text = "[ -f $A ] && X=1\n[ -f $B ] || exit 1\ncmd $X\nother"
    (why,) = [why for words, why in assumed(text) if words[0] == "other"]
    assert why == ()


def test_a_command_of_several_ways_is_not_called_unconditional() -> None:
    text = "N=0\ncommand -v a && N=$(a)\nif [ $N -le 0 ]; then N=8; fi\ncmd $N"
    found = {words[1]: why for words, why in assumed(text) if words[0] == "cmd"}
    assert found["8"] == ("`[ $N -le 0 ]` is true, or `command -v a` fails",)
    assert found["${?output of a}"] == ("`command -v a` succeeds", "`[ $N -le 0 ]` is false")


def test_ways_of_a_chain_are_said_shortly() -> None:
    text = (
        "if [ -f a ]; then X=1; elif [ -f b ]; then Y=1; elif [ -f c ]; then Z=1; else exit; fi\n"
        "X= Y= Z=; cmd a"
    )
    assert assumed(text)[-1] == (
        ["cmd", "a"],
        ("`[ -f a ]` is true, or `[ -f b ]` is true, or `[ -f c ]` is true",),
    )


@pytest.mark.parametrize("last", ["X=2", "X=1"])
def test_ways_that_leave_nothing_out_assume_nothing(last: str) -> None:
    text = f"if a; then if b; then X=1; else X=2; fi; else {last}; fi\nY=$X; cmd\n"
    assert [why for words, why in assumed(text) if words[0] == "cmd"] == [()]


def test_an_output_of_which_little_is_known_stays_open() -> None:
    (words,) = [w for w, _ in assumed("cmd $(git rev-parse HEAD || echo none)") if w[0] == "cmd"]
    assert words[1].startswith("${?output of git")


def test_bound_on_outcomes() -> None:
    one = "$(ls a >/dev/null && echo {n} || echo -{n})"
    text = "cmd " + " ".join(one.replace("{n}", str(n)) for n in range(1, 12))
    result = read(text.encode(), "x.sh")
    assert [problem.kind for problem in result.problems] == ["limit"]
    assert len([c for c in result.commands if c.argv[0].text == "cmd"]) <= 32


def test_known_characters_decide() -> None:
    text = 'P=$HOME/x\n[ -n "$P" ] && cmd a; [ "$P" = /y ] && cmd b; [[ $P == */x ]] && cmd c'
    assert assumed(text)[0] == (["cmd", "a"], ())
    assert assumed('[ -n "x$P" ] && cmd a; [ x$P = y ] && cmd b') == [(["cmd", "a"], ())]


def test_all_of_an_array_with_text_beside_it_may_be_no_condition() -> None:
    """With a second element `[` has too many arguments, and fails."""
    text = 'L=(a)\nL[$(date +%d)]=b\nif [ -n "${L[@]}*" ]; then cmd a; else cmd b; fi'
    assert [words for words, _ in assumed(text) if words[0] == "cmd"] == [
        ["cmd", "a"],
        ["cmd", "b"],
    ]


def test_a_loop_with_an_open_end() -> None:
    assert assumed("until ray status; do sleep 5; done\ncmd a") == [
        (["ray", "status"], ()),
        (["sleep", "5"], ("`ray status` fails",)),
        (["cmd", "a"], ()),
    ]


def test_a_loop_that_only_a_command_can_end() -> None:
    assert argv("while true; do cmd a && break; done; cmd b") == [["cmd", "a"], ["cmd", "b"]]
    assert argv("while true; do cmd a; done; cmd b") == [["cmd", "a"]]


def test_a_loop_that_waits_is_left_in_a_round_that_nobody_knows() -> None:
    text = """for i in $(seq 1 600); do
  if curl -s localhost; then echo "after $i s"; break; fi
  if ! kill -0 $PID; then exit 1; fi
  if [ $i -eq 600 ]; then exit 1; fi
  sleep 1
done
cmd a i=$i
"""
    result = reading(text)
    assert not result.problems
    (command,) = [c for c in result.commands if c.argv[0].text == "cmd"]
    assert command.argv[2].text == "i=${?value of i when the loop is left}"
    assert len(command.assumptions) <= 3


WAITING = """waited=0; most=99999; tried=no
while [ $waited -lt $most ]; do
  if curl -s localhost; then %s; fi
  tried=yes
  sleep 5; waited=$((waited + 5))
done
if [ $waited -ge $most ]; then exit 1; fi
cmd a waited=$waited most=$most tried=$tried
"""


def test_a_loop_that_counts_while_it_waits_is_left_with_a_count_that_nobody_knows() -> None:
    result = reading(WAITING % "echo ready; break")
    assert not result.problems
    (command,) = [c for c in result.commands if c.argv[0].text == "cmd"]
    waited, most, tried = (word.text for word in command.argv[2:])
    assert waited == "waited=${?value of waited when the loop is left}"
    assert most == "most=99999"
    assert tried == "tried=${?value of tried when the loop is left}"


def test_a_loop_that_ends_the_script_when_it_has_waited() -> None:
    result = reading(WAITING % "exit 0")
    assert not result.problems
    (command,) = [c for c in result.commands if c.argv[0].text == "cmd"]
    assert command.argv[2].text == "waited=${?value of waited when the loop is left}"
    assert command.argv[4].text == "tried=yes"


@pytest.mark.parametrize("loop", ["for attempt in $(seq 1 $most)", "for ((n = 0; n < most; n++))"])
def test_a_loop_that_counts_what_is_ready_is_left_with_a_count_that_nobody_knows(loop: str) -> None:
    """Qizhang-Feng/k-step-opd waits for eight engines; the bound of steps was reached in it."""
    text = f"""most=300
{loop}; do
  READY=0
  for i in $(seq 0 7); do
    if curl -sf http://localhost:$((8000 + i))/health; then READY=$((READY + 1)); fi
  done
  if [ $READY -eq 8 ]; then break; fi
  sleep 1
done
[ $READY -eq 8 ] || exit 1
cmd a ready=$READY most=$most
"""
    result = reading(text)
    assert not result.problems
    commands = [c for c in result.commands if c.argv[0].text == "cmd"]
    assert {c.argv[2].text for c in commands} == {"ready=${?value of READY when the loop is left}"}
    assert {c.argv[3].text for c in commands} == {"most=300"}


def test_a_loop_that_waits_in_several_ways_leaves_steps_for_what_stands_behind_it() -> None:
    """As two servers are waited for by a script that has gone several ways before."""
    text = """for f in a b c d; do [ -f $f ] && eval $f=1; done
tries=0
while [ $tries -lt 40 ]; do
  sleep 30
  up=0 ready=0
  if kill -0 $X; then up=1; else break; fi
  if curl -s a; then ready=1; fi
  if curl -s b; then ready=$((ready + 1)); fi
  if [ $up -eq 1 ] && [ $ready -eq 2 ]; then break; fi
  tries=$((tries + 1))
done
cmd end
"""
    result = reading(text)
    assert not result.problems
    assert ["cmd", "end"] in [[word.text for word in one.argv] for one in result.commands]


def test_a_loop_that_starts_something_in_each_round_keeps_them_while_it_waits() -> None:
    text = """for n in $(seq 12); do
  if curl -s a; then up=1; else up=0; fi
  cmd a $n || exit 1
  sleep 5
done
"""
    started = {words[2] for words, _ in assumed(text) if words[0] == "cmd"}
    assert started == {str(number) for number in range(1, 13)}


def test_a_loop_that_sleeps_goes_on_to_the_round_that_is_known_to_end_it() -> None:
    text = "for i in $(seq 50); do sleep 1; cmd a; [ $i -lt 50 ] || exit 0; done; cmd end"
    assert ["cmd", "end"] not in argv(text)


def test_a_loop_that_starts_something_in_each_round_does_so_in_each_world() -> None:
    """What another world has listed before is not what a round has run again."""
    loop = "for n in $(seq 12); do cmd a $n || exit 1; sleep 5; done"
    ways = [way for words, way in assumed(f"[ -f x ] && X=1\n{loop}\n") if words[0] == "cmd"]
    assert ways == [()] * 12


def test_a_loop_that_waits_ends_by_its_last_round() -> None:
    """ZJU-REAL/SDAR's run_search.sh: the launch stands behind `exit 1` in the last round."""
    text = """for i in $(seq 400); do
  if curl -s localhost; then break; fi
  tried=$i
  if [ $i -eq 400 ]; then cmd gives up after $i, $tried; exit 1; fi
  sleep 5
done
cmd end $tried
"""
    found = [(words, way) for words, way in assumed(text) if words[0] == "cmd"]
    given_up, (end, way) = found
    assert given_up[0] == ["cmd", "gives", "up", "after", "400,", "400"]
    assert (end, way) == (
        ["cmd", "end", "${?value of tried when the loop is left}"],
        ("`curl -s localhost` succeeds",),
    )


def test_a_server_that_is_waited_for_again_and_again_leaves_steps_for_the_launch() -> None:
    """From HAE-RAE/logical-puzzles, whose launch stands behind it."""
    text = """wait_for() {
  local waited=0
  while [ $waited -lt 600 ]; do
    if curl -s localhost:8000/health; then return 0; fi
    kill -0 $PID || return 1
    if [ $((waited % 60)) -eq 0 ]; then echo still starting; fi
    sleep 2; waited=$((waited + 2))
  done
  return 1
}
for m in a b c d e f; do
  serve $m & PID=$!
  for i in $(seq 1 600); do
    if curl -s localhost:8000/health; then break; fi
    sleep 5
  done
  wait_for || continue
  cmd asks $m
done
cmd end
"""
    result = reading(text)
    assert not result.problems
    commands = [[word.text for word in one.argv] for one in result.commands]
    assert [one for one in commands if one[0] == "cmd"] == [
        *(["cmd", "asks", model] for model in "abcdef"),
        ["cmd", "end"],
    ]
    assert len(commands) < 30


def test_a_short_wait_keeps_its_rounds() -> None:
    text = "i=0; while [ $i -lt 3 ]; do if curl -s localhost; then break; fi; ((i++)); done; cmd $i"
    assert {words[1] for words, _ in assumed(text) if words[0] == "cmd"} == {"0", "1", "2", "3"}


def test_a_long_loop_that_may_end_the_script_counts_to_its_end() -> None:
    text = "all=; for ((i = 0; i < 90; i++)); do test -d $i || exit 1; all+=$i; done; cmd ${#all}"
    assert ["cmd", "170"] in argv(text)


def test_a_short_loop_with_open_ends_keeps_its_rounds() -> None:
    text = "for i in 1 2 3; do if curl -s localhost; then break; fi; done; cmd $i"
    assert {words[1] for words, _ in assumed(text) if words[0] == "cmd"} == {"1", "2", "3"}


POLLING = """while true; do
  n=0
  for f in a b c d e f g h; do [ -f $f.json ] && n=$((n + 1)); done
  [ $n -ge 8 ] && break
  sleep 60
done
cmd after n=$n
"""


def test_a_loop_that_counts_anew_in_each_round_is_left_by_the_count_that_ends_it() -> None:
    """From Sunshine535/nips-grpo-dynamics, whose launch stands behind it."""
    result = reading(POLLING)
    assert not result.problems
    (command,) = [c for c in result.commands if c.argv[0].text == "cmd"]
    assert command.argv[2].text == "n=8"


PORTS = """port=7000; started=0; ports=()
while [ $started -lt 296 ]; do
  if ss -tuln | grep -q ":$port "; then port=$((port + 1)); continue; fi
  if serve --port $port & then ports+=($port); started=$((started + 1)); fi
  port=$((port + 1))
  if [ $port -gt 9000 ]; then break; fi
done
cmd after port=$port ports=${ports[0]} n=${#ports[@]}
"""


@pytest.mark.slow
def test_a_loop_over_ports_is_left_with_what_nobody_knows() -> None:
    """From CazeroZ/hgpo: which of two thousand ports are in use."""
    result = reading(PORTS)
    assert not result.problems
    (command,) = [c for c in result.commands if c.argv[0].text == "cmd"]
    assert [word.text.split("=")[1].startswith("${?") for word in command.argv[2:]] == [True] * 3


@pytest.mark.parametrize(
    "loop",
    [
        "(while true; do nvidia-smi >> gpu.csv; echo $(date) >> gpu.csv; sleep 2; done) &",
        "while true; do echo a >> log; curl -s x && break; done",
        "until curl -s x; do echo a >> log; done",
    ],
)
def test_a_loop_that_only_writes_is_left(loop: str) -> None:
    """From TiandaSun/KG_GRPO, which watches its GPUs beside the launch."""
    result = reading(f"echo begin > log\n{loop}\ncmd after\n")
    assert not result.problems
    assert [c.argv[1].text for c in result.commands if c.argv[0].text == "cmd"] == ["after"]


def test_a_loop_that_collects_what_is_not_there_yet() -> None:
    """From Sunshine535/nips-grpo-dynamics: 15 folders, each of which may be there."""
    names = " ".join(f"p{n}" for n in range(15))
    text = f't=()\nfor n in {names}; do [ -d $n ] && continue; t+=($n); done\ncmd "${{t[0]}}"\n'
    result = reading(text)
    assert not result.problems
    assert any("${?" in c.argv[1].text for c in result.commands if c.argv[0].text == "cmd")


def test_a_loop_that_counts_known_numbers_is_run_to_its_end() -> None:
    text = "i=0; s=; while [ $i -lt 120 ]; do i=$((i + 1)); s=$i; done; cmd $s"
    (command,) = [c for c in reading(text).commands if c.argv[0].text == "cmd"]
    assert command.argv[1].text == "120"


def test_equal_worlds_are_merged() -> None:
    text = "".join(f"if [ ! -d d{n} ]; then mkdir d{n}; fi\n" for n in range(50)) + "cmd a\n"
    result = reading(text)
    assert not result.problems
    assert len(result.commands) == 51
    assert result.commands[-1].assumptions == ()


def test_more_ways_than_are_kept_apart_share_what_is_the_same_on_all() -> None:
    setting = "".join(f"if [ -f f{n} ]; then A{n}=1; else A{n}=0; fi\n" for n in range(8))
    result = reading(f"B=1\n{setting}cmd $A0 $A7 $B\n")
    assert not result.problems
    last = [c for c in result.commands if c.argv[0].text == "cmd"]
    assert len(last) <= ShellLimits().worlds
    assert {c.argv[3].text for c in last} == {"1"}
    assert last[-1].argv[1].text == "${?value of A0 on one of many ways}"
    # Where both are known the two values stand together on some way.
    assert {c.argv[1].text for c in last} >= {"1"}


def test_ways_that_define_different_functions_are_no_single_one() -> None:
    text = "".join(f"if [ -f f{n} ]; then f{n}() {{ :; }}; fi\n" for n in range(8)) + "cmd a\n"
    result = read(text.encode(), "x.sh", limits=ShellLimits(worlds=4))
    (problem,) = result.problems
    assert (problem.kind, "worlds=4" in problem.message) == ("limit", True)
    assert result.commands


def test_eval_of_an_unknown_text_is_reported() -> None:
    result = reading('eval "$(conda shell.bash hook)"\ncmd a')
    assert [problem.kind for problem in result.problems] == ["unsupported"]
    assert [c.argv[0].text for c in result.commands] == ["conda", "cmd"]


def test_unknown_subscript_spoils_the_array() -> None:
    (words,) = argv('A=(a b); A[$X]=c; cmd "${A[0]}"')
    assert words[1].startswith("${?")


def test_command_in_a_condition_is_listed() -> None:
    assert argv("if python a.py; then cmd b; fi")[0] == ["python", "a.py"]
    assert ["python", "c.py"] in argv("X=$(python c.py | tail -1); cmd $X")


def test_process_substitution_is_listed() -> None:
    assert argv("exec > >(tee log)\ncmd a") == [["tee", "log"], ["cmd", "a"]]


def test_a_here_document_with_unknown_parts_keeps_the_rest() -> None:
    text = """read -r -d '' V <<EOF
a=$X
b=$(date +%F) c
EOF
IFS= read -r -d '' W <<EOF
 $Y tail
EOF
J=$(cat <<EOF
{"home": "$HOME", "n": ${N:-8}}
EOF
)
cmd "$V" "$W" "$J"
"""
    assert argv(text)[-1] == [
        "cmd",
        "a=${?variable X is not set in the script}\nb=${?output of date +%F} c",
        " ${?variable Y is not set in the script} tail\n",
        '{"home": "${?HOME}", "n": 8}',
    ]


def test_hydra_deletion_is_no_home_directory() -> None:
    assert argv("cmd ~trainer.logger ~x ~alice/y") == [
        ["cmd", "~trainer.logger", "~x", "${?home directory of alice}/y"]
    ]


_DATE = "${?output of date}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('C="cmd a x-$(date) b"; eval "$C"', [["a", f"x-{_DATE}", "b"]]),
        ('C="cmd \'x  $(date)\' \\"y $(date)\\""; eval $C', [[f"x {_DATE}", f"y {_DATE}"]]),
        ('bash -c "cmd $(date) b"', [[_DATE, "b"]]),
        ("bash <<EOF\ncmd $(date)\nEOF", [[_DATE]]),
        ('eval "X=$(date)"; cmd $X', [[_DATE]]),
        ('eval "X=$(date); cmd \\$X"', [[_DATE]]),
        ('eval "for i in a $(date); do cmd \\$i; done"', [["a"], [_DATE]]),
        ('eval "cmd {a,b}$(date)"', [[f"a{_DATE}", f"b{_DATE}"]]),
        ('eval "cmd \\${X:-$(date)}"', [[_DATE]]),
        ('eval "case $(date) in *) cmd a;; esac"', [["a"]]),
        ('eval "cat <<< $(date); cmd a"', [["a"]]),
        ('docker run i bash -c "cmd $(date)"', [[_DATE]]),
        ('docker run i bash -c "cmd $(date $X)"', [["${?output of date $X}"]]),
        ("docker run i bash -c 'cmd $(date)'", []),
    ],
)
def test_a_text_of_which_a_part_is_unknown(text: str, expected: list[list[str]]) -> None:
    result = reading(text)
    assert result.problems == ()
    ran = [[word.text for word in c.argv[1:]] for c in result.commands if c.argv[0].text == "cmd"]
    assert ran == expected


def test_the_unknown_part_of_a_text_stands_where_it_was_written() -> None:
    text = 'C="cmd x-$(date)"; eval "$C"'
    (command,) = [c for c in reading(text).commands if c.argv[0].text == "cmd"]
    known, unknown = command.argv[1].pieces
    assert text[known.span.start : known.span.end] == "x-"
    assert text[unknown.span.start : unknown.span.end] == "date"


def test_both_ways_are_followed_where_the_unknown_part_decides() -> None:
    result = reading('eval "if [ $(date) = a ]; then cmd b; else cmd c; fi"')
    assert [c.argv[1].text for c in result.commands if c.argv[0].text == "cmd"] == ["b", "c"]


@pytest.mark.parametrize(
    "text",
    [
        'eval "$(date)"',
        'eval " $(date) "',
        'eval "$(date) a"',
        'eval "cmd a; $(date)"',
        'eval "$(date)=3; cmd a"',
        'eval "f$(date)() { cmd a; }"',
        'eval "cmd \'$(date)"',
        'eval "cmd a # $(date)"',
        "eval \"cmd $(date) $'\\U000F0000'\"",
        "X=$'\\U000F0000'; eval \"cmd $(date) $X\"",
    ],
)
def test_a_text_whose_commands_are_unknown_is_reported(text: str) -> None:
    result = reading(f"{text}\ncmd z")
    assert [problem.kind for problem in result.problems] == ["unsupported"]
    assert [c.argv[1].text for c in result.commands if c.argv[0].text == "cmd"] == ["z"]


@pytest.mark.parametrize(
    "test",
    [
        "[ a = a -a b = b ]",
        # What depends on the C library, and what could take long to match.
        r"R='\d'; [[ ab =~ $R ]]",
        "[[ ab =~ a^b ]]",
        "[[ é =~ ^.$ ]]",
        "[[ ab =~ (a*)* ]]",
        "[[ ab =~ [!-~] ]]",
        f"[[ {'a' * 30} =~ {'a?' * 30}{'a' * 30} ]]",
        f"[[ {'a' * 300} =~ a*a*a*b ]]",
        f"[[ a =~ {'(' * 60}a{')' * 60} ]]",
    ],
)
def test_both_ways_are_followed(test: str) -> None:
    result = read(f"if {test}; then cmd a; else cmd b; fi".encode(), "run.sh")
    assert [command.argv[1].text for command in result.commands if len(command.argv) == 2] == [
        "a", "b"
    ]  # fmt: skip


def test_a_search_for_a_free_port_is_left_after_a_few_rounds() -> None:
    """From a36600248-eng/CODE-GRPO: three checks a round, each of which may fail."""
    checks = "".join(
        f"  if {check}; then log $p; p=$((p + 1)); continue; fi\n"
        for check in ("healthy $p", "in_use $p", "in_use $((p + 40000))")
    )
    functions = "log() { echo $(date) $*; }\nhealthy() { curl $1; }\nin_use() { lsof -i:$1; }\n"
    result = reading(f"{functions}p=$2\nwhile true; do\n{checks}  break\ndone\ncmd $p\n")
    assert {problem.kind for problem in result.problems} <= {"limit"}
    assert not any("seconds" in p.message or "steps" in p.message for p in result.problems)
    assert any(command.argv[0].text == "cmd" for command in result.commands)
    assert len(result.commands) < 200


@pytest.mark.parametrize(
    ("test", "job"),
    [
        ("[ -z ${SLURM_JOB_ID+x} ]", True),  # BirgerMoell/qwen35-posttrain
        ('[ -z "${SLURM_JOB_ID:-}" ]', True),
        ('[[ -z "$SLURM_JOBID" ]]', True),
        ("[ -z ${OTHER_ID+x} ]", False),
    ],
)
def test_a_script_that_hands_itself_to_slurm_goes_on_in_the_job(test: str, *, job: bool) -> None:
    text = f'if {test}; then sbatch "$0"; exit; fi\ncmd\n'

    def names(script: str) -> list[str]:
        return [command.argv[0].text for command in reading(script).commands]

    assert "cmd" not in names(text) or "OTHER" not in test
    assert ("cmd" in names(f"#SBATCH --nodes=1\n{text}")) == job
