"""verl's settings to a workload.

Sources: verl's `workers/fsdp_workers.py`, `workers/megatron_workers.py` and `workers/actor/` of the
releases 0.2 to 0.9.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory import profiles, verl_engine, verl_logits
from bot.memory.lengths import Lengths, Measured, batch_tokens, lengths, packed_tokens
from bot.memory.models import Model
from bot.memory.settings import NoPredictionError, Settings, needed
from bot.memory.workload import (
    Adapter,
    Backend,
    Layout,
    Offload,
    Pool,
    Role,
    Tokens,
    Workload,
)

ACTOR, MODEL = "actor_rollout_ref.actor", "actor_rollout_ref.model"
REF, ROLLOUT, CRITIC = "actor_rollout_ref.ref", "actor_rollout_ref.rollout", "critic"

FindModel = Callable[[str], Model]
_BYTES = {"fp32": 4.0, "float32": 4.0, "bf16": 2.0, "bfloat16": 2.0, "fp16": 2.0, "float16": 2.0}


def read(plan: Plan, model: FindModel, run: Measured | None = None) -> Workload:
    """The workload of a plan; raises NoPredictionError with what is missing or contradictory."""
    return _Verl(plan, model, run).workload()


class _Verl:
    def __init__(self, plan: Plan, model: FindModel, run: Measured | None) -> None:
        if plan.algorithm.value == "sft":
            raise NoPredictionError("verl's supervised fine-tuning is not modelled.")
        self.plan, self.find = plan, model
        self.get = Settings(plan)
        get = self.get
        self.per_node = needed(
            plan.gpus_per_node.value,
            "The number of GPUs a node (trainer.n_gpus_per_node) is not known.",
        )
        nodes = needed(plan.nodes.value, "The number of nodes (trainer.nnodes) is not known.")
        self.gpus = self.per_node * nodes
        if self.gpus < 1:
            raise NoPredictionError("The script asks for no GPU.")
        path = needed(
            plan.model.value, f"The model ({MODEL}.path) is not known without running the script."
        )
        self.shape = model(path).shape
        self.lengths: Lengths = lengths(
            needed(get.whole("data.max_prompt_length"), "data.max_prompt_length is not known."),
            needed(get.whole("data.max_response_length"), "data.max_response_length is not known."),
            run,
        )
        self.responses = get.size(f"{ROLLOUT}.n")
        self.backend = self._backend(f"{ACTOR}.strategy", plan.train.value)
        self.adapter = self._adapter()
        self.assumptions: list[str] = []

    def workload(self) -> Workload:
        get = self.get
        actor = self._actor()
        roles = [actor, *self._reference(actor), *self._critic(actor)]
        reward = verl_engine.reward(get, self.plan, self.gpus, self.find, self.lengths)
        engine, apart = verl_engine.engine(get, self.plan, self.gpus, self.shape, self.lengths)
        processes = 1 if engine is None or engine.in_process or apart else 2
        pools = [
            Pool(
                name="training" if apart else "all roles",
                gpus=self.gpus,
                roles=(*roles, *reward),
                engine=None if apart else engine,
                processes=processes,
            )
        ]
        if get.on(False, "reward.reward_model.enable_resource_pool"):
            self.assumptions.append("the reward model's own GPUs are not part of the estimate")
        if apart and engine is not None:
            pools.append(Pool(name="rollout", gpus=apart, engine=engine))
        given = self.lengths
        if not given.measured:
            self.assumptions.append(
                f"mean response {round(given.response_mean)} tokens and mean prompt "
                f"{round(given.prompt_mean)}, a quarter of the maxima (no run given)"
            )
        self.assumptions.append(f"verl {self.plan.framework_version} profile")
        return Workload(
            framework="verl",
            version=self.plan.framework_version,
            pools=tuple(pools),
            gpus_per_node=self.per_node,
            assumptions=tuple(self.assumptions),
            measured=given.measured,
        )

    def _backend(self, key: str, value: str | None) -> Backend:
        strategy = (value or self.get.text(key) or "fsdp").lower()
        known: dict[str, Backend] = {"fsdp": "fsdp", "fsdp2": "fsdp2", "megatron": "megatron"}
        return needed(known.get(strategy), f"The training backend {strategy} is not modelled.")

    def _adapter(self) -> Adapter | None:
        if not self.plan.adapter.value and self.plan.adapter.value is None:
            raise NoPredictionError("Whether an adapter is trained is not known.")
        if not self.plan.adapter.value:
            return None
        rank = self.get.whole(f"{MODEL}.lora_rank") or self.get.whole(f"{MODEL}.lora.rank")
        if not rank:
            raise NoPredictionError("The rank of the adapter that is loaded is not known.")
        kind: Literal["lora", "dora"] = "dora" if self.plan.adapter.value == "dora" else "lora"
        targets = self.get.value(f"{MODEL}.target_modules")
        named = [str(t) for t in targets] if isinstance(targets, list) else []
        peft = frozenset(t for t in named if t.endswith("_proj"))
        return Adapter(kind=kind, rank=rank, targets=peft or None)

    def _layout(self, config: str, megatron: str, ulysses: tuple[str, ...]) -> Layout:
        get, gpus = self.get, self.gpus
        if self.backend == "megatron":
            tensor = get.size(f"{megatron}.tensor_model_parallel_size")
            pipeline = get.size(f"{megatron}.pipeline_model_parallel_size")
            context = get.size(f"{megatron}.context_parallel_size")
            expert = get.size(f"{megatron}.expert_model_parallel_size")
            each = get.whole(f"{megatron}.expert_tensor_parallel_size") or tensor
            if gpus % (tensor * pipeline * context):
                raise NoPredictionError(
                    f"{gpus} GPUs cannot be divided by tensor {tensor} × pipeline {pipeline} × "
                    f"context {context} = {tensor * pipeline * context}."
                )
            if gpus % (each * expert * pipeline):
                raise NoPredictionError(
                    f"{gpus} GPUs cannot be divided by expert {expert} × expert tensor {each} × "
                    f"pipeline {pipeline} = {each * expert * pipeline}."
                )
            return Layout(
                gpus=gpus,
                tensor=tensor,
                pipeline=pipeline,
                context=context,
                expert=expert,
                expert_tensor=each,
            )
        shard = get.whole(f"{config}.fsdp_size")
        shard = gpus if shard is None or shard < 1 or shard > gpus else shard
        sequence = get.size(*ulysses)
        if gpus % shard or gpus % sequence:
            wrong = f"fsdp_size {shard}" if gpus % shard else f"sequence parallelism {sequence}"
            raise NoPredictionError(f"{gpus} GPUs cannot be divided by {wrong}.")
        return Layout(gpus=gpus, shard=shard, sequence=sequence)

    def _share(self, layout: Layout) -> int:
        """GPUs that share one sequence."""
        return layout.sequence * layout.context

    def _tokens(
        self,
        layout: Layout,
        dynamic: bool,
        limit: int | None,
        each: int | None,
        over_all: int | None,
        mini: int | None,
        padded: bool,
    ) -> Tokens | None:
        """Tokens of one pass of a role; None when its batch is not given."""
        over = self._share(layout)
        ranks = max(1, self.gpus // (over * layout.tensor * layout.pipeline))
        sequences = max(1, -(-(mini or 1) // ranks))
        if dynamic:
            return packed_tokens(limit, sequences, self.lengths, over=over) if limit else None
        count = each or (max(1, over_all // ranks) if over_all else None)
        if count is None:
            return None
        if mini is not None:
            count = min(count, sequences)
        return batch_tokens(count, self.lengths, over=over, padded=padded)

    def _mini(self) -> int | None:
        """Responses of one mini batch; verl gives prompts since 0.2."""
        mini = self.get.whole(f"{ACTOR}.ppo_mini_batch_size")
        return mini * self.responses if mini else None

    def _batch(self) -> int | None:
        """Responses of one step, over all GPUs."""
        batch = self.get.whole("data.train_batch_size")
        return batch * self.responses if batch else None

    def _actor(self) -> Role:
        get = self.get
        config, megatron = f"{ACTOR}.fsdp_config", f"{ACTOR}.megatron"
        ulysses = (
            f"{config}.ulysses_sequence_parallel_size",
            f"{ACTOR}.ulysses_sequence_parallel_size",
        )
        layout = self._layout(config, megatron, ulysses[::-1])
        padded = not get.on(False, f"{MODEL}.use_remove_padding") and self.backend != "megatron"
        update = needed(
            self._tokens(
                layout,
                get.on(False, f"{ACTOR}.use_dynamic_bsz"),
                get.whole(f"{ACTOR}.ppo_max_token_len_per_gpu"),
                get.whole(f"{ACTOR}.ppo_micro_batch_size_per_gpu"),
                get.whole(f"{ACTOR}.ppo_micro_batch_size"),
                self._mini(),
                padded,
            ),
            f"{ACTOR}.ppo_micro_batch_size_per_gpu is not set: the tokens of a pass are not known.",
        )
        forward = self._forward(f"{ROLLOUT}.log_prob", layout, padded) or update
        role = Role(
            name="actor",
            shape=self.shape,
            head="language",
            trained=True,
            backend=self.backend,
            layout=layout,
            adapter=self.adapter,
            checkpointing=get.on(True, f"{MODEL}.enable_gradient_checkpointing"),
            activation_offload=get.on(False, f"{MODEL}.enable_activation_offload"),
            update=update,
            forward=forward,
            update_logits=verl_logits.update(get, self.backend),
            forward_logits=verl_logits.forward(get, self.backend, entropy=True),
        )
        if self.backend == "megatron":
            recompute = get.value(f"{megatron}.override_transformer_config.recompute_granularity")
            if recompute == "full":
                role = replace(role, checkpointing=True)
            elif version_at_least(self.plan, 0, 5) or recompute is not None:
                role = replace(role, checkpointing=False, activation_share=_SELECTIVE)
        return self._with_states(role, config, megatron)

    def _with_states(self, role: Role, config: str, megatron: str) -> Role:
        get = self.get
        if role.backend == "megatron":
            optimizer = f"{megatron.removesuffix('.megatron')}.optim.override_optimizer_config"
            on_host = get.number(0.0, f"{optimizer}.optimizer_offload_fraction")
            if not get.on(False, f"{optimizer}.optimizer_cpu_offload"):
                on_host = 0.0
            return replace(
                role,
                weight_bytes=2.0,
                gradient_bytes=4.0,
                optimizer_bytes=12.0 * (1.0 - min(1.0, max(0.0, on_host))),
                step_bytes=0.0,
                weights_offload=self._idle(f"{megatron}.param_offload"),
                gradients_offload=self._idle(f"{megatron}.grad_offload"),
                optimizer_offload=self._idle(f"{megatron}.optimizer_offload"),
            )
        dtype = get.text(f"{config}.model_dtype") or "fp32"
        each = needed(_BYTES.get(dtype.lower()), f"The data type {dtype} is not known.")
        always = role.backend == "fsdp2" and get.on(False, f"{config}.offload_policy")
        return replace(
            role,
            weight_bytes=each,
            gradient_bytes=each,
            optimizer_bytes=2 * each,
            step_bytes=each,
            frozen_copy_bytes=profiles.FROZEN_COPY if role.backend == "fsdp" and each > 2 else 0.0,
            weights_offload="always" if always else self._idle(f"{config}.param_offload"),
            gradients_offload="always" if always else "none",
            optimizer_offload="always" if always else self._idle(f"{config}.optimizer_offload"),
        )

    def _idle(self, key: str) -> Offload:
        return "idle" if self.get.on(False, key) else "none"

    def _forward(self, prefix: str, layout: Layout, padded: bool) -> Tokens | None:
        get = self.get
        dynamic = get.value(f"{prefix}_use_dynamic_bsz")
        return self._tokens(
            layout,
            bool(dynamic) if dynamic is not None else get.on(False, f"{ACTOR}.use_dynamic_bsz"),
            get.whole(f"{prefix}_max_token_len_per_gpu", f"{ACTOR}.ppo_max_token_len_per_gpu"),
            get.whole(f"{prefix}_micro_batch_size_per_gpu"),
            get.whole(f"{prefix}_micro_batch_size"),
            self._batch(),
            padded,
        )

    def _reference(self, actor: Role) -> list[Role]:
        get = self.get
        wanted = get.on(False, f"{ACTOR}.use_kl_loss") or get.on(
            False, "algorithm.use_kl_in_reward"
        )
        if not wanted or self.adapter is not None:
            return []  # Below an adapter the base itself is the reference.
        padded = not get.on(False, f"{MODEL}.use_remove_padding") and self.backend != "megatron"
        key = "megatron" if self.backend == "megatron" else "fsdp_config"
        offloaded = get.on(False, f"{REF}.{key}.param_offload")
        fsdp = self.backend != "megatron"
        dtype = _BYTES.get((get.text(f"{REF}.fsdp_config.model_dtype") or "bf16").lower(), 2.0)
        # FSDP streams an offloaded reference layer by layer; Megatron loads it for its pass.
        offload: Offload = ("always" if fsdp else "idle") if offloaded else "none"
        return [
            replace(
                actor,
                name="reference",
                trained=False,
                update=Tokens(0, 0, 0),
                forward=self._forward(f"{REF}.log_prob", actor.layout, padded) or actor.forward,
                forward_logits=verl_logits.forward(get, self.backend, entropy=False),
                weight_bytes=dtype if fsdp else 2.0,
                weights_offload=offload,
                gradients_offload="none",
                optimizer_offload="none",
            )
        ]

    def _critic(self, actor: Role) -> list[Role]:
        get = self.get
        enabled = get.value(f"{CRITIC}.enable")
        if not (self.plan.algorithm.value == "gae" if enabled is None else bool(enabled)):
            return []
        path = needed(get.text(f"{CRITIC}.model.path"), "The critic's model is not known.")
        backend = self._backend(f"{CRITIC}.strategy", None)
        config = f"{CRITIC}.fsdp" if get.value(f"{CRITIC}.fsdp.fsdp_size") is not None else ""
        config = config or f"{CRITIC}.model.fsdp_config"
        megatron = f"{CRITIC}.megatron"
        keys = (
            f"{CRITIC}.ulysses_sequence_parallel_size",
            f"{config}.ulysses_sequence_parallel_size",
        )
        layout = self._layout(config, megatron, keys)
        padded = not get.on(False, f"{CRITIC}.model.use_remove_padding") and backend != "megatron"
        dynamic = get.on(False, f"{CRITIC}.use_dynamic_bsz")
        update = needed(
            self._tokens(
                layout,
                dynamic,
                get.whole(f"{CRITIC}.ppo_max_token_len_per_gpu"),
                get.whole(f"{CRITIC}.ppo_micro_batch_size_per_gpu"),
                get.whole(f"{CRITIC}.ppo_micro_batch_size"),
                self._mini(),
                padded,
            ),
            "critic.ppo_micro_batch_size_per_gpu is not set: the tokens of a pass are not known.",
        )
        role = Role(
            name="critic",
            shape=self.find(path).shape,
            head="value",
            trained=True,
            backend=backend,
            layout=layout,
            checkpointing=get.on(True, f"{CRITIC}.model.enable_gradient_checkpointing"),
            activation_offload=get.on(False, f"{CRITIC}.model.enable_activation_offload"),
            update=update,
            forward=update,
        )
        return [self._with_states(role, config, megatron)]


_SELECTIVE = 0.55
"""What Megatron keeps of the eager activations: its layers are fused and keep no fp32 copies
(18 + 4·f/h bytes a hidden unit of its theoretical report, against 16 + 8 + 4 + 8·f/h)."""
