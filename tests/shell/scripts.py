"""Generates scripts from the grammar: every one is decidable, so bash and reader must agree."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("A", "B", "C", "N", "UNSET", "E")
ARRAYS = ("L", "M")
_LITERALS = (
    "a",
    "x1",
    "k.v=",
    "/m/Qwen-7B",
    "--o",
    "=",
    ",",
    "[0]",
    "{x}",
    "a:b",
    "+p",
    "#",
    "~",
    "%",
    "@",
    "é",
)
_QUOTED = (
    "a b",
    "  x ",
    "*",
    "c\td",
    "{a,b}",
    "it",
    "$A",
    "#",
    "~",
    "\\",
    "[1, 2]",
    '{"k": 1}',
    "",
    "q;r|s&t",
)
_IN_DOUBLE = ("a b", "'q'", " ", "*", "{a,b}", "\\$A", '\\"', "\\\\", "[1]", "#", "~/x", "\\n", "")
_PATTERNS = (
    "*",
    "?",
    "a",
    "*/",
    "-*",
    "[a-m]",
    "*[0-9]",
    "'*'",
    "x",
    "/*",
    "\\*",
    '"a"',
    "$B",
    "[!a]*",
)
_SIGNS = ("+", "-", "*", "<", "==", "&&", "||", "|", "&", ",")


@st.composite
def arithmetic(draw: st.DrawFn, depth: int = 2) -> str:
    """An expression without division, which could be by zero."""
    kind = draw(st.integers(0, 5 if depth else 2))
    if kind == 0:
        return str(draw(st.integers(0, 99)))
    if kind == 1:
        return draw(st.sampled_from(("N", "$N", "UNSET", "${#A}", "${#L[@]}", "N2")))
    if kind == 2:
        return f"{draw(st.integers(2, 40))}/{draw(st.integers(1, 9))}%{draw(st.integers(1, 9))}"
    left, right = draw(arithmetic(depth - 1)), draw(arithmetic(depth - 1))
    if kind == 3:
        return f"({left}) {draw(st.sampled_from(_SIGNS))} ({right})"
    if kind == 4:
        return f"({left} ? {right} : {draw(st.integers(0, 9))})"
    return f"-({left})+!({right})"


@st.composite
def expansion(draw: st.DrawFn, depth: int, quoted: bool) -> str:
    """`$X`, `${X…}`, `$((…))` or `$(…)`."""
    name = draw(st.sampled_from(NAMES))
    kind = draw(st.integers(0, 15 if depth else 7))
    pattern = draw(st.sampled_from(_PATTERNS))
    simple = (
        "${" + name + "}",
        "${#" + name + "}",
        "${" + name + draw(st.sampled_from(("#", "##", "%", "%%"))) + pattern + "}",
        "${L[@]}",
        "${M[*]}",
        "${" + name + draw(st.sampled_from(("^", "^^", ",", ",,"))) + "}",
        "${L[" + str(draw(st.integers(0, 3))) + "]}",
        "$" + draw(st.sampled_from(("*", "@", "#", "1", "2", "3"))),
    )
    if kind < 8:
        return simple[kind]
    inner = draw(word(depth - 1, quoted=quoted, braced=True))
    if kind == 8:
        return "${" + name + draw(st.sampled_from((":-", "-", ":+", "+"))) + inner + "}"
    if kind == 9:
        return "${" + name + draw(st.sampled_from(("/", "//", "/#", "/%"))) + pattern + "/z}"
    if kind == 10:
        return "${" + name + f":{draw(st.integers(0, 4))}:{draw(st.integers(0, 4))}" + "}"
    if kind == 11:
        return "${L[@]:" + str(draw(st.integers(0, 3))) + "}"
    if kind == 12:
        return "$((" + draw(arithmetic()) + "))"
    if kind == 13:
        return "$(echo " + draw(word(depth - 1)) + ")"
    if kind == 14:
        return "${M[@]" + draw(st.sampled_from(("%", "##"))) + pattern + "}"
    return "$(printf '%s-' " + draw(word(depth - 1)) + ")"


@st.composite
def word(draw: st.DrawFn, depth: int = 2, quoted: bool = False, braced: bool = False) -> str:
    """A word; `quoted` for text inside double quotes, `braced` for the operand of `${X:-…}`."""
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 6))
        if quoted:
            if kind < 3:
                text = draw(st.sampled_from(_IN_DOUBLE))
                parts.append(text.replace("}", "").replace("{", "") if braced else text)
            else:
                parts.append(draw(expansion(depth, True)) if depth else "t")
        elif kind == 0:
            literal = draw(st.sampled_from(_LITERALS))
            parts.append("l" if braced and literal in ("{x}", "#", "%") else literal)
        elif kind == 1:
            parts.append("'" + draw(st.sampled_from(_QUOTED)) + "'")
        elif kind == 2:
            parts.append("\\" + draw(st.sampled_from(("$", " ", "*", '"', "'", "\\", "a", "#"))))
        elif kind == 3:
            parts.append('"' + (draw(word(depth - 1, quoted=True)) if depth else "u") + '"')
        elif kind == 4 and not braced:
            parts.append(draw(st.sampled_from(("{a,b}", "{1..3}", "x{,y}", "{p,{q,r}}", "{2..1}"))))
        else:
            parts.append(draw(expansion(depth, False)) if depth else "v")
    text = "".join(parts)
    # A comment would swallow the rest of the line.
    return "w" + text if text.startswith("#") else text


@st.composite
def condition(draw: st.DrawFn) -> str:
    """A condition that can be decided."""
    one, two = draw(word(1, quoted=True)), draw(word(1, quoted=True))
    pattern = draw(st.sampled_from(_PATTERNS))
    return draw(
        st.sampled_from(
            (
                f'[ "{one}" = "{two}" ]',
                f'[ -n "{one}" ]',
                f'[ -z "{one}" ] || [ {draw(st.integers(0, 9))} -lt 5 ]',
                f'[[ "{one}" == {pattern} ]]',
                f'[[ "{one}" != "{two}" && -n "$A" ]]',
                f"(( {draw(arithmetic(1))} ))",
                "! false",
                f'test {draw(st.integers(0, 9))} -ge {draw(st.integers(0, 9))} && [ -n "$A" ]',
                "[[ -v UNSET || -v A ]]",
            )
        )
    )


@st.composite
def _simple(draw: st.DrawFn) -> str:
    """A statement on one line, or a here-document."""
    kind = draw(st.integers(0, 8))
    name = draw(st.sampled_from(("A", "B", "C", "E")))
    match kind:
        case 3:
            declaring = draw(st.sampled_from(("", "export ", "declare Z=$A ")))
            return f"{declaring}{name}={draw(word(1))}"
        case 4:
            return f"{name}+={draw(word(1))}"
        case 5:
            array = draw(st.sampled_from(ARRAYS))
            words = [draw(word(1)) for _ in range(draw(st.integers(0, 3)))]
            return f"{array}{draw(st.sampled_from(('=', '+=')))}(" + " ".join(words) + ")"
        case 6:
            return f"N=$(({draw(arithmetic())}))"
        case 7:
            return f"set -- {draw(word(1))} 'p q'"
        case 8:
            body = draw(word(1, quoted=True)).replace('"', "")
            return f"read -r -d '' {name} <<EOF\nx {body}\nEOF"
        case _:
            words = [draw(word()) for _ in range(draw(st.integers(1, 3)))]
            return draw(st.sampled_from(("cmd ", "V=1 cmd ", "python -m x "))) + " ".join(words)


@st.composite
def statement(draw: st.DrawFn, depth: int = 2) -> str:
    """One statement, which may span lines."""
    kind = draw(st.integers(0, 15 if depth else 8))
    if kind <= 8:
        return draw(_simple())
    body = "\n".join(draw(st.lists(statement(depth - 1), min_size=1, max_size=2)))
    other = draw(statement(depth - 1))
    match kind:
        case 9 | 10:
            return f"if {draw(condition())}; then\n{body}\nelse\n{other}\nfi"
        case 11:
            return f"for i in {draw(word(1))} z; do\n{body}\ncmd i=$i\ndone"
        case 12:
            patterns = draw(st.sampled_from(_PATTERNS))
            subject = draw(word(1, quoted=True))
            return f'case "{subject}" in\n{patterns}|q) {other}\n;;\n*)\n{body}\nesac'
        case 13:
            return f"f() {{\nlocal C=$1\n{body}\n}}\nf {draw(word(1))}\n{other}"
        case 14:
            return f"for ((k=0; k<2; k++)); do\n{body}\ndone\n{{\n{other}\n}}"
        case _:
            return f"(\n{body}\ncmd sub\n)\n{draw(condition())} && cmd yes"


@st.composite
def script(draw: st.DrawFn) -> str:
    """A whole script."""
    start = (
        f"A={draw(st.sampled_from(('a', '/m/x-1', chr(34) + ' a  b ' + chr(34))))}\n"
        f"B='{draw(st.sampled_from(('*', 'b', 'x y', '')))}'\n"
        f"C=\"$A-1\" N={draw(st.integers(0, 20))} E=\nL=(l1 'l 2' \"\") M=()\nset -- 1 '2 3'\n"
    )
    statements = draw(st.lists(statement(), min_size=1, max_size=6))
    return start + "\n".join(statements) + '\ncmd "$A" "$B" "$C" "${L[@]}" "${M[@]}" $N $E end\n'


_UNKNOWN_STARTS = (
    ('C="$A-1" N=', 'C="$A-1" N=$(pick 4)'),
    ("L=(l1 ", "L=($(pick l1) "),
    ("B='", "B=$(pick b)'"),
    (" E=", " E=$(pick e)"),
)
_ON_UNKNOWN = (
    "((N += $(pick 2)))",
    "((N = N * 2))",
    "((N++))",
    "let N=N+1",
    'let "N=$(pick 3)"',
    ": $((N = N + 1))",
    "((L[0] = N)); cmd ${L[0]}",
    "((L[N] = 3)); cmd ${L[1]}",
    "N=$(( N > 3 ? (E = 1) : (E = 2) ))",
    "N=$(pick 3)",
    "A=${A}$(pick z)",
    "L+=($(pick k))",
    "L[1]=$(pick m)",
    "M=(${L[@]})",
    "M[N]=1",
    "E=${E:-$(pick d)}",
    "read -r E <<< $(pick 5)",
    "printf -v E '%s' $(pick 7)",
    "[ $N -gt 3 ] && E=big",
    "if (( N > 4 )); then C=many; else C=few; fi",
    "for q in $(pick 1 2); do E=$q; done",
    "case $N in 5) E=five;; *) E=other;; esac",
    "while (( N > 90 )); do N=1; done",
    "shift $((N % 2))",
    "declare -i Z=N+1; cmd $Z",
    "export Q=$N; cmd q",
    "f2() { local E=$N; cmd $E; }; f2",
    "A=$N; unset N; N=${A:-4}",
    "E=$(if [ $N = 5 ]; then echo a; else echo b; fi)",
    'eval "E=$N"',
    'IFS=, read -r C E <<< "$N,b"',
    "mapfile -t L < <(pick 1)",
    "set -- $(pick 1 2) r; cmd $# $2",
    'set -- r $(pick) "$@"; cmd "$1" "$2" "${@:2}"',
    'f3() { cmd "$1" "$2" $#; shift; cmd "$@"; }; f3 $(pick p q) "$A" $E',
    "for q in a $(pick 1 2) b; do ((N++)); cmd $q; done",
    'while [ $# -gt 0 ]; do cmd "$1"; shift; done',
)


@st.composite
def uncertain(draw: st.DrawFn) -> str:
    """A script some of whose values nobody can know without running it."""
    # `read` takes the blanks off behind what may be empty.
    text = draw(script()).replace("\nEOF", "z\nEOF")
    for known, unknown in _UNKNOWN_STARTS:
        if draw(st.booleans()):
            text = text.replace(known, unknown, 1)
    lines: list[str] = []
    for line in text.split("\n"):
        lines.append(line)
        if line.startswith(("cmd", "python", "set", "N=", "E=", "C=")) and not draw(
            st.integers(0, 2)
        ):
            lines.append(draw(st.sampled_from(_ON_UNKNOWN)))
    return "\n".join(lines)
