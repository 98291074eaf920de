"""RLB108: settings of TRL's trainers that exclude or need each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.report import JsonValue
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import trl
from bot.rules._support.keys import shown
from bot.rules._support.trl_refusals import has_own_trainer, refusals

META = Meta(
    id="RLB108",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Two settings of TRL exclude each other, or one needs another.",
    why=(
        "TRL's configurations and transformers' TrainingArguments refuse such pairs with a "
        "ValueError before anything is loaded, TRL's trainers after the models are."
    ),
    instead="Remove one of the two, or add the one that is needed.",
    limits=(
        "Knows: bf16 and fp16; four bits and eight; recomputation by FSDP and by the trainer, on "
        "more than one GPU; four bits below FSDP's first version in another type than the "
        "weights (0.26); load_best_model_at_end without evaluations "
        "when it saves; generation_batch_size and steps_per_generation; auto_find_batch_size of "
        "GRPO and RLOO (since 1.12); log_completions_hub_repo without log_completions (0.29). Of "
        "TRL's own scripts alone, since another program may have another trainer: sync_ref_model "
        "without a reference, or with an adapter or precomputed log-probabilities; these with "
        "ZeRO-3 (DPO until 0.28, KTO until 1.2); "
        "padding_free without packing (1.0); DPO's exo_pair without label_smoothing; KTO's batch "
        "of one; weights that are not as many as the rewards or losses; Liger's loss with what it "
        "cannot compute (0.17 to 1.14); an adapter of the head where its weights are read. Silent "
        "when one of the values cannot be known."
    ),
    source=(
        "__post_init__ of trl/trainer/grpo_config.py, rloo_config.py and model_config.py and of "
        "transformers/training_args.py; __init__ of the trainers in trl/trainer and "
        "trl/experimental (TRL 0.13 to 1.16)"
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
        yield from _recomputed_twice(values)
        yield from _best_model(values)
        if plan.algorithm.value in ("grpo", "rloo"):
            yield from _batches(values)
        if has_own_trainer(plan) and not _is_of_copy(context, plan):
            yield from _of_trainer(values)


def _is_of_copy(context: RuleContext, plan: Plan) -> bool:
    """Whether a program is a script of the repository's copy of TRL."""
    place, entry = context.place, plan.launch.entry
    return place is not None and place.checkout.trl_programs.find(entry, place.path) is not None


_EXCLUDED = (("bf16", "fp16"), ("load_in_4bit", "load_in_8bit"))


_RECOMPUTED = ("activation_checkpointing", "gradient_checkpointing")
"""The second is an alias since transformers 5.23, used where the first is not set."""


def _recomputed_twice(values: PlanValues) -> Iterator[Hit]:
    """Layers that FSDP recomputes, and the trainer (`transformers.Trainer`, since 4.37 at least).

    One process has no FSDP, whatever accelerate's file says.
    """
    plan = values.plan
    key = next((one for one in _RECOMPUTED if plan.last(one)), _RECOMPUTED[1])
    option = launcher_option(plan.launch, "fsdp_activation_checkpointing")
    by_fsdp = option is not None and (option.value or "").lower() in ("true", "1")
    one_process = plan.gpus_per_node.value == 1 and plan.nodes.value in (1, None)
    if option is None or not by_fsdp or one_process or not values.on(key):
        return
    if launcher_option(plan.launch, "use_fsdp") is None:
        return
    yield hit(
        values.place(key) if plan.last(key) else option.span,
        "{key}{default} and FSDP's activation_checkpointing exclude each other",
        key=shown(plan, key),
        default="" if plan.last(key) else message(" (the default)"),
        help=message("turn {key} off, and leave it to FSDP", key=shown(plan, key)),
        severity=None if plan.gpus_per_node.value is not None else "warning",
    )


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


def _of_trainer(values: PlanValues) -> Iterator[Hit]:
    """What a task's trainer refuses."""
    plan, task = values.plan, values.plan.algorithm.value
    for keys in refusals(values):
        yield _refused(values, keys, [_as_written(values, key) for key in keys])
    if task == "sft" and version_at_least(plan, 1, 0):
        cut = values.get("max_length")
        free, packed = values.flag("padding_free"), values.flag("packing")
        if free and packed is False and cut is not None and cut.value is not None:
            yield _needs(values, "padding_free", "packing")
    yield from _precomputed(values)
    yield from _stored(values)
    yield from _losses(values)
    yield from _weights(values)


_PRECOMPUTES = {"dpo": (0, 29), "kto": (1, 3)}
"""Tasks to the first release that computes the reference's part below ZeRO-3 in advance."""


def _precomputed(values: PlanValues) -> Iterator[Hit]:
    """The reference's log-probabilities in advance, of weights that ZeRO-3 divides."""
    plan, key = values.plan, "precompute_ref_log_probs"
    able = _PRECOMPUTES.get(plan.algorithm.value or "")
    if able is None or version_at_least(plan, *able) or not values.on(key):
        return
    stage = launcher_option(plan.launch, "zero_stage")
    file = launcher_option(plan.launch, "config_file")
    if plan.train.value == "deepspeed" and (
        stage.value == "3" if stage is not None else file is not None and "zero3" in file.text
    ):
        yield _refused(values, [key], [shown(plan, key), "DeepSpeed ZeRO-3"])


