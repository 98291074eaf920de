"""Generates scripts that set, change and hand on variables in every way that bash has.

Beside the grammar of `tests.shell.scripts`, whose words go deeper: here the statements do. What a
reading leaves unknown may be a hole.
"""

from __future__ import annotations

from hypothesis import strategies as st

_OPERATORS = (
    ":{o}",
    ":{o}:{n}",
    "#{p}",
    "##{p}",
    "%{p}",
    "%%{p}",
    "/{p}/r",
    "//{p}/r",
    "/#{p}/r",
    "/%{p}/r",
    "^",
    "^^",
    ",",
    ",,",
    "^^[a-m]",
    ":-d",
    "-d",
    ":+s",
    "+s",
    "//{p}",
)
_NAMES = ("A", "B", "N", "U", "1", "2", "L[0]", "L[1]", "L[-1]", "L[9]", "M[k]", "M[z]", "L", "@")
_LISTS = ("*", "L[@]", "L[*]")
_OFFSETS = ("0", "1", "2", " -1", " -2", " -5", "(-1)", "9", "1+1")
_COUNTS = ("0", "1", "2", "-1", "9")
_PATTERNS = (
    "a",
    "*",
    "?",
    "[a-c]",
    "*.",
    "'*'",
    "a*",
    "*b",
    "[!a]",
    "$A",
    '"$B"',
    ":",
    "\\*",
    ".*",
)
_VALUES = (
    "a",
    "'a b'",
    "'  x '",
    "a:b",
    "'a:b:'",
    "''",
    "3",
    "08",
    "-2",
    "x.tar.gz",
    "'*'",
    "$A",
    '"$A"',
    "$N",
    '"${L[@]}"',
    '"${L[*]}"',
    "$((N+1))",
    "$B",
    "{p,q}",
    "~/x",
    '"$*"',
    "a,b,,c",
    "${!P}",
    '"\\$A"',
    "'1+2'",
    "$(echo a b)",
    '"$(echo "a  b")"',
    "$'t\\tq'",
    "${U:=u}",
)
_DECLARING = (
    "declare",
    "local",
    "export",
    "readonly",
    "declare -x",
    "typeset",
    "declare -r",
    "export -n",
    "declare +x",
)
_CONDITIONS = (
    '[ -n "$A" ]',
    "[ -z $B ]",
    '[ "$A" = a ]',
    "[[ $B == [a-c]* ]]",
    '[[ $A != "*" ]]',
    "((N > 2))",
    "[[ $A =~ ^[a-z]+$ ]]",
    "[[ N -lt 3 ]]",
    "[[ -v A ]]",
    "[[ -v L[1] ]]",
    "[[ -z $U || -n $A ]]",
    "true",
    "false",
    "! true",
    "[[ $B < b ]]",
    '[ "$#" -eq 2 ]',
    '[ "$A" \\> a ]',
)
_STATEMENTS = (
    "{v}={w}",
    "{v}+={w}",
    "L[{i}]={w}",
    "L[{i}]+={w}",
    "L=({w} {w})",
    "L+=({w} {w})",
    "M[{k}]={w}",
    "M[{k}]+={w}",
    "{d} {v}={w} {v}={w}",
    "{d} {v}",
    "unset {v}",
    "unset L",
    "unset -v U",
    "printf -v {v} '%s-%s' {w} {w}",
    "printf -v 'L[1]' '%s' {w}",
    "read -r A B <<< {w}",
    "IFS=: read -r A B <<< {w}",
    "IFS=, read -r -a L <<< {w}",
    "read A <<< {w}",
    "set -- {w} {w}",
    "shift; cmd $?",
    "shift 2; cmd $?",
    "shift $#",
    "eval 'cmd \"$A\" $B'",
    'eval "X=\\$N"',
    'bash -c \'cmd "$1" "$A" "$#"; cmd "$0" x\' {q} {q}',
    "A={w} B={w} cmd {w}",
    "IFS=:; cmd {w} {w}; unset IFS",
    "((N++)); cmd $? $N",
    "((N=N>2?1:5))",
    "((L[0]=N)); cmd $?",
    "((A=5)); cmd $?",
    "cmd {w} {w} {w}",
    "rc=$?; cmd $rc",
    "N=2; P=B",
    "N=0; P='L[1]'",
    "set -u",
    "set +u",
    "set -e",
    "set +e",
    "set -f",
    "set +f",
    'declare -n Q=A; Q={w}; cmd "$Q"; Q+={w}; unset -n Q',
    "return 3; cmd $?",
    "break; cmd $?",
    'cat <<E | while read -r x y; do cmd "$x" "$y"; done\na $A \\$A\n${B:-d} `echo z` t\nE',
    "cat <<'E' | while read -r x; do cmd \"$x\"; done\na $A \\$A\nE",
    "cmd ${A!}",
    "cmd $((08))",
)
_COMPOUNDS = (
    "if {c}; then\n{s}\nelse\n{s}\nfi",
    "for i in {w} {w}; do\n{s}\n[ $i = a ] && continue\ncmd i=$i\ndone",
    "for i in {w} z; do\n{s}\nbreak\ndone; cmd $i",
    "for i in 1 2; do\nf2() { break; cmd in; }; f2\n{s}\ndone",
    'f() {\nlocal Y=$1 X\n{s}\nreturn 3\n}\nf {q} {w}; cmd $? "$A"',
    "f() {\nshift\n{s}\n}\nf {q} {q}",
    'f() {\nlocal -n Z=A; Z=9\n{s}\n}\nf; cmd "$A"',
    '( {s}\ncmd sub "$A"; exit 3 )\ncmd $? "$A"',
    'R=$(echo "$A-" o; exit 2); cmd $? "$R" $R\n{s}',
    "case {w} in {p}) {s}\n;;&\nq|*) cmd two\nesac",
    "{c} && { {s}\ncmd yes; } || cmd or",
    "for ((k=0; k<2; k++)); do\n{s}\n((k==1)) && break\ndone",
    "while {c}; do\n{s}\ncmd once\nbreak\ndone",
    "{ {s}\n} | cat",
)
_START = "A={a} B={b} N={n} E= P=A\nL=(l1 'l 2' '' x.y)\ndeclare -A M=([k]=v)\nset -- 1 '2 3'\n"
_END = '\ncmd "$A" "$B" "$N" "${L[@]}" "${M[k]-no}" "$#" "$@" end\n'


