"""Bad and hostile input: a problem with a place, in bounded time, and never an exception."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tracemalloc
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.shell import Invocation, ShellLimits, pieces, read
from bot.shell.words import Reading
from tests.profiles import scaled

SECONDS = 10.0
"""Far above what any of these take, so that a busy machine does not matter."""


def names(result: Reading) -> list[str]:
    return [word.text for command in result.commands for word in command.argv]


def test_pieces_that_are_replaced_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve doublings, each of pieces that the one before made, took the square of them."""
    seen: list[int] = []
    real = pieces.cut

    def counted(value: pieces.Value, start: int, end: int = sys.maxsize) -> pieces.Value:
        seen.append(len(value))
        return real(value, start, end)

    monkeypatch.setattr(pieces, "cut", counted)
    text = b"x=a\nfor i in {1..12}; do x=${x//a/aa}; done\ncmd $x\n"
    result = read(text, "a.sh")
    assert names(result) == ["cmd", "a" * 4096]
    assert sum(seen) < 4 * 4096


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ('cmd a\n\ncmd "b\nc\n', "this double quote is never closed", 3, 5),
        ("cmd a\n cmd 'b\nc\n", "this single quote is never closed", 2, 6),
        ("cmd a\ncmd $'b\n", "this quote is never closed", 2, 5),
        ("cmd a\ncmd $(b\n", "this `$(` is never closed", 2, 5),
        ('cmd a\nX="$(b "\n', "this double quote is never closed", 2, 8),
        ("cmd a\ncmd ${b\n", "this `${` is never closed", 2, 5),
        ("cmd a\ncmd `b\n", "this backquote is never closed", 2, 5),
        ("cmd a\nX=(b\nc\n", "this `(` is never closed", 2, 3),
        ('cmd a\nX=(\n "b"\n;\n)', "`;` is not expected here", 4, 1),
        ('cmd a\nfor x in y; do\nX=(\n "b"; "c"\n)', "`;` is not expected here", 4, 5),
        ("cmd a\nfor x in y; do X=(a; b)", "`;` is not expected here", 2, 20),
        # HAE-RAE/logical-puzzles, where the loop stands a hundred lines below.
        ("cmd a\n( X=(\nb\nc=1\nfor x in y; do\n  c\ndone )", "this `(` is never closed", 2, 5),
        ("cmd a\nif b; then\n  c\n", "this `if` is never closed: `fi` is missing", 2, 1),
        ("cmd a\nfor x in y; do\n  c\n", "this `for` is never closed: `done` is missing", 2, 1),
        ("cmd a\nf() {\n c\n", "this `{` is never closed: `}` is missing", 2, 5),
        ("cmd a\ncase x in\n a) b\n", "this `case` is never closed: `esac` is missing", 2, 1),
        ("cmd a\n[[ a == b\n", "this `[[` is never closed", 2, 1),
        ("cmd a\nfi\n", "`fi` is not expected here", 2, 1),
        ("cmd a\nb | | c\n", "`|` is not expected here", 2, 5),
        ("cmd a\nb )\n", "`)` is not expected here", 2, 3),
        ("cmd a\nif ; then b; fi\n", "`;` is not expected here", 2, 4),
        ("cmd a\nb >\n", "the line ends in the middle of a command", 2, 4),
        ("cmd a\nb &&\n", "the file ends in the middle of a command", 3, 1),
    ],
)
def test_syntax_error(text: str, message: str, line: int, column: int) -> None:
    result = read(text.encode(), "x.sh")
    (problem,) = result.problems
    place = result.source.place(problem.span)
    assert (problem.kind, problem.message) == ("syntax", message)
    assert (place.line, place.column) == (line, column)
    # Bash runs the lines before the error.
    assert names(result) == ["cmd", "a"]


def test_byte_order_mark() -> None:
    result = read(b"\xef\xbb\xbfcmd a\n", "x.sh")
    (problem,) = result.problems
    assert problem.kind == "syntax"
    assert "byte order mark" in problem.message
    assert result.source.text == "cmd a\n"
    assert names(result) == ["cmd", "a"]


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"cmd a\ncmd \xe9\n", 2, 5),
        (b"\xff\xfe", 1, 1),
        (b"cmd \xed\xa0\x80", 1, 5),
        (b"a\nb\0", 2, 2),
    ],
)
def test_not_text(data: bytes, line: int, column: int) -> None:
    result = read(data, "x.sh")
    (problem,) = result.problems
    place = result.source.place(problem.span)
    assert problem.kind == "encoding"
    assert (place.line, place.column) == (line, column)
    assert not result.commands


def test_empty_files() -> None:
    for data in (b"", b"\n", b"# note", b"\\", b"\xef\xbb\xbf", b"   \n\t\n"):
        result = read(data, "x.sh")
        assert not result.commands
        assert all("byte order mark" in problem.message for problem in result.problems)


