# Small scripts, one construct each, judged by real bash. Each starts behind a line of `#==`.
#== single quotes
cmd 'a b' 'c"d' '' 'x'y'z'
#== double quotes
X=1; cmd "a $X b" "" "a\"b" "\$X" "\\" "\a" "a
b" "`echo q`"
#== backslash
cmd a\ b \$X \\ \'x \"y a\bc
#== ansi c quotes
cmd $'a\tb\n' $'\x41\101\u00e9' $'it\'s' $'a\\b' \$'x' $'\e[0m' $'\cA'
#== locale quotes
X=1; cmd $"a $X"
#== mixed quotes
X=v; cmd a'b'"c"\d$X"e"'$X' '["console","wandb"]' ["console","wandb"]
#== hash in a word
cmd a#b '#c' \#d $# # comment
cmd e
#== quoted newline
cmd 'a
b'
cmd "c
d"
#== dollar alone
cmd $ a$ "$" "a$" $% "$."
#== json in quotes
cmd --env='{"a": {"b": [1, 2]}}' --x="{\"a\": 1}" 
#== continuation
cmd a \
  b \
  c
cmd d
#== continuation inside a word
cmd ab\
cd
#== continuation inside quotes
cmd "ab\
cd" 'ab\
cd'
#== blank line after continuation
cmd a \

cmd=1 cmd b
#== comment after continuation
cmd a \
  # note
  python b
cmd c
#== words run as a command of their own
cmd a \
  # note
  trainer.nnodes=1 \
  x=2
