"""RLB132: TRL's trainer is given an argument that its release does not take."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import spans_of_releases
from bot.frameworks.settings.setting import Setting
from bot.frameworks.settings.trainer_arguments import releases_taking, renamed, taken
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message

_PROGRAM = """# trl: 1.16.0
cat > train.py <<'EOF'
from trl import SFTConfig, SFTTrainer

args = SFTConfig(output_dir="out", max_length=1024, report_to="wandb")
SFTTrainer(model="Qwen/Qwen3-8B", args=args, train_dataset=rows, {}=tokenizer).train()
EOF
python train.py
"""

META = Meta(
    id="RLB132",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="TRL's trainer is given an argument that it does not take.",
    why=(
        "Python stops with a TypeError when the trainer is made, after the model was loaded. Most "
        "are arguments of former releases, such as tokenizer, which is processing_class now, or "
        "settings that moved to SFTConfig."
    ),
    instead="Use the present name, or give a setting to the trainer's configuration (`args`).",
    limits=(
        "SFTTrainer, DPOTrainer, GRPOTrainer, KTOTrainer, RewardTrainer and RLOOTrainer, where a "
        "program makes their settings itself. Silent for classes that derive from them, and with "
        "unsloth, which changes them. A warning where nobody states the release: then one that "
        "takes all that is given is looked for first (RLB028). Nothing is known of TRL before 0.13."
    ),
    source="`__init__` of the trainers in trl/trainer, and its decorators, 0.13.0 to 1.16.0",
    example=Example(
        bad=_PROGRAM.format("tokenizer"),
        good=_PROGRAM.format("processing_class"),
        path="scripts/sft.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """What programs give a trainer beside its settings."""
    for plan in context.plans:
        doubtful = plan.inference.doubtful if plan.inference is not None else ()
        known = plan.table is not None and plan.configuration.source != "beyond"
        for given in plan.arguments if known else ():
            if given not in doubtful and taken(given.key, plan.configuration.release) is False:
                yield _hit(plan, given)


def _hit(plan: Plan, given: Setting) -> Hit:
    trainer, _, name = given.key.partition(".")
    releases = spans_of_releases("trl", releases_taking(given.key))
    text = (
        message(
            "{trainer} takes no {name} here; it is {releases}",
            trainer=trainer,
            name=name,
            releases=releases,
        )
        if releases is not None
        else message(
            "{trainer} takes no {name} here, nor in any release that is known",
            trainer=trainer,
            name=name,
        )
    )
    return Hit(
        message=text,
        span=given.key_span,
        severity="warning" if plan.configuration.guessed else None,
        help=_instead(plan, given.key, name),
    )


def _instead(plan: Plan, key: str, name: str) -> Message:
    if (present := renamed(key)) is not None:
        return message("write {name}", name=present)
    table = plan.table if isinstance(plan.table, OptionTable) else None
    setting = (table.renamed(name) or name) if table is not None else name
    if table is not None and table.spells(setting):
        return message("give {setting} to the class that args is made of", setting=setting)
    return message("leave it out")
