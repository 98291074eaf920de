"""RLB100: TRL's batch cannot be divided into whole groups of completions."""

from __future__ import annotations

from itertools import takewhile
from math import lcm

from bot.base.messages import plural_message
from bot.frameworks.launchers.launch import is_one_process, unwrap
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.frameworks.python import unsloth
from bot.frameworks.python.source import makes
from bot.frameworks.settings.releases import release_key
from bot.report import Severity
from bot.rules._support import multiples
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.example import trl
from bot.rules._support.keys import shown
from bot.rules._support.trl_refusals import RANKS, has_own_trainer, program_of

META = Meta(
    id="RLB100",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="TRL's generation batch is no multiple of num_generations, or that is below 2.",
    why=(
        "Rewards are compared within the completions of one prompt. GRPOConfig raises a ValueError "
        "when the batch would split a group, or when a group has one completion."
    ),
    instead=(
        "Choose per_device_train_batch_size × processes × gradient_accumulation_steps as a "
        "multiple of num_generations."
    ),
    limits=(
        "GRPO alone. Silent when a value cannot be known (a file of settings, a launcher that "
        "takes every GPU); Python alone is one process. From "
        "0.15.0 to 0.17.0 TRL's trainer checks, before 0.17.0 without the accumulation steps: "
        "looked at for TRL's own scripts, and for programs that make TRL's own GRPOTrainer. Older "
        "releases take any number: a warning for a program of the repository's own where the "
        "release is inferred and may be one of them, and where all that it may be are older than "
        "0.18 and one of them refuses the batch. A warning too where a program imports unsloth, "
        "which makes per_device_train_batch_size num_generations then and goes on."
    ),
    source=(
        "GRPOConfig.__post_init__ in trl/trainer/grpo_config.py (since 0.18.0), "
        "GRPOTrainer.__init__ in trl/trainer/grpo_trainer.py (0.15.0 to 0.17.0): "
        "https://github.com/huggingface/trl/blob/main/trl/trainer/grpo_config.py; "
        "unsloth/models/rl.py (2026.8): check_num_generations"
    ),
    example=Example(
        bad=trl("--per_device_train_batch_size 3", "--num_generations 8"),
        good=trl("--per_device_train_batch_size 8", "--num_generations 8"),
        path="scripts/grpo.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """TRL's checks of the batch that it generates."""
    for plan in context.plans:
        if plan.framework != "trl" or plan.algorithm.value != "grpo" or plan.table is None:
            continue
        if not plan.rollout_n or not _refuses(context, plan):
            continue
        values = values_of(plan)
        group = values.number("num_generations")
        if group is not None and group < 2:
            yield hit(
                values.place("num_generations"),
                "num_generations is {group}; TRL needs 2 or more",
                group=group,
                severity=_severity(plan),
                help=_use(plan, "num_generations", 8),
            )
            continue
        if not _redefines(context, plan):
            yield from _batch(values, group, patched=_patched(context, plan))


def _refuses(context: RuleContext, plan: Plan) -> bool:
    """Whether a check is made: by the configuration since 0.18.0, by TRL's trainer since 0.15.0.

    A program of the repository's own may have another trainer.
    """
    if version_at_least(plan, 0, 18):
        return True
    return version_at_least(plan, 0, 15) and (
        has_own_trainer(plan) or _makes_trainer(context, plan)
    )


def _redefines(context: RuleContext, plan: Plan) -> bool:
    """Whether the batch that is given is one of the repository's own class, not TRL's."""
    key, place = "generation_batch_size", context.place
    given = plan.last(key) is not None
    return given and place is not None and key in place.checkout.own_arguments()


def _makes_trainer(context: RuleContext, plan: Plan) -> bool:
    """Whether the program makes the trainer that TRL itself has."""
    tree = program_of(context, plan)
    return tree is not None and makes(tree, "GRPOTrainer", "trl")


def _patched(context: RuleContext, plan: Plan) -> bool:
    """Whether the program imports unsloth, whose GRPOConfig changes a batch that TRL refuses."""
    tree = program_of(context, plan)
    return tree is not None and unsloth.patches(tree)


def _processes(plan: Plan) -> int | None:
    """One of Python alone, whose further GPUs get no process of their own."""
    command, gpus = plan.launch.command, plan.gpus.value
    if gpus is not None or command.implied:
        return gpus
    started = unwrap(command.argv)
    if started is None or not is_one_process(started.launcher):
        return None
    # What is not known may be a launcher: `$LAUNCH train.py`.
    before = takewhile(lambda word: word.text != started.entry, command.argv)
    alone = all(word.complete for word in before) and not command.environment.keys() & {*RANKS}
    return 1 if alone else None


def _severity(plan: Plan) -> Severity | None:
    """A warning for a program of the repository's own whose settings an older release has, too.

    It may have a trainer that takes any number, as GRPOConfig itself does until 0.17.
    """
    older = any(release_key(one) < release_key("0.18.0") for one in plan.inferred_releases)
    return "warning" if older and not has_own_trainer(plan) else None


def _may_be_strict(plan: Plan) -> bool:
    """Whether nobody names the release, and of those that take the settings some leave out steps.

    That is where all are older than 0.18: of more the newest count.
    """
    keys = [release_key(one) for one in plan.inferred_releases]
    strict = [one for one in keys if release_key("0.15.0") <= one < release_key("0.17.0")]
    return bool(strict) and max(keys) < release_key("0.18.0")


def _batch(values: PlanValues, group: int | None, *, patched: bool) -> Hits:
    plan = values.plan
    each, gpus = values.number("per_device_train_batch_size"), _processes(plan)
    if not group or not each or not gpus:
        return
    yield from _evaluated(values, group, gpus)
    if given := values.number("generation_batch_size"):
        yield from _given(values, given, group, each * gpus)
        return
    strict = _may_be_strict(plan) and each * gpus % group != 0
    accumulated = version_at_least(plan, 0, 17) and not strict
    own = plan.last("steps_per_generation") is not None
    key = "steps_per_generation" if own else "gradient_accumulation_steps"
    steps = values.number(key)
    if not steps or plan.last("generation_batch_size"):
        return
    batch = each * gpus * (steps if accumulated else 1)
    if batch % group == 0:
        return
    completions = plural_message(
        "{count} completion a device", "{count} completions a device", each
    )
    processes = plural_message("{count} process", "{count} processes", gpus)
    if accumulated:
        better = multiples.at_least(steps, multiples.step(each * gpus, group))
        text = message(
            "{each} × {processes} × {steps} = {batch} is no multiple of num_generations {group}",
            each=completions,
            processes=processes,
            steps=plural_message("{count} step", "{count} steps", steps),
            batch=batch,
            group=group,
        )
    else:
        better = multiples.at_least(each, multiples.step(gpus, group))
        text = message(
            "{each} × {processes} = {batch} is no multiple of num_generations {group}",
            each=completions,
            processes=processes,
            batch=batch,
            group=group,
        )
        key = "per_device_train_batch_size"
    if strict:
        text = message("{split}, which TRL 0.15.0 to 0.16.1 refuses", split=text)
    changed = patched and not own
    if changed:
        text = message(
            "{split}: unsloth trains with per_device_train_batch_size {group}",
            split=text,
            group=group,
        )
    yield Hit(
        message=text,
        span=values.place("per_device_train_batch_size", "num_generations"),
        severity="warning" if strict or changed else _severity(plan),
        help=_use(plan, key, better),
    )


def _use(plan: Plan, key: str, value: int) -> Message:
    """What to set, as it is written there: an option, a field of a recipe or of a program."""
    return message("use {option} {value}", option=shown(plan, key), value=value)


def _given(values: PlanValues, batch: int, group: int, ranks: int) -> Hits:
    """The batch that is generated, where it is given."""
    key = "generation_batch_size"
    if batch % ranks:
        text = message(
            "generation_batch_size {batch} is no multiple of {ranks}, completions a device × "
            "processes",
            batch=batch,
            ranks=ranks,
        )
    elif batch % group:
        text = message(
            "generation_batch_size {batch} is no multiple of num_generations {group}",
            batch=batch,
            group=group,
        )
    else:
        return
    better = multiples.at_least(batch, lcm(ranks, group))
    yield Hit(
        message=text,
        span=values.place(key),
        severity=_severity(values.plan),
        help=_use(values.plan, key, better),
    )


def _evaluated(values: PlanValues, group: int, gpus: int) -> Hits:
    """The batch of an evaluation, which is divided into groups of its own since 0.22."""
    key, strategy = "per_device_eval_batch_size", values.text("eval_strategy")
    own = values.get("num_generations_eval")
    group = (own.number if own else None) or group
    each = values.number(key)
    if strategy in (None, "no") or not each or not version_at_least(values.plan, 0, 22):
        return
    if each * gpus % group:
        yield hit(
            values.place(key, "eval_strategy"),
            "{each} completions a device × {gpus} processes of an evaluation are no multiple "
            "of num_generations {group}",
            each=each,
            gpus=gpus,
            group=group,
            severity=_severity(values.plan),
            help=_use(values.plan, key, multiples.at_least(each, multiples.step(gpus, group))),
        )
