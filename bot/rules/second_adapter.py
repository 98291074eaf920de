"""RLB144: TRL's trainer is to put an adapter on a model that has one."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.frameworks.settings.trainer_arguments import ADAPTER
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.shell.source import Span

_PROGRAM = """# trl: 1.16.0
cat > train.py <<'EOF'
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

lora = LoraConfig(r=16, task_type="CAUSAL_LM")
model = get_peft_model(AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B"), lora)
args = SFTConfig(output_dir="out", max_length=1024, report_to="wandb")
SFTTrainer(model=model, args=args, train_dataset=rows{}).train()
EOF
python train.py
"""

META = Meta(
    id="RLB144",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="TRL's trainer is to put an adapter on a model that has one.",
    why=(
        "A model that get_peft_model or PeftModel has made keeps its adapter; a peft_config would "
        "add a second one. TRL stops with a ValueError since 0.27; before, it merged the first or "
        "trained something else than the program says."
    ),
    instead="Give the trainer the model with its adapter, or the plain model and peft_config.",
    limits=(
        "Checked where the model of a program is followed, for SFT, DPO, KTO, GRPO, RLOO and "
        "reward models since TRL 0.27. Silent with unsloth. A warning where nobody states the "
        "release."
    ),
    source=(
        "`__init__` of the trainers in trl/trainer since 0.27.0, of KTOTrainer in trl/experimental"
    ),
    example=Example(
        bad=_PROGRAM.format(", peft_config=lora"),
        good=_PROGRAM.format(""),
        path="scripts/sft.sh",
    ),
)

_TASKS = ("dpo", "grpo", "kto", "rloo", "rm", "sft")


def check(context: RuleContext) -> Hits:
    """The adapters of the models that programs make."""
    for plan in context.plans:
        made = plan.written
        if plan.framework != "trl" or plan.algorithm.value not in _TASKS or made is None:
            continue
        twice = made.adapted and made.to_adapt and made.unsloth is None and not plan.own_trainer
        if twice and version_at_least(plan, 0, 27):
            yield hit(
                _place(plan),
                "the model has an adapter, and {name} asks TRL for another",
                name=ADAPTER,
                severity="warning" if plan.configuration.guessed else None,
                help=message("leave out {name}, or give the model without one", name=ADAPTER),
            )


def _place(plan: Plan) -> Span:
    """Where the trainer is given the adapter; else the launch."""
    given = (one.key_span for one in plan.arguments if one.key.endswith(f".{ADAPTER}"))
    return next(given, plan.launch.command.argv[0].span)
