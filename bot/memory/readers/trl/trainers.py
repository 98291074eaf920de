"""The options of TRL and open-instruct to a workload.

Sources: TRL's trainers 0.13 to 1.16 with transformers' `TrainingArguments`; open-instruct's
`grpo_fast.py`, `ppo_vllm_thread_ray_gtrl.py`, `finetune.py` and `dpo_tune_cache.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.base.messages import message
from bot.frameworks.plan_values import version_at_least
from bot.memory.readers.lengths import Lengths, Measured, batch_tokens, lengths, sample_lengths
from bot.memory.readers.settings import (
    ADAPTER_UNKNOWN,
    MODEL_UNKNOWN,
    NOT_KNOWN,
    MemorySettings,
    NoEstimateError,
    assumed_longest,
    assumed_mean,
    counted,
    needed,
    release_assumption,
)
from bot.memory.readers.trl import unsloth
from bot.memory.readers.trl.adapter import adapter, assumed, full_modules, refuse_unfollowed
from bot.memory.readers.trl.attention_rows import attention_rows
from bot.memory.readers.trl.backend import (
    backend_of,
    compiled,
    divided,
    learners_of,
    offload_of,
    refuse_unread_file,
    sequence_ranks,
    waiting_gradients,
)
from bot.memory.readers.trl.batches import (
    OnlineBatches,
    gathered_or_cast,
    online_batches,
    transformers_engine,
)
from bot.memory.readers.trl.distillation import NAME as DISTILLS
from bot.memory.readers.trl.distillation import TEACHER, teacher
from bot.memory.readers.trl.engine import vllm_engine
from bot.memory.readers.trl.evaluation import (
    evaluation_batch,
    evaluation_sequences,
    evaluation_tokens,
    held_out_logits,
    may_evaluate,
)
from bot.memory.readers.trl.linear_rule import as_computed
from bot.memory.readers.trl.logits import (
    PAIRS,
    head_copies,
    head_share,
    held_outputs,
    logit_parts,
    own_loss,
    trainer_logits,
)
from bot.memory.readers.trl.precision import Precision, embedding_moments, precision_of
from bot.memory.readers.trl.recomputation import recomputation
from bot.memory.readers.trl.rewards import judges, scored_by
from bot.memory.readers.trl.samples import longest_prompt, longest_response, longest_sample
from bot.memory.shapes.models import FindModel
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Adapter, Backend, Engine, Layout, Pool, Role, Tokens, Workload

_ONLINE = ("grpo", "rloo", "gae", "online_dpo")
_ALGORITHMS = (*_ONLINE, *PAIRS, "kto", "sft", DISTILLS)


def read(
    get: MemorySettings, model: FindModel, run: Measured | None = None, gpus: int | None = None
) -> Workload:
    """The workload of a plan; raises NoEstimateError with what is missing or contradictory."""
    return _Trainer(get, model, run).workload(gpus)


class _Trainer:
    def __init__(self, get: MemorySettings, model: FindModel, run: Measured | None) -> None:
        self.plan, self.run, self.get = get.plan, run, get
        plan = get.plan
        algorithm = plan.algorithm.value
        if not algorithm or algorithm not in _ALGORITHMS:
            raise NoEstimateError(
                "{framework}'s {task} is not modelled.",
                framework=plan.framework,
                task=algorithm or message("trainer"),
            )
        self.algorithm = algorithm
        named = unsloth.plain_name(plan.model.value or get.text("model_name_or_path"))
        if not named and plan.last("config"):
            get.value("config")  # Where it is not known, it is what would name the model.
        refuse_unfollowed(plan, named)
        self.path = needed(
            named,
            MODEL_UNKNOWN,
            key="model_name_or_path",
        )
        self.find = model
        self.shape: Shape = as_computed(get, model(self.path).shape)
        self.instruct = plan.framework == "open-instruct"
        self.assumed: list[str] = []
        self.batches: OnlineBatches | None = None
        each = self.each = counted(plan.micro_batch_size_per_gpu)
        if algorithm in _ONLINE and not self.instruct and each:
            self.batches = online_batches(get, algorithm, each)

    def workload(self, gpus: int | None) -> Workload:
        ray = self.instruct and self.algorithm in _ONLINE
        per_node = self.plan.gpus_per_node.value
        counts = learners_of(self.get) if ray else []
        learners = sum(counts) if ray else self.plan.gpus.value or gpus
        if ray:
            needed(learners or None, "The GPUs that train (--num_learners_per_node) are not known.")
        refuse_unread_file(self.get, gpus=bool(learners))
        total = needed(learners or None, "The number of GPUs is not known.")
        of, tokens = self._tokens()
        roles = self._roles(total, of, tokens)
        engine, apart = self._engine(of, total, roles)
        together = engine is not None and not apart
        pools = [
            Pool(
                name="training",
                gpus=total,
                roles=tuple(roles),
                engine=engine if together else None,
                processes=2 if together and self.instruct else 1,
                held=self.plan.written.engines if self.plan.written and total == 1 else 0.0,
            )
        ]
        if engine is not None and apart:
            pools.append(Pool(name="rollout", gpus=apart, engine=engine))
        assumptions = [
            *self.assumed,
            release_assumption(self.plan.framework, self.plan.configuration.release),
        ]
        if self.batches is not None:
            assumptions.insert(0, message("every batch as long as its longest sequence may be"))
            if not of.prompt_max:
                assumptions.append(message("prompts not counted: nothing limits them"))
        elif self.algorithm in _ONLINE and not of.measured:
            assumptions.insert(0, assumed_mean(of.mean))
        assumptions.extend(
            (*assumed(self.get, self.shape), *unsloth.assumed(self.get, self.algorithm))
        )
        return Workload(
            framework=self.plan.framework,
            pools=tuple(pools),
            gpus_per_node=per_node or max(counts, default=total),
            assumptions=tuple(assumptions),
            prompt_mean=of.before_response,
            sequence_mean=of.mean,
            measured=of.measured,
        )

    def _tokens(self) -> tuple[Lengths, Tokens]:
        get = self.get
        each = needed(
            self.each or get.count("per_device_train_batch_size"),
            NOT_KNOWN,
            key="per_device_train_batch_size",
        )
        if self.algorithm in _ONLINE:
            response = longest_response(get, self.run)
            of = lengths(longest_prompt(get, self.run), response, self.run)
            packed = get.length("pack_length")
            if self.instruct and packed:
                # Sequences are packed into rows of pack_length tokens.
                return of, Tokens(2 * each, packed * each, packed * each)
            if self.batches is not None:
                # What is written together is padded to its longest (`pad` in each trainer).
                return of, batch_tokens(self.batches.update, of, padded=True)
            return of, batch_tokens(each, of)
        longest = longest_sample(get, self.run)
        pair = 2 if self.algorithm in PAIRS else 1
        of = sample_lengths(longest, self.run, pair)
        count = each * pair
        tokens = batch_tokens(count, of, padded=not self._flat())
        if self._packed():
            tokens = Tokens(tokens.floor, count * longest, count * longest)
        elif not self._flat() and not of.measured:
            self.assumed.append(assumed_longest(of.longest_of(count), longest))
        return of, tokens

    def _packed(self) -> bool:
        return self.algorithm == "sft" and self.get.on(False, "packing")

    def _flat(self) -> bool:
        """Whether a batch is one row without padding.

        `padding_free` of TRL's SFT and of its DPO, which leaves it out from 0.29 on (a warning in
        `dpo_trainer.py`); other batches are padded to their longest sample.
        """
        flat = self.get.on(False, "padding_free")
        if self.algorithm == "dpo" and version_at_least(self.plan, 0, 29):
            return False
        return flat and self.algorithm in ("sft", "dpo")

    def _roles(self, gpus: int, of: Lengths, tokens: Tokens) -> list[Role]:
        get, online = self.get, self.algorithm in _ONLINE
        backend, adapter = backend_of(get), self._adapter()
        precision = precision_of(get, backend, self.algorithm)
        frozen, sequences = adapter is not None, self._sequences()
        both = trainer_logits(get, self.algorithm, precision, sequences, frozen=frozen)
        updated = self._updated(gpus, of, tokens, precision, adapter)
        over = updated.layout.context * updated.layout.sequence
        forward, scored = tokens, 0
        if self.batches is not None:
            forward = batch_tokens(self.batches.forward, of, padded=True)
            scored = self.batches.scored * of.response_max
        held_out, held_out_batch = Tokens(0, 0, 0), 0
        if not self.instruct and self.algorithm != "gae":
            padded, packed = not self._flat(), self._packed()
            held_out = evaluation_tokens(get, self.algorithm, of, padded=padded, packed=packed)
            held_out_batch = evaluation_sequences(get, self.algorithm)
            if may_evaluate(get):
                self.assumed.append(message("an evaluation, which only a run knows of"))
        actor = replace(
            updated,
            update_logits=both[0],
            forward=forward if online else Tokens(0, 0, 0),
            forward_logits=both[1] if online else 0.0,
            scored_tokens=scored,
            outputs=held_outputs(get, self.algorithm, precision, sequences),
            evaluation=held_out.over(over),
            evaluation_logits=held_out_logits(get, self.algorithm, precision, updated, both),
            evaluation_rows=self._rows(held_out_batch),
        )
        roles = [actor]
        beside = self.plan.written is not None and self.plan.written.reference
        if self._reference() and (adapter is None or beside):
            roles.append(
                replace(
                    actor,
                    name="reference",
                    trained=False,
                    update=Tokens(0, 0, 0),
                    evaluation=Tokens(0, 0, 0),
                    forward=forward.over(over),
                    forward_logits=both[1],
                    weight_bytes=precision.loaded,
                    gradients_offload="none",
                    optimizer_offload="none",
                )
            )
        if self.algorithm == DISTILLS:
            named = needed(get.path(TEACHER), MODEL_UNKNOWN, key=TEACHER)
            shape = self.find(named).shape
            roles.append(teacher(get, shape, actor, tokens, loaded=precision.loaded))
        if self.algorithm == "gae":
            roles += judges(get, self.find, actor, self.path, loaded=precision.loaded)
        elif online and not self.instruct:
            loaded = precision.loaded
            roles.extend(scored_by(get, self.find, actor, self.assumed, loaded=loaded))
        return roles

    def _updated(
        self, gpus: int, of: Lengths, tokens: Tokens, precision: Precision, adapter: Adapter | None
    ) -> Role:
        """The role that is trained, as its update finds it, but for the logits."""
        get = self.get
        backend = backend_of(get)
        copies = head_copies(get, self.algorithm, precision, trained=adapter is None)
        weights_at, gradients_at, optimizer_at = offload_of(get, backend)
        fsdp = divided(get, gpus, self.plan.gpus_per_node.value)
        context, sequence = (1, 1) if self.algorithm in _ONLINE else sequence_ranks(get)
        vllm = self.plan.infer.value == "vllm"
        return Role(
            name="reward" if self.algorithm == "rm" else "actor",
            shape=self.shape,
            head="value" if self.algorithm == "rm" else "language",
            trained=True,
            backend=backend,
            layout=Layout(
                gpus=gpus,
                shard=1 if backend == "ddp" else fsdp.shard,
                context=context,
                sequence=sequence,
            ),
            adapter=adapter,
            beside_adapter=full_modules(get, self.shape, precision) if adapter else None,
            weight_bytes=precision.weights,
            frozen_bytes=precision.frozen if adapter else None,
            loaded_bytes=self._loaded(backend, precision),
            base_shared=unsloth.has_engine(get),
            embedding_on_host=unsloth.keeps_embedding_on_host(get),
            whole_experts=precision.whole_experts,
            gradient_bytes=precision.gradients,
            optimizer_bytes=precision.optimizer,
            embedding_optimizer_bytes=0.0 if backend.startswith("zero") else embedding_moments(get),
            step_bytes=precision.step,
            step_widest_bytes=precision.step_widest,
            weights_offload=weights_at,
            gradients_offload=gradients_at,
            optimizer_offload=optimizer_at,
            end_bytes=precision.ends,
            head_copies=copies[0],
            forward_head_copies=copies[1],
            own_loss=own_loss(get, self.algorithm),
            residual_bytes=precision.residual,
            autocast=precision.autocast,
            recast=precision.recast,
            fused_layers=get.on(False, "use_liger_kernel", "use_liger"),
            compiled_layers=compiled(get),
            compute_bytes=precision.computes,
            adapter_bytes=precision.adapter,
            unsharded_gradient_bytes=waiting_gradients(get, backend, precision.computes),
            accumulates=(get.count("gradient_accumulation_steps") or 2) > 1 or self.instruct,
            head_share=head_share(get, self.algorithm, self._sequences(), of, self.run),
            **logit_parts(get, self.algorithm, self.shape, of, frozen=adapter is not None),
            **attention_rows(
                *(get, precision, self._rows(self._sequences())),
                self._rows(self.batches.forward if self.batches else self._sequences()),
            ),
            reshard=fsdp.reshard,
            **recomputation(get, self.shape.layers),
            update=tokens.over(context * sequence),
            # `sync_weights`: an adapter is not merged into shards.
            sync_whole_bytes=(
                2.0 if vllm and backend == "zero3" and adapter and not self.instruct else 0.0
            ),
        )

    def _loaded(self, backend: Backend, precision: Precision) -> float:
        """Bytes of a parameter as a program puts it on the GPU before FSDP or ZeRO divide it."""
        written = self.plan.written
        placed = written.placed if written is not None else None
        if backend == "ddp" or placed in (None, "named") or precision.frozen:
            return 0.0
        self.assumed.append(message("the whole model on each GPU first, as device_map has it"))
        return precision.stated

    def _sequences(self) -> int:
        """Sequences of a pass with gradient."""
        if self.batches is not None:
            return self.batches.update
        return (self.each or 1) * (2 if self.algorithm in PAIRS else 1)

    def _rows(self, sequences: int) -> int:
        """The rows of a pass of so many sequences.

        From TRL 0.19 on a packed batch is one row without padding (`padding_free` of
        `sft_trainer.py`), unless its sequences are wrapped.
        """
        wrapped = (self.get.text("packing_strategy") or "").lower() == "wrapped"
        row = self._packed() and version_at_least(self.plan, 0, 19) and not wrapped
        return 1 if row or self._flat() else sequences

    def _reference(self) -> bool:
        if self.algorithm in ("dpo", "kto"):
            return not self.get.on(False, "precompute_ref_log_probs")
        if self.algorithm not in _ONLINE:
            return False
        if not self.get.on(True, "load_ref_policy"):
            return False
        return self.get.number(0.05, "beta", "kl_coef") != 0

    def _adapter(self) -> Adapter | None:
        kind = self.plan.adapter.value
        if kind is None and self._plain_defaults("use_peft"):
            kind = ""
        kind = needed(kind, ADAPTER_UNKNOWN, key="use_peft=false")
        return adapter(self.get, kind) if kind in ("lora", "dora") else None

    def _plain_defaults(self, key: str) -> bool:
        """Whether TRL's default of a switch counts, off, where no table of options is shipped.

        PPO is among those: its program is an example, whose trainer is in no configuration of
        the package's scripts.
        """
        known = self.plan.table is not None or self.instruct
        return not known and self.plan.last(key) is None and self.plan.last("config") is None

    def _engine(self, of: Lengths, gpus: int, roles: Sequence[Role]) -> tuple[Engine | None, int]:
        """The engine, and the GPUs of its own when it has some."""
        if self.algorithm not in _ONLINE:
            return None, 0
        if (shared := unsloth.engine(self.get, roles[0], of)) is not None:
            return shared, 0
        if self.plan.infer.value == "hf":
            self.get.pass_over("vllm_")
        own = self.plan.infer.value == "hf" or self._plain_defaults("use_vllm")
        if self.batches is not None and own:
            whole = gathered_or_cast(roles, adapted=bool(self.plan.adapter.value))
            written = max(self.batches.written, evaluation_batch(self.get))
            batches = replace(self.batches, written=written)
            return transformers_engine(self.get, self.shape, of, batches, whole), 0
        if self.plan.infer.value != "vllm":
            return None, 0
        return vllm_engine(self.get, self.algorithm, self.shape, of, gpus)
