"""What verl's own checks at the start of `verl.trainer.main_ppo` need to know of a plan."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence

from bot.base.regex import regex
from bot.frameworks.files.named_files import bytes_of
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.frameworks.repository import pins
from bot.frameworks.repository.verl_copies import VerlSource
from bot.frameworks.settings.key_table import KeyTable
from bot.frameworks.settings.releases import release, releases
from bot.frameworks.tables import table
from bot.report import Severity
from bot.rules._support.base import Message, RuleContext, message

ENTRY = "verl.trainer.main_ppo"
ACTOR = "actor_rollout_ref.actor"
ROLLOUT = "actor_rollout_ref.rollout"
REF = "actor_rollout_ref.ref"
ESTIMATORS = (
    "gae", "grpo", "grpo_passk", "grpo_vectorized", "reinforce_plus_plus", "remax", "rloo",
    "reinforce_plus_plus_baseline", "rloo_vectorized", "opo", "gpg", "gdpo",
    "optimal_token_baseline", "tir_optimal_token_baseline",
)  # fmt: skip
"""The estimators of the advantage that verl's releases know; a fork may register its own."""

SOURCE = (
    "validate_config in verl/utils/config.py and ActorConfig.validate in "
    "verl/workers/config/actor.py (verl 0.6.0 to 0.9.1); _validate_config in "
    "verl/trainer/ppo/ray_trainer.py before: "
    "https://github.com/volcengine/verl/blob/main/verl/utils/config.py"
)
LIMITS = (
    "Checked for `verl.trainer.main_ppo` alone, since recipes check for themselves. Silent when "
    "one of the values cannot be known."
)


def trainers(context: RuleContext) -> Iterator[PlanValues]:
    """The values of each launch that runs verl's own checks."""
    for plan in context.plans:
        if plan.framework == "verl" and plan.launch.entry == ENTRY:
            yield values_of(plan)


def static(context: RuleContext) -> Iterator[PlanValues]:
    """As `trainers`, without those that size batches by tokens, which most checks leave out."""
    for values in trainers(context):
        if values.flag(f"{ACTOR}.use_dynamic_bsz") is False:
            yield values


def refuses(context: RuleContext, *names: str) -> bool:
    """Whether the copy of verl that the script runs with still makes a check of these names.

    Forks whose environments multiply the batch leave checks out. Without a copy a release makes
    it, and of a fork that is installed it is not known.
    """
    source = own_source(context)
    return not installs_fork(context, "verl") if source is None else source.refuses(*names)


def installs_fork(context: RuleContext, framework: str) -> bool:
    """Whether the repository installs somebody's fork, and nobody names a release."""
    stated = (plan.configuration.source in ("requested", "header") for plan in context.plans)
    place = context.place
    return (
        place is not None
        and not any(stated)
        and pins.installs_fork(framework, place.checkout.files, place.path)
    )


def copied_elsewhere(context: RuleContext, plan: Plan) -> bool:
    """Whether PYTHONPATH begins with a folder that is not here: a fork's copy of verl, maybe."""
    path = plan.launch.command.environment.get("PYTHONPATH")
    first = path.text.partition(":")[0] if path is not None else ""
    known = first.rpartition("}")[2].strip("./")
    files = context.place.checkout.files if context.place is not None else ()
    inside = any(f"/{file}".startswith(f"/{known}/") for file in files)
    return plan.framework == "verl" and bool(known) and not inside


def own_source(context: RuleContext) -> VerlSource | None:
    """The Python of the copy of verl that the script runs with; None without one."""
    place = context.place
    return place.checkout.verl.source(place.path) if place is not None else None


def has_code_for(context: RuleContext, name: str) -> bool:
    """Whether the repository adds a name to verl's own: in its copy of verl, or by registering."""
    own, place = own_source(context), context.place
    if own is not None and own.has(name):
        return True
    return place is not None and _registers(place.checkout.files, name)


