"""Numbers that no run has, where numbers stand: the rules' own examples, and the shell's.

Whoever counts up to a number takes long, and Python's `int` refuses what `str.isdigit` takes (²),
and whatever has more than 4,300 digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.rules._support.registry import RULES
from tests.shell.cases import CASES

_NUMBER = re.compile(r"(?<=[= ])[1-9][0-9]*(?![\w.])")
_ANY_NUMBER = re.compile(r"[0-9]+")
_LARGE: Final = "99999999977"  # A prime: nothing divides it.
_ODD: Final = ("²", "٣", "9" * 5_000, "-" + "9" * 5_000, "1e400", "08", "0x", "-5", "--5")


def _changed(text: str) -> Iterator[str]:
    """The text with each of its numbers large, and with all of them."""
    for found in _NUMBER.finditer(text):
        yield text[: found.start()] + _LARGE + text[found.end() :]
    yield _NUMBER.sub(_LARGE, text)


_LAUNCH: Final = "\npython3 -m verl.trainer.main_ppo a=$x\n"
_PLACES: Final = (
    "OPTIND=1; getopts ab x",
    "set -- -abc; getopts abc x; getopts abc x; set -- -a; getopts abc x",
    "x=(1 2); [[ -v x[1] ]]; unset 'x[1]'; y=${x[1]} z=${#x[1]}",
    "ray start --head --num-gpus 1; ray start --num-gpus=1",
    "# verl: 0.1.post1\n# verl: 1",
    "set -- a; shift 1; x=${@:1:1} y=${1}",
    "timeout 1s python3 -m verl.trainer.main_ppo; nice -n 1 python3 -m verl.trainer.main_ppo",
    "x=${y:1:1} z=$((1)) v=$((36#1)) w=$((1#1)) u=$((2**1)) t=$((1<<1)) s=$((0x1))",
    "python3 -m openrlhf.cli.train_sft --max_len 1 --micro_train_batch_size 1 --lora_rank 1",
    "torchrun --nproc_per_node=1 --nnodes 1 -m verl.trainer.fsdp_sft_trainer a=1",
    "deepspeed --num_gpus 1 --module openrlhf.cli.train_sft --max_len 1",
    "accelerate launch --num_processes 1 -m verl.trainer.sft_trainer a=1",
    "declare -a x=([1]=1 [1]=2); declare -A y=([1]=1); x=${y[1]}",
    "printf -v x '%1d %.1f %*s' 1 1 1 a; printf -v x '%d %i %x %f' 1 1 1 1",
    "for x in {1..1} {1..9..1} {a..z..1}; do echo $x; done",
    "read -t 1 x; read -n 1 x; mapfile -n 1 -s 1 -O 1 y < /dev/null; x=${y[1]}",
    "f() { return 1; }; f; x=$?; for i in 1 1; do continue 1; break 1; done",
    "if [ 1 -gt 1 ] || test 1 -eq 1; then let x=1; fi; [[ 1 -lt 1 ]]; ((x+=1))",
    "x=$(seq 1)$(seq 1 1 5)$(echo a | head -n 1)$(echo a | cut -c 1)$(echo a | awk '{print $1}')",
    "x=$'\\x1\\u1\\1'; echo -e '\\01 \\x1 \\u1'; x=$(expr 1 + 1)",
    "for ((i=1;i<1;i+=1)); do x=$i; done; pushd +1; trap x 1; exec 1>f; wait 1; exit 1",
)


def _odd(text: str) -> Iterator[str]:
    """The text with all of its numbers odd, in each way."""
    return (_ANY_NUMBER.sub(odd, text) for odd in _ODD)


NUMBERS: Final[dict[str, str]] = {
    f"large numbers in the example of {rule.meta.id} ({number})": text
    for rule in RULES.rules
    if rule.meta.example is not None
    for number, text in enumerate(_changed(rule.meta.example.bad), start=1)
}
NUMBERS.update(
    (f"odd numbers in {name} ({number})", text)
    for name, case in CASES.items()
    if _ANY_NUMBER.search(case)
    for number, text in enumerate(_odd(case), start=1)
)
NUMBERS.update(
    (f"odd numbers at {place} ({number})", text + _LAUNCH)
    for place in _PLACES
    for number, text in enumerate((place, *_odd(place)), start=1)
)
