"""EasyR1's settings under verl's names, for the reader of verl's.

EasyR1 is verl's FSDP worker of 2025 with settings of its own: `verl/trainer/config.py`,
`verl/workers/*/config.py`, `fsdp_workers.py`, `actor/dp_actor.py` and `rollout/` of
hiyouga/EasyR1 from 0.2 to 0.3. It has no entropy, and its vLLM always sleeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from bot.base.messages import message
from bot.frameworks.plan import Field, Plan
from bot.frameworks.python.structured import StructuredTable
from bot.memory import constants
from bot.memory.readers.settings import MemorySettings, NoEstimateError
from bot.memory.workload import Role, Workload
from bot.report import JsonValue

_LIKE: Final = "0.6.0"
"""The release of verl whose worker makes the same passes: vLLM in its process, no entropy."""
_MODEL: Final = "worker.actor.model.model_path"
_ACTOR, _ROLLOUT, _REF = (f"actor_rollout_ref.{name}" for name in ("actor", "rollout", "ref"))
_OF_MODEL: Final = {
    "path": "model.model_path",
    "enable_gradient_checkpointing": "model.enable_gradient_checkpointing",
    "use_remove_padding": "padding_free",
    "lora_rank": "model.lora.rank",
    "target_modules": "model.lora.target_modules",
    "exclude_modules": "model.lora.exclude_modules",
    "freeze_vision_tower": "model.freeze_vision_tower",
}
_OF_ROLE: Final = {
    "strategy": "strategy",
    "ppo_mini_batch_size": "global_batch_size",
    "ppo_micro_batch_size_per_gpu": "micro_batch_size_per_device_for_update",
    "use_dynamic_bsz": "dynamic_batching",
    "freeze_vision_tower": "model.freeze_vision_tower",
}
_OF_STATES: Final = {
    "param_offload": "offload.offload_params",
    "optimizer_offload": "offload.offload_optimizer",
    "model_dtype": "fsdp.torch_dtype",
    "fsdp_size": "fsdp.fsdp_size",
    "reshard_after_forward": "fsdp.enable_full_shard",
}
_FORWARD: Final = "micro_batch_size_per_device_for_experience"


def _below(prefix: str, own: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((f"{prefix}.{name}", f"{own}.{other}") for name, other in names.items())


_NAMES: Final[Mapping[str, str]] = {
    "data.train_batch_size": "data.rollout_batch_size",
    **dict(_below("actor_rollout_ref.model", "worker.actor", _OF_MODEL)),
    **dict(_below(_ACTOR, "worker.actor", _OF_ROLE)),
    **dict(_below(f"{_ACTOR}.fsdp_config", "worker.actor", _OF_STATES)),
    **dict(_below(f"{_REF}.fsdp_config", "worker.ref", _OF_STATES)),
    **dict(_below("critic.model", "worker.critic", _OF_MODEL)),
    **dict(_below("critic", "worker.critic", _OF_ROLE)),
    **dict(_below("critic.fsdp", "worker.critic", _OF_STATES)),
    f"{_ROLLOUT}.log_prob_use_dynamic_bsz": "worker.actor.dynamic_batching",
    f"{_ROLLOUT}.log_prob_micro_batch_size_per_gpu": f"worker.actor.{_FORWARD}",
    f"{_REF}.log_prob_use_dynamic_bsz": "worker.actor.dynamic_batching",
    f"{_REF}.log_prob_micro_batch_size_per_gpu": f"worker.actor.{_FORWARD}",
    f"{_ROLLOUT}.name": "worker.rollout.name",
    f"{_ROLLOUT}.n": "worker.rollout.n",
    f"{_ROLLOUT}.dtype": "worker.rollout.dtype",
    f"{_ROLLOUT}.max_model_len": "worker.rollout.max_model_len",
    f"{_ROLLOUT}.gpu_memory_utilization": "worker.rollout.gpu_memory_utilization",
    f"{_ROLLOUT}.tensor_model_parallel_size": "worker.rollout.tensor_parallel_size",
}
_ULYSSES: Final = "ulysses_sequence_parallel_size"
_RENAMED: Final = {
    f"{role}.{_ULYSSES}": (f"{own}.ulysses_size", f"{own}.{_ULYSSES}")
    for role, own in ((_ACTOR, "worker.actor"), ("critic", "worker.critic"))
}
"""Keys that its releases call differently."""
_SIZES: Final = {
    f"{_ACTOR}.ppo_max_token_len_per_gpu": f"{_ACTOR}.ppo_micro_batch_size_per_gpu",
    "critic.ppo_max_token_len_per_gpu": "critic.ppo_micro_batch_size_per_gpu",
    f"{_ROLLOUT}.log_prob_max_token_len_per_gpu": f"{_ROLLOUT}.log_prob_micro_batch_size_per_gpu",
    f"{_REF}.log_prob_max_token_len_per_gpu": f"{_REF}.log_prob_micro_batch_size_per_gpu",
}
"""A pass's limit of tokens to the number of longest sequences that it holds (`dp_actor.py`)."""
_SAME: Final = frozenset(
    (
        *("data.max_prompt_length", "data.max_response_length", "data.image_key"),
        *("data.video_key", "data.train_files", "trainer.val_only", "trainer.val_before_train"),
        *("trainer.n_gpus_per_node", "trainer.nnodes", "algorithm.adv_estimator"),
    )
)