cmd c
#== comment line between continued words
cmd a \
# b \
cmd c
#== blank behind the backslash
cmd a \ 
cmd b
#== assignment
A=1 B=2; C=$A$B; cmd $A $B $C
#== append
A=1; A+=2; A+=$A; cmd $A
#== empty value
A=; B=""; cmd "$A" $A "$B" x
#== value with blanks
A="x  y"; B=$A; cmd $A "$A" $B "$B"
#== no splitting in an assignment
A='x  y'; B=$A$A; cmd "$B"
#== prefix
A=0; A=1 B=$A cmd x $A; cmd $A
#== export
export A=1 B; B=2; cmd x; C=3; export C; cmd y; unset A; cmd z
#== export of a computed name
N=A; export "$N=1 2"; cmd "$A"
#== export append
export A=1; export A+=2; cmd $A
#== export -n
export A=1; export -n A; cmd x; A=2; cmd $A; export A; export -n A=3 B=4; cmd $A $B
#== declare +x
export A=1 B=2; declare +x A; cmd $A $B; typeset -x A; cmd y
#== declare
declare A=1; declare -x B=2; declare -r R=9; cmd $A $B $R
#== declare plain words split
X='1 2'; declare Y=$X; cmd "$Y"
#== typeset
typeset N=7; N+=1; cmd $N
#== readonly
readonly A=1; cmd $A; A=2; cmd $A
#== set -a
set -a; A=1; set +a; B=2; cmd x
#== name reference
A=1; declare -n R=A; R=2; cmd $A $R ${!R}
#== unset
A=1; unset A; cmd "${A-gone}" "${A}"
#== assignment looking word
cmd a=1 --b=2 'c=3' d='4 5'
#== array
A=(a "b c" d); cmd "${A[@]}" ${A[@]} "${A[*]}" ${#A[@]} ${A[1]} "${A[-1]}" $A
#== array lines
A=(
  a  # note
  b=1

  'c d'
)
cmd "${A[@]}"
#== array append
A=(a); A+=(b c); A[5]=f; A+=(g); cmd "${A[@]}" "${!A[@]}" ${#A[@]}
#== array element append
A=(a b); A[1]+=c; cmd ${A[1]}
#== array indices
A=([3]=x [1]=y z); i=3; cmd ${A[$i]} ${A[i]} ${A[i-1]} ${A[1+0]} ${!A[*]}
#== empty array
A=(); cmd "${A[@]}" x"${A[@]}"y ${A[@]} "${A[*]}" ${#A[@]}
#== empty array under set -u
set -u; A=(); cmd "${A[@]}" ${A[@]+x}
#== array slices
A=(a b c d); cmd "${A[@]:1}" "${A[@]:1:2}" "${A[@]: -2}" "${A[@]:0:1}"
#== array operators
A=(x.a y.b); cmd "${A[@]%.*}" "${A[@]/x/z}" "${A[@]^}" "${A[@]#x}"
#== array with an expansion
X="1 2"; A=($X "$X" {p,q}); cmd "${A[@]}"
#== array join by IFS
A=(a b c); IFS=,; cmd "${A[*]}" ${A[*]}; B="${A[*]}"; cmd "$B"
#== associative array
declare -A M=([a]=1 [b c]=2); M[d]=3; k=d; cmd ${M[a]} "${M[b c]}" ${M[$k]} ${#M[@]}
#== associative default
declare -A M; M[x]=1; cmd ${M[y]:-none} ${M[x]:-none}
#== array in a word
A=(a b); cmd x"${A[@]}"y x${A[@]}y
#== array copy
A=(a "b c"); B=("${A[@]}" d); cmd "${B[@]}"
#== array of empties
A=("" a ""); cmd "${A[@]}" ${A[@]} ${#A[@]}
#== scalar as array
A=x; cmd "${A[@]}" "${A[0]}" "${#A[@]}"; A+=(y); cmd "${A[@]}"
#== subscript arithmetic
A=(1 2 3); n=1; A[n+1]=9; cmd ${A[@]} ${A[n*2]}
#== default
cmd ${U:-d} ${U-d} "${U:-a b}" ${U:-a b} ${U:-"a b"} ${U:-}; E=; cmd ${E:-d} "${E-d}"
#== default with quotes
cmd ${U:-['a','b']} "${U:-['a','b']}" "${U:-"a b"}" ${U:-'x y'}
#== default of a default
cmd ${U:-${V:-w}} ${U:-$((1+2))} ${U:-$(echo s)}
#== default with braces
cmd ${U:-{a}} "${U:-{"a":1}}" ${U:-\}} ${U:-{a,b}}
#== assign default
cmd ${U:=d}; cmd $U; : "${V:=x y}"; cmd $V "$V"; : ${U:=e}; cmd $U
#== alternative
X=1; cmd ${X:+set} ${U:+set} "${U:+set}" ${X+a b} "${X:+a b}"; E=; cmd ${E+e} ${E:+f}
#== error when unset
X=1; cmd ${X:?no}; cmd ${U:?missing}; cmd after
#== prefix removal
P=/a/b/c.tar.gz; cmd ${P#*/} ${P##*/} ${P#/a} ${P#x} "${P##*.}"
#== suffix removal
P=/a/b/c.tar.gz; cmd ${P%/*} ${P%%/*} ${P%.gz} ${P%%.*} "${P%.*}"
#== removal of a quoted pattern
P='a*b*c'; cmd "${P#*'*'}" "${P##*"*"}" ${P%\**}; q='*'; cmd "${P#*$q}" "${P#*"$q"}" 
#== replacement
X=a.b.c; cmd ${X/./-} ${X//./-} ${X/#a/z} ${X/%c/z} ${X//./} ${X//[ab]/<>} ${X/.}
#== replacement of a slash
P=a/b/c; cmd ${P//\//_} ${P////_} ${P/\/*/}
#== replacement with match
X=abc; cmd "${X/b/"&"}" "${X/b/'&'-}" ${X//?/-}
#== case change
X=hello; cmd ${X^} ${X^^} ${X^^[aeiou]}; Y=ABC; cmd ${Y,} ${Y,,} ${Y,,B}
#== slice
X=abcdef; cmd ${X:2} ${X:1:3} ${X: -2} ${X:0:-1} ${X:(-3):2} ${X:9}; n=2; cmd ${X:n:1} ${X:$n}
#== length
X=héllo; A=(1 22); cmd ${#X} ${#A} ${#A[1]} ${#U} ${#}; set -- a b; cmd $# ${#@}
#== indirect
A=B; B=3; cmd ${!A} ${!A:-x}; N='L[1]'; L=(x y); cmd ${!N}; M='L[@]'; cmd ${!M}
#== special parameters
set -- a "b c"; cmd $# "$*" "$1" ${2} ${2:-x} ${3:-y} "${@: -1}"; false; cmd $?
#== arguments
set -- a "b  c" ""; cmd "$@"; cmd $@; cmd "$*"; cmd $*; cmd x"$@"y; IFS=-; cmd "$*"
#== no arguments
cmd "$@" $@ "$*" x"$@"; cmd "" "$@"
#== nested operators
P=/m/Qwen2.5-7B; B=${P##*/}; cmd ${B,,} ${B%%-*} ${B#*-}; cmd "${B//./_}"
#== bad substitution
cmd a; cmd ${X!}; cmd b
cmd c
#== unbound
set -u; cmd a; cmd $NOPE; cmd b
#== underscore glued
A=1; cmd $A_B ${A}_B "$A-B" $A.b $A/x
#== digits
set -- a b c d e f g h i j k; cmd $1 $10 ${10} ${11}
#== arithmetic
N=8; cmd $((N*2)) $((N/3)) $((-N/3)) $((N%3)) $((2**10)) $(( (N+1)*2 )) $((N>7?1:0))
#== arithmetic names
A=B; B=5; cmd $((A+1)) $((U+1)) $(($B+1)) $(("B"+1))
#== arithmetic assignment
((x=3, y=x*2)); ((x++)); ((y+=x)); cmd $x $y $((x++)) $x $((--x)) $((y<<=1))
#== arithmetic bases
cmd $((0x1F)) $((010)) $((2#101)) $((16#ff)) $((10#08))
#== arithmetic logic
cmd $((1&&0)) $((1||0)) $((!1)) $((~0)) $((5&3)) $((5|3)) $((5^3)) $((1<2)) $((1==2))
#== arithmetic wraps
cmd $((9223372036854775807+1)) $((1<<63))
#== arithmetic arrays
A=(1 2 3); cmd $((A[1]+A[2])) $((${#A[@]}*2)); ((A[0]+=5)); cmd ${A[0]}
#== arithmetic old form
cmd $[1+2]
#== arithmetic command status
if ((1>2)); then cmd a; else cmd b; fi; ((0)) || cmd c
#== let
let a=1+2 'b = a * 2'; cmd $a $b
#== division by zero
cmd a; cmd $((1/0)); cmd b
cmd c
#== nested parentheses
a=1 b=2; cmd ${U:-$(((a+b)*2))} $(( ((a)) ))
#== division cascade
G=8 N=2 T=4; W=$((G*N/T)); cmd $W $((W*(T-1)))
#== splitting
X=' a  b '; cmd $X x${X}y "$X"$X; IFS=:; Y=a:b::c:; cmd $Y "$Y"; IFS=; cmd $Y
#== splitting by a blank and a sign
IFS=' ,'; X='a , b,c  d,,e'; cmd $X
#== globs stay
cmd *.nope [0]*$U a? '*' \*
#== braces
cmd {a,b} x{1,2}y {a,b}{1,2} {a,{b,c}} {1..4} {a..c} {01..03} {5..1..2} {a,"b c"}
#== braces unquoted dictionary
cmd {a:1,b:2} +x={a:1,b:2} x={a:1} y={} {x} '{a,b}' "{a,b}" {a,b
#== braces and variables
X=1; cmd {$X,2} {1..$X} ${X}{a,b} "$X"{a,b} {a,b}"$X"
#== braces quoted comma
cmd {a','b} {a\,b} \{a,b} {a,b\} {,} a{,b}
#== tilde
cmd ~ ~/x "~/x" \~ a~ --p=~/x ab=~/x a.b=~/x x:~/y; A=~/m:~/n B="~/q"; cmd $A "$B" ${U:-~/z}
#== substitution
cmd $(echo a b) "$(echo a  b)" `echo c` $(echo "x  y") pre$(echo m)post
#== substitution line ends
X=$(printf "a\nb\n\n"); cmd "$X" $X
#== nested substitution
cmd $(echo $(echo a) "$(echo "b c")") `echo \`echo d\``
#== substitution with quotes
X="$(echo "a 'b'" 'c "d"')"; cmd "$X" 
#== path tools
P=/a/b/c.sh; cmd $(dirname $P) $(basename $P) $(basename $P .sh) $(basename -- "$P") $(dirname c)
#== text tools
cmd $(echo a-b | tr - _) $(echo A-B | tr 'A-Z' 'a-z') $(echo aba-b | tr aba xyz) $(echo a-b | tr -d -) $(seq 3) $(seq 5 -2 0) $(seq 3 1)
#== counting tools
cmd $(printf 'a\nb' | wc -l) $(seq 1 2 7 | wc -l)
#== gpus of CUDA_VISIBLE_DEVICES
D=0,1,2,3; N=$(echo $D | tr ',' '\n' | wc -l); cmd $N; N=$(echo $D | awk x); A=(${D//,/ }); cmd ${#A[@]}
#== here-document in a substitution
X=$(cat <<EOF
a $((1+1))
b
EOF
)
cmd "$X"
#== substitution status
X=$(false) || cmd failed; if X=$(true); then cmd ok; fi
#== printf formats
cmd $(printf '%s-%s ' a b c) $(printf '%03d' 7) $(printf '%.2f' 1.5) $(printf 'x%%'); printf -v V '%s_%d' n 5; cmd $V
#== printf of words
cmd $(printf '%s,' a b c) "$(printf '%5s|%-5s|' a b)"
#== echo options
cmd "$(echo -n a)" "$(echo -e 'a\tb')" "$(echo 'a\tb')" "$(echo -ne 'x\ny')"
#== subshell keeps its changes
X=1; (X=2; cmd $X); cmd $X; Y=$(X=3; echo $X); cmd $X $Y
#== pwd and cd
cd /; cmd $(pwd) "$PWD"; cd /usr/; cmd "$PWD" "$OLDPWD"; cd ..; cmd $PWD; (cd /tmp); cmd $PWD
#== if
X=2; if [ $X = 1 ]; then cmd a; elif [ $X -eq 2 ]; then cmd b; else cmd c; fi
#== test operators
[ a = a ] && cmd 1; [ a != a ] || cmd 2; [ -z '' ] && cmd 3; [ -n x ] && cmd 4; [ 3 -gt 2 ] && cmd 5; [ ! 3 -le 2 ] && cmd 6; [ x ] && cmd 8; test 1 -ne 1 || cmd 9
#== test with an empty variable
if [ $U = a ]; then cmd 1; else cmd 2; fi; [ -z $U ] && cmd 3; [ -n $U ] && cmd 4; [ -n "$U" ] || cmd 5
#== double brackets
X=abc; [[ $X == a* ]] && cmd 1; [[ $X == "a*" ]] || cmd 2; [[ $X != b* ]] && cmd 3; [[ -n $X && ( $X < b || z == z ) ]] && cmd 4; [[ ! $X == abc ]] || cmd 5
#== double brackets numbers
N=5; [[ N -gt 3 ]] && cmd 1; [[ $N -eq 2+3 ]] && cmd 2; [[ 10 < 9 ]] && cmd 3
#== double brackets patterns
X=foo.bar; p='*.bar'; [[ $X == $p ]] && cmd 1; [[ $X == "$p" ]] || cmd 2; [[ $X == @(foo|baz).* ]] && cmd 3; [[ $X == f[a-p]o.??? ]] && cmd 4; [[ a == [!b] ]] && cmd 5
#== variable is set
X=; [[ -v X ]] && cmd 1; [[ -v U ]] || cmd 2; [ -v X ] && cmd 3
#== and or
true && cmd 1 || cmd 2; false && cmd 3 || cmd 4; false || true && cmd 5; ! false && cmd 6; ! true || cmd 7
#== case
X=llama; case $X in qwen*) cmd 1;; l*a|m*) cmd 2;; *) cmd 3;; esac; case $X in q) ;; esac; case a in (a) cmd 4 ;& b) cmd 5;; c) cmd 6;; esac; case a in a) cmd 7;;& [a-c]) cmd 8;; esac
#== case quoting
X='*'; case abc in "$X") cmd 1;; $X) cmd 2;; esac; case 'a b' in a\ b) cmd 3;; esac; case "" in '') cmd 4;; esac
#== case on lines
case "$U" in
  ""|none)
    M=a
    ;;
  *)
    M=b
esac
cmd $M
#== for
for i in a "b c" {1..3}; do cmd $i "$i"; done; cmd $i; for x in; do cmd no; done
#== for over arguments
set -- p "q r"; for a; do cmd "$a"; done; for a in "$@"; do cmd $a; done
#== for over an array
A=(1 2 3); for a in "${A[@]}"; do for b in x y; do cmd $a$b; done; done
#== arithmetic for
for ((i=0; i<3; i++)); do cmd $i; done; for ((;;)); do break; done; cmd $i
#== while
i=0; while [ $i -lt 3 ]; do cmd $i; i=$((i+1)); done; until ((i==0)); do ((i--)); done; cmd $i
#== break and continue
for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; cmd $i; done; for i in 1 2; do for j in 1 2; do break 2; done; cmd no; done; cmd $i$j
#== while shift
set -- --a 1 --b 2 rest; while [[ $# -gt 0 ]]; do case $1 in --a) A=$2; shift 2;; --b) B=$2; shift 2;; *) R=$1; shift;; esac; done; cmd $A $B $R $#
#== while read
while read -r a b; do cmd "$a" "$b"; done <<< "1 2 3"; while read l; do cmd "$l"; done <<EOF
x y
z
EOF
#== getopts
set -- -a -b val rest; while getopts "ab:" o; do case $o in a) cmd a;; b) cmd b $OPTARG;; esac; done; shift $((OPTIND-1)); cmd $1
#== loop redirected
for i in 1 2; do cmd $i; done > /dev/null 2>&1; { cmd a; cmd b; } 2>&1 | cat
#== function
f() { cmd "$1" $# "$@"; }; f a "b c"; function g { local x=$1; cmd $x; }; x=0; g 1; cmd $x; function h() { return 3; }; h; cmd $?
#== local
x=1; f() { local x=2 y; y=3; g; }; g() { cmd $x $y; x=4; }; f; cmd $x $y
#== function changes
f() { A=$1; shift; B=$*; }; f 1 2 3; cmd $A $B $#; f2() { set -- a; cmd $1; }; set -- z; f2; cmd $1
#== recursion
f() { [ $1 -le 0 ] && return; cmd $1; f $(($1-1)); }; f 3
#== return stops
f() { cmd 1; return; cmd 2; }; f; f && cmd 3; g() { return 1; }; g || cmd 4
#== function prefix
f() { cmd "$A"; }; A=1 f; cmd "$A"
#== function output
f() { echo "v-$1"; }; X=$(f 7); cmd $X
#== function in a subshell
f() ( x=2; cmd $x ); x=1; f; cmd $x
#== function defined late
if true; then f() { cmd 1; }; else f() { cmd 2; }; fi; f
#== unset function
f() { cmd f; }; unset -f f; f; cmd end
#== here-document
X=1; read -r -d "" V <<EOF
a $X \$X `echo q`
  b "c"
EOF
cmd "$V"; cmd $V
#== quoted here-document
X=1; read -r -d '' V <<'EOF'
a $X \$X
EOF
cmd "$V"
#== here-document with tabs
V=$(cat <<-EOF
	a
		b
	EOF
)
cmd "$V"
#== here-string
read -r A B <<< "x y z"; cmd "$A" "$B"; IFS=, read -ra L <<< "1,2,3"; cmd "${L[@]}" ${#L[@]}; IFS=: read p q <<< a:b; cmd $p $q
#== here-document to a command
cmd a <<EOF
text
EOF
cmd b
#== two here-documents
cmd a <<X <<Y
one
X
two
Y
cmd b
#== redirections
cmd a > /dev/null 2>&1; cmd b 2>/dev/null c; > /dev/null cmd d; cmd e >>/dev/null; cmd f &> /dev/null; cmd g 2>&1 | cat; cmd 2 >/dev/null; cmd h </dev/null
#== pipes
X=1; cmd a | X=2; cmd $X; set -o pipefail; cmd b | cat
#== groups
{ cmd a; X=1; }; cmd $X; ( cmd b; exit 3 ); cmd $?; { cmd c; } && cmd d
#== background
cmd a & wait; cmd b
#== negation
! cmd a; if ! false; then cmd b; fi
#== time
time cmd a; time -p cmd b
#== exec
cmd a; exec cmd b; cmd c
#== command
command cmd a; command -v cmd >/dev/null && cmd b
#== process substitution
cmd a; X=$(cat <(echo q)); while read l; do cmd "$l"; done < <(echo w)
#== exit
cmd a; exit 0; cmd b
#== exit in a function
f() { cmd a; exit 1; }; f; cmd b
#== set -e
set -e; cmd a; false; cmd b
#== set -e and conditions
set -e; if false; then :; fi; false || cmd 1; ! true; false && cmd 2; cmd 3; f() { false; cmd 4; }; f || cmd 5; (false; cmd 6) || cmd 7; cmd 8; f; cmd 9
#== set -e and assignment
set -e; X=$(false); cmd a
#== set -e and local
set -e; f() { local X=$(false); cmd a; }; f; cmd b
#== set -e and arithmetic
set -e; i=0; ((i++)) || true; cmd a; ((0)); cmd b
#== set -euo pipefail
set -euo pipefail; false | true; cmd a
#== set options
set -x; cmd a; set +x; set -- x y; cmd $2; set -o nounset; cmd ${U:-ok}
#== eval
X='cmd a $Y'; Y='b c'; eval $X; eval "$X" d; eval 'Z=5'; cmd $Z; eval "V_$Z=6"; cmd $V_5
#== eval of a list
X='a b'; eval L=($X c); cmd "${L[@]}"; eval L+=(d); cmd "${#L[@]}" $?; Z=1 eval M=(e); cmd $M
#== eval of lines
C="cmd x \
  y"; eval "$C"; eval "cmd '1 2'; cmd 3"
#== command in a variable
C="cmd a b"; $C c; O="--x 1 --y '2 3'"; cmd $O; A=(cmd "d e"); "${A[@]}"
#== keywords as words
cmd if then fi done { } ! [[ ; echo do; X=if; cmd $X
#== semicolons and newlines
cmd a;cmd b


cmd c ;
cmd d&&cmd e
cmd f ||
 cmd g
cmd h |
 cat
#== alias is not expanded
alias q='cmd aliased'; q; cmd b
#== trap
trap 'true' EXIT; cmd a
#== colon
: cmd a; : ${X:=1}; cmd $X
#== shift
set -- a b c; shift; cmd $1; shift 2; cmd $#; shift; cmd $?
#== line numbers
cmd $LINENO

cmd $LINENO
#== long options joined
A="--a 1"; B=""; cmd $A $B --c "$B" ${B:+x}
#== dotted words
N=4; cmd trainer.n=$N +a.b=[1,2] ~c.d ++e='{f:1}' "g='h'" 'i="j k"' a.b=$N/x
#== element from the end in arithmetic
L=(1 2 3); ((L[-2] = 7)); cmd ${L[@]} ${L[@]:1} $((L[-1] + L[0]))
#== case in a substitution
X=$(case a in a) echo yes;; esac); cmd $X; Y=$(case b in (b) echo p;; esac) && cmd $Y
#== comment in a substitution
X=$(
# comment with ' quote and )
echo hi # another )
); cmd $X
#== quotes in a here-document
cat <<EOF >/dev/null; cmd after ${X:-"q"}
it's a $(echo "x)") ${X:-'a b'} `echo "y"`
EOF
V=$(cat <<'E'
a $b `c`
E
); cmd "$V"
#== local array
f() { local -a a=("$@"); local n=${#a[@]} s="${a[*]}"; cmd $n "$s"; }; f 1 "2 3"; f
#== array of options
ARGS=(
  --a 1   # one
  # two
  --b "$HOME/x y"
  ${OPT:+--opt "$OPT"}
  "${MORE[@]}"
)
cmd "${ARGS[@]}"
#== array growing
declare -a L; L[0]=a; L+=("b"); for i in "${!L[@]}"; do cmd $i=${L[$i]}; done; for ((i=0;i<${#L[@]};i++)); do cmd "${L[i]}"; done
#== quotes through a variable
A="x=1 y='2 3'"; cmd $A; eval cmd $A; eval "B=($A)"; cmd "${B[@]}"
#== arguments extended
set -- "$@" extra; cmd "$@"; args=("$@" more); set -- "${args[@]}"; cmd "$#" "${@:2}"
#== fields of a line
IFS=',' read -r -a P <<< "a,b,,c"; cmd "${#P[@]}" "${P[@]}"; IFS=, ; set -- $(echo 1,2); cmd $1 $2; unset IFS; cmd $(echo 1,2)
#== keys and values
while IFS='=' read -r k v; do cmd "$k" "$v"; done <<EOF
a=1
b=2=3
 c = d 
EOF
#== loops in pipelines
printf '%s\n' a b | while read x; do cmd $x; done; echo "1 2" | { read a b; cmd $b; }; cmd "[$a]"
#== numbers in conditions
N=4; [[ $N -gt 2 && $N -lt 8 || $N == 100 ]] && M=1 || M=2; cmd $M; (( N > 2 )) && cmd big;
#== options of the script
if [[ "$1" == "--help" || "$1" == "-h" ]]; then cmd help; fi; [[ -z ${1:-} ]] && cmd none; [[ $# -eq 0 ]] && cmd zero
#== escapes in values
T="a\nb"; cmd "$T" "$(echo -e "$T")" "$(printf "$T")" "$(printf '%b' "$T")"
#== quotes in patterns
X='a"b'; cmd "${X//\"/\\\"}" "${X/\"/}" "${X//'"'/_}"
#== json in a variable
D='{"a": "b", "c": [1, 2]}'; cmd --json="$D" "${D//\"/\'}" "${D// /}"
#== names of models
M=Qwen/Qwen2.5-7B-Instruct; N=${M##*/}; cmd ${N,,} ${N%-Instruct} ${N//[-.]/_} ${M//\//--} ${M%%/*} "${M:0:4}" "${#N}"
#== comment in backquotes
cmd \
  a=1 \
  b=2 \
  `# inline comment` \
  c=3
#== empty words
cmd a=1 `#x` b=2 ${IFS+} "" ''""
#== prefix and export
foo=bar cmd; foo=bar; cmd $foo; foo= cmd; export foo; cmd; foo=1 cmd; cmd
#== exports that depend on each other
export A=1 B="$A" C=$A; cmd; declare -x D=$C; readonly E=5; export E; cmd
#== functions in pipes
f() { echo "$1" | tr a-z A-Z; }; cmd $(f abc) "$(f 'x y' | tr -d ' ')"
#== functions as numbers
get() { local r=$(( $1 * 2 )); echo $r; }; cmd $(get 4) $(get $(get 3))
#== arithmetic chains
x=5; x=$((x>3?x-3:0)); cmd $x; ((x+=10, y=x%7)); cmd $x $y; z=$((x++ + --y)); cmd $x $y $z; cmd $(( x = 3 , x * 2 ))
#== arithmetic signs
a=08; cmd $((10#$a + 1)) $((0x10)) $((1 << 4 | 1)) $((~5 & 7)) $((-7 / 2)) $((-7 % 3)) $((5 > 3 && 2 > 3))
#== names of files
for f in a.b/c.sh; do n=$(basename "$f" .sh); d=$(dirname "$f"); cmd $n $d ${f##*.} ${f%.*}; done
#== names of systems
case "$(echo linux-gnu)" in linux*) O=l;; darwin*) O=m;; esac; cmd $O; case $- in *i*) cmd inter;; *) cmd non;; esac
#== set -e with traps
set -eo pipefail; trap 'echo err' ERR; cmd a; if ! true; then cmd no; fi; [ -z "$NOPE" ] || cmd no2; cmd b
#== negated lists
! cmd a && cmd b; cmd c || { cmd d; }; { ! true; } || cmd e
#== function that runs its arguments
function run { cmd "$@" 2>&1; }; run a "b c"; run "$(echo x y)" $(echo x y)
#== statuses of functions
e() { return ${1:-0}; }; e 3 || cmd r$?; e && cmd ok; if e 1; then cmd t; else cmd f$?; fi
#== counting down
n=3; until [ $n -le 0 ]; do cmd $n; let n-=1 || true; done; let "m = 2 * 3"; cmd $m
#== slices and indices
A=(1 2 3 4); cmd ${A[@]:1:2} "${A[*]:2}" ${A[@]/3/x} $((${A[0]} + A[3])) ${A[$((1+1))]} ${A[${#A[@]}-1]}
#== keys with blanks
declare -A C; C["a b"]=1; C[x]=2; k="a b"; cmd "${C[$k]}" "${C["a b"]}" ${C['x']} "${#C[@]}"
#== splitting by replacement
s="a:b:c"; cmd ${s//:/ } "${s//:/ }"; IFS=: read -r a b <<<"$s"; cmd $a $b; arr=(${s//:/ }); cmd ${#arr[@]} ${arr[2]}
#== here-document as a word
cmd "$(cat <<EOF
line1
  line2 $((1+2))
EOF
)"
#== redirections everywhere
cmd <<< "x" a; cmd b 3>&1 4>/dev/null {fd}>/dev/null; cmd c &>/dev/null d; cmd e >|/dev/null; cmd 5>/dev/null f
#== quotes in substitutions in quotes
x="$(echo "a $(echo "b 'c'") d")"; cmd "$x"; y="`echo \"p \\\"q\\\"\"`"; cmd "$y"; z=`echo \\\\ \$HOME | tr a-z A-Z`; cmd $z
#== quotes side by side
cmd $'a\'b' "it's" 'say "hi"' \"quoted\" a\'b "a\
b" 'a\
b'
#== brace forms
cmd {train,test}.parquet data/{a,b}/{1..2} "{x}" pre{a,b}"post {c,d}" {a..c}{1,2} {1..10..3} {a,b,}x ${H}{a,b} {"a,b",c} {a\ b,c}
#== tilde forms
HOMEX=~; cmd $HOMEX; Y=a:~:~/b; cmd $Y; cmd ~+/x; p=~/"a b"; cmd "$p"; cmd x=~ --x=~ "x"=~ x~
#== background in groups
if true; then :; fi; cmd a & cmd_pid=$!; wait $cmd_pid; cmd b; (cmd c & wait); cmd d
#== statuses of subshells
(set -e; false; cmd no); cmd yes; (exit 4) || cmd e$?; x=$(exit 3); cmd $?; y=$(false; echo z); cmd $y $?
#== recursive output
f() { if [ $1 -gt 1 ]; then local p=$(f $(($1-1))); echo $(($1*p)); else echo 1; fi; }; cmd $(f 5)
#== continue in while
while :; do i=$((i+1)); if [ $i -eq 2 ]; then continue; fi; if (( i > 3 )); then break; fi; cmd $i; done
#== options that grow
OPTS=""; [ -n "$A" ] && OPTS="$OPTS --a"; OPTS+=" --b 1"; cmd $OPTS; OPTS="${OPTS:+$OPTS }--c"; cmd $OPTS; cmd ${OPTS:+"$OPTS"}
#== scopes
v=1; { v=2; } ; ( v=3 ); v2=$(v=4; echo $v); cmd $v $v2; f() { v=5; }; f; cmd $v; f | cat; v=6 f; cmd $v
#== continue two levels
w=(a b); for x in "${w[@]}" c; do for y in 1 2; do [[ $x$y == b1 ]] && continue 2; cmd $x$y; done; done
#== defaults that assign
: "${A:=1}" "${B:="x y"}" ${C:='p q'}; cmd "$A" "$B" "$C" $C; cmd "${D:=$A$B}" $D
#== slices of strings
s=hello; cmd ${s:1:3} ${s: -3} ${s:0:${#s}-1} ${s/l/L} ${s//l} ${s/%o/0} ${s^} ${s^^[lo]} "${s:$((1+1))}"
#== dollars that stay
x='$(touch bad)'; cmd "$x" $x; y="\$x"; cmd "$y"; eval cmd "$y"; eval "z=$y"; cmd "$z"
#== positional defaults
cmd ${1-a} ${2:-b} "${@:-c}" "${*:-d}" ${#} $#; set -- x; cmd ${1-a} "${@:-c}" "${1:+y}"
#== several assignments
A=1
B=2 C=3
cmd $A$B$C ${A}_$B ${A}${B} "$A"'$B'$C
#== tests by number of words
if [ "$A" ]; then cmd 1; elif [ ! "$A" ]; then cmd 2; fi; [ "$A" = "" ] && cmd 3; [ "x$A" != x ] || cmd 4; test -z "$A" && cmd 5; [ ! ]; cmd $?; [ ]; cmd $?; [ -z ]; cmd $?; [ -n ]; cmd $?; [ "" ]; cmd $?; [ = = = ]; cmd $?
#== double bracket forms
[[ a < b ]] && cmd 1; [[ "b" > "a" ]] && cmd 2; [[ x == [[:alpha:]] ]] && cmd 4; [[ "a b" == a\ * ]] && cmd 5; [[ ! -n "" ]] && cmd 6
#== double semicolon outside case
cmd a;; cmd b
#== stray done
cmd 1; for i in 1 2; do cmd $i; done; done; cmd 3
#== stray parenthesis
cmd 1
foo() { cmd in; }
foo)
cmd 2
#== if without fi
cmd 1
if true; then
  cmd 2
cmd 3
#== escaped backslash at a line end
cmd a \
  b \\
  cmd c
#== pipes and lists
cmd a|cmd b|&cmd c;cmd d&&cmd e||cmd f
#== coproc
coproc cat; cmd a
#== time of a group
time { cmd a; cmd b; }; time; cmd c; ! { false; } && cmd d
#== array edited
a[0]=1; a[1]+=2; a[1]+=3; cmd "${a[@]}"; a=(x "${a[@]}"); cmd "${a[@]}"; b="${a[@]:1}"; cmd "$b"; a=z; cmd "${a[@]}"
#== declare without a value
declare s=1 t; t=$s; cmd $t; local x=1; cmd "[$x]"
#== functions named like builtins
echo() { cmd echo "$@"; }; echo a; unset -f echo; echo b; cd() { cmd cd "$1"; }; cd /x; command cd /; cmd $PWD
#== source that fails
source ./nope.sh; cmd "${X:-d}"; . ./nope2.sh || cmd failed
#== exec with redirections
exec 3>&1; cmd a >&3; exec 2>/dev/null; cmd b; exec >/dev/null; cmd c; echo x > /dev/null
#== arithmetic spacing
cmd $((1+2))$((3)) "$((  4 ))" $(( 5 )) $(((6))) $(( (1+1) * (2) )) $((`echo 7`)) $(($(echo 8)+1)) $((N)) $(("9"))
#== arithmetic side effects
x=3 y=x; cmd $((y)) $((x*y)) $((y=4)) $y; cmd $((z[2]=5)) ${z[2]} $((z[1+1]++)) ${z[2]}
#== commands and redirections
echo -n | cmd a; cmd b < <(echo x); cmd c > >(cat); cmd d <<-'E' e
	x
	E
cmd f
#== substitutions in conditions
test "$(echo a)" = a && cmd y; if [ "$(echo 1 | wc -l)" -eq 1 ]; then cmd one; fi; [ `echo 2` -eq 2 ] && cmd two
#== counting GPUs
GPUS="0,1,2,3"; N=$(echo "$GPUS" | tr ',' '\n' | wc -l); M=$(echo $GPUS | awk -F, '{print NF}'); A=(${GPUS//,/ }); cmd $N ${#A[@]}; IFS=',' read -ra B <<< "$GPUS"; cmd ${#B[@]}; C=${GPUS//[^,]}; cmd $((${#C}+1))
#== names made by tr
NAME=$(echo "Qwen/Qwen2.5" | tr / _); cmd $NAME $(echo A_B | tr '[:upper:]' '[:lower:]') $(printf '%02d' 5)
#== newlines in quotes
cmd "a
b" c
cmd 'x
y' "
"
#== newlines in braces
cmd "${X:-a
b}" ${Y:-c
d}
#== quotes in operators
V="a'b"; cmd "${V%\'*}" "${V#*"'"}" "${V/"'"/_}" ${V//\'/x}
#== substitutions in defaults
cmd "${X:-$(echo "a b")}" "${X:-`echo c`}" "${X:-"$(echo "d  e")"}" ${X:-"$HOME"x}
#== parts side by side
cmd "a"b'c'$X"${X}d"\e$'f'"$(echo g)"`echo h`$((1))
#== hash signs
cmd a#b a #c
cmd b#; cmd '#'c "#d" \#e; cmd ${X#a} ${#X} $#
#== blanks
	cmd tab	sep
  cmd   lots   of   space  
#== other alphabets
cmd é "ü ö" 日本 '√' “quoted” a b
#== kinds of unset
X=1; unset X Y; cmd "${X-u}"; X=2; unset -v X; cmd "${X-u}"; f() { local q=1; unset q; cmd "${q-u}"; }; q=9; f; cmd $q
#== arithmetic precedence
cmd "$((2**3**2))" $((-2**2)) $((1?2:3?4:5)) $((1,2)) $((!0)) $((! 5)) $((~-1)) $((7&~2))
#== kinds of append
a=1; a+=1; cmd $a; b=(1); b+=2; cmd ${b[0]}; export c+=x; c+=y; cmd $c
#== read in a group whose output goes elsewhere
printf '%s\n' a b c | { { read x; } > /dev/null; read y; if read z; then cmd in; fi > /dev/null; cmd "$x" "$y" "$z"; }
#== forms of read
read -r a b c <<< "  1   2  3 4  "; cmd "$a" "$b" "$c"; read x <<< 'a\b'; cmd "$x"; read -r x <<< 'a\b '; cmd "$x"; read <<< "  r "; cmd "$REPLY"; read -d: p <<< "x:y"; cmd "$p"; IFS= read -r l <<< "  k "; cmd "$l"
#== forms of printf
printf -v s '%s,' a b c; cmd "${s%,}"; printf -v n '%05.1f' 3.14159; cmd $n; cmd "$(printf '%s=%s\n' a 1 b 2)" "$(printf '%d%%' 50)" "$(printf -- '-%s' x)" "$(printf '%10s|%-4s|' ab c)" "$(printf '%i' 0x1f)" "$(printf '%s')" "$(printf 'a%sb')"
#== operators of empty arrays
e=(); cmd "${e[@]:-none}" ${e[*]:-none} "${e[@]+x}" ; e=(""); cmd "${e[@]:-none}" "${e[@]-none}" "${#e[@]}"; e=(a b); cmd "${e[@]:+yes}" "${e[*]:+yes no}"
#== backquotes inside backquotes inside eval
eval 'X=`echo \`echo a\`b`; cmd $X `echo "\\\`c"` $LINENO'
cmd `echo \`echo \\\`echo b\\\` c\`` "`echo "\`echo 'd e'\`"`"
#== backquotes of eval in backquotes
cmd `eval "echo \`echo f\` g"`
f() { echo `echo \`echo $1\``; }
cmd `f h` "$(f i)" `f \`f j\``
#== bash -c
X=1 bash -c 'cmd "$0" "$@" $X' a 'b c'; bash -c "cmd ${Y-d}; exit 3"; cmd $?
bash -ec 'false; cmd no' || cmd failed; OUT=$(bash -c 'echo out'); cmd $OUT
#== a script that is written and run
X=1 Y='a b'; export Z=3
cat > written.sh <<EOF
#!/bin/bash
Q=2
cmd $X \$Q "$Y" \$X \$Z \$1 \${2:-d}
EOF
bash written.sh 7; sh ./written.sh 8 9; . ./written.sh; bash written.sh "$Y"
#== a script that is written line by line
for i in 1 2; do
  echo "cmd $i" > lines.sh
  printf 'cmd %s %s\n' "$i" '$0' >> lines.sh
  bash lines.sh
done
#== a script that is written anew
cat <<'EOF' > anew.sh
cmd $1
EOF
bash anew.sh a
echo 'cmd other' >| anew.sh; bash anew.sh a
(echo 'cmd inner' > anew.sh); bash anew.sh
echo "cmd $(cat anew.sh | wc -l)"
#== a script that is written elsewhere
cd ~; echo cmd a > one.sh; cd - > /dev/null; echo cmd b > one.sh
bash one.sh; bash ~/one.sh; bash "$PWD/one.sh"; cd && bash one.sh
#== a script that is written into a folder by its path
D=$HOME/.
for n in a b; do { echo ignored; } > /dev/null; echo "cmd $n" > "$D/$n.sh"; done
for n in a b; do bash $D/$n.sh; done
#== settings that are written and sourced
echo A=5 > settings.env; echo B=6 >> settings.env; . ./settings.env; cmd $A $B
#== a script that is written where a branch may be taken
if [ "$UNSET_HERE" ]; then V=1; else V=2; fi
echo "cmd $V" > branch.sh; bash branch.sh
#== arguments told apart by a regular expression
launch() {
  local mode=${1,,}; shift
  local gpus=2 steps=200
  if (( $# > 0 )) && [[ "$1" =~ ^[0-9]+$ ]]; then gpus=$1; shift; fi
  if (( $# > 0 )) && [[ "$1" =~ ^[0-9]+$ ]]; then steps=$1; shift; fi
  cmd "$mode" "$gpus" "$steps" "$@"
}
launch S 8 800 a=b; launch s 4 a=b; launch s a=1; launch s 16
#== regular expressions
N='^[0-9]+(\.[0-9]+)?$'; D=.
for x in 8 0.5 7b '' true a.b 'a*' ']' a-b AB '0 1'; do
  [[ $x =~ $N ]] && cmd number "$x"
  [[ $x =~ ^(true|1|yes)$ ]] && cmd truth "$x"
  [[ $x =~ [.] && $x =~ a\.b ]] && cmd dotted "$x"
  [[ $x =~ "a*" || $x =~ "$D"b ]] && cmd quoted "$x"
  [[ $x =~ ^[]a]$ ]] && cmd bracket "$x"
  [[ $x =~ ^[[:alpha:]]-[^a]$ ]] && cmd class "$x"
  [[ $x =~ ^[[:upper:]]{2}$ || $x =~ ^[0-9]{1,}\ ?1 ]] && cmd counted "$x"
  [[ ! $x =~ . ]] && cmd empty "$x"
done
#== an expression that is wrong fails and ends nothing
MEMORY=0.5; MONTH=08; GPUS=4G
if ((MEMORY > 0)); then cmd memory; else cmd none; fi
((MONTH > 7)) && cmd month; cmd after
((GPUS)) || cmd gpus; let MONTH+=1 || cmd let $?
! ((3 +)) && cmd negated; while ((3 +)); do cmd never; done
f() { ((MEMORY)); cmd inside; }; f; cmd outside
#== an expression that is wrong under set -e
set -e
if ((0.5 > 0)); then cmd y; else cmd n; fi
((08)) || cmd octal
((0.5 > 0)); cmd never
#== an expression that is wrong in the head of a loop
for ((i = 0.5; i < 2; i++)); do cmd never; done; cmd $? a
for ((i = 0; i < 2.5; i++)); do cmd never; done; cmd b
for ((i = 0; i < 2; i += 0.5)); do cmd once $i; done; cmd c
#== an expression that is wrong in a word ends its line
cmd $((0.5 + 1)); cmd never
X=$((08)); cmd never
cmd after
#== numbers of declare -i
declare -i n=8 m=4/2; cmd $n $m; n=n*2; cmd $n; n=-3; cmd $n
f() { local -i n=08; cmd never; }; f; cmd never
declare -i k=3+ || cmd never; cmd never
cmd after $n
#== a name reference that is unset
M=q; declare -n R=M; cmd $R; unset -n R; cmd "$M"
f() { local -n r=$1; r=5; unset -n r; cmd $M; }; f M; cmd $M; N=1; unset -n N; cmd $N
#== what nullglob leaves alone
shopt -s nullglob; cmd 'a*' "b?" c\* x{1,2} [ ; set -f; cmd *.none; set +f
shopt -u nullglob; cmd *.none
#== a known failure in a pipeline under pipefail
(set -e; false | cat; cmd goes on)
(set -eo pipefail; true | cat; cmd goes on)
(set -o pipefail; false | cat; cmd goes on)
(set -eo pipefail; N=0; { ((N++)); } | cat; cmd never)
(set -eo pipefail; f() { [ -n "$UNSET_HERE" ] && echo; }; f | cat; cmd never)
#== a known failure in a pipeline under pipefail that is asked about
(set -eo pipefail; if false | cat; then cmd never; else cmd failed; fi; false | cat || cmd or)
#== an assignment to a read-only variable ends its line alone
readonly X=5; Y=1 X=6; cmd never
cmd $X $Y; f() { X=7; cmd never; }; f || cmd never; cmd never
readonly A=(1 2); A+=(3); cmd never
A[1]=9; cmd never
UID=7; cmd never
cmd "${A[@]}"; eval 'X=1; cmd never' || cmd eval; (X=1; cmd never); cmd $?
#== a builtin that sets a read-only variable fails
readonly X=5 A=(1 2); export X=7 Y=8; cmd $? $X $Y; declare X=6; cmd $?; read X Z <<< "1 2"; cmd $? $X
printf -v X 7 || cmd print; for X in 1 2; do cmd never; done; cmd $?; for ((X=0; X<2; X++)); do cmd never; done
((X=3)) || cmd $X; let X=1 || cmd let; read -a A <<< "3 4"; cmd $? ${A[@]}; unset A[1]; cmd $? ${A[@]}
X=9 cmd prefix; f() { cmd $X; }; X=9 f; g() { local X=1; cmd $? $X; }; g; cmd end
#== a variable that is read-only before it has a value
readonly X; declare -r Y; X=1; cmd never
cmd "${X-unset}" "${Y-unset}"; Y=2; cmd never
#== a read-only variable under set -e
set -e; readonly X=5; cmd before; if X=6; then cmd never; fi
cmd never
#== an expression that is wrong in a word under set -e ends its line
set -e; X=abc
Y=$((08)); cmd never
cmd ${X:1:-5}; cmd never
cmd after; cmd ${X!}
cmd never
#== a wrong expression in eval ends its line of eval
eval 'cmd $((08)); cmd never
cmd next'; cmd same
eval 'cmd $((08))'; cmd $?
#== a return that has nothing to return from
cmd a; return; cmd $?
if true; then return 3; fi; cmd b
(return 3); cmd $?; X=$(return 4; echo z); cmd $? $X; bash -c 'return; cmd c'
cat > returns.sh <<'EOF'
(return 3); cmd $?; return 5; cmd never
EOF
. ./returns.sh; cmd $?; bash -c '. ./returns.sh; cmd d; return; cmd e'
f() { eval 'return 6'; cmd never; }; f; cmd $?
return 1 2>/dev/null || exit; cmd never
#== loops that are left without one around
break; cmd a; continue 2; cmd b
f() { break; cmd in; }; for i in 1 2; do f; cmd $i; done
for i in 1 2; do for j in 1 2; do break 9; done; done; cmd $i$j
for i in 1 2; do (break); $(break); bash -c 'break; cmd c'; eval continue; cmd never; done; cmd $i
for i in 1 2; do for j in 1 2; do eval break 2; done; cmd never; done; cmd $i
while break; do cmd never; done; until cmd d; break; do :; done; for ((;;)); do break; done
echo 'break; cmd never' > breaks.sh; for i in 1 2; do . ./breaks.sh; cmd never; done; cmd $i
#== set -e in a substitution
set -e; X=$(false; echo a); cmd $X "$(false; echo b)"; X=$(set -e; false; echo never) || cmd c; f() { false; echo d; }; cmd $(f); (cmd $(f))
shopt -s inherit_errexit; X=$(false; echo never) || cmd e; shopt -u inherit_errexit; cmd $(f); X=$(f; false); cmd never
#== a shell behind env with an environment of its own
export V=1; env -u V bash -c 'cmd "${V-none}"; cmd a'; env --unset=V W=2 bash -c 'cmd "${V-none}" $W; cmd b'
env -uV bash -c 'cmd "${V-none}"; cmd c'; env -i W=2 bash -c 'cmd "${V-none}" $W; cmd d'; env - bash -c 'cmd "${V-none}"; cmd e'
env -u V -u HOME W=3 bash -c 'cmd "${V-none}" $W; cmd f'; timeout -s KILL 10 bash -c 'cmd g; cmd h'
#== options of a shell that take a value
bash -O extglob -c 'cmd a; cmd b'; bash +O extglob -c 'cmd d; cmd e'
bash --rcfile none -c 'cmd f; cmd g'; bash --init-file none -eo pipefail -c 'cmd h; false | true; cmd never'; eval -- cmd i
#== elements that read and printf set
i=1; printf -v 'A[i+1]' x; printf -v "A[$i]" %s y; cmd "${A[@]}" "${!A[@]}"; declare -A M; printf -v M[z] %s q; read 'M[k v]' <<< "v w"
cmd "${M[z]}" "${M[k v]}"; read -r A[0] B <<< "x y"; cmd "${A[@]}" $B
#== elements that arithmetic and defaults set
X=5; ((X[1] = 6)); cmd "${X[@]}"; Y=5; : ${Y[2]:=q}; cmd "${Y[@]}"; A=(1 2); declare -n R=A; ((R[0] = 5)); : ${R[3]:=z}
cmd "${A[@]}" $((R[1] + 1)); declare -A M=([k]=2); declare -n S=M; cmd $((S[k] + 1)); ((S[k] = 7)); cmd "${M[k]}"
#== a continued line that read joins
read -d '' A <<'E'
x \
  y \z
E
cmd "$A"
#== arguments that are all empty
set -- ""; cmd "${@:+no}" x"${*:+no}" "${@:+no}z"; A=(""); cmd "${A[@]:+y}" "${A[*]:+y}" ${A[@]:+y}
set --; cmd "${@:+no}" "${*:+no}" "${@+y}"; A=(); cmd "${A[@]:+y}" "${A[*]:+y}"
#== set with a dash alone
set - x -y; cmd "$@"; set -; cmd "$@"; [[ -v 1 && -v 2 && ! -v 3 ]] && cmd set
#== arrays that keep their kind
A=(1 2); declare -A A; cmd $? "${A[@]}"; B=x; declare -A B; cmd $? "${B[@]}" "${!B[@]}"; declare -A M=([x]=1); declare -a M; cmd $? "${M[@]}"
M[y]=2; declare -A M; cmd ${M[y]}; f() { local -a M=(q); cmd "${M[@]}"; }; f; A=([k]=v); declare -a A; cmd "${A[@]}"
#== elements between signs of IFS
IFS=:; L=(a '' b:c); cmd ${L[*]}; cmd ${L[@]}; set -- a '' b; cmd $* x$*y $@; L=('' a ''); cmd ${L[*]}; cmd "${L[@]}"; IFS=' :'; cmd ${L[@]}
#== a wrong expression in front of a command
N=x.y; A=1 B=$((N)) cmd never; cmd never
cmd "${A-unset}"
#== a status that is kept in a variable
false; X=$?; cmd $X; f() { return 5; }; f; rc=$?; cmd $rc; rc=0; f || rc=$?; cmd $rc; X=$(exit 4) Y=$?; cmd $Y; (exit 3); Y=$? Z=$?
cmd $Y $Z; false; A=($?); cmd ${A[@]}; if f; then :; else rc=$?; fi; [ $rc -ne 5 ] || cmd five
#== the status that a clause, a loop and a text begin with
false; case a in a) cmd $?;; esac; false; case a in a) ;; esac; cmd $?; false; for i in a b; do cmd $?; false; done; cmd $?; false; for i in; do :; done
cmd $?; false; eval 'cmd $?'; false; eval ''; cmd $?; echo 'cmd $?' > status.sh; false; . ./status.sh; false; . /dev/null; false; bash -c 'cmd $?; cmd a'
#== slices that begin before the list
L=(a b c); cmd "${L[@]: -5:-1}" "${L[*]: -9}" "${L[@]:1:0}"; cmd "${L[@]: -2:-1}"; cmd never
cmd after
#== a trap at the end
(trap 'cmd T $?' EXIT; (exit 3); true); (trap 'cmd T $?' exit; exit 4); cmd $?; (trap 'cmd T' 0; trap EXIT; exit); (trap 'cmd T' 0; trap 0 2; exit)
(trap 'cmd T' 0; trap - EXIT; exit 0); (trap 'cmd T' 0; trap '' EXIT; exit 0); (trap 'cmd T' SIGEXIT INT TERM ERR; exit 0); (trap -- 'cmd T' INT EXIT)
(trap 'cmd T; exit 7; cmd no' EXIT; exit 2); cmd $?; (trap 'cmd T; trap "cmd no" EXIT' EXIT; exit 2); cmd $?; (trap 'false' EXIT; exit 3); cmd $?
(trap "cmd early $(echo now)
cmd U" EXIT; eval 'exit 3'); (trap 'cmd no' EXIT; trap 'cmd yes' EXIT); (trap 'cmd T' EXIT; exec cmd gone)
trap 'cmd end $X "$#" "$N"' EXIT; (cmd sub); X=$(echo cap); echo p | { trap 'cmd P' EXIT; cat >/dev/null; }; bash -c "trap 'cmd inner' EXIT; cmd x"
Y=$(trap 'echo T' EXIT; echo sub); cmd "$Y"; N=3
#== a trap behind a function
f() { local X=loc; trap 'cmd T $X $1 $#' EXIT; }; (f p q r); (set -- z; f p)
f() { X=$1; exit; }; (trap 'cmd $X' EXIT; f a b); trap 'cmd $X' EXIT; X=3; exit
#== a trap behind a failure
set -e; trap 'cmd T $?' EXIT; f() { false; }; f || cmd or; (trap 'cmd S $?' EXIT; false; true) || cmd never; (trap 'false; cmd no' EXIT); cmd never
#== a trap behind an error
trap 'cmd T' EXIT; (: ${nope:?}; cmd never); readonly X=1; X=2
cmd after; bash -c 'trap "cmd U" EXIT; set -u; cmd $nope; cmd never'; return 3; trap 'cmd at $X
cmd end' EXIT; : ${nope?}; cmd never