def _registers(files: Mapping[str, bytes], name: str) -> bool:
    """Whether Python registers a name: `@register("trloo")`, `@register(Loss(["k1_rec"]))`."""
    quoted = (f'"{name}"'.encode(), f"'{name}'".encode())
    texts = (bytes_of(files, path) for path in files if path.endswith(".py"))
    for text in (text for text in texts if b"register" in text):
        calls = b"\n".join(found[0] for found in _REGISTERS.finditer(text))
        if any(one in calls or b"(" + one in text for one in quoted):
            return True
    return False


_REGISTERS = regex(rb"register\w{0,40}\([^@:]{0,300}")
"""A call that registers something, with what stands in it."""


def has_text(context: RuleContext, name: str, text: str) -> bool:
    """Whether a file of the copy of verl that the script runs with has this text.

    `name` is below its package, as `protocol.py`. True without a copy: a release has it.
    """
    place = context.place
    copies = place.checkout.verl if place is not None else None
    if place is None or copies is None or copies.source(place.path) is None:
        return True
    return text in copies.text(place.path, name)


def compares_batch(context: RuleContext, role: str) -> bool:
    """Whether a mini batch of `actor` or `critic` above the batch is refused."""
    batch, mini = "train_batch_size", "ppo_mini_batch_size"
    return refuses(context, batch, f"{role}.{mini}") or refuses(context, batch, f"self.{mini}")


def doubted(plan: Plan, last: str) -> Severity | None:
    """A warning where nobody names the release, and an older one takes what this one takes.

    `last` is the newest release that does not refuse what a rule finds. What a configuration of
    the repository's own adds it adds to any release.
    """
    if plan.table is None or not plan.configuration.guessed:
        return None
    own = _refused_by_all(plan, plan.configuration.release)
    refused = map(operator.or_, plan.table.refused(plan.settings), own)
    taken = [not wrong for wrong in refused]
    every = releases("verl")
    for older in reversed(every[: every.index(last) + 1]):
        for takes in _tables(older):
            if not any(map(operator.and_, taken, takes.refused(plan.settings))):
                return "warning"
    return None


def _refused_by_all(plan: Plan, version: str) -> tuple[bool, ...]:
    """For each of a launch's settings whether no program of a release takes it."""
    every = [each.refused(plan.settings) for each in _tables(version)]
    return tuple(map(all, zip(*every, strict=True)))


def _tables(version: str) -> Iterator[KeyTable]:
    found = (table("verl", version, root) for root in release("verl", version)["roots"])
    return (each for each in found if each is not None)


def needs_critic(values: PlanValues) -> bool | None:
    """Whether there is a critic, as need_critic in verl/trainer/ppo/utils.py has it."""
    enabled = values.get("critic.enable")
    if enabled is not None and isinstance(enabled.value, bool):
        return enabled.value
    estimator = values.text("algorithm.adv_estimator")
    return estimator == "gae" if estimator else None


def only_validates(values: PlanValues) -> bool:
    """Whether the trainer ends after a validation, before it updates anything."""
    keys = ("trainer.val_only", "trainer.val_before_train")
    return all(values.flag(key) for key in keys)


def is_fsdp(values: PlanValues) -> bool:
    """Whether the actor is trained with FSDP, of either version."""
    return values.text(f"{ACTOR}.strategy") in ("fsdp", "fsdp2")


def gpus(values: PlanValues) -> int | None:
    """GPUs over all nodes, as verl counts them."""
    per_node, nodes = values.number("trainer.n_gpus_per_node"), values.number("trainer.nnodes")
    return per_node * nodes if per_node and nodes else None


SEQUENCE_SIZES = (
    f"{ACTOR}.ulysses_sequence_parallel_size",
    f"{ACTOR}.fsdp_config.ulysses_sequence_parallel_size",
)
"""The size of sequence parallelism: the key that 0.7 deprecates, and its successor."""