def is_easyr1(plan: Plan) -> bool:
    """Whether a launch's program takes EasyR1's settings."""
    return isinstance(plan.table, StructuredTable) and _MODEL in plan.table


class EasyR1Settings(MemorySettings):
    """The values of a plan of EasyR1's by verl's names.

    Raises NoEstimateError where the file that `config=` names was not read: what it says would be
    taken from the defaults.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        given = plan.last("config")
        if given is not None and not plan.launch.command.settings:
            raise NoEstimateError(
                "The settings of {file} (config) are not known: with that file below it, give "
                "--root FOLDER, the folder that its path begins in.",
                file=given.text,
            )
        read_by = plan.configuration
        self.profile = message("EasyR1 as in {place}", place=read_by.release)
        rank = self.whole("actor_rollout_ref.model.lora_rank") or 0
        per_node, nodes = map(self._count, ("trainer.n_gpus_per_node", "trainer.nnodes"))
        self.plan = replace(
            plan,
            configuration=replace(read_by, release=_LIKE),
            model=Field(self._model() or plan.model.value),
            adapter=Field("lora" if rank > 0 else ""),
            algorithm=Field(self.text("algorithm.adv_estimator")),
            train=Field("fsdp"),
            gpus_per_node=Field(per_node),
            nodes=Field(nodes),
            gpus=Field(per_node * nodes if per_node and nodes else None),
        )

    def _count(self, key: str) -> int | None:
        """A number of GPUs or nodes; None where whoever asks may give all of them instead."""
        setting = self.plan.last(key)
        return None if setting is not None and not setting.known else self.whole(key)

    def _model(self) -> str | None:
        """The path of the model, None where nothing of it is known and another stands for it."""
        found = self.path("actor_rollout_ref.model.path")
        whole = found is not None and found.endswith("}")
        if whole and self.plan.model.value is None:
            self.value("actor_rollout_ref.model.path")
        return None if whole else found

    def named(self, key: str) -> str:
        """EasyR1's name of a setting of verl's."""
        return _NAMES.get(_SIZES.get(key, key), key)

    def value(self, *keys: str) -> JsonValue:
        """As for verl; limits and switches that EasyR1 does not have follow from what it has."""
        for key in keys:
            if key == "algorithm.use_kl_in_reward":
                return not super().value("algorithm.disable_kl")
            if key == f"{_ROLLOUT}.layered_summon":
                return True  # `_collect_lora_weights` gathers layer by layer.
            if key in _SIZES:
                return self._limit(_SIZES[key])
        own = [name for key in keys for name in _own_names(key)]
        found = super().value(*own) if own else None
        listed = isinstance(found, str) and own[0].endswith("target_modules")
        return [one.strip() for one in str(found).split(",")] if listed else found

    def path(self, *keys: str) -> str | None:
        """As for verl."""
        return super().path(*(name for key in keys for name in _own_names(key)))

    def _limit(self, size: str) -> int | None:
        rows = self.count(size) or 0
        lengths = ("data.max_prompt_length", "data.max_response_length")
        return rows * sum(self.whole(name) or 0 for name in lengths) or None


def _own_names(key: str) -> tuple[str, ...]:
    if key in _SAME or key.startswith("worker."):
        return (key,)
    return (_NAMES[key],) if key in _NAMES else _RENAMED.get(key, ())


def as_easyr1(workload: Workload, get: EasyR1Settings) -> Workload:
    """The workload that verl's worker would have, with what EasyR1's does otherwise.

    Its AdamW is fused, or `AnyPrecisionAdamW` with two moments and a compensation in bf16; a frozen
    model below an adapter is in bf16; the reference is on the host where its settings say so.
    Raises NoEstimateError for what it has beside verl and is not modelled.
    """
    pools = [
        replace(pool, roles=tuple(_role(role, get) for role in pool.roles))
        for pool in workload.pools
    ]
    return replace(workload, framework="easyr1", pools=tuple(pools))


def _role(role: Role, get: EasyR1Settings) -> Role:
    own = {"actor": "worker.actor", "critic": "worker.critic"}.get(role.name, "worker.ref")
    on_host = bool(get.value(f"{own}.fsdp.enable_cpu_offload"))
    if role.name == "reference":
        idle = bool(get.value(f"{own}.offload.offload_params"))
        return replace(role, weights_offload="always" if on_host else "idle" if idle else "none")
    kind = get.value(f"{own}.optim.strategy") or "adamw"
    if kind not in ("adamw", "adamw_bf16"):
        raise NoEstimateError("The optimizer {name} is not modelled.", name=kind)
    if role.name == "actor":
        # verl makes an entropy of them, which costs rows that are padded more.
        logits = min(role.forward_logits, constants.FORWARD_LOG_PROBS)
        role = replace(role, forward_logits=logits)
    if on_host:
        role = replace(
            role, weights_offload="always", gradients_offload="always", optimizer_offload="always"
        )
    return replace(
        role,
        frozen_bytes=2.0 if role.adapter else role.frozen_bytes,
        optimizer_bytes=6.0 if kind == "adamw_bf16" else role.optimizer_bytes,
        step_bytes=0.0,
    )