@st.composite
def _word(draw: st.DrawFn) -> str:
    """A value, or an expansion with an operator."""
    if draw(st.booleans()):
        return draw(st.sampled_from(_VALUES))
    name = draw(st.sampled_from((*_NAMES, *_LISTS)))
    kind = draw(st.integers(0, 5))
    if kind == 0:
        text = "${#" + name + "}"
    elif kind == 1:
        text = "${" + name + "}"
    else:
        operator = draw(st.sampled_from(_OPERATORS))
        for mark, choices in (("{o}", _OFFSETS), ("{n}", _COUNTS), ("{p}", _PATTERNS)):
            operator = operator.replace(mark, draw(st.sampled_from(choices)))
        text = "${" + name + operator + "}"
    return text if draw(st.booleans()) else f'"{text}"'


@st.composite
def _statement(draw: st.DrawFn, depth: int = 2) -> str:
    """One statement, which may hold others."""
    compound = depth > 0 and draw(st.integers(0, 2)) == 0
    text = draw(st.sampled_from(_COMPOUNDS if compound else _STATEMENTS))
    marks = {
        "{v}": st.sampled_from(("A", "B", "N", "X")),
        "{i}": st.sampled_from(("0", "2", "-1", "1+1")),
        "{k}": st.sampled_from(("k", "z", '"a b"', "01")),
        "{d}": st.sampled_from(_DECLARING),
        "{c}": st.sampled_from(_CONDITIONS),
        "{p}": st.sampled_from(_PATTERNS),
        "{q}": st.sampled_from(("'a b'", '"$A"', "'*'", "x")),
        "{w}": _word(),
        "{s}": _statement(depth - 1),
    }
    for mark, found in marks.items():
        while mark in text:
            text = text.replace(mark, draw(found), 1)
    return text


@st.composite
def features(draw: st.DrawFn) -> str:
    """A whole script."""
    start = (
        _START.replace("{a}", draw(st.sampled_from(("a", "'x y'", "/m/x-1.b", "'a:b'"))))
        .replace("{b}", draw(st.sampled_from(("b", "'*'", "''", "x,y"))))
        .replace("{n}", str(draw(st.integers(0, 6))))
    )
    return start + "\n".join(draw(st.lists(_statement(), min_size=2, max_size=7))) + _END
