"""verl's settings to a workload.

Sources: verl's `workers/fsdp_workers.py`, `workers/megatron_workers.py` and `workers/actor/` of the
releases 0.2 to 0.9.1.
"""

from __future__ import annotations

from dataclasses import replace

from bot.base.messages import Notes
from bot.frameworks.plan_values import version_at_least
from bot.frameworks.python.structured import StructuredTable
from bot.memory.readers.datasets import known_data, means
from bot.memory.readers.lengths import Lengths, Measured, lengths
from bot.memory.readers.settings import MODEL_UNKNOWN, MemorySettings, NoEstimateError, needed
from bot.memory.readers.verl import log_probs, mtp, rollout
from bot.memory.readers.verl.easyr1 import EasyR1Settings, as_easyr1
from bot.memory.readers.verl.passes import Batch, Padding, Pass, batch_of, by_release, fullest_pass
from bot.memory.readers.verl.sharding import (
    BYTES,
    LayoutKeys,
    adapter_of,
    backend_of,
    computed_in,
    critic_adapter,
    layout_of,
    recomputed,
    retains_embeddings,
    states,
    ulysses_of,
)
from bot.memory.readers.verl.turns import limits
from bot.memory.shapes.models import FindModel
from bot.memory.workload import Backend, Layout, Offload, Pool, Role, Tokens, Workload

ACTOR, MODEL = "actor_rollout_ref.actor", "actor_rollout_ref.model"
REF, ROLLOUT, CRITIC = "actor_rollout_ref.ref", "actor_rollout_ref.rollout", "critic"

_A_NODE = 8
"""GPUs of a node, where only their number in all is given."""


def read(
    get: MemorySettings, model: FindModel, run: Measured | None = None, gpus: int | None = None
) -> Workload:
    """The workload of a plan; raises NoEstimateError with what is missing or contradictory."""
    if isinstance(get, EasyR1Settings):
        return as_easyr1(_Verl(get, model, run, gpus).workload(), get)
    if isinstance(get.plan.table, StructuredTable):
        entry = get.plan.launch.entry
        raise NoEstimateError("The settings of {entry} are its own and not modelled.", entry=entry)
    return _Verl(get, model, run, gpus).workload()


