"""OpenRLHF's options to a workload.

Sources: `openrlhf/cli/train_*.py`, `openrlhf/models/actor.py` and `openrlhf/utils/deepspeed/` of
the releases 0.3.8 to 0.11.2. Each option is looked for under its dotted name (since 0.10.2) and
under the flat one before.

With Liger's kernels too the actor takes the model's whole logits and makes
them fp32 (`output["logits"].to(torch.float32)` in `actor.py`): its fused loss is never reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.base.messages import message, plural_message
from bot.frameworks.openrlhf import MODEL_KEYS
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.readers.lengths import (
    Lengths,
    Measured,
    batch_tokens,
    lengths,
    packed_tokens,
    sample_lengths,
)
from bot.memory.readers.openrlhf_losses import DOUBLED, FROZEN, LOGITS, PAIRED, update_logits
from bot.memory.readers.settings import (
    MODEL_UNKNOWN,
    NOT_KNOWN,
    MemorySettings,
    NoEstimateError,
    assumed_longest,
    assumed_mean,
    indivisible,
    length_of,
    needed,
    release_assumption,
)
from bot.memory.shapes.models import FindModel
from bot.memory.shapes.shape import Shape
from bot.memory.workload import (
    ZERO_STAGES,
    Adapter,
    Backend,
    Engine,
    Layout,
    Pool,
    Role,
    RoleName,
    Tokens,
    Workload,
)


def read(
    get: MemorySettings, model: FindModel, run: Measured | None = None, gpus: int | None = None
) -> Workload:
    """The workload of a plan; raises NoEstimateError with what is missing or contradictory.

    `gpus` counts where the launcher takes all that the host has.
    """
    reader = _OpenRLHF(get, model, run)
    return reader.ppo(gpus) if "ppo" in get.plan.launch.entry else reader.deepspeed(gpus)


class _OpenRLHF:
    def __init__(self, get: MemorySettings, model: FindModel, run: Measured | None) -> None:
        self.plan, self.find, self.run, self.get = get.plan, model, run, get
        plan = get.plan
        key = next((one for one in MODEL_KEYS if one in (plan.table or ())), MODEL_KEYS[-1])
        self.path = needed(plan.model.value or get.text(*MODEL_KEYS), MODEL_UNKNOWN, key=key)
        stage = get.whole("ds.zero_stage", "zero_stage")
        self.backend: Backend = needed(
            ZERO_STAGES.get(2 if stage is None else stage),
            "ZeRO has no stage {stage}.",
            stage=stage,
        )
        if get.size("ds.tensor_parallel_size", "ds_tensor_parallel_size") > 1:
            raise NoEstimateError("DeepSpeed's tensor parallelism is not modelled.")
        dtype = (get.text("ds.param_dtype", "param_dtype") or "bf16").lower()
        if dtype not in ("bf16", "fp16"):
            raise NoEstimateError("The data type {dtype} is not modelled.", dtype=dtype)
        self.dynamic = get.on(False, "train.dynamic_batch_enable", "use_dynamic_batch")
        # `train_ppo_ray.py` switches packing on for dynamic batches.
        self.packed = get.on(False, "ds.packing_samples", "packing_samples") or self.dynamic
        self.ring = get.size("ds.ring_attn_size", "ring_attn_size")
        self.sequences = (0, 0)  # Of a pass with gradient, and without.
        self.assumptions = [release_assumption("OpenRLHF", plan.configuration.release)]

    def _role(self, name: RoleName, shape: Shape, gpus: int, *, trained: bool) -> Role:
        get = self.get
        rank = get.limit("ds.lora.rank", "lora_rank") or 0
        dropout = get.number(0.0, "ds.lora.dropout", "lora_dropout") > 0
        quantized = get.on(False, "ds.load_in_4bit", "load_in_4bit")
        gradients = get.text("ds.grad_accum_dtype", "grad_accum_dtype")
        adam = get.on(False, "ds.adam_offload", "adam_offload")
        sleeps = get.on(False, "ds.enable_sleep", "deepspeed_enable_sleep")
        if gpus < 1 or gpus % self.ring:
            raise indivisible(gpus, message("a ring of {ring}", ring=self.ring))
        prefix = {"actor": "actor", "critic": "critic"}.get(name, "model")
        checkpointing = get.on(
            False,
            f"{prefix}.gradient_checkpointing_enable",
            "actor.gradient_checkpointing_enable",
            "model.gradient_checkpointing_enable",
            "gradient_checkpointing",
        )
        return Role(
            name=name,
            shape=shape,
            head="value" if name in ("critic", "reward") else "language",
            trained=trained,
            backend=self.backend,
            layout=Layout(gpus=gpus, shard=gpus),
            adapter=Adapter(kind="lora", rank=rank, dropout=dropout) if rank and trained else None,
            weight_bytes=2.0,
            frozen_bytes=constants.NF4_NESTED if quantized and rank and trained else None,
            whole_experts=version_at_least(self.plan, 0, 9, 5),  # It requires transformers 5.
            gradient_bytes=4.0 if gradients == "fp32" else 2.0,
            # fp32 weights and two moments of DeepSpeed's fused Adam.
            optimizer_bytes=12.0,
            step_bytes=0.0,
            weights_offload="idle" if sleeps and trained else "none",
            # DeepSpeed's offloaded optimizer has its gradients in buffers of the host
            # (`copy_grads_in_partition` of stage_1_and_2.py, the flat buffer of stage3.py).
            gradients_offload="always" if adam else "none",
            optimizer_offload="always" if adam else "idle" if sleeps else "none",
            checkpointing=checkpointing,
            # The actor takes the model's logits and makes them fp32: Liger's loss is not reached.
            fused_layers=get.on(False, "ds.use_liger_kernel", "use_liger_kernel"),
            eager_update=self._eager(self.sequences[0]),
            eager_forward=self._eager(self.sequences[1]),
        )

    def _eager(self, sequences: int) -> int:
        """The sequences of a pass whose attention is eager: all or none.

        Before 0.8.10 that is so without `--flash_attn` (`models/actor.py`, `models/model.py`).
        """
        named = self.get.text("ds.attn_implementation", "attn_implementation")
        flash = self.get.on(False, "flash_attn")
        if version_at_least(self.plan, 0, 8, 10):
            flash = (named or "flash_attention_2").lower() != "eager"
        return 0 if flash or self.packed else sequences

    def _tokens(self, count: int, of: Lengths, stage: str = "train") -> Tokens:
        get = self.get
        if self.dynamic:
            limit = get.count("train.max_tokens_per_gpu", "train_max_tokens_per_gpu")
            if stage == "rollout":
                own = get.count("rollout.max_tokens_per_gpu", "rollout_max_tokens_per_gpu")
                limit = own or limit
            if limit:
                # Passes are filled up to the limit; the batch of a step is far larger than one.
                return packed_tokens(limit, 1 << 12, of, over=self.ring)
        return batch_tokens(count, of, over=self.ring, padded=not self.packed)

    def deepspeed(self, gpus: int | None) -> Workload:
        """Supervised, reward-model and preference training, distillation: one process a GPU."""
        get = self.get
        kind = self.plan.launch.entry.rsplit("train_", 1)[-1]
        if kind not in LOGITS:
            raise NoEstimateError("openrlhf's train_{kind} is not modelled.", kind=kind)
        count = self.plan.gpus.value or gpus
        total = needed(
            count, "The number of GPUs is not known: the launcher takes every GPU of the host."
        )
        longest = needed(get.length("data.max_len", "max_len"), NOT_KNOWN, key="max_len")
        micro = self._micro()
        of = sample_lengths(longest, self.run, 2 if kind in PAIRED else 1)
        rows = micro * (2 if kind in DOUBLED else 1)
        self.sequences = (rows, rows)
        tokens = self._tokens(rows, of)
        padded = batch_tokens(rows, of, padded=True).expected
        wider = padded / max(1, tokens.expected) if self.packed else 0.0
        shape = self.find(self.path).shape
        batch = get.count("train.batch_size", "train_batch_size")
        role = replace(
            self._role("reward" if kind == "rm" else "actor", shape, total, trained=True),
            update=tokens,
            accumulates=not batch or batch > micro * total // self.ring,
            update_logits=update_logits(kind, wider),
        )
        roles = [role]
        if kind in FROZEN:
            path = get.model(*FROZEN[kind]) or self.path
            offloaded = get.on(False, "ref.offload", "ref_offload", "teacher_offload")
            reference = self._role("reference", self.find(path).shape, total, trained=False)
            roles.append(
                replace(
                    reference,
                    forward=tokens,
                    forward_logits=constants.FORWARD_FP32,
                    weights_offload="always" if offloaded else "none",
                )
            )
        if not self.packed and not of.measured:
            self.assumptions.insert(0, assumed_longest(of.longest_of(rows), longest))
        return self._workload((Pool(name="training", gpus=total, roles=tuple(roles)),), of)

    def ppo(self, gpus: int | None) -> Workload:
        """PPO and its kin: on Ray, groups of roles that share GPUs.

        Before 0.10 also under DeepSpeed alone: one process a GPU with every role, and the actor
        generates itself.
        """
        get = self.get
        alone = not self.plan.launch.entry.endswith("_ray")
        of = self._ppo_lengths()
        micro = self._micro()
        rollout = get.count("rollout.micro_batch_size", "micro_rollout_batch_size") or micro
        update, forward = self._tokens(micro, of), self._tokens(rollout, of, "rollout")
        self.sequences = (micro, rollout)
        if not self.packed and not of.measured:
            padded = update.expected * self.ring // max(1, micro)
            self.assumptions.insert(0, assumed_longest(padded, of.longest))
        everything = alone or get.on(False, "train.colocate_all", "colocate_all_models")
        logits = constants.GATHERED_FP32
        groups: dict[str, list[Role]] = {}
        sizes: dict[str, int] = {}

        def add(group: str, role: Role) -> None:
            groups.setdefault(group, []).append(role)
            sizes[group] = role.layout.gpus

        actor_gpus = (
            needed(
                self.plan.gpus.value or gpus,
                "The number of GPUs is not known: the launcher takes every GPU of the host.",
            )
            if alone
            else self._gpus("actor")
        )
        shape = self.find(self.path).shape
        batch = get.count("train.batch_size", "train_batch_size")
        actor = replace(
            self._role("actor", shape, actor_gpus, trained=True),
            update=update,
            accumulates=not batch or batch > micro * actor_gpus // self.ring,
            forward=forward,
            update_logits=logits,
            forward_logits=constants.FORWARD_FP32,
        )
        add("actor", actor)
        self._beside(add, actor, everything=everything)
        pools = [
            Pool(
                name=name,
                gpus=sizes[name],
                roles=tuple(roles),
                processes=1 if alone else len(roles),
            )
            for name, roles in groups.items()
        ]
        if alone:
            writer = Engine(
                name="hf", shape=shape, tensor=1, fraction=1.0, sequence_tokens=rollout * of.longest
            )
            return self._workload((replace(pools[0], engine=writer),), of)
        return self._workload(self._with_engine(pools, shape, of, everything), of)

    def _beside(self, add: Callable[[str, Role], None], actor: Role, *, everything: bool) -> None:
        """Add the roles beside the actor, each in its group or in the actor's."""
        get, actor_gpus, forward = self.get, actor.layout.gpus, actor.forward
        estimator = (get.text("algo.advantage.estimator", "advantage_estimator") or "gae").lower()
        if get.number(0.01, "algo.kl.init_coef", "init_kl_coef") > 0:
            shared = everything or get.on(False, "train.colocate_actor_ref", "colocate_actor_ref")
            gpus = actor_gpus if shared else self._gpus("ref")
            offloaded = get.on(False, "ref.offload", "ref_reward_offload")
            reference = replace(
                self._role("reference", actor.shape, gpus, trained=False),
                forward=forward,
                forward_logits=constants.FORWARD_FP32,
                weights_offload="always" if offloaded else "none",
            )
            add("actor" if shared else "reference", reference)
        if estimator == "gae":
            path = get.model("critic.model_name_or_path", "critic_pretrain")
            path = path or get.model("reward.model_name_or_path", "reward_pretrain") or self.path
            gpus = actor_gpus if everything else self._gpus("critic")
            critic = self._role("critic", self.find(path).shape, gpus, trained=True)
            critic = replace(critic, update=actor.update, forward=forward)
            add("actor" if everything else "critic", critic)
        remote = ("reward.remote_url", "remote_rm_url", "train.agent_func_path", "agent_func_path")
        servers = [self.plan.last(key) for key in remote]
        if not any(setting is not None and setting.value for setting in servers):
            self._reward(add, everything, estimator == "gae", actor_gpus, forward)

    def _reward(
        self,
        add: Callable[[str, Role], None],
        everything: bool,
        critic: bool,
        actor_gpus: int,
        forward: Tokens,
    ) -> None:
        get = self.get
        path = get.model("reward.model_name_or_path", "reward_pretrain")
        if path is None:
            return
        shared = critic and get.on(False, "train.colocate_critic_reward", "colocate_critic_reward")
        group = "actor" if everything else "critic" if shared else "reward"
        gpus = actor_gpus if everything else self._gpus("critic" if shared else "reward")
        offloaded = get.on(False, "reward.offload", "ref_reward_offload")
        role = self._role("reward", self.find(path).shape, gpus, trained=False)
        add(
            group,
            replace(role, forward=forward, weights_offload="always" if offloaded else "none"),
        )

    def _with_engine(
        self, pools: list[Pool], shape: Shape, of: Lengths, everything: bool
    ) -> tuple[Pool, ...]:
        get = self.get
        engines = get.limit("vllm.num_engines", "vllm_num_engines") or 0
        if not engines:
            get.pass_over("vllm")
            return tuple(pools)
        tensor = get.size("vllm.tensor_parallel_size", "vllm_tensor_parallel_size")
        apart = not everything or get.on(False, "train.async_enable", "async_train")
        engine = Engine(
            name="vllm",
            shape=shape,
            tensor=tensor,
            fraction=get.share(0.95, "vllm.gpu_memory_utilization", "vllm_gpu_memory_utilization"),
            sequence_tokens=of.longest,
            sleeps=get.on(False, "vllm.enable_sleep", "vllm_enable_sleep") and not apart,
        )
        if apart:
            return (*pools, Pool(name="rollout", gpus=engines * tensor, engine=engine))
        first = pools[0]
        if engines * tensor != first.gpus:
            raise NoEstimateError(
                plural_message(
                    "{count} engine × tensor parallel {tensor} = {product} GPUs, but the models "
                    "are colocated on {gpus}.",
                    "{count} engines × tensor parallel {tensor} = {product} GPUs, but the models "
                    "are colocated on {gpus}.",
                    engines,
                    tensor=tensor,
                    product=engines * tensor,
                    gpus=first.gpus,
                )
            )
        return (replace(first, engine=engine, processes=first.processes + 1), *pools[1:])

    def _micro(self) -> int:
        keys = ("train.micro_batch_size", "micro_train_batch_size")
        return needed(self.get.count(*keys), NOT_KNOWN, key=keys[1])

    def _ppo_lengths(self) -> Lengths:
        get = self.get
        response, prompt = map(
            length_of, (self.plan.max_response_length, self.plan.max_prompt_length)
        )
        if response is None or prompt is None:
            total = needed(get.length("data.max_len", "max_len"), NOT_KNOWN, key="max_len")
            # Without a limit of its own a response may take all that the prompt leaves.
            response = total if response is None else response
            prompt = total - response
        if prompt < 0:
            raise NoEstimateError(
                "max_len {length} is shorter than the {response} new tokens.",
                length=prompt + response,
                response=response,
            )
        return lengths(prompt, response, self.run)

    def _gpus(self, role: str) -> int:
        nodes = needed(
            self.get.count(f"{role}.num_nodes", f"{role}_num_nodes"),
            "The nodes of the {role} are not known.",
            role=role,
        )
        each = needed(
            self.get.count(f"{role}.num_gpus_per_node", f"{role}_num_gpus_per_node"),
            "The GPUs of the {role} are not known.",
            role=role,
        )
        return nodes * each

    def _workload(self, pools: tuple[Pool, ...], of: Lengths) -> Workload:
        if self.packed and not of.measured:
            self.assumptions.insert(0, assumed_mean(of.mean))
        per_node = self.plan.gpus_per_node.value or max(pool.gpus for pool in pools)
        flat = frozenset(self.plan.table or ())
        return Workload(
            framework="openrlhf",
            flat_options=flat if "train.batch_size" not in flat else frozenset(),
            pools=pools,
            gpus_per_node=per_node,
            assumptions=tuple(self.assumptions),
            prompt_mean=of.before_response,
            sequence_mean=of.mean,
            measured=of.measured,
        )
