"""RLB143: TRL's trainer is one process that finds several GPUs, which it refuses."""

from __future__ import annotations

import ast
from typing import Final

from bot.base.messages import plural_message
from bot.frameworks.launchers.hf_jobs import cards_of_job
from bot.frameworks.launchers.one_process import lies_over_several, refuses_several
from bot.frameworks.launchers.processes import devices_listed, without_launcher
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of
from bot.frameworks.python.source import nodes
from bot.rules._support.base import Example, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.trl_refusals import RANKS, program_of
from bot.shell.source import Span

_VARIABLES: Final = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_DECIDES: Final = frozenset((*_VARIABLES, *RANKS, "_n_gpu", "notebook_launcher", "spawn"))
"""Words of a program that chooses its GPUs, or starts processes, by itself."""
_PROGRAM: Final = (
    "# trl: 1.16.0\nexport CUDA_VISIBLE_DEVICES=0,1\n{} trl/scripts/sft.py "
    "--model_name_or_path Qwen/Qwen3-8B --load_in_4bit --use_peft --dataset_name trl-lib/Capybara\n"
)

META = Meta(
    id="RLB143",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="TRL finds several GPUs in one process, which its trainer refuses.",
    why=(
        "Without a launcher the trainer is one process, and transformers would copy the model to "
        "every GPU for each pass (`nn.DataParallel`). TRL stops with a ValueError instead, after "
        "the model was loaded."
    ),
    instead="Start the program with `accelerate launch`, or show it one GPU.",
    limits=(
        "Checked where somebody names the release: SFT, DPO, KTO, GRPO, RLOO and distillation "
        "since 1.15, reward models since 1.16. Silent where the model is laid over the GPUs "
        "(`device_map`, or a name that TRL's trainer loads), with unsloth, with DeepSpeed, on the "
        "CPU, and where the program names its GPUs or ranks itself."
    ),
    source=(
        "`__init__` of SFTTrainer and others in trl/trainer (1.15.0, RewardTrainer 1.16.0); "
        "TrainingArguments._setup_devices in transformers/training_args.py"
    ),
    example=Example(
        bad=_PROGRAM.format("python3"),
        good=_PROGRAM.format("accelerate launch --num_processes 2"),
        path="scripts/sft.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Programs of TRL's without a launcher that are shown several GPUs."""
    for plan in context.plans:
        told = not plan.configuration.guessed and without_launcher(plan) and refuses_several(plan)
        shown = _shown(plan) if told else None
        if shown is None or lies_over_several(plan) or _is_other(context, plan):
            continue
        place, where, count = shown
        yield hit(
            place,
            "TRL {release} refuses several GPUs in one process, and {where} {gpus}",
            release=plan.configuration.release,
            where=where,
            gpus=plural_message("{count} GPU", "{count} GPUs", count),
            help=message("start it with accelerate launch --num_processes {count}", count=count),
        )


def _shown(plan: Plan) -> tuple[Span, Message, int] | None:
    """Where a launch is shown several GPUs, in words, and how many."""
    job = cards_of_job(plan.launch)
    if job is not None and job.span is not None and (job.value or 0) > 1:
        return job.span, message("its job has"), job.value or 0
    for name in _VARIABLES:
        word = plan.launch.command.environment.get(name)
        listed = devices_listed(word) if word is not None else None
        if word is not None and listed is not None and listed > 1:
            return word.span_of(0, len(word.text)), message("{name} lists", name=name), listed
    return None


def _is_other(context: RuleContext, plan: Plan) -> bool:
    """Whether the model may lie otherwise, or the process be one of several."""
    made, values = plan.written, values_of(plan)
    if made is not None and (made.placed == "spread" or made.unfollowed or made.unsloth):
        return True
    set_there = plan.launch.command.environment.keys()
    if set_there & {*RANKS} or values.on("use_cpu") or values.get("deepspeed") is None:
        return True
    tree = program_of(context, plan)
    return bool(plan.last("deepspeed")) or (tree is not None and _decides(tree))


def _decides(tree: ast.Module) -> bool:
    """Whether a program names GPUs or ranks, or starts processes."""
    return any(
        (isinstance(node, ast.Constant) and node.value in _DECIDES)
        or (isinstance(node, ast.Attribute) and node.attr in _DECIDES)
        or (isinstance(node, ast.Name) and node.id in _DECIDES)
        for node in nodes(tree)
    )
