"""Scripts, by class: each is small, and asks a reader for much."""

from __future__ import annotations

from typing import Final

LAUNCH: Final = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 "
_TRAINER = "python3 -m openrlhf.cli.train_ppo_ray "

SCRIPTS: Final[dict[str, str]] = {
    "an unclosed bracket in a pattern": "x=aaaa\ncase $x in "
    + "[" * 8000
    + ") echo;; esac\n"
    + LAUNCH
    + "\n",
    "unclosed brackets in a substitution": "x="
    + "a" * 2000
    + "\ny=${x/"
    + "[" * 6000
    + "/b}\n"
    + LAUNCH
    + "$y\n",
    "nested groups in a pattern": "shopt -s extglob\nx=aaaa\n[[ $x == "
    + "@(" * 4000
    + " ]]\n"
    + LAUNCH
    + "\n",
    "nested groups in a value": "shopt -s extglob\nx=aaaa\ny="
    "'" + "@(" * 20000 + "'" + "\n[[ $x == $y ]]\n" + LAUNCH + "\n",
    "unclosed classes": "x=aaaa\ny='" + "[[:" * 20000 + "'" + "\n[[ $x == $y ]]\n" + LAUNCH + "\n",
    "unclosed names of classes": "x=aaaa\ny="
    "'"
    "[" + "[:a" * 20000 + "'" + "\n[[ $x == $y ]]\n" + LAUNCH + "\n",
    "thousands of wildcards in a substitution": "x="
    + "ab" * 3000
    + "\ny=${x//"
    + "*a" * 2000
    + "/b}\n"
    + LAUNCH
    + "$y\n",
    "wildcards in a substitution": "x="
    + "ab" * 3000
    + "\ny=${x//"
    + "*a" * 200
    + "c/b}\n"
    + LAUNCH
    + "$y\n",
    "a long set": "x=" + "ab" * 9000 + "\ny=${x//[" + "a-z" * 20000 + "]/b}\n" + LAUNCH + "$y\n",
    "names whose values name others twice": "".join(
        f'a{i}="a{i + 1}+a{i + 1}"\n' for i in range(28)
    )
    + "a28=1\necho $((a0))\n"
    + LAUNCH
    + "\n",
    "names of others four times in an index": "".join(
        f'a{i}="a{i + 1}+a{i + 1}+a{i + 1}+a{i + 1}"\n' for i in range(25)
    )
    + "a25=1\nx[a0]=3\n"
    + LAUNCH
    + "\n",
    "a long expression in a loop": 'a="'
    + "1+" * 20000
    + '1"\nfor i in {1..5000}; do b=$((a)); done\n'
    + LAUNCH
    + "\n",
    "tens of thousands of words": LAUNCH + " ".join(f"w{i}" for i in range(60000)) + "\n",
    "tens of thousands of settings": LAUNCH + " ".join(f"a.b{i}=1" for i in range(60000)) + "\n",
    "a long word": LAUNCH + "x" * 900000 + "\n",
    "a long word of variables": LAUNCH + "a.b=" + "$x" * 400000 + "\n",
    "parentheses only": "(" * 300000 + "\n" + LAUNCH,
    "open expansions only": '"${' * 100000 + "\n" + LAUNCH,
    "slices of an array": "a=("
    + " ".join(str(i) for i in range(9000))
    + ')\nfor i in {1..4000}; do b=("${a[@]:1:8000}"); done\n'
    + LAUNCH
    + "\n",
    "elements of an array": "a=("
    + " ".join(str(i) for i in range(9000))
    + ')\nfor i in {1..4000}; do b="${a[@]:$i:1}"; done\n'
    + LAUNCH
    + "\n",
    "slices of a text": "s="
    + "x" * 100000
    + '\nfor i in {1..4000}; do b="${s:$i:1}"; done\n'
    + LAUNCH
    + "\n",
    "a text and an array that grow": "for i in {1..5000}; do s+="
    + "x" * 33
    + "; a+=($s); done\n"
    + LAUNCH
    + '"${a[@]}"\n',
    "a substitution that grows": "for i in {1..5000}; do s=$(echo $s x); done\n" + LAUNCH + "$s\n",
    "conditions without a launch": "".join(
        f'if [ "$A{i}" = 1 ]; then b{i}=1; else b{i}=2; fi\n' for i in range(3000)
    ),
    "failing commands without a launch": "".join(
        f"if cmd{i}; then b{i}=1; else b{i}=2; fi\n" for i in range(600)
    )
    + "for i in {1..5000}; do x=$i; done\n",
    "a long number": LAUNCH + "actor.x=" + "9" * 6000 + "\n",
    "long numbers of all kinds": LAUNCH
    + "actor.x=1e"
    + "9" * 6000
    + " b=0x"
    + "f" * 6000
    + " trainer.nnodes="
    + "9" * 6000
    + " trainer.n_gpus_per_node="
    + "9" * 4500
    + "\n",
    "nested lists": LAUNCH + "actor.x=" + "[" * 300 + "]" * 300 + "\n",
    "nested mappings": LAUNCH + "actor.x=" + "{a:" * 900 + "1" + "}" * 900 + "\n",
    "nested calls": LAUNCH + "'actor.x=" + "choice(" * 400 + "1" + ")" * 400 + "'\n",
    "a long list": LAUNCH + "'actor.x=[" + ",".join(str(i) for i in range(60000)) + "]'\n",
    "many quotes": LAUNCH + "'actor.x=" + '\\"' * 20000 + "'\n",
    "a key of many levels": LAUNCH + ".".join("a" * 3 for _ in range(20000)) + "=1\n",
    "thousands of mappings": LAUNCH
    + " ".join(f"+a{i}={{b:[1,2,{{c:d}}]}}" for i in range(6000))
    + "\n",
    "long numbers of options": _TRAINER
    + "--micro_train_batch_size "
    + "9" * 6000
    + " --actor_num_nodes "
    + "9" * 5000
    + " --lr 1e"
    + "9" * 5000
    + "\n",
    "links in comments": "".join(
        "# wandb: https://wandb.ai/a/b/runs/" + "c" * 5000 + "\n" for _ in range(150)
    )
    + LAUNCH
    + "\n",
    "tables in comments": "".join("# " + ("| a " * 2000) + "\n" for _ in range(80)) + LAUNCH + "\n",
    "open documents": "cat <<A\n" * 5000 + LAUNCH + "\n",
    "braces that double": LAUNCH + "{a,b}" * 18 + "\n",
    "a long sequence": LAUNCH + "{1..99999999}\n",
    "nested braces": LAUNCH + "{" * 20000 + "a,b" + "}" * 20000 + "\n",
    "a function that calls itself": 'f(){ f "$@" x; }\nf\n' + LAUNCH,
    "a text that doubles": 's="x=1; "\nfor i in {1..16}; do s="$s$s"; done\neval "$s"\n' + LAUNCH,
    "wide fields": 'printf -v x "%99999999d" 1\nprintf -v y "%*d" 999999999 1\n' + LAUNCH + "$x\n",
    "a long text changed often": "s="
    + "x" * 500000
    + "\nfor i in {1..300}; do t=${s^^}; done\n"
    + LAUNCH,
    "a long text cut often": "s="
    + "ab" * 40000
    + "\nfor i in {1..300}; do t=${s%%*b*c*}; done\n"
    + LAUNCH,
    "thousands of unknown settings": LAUNCH
    + " ".join(f"actor_rollout_ref.actor.ppo_mini_batch_siz{i}=1" for i in range(8000))
    + "\n",
    "trial logs": "# | batch | mem |\n" * 30000 + LAUNCH,
    "thousands of clauses": "case $x in "
    + " ".join(f"a{i}) b=1;;" for i in range(9000))
    + " esac\n"
    + LAUNCH,
    "thousands of pipes": " | ".join(["cat"] * 15000) + "\n" + LAUNCH,
    "thousands of conditions in a row": " && ".join(["cmd"] * 9000) + "\n" + LAUNCH,
    "thousands of alternatives": " || ".join([f"x{i}=1 && cmd{i}" for i in range(5000)])
    + "\n"
    + LAUNCH,
    "nested substitutions": LAUNCH
    + '"$(echo "$(echo "$(echo "$(echo "$(echo hi)")")")")" ' * 500
    + "\n",
    "backquotes only": "`" * 50001 + "\n" + LAUNCH,
    "tildes": LAUNCH + "~" * 200000 + " " + "a=~:" * 50000 + "\n",
    "an index of a billion": 'a[999999999]=1\na[-5]=2\nfor i in "${!a[@]}"; do echo; done\n'
    + LAUNCH
    + '"${a[@]}"\n',
    "continued lines only": LAUNCH + "\\\n" * 200000 + "\n",
    "escapes only": LAUNCH + "$'" + "\\x41" * 100000 + "'\n",
    "an expression with alternatives in a loop": "x="
    + "a" * 3000
    + "\nfor i in {1..4000}; do [[ $x =~ ^(a|b|aa)*c$ ]]; done\n"
    + LAUNCH,
    "open groups in an expression": "[[ $x =~ " + "(a|" * 2000 + " ]]\n" + LAUNCH,
    "blanks in a comment": "# device: a" + " " * 200_000 + "b\n" + LAUNCH + "\n",
    "blanks in a trial log": LAUNCH + " data.train_batch_size=64 # 64" + " " * 200_000 + "a\n",
    "blank lines": "#!/bin/sh\n" + "\n" * 200_000 + LAUNCH + "\n",
    "launches between long words": (LAUNCH + "\n" + "e" * 1000 + "\n") * 700,
    "letters of an option": "set " + "-" + "e" * 200_000 + "_\n" + LAUNCH + "\n",
    "line ends of a substitution": "x=a\ny=$(printf '" + "\\n" * 60_000 + "a')\n" + LAUNCH + "\n",
    "zeros of a format": "x=$(printf '%" + "0" * 200_000 + "x')\n" + LAUNCH + " a=$x\n",
    "a long name of an example": "python3 " + "examples/scripts/" * 20_000 + "x --config a\n",
    "comments with trial logs": "# 8 √ 16 x\n" * 5_000 + LAUNCH + "\n",
    "launchers of launchers": "nohup env timeout 5 sudo srun mpirun -n 4 nice " * 30
    + LAUNCH
    + "\n",
    "a suppression of many names": "# rlbot: ignore["
    + ",".join(f"RLBX{n}" for n in range(30_000))
    + f"] x\n{LAUNCH}\n",
    "exports before many launches": "".join(f"export A{i}={'x' * 60}\n" for i in range(4_000))
    + (LAUNCH + "\n") * 1_000,
    "tokens before many launches": "".join(f"export A{i}_token=secret{i}\n" for i in range(4_000))
    + (LAUNCH + "\n") * 300,
    "keys that begin alike": "".join(
        f"export A{i}_API_KEY=secret-of-mine-{'x' * i}\n" for i in range(1_000)
    )
    + f"{LAUNCH} a=secret-of-mine-{'x' * 400}y\n" * 200,
    "keys of many launches": "".join(f"export A{i}_API_KEY=secret-of-{i}\n" for i in range(4_000))
    + "".join(f"{_TRAINER} --use_wandb secret-of-mine-{i}\n" for i in range(200)),
    "values with trial logs": "".join(f"a{i}=8 # 8 √ 16 x\n" for i in range(3_000)) + LAUNCH + "\n",
}
