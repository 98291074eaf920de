"""TRL's trainers, and the classes of settings that they take."""

from __future__ import annotations

import ast
from functools import cache
from typing import Final

from bot.frameworks.python.source import calls, makes
from bot.frameworks.settings.releases import releases
from bot.frameworks.tables import table

TRAINERS: Final = {
    "BCOConfig": "bco",
    "CPOConfig": "cpo",
    "DistillationConfig": "distillation",
    "DPOConfig": "dpo",
    "GKDConfig": "gkd",
    "GOLDConfig": "gold",
    "GRPOConfig": "grpo",
    "KTOConfig": "kto",
    "NashMDConfig": "nash_md",
    "OnlineDPOConfig": "dpo_online",
    "ORPOConfig": "orpo",
    "PPOConfig": "ppo",
    "PRMConfig": "prm",
    "RewardConfig": "reward",
    "RLOOConfig": "rloo",
    "SFTConfig": "sft",
    "TPOConfig": "tpo",
    "XPOConfig": "xpo",
}
"""TRL's classes of settings, and the scripts of TRL's that take theirs."""
TRAINS: Final = {
    script: config.replace("Config", "Trainer")
    for config, script in TRAINERS.items()
    if script != "distillation"  # Of two trainers with that name.
}
"""TRL's scripts, and the trainers that they make."""
_STARTED: Final = ("distillation", "dpo", "grpo", "kto", "reward", "rloo", "sft")
"""Scripts of the package, `trl NAME`; the others stand among the examples of its repository."""
BARE: Final = {trainer: script for script, trainer in TRAINS.items()}
"""TRL's trainers, which take its defaults where a program gives them no settings."""
PLACES: Final = {
    **dict.fromkeys(("RewardTrainer", "SFTTrainer"), ("model", "args")),
    **dict.fromkeys(("DPOTrainer", "KTOTrainer"), ("model", "ref_model", "args")),
    **dict.fromkeys(("GRPOTrainer", "RLOOTrainer"), ("model", "reward_funcs", "args")),
    "GKDTrainer": ("model", "teacher_model", "args"),
}
"""What TRL's trainers take first, in its order."""
BESIDE: Final = frozenset(
    (
        "callbacks",
        "compute_metrics",
        "data_collator",
        "environment_factory",
        "eval_dataset",
        "formatting_func",
        "model",
        "peft_config",
        "processing_class",
        "quantization_config",
        "ref_model",
        "reward_funcs",
        "reward_processing_classes",
        "teacher_model",
        "tokenizer",
        "tools",
        "train_dataset",
    )
)
"""What a trainer takes that is no setting; before 0.16 some settings were its arguments too."""
OF_LOADING: Final = frozenset(
    (
        "attn_implementation",
        "cache_dir",
        "local_files_only",
        "low_cpu_mem_usage",
        "revision",
        "token",
        "trust_remote_code",
        "use_auth_token",
        "use_cache",
        "use_safetensors",
    )
)
"""What `from_pretrained` takes that makes no other model of it, but for `eager` attention."""
PLAIN: Final = "TrainingArguments"
PLAINLY: Final = ("SFTTrainer", "DPOTrainer")
"""transformers' class, and TRL's trainers that take it: the first makes its own class of it, the
second had none before 0.9."""
_BEFORE_PPO: Final = frozenset(
    (
        "adap_kl_ctrl",
        "early_stopping",
        "init_kl_coef",
        "log_with",
        "model_name",
        "optimize_cuda_cache",
        "optimize_device_cache",
        "ppo_epochs",
        "steps",
        "target_kl",
        "use_score_scaling",
    )
)
"""Settings that `PPOConfig` had before 0.12 alone (LLaMA-Factory's own trainer of it has some)."""
_OF_PPO: Final = frozenset(("args", "processing_class", "reward_model", "train_dataset", None))
"""What `PPOTrainer` takes since 0.12; None stands for `**given`."""
UNREAD: Final = "trl.experimental.distillation"
"""Where TRL's class of that name was before 1.10, with other settings."""


def module_of(script: str) -> str:
    """The module that a script of TRL's is known by: trl.scripts.grpo, examples.scripts.ppo."""
    return f"{'trl' if script in _STARTED else 'examples'}.scripts.{script}"


@cache
def default_is_none(script: str, key: str) -> bool:
    """Whether a setting of a script of TRL's is None where it is not given, by the last release."""
    known = table("trl", releases("trl")[-1], module_of(script))
    option = known.get(key) if known is not None and key in known else None
    return option is not None and option.name == key and option.default is None


def is_former(tree: ast.Module, script: str) -> bool:
    """Whether a program trains by a class as it was before the first release that is known.

    TRL 0.12 made `PPOTrainer` anew: what it was before took no `args`, no reward model and other
    settings (`ppo_epochs`), and was stepped by the program itself. Of `RLOOConfig` it renamed one.
    """
    if script == "rloo":
        made = (
            one.arg for call, name in calls(tree) if name == "RLOOConfig" for one in call.keywords
        )
        return "non_eos_penalty" in made
    if script != "ppo":
        return False
    for call, name in calls(tree):
        given = {one.arg for one in call.keywords}
        if name == "PPOConfig" and given & _BEFORE_PPO:
            return True
        if name.endswith("PPOTrainer") and _OF_PPO.isdisjoint(given):
            return True
    return False


def other_trainer(tree: ast.Module) -> str | None:
    """TRL's trainer that a module makes and that no table has the settings of; None without one.

    Those are some of its experimental part, and `PPOTrainer` as it was before 0.12.
    """
    made = {name for _, name in calls(tree) if name.endswith("Trainer")}
    unknown = (name for name in sorted(made) if name not in BARE or is_former(tree, BARE[name]))
    return next((name for name in unknown if makes(tree, name, "trl")), None)