def _stored(values: PlanValues) -> Iterator[Hit]:
    """Four bits below FSDP's first version, which makes a layer's weights one tensor of one type.

    Up to 0.25 TRL stored them in the model's type itself (`get_quantization_config`).
    """
    plan, key = values.plan, "bnb_4bit_quant_storage"
    stored, of = values.get(key), values.text("dtype")
    by_launcher = launcher_option(plan.launch, "use_fsdp") is not None and plan.gpus.value != 1
    if plan.train.value != "fsdp" or not by_launcher or stored is None or of in (None, "auto"):
        return
    if version_at_least(plan, 0, 26) and values.on("load_in_4bit") and stored.value != of:
        yield hit(
            values.place(key, "load_in_4bit"),
            "FSDP takes weights of one type alone: four bits are stored in {stored}, the others in "
            "{of}",
            stored=stored.value or "uint8",
            of=of,
            help=message("set --{key} {of}", key=key, of=of),
        )


def _refused(values: PlanValues, keys: Sequence[str], names: Sequence[str]) -> Hit:
    first, second = names
    return hit(
        values.place(*keys),
        "{trainer} refuses {first} with {second}",
        trainer=f"{(values.plan.algorithm.value or '').upper()}Trainer",
        first=first,
        second=second,
        help=message("change one of the two"),
    )


def _losses(values: PlanValues) -> Iterator[Hit]:
    """What a loss needs."""
    plan, task, losses = values.plan, values.plan.algorithm.value, values.get("loss_type")
    if losses is None:
        return
    if task == "dpo" and version_at_least(plan, 0, 29) and "exo_pair" in _items(losses.value):
        smoothing = values.get("label_smoothing")
        if smoothing is not None and smoothing.value == 0:
            yield _loss_needs(values, "exo_pair", "label_smoothing", "above 0")
    if task == "kto" and losses.value != "apo_zero_unpaired":
        key = "per_device_train_batch_size"
        if values.number(key) == 1:
            yield _loss_needs(values, str(losses.value), key, "of 2 or more")
        key = "train_sampling_strategy"
        if version_at_least(plan, 1, 6) and values.text(key) not in (None, "sequential"):
            yield _loss_needs(values, str(losses.value), key, "sequential")


_REWARDS = ("reward_weights", "reward_model_name_or_path", "reward_funcs")
_WEIGHTS = {"dpo": ("loss_weights", "loss_type"), "grpo": _REWARDS, "rloo": _REWARDS}
"""Task to its weights, and to what is weighed."""


def _weights(values: PlanValues) -> Iterator[Hit]:
    """As many weights as losses, or as rewards: a model and functions (`main` of TRL's scripts)."""
    task = values.plan.algorithm.value
    if task not in _WEIGHTS:
        return
    key, *of = _WEIGHTS[task]
    weights, weighed = values.get(key), [values.get(one) for one in of]
    if weights is None or weights.value is None or None in weighed:
        return
    given = len(_items(weights.value))
    wanted = sum(len(_items(one.value)) for one in weighed if one is not None)
    if given != wanted:
        yield hit(
            values.place(key),
            "{key}: {given} given, {wanted} needed, as many as {of}",
            key=shown(values.plan, key),
            given=given,
            wanted=wanted,
            of=", ".join(shown(values.plan, one) for one in of),
            help=message("give one for each"),
        )


def _loss_needs(values: PlanValues, loss: str, key: str, how: str) -> Hit:
    names = {
        "first": f"{shown(values.plan, 'loss_type')} {loss}",
        "second": f"{shown(values.plan, key)} {how}",
    }
    return Hit(
        message=message("{first} needs {second}", **names),
        span=values.place(key, "loss_type"),
        help=message("set {second}, or take another loss", **names),
    )


def _items(value: JsonValue) -> list[JsonValue]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _as_written(values: PlanValues, key: str) -> str:
    """A setting as it is written, with its value where that is more than that it is on."""
    found = values.get(key)
    items = [] if found is None or found.value is True else _items(found.value)
    if "lm_head" in items:  # The one module of them that is refused.
        items = ["lm_head"]
    return " ".join([shown(values.plan, key), *map(str, items)])


def _excluded(values: PlanValues, first: str, second: str) -> Hit:
    return hit(
        values.place(second, first),
        "{first} and {second} exclude each other",
        first=shown(values.plan, first),
        second=shown(values.plan, second),
        help=message("remove one of the two"),
    )


def _needs(values: PlanValues, first: str, second: str) -> Hit:
    names = {"first": shown(values.plan, first), "second": shown(values.plan, second)}
    return Hit(
        message=message("{first} needs {second}", **names),
        span=values.place(first),
        help=message("add {second}, or remove {first}", **names),
    )
