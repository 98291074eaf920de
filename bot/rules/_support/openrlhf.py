"""What OpenRLHF's own checks at the start of a training need to know of a plan.

Each option has the dotted name that it has since 0.10.2 and the flat one that it had before.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan_values import PlanValues, values_of
from bot.frameworks.settings.releases import timeline
from bot.rules._support.base import RuleContext
from bot.shell.source import Span

RAY = "openrlhf.cli.train_ppo_ray"

ACTOR_NODES = ("actor.num_nodes", "actor_num_nodes")
ACTOR_GPUS = ("actor.num_gpus_per_node", "actor_num_gpus_per_node")
ENGINES = ("vllm.num_engines", "vllm_num_engines")
ENGINE_SIZE = ("vllm.tensor_parallel_size", "vllm_tensor_parallel_size")
ALL = ("train.colocate_all", "colocate_all_models")
ASYNC = ("train.async_enable", "async_train")
BATCH = ("train.batch_size", "train_batch_size")
MICRO = ("train.micro_batch_size", "micro_train_batch_size")
ROLLOUT_BATCH = ("rollout.batch_size", "rollout_batch_size")
ROLLOUT_MICRO = ("rollout.micro_batch_size", "micro_rollout_batch_size")
SAMPLES = ("rollout.n_samples_per_prompt", "n_samples_per_prompt")
RING = ("ds.ring_attn_size", "ring_attn_size")
TENSOR = ("ds.tensor_parallel_size", "ds_tensor_parallel_size")
REMOTE = ("reward.remote_url", "remote_rm_url")
AGENT = ("train.agent_func_path", "agent_func_path")

SOURCE = (
    "openrlhf/cli/train_ppo_ray.py, its main part and train(): "
    "https://github.com/OpenRLHF/OpenRLHF/blob/main/openrlhf/cli/train_ppo_ray.py"
)
LIMITS = "Silent when one of the values cannot be known."


def ray_trainers(context: RuleContext) -> Iterator[PlanValues]:
    """The values of each launch of the Ray trainer whose options are known."""
    for plan in context.plans:
        if plan.framework == "openrlhf" and plan.launch.entry == RAY and plan.table is not None:
            yield values_of(plan)


def rewritten(values: PlanValues) -> bool:
    """Whether the launch gives a copy of OpenRLHF options that no release has.

    What such a program reads, and so what it needs, is its own affair.
    """
    plan, options = values.plan, timeline("openrlhf")
    return (
        plan.configuration.source == "tree"
        and options is not None
        and not all(options.having(setting.key) for setting in plan.settings)
    )


def option(values: PlanValues, *keys: str) -> str:
    """The option as this release spells it, with its dashes."""
    given = next((key for key in keys if values.plan.last(key) is not None), None)
    known = set(values.plan.table or ())
    return f"--{given or next((key for key in keys if key in known), keys[0])}"


def has_no_reward_source(values: PlanValues) -> bool:
    """Whether neither a URL nor an agent, in a release that knows one, gives the reward."""
    return values.on(*REMOTE) is False and is_on(values, AGENT) is False


def is_on(values: PlanValues, keys: tuple[str, ...]) -> bool | None:
    """Whether an option is on: False in a release that has none such, None when it is not known."""
    known = set(values.plan.table or ())
    return values.on(*keys) if known.intersection(keys) else False


def product(values: PlanValues, *groups: tuple[str, ...]) -> int | None:
    """The product of whole numbers; None when one is not known."""
    result = 1
    for keys in groups:
        number = values.whole(*keys)
        if number is None:
            return None
        result *= number
    return result


def size(values: PlanValues, *keys: str) -> int | None:
    """A parallel size: 1 in a release that has no such option, None when it is not known."""
    known = set(values.plan.table or ())
    return values.whole(*keys) if known.intersection(keys) else 1


def place(values: PlanValues, *groups: tuple[str, ...]) -> Span:
    """Where the first of these options that the script sets has its value; else the launch."""
    return values.place(*(key for keys in groups for key in keys))