HOSTILE = {
    "bytes": b"a=1\n" * 300_000,
    "parts": b"a " * 100_000,
    "depth": b"$( " * 1_000,
    "depth ": b"((" * 1_000,
    "depth  ": b"{ " * 1_000,
    "depth   ": b"${a:-" * 1_000,
    "depth    ": b"if " * 1_000,
    "depth     ": b"f() { f; }; f",
    "depth      ": b":(){ :|:& };:",
    "depth       ": b"f() { echo $(f)$(f); }; f",
    "depth        ": b"cmd " + b"{a," * 1_000 + b"b}" * 1_000,
    "commands": b"for i in {1..3000}; do cmd $i; done",
    "words": b"cmd {1..1000000000}",
    "words ": b"cmd " + b"{a,b}" * 40,
    "words  ": b"cmd $(seq 1 1000000000)",
    "words   ": b"A=(x)\n" + b'A=("${A[@]}" "${A[@]}")\n' * 40,
    "words    ": b'f() { f "$@" "$@"; }; f a',
    "expansion": b"a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" + b"a=$a$a\n" * 40,
    "expansions": b"a=x; while true; do a+=$a; done",
    "expansions ": b"a=" + b"a" * 50_000 + b"; cmd ${a//a*b/x}",
    "expansions  ": b"".join(b'a%d="a%d+a%d"\n' % (n, n + 1, n + 1) for n in range(28))
    + b"a28=1\ncmd $((a0))",
    "expansions   ": b"x=aaaa\ncase $x in " + b"[" * 8_000 + b") cmd;; esac",
    "expansions    ": b"case $x in "
    + b" ".join(b"a%d) cmd;;" % n for n in range(5_000))
    + b" esac",
    "expansions     ": b"cmd " + b"{" * 20_000 + b"a,b" + b"}" * 20_000,
    "arguments": b"cmd " + b" ".join(b"w%d" % n for n in range(3_000)),
    "listed": b"for i in {1..20}; do cmd $i {1..1000}; done",
    "seconds": b"for i in {1..3000}; do a=$i; done",
    "iterations": b"i=0; while true; do i=$((i+1)); done",
    "steps": b"for i in {1..300}; do for j in {1..300}; do x=$i$j; done; done",
    "worlds": b"".join(b"[ -f f%d ] && f%d() { :; }\n" % (n, n) for n in range(30)),
    "worlds ": b"cmd " + b"$(a >b && echo 1 || echo 2) " * 40,
    "expansions      ": b"for i in {1..3000}; do eval v$i=1; done\n"
    b"for i in {1..3000}; do x=$(a >b && echo 1 || echo 2); done",
    "variables": b"for i in {1..4900}; do eval x$i=1 y$i=1 z$i=1 w$i=1 v$i=1; done",
    "parts ": b'a=\'a=$a$a; eval "$a"\'; eval "$a"',
}


TIGHT = {"variables": ShellLimits(variables=2_000), "seconds": ShellLimits(seconds=0)}


@pytest.mark.slow
@pytest.mark.parametrize("bound", HOSTILE)
def test_bound_is_named(bound: str) -> None:
    limits = TIGHT.get(bound, ShellLimits())
    start = time.process_time()
    result = read(HOSTILE[bound], "x.sh", limits=limits)
    assert time.process_time() - start < SECONDS
    reached = [problem for problem in result.problems if problem.kind == "limit"]
    assert reached
    found = {match for p in reached for match in re.findall(r"the bound (\w+)=[\d.]+ ", p.message)}
    assert found <= {item.name for item in fields(ShellLimits)}
    assert bound.strip() in found
    for problem in result.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(result.source.text)


def test_slices_of_an_array_are_counted_by_their_elements() -> None:
    text = b"a=(%s)\nfor i in {1..20}; do b=(${a[@]:1:800}); done\n" % (b"x " * 900)
    assert read(text, "x.sh").problems == ()
    (problem,) = read(text, "x.sh", limits=ShellLimits(expansions=10_000)).problems
    assert problem.message.endswith("the bound expansions=10000 of the reader is reached")


@pytest.mark.parametrize(
    "data",
    [
        b"while true; do cmd; done; cmd after",
        b"for ((;;)); do ((i++)); done",
        b"a=%s; cmd ${a%%%%*a*a*a*a*a*b}" % (b"a" * 3_000),
        b"cmd $((" + b"(" * 5_000 + b"1" + b")" * 5_000 + b"))",
        b"cmd $((" + b"1+" * 1_500 + b"1)) $((" + b"-" * 3_001 + b"1))",
        b"a=a; cmd $((a)) ${!a}; declare -n r=r; cmd $r",
        b"cmd $(printf %1000000000d 1) $(printf '%*d' 1000000000 1)",
        b"".join(b"cat <<E%d\n" % n for n in range(5_000)),
        b"((a) " * 10_000,
        b"a[" * 100_000,
        b"`" * 20_001,
        b"((a);(b))\n" * 5_000,
    ],
)
def test_no_hang(data: bytes) -> None:
    start = time.process_time()
    read(data, "x.sh")
    assert time.process_time() - start < SECONDS


