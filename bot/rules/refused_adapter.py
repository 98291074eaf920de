"""RLB144: TRL's trainer is asked for an adapter that it refuses."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import values_of, version_at_least
from bot.frameworks.settings.trainer_arguments import ADAPTER
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message

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
    summary="TRL's trainer is asked for an adapter that it refuses.",
    why=(
        "A model that get_peft_model or PeftModel has made keeps its adapter, and peft_config "
        "would add a second one: a ValueError since TRL 0.27; before, the first was merged or "
        "something else trained than the program says. Up to 0.27 DPO refuses a ref_model beside "
        "peft_config, as the model without its adapter is the reference."
    ),
    instead=(
        "Give the trainer the model with its adapter, or the plain model and peft_config; leave "
        "out ref_model."
    ),
    limits=(
        "Checked where the model of a program is followed, for SFT, DPO, KTO, GRPO, RLOO and "
        "reward models. Silent with unsloth, and about a reference with force_use_ref_model. A "
        "warning where nobody states the release."
    ),
    source=(
        "`__init__` of the trainers in trl/trainer since 0.27.0, of KTOTrainer in "
        "trl/experimental, of DPOTrainer up to 0.28.0"
    ),
    example=Example(
        bad=_PROGRAM.format(", peft_config=lora"),
        good=_PROGRAM.format(""),
        path="scripts/sft.sh",
    ),
)

_TASKS = ("dpo", "grpo", "kto", "rloo", "rm", "sft")
_ALLOWS = "force_use_ref_model"


def check(context: RuleContext) -> Hits:
    """The adapters that programs ask for, and what stands beside them."""
    for plan in context.plans:
        made = plan.written
        if plan.framework != "trl" or made is None or not made.to_adapt or made.unsloth:
            continue
        if plan.algorithm.value not in _TASKS or plan.own_trainer:
            continue
        if made.adapted and version_at_least(plan, 0, 27):
            yield _hit(
                plan,
                message("the model has an adapter, and peft_config asks TRL for another"),
                message("leave out peft_config, or give the model without one"),
            )
        elif made.reference and plan.algorithm.value == "dpo" and _refuses_reference(plan):
            yield _hit(
                plan,
                message("DPOTrainer refuses a ref_model beside peft_config"),
                message("leave out ref_model: the model without its adapter is the reference"),
            )


def _refuses_reference(plan: Plan) -> bool:
    """Whether DPO's trainer takes no reference beside an adapter: by default up to 0.27."""
    told = values_of(plan).get(_ALLOWS)
    allowed = version_at_least(plan, 0, 28) if told is None or told.value is None else told.value
    known = told is not None or plan.last(_ALLOWS) is None
    return known and not allowed and not version_at_least(plan, 0, 29)


def _hit(plan: Plan, text: Message, help_: Message) -> Hit:
    place = (one.key_span for one in plan.arguments if one.key.endswith(f".{ADAPTER}"))
    return Hit(
        message=text,
        span=next(place, plan.launch.command.argv[0].span),
        severity="warning" if plan.configuration.guessed else None,
        help=help_,
    )
