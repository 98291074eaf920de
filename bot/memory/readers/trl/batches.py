"""How many sequences TRL's online trainers hold at once, and what writes them without vLLM.

Sources: `grpo_trainer.py`, `rloo_trainer.py`, `ppo_trainer.py`, `online_dpo_trainer.py` of TRL 0.14
to 1.9; `GenerationMixin._sample` and `DynamicLayer` of transformers.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.fast_dataclass import dataclass
from bot.frameworks.plan_values import version_at_least
from bot.memory.readers.lengths import Lengths
from bot.memory.readers.settings import MemorySettings
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Engine, Role

_FORWARD_CHUNK = 64
"""`local_rollout_forward_batch_size`, where a release's table does not say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineBatches:
    """Sequences on one GPU."""

    update: int
    """Of one pass with gradient."""
    forward: int
    """Of one pass without."""
    written: int
    """Written at once by `generate`."""
    scored: int = 0
    """Whose scores of every written token are kept, in fp32."""


def online_batches(get: MemorySettings, algorithm: str, each: int) -> OnlineBatches:
    """The batches of a trainer whose `per_device_train_batch_size` is `each`.

    GRPO and RLOO (from 0.22 on): the first counts completions, and those of
    `steps_per_generation` passes are written at once (from 0.17 on; one pass before). GRPO 0.14
    counts prompts, and takes all their completions in one pass. PPO and the older RLOO write in
    chunks of `local_rollout_forward_batch_size` what a whole step uses, and keep the scores of all
    of it (`batch_generation`). Online DPO has two completions of each prompt.
    """
    plan = get.plan
    steps = get.count("gradient_accumulation_steps") or 1
    if algorithm == "online_dpo":
        return OnlineBatches(update=2 * each, forward=2 * each, written=2 * each)
    if algorithm == "gae" or (algorithm == "rloo" and not version_at_least(plan, 0, 22)):
        if algorithm == "rloo":
            steps *= get.count("num_mini_batches") or 1
        local = each * steps
        chunk = get.count("local_rollout_forward_batch_size") or _FORWARD_CHUNK
        return OnlineBatches(
            update=each, forward=min(chunk, local), written=min(chunk, local), scored=local
        )
    if algorithm == "grpo" and not version_at_least(plan, 0, 15):
        every = each * (plan.rollout_n.value or 1)
        return OnlineBatches(update=every, forward=every, written=every)
    if not version_at_least(plan, 0, 17):
        return OnlineBatches(update=each, forward=each, written=each)
    passes = get.count("steps_per_generation") or _passes(get, each) or steps
    return OnlineBatches(update=each, forward=each, written=each * passes)


def _passes(get: MemorySettings, each: int) -> int | None:
    """Passes of a generation's batch by `generation_batch_size`, which counts every GPU's."""
    batch, gpus = get.count("generation_batch_size"), get.plan.gpus.value
    return max(1, batch // (each * gpus)) if batch and gpus else None


def gathered_or_cast(roles: Sequence[Role], *, adapted: bool) -> int:
    """Parameters that are whole or copied while transformers generates.

    PPO wraps policy and critic in one module, and gathers both. Autocast keeps what it casts of
    trained weights (`cached_cast` of torch).
    """
    divided = (role for role in roles if role.trained and role.backend == "zero3")
    cast = (role.shape for role in roles if role.trained and role.autocast and not adapted)
    return sum(role.parameters for role in divided) + sum(
        shape.linear_parameters + shape.embedding for shape in cast
    )


def transformers_engine(
    get: MemorySettings, shape: Shape, of: Lengths, batches: OnlineBatches, whole: int
) -> Engine:
    """`generate` with the trained model's own weights.

    `whole` are the parameters that ZeRO-3 divides, all of which are gathered for it
    (`unwrap_model_for_generation`) unless `ds3_gather_for_generation` is off, or that autocast has
    copies of.
    """
    return Engine(
        name="hf",
        shape=shape,
        tensor=1,
        fraction=1.0,
        sequence_tokens=of.longest,
        sequences=batches.written,
        prompt_tokens=of.prompt_max,
        scored_tokens=batches.scored * of.response_max,
        gathered_parameters=whole if get.on(True, "ds3_gather_for_generation") else 0,
        sleeps=False,
    )