@pytest.mark.slow
def test_memory_is_bounded() -> None:
    tracemalloc.start()
    try:
        read(HOSTILE["parts"], "x.sh")
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


_FRAGMENTS = (
    "$", "(", ")", "((", "))", "{", "}", "${", "$((", "$(", "`", "\"", "'", "\\", "\n", " ", ";",
    ";;", "&", "&&", "|", "<", ">", "<<", "<<<", "<<-", "EOF", "if", "then", "fi", "else", "for",
    "in", "do", "done", "while", "case", "esac", "[[", "]]", "[", "]", "=", "+=", "a", "a=",
    "a=(", "$a", "${a", "#", "%", "/", ":", ":-", "@", "*", "~", "!", "eval ", "f()", "function",
    "local ", "declare -A ", "set -e", "cmd", "1", "..", ",", "-", "=~", "?", "é", "$'", "\t",
    "read ", "printf ", "echo ", "exit", "return", "break", "shift", "\r\n", "basename ",
    "tr -d ",
)  # fmt: skip


@settings(max_examples=scaled(1_500))
@given(parts=st.lists(st.sampled_from(_FRAGMENTS), max_size=30))
def test_never_raises_on_shell_like_text(parts: list[str]) -> None:
    text = "".join(parts)
    result = read(text.encode(), "x.sh")
    for problem in result.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(result.source.text)
    for command in result.commands:
        assert command.argv
        for word in command.argv:
            for piece in word.pieces:
                assert 0 <= piece.span.start <= piece.span.end <= len(result.source.text)


@settings(max_examples=scaled(300))
@given(data=st.binary(max_size=60))
def test_never_raises_on_bytes(data: bytes) -> None:
    read(data, "x.sh", Invocation(environment={}))


@settings(max_examples=scaled(300))
@given(text=st.text(max_size=40))
def test_never_raises_on_text(text: str) -> None:
    read(("cmd " + text + "\ncmd $a").encode(), "x.sh")


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression",
    [
        "(a*)*b",
        "(a|a)*b",
        "a*a*a*b",
        "(a|b|a)?" * 12 + "c",
        "a?" * 25 + "a" * 25,
        "(a*|b)?" * 5 + "c",
    ],
)
def test_no_regular_expression_takes_long(expression: str) -> None:
    """Python's `re` would try for hours; each of 2,000 is given up, or takes few steps."""
    start = time.process_time()
    for length in (1, 12, 30, 3000):
        lines = f"[[ {'a' * length} =~ {expression} ]] && cmd\n" * 500
        read(lines.encode(), "x.sh", Invocation(environment={}))
    assert time.process_time() - start < 20


_WATCHED = r"""
import sys
from bot.shell import read
seen = []
watching = False
def hook(event, arguments):
    if watching:
        seen.append((event, str(arguments)[:80]))
sys.addaudithook(hook)
scripts = [
    '$(touch x)',
    '`touch x`',
    'eval "touch x"',
    'source ./y.sh',
    '. y.sh',
    'cat <(touch x)',
    'echo a > x',
    ': > x',
    'exec > x',
    'cat < /etc/passwd',
    'touch x &',
    '(rm -rf ./nothing)',
    "trap 'touch x' EXIT",
    'if curl http://127.0.0.1:1; then :; fi',
    'echo a | tee x',
    'a=(*); cmd *',
    'cd /; pwd; realpath .',
    'cmd $(cat /etc/passwd) $(<x) ~root',
    'coproc touch x',
    '[ -f /etc/passwd ] && cmd',
    'exec python -c 1',
    'cmd $(hostname) $UID $(id -u)',
    'mapfile a < x; read b < x',
    '[[ a =~ (a|b)+ ]]; sed -i s/a/b/ x',
    'printf -v x %s y; cmd $x',
    'cmd {1..3} $((1+1)) ${x/a/b}',
]
# Watched at the last time: before it our own patterns are compiled, and classes with many objects.
for watching in [False] * 40 + [True]:
    for text in scripts:
        read(text.encode(), "x.sh")
watching = False
quiet = {"object.__getattr__", "sys._getframe"}
print([item for item in seen if item[0] not in quiet])
"""


@pytest.mark.process
def test_nothing_outside_the_reader_is_touched() -> None:
    """No process, file, socket or import while hostile scripts are read."""
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
