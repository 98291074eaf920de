"""How many of a pass's tokens are of images, and whether the tower that reads them is trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.base.messages import message
from bot.frameworks.plan_values import version_at_least
from bot.memory.readers.lengths import Measured
from bot.memory.readers.settings import MemorySettings
from bot.memory.workload import Pool, Role, RoleName, Workload

_OF_PROMPT = 0.5
"""Share of a prompt's tokens (of a sample's, where nothing is generated) that are taken to be of
images, where data have images and nobody says how many."""
_COLUMNS = ("data.image_key", "image_key")
_FROZEN: dict[RoleName, tuple[str, ...]] = {
    "actor": (
        "actor_rollout_ref.actor.freeze_vision_tower",
        "actor.freeze_visual_encoder",
        "freeze_visual_encoder",
    ),
    "critic": ("critic.model.freeze_vision_tower",),
}


def with_images(workload: Workload, get: MemorySettings, run: Measured | None) -> Workload:
    """The workload with the images of its data, where its models have a tower."""
    seen = seeing(workload)
    if not seen:
        return workload
    frozen = {role.name: _frozen(get, role.name) for role in seen}
    given = run.image_mean if run is not None else None
    mean = _shown(get) * _OF_PROMPT * workload.prompt_mean
    if given is not None:
        mean = min(workload.prompt_mean, given)
    share = mean / workload.sequence_mean if workload.sequence_mean else 0.0

    def one(role: Role) -> Role:
        if not role.trained or not role.shape.vision:
            return role
        still = frozen[role.name]
        kept = share if not still and _has_backward(get, role) else 0.0
        return replace(role, image_share=kept, tower_frozen=still and role.adapter is None)

    def pool_of(pool: Pool) -> Pool:
        engine = pool.engine
        if engine is not None and engine.name == "hf":
            engine = replace(engine, image_tokens=mean)
        return replace(pool, roles=tuple(one(role) for role in pool.roles), engine=engine)

    noted = _assumed(seen, mean, given) if share else ()
    return replace(
        workload,
        pools=tuple(pool_of(pool) for pool in workload.pools),
        assumptions=(*noted, *workload.assumptions),
    )


def seeing(workload: Workload) -> list[Role]:
    """The roles whose models read images."""
    return [role for pool in workload.pools for role in pool.roles if role.shape.vision]


def _assumed(seen: list[Role], mean: float, given: float | None) -> Iterator[str]:
    if given is None:
        yield message("images of {tokens} tokens in a mean prompt", tokens=round(mean))
    elif given > mean:
        yield message(
            "images of {most} tokens in a mean prompt, the most that there can be, for {given}",
            most=f"{mean:,.0f}",
            given=f"{given:,.0f}",
        )
    trained = [role for role in seen if role.trained]
    if any(role.shape.tower is None or role.backend == "megatron" for role in trained):
        yield message("what the vision tower keeps of images not counted")


def _shown(get: MemorySettings) -> bool:
    """Whether a script says that its data have images: by their column, or by TRL's program."""
    named = (get.plan.last(key) for key in _COLUMNS)
    return any(setting is not None and setting.operator != "~" for setting in named) or (
        get.plan.framework == "trl" and get.plan.launch.entry.endswith("_vlm")
    )


def _frozen(get: MemorySettings, role: RoleName) -> bool:
    """Whether a tower is left as it is, by the settings or by a program of TRL's.

    verl reads its settings for it in 0.6 and 0.7 (`fsdp_workers.py`); the engines since 0.8 and
    Megatron's workers do not.
    """
    program = get.plan.written
    if program is not None:
        return program.tower_frozen and role == "actor"
    asked = get.on(False, *_FROZEN.get(role, ())) if role in _FROZEN else False
    verl = get.plan.framework == "verl"
    return asked and not (verl and (version_at_least(get.plan, 0, 8) or _megatron(get)))


def _megatron(get: MemorySettings) -> bool:
    return get.plan.train.value == "megatron"


def _has_backward(get: MemorySettings, role: Role) -> bool:
    """Whether the tower's weights are trained, or adapters on them.

    PEFT finds matrices by their names, a tower's too where they are called as the text's.
    """
    if role.adapter is None:
        return True
    tower, targets = role.shape.tower, role.adapter.targets
    if "visual" in str(get.value("actor_rollout_ref.model.exclude_modules") or ""):
        return False
    return targets is None or bool(tower and targets & tower.adapted)
