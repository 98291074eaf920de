"""What the script's own arguments are where nobody has named them."""

from __future__ import annotations

import pytest

from bot.shell import Invocation, read, readings


def commands(text: str, arguments: tuple[str, ...] | None = None) -> list[str]:
    result = read(text.encode(), "run.sh", Invocation(arguments=arguments))
    assert not result.problems
    return [" ".join(w.text for w in c.argv) for c in result.commands if c.argv[0].text == "cmd"]


USAGE = 'usage() { echo "usage: $0 GPUS PATH"; exit 1; }\n'
OPTIONS = "case $1 in -m) M=$2; shift 2;; *) break;; esac"
LETTERS = "case $o in m) M=$OPTARG;; *) exit 1;; esac"
UNSET = "${?variable K is not set in the script}"
FIRST, SECOND = "${?argument 1}", "${?argument 2}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Called without arguments, as the published run was.
        ('cmd a "$@"', ["cmd a"]),
        ("cmd a $@ $* ${@:2}", ["cmd a"]),
        ("cmd n=${1:-8} ${2:+--x $2} ${3-d}", ["cmd n=8 d"]),
        ('for x in "$@"; do cmd $x; done; cmd b', ["cmd b"]),
        (f"while [ $# -gt 0 ]; do {OPTIONS}; done; cmd ${{M:-d}}", ["cmd d"]),
        (f"while getopts m: o; do {LETTERS}; done; cmd ${{M:-d}}", ["cmd d"]),
        ('if [ "$1" = --debug ]; then D=1; else D=0; fi; cmd $D', ["cmd 0"]),
        ('M=$1; if [ -z "$M" ]; then M=d; fi; cmd $M', ["cmd d"]),
        ('M=${1:-}; [[ -n $M ]] || M=d; cmd $M ${M:-e}', ["cmd d d"]),
        ("M=$1; cmd ${M:-d} ${M:+x}", ["cmd d"]),
        ("case $1 in a) cmd a;; *) cmd b;; esac", ["cmd b"]),
        ("if [ $# -gt 0 ]; then cmd a; fi; cmd b $#", ["cmd b 0"]),
        ("f() { cmd \"$#\" $1; }; f; f x", ["cmd 0", "cmd 1 x"]),
        ("exit 0; cmd $1", []),
        # A value that nobody has named.
        ("cmd lr=$1 ${2}", [f"cmd lr={FIRST} {SECOND}"]),
        ('set -eu; N=$1; P=$2; shift 2; cmd $N $P "$@"', [f"cmd {FIRST} {SECOND}"]),
        ("shift; cmd $1", [f"cmd {SECOND}"]),
        ("cmd ${1:?a path}", [f"cmd {FIRST}"]),
        ("M=${1:-}; cmd m=$M", [f"cmd m={FIRST}"]),
        ('main() { cmd "$1" "$@"; }; main "$@"', [f"cmd {FIRST}"]),
        ('[ -z "$*" ] && exit 1\ncmd $1', [f"cmd {FIRST}"]),
        ('[[ -z "$@" ]] && exit 1\ncmd $1 "$@"', [f"cmd {FIRST}"]),
        # Nothing happens without arguments.
        (f'{USAGE}if [ "$#" -lt 2 ]; then usage; fi\ncmd $1 "${{@:3}}"', [f"cmd {FIRST}"]),
        ("if [ $# -lt 2 ]\nthen\n echo usage; exit 1\nfi\ncmd $2 $#", [
            f"cmd {SECOND} ${{?number of arguments}}"
        ]),
        ("[ $# -eq 0 ] && exit\ncmd $1", [f"cmd {FIRST}"]),
        ('[ $# -ge 1 ] || { echo usage; exit 1; }\nshift\ncmd $1 "$@"', [f"cmd {SECOND}"]),
        ("(( $# < 1 )) && exit 1\ncmd $1", [f"cmd {FIRST}"]),
        ('if [ -z "$1" ]; then exit 1; fi\ncmd $1', [f"cmd {FIRST}"]),
        ('M=$1\nif [ -z "$M" ]; then exit 1; fi\ncmd m=$M', [f"cmd m={FIRST}"]),
        ('M=${1:-}\n[[ -z "$M" ]] && exit 1\ncmd m=$M', [f"cmd m={FIRST}"]),
        ("case $1 in\n a) cmd a;;\n b) cmd b;;\n *) exit 2;;\nesac\ncmd c", [
            "cmd a", "cmd b", "cmd c"
        ]),
        ("if [ $# -lt 1 ]; then exit 1; else cmd n=${1:-8}; fi", ["cmd n=8"]),
        ("if [ $# -lt 1 ]; then exit; else cmd $1; fi", [f"cmd {FIRST}"]),
        ('main() { [ $# -lt 1 ] && exit 1; cmd $1; }\nmain "$@"', [f"cmd {FIRST}"]),
        ('[ $# = 0 ] && exit 1\nfor x in "$@"; do cmd x=$x; done', ["cmd x=${?an argument}"]),
        # From verl-ascend-recipe: two options, and nothing is started without both.
        (
            """M=; D=; for x in "$@"; do
                if [[ $x == --m* ]]; then M=${x#*=}; elif [[ $x == --d* ]]; then D=${x#*=}; fi
            done
            [[ -z "$M" || -z "$D" ]] && exit 1
            cmd $M $D""",
            ["cmd ${?an argument} ${?an argument}"],
        ),
        (f"[ $# = 0 ] && exit 1\nwhile true; do {OPTIONS}; done\ncmd m=${{M:-d}}", ["cmd m=d"]),
        (f"[ $# = 0 ] && exit 1\nM=d\nwhile getopts m: o; do {LETTERS}; done\ncmd m=$M", [
            "cmd m=${?value of an option}", "cmd m=d"
        ]),
    ],
)  # fmt: skip
def test_unnamed(text: str, expected: list[str]) -> None:
    assert commands(text) == expected


