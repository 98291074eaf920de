"""Scripts that use other files of their folder, judged by real bash: name → path of the script,
and all files."""

from __future__ import annotations

_ENV = {"env.sh": 'A=1 B="x y"\nexport C=c\nf() { cmd f "$1" $A; }\nL=(p "q r")\n'}

TREES: dict[str, tuple[str, dict[str, str]]] = {
    "source": ("run.sh", {**_ENV, "run.sh": 'source env.sh\ncmd $A $B "$B" "${L[@]}"; f z\n'}),
    "dot": ("run.sh", {**_ENV, "run.sh": ". ./env.sh\ncmd $A\n"}),
    "dirname of zero": (
        "a/b/run.sh",
        {"a/b/env.sh": "A=2\n", "a/b/run.sh": 'source "$(dirname "$0")/env.sh"; cmd $A "$0"\n'},
    ),
    "folder of the script": (
        "a/b/run.sh",
        {
            "a/lib/env.sh": "A=3\n",
            "a/b/run.sh": 'D="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"\n'
            'source "$D/../lib/env.sh"; cmd $A "$D"; cd "$D/.."; cmd "$PWD" "$OLDPWD"\n',
        },
    ),
    "source in a folder": (
        "run.sh",
        {"a/x.sh": ". ./y.sh\n", "a/y.sh": "Y=1\n", "run.sh": "cd a; . ./x.sh; cmd $Y\n"},
    ),
    "arguments of source": (
        "run.sh",
        {
            "x.sh": 'cmd in "$@" $#; set -- 7; cmd in "$@"\n',
            "run.sh": "set -- 1 2; . ./x.sh a 'b c'; cmd out $@; . ./x.sh; cmd out $@\n",
        },
    ),
    "return from source": (
        "run.sh",
        {"x.sh": "A=1\nreturn 3\nA=2\n", "run.sh": ". ./x.sh; cmd $? $A; . ./x.sh || cmd b\n"},
    ),
    "return from a function that sources": (
        "run.sh",
        {"x.sh": "return 0\ncmd no\n", "run.sh": "f() { . ./x.sh; cmd yes; }; f; cmd end\n"},
    ),
    "exit in source": ("run.sh", {"x.sh": "cmd a; exit\n", "run.sh": ". ./x.sh\ncmd b\n"}),
    "set -e from source": (
        "run.sh",
        {"x.sh": "set -e\n", "run.sh": ". ./x.sh\ncmd a; false\ncmd b\n"},
    ),
    "syntax error in source": (
        "run.sh",
        {"x.sh": "A=1\nfi\nA=2\n", "run.sh": ". ./x.sh\ncmd $A $?\n"},
    ),
    "names of the files": (
        "a/run.sh",
        {
            "lib/x.sh": 'cmd "$0" "${BASH_SOURCE[0]}" "$BASH_SOURCE" "${BASH_SOURCE[1]}" $LINENO\n'
            '\ng() { cmd "${BASH_SOURCE[0]}" $LINENO; }\n',
            "a/run.sh": '. lib/x.sh; g\ncmd "${BASH_SOURCE[0]}" "${BASH_SOURCE[1]-none}" $LINENO\n',
        },
    ),
    "was it sourced": (
        "run.sh",
        {
            "x.sh": '[[ "${BASH_SOURCE[0]}" == "$0" ]] && cmd main || cmd sourced\n',
            "run.sh": ". ./x.sh; bash x.sh\n",
        },
    ),
    "bash file": (
        "run.sh",
        {
            "x.sh": 'cmd "$0" "$@" "${A-unset}" "$B"; B=9; exit 4\n',
            "run.sh": 'A=1; export B=2; bash x.sh a "b c"; cmd $? $B\n'
            "C=3 bash -eu ./x.sh || cmd no\n",
        },
    ),
    "bash in a pipe and in the background": (
        "run.sh",
        {"x.sh": "python -m x $1\n", "run.sh": "bash x.sh a | cat\nbash x.sh b\n"},
    ),
    "output of bash": (
        "run.sh",
        {"x.sh": "echo a $1; true\n", "run.sh": 'X=$(bash x.sh b); cmd "$X"\n'},
    ),
    "options of bash": (
        "run.sh",
        {"x.sh": "false; cmd a\n", "run.sh": "bash -e x.sh; bash -o errexit x.sh; bash +e x.sh\n"},
    ),
    "bash -c": (
        "run.sh",
        {
            "env.sh": "A=1\n",
            "run.sh": "X=2; bash -c 'cmd $0 $1 ${X-none}; . ./env.sh; cmd $A' z y\n",
        },
    ),
    "bash -c without a name": (
        "run.sh",
        {"x": "", "run.sh": "bash -ec \"cmd '$0' b; exit 3\"; cmd $?\n"},
    ),
    "bash of its input": (
        "run.sh",
        {
            "x.sh": "cmd x $1\n",
            "run.sh": "X=1; export Y=2\nbash <<'EOF'\ncmd ${X-none} $Y\nEOF\n"
            "bash <<EOF\ncmd $X\nEOF\n"
            "bash -eus a 'b c' <<< 'cmd $1 \"$2\"'\n"
            "echo 'cmd piped' | bash; bash < x.sh; bash -n <<< 'cmd no'; bash -nc 'cmd no'\n",
        },
    ),
    "exec a script beside this one": (
        "a/run.sh",
        {
            "a/x.sh": '#!/bin/bash\ncmd a $X "$@"\n',
            "a/run.sh": 'D="$(cd "$(dirname "$0")" && pwd)"; export X=1; exec "$D/x.sh" "$@"\n',
        },
    ),
    "exec bash": ("run.sh", {"x.sh": "cmd a\n", "run.sh": "exec bash x.sh\ncmd b\n"}),
    "wrapped bash": (
        "run.sh",
        {
            "x.sh": "cmd ${A-none} $1\n",
            "run.sh": "nohup bash x.sh 1; timeout -k 5 10 bash x.sh 2; env A=3 bash x.sh 3\n",
        },
    ),
    "script in its own folder": (
        "a/run.sh",
        {
            "a/x.sh": "cmd $PWD\n",
            "a/run.sh": 'cd "$(dirname "$0")"; bash x.sh; (cd ..; cmd $PWD)\n',
        },
    ),
    "bash inside bash": (
        "run.sh",
        {
            "x.sh": "bash y.sh $1\n",
            "y.sh": "cmd y $1\n",
            "run.sh": "for i in 1 2; do bash x.sh $i; done\n",
        },
    ),
    "cat": ("run.sh", {"v": "a b\nc\n\n", "run.sh": 'cmd $(cat v) "$(cat v)" "$(< v)" $(<./v)\n'}),
    "cat of two": (
        "run.sh",
        {"v": "a ", "w": "b\n", "run.sh": 'cmd "$(cat v w)" "$(cat w - <<<x)"\n'},
    ),
    "lines of a file": (
        "run.sh",
        {
            "v": "a b\nc\n",
            "run.sh": 'while read -r x; do cmd "$x"; done < v; read y z < v; cmd $z\n'
            "cat v | while read q; do cmd q $q; done\n",
        },
    ),
    "a file that is there": (
        "run.sh",
        {
            "v": "A=1\n",
            "run.sh": "[ -f v ] && . ./v; cmd $A; if [[ -e ./v && -s v ]]; then cmd b; fi\n",
        },
    ),
    "realpath": (
        "a/b/run.sh",
        {
            "a/x.sh": "A=1\n",
            "a/b/run.sh": 'R=$(realpath "$(dirname "$0")/..")\n. $R/x.sh; cmd $R $A\n',
        },
    ),
    "realpath of the script": (
        "a/b/run.sh",
        {
            "a/x.sh": "A=1\n",
            "a/b/run.sh": 'D=$(dirname "$(realpath "${BASH_SOURCE[0]}")")\n'
            '. "$D/../x.sh"; cmd $A $D; cd "$(dirname "$(realpath -- "$0")")/.."; cmd $PWD\n',
        },
    ),
    "pushd": (
        "run.sh",
        {"a/b/x.sh": "A=1\n", "run.sh": "pushd a; pushd b; . ./x.sh; cmd $PWD $A\n"},
    ),
    "line ends of Windows in the script": (
        "run.sh",
        {"x.sh": "A='b c'\n", "run.sh": '. ./x.sh && cmd "$A" #\r\ncmd $A #\r\n'},
    ),
}
