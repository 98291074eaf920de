"""RLB108: settings of TRL's trainers that exclude or need each other."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import trl
from bot.rules._support.keys import shown

META = Meta(
    id="RLB108",
    severity="error",
    confidence="certain",
    added_in="0.2.0",
    summary="Two settings of TRL exclude each other, or one needs another.",
    why=(
        "TRL's configurations and transformers' TrainingArguments refuse such pairs with a "
        "ValueError before anything is loaded, TRL's trainers after the models are."
    ),
    instead="Remove one of the two, or add the one that is needed.",
    limits=(
        "Knows: bf16 and fp16; four bits and eight; load_best_model_at_end without evaluations "
        "when it saves; generation_batch_size and steps_per_generation; auto_find_batch_size of "
        "GRPO and RLOO (since 1.12); log_completions_hub_repo without log_completions (0.29); "
        "sync_ref_model without a reference, or with an adapter or precomputed log-probabilities "
        "(0.29, TRL's own scripts alone, since another program may have another trainer). Silent "
        "when one of the values cannot be known."
    ),
    source=(
        "__post_init__ of trl/trainer/grpo_config.py, rloo_config.py and model_config.py and of "
        "transformers/training_args.py; GRPOTrainer and DPOTrainer in trl/trainer (TRL to 1.16)"
    ),
    example=Example(
        bad=trl("--generation_batch_size 64", "--steps_per_generation 4"),
        good=trl("--generation_batch_size 64"),
        path="scripts/grpo.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """The pairs that a launch of TRL sets."""
    for plan in context.plans:
        if plan.framework != "trl" or plan.table is None:
            continue
        values = values_of(plan)
        for first, second in _EXCLUDED:
            if values.on(first) and values.on(second):
                yield _excluded(values, first, second)
        yield from _best_model(values)
        if plan.algorithm.value in ("grpo", "rloo"):
            yield from _batches(values)
        own = plan.launch.command.implied or plan.launch.command.written
        if plan.launch.entry.startswith("trl.") and not own:
            yield from _reference(values)


_EXCLUDED = (("bf16", "fp16"), ("load_in_4bit", "load_in_8bit"))


def _best_model(values: PlanValues) -> Iterator[Hit]:
    key = "load_best_model_at_end"
    evaluates = values.first("eval_strategy", "evaluation_strategy")
    saves = values.text("save_strategy")
    if not values.on(key) or evaluates is None or saves in (None, "best"):
        return
    if evaluates.value != saves:
        yield hit(
            values.place(key),
            "{key} needs an evaluation whenever it saves: eval_strategy is {evaluates}, "
            "save_strategy {saves}",
            key=shown(values.plan, key),
            evaluates=evaluates.value,
            saves=saves,
            help=message("set --eval_strategy {saves}, or leave {key} out", saves=saves, key=key),
        )
        return
    often = [found.value for k in ("save_steps", "eval_steps") if (found := values.get(k))]
    whole = [int(n) for n in often if isinstance(n, (int, float)) and n == int(n) > 0]
    if saves == "steps" and len(whole) == 2 and whole[0] % whole[1]:
        yield hit(
            values.place("save_steps", "eval_steps"),
            "{key} needs an evaluation whenever it saves: {saves} steps are no multiple of "
            "{evaluates}",
            key=key,
            saves=whole[0],
            evaluates=whole[1],
            help=message("make save_steps a multiple of eval_steps"),
        )


def _batches(values: PlanValues) -> Iterator[Hit]:
    """What the configurations of GRPO and RLOO refuse."""
    whole, parts = "generation_batch_size", "steps_per_generation"
    if values.number(whole) is not None and values.number(parts) is not None:
        yield _excluded(values, whole, parts)
    found = "auto_find_batch_size"
    if version_at_least(values.plan, 1, 12) and values.on(found):
        yield hit(
            values.place(found),
            "{key} would split the groups of completions: TRL refuses it",
            key=found,
            help=message("leave {key} out", key=found),
        )
    hub, logged = "log_completions_hub_repo", "log_completions"
    if version_at_least(values.plan, 0, 29) and values.text(hub) and values.on(logged) is False:
        yield _needs(values, hub, logged)


def _reference(values: PlanValues) -> Iterator[Hit]:
    """What TRL's trainers refuse of a reference that follows the policy (since 0.29)."""
    key, algorithm = "sync_ref_model", values.plan.algorithm.value
    if not version_at_least(values.plan, 0, 29) or not values.on(key):
        return
    beta = values.get("beta")
    if algorithm == "grpo" and beta is not None and beta.value == 0:
        yield _needs(values, key, "beta", "above 0")
    elif algorithm in ("grpo", "dpo") and values.on("use_peft"):
        yield _excluded(values, key, "use_peft")
    elif algorithm == "dpo" and values.on("precompute_ref_log_probs"):
        yield _excluded(values, key, "precompute_ref_log_probs")


def _excluded(values: PlanValues, first: str, second: str) -> Hit:
    return hit(
        values.place(second, first),
        "{first} and {second} exclude each other",
        first=shown(values.plan, first),
        second=shown(values.plan, second),
        help=message("remove one of the two"),
    )


def _needs(values: PlanValues, first: str, second: str, how: str = "") -> Hit:
    names = {
        "first": shown(values.plan, first),
        "second": f"{shown(values.plan, second)} {how}".rstrip(),
    }
    return Hit(
        message=message("{first} needs {second}", **names),
        span=values.place(first),
        help=message("add {second}, or remove {first}", **names),
    )