class _Verl:
    def __init__(
        self, get: MemorySettings, model: FindModel, run: Measured | None, gpus: int | None
    ) -> None:
        self.plan, self.find, self.get = get.plan, model, get
        plan = get.plan
        if gpus is not None and plan.gpus.value is None:
            self.per_node, self.gpus = min(gpus, plan.gpus_per_node.value or _A_NODE), gpus
        else:
            # Where a script leaves one to its caller, this raises with the variable's name.
            get.value("trainer.n_gpus_per_node")
            get.value("trainer.nnodes")
            self.per_node = needed(
                plan.gpus_per_node.value,
                "The number of GPUs a node (trainer.n_gpus_per_node) is not known.",
            )
            nodes = needed(plan.nodes.value, "The number of nodes (trainer.nnodes) is not known.")
            self.gpus = self.per_node * nodes
        if self.gpus < 1:
            raise NoEstimateError("The script asks for no GPU.")
        if not plan.model.value and get.value(f"{MODEL}.path") == "":
            raise NoEstimateError("{key} is empty: name the model.", key=get.named(f"{MODEL}.path"))
        path = needed(
            plan.model.value or get.text(f"{MODEL}.path"),
            MODEL_UNKNOWN,
            key=get.named(f"{MODEL}.path"),
        )
        self.shape = model(path).shape
        prompt, response = limits(get)
        self.responses = get.size(f"{ROLLOUT}.n")
        self.data = known_data(get, response)
        self.lengths: Lengths = lengths(
            prompt, response, run, data=means(self.data), group=self.responses
        )
        strategy = plan.train.value or get.text(f"{ACTOR}.strategy")
        self.backend = backend_of(strategy)
        self.group = "veomni" if strategy == "veomni" else "fsdp_config"
        self.adapter = adapter_of(plan, get, MODEL)

    def workload(self) -> Workload:
        get = self.get
        actor = self._actor()
        others = [*self._reference(actor), *self._critic(actor.layout)]
        if log_probs.are_the_rollouts(get) and (self.adapter is None or not self._refers()):
            actor = replace(actor, forward=Tokens(0, 0, 0))
        roles = [actor, *others]
        validates = self._validates_alone() and self.backend != "megatron"
        if validates:  # Adam makes its states as it first steps, Megatron's optimizer at once.
            none = Tokens(0, 0, 0)
            roles = [replace(role, trained=False, update=none, forward=none) for role in roles]
        reward = rollout.reward(get, self.plan, self.find, self.lengths, actor)
        engine, apart = rollout.engine(get, self.plan, actor, self.lengths)
        teachers = rollout.teacher_pools(get, self.find, self.lengths, self.shape.vocab)
        processes = 1 if engine is None or engine.in_process or apart else 2
        pools = [
            Pool(
                name="training" if apart or teachers else "all roles",
                gpus=self.gpus,
                roles=(*roles, *reward),
                engine=None if apart else engine,
                processes=processes,
            )
        ]
        assumptions = Notes()
        if validates:
            assumptions.note("a validation alone (trainer.val_only): nothing is trained")
        if get.on(False, "reward.reward_model.enable_resource_pool"):
            assumptions.note("the reward model's own GPUs are not part of the estimate")
        if apart and engine is not None:
            pools.append(Pool(name="rollout", gpus=apart, engine=engine))
        pools += teachers
        sequence = self.lengths
        if not sequence.measured and self.data is not None:
            assumptions.note(
                "mean response {response} tokens and mean prompt {prompt}, as in public runs "
                "on {data} (no run given)",
                response=round(sequence.response_mean),
                prompt=round(sequence.prompt_mean),
                data=self.data.name,
            )
        elif not sequence.measured:
            assumptions.note(
                "mean response {response} tokens and mean prompt {prompt}, 22 % of the "
                "maxima, and the fullest passes of a long run (no run given)",
                response=round(sequence.response_mean),
                prompt=round(sequence.prompt_mean),
            )
        if not rollout.engine_name(get):
            assumptions.note(
                "{engine}, since {key} is not set",
                engine=rollout.USUAL_ENGINE,
                key=f"{ROLLOUT}.name",
            )
        assumptions += mtp.assumed(get, MODEL, self.backend)
        assumptions.append(get.profile)
        return Workload(
            framework="verl",
            pools=tuple(pools),
            gpus_per_node=self.per_node,
            fsdp_group=self.group,
            assumptions=tuple(assumptions),
            prompt_mean=sequence.before_response,
            sequence_mean=sequence.mean,
            measured=sequence.measured,
        )

    def _pass(
        self, layout: Layout, batch: Batch, sequences: int | None, *, padded: bool
    ) -> Pass | None:
        """One pass over `sequences` of all GPUs; None when it has no known size."""
        padding: Padding = "longest" if version_at_least(self.plan, 0, 8) else "allowed"
        batch = by_release(batch, self.get, ACTOR, self._batch())
        return fullest_pass(
            layout, batch, sequences, self.lengths, padding=padding if padded else "removed"
        )

    def _mini(self) -> int | None:
        """Responses of one mini batch, no more than a step has; verl gives prompts since 0.2."""
        mini, step = self.get.count(f"{ACTOR}.ppo_mini_batch_size"), rollout.step_prompts(self.get)
        return min(mini, step or mini) * self.responses if mini else None

    def _batch(self) -> int | None:
        """Responses of one step, over all GPUs."""
        batch = rollout.step_prompts(self.get)
        if batch == 0 and (mini := self._mini()):  # Trainer and rollout do not wait for each other.
            return mini * self.get.size("async_training.require_batches")
        return batch * self.responses if batch else None

    def _validates_alone(self) -> bool:
        """Whether the run ends with the validation that it begins with (`ray_trainer.py`)."""
        get = self.get
        return get.on(False, "trainer.val_only") and get.on(True, "trainer.val_before_train")

    def _rows(self, padded: bool) -> float:
        """Share of responses in a padded row; 0 where padding is removed."""
        return self.lengths.response_max / self.lengths.longest if padded else 0.0

    def _actor(self) -> Role:
        get = self.get
        config, megatron = f"{ACTOR}.{self.group}", f"{ACTOR}.megatron"
        old = f"{ACTOR}.ulysses_sequence_parallel_size"
        ulysses: tuple[str, ...] = old, f"{config}.ulysses_parallel_size"
        if self.group != "veomni":
            ulysses = ulysses_of(get, old, f"{config}.ulysses_sequence_parallel_size")
        keys = LayoutKeys((config,), megatron, ulysses)
        layout = layout_of(get, self.gpus, self.backend, keys)
        padded = not get.on(False, f"{MODEL}.use_remove_padding") and self.backend != "megatron"
        rows = self._rows(padded)
        computes = computed_in(get, keys.fsdp, self.plan)
        update = self._update(ACTOR, layout, padded)
        forward = self._forward(f"{ROLLOUT}.log_prob", layout, padded) or update.tokens
        role = Role(
            name="actor",
            shape=self.shape,
            head="language",
            trained=True,
            backend=self.backend,
            layout=layout,
            adapter=self.adapter,
            eager_update=self._eager(layout, padded),
            eager_forward=self._eager(layout, padded),
            checkpointing=get.on(True, f"{MODEL}.enable_gradient_checkpointing"),
            activation_offload=get.on(False, f"{MODEL}.enable_activation_offload"),
            # Without its loss: `fused_linear_cross_entropy=False` in the rollout.
            fused_layers=get.on(False, f"{MODEL}.use_liger"),
            update=update.tokens,
            accumulates=not update.alone,
            forward=forward,
            update_logits=max(
                self._logits(
                    log_probs.update(get, self.backend, self.group, padded=rows), computes
                ),
                log_probs.distilled(get, self.backend, computes=computes),
            ),
            forward_logits=self._logits(
                log_probs.forward(get, self.backend, self.group, entropy=True, padded=rows),
                computes,
            ),
        )
        if self.backend == "megatron":
            role = recomputed(role, get, megatron, plan=self.plan)
        if retains_embeddings(get, self.plan, role):
            role = replace(role, retained=update.others)
        role = states(get, mtp.with_mtp(role, get, MODEL), keys, plan=self.plan)
        return rollout.handed_over(get, role)

    def _logits(self, each: float, computes: float) -> float:
        return log_probs.computed(each, self.backend, computes=computes)

    def _eager(self, layout: Layout, padded: bool) -> int:
        """The rows of a pass whose attention is eager: one, all its sequences without padding.

        `attn_implementation` of `override_config`; transformers masks a packed row's other
        sequences, and makes the scores of all pairs of its tokens. 0 for padded rows, which are
        left uncounted, and for sequences that GPUs share, which need flash attention.
        """
        named = self.get.text(f"{MODEL}.override_config.attn_implementation") or ""
        alone = layout.sequence == 1 and self.backend != "megatron"
        return 1 if named.lower() == "eager" and alone and not padded else 0

    def _update(self, role: str, layout: Layout, padded: bool) -> Pass:
        """One pass of a role's update; raises NoEstimateError where its size is not known."""
        get = self.get
        size = f"{role}.ppo_micro_batch_size_per_gpu"
        batch = batch_of(
            get,
            dynamic=get.on(False, f"{role}.use_dynamic_bsz"),
            limit=(f"{role}.ppo_max_token_len_per_gpu",),
            each=size,
            over_all=f"{role}.ppo_micro_batch_size",
        )
        return needed(
            self._pass(layout, batch, self._mini(), padded=padded),
            "{key} is not set: the tokens of a pass are not known.",
            key=get.named(f"{role}.ppo_max_token_len_per_gpu" if batch.dynamic else size),
        )

    def _forward(self, prefix: str, layout: Layout, padded: bool) -> Tokens | None:
        get = self.get
        dynamic = get.value(f"{prefix}_use_dynamic_bsz")
        if dynamic is None:
            dynamic = get.on(False, f"{ACTOR}.use_dynamic_bsz")
        batch = batch_of(
            get,
            dynamic=bool(dynamic),
            limit=(f"{prefix}_max_token_len_per_gpu", f"{ACTOR}.ppo_max_token_len_per_gpu"),
            each=f"{prefix}_micro_batch_size_per_gpu",
            over_all=f"{prefix}_micro_batch_size",
        )
        one = self._pass(layout, batch, self._batch(), padded=padded)
        return one.tokens if one is not None else None

    def _reference(self, actor: Role) -> list[Role]:
        get = self.get
        if not self._refers() or self.adapter is not None:
            return []  # Below an adapter the base itself is the reference.
        padded = not get.on(False, f"{MODEL}.use_remove_padding") and self.backend != "megatron"
        key = "megatron" if self.backend == "megatron" else self.group
        # Megatron's lay beside its sizes up to 0.2.
        offloaded = get.on(False, f"{REF}.{key}.param_offload", f"{REF}.param_offload")
        fsdp = self.backend != "megatron"
        computes = computed_in(get, (f"{REF}.{key}",), self.plan)
        dtype = BYTES.get((get.text(f"{REF}.fsdp_config.model_dtype") or "bf16").lower(), 2.0)
        # verl's FSDP keeps a reference on the host whatever is asked and streams it layer by layer
        # (`CPUOffload(offload_params=True)` of every role but the actor in `fsdp_workers.py`,
        # `forward_only` in its engine); Megatron loads it for its pass.
        forced = fsdp and self.group == "fsdp_config"
        offload: Offload = "none"
        if forced or offloaded:
            offload = "always" if fsdp else "idle"
        policy = (f"{REF}.{key}.offload_policy", f"{REF}.{key}.enable_fsdp_offload")
        if get.on(False, *policy) and self.backend == "fsdp2":
            offload = "always"
        layout = self._reference_layout(actor.layout)
        return [
            replace(
                actor,
                name="reference",
                shape=self.shape,
                trained=False,
                layout=layout,
                update=Tokens(0, 0, 0),
                forward=self._forward(f"{REF}.log_prob", layout, padded) or actor.forward,
                forward_logits=self._logits(
                    log_probs.forward(
                        get, self.backend, self.group, entropy=False, padded=self._rows(padded)
                    ),
                    computes,
                ),
                compute_bytes=computes,
                weight_bytes=dtype if fsdp else 2.0,
                weights_offload=offload,
                gradients_offload="none",
                optimizer_offload="none",
            )
        ]

    def _refers(self) -> bool:
        """Whether there is a reference; `main_ppo.py` makes one whatever is asked up to 0.3."""
        get, table = self.get, self.plan.table
        always = table is not None and "algorithm.use_kl_in_reward" not in table
        return get.on(False, f"{ACTOR}.use_kl_loss") or get.on(always, "algorithm.use_kl_in_reward")

    def _one_megatron(self, role: str, backend: Backend) -> bool:
        """Whether a role of Megatron's is spread as the actor is, whatever its own sizes say.

        All roles are in one process, whose groups the actor's worker makes first
        (`initialize_model_parallel` of `megatron_workers.py` up to 0.7).
        """
        one = backend == self.backend == "megatron" and not version_at_least(self.plan, 0, 8)
        if one:
            self.get.pass_over(f"{role}.megatron.", "_parallel_size")
        return one

    def _reference_layout(self, actor: Layout) -> Layout:
        """The reference's sizes, which refer to the actor's unless they are set."""
        get = self.get
        if self._one_megatron(REF, self.backend):
            return actor
        if self.backend == "megatron":
            return layout_of(
                get, self.gpus, self.backend, LayoutKeys((), f"{REF}.megatron", ()), like=actor
            )
        sequence = get.whole(
            f"{REF}.ulysses_sequence_parallel_size",
            f"{REF}.fsdp_config.ulysses_sequence_parallel_size",
            f"{REF}.veomni.ulysses_parallel_size",
        )
        return replace(actor, sequence=sequence) if sequence and sequence > 0 else actor

    def _critic(self, actor: Layout) -> list[Role]:
        get = self.get
        enabled = get.value(f"{CRITIC}.enable")
        if not (self.plan.algorithm.value == "gae" if enabled is None else bool(enabled)):
            return []
        path = needed(get.path(f"{CRITIC}.model.path"), "The critic's model is not known.")
        backend = backend_of(get.text(f"{CRITIC}.strategy"))
        # Renamed in 0.8; what a script sets under either name is meant.
        config = (f"{CRITIC}.fsdp", f"{CRITIC}.model.fsdp_config")
        ulysses = ulysses_of(
            get,
            *(f"{part}.ulysses_sequence_parallel_size" for part in (CRITIC, *config)),
        )
        keys = LayoutKeys(config, f"{CRITIC}.megatron", ulysses)
        shared = self._one_megatron(CRITIC, backend)
        layout = actor if shared else layout_of(get, self.gpus, backend, keys)
        padded = not get.on(False, f"{CRITIC}.model.use_remove_padding") and backend != "megatron"
        update = self._update(CRITIC, layout, padded)
        role = Role(
            name="critic",
            shape=self.find(path).shape,
            head="value",
            trained=True,
            backend=backend,
            layout=layout,
            adapter=critic_adapter(get, f"{CRITIC}.model"),
            checkpointing=get.on(True, f"{CRITIC}.model.enable_gradient_checkpointing"),
            activation_offload=get.on(False, f"{CRITIC}.model.enable_activation_offload"),
            update=update.tokens,
            accumulates=not update.alone,
            forward=update.tokens,
        )
        return [states(get, role, keys, plan=self.plan)]