A, B, N = (f"${{?value of {name} behind the loop}}" for name in "ABN")
A_B = "--a) A=$2; shift 2;; --b) B=$2; shift 2;;"
LOOP = f"A=; B=; N=8; R=no\nwhile [[ $# -gt 0 ]]; do case $1 in {A_B}"
SHORT = f"{LOOP} *) shift;; esac; done\n"
LONG = f"{LOOP} --n) N=$2; shift 2;; --r) R=yes; shift;; -h) exit;; *) shift;; esac; done\n"
BY_LETTERS = """A=; B=
while getopts a:b: o; do case $o in a) A=$OPTARG;; b) B=$OPTARG;; *) exit 1;; esac; done
"""
TOGETHER = """A=; B=; N=8
while [ -n "$1" ]; do case $1 in --a) A=$2; N=1; shift 2;; --b) B=$2; shift 2;; *) exit;; esac; done
"""
OF_A_FILE = """A=; B=; N=8
while read -r k v; do case $k in a) A=$v;; b) B=$v;; n) N=$v;; esac; done < x.cfg
"""
NEEDED = '[ -z "$A" ] && exit 2\n[ -z "$B" ] && exit 2\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{SHORT}{NEEDED}cmd $A $B", [f"cmd {A} {B}"]),
        (f'{SHORT}if [[ -z $A || -z "$B" ]]; then exit 2; fi\ncmd $A', [f"cmd {A}"]),
        (f"f() {{ cmd $A; }}\nparse() {{\n{SHORT}}}\nparse \"$@\"\n{NEEDED}f", [f"cmd {A}"]),
        (f"{BY_LETTERS}{NEEDED}cmd $A $B", [f"cmd {A} {B}"]),
        # Options that have a default are left out, as far as nothing needs them.
        (f"{LONG}{NEEDED}cmd $A $B $N $R", [f"cmd {A} {B} 8 no"]),
        (f"{LONG}[ -z $A ] && exit\ncmd $A $N ${{B:-d}}", [f"cmd {A} 8 d"]),
        (f"{LONG}{NEEDED}[ $R = no ] && exit\ncmd $A $N", [f"cmd {A} {N}"]),
        # What is set together with what is needed is unknown too; lines of a file are no options.
        (f"{TOGETHER}{NEEDED}cmd $A $N", [f"cmd {A} {N}"]),
        (f"{OF_A_FILE}{NEEDED}cmd $N", [f"cmd {N}"]),
        # No option sets it.
        (f"{SHORT}C=\n{NEEDED}[ -z $C ] && exit\ncmd $A", []),
        (f"{SHORT}A=\n{NEEDED}cmd $A", []),
    ],
)  # fmt: skip
def test_several_options_that_nothing_is_done_without(text: str, expected: list[str]) -> None:
    assert commands(text) == expected


