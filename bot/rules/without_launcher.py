"""RLB121: verl's fine-tuning is started by Python alone, without torchrun."""

from __future__ import annotations

from bot.base.regex import regex
from bot.frameworks.launchers.launch import is_one_process
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.verl import has_text

_SETTINGS = "data.train_files=train.parquet data.val_files=val.parquet"
_MODULE = "-m verl.trainer.sft_trainer"
_ENTRIES = ("verl.trainer.sft_trainer", "verl.trainer.fsdp_sft_trainer")
_RANKS = ("RANK", "WORLD_SIZE", "LOCAL_RANK")

_PYTHON = regex(r"(?:[^ ]{0,200}/)?python[0-9.]{0,8}")
_GROUP = "utils/distributed.py"
_SETS = regex(r"setdefault\(.(?:LOCAL_)?RANK|environ\[.(?:LOCAL_)?RANK.\] *=[^=]")
"""Where a copy sets what a launcher would."""

META = Meta(
    id="RLB121",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="verl's fine-tuning is started without torchrun.",
    why=(
        "It joins the group of processes that its launcher makes, by RANK, WORLD_SIZE and "
        "LOCAL_RANK. Python alone sets none of them, and PyTorch stops with a ValueError before a "
        "model is loaded, for one GPU too."
    ),
    instead="Start it with `torchrun --nproc_per_node=1 -m verl.trainer.sft_trainer`.",
    limits=(
        "Silent where the script sets one of the variables or DIST_INIT_METHOD, behind `srun` and "
        "other launchers, and where the repository's own copy of verl does not read them so."
    ),
    source=(
        "initialize_global_process_group in verl/utils/distributed.py, which run_sft of "
        "verl/trainer/fsdp_sft_trainer.py (until 0.7.0) and verl/trainer/sft_trainer.py call "
        "first, in every release"
    ),
    example=Example(
        bad=f"python3 {_MODULE} {_SETTINGS}\n",
        good=f"torchrun --standalone --nproc_per_node=1 {_MODULE} {_SETTINGS}\n",
        path="examples/sft/run.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Launches of the trainer whose command is Python, with nothing before it."""
    for plan in context.plans:
        launch = plan.launch
        if plan.framework != "verl" or launch.entry not in _ENTRIES:
            continue
        if not is_one_process(launch.launcher):
            continue
        command = launch.command
        set_there = {*command.environment, *(one.name for one in command.prefix)}
        # None where the program's name is not known, which may be a launcher.
        python = next((one for one in command.argv if _PYTHON.fullmatch(one.text)), None)
        if set_there & {*_RANKS, "DIST_INIT_METHOD"} or python is None:
            continue
        if not _needs_ranks(context, launch.entry):
            continue
        yield hit(
            python.span_of(0, len(python.text)),
            "{entry} is started without torchrun, so {ranks} are not set",
            entry=launch.entry,
            ranks=message("RANK, WORLD_SIZE and LOCAL_RANK"),
            help=message("start it with torchrun --nproc_per_node=1, or as many GPUs as there are"),
        )


def _needs_ranks(context: RuleContext, entry: str) -> bool:
    """Whether the copy of verl, if there is one, reads them as its releases do, and sets none."""
    if not has_text(context, _GROUP, 'os.environ["LOCAL_RANK"]'):
        return False
    place = context.place
    files = (_GROUP, entry.partition(".")[2].replace(".", "/") + ".py")
    own = [place.checkout.verl.text(place.path, file) for file in files] if place else []
    return not any(_SETS.search(text) for text in own)
