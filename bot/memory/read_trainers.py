"""The options of TRL and open-instruct to a workload.

Sources: TRL's trainers 0.13 to 1.16 with transformers' `TrainingArguments`; open-instruct's
`grpo_fast.py`, `ppo_vllm_thread_ray_gtrl.py`, `finetune.py` and `dpo_tune_cache.py`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.base.messages import message, plural_message
from bot.frameworks.launch import launcher_option
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.lengths import Lengths, Measured, batch_tokens, lengths
from bot.memory.models import FindModel
from bot.memory.precision import Precision, precision_of
from bot.memory.settings import (
    MemorySettings,
    NoEstimateError,
    assumed_mean,
    needed,
    release_assumption,
)
from bot.memory.shape import Shape
from bot.memory.workload import (
    ZERO_STAGES,
    Adapter,
    Backend,
    Engine,
    Layout,
    Offload,
    Pool,
    Role,
    Tokens,
    Workload,
)

_ONLINE = ("grpo", "rloo", "gae", "online_dpo")
_PAIRS = ("dpo", "rm")
_OFFLOADS = re.compile(r"(?<!no)(?<!no[_-])offload")
"""In a preset's name; `zero3_no_offload` says the opposite."""
_ALGORITHMS = (*_ONLINE, *_PAIRS, "sft")


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
        if algorithm not in _ALGORITHMS:
            raise NoEstimateError(
                message(
                    "{framework}'s {task} is not modelled.",
                    framework=plan.framework,
                    task=algorithm or message("trainer"),
                )
            )
        self.algorithm = algorithm
        self.path = needed(
            plan.model.value,
            message("The model (--model_name_or_path) is not known without running the script."),
        )
        self.find = model
        self.shape: Shape = model(self.path).shape
        self.instruct = plan.framework == "open-instruct"

    def workload(self, gpus: int | None) -> Workload:
        ray = self.instruct and self.algorithm in _ONLINE
        per_node, nodes = self.plan.gpus_per_node.value, self.plan.nodes.value
        learners = (per_node or 0) * (nodes or 0) if ray else self.plan.gpus.value or gpus
        total = needed(learners or None, message("The number of GPUs is not known."))
        of, tokens = self._tokens()
        roles = self._roles(total, tokens)
        engine, apart = self._engine(of, total)
        together = engine is not None and not apart
        pools = [
            Pool(
                name="training",
                gpus=total,
                roles=tuple(roles),
                engine=engine if together else None,
                processes=2 if together and self.instruct else 1,
            )
        ]
        if engine is not None and apart:
            pools.append(Pool(name="rollout", gpus=apart, engine=engine))
        assumptions = [release_assumption(self.plan.framework, self.plan.framework_version)]
        if self.algorithm in _ONLINE and not of.measured:
            assumptions.insert(0, assumed_mean(of.mean))
        return Workload(
            framework=self.plan.framework,
            version=self.plan.framework_version,
            pools=tuple(pools),
            gpus_per_node=per_node or total,
            assumptions=tuple(assumptions),
            measured=of.measured,
        )

    def _tokens(self) -> tuple[Lengths, Tokens]:
        get = self.get
        each = needed(
            self.plan.micro_batch_size_per_gpu.value,
            message("per_device_train_batch_size is not known."),
        )
        if self.algorithm in _ONLINE:
            response = needed(
                self.plan.max_response_length.value,
                message("The maximum length of a response is not known."),
            )
            of = lengths(self.plan.max_prompt_length.value or 0, response, self.run)
            packed = get.whole("pack_length")
            if self.instruct and packed:
                # Sequences are packed into rows of pack_length tokens.
                return of, Tokens(2 * each, packed * each, packed * each)
            return of, batch_tokens(each, of)
        longest = needed(
            get.whole("max_length", "max_seq_length"), message("The maximum length is not known.")
        )
        of = lengths(0, longest, self.run)
        count = each * (2 if self.algorithm in _PAIRS else 1)
        tokens = batch_tokens(count, of, padded=not self._flat())
        packed = self.algorithm == "sft" and get.on(False, "packing")
        if packed:
            tokens = Tokens(tokens.floor, count * longest, count * longest)
        return of, tokens

    def _flat(self) -> bool:
        """Whether a batch is one row without padding.

        `padding_free` of TRL's SFT and of its DPO, which leaves it out from 0.29 on (a warning in
        `dpo_trainer.py`); other batches are padded to their longest sample.
        """
        flat = self.get.on(False, "padding_free")
        if self.algorithm == "dpo" and version_at_least(self.plan, 0, 29):
            return False
        return flat and self.algorithm in ("sft", "dpo")

    def _roles(self, gpus: int, tokens: Tokens) -> list[Role]:
        get = self.get
        backend = self._backend()
        adapter = self._adapter()
        precision = precision_of(get, backend, self.algorithm)
        logits, forward_logits = self._logits(precision)
        online = self.algorithm in _ONLINE
        offload = self._offload()
        actor = Role(
            name="reward" if self.algorithm == "rm" else "actor",
            shape=self.shape,
            head="value" if self.algorithm == "rm" else "language",
            trained=True,
            backend=backend,
            layout=Layout(gpus=gpus, shard=1 if backend == "ddp" else gpus),
            adapter=adapter,
            weight_bytes=precision.weights,
            frozen_bytes=precision.frozen if adapter else None,
            gradient_bytes=precision.gradients,
            optimizer_bytes=precision.optimizer,
            step_bytes=precision.step,
            weights_offload=offload[0],
            # DeepSpeed's offloaded optimizer has its gradients on the host.
            gradients_offload=offload[1] if backend.startswith("zero") else "none",
            optimizer_offload=offload[1],
            end_bytes=precision.ends,
            residual_bytes=precision.residual,
            activation_share=precision.computes / 2,
            adapter_bytes=precision.adapter,
            accumulates=(get.whole("gradient_accumulation_steps") or 2) > 1 or self.instruct,
            head_share=self._head_share(),
            checkpointing=get.on(False, "gradient_checkpointing"),
            activation_offload=get.on(False, "activation_offloading"),
            update=tokens,
            forward=tokens if online else Tokens(0, 0, 0),
            update_logits=logits,
            forward_logits=forward_logits if online else 0.0,
        )
        roles = [actor]
        if self._reference() and adapter is None:
            roles.append(
                replace(
                    actor,
                    name="reference",
                    trained=False,
                    update=Tokens(0, 0, 0),
                    forward=tokens,
                    forward_logits=forward_logits,
                    weight_bytes=min(2.0, precision.weights),
                    gradients_offload="none",
                    optimizer_offload="none",
                )
            )
        if self.algorithm == "gae":
            path = get.text("value_model_path", "reward_model_path") or self.path
            roles.append(
                replace(
                    actor,
                    name="critic",
                    shape=self.find(path).shape,
                    head="value",
                    adapter=None,
                    frozen_bytes=None,
                    forward=tokens,
                )
            )
        return roles

    def _logits(self, precision: Precision) -> tuple[float, float]:
        """Bytes a logit, in the update and without gradient.

        TRL: `selective_log_softmax` of `trainer/utils.py`, transformers' loss for SFT, computed in
        chunks by default from 1.8 (`loss_type` of `sft_config.py`). Logits that reach the former in
        fp32 take another way through it, `logsumexp` of each row: so they do where the model
        computes in fp32, and where accelerate casts its outputs.
        """
        get = self.get
        liger = get.on(False, "use_liger_kernel", "use_liger_loss", "use_liger")
        if liger:
            return constants.FUSED, constants.FUSED
        if self.algorithm == "sft":
            loss = get.text("loss_type")
            unset = "chunked_nll" if version_at_least(self.plan, 1, 8) else "nll"
            chunked = not self.instruct and (loss or unset) == "chunked_nll"
            whole = constants.CAUSAL_LOSS if precision.computes < 4 else constants.GATHERED_FP32
            return (constants.FUSED if chunked else whole), 0.0
        if precision.computes >= 4 or precision.casts_outputs:
            return constants.GATHERED_FP32, constants.FORWARD_FP32
        return constants.LOG_PROBS_BY_ROW, constants.FORWARD_LOG_PROBS

    def _head_share(self) -> float:
        """Share of tokens with logits: TRL's online trainers keep those of the completion."""
        response, prompt = self.plan.max_response_length.value, self.plan.max_prompt_length.value
        if self.instruct or self.algorithm not in ("grpo", "rloo") or not response:
            return 1.0
        return response / (response + (prompt or 0))

    def _reference(self) -> bool:
        if self.algorithm == "dpo":
            return not self.get.on(False, "precompute_ref_log_probs")
        if self.algorithm not in _ONLINE:
            return False
        if not self.get.on(True, "load_ref_policy"):
            return False
        return self.get.number(0.05, "beta", "kl_coef") != 0

    def _backend(self) -> Backend:
        train = self.plan.train.value
        if train in ("fsdp", "fsdp2"):
            return "fsdp" if train == "fsdp" else "fsdp2"
        if train != "deepspeed":
            if train is None and self.plan.train.key == "config_file":
                raise NoEstimateError(
                    message(
                        "What accelerate's configuration file says of the backend is not known."
                    )
                )
            return "ddp"
        stage = self.get.whole("deepspeed_stage", "zero_stage")
        if stage is None:
            stage = self._preset()
        return needed(
            ZERO_STAGES.get(-1 if stage is None else stage), message("ZeRO's stage is not known.")
        )

    def _preset(self) -> int | None:
        """The stage in a preset's file name: deepspeed_zero3.yaml, ds_z3_offload_config.json."""
        stage = re.search(r"(?:zero|stage|ds_z)_?([0-3])|\A([0-3])\Z", self._preset_name())
        return int(stage[1] or stage[2]) if stage else None

    def _preset_name(self) -> str:
        """The file that says how DeepSpeed is used, for accelerate or for the trainer."""
        launch = self.plan.launch
        option = launcher_option(launch, "config_file", "deepspeed_config_file", "zero_stage")
        return (option.value if option else None) or self.get.text("deepspeed") or ""

    def _offload(self) -> tuple[Offload, Offload]:
        """Whether weights and optimizer are on the host.

        A preset says so in its name, as it does its stage: `zero3_offload` moves both, at stages 1
        and 2 the optimizer alone (LLaMA-Factory's `ds_z*_offload_config.json`, ms-swift's
        `zero*_offload.json`).
        """
        named = self.plan.train.value == "deepspeed" and bool(_OFFLOADS.search(self._preset_name()))
        weights = self.get.on(False, "deepspeed_offload_param")
        weights = weights or (named and self._backend() == "zero3")
        optimizer = named or self.get.on(False, "deepspeed_offload_optimizer")
        # bitsandbytes' paged optimizers leave the GPU where it is full.
        optimizer = optimizer or "paged" in (self.get.text("optim") or "")
        return ("always" if weights else "none"), ("always" if optimizer else "none")

    def _adapter(self) -> Adapter | None:
        kind = self.plan.adapter.value
        if kind is None:
            raise NoEstimateError(message("Whether an adapter is trained is not known."))
        if kind not in ("lora", "dora"):
            return None
        rank = needed(
            self.get.whole("lora_r", "lora_rank"), message("The adapter's rank is not known.")
        )
        named = self.get.value("lora_target_modules")
        listed = named if isinstance(named, list) else [named] if isinstance(named, str) else []
        targets = frozenset(str(name) for name in listed if str(name).endswith("_proj"))
        return Adapter(
            kind="dora" if kind == "dora" else "lora", rank=rank, targets=targets or None
        )

    def _engine(self, of: Lengths, gpus: int) -> tuple[Engine | None, int]:
        """The engine, and the GPUs of its own when it has some."""
        get = self.get
        if self.algorithm not in _ONLINE or self.plan.infer.value != "vllm":
            return None, 0
        tensor = get.size("vllm_tensor_parallel_size")
        engine = Engine(
            name="vllm",
            shape=self.shape,
            tensor=tensor,
            fraction=get.share(0.9, "vllm_gpu_memory_utilization"),
            sequence_tokens=get.whole("vllm_max_model_length") or of.longest,
            sleeps=get.on(False, "vllm_enable_sleep_mode"),
            in_process=not self.instruct,
        )
        if self.instruct:
            if get.on(False, "single_gpu_mode"):
                return engine, 0
            return engine, get.size("vllm_num_engines") * tensor
        if get.text("vllm_mode") == "server":
            return None, 0
        if gpus % tensor:
            raise NoEstimateError(
                plural_message(
                    "{count} GPU cannot be divided by tensor parallel {tensor}.",
                    "{count} GPUs cannot be divided by tensor parallel {tensor}.",
                    gpus,
                    tensor=tensor,
                )
            )
        return engine, 0