def test_what_one_option_was_asked_tells_nothing_of_several() -> None:
    (command,) = read(f"{LONG}{NEEDED}cmd $A".encode(), "run.sh").commands
    assert command.assumptions == ('`[ -z "$A" ]` is false', '`[ -z "$B" ]` is false')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{SHORT}other\nif [[ -n $A && -n $B ]]; then cmd a; fi", ["cmd a"]),
        ('R=$1\nother\nif [ "$R" = 0 ]; then cmd a; fi', ["cmd a"]),
        ("case ${1:-} in train) cmd a;; eval) cmd b;; *) usage;; esac", ["cmd a", "cmd b"]),
        ('other\n[ -n "${K:-}" ] && cmd a', ["cmd a"]),
        # From 065536/Asycn_verl: the head of a cluster, and its workers below.
        (
            'H=0; if [ "${RANK:-}" = 0 ]; then H=1; fi\nif [ $H = 1 ]; then cmd a; else ray; fi',
            ["cmd a"],
        ),
        ('other\nif [ "$R" = 0 ] && [ 1 = 2 ]; then cmd a $1; fi', []),
        ("other; cmd a ${1:-8}", ["cmd a 8"]),
    ],
)
def test_every_way(text: str, expected: list[str]) -> None:
    *_, whole = readings(text.encode(), "run.sh")
    found = [command for command in whole.commands if command.argv[0].text == "cmd"]
    assert [" ".join(word.text for word in command.argv) for command in found] == expected
    named = Invocation(arguments=(), environment={})
    assert len({*map(repr, readings(text.encode(), "run.sh", named))}) == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("other\n", 1),
        ("f() { other $1; }\nf a\n", 1),  # The function's, and none of the caller's.
        ('exit\n[ -n "${K:-}" ] && cmd a\n', 1),
        ('other\n[ -n "${K:-}" ] && cmd a\n', 2),
        ('other\n[ "$1" = 0 ] && cmd a\n', 2),
    ],
)
def test_there_is_no_second_reading_where_it_is_the_first(text: str, number: int) -> None:
    assert len([*readings(text.encode(), "run.sh")]) == number


def test_named_arguments_are_all_there_is() -> None:
    text = 'if [ $# -lt 2 ]; then exit 1; fi\ncmd $1 "$@" ${3:-d}'
    assert commands(text, ()) == []
    assert commands(text, ("a",)) == []
    assert commands(text, ("a", "b c")) == ["cmd a a b c d"]
    assert commands("cmd x$1 $#", ()) == ["cmd x 0"]


def test_what_is_assumed_is_said() -> None:
    (command,) = read(b"if [ $# -lt 2 ]; then exit 1; fi\ncmd a", "run.sh").commands
    assert command.assumptions == ("`[ $# -lt 2 ]` is false",)
    (command,) = read(b"if [ $# -gt 2 ]; then exit 1; fi\ncmd a", "run.sh").commands
    assert command.assumptions == ()


def test_default_of_an_argument_is_marked() -> None:
    (command,) = read(b"cmd ${1:-8}", "run.sh").commands
    assert [piece.default_of for piece in command.argv[1].pieces] == ["1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Empty unless given, as the published run may have left it.
        ("cmd ${KEY:-}", ["cmd"]),
        ('if [ "${DEBUG:-}" ]; then cmd d; fi; cmd a; exit 1', ["cmd a"]),
        # From EDAS-jd/EDAS: nothing is started without the variable.
        ('K="${K:-}"\nif [ -z "$K" ]; then exit 1; fi\ncmd $K', [f"cmd {UNSET}"]),
        ("[ -z ${K-} ] && exit 1\ncmd ${K:-}${M:-d}", [f"cmd {UNSET}d"]),
        # From Stellaris167/RAC.
        (': "${K:=}"\nif [ -z "$K" ]; then exit 1; fi\ncmd $K', [f"cmd {UNSET}"]),
        ("if [ -z ${K:-} ]; then exit; fi\nif [ $# = 0 ]; then exit; fi\ncmd a", ["cmd a"]),
        # What the script sets, or has a default, is no question.
        ("K=; if [ -z ${K:-} ]; then exit 1; fi\ncmd a", []),
        ("if [ ${K:-0} = 0 ]; then exit 1; fi\ncmd a", []),
    ],
)  # fmt: skip
def test_variables_without_which_nothing_is_done(text: str, expected: list[str]) -> None:
    assert commands(text) == expected


def test_a_given_environment_has_the_variable_or_has_it_not() -> None:
    text = b"if [ -z ${K:-} ]; then exit 1; fi\ncmd a"
    assert read(text, "run.sh", Invocation(environment={})).commands == ()