def sequence_sizes(values: PlanValues) -> Sequence[str]:
    """Those that count, the one to write first.

    The workers of 0.7 read the deprecated one alone (verl/workers/fsdp_workers.py), unless
    `trainer.use_legacy_worker_impl=disable` chooses those that 0.8 has left.
    """
    chosen = values.text("trainer.use_legacy_worker_impl") == "disable"
    both = chosen or version_at_least(values.plan, 0, 8)
    return SEQUENCE_SIZES[::-1] if both else SEQUENCE_SIZES[:1]


def sequence_parallel(values: PlanValues) -> int | None:
    """Ulysses' size of the FSDP actor."""
    known = values.plan.table or ()
    sizes = [values.number(key) for key in sequence_sizes(values) if key in known]
    return None if None in sizes else max([1, *(size for size in sizes if size)])


def sequence_length(values: PlanValues) -> tuple[int, int] | None:
    """The greatest lengths of a prompt and of a response, in tokens."""
    prompt = values.number("data.max_prompt_length")
    response = values.number("data.max_response_length")
    return (prompt, response) if prompt and response else None


def data_parallel(values: PlanValues) -> int | None:
    """Ranks that the actor's batch is divided among; None when that is not known.

    FSDP: GPUs over Ulysses' size; Megatron: GPUs over its model-parallel size.
    """
    total = gpus(values)
    parallel = sequence_parallel(values) if is_fsdp(values) else model_parallel(values)
    return total // parallel if total and parallel and total % parallel == 0 else None


def model_parallel(values: PlanValues) -> int | None:
    """Megatron's tensor × pipeline × context parallel size; None when the actor is not Megatron."""
    if values.text(f"{ACTOR}.strategy") != "megatron":
        return None
    product = 1
    for kind in ("tensor_model", "pipeline_model", "context"):
        size = values.number(f"{ACTOR}.megatron.{kind}_parallel_size")
        if not size:
            return None
        product *= size
    return product


MICRO_SIZES = (
    f"{ACTOR}.ppo_micro_batch_size",
    f"{ROLLOUT}.log_prob_micro_batch_size",
    f"{REF}.log_prob_micro_batch_size",
)
"""The micro batch sizes over all GPUs; each has a form per GPU, with the ending _per_gpu."""


def unread_sizes(values: PlanValues) -> list[str]:
    """The micro batch sizes that a launch gives over all GPUs alone, where verl needs them per GPU.

    Since 0.8.0 the workers of actor and rollout read nothing else
    (ActorRolloutRefWorker.init_model in verl/workers/engine_workers.py).
    """
    if (
        not version_at_least(values.plan, 0, 8)
        or values.flag(f"{ACTOR}.use_dynamic_bsz") is not False
    ):
        return []
    unread: list[str] = []
    for key in MICRO_SIZES[:2]:
        over_all, per_gpu = values.get(key), values.get(f"{key}_per_gpu")
        if over_all and over_all.value is not None and per_gpu and per_gpu.value is None:
            unread.append(key)
    return unread


def per_gpu_help(values: PlanValues, key: str) -> Message:
    """What a size over all GPUs comes to per GPU, in words.

    verl's workers divided it by the data-parallel size: GPUs over sequence-parallel size
    (verl 0.4.1, verl/workers/fsdp_workers.py); Megatron's division is left to the reader.
    """
    found = values.get(key)
    total = found.number if found else None
    count = gpus(values)
    parallel = values.number(f"{ACTOR}.ulysses_sequence_parallel_size")
    if not total or not count or not is_fsdp(values) or parallel is None:
        return message(
            "use {key}_per_gpu: the value over all GPUs, divided by the data-parallel size", key=key
        )
    ranks = count // max(1, parallel)
    if not ranks or total % ranks:
        return message(
            "use {key}_per_gpu: {total} over all GPUs, divided by the data-parallel size {ranks}",
            key=key,
            total=total,
            ranks=ranks,
        )
    return message(
        "use {key}_per_gpu={share} ({total} over all GPUs, data-parallel size {ranks})",
        key=key,
        share=total // ranks,
        total=total,
        ranks=ranks,
    )
