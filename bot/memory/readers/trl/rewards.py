"""The reward models that TRL's trainers score responses with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.base.messages import message
from bot.memory.readers.settings import MemorySettings, NoEstimateError
from bot.memory.shapes.models import FindModel
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Role, Tokens


def reward_role(actor: Role, shape: Shape, *, loaded: float, divided: bool) -> Role:
    """A reward model beside its policy, `loaded` bytes a parameter, whole on each GPU or divided.

    It sees the policy's log-probability passes.
    """
    return replace(
        actor,
        name="reward",
        shape=shape,
        head="value",
        trained=False,
        adapter=None,
        beside_adapter=None,
        frozen_bytes=None,
        sync_whole_bytes=0.0,
        backend=actor.backend if divided else "ddp",
        layout=actor.layout if divided else replace(actor.layout, shard=1),
        weight_bytes=loaded,
        weights_offload=actor.weights_offload if divided else "none",
        gradients_offload="none",
        optimizer_offload="none",
        update=Tokens(0, 0, 0),
        evaluation=Tokens(0, 0, 0),
    )


def judges(
    get: MemorySettings, find: FindModel, actor: Role, policy: str, *, loaded: float
) -> Iterator[Role]:
    """The critic of PPO, trained in full whatever the policy is, and TRL's reward model.

    `ppo_trainer.py` divides the reward model under ZeRO-3 alone and moves it whole to each GPU
    otherwise. open-instruct takes rewards from functions.
    """
    path = get.text("value_model_path", "reward_model_path") or policy
    yield replace(
        actor,
        name="critic",
        shape=find(path).shape,
        head="value",
        adapter=None,
        beside_adapter=None,
        frozen_bytes=None,
        sync_whole_bytes=0.0,
    )
    if get.plan.framework == "open-instruct":
        return
    shape = find(get.text("reward_model_path") or policy).shape
    yield reward_role(actor, shape, loaded=loaded, divided=actor.backend == "zero3")


def scored_by(
    get: MemorySettings, find: FindModel, actor: Role, assumed: list[str], *, loaded: float
) -> Iterator[Role]:
    """The reward model of GRPO or RLOO that `--reward_model_name_or_path` names.

    Both trainers load it in the policy's type and divide it under ZeRO-3 and FSDP
    (`prepare_deepspeed`, `prepare_fsdp`). One whose shape is not known is not counted: `assumed`
    says so.
    """
    path = get.text("reward_model_name_or_path")
    if path is None:
        return
    try:
        shape = find(path).shape
    except NoEstimateError:
        assumed.append(
            message("not counted, so that it takes more: the reward model {path}", path=path)
        )
        return
    divided = actor.backend in ("zero3", "fsdp", "fsdp2")
    yield reward_role(actor, shape, loaded=loaded, divided=divided)
