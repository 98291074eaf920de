"""What would lower the peak most: a further estimate with each option that is still off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from bot.base.devices import Device
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, message
from bot.memory import constants
from bot.memory.estimator import expected_peak
from bot.memory.option_names import half_of, spelt
from bot.memory.units import Bytes
from bot.memory.workload import Engine, PassName, Pool, Role, Tokens, Workload

_LEAST = Bytes.gib(0.05)
"""An option that saves less is not worth a line."""
_A = "actor_rollout_ref.actor"
_M = "actor_rollout_ref.model"


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that would lower the expected peak."""

    setting: str
    saves: Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Switch:
    """One way to save memory, in the words of each framework that has it."""

    settings: Mapping[str, str]
    """Framework, or a trainer of verl's with settings of its own, to setting."""
    off: Callable[[Role], bool]
    """Whether a role could still use it."""
    on: Callable[[Role], bool]
    """Whether a role uses it."""
    put: Callable[[Role], Role]
    halves: PassName | None = None
    """The pass whose batch it divides."""


def _halved(tokens: Tokens) -> Tokens:
    return Tokens(
        -(-tokens.floor // 2), max(1, tokens.expected // 2), max(1, tokens.conservative // 2)
    )


def _bf16(role: Role) -> Role:
    return replace(
        role,
        weight_bytes=2.0,
        gradient_bytes=2.0,
        optimizer_bytes=4.0,
        step_bytes=2.0,
        frozen_copy_bytes=0.0,
    )


def _liger_loss(role: Role) -> Role:
    """Without logits, and without copies of the head."""
    return replace(_fused_logits(role), head_copies=0.0, forward_head_copies=0.0)


def _fused_logits(role: Role) -> Role:
    forward = min(role.forward_logits, constants.FUSED)
    return replace(
        role, update_logits=min(role.update_logits, constants.FUSED), forward_logits=forward
    )


def _fsdp(role: Role) -> bool:
    return role.backend in ("fsdp", "fsdp2")


def _zero(role: Role) -> bool:
    return role.backend.startswith("zero")


def _optimizer_off(role: Role) -> bool:
    """Whether the optimizer is on the host: ZeRO's, where it is in its own stage too."""
    return role.optimizer_offload == "always" if _zero(role) else role.optimizer_offload != "none"


_SWITCHES: tuple[_Switch, ...] = (
    _Switch(
        settings={
            "verl": f"{_A}.fsdp_config.model_dtype=bf16",
            "verl engine": "engine.model_dtype=bf16",
        },
        off=lambda r: r.name == "actor" and _fsdp(r) and r.weight_bytes > 2,
        on=lambda r: r.name == "actor" and _fsdp(r) and r.weight_bytes <= 2,
        put=_bf16,
    ),
    _Switch(
        settings={
            "verl": f"{_M}.enable_gradient_checkpointing=True",
            "verl sft": "model.enable_gradient_checkpointing=True",
            "verl engine": "model.enable_gradient_checkpointing=True",
            "easyr1": "worker.actor.model.enable_gradient_checkpointing=true",
            "openrlhf": "--actor.gradient_checkpointing_enable",
            "trl": "--gradient_checkpointing",
            "open-instruct": "--gradient_checkpointing",
        },
        off=lambda r: r.trained and not r.checkpointing and r.backend != "megatron",
        on=lambda r: r.trained and r.checkpointing,
        put=lambda r: replace(r, checkpointing=True),
    ),
    _Switch(
        settings={"trl": "--optim adamw_torch_fused"},
        off=lambda r: r.step_bytes > 0 and not r.adapter and not _zero(r),
        on=lambda _: False,
        put=lambda r: replace(r, step_bytes=0.0),
    ),
    _Switch(
        settings={
            "verl": f"{_M}.enable_activation_offload=True",
            "verl engine": "model.enable_activation_offload=True",
        },
        off=lambda r: r.name == "actor" and _fsdp(r) and not r.activation_offload,
        on=lambda r: r.name == "actor" and r.activation_offload,
        put=lambda r: replace(r, activation_offload=True),
    ),
    _Switch(
        settings={
            "verl": f"{_M}.use_fused_kernels=True",
            "verl engine": "model.use_fused_kernels=True",
        },
        off=lambda r: r.name == "actor" and r.update_logits > 1,
        on=lambda r: r.name == "actor" and r.trained and 0 < r.update_logits <= 1,
        put=_fused_logits,
    ),
    _Switch(
        settings={
            "verl": f"{_M}.use_liger=True",
            "verl sft": "model.use_liger=True",
            "verl engine": "model.use_liger=True",
        },
        off=lambda r: r.name == "actor" and _fsdp(r) and not r.fused_layers,
        on=lambda r: r.name == "actor" and r.fused_layers,
        put=lambda r: replace(r, fused_layers=True),
    ),
    _Switch(
        settings={"trl": "--use_liger_kernel"},
        # What makes logits in parts already, unsloth above all, has kernels of its own.
        off=lambda r: r.name == "actor" and not r.fused_layers and r.logits_at_once is None,
        on=lambda r: r.name == "actor" and r.fused_layers,
        put=lambda r: replace(r if r.own_loss else _liger_loss(r), fused_layers=True),
    ),
    _Switch(
        settings={"verl": f"{_A}.entropy_from_logits_with_chunking=True"},
        off=lambda r: r.update_logits == constants.ENTROPY_EAGER,
        on=lambda _: False,
        put=lambda r: replace(r, update_logits=constants.PACKED),
    ),
    _Switch(
        settings={"verl": "distillation.distillation_loss.use_chunked_topk=True (verl 0.9)"},
        off=lambda r: r.update_logits in (constants.DISTILLED, constants.DISTILLED_ALONE),
        on=lambda _: False,
        put=lambda r: replace(r, update_logits=constants.DISTILLED_CHUNKED),
    ),
    _Switch(
        settings={
            "verl": f"{_A}.fsdp_config.use_no_sync_for_gradient_accumulation=False (verl 0.9.1)",
            "trl": "--accelerator_config "
            """'{{"gradient_accumulation_kwargs": {{"sync_each_batch": true}}}}'""",
        },
        off=lambda r: r.trained and r.accumulates and r.unsharded_gradient_bytes > 0,
        on=lambda _: False,
        put=lambda r: replace(r, unsharded_gradient_bytes=0.0),
    ),
    _Switch(
        settings={
            "verl": "actor_rollout_ref.rollout.layered_summon=True "
            "actor_rollout_ref.rollout.load_format=safetensors"
        },
        off=lambda r: r.backend == "fsdp" and r.adapter is not None and r.sync_whole_bytes > 0,
        on=lambda _: False,
        put=lambda r: replace(r, sync_whole_bytes=0.0),
    ),
    _Switch(
        settings={
            "verl": f"{_A}.{{backend}}.param_offload=True",
            "verl engine": "engine.param_offload=True",
            "easyr1": "worker.actor.offload.offload_params=true",
        },
        off=lambda r: r.name == "actor" and r.weights_offload == "none",
        on=lambda r: r.name == "actor" and r.weights_offload != "none",
        put=lambda r: replace(r, weights_offload="idle"),
    ),
    _Switch(
        settings={
            "verl": f"{_A}.{{backend}}.optimizer_offload=True",
            "verl engine": "engine.optimizer_offload=True",
            "easyr1": "worker.actor.offload.offload_optimizer=true",
            "openrlhf": "--ds.adam_offload",
            "open-instruct": "--deepspeed_offload_optimizer",
        },
        off=lambda r: r.trained and r.name != "critic" and not _optimizer_off(r),
        on=lambda r: r.trained and r.name != "critic" and _optimizer_off(r),
        put=lambda r: (
            replace(r, optimizer_offload="always", gradients_offload="always")
            if _zero(r)
            else replace(r, optimizer_offload="idle")
        ),
    ),
    _Switch(
        settings={
            "verl": "actor_rollout_ref.ref.{backend}.param_offload=True",
            "easyr1": "worker.ref.fsdp.enable_cpu_offload=true",
            "openrlhf": "--ref.offload",
        },
        off=lambda r: r.name == "reference" and r.weights_offload == "none",
        # FSDP's is on the host whatever is set.
        on=lambda r: (
            r.name == "reference"
            and r.weights_offload != "none"
            and r.backend not in ("fsdp", "fsdp2")
        ),
        put=lambda r: replace(r, weights_offload="idle" if r.backend == "megatron" else "always"),
    ),
    _Switch(
        settings={
            "openrlhf": "--ds.zero_stage 3",
            "trl": "ZeRO stage 3",
            "open-instruct": "--deepspeed_stage 3",
        },
        off=lambda r: r.backend in ("ddp", "zero1", "zero2") and r.layout.gpus > 1,
        on=lambda r: r.backend == "zero3",
        put=lambda r: replace(
            r,
            backend="zero3",
            layout=replace(r.layout, shard=r.layout.gpus),
            weight_bytes=2.0,
            gradient_bytes=2.0,
            optimizer_bytes=r.optimizer_bytes if _zero(r) else 12.0,
            step_bytes=4.0 if r.step_bytes else 0.0,
        ),
    ),
    _Switch(
        settings={
            "verl": message(
                "half the tokens a pass ({size}, or {tokens} with dynamic batches)",
                size="ppo_micro_batch_size_per_gpu",
                tokens="ppo_max_token_len_per_gpu",
            ),
            "verl sft": half_of("data.micro_batch_size_per_gpu"),
            "verl engine": message(
                "half the tokens a pass ({size}, or {tokens} with dynamic batches)",
                size="data.micro_batch_size_per_gpu",
                tokens="data.max_token_len_per_gpu",
            ),
            "easyr1": half_of("worker.actor.micro_batch_size_per_device_for_update"),
            "openrlhf": half_of("--train.micro_batch_size"),
            "trl": half_of("--per_device_train_batch_size"),
            "open-instruct": half_of("--pack_length"),
        },
        off=lambda r: r.trained and r.update.expected > 1,
        on=lambda _: False,
        put=lambda r: replace(
            r,
            update=_halved(r.update),
            forward=_halved(r.forward),
            eager_update=-(-r.eager_update // 2),
            eager_forward=-(-r.eager_forward // 2),
        ),
        halves="update",
    ),
    _Switch(
        settings={"trl": half_of("--per_device_eval_batch_size")},
        off=lambda r: r.evaluation.expected > 1,
        on=lambda _: False,
        put=lambda r: replace(
            r, evaluation=_halved(r.evaluation), evaluation_rows=-(-r.evaluation_rows // 2)
        ),
        halves="evaluation",
    ),
)
_SLEEP = {
    "openrlhf": "--vllm.enable_sleep",
    "trl": "--vllm_enable_sleep_mode",
}


def what_helps(workload: Workload, device: Device) -> tuple[Option, ...]:
    """The options that would lower the expected peak, the most first."""
    before = expected_peak(workload, device)
    options = []
    for setting, changed in _changes(workload):
        saved = before.less(expected_peak(changed, device))
        if saved > _LEAST:
            options.append(Option(setting, saved))
    return tuple(sorted(options, key=lambda option: option.saves, reverse=True))


def in_use(workload: Workload) -> tuple[str, ...]:
    """The memory-saving settings that are on already."""
    named: dict[str, None] = {}
    for pool in workload.pools:
        for role in pool.roles:
            for switch in _SWITCHES:
                if _has(workload, switch) and switch.on(role):
                    named[_named(switch, workload, role)] = None
    return tuple(named)


def _changes(workload: Workload) -> Iterator[tuple[str, Workload]]:
    """Each option that is off, with the workload under it."""
    for switch in _SWITCHES:
        if not _has(workload, switch) or switch.halves in workload.single:
            continue
        roles = [role for pool in workload.pools for role in pool.roles if switch.off(role)]
        if not roles:
            continue

        def role_changed(role: Role, switch: _Switch = switch) -> Role:
            return switch.put(role) if switch.off(role) else role

        yield (
            _named(switch, workload, roles[0]),
            _mapped(workload, role_changed, lambda engine: engine),
        )
    engines = [pool.engine for pool in workload.pools if pool.engine is not None and pool.roles]
    divided = any(role.backend == "zero3" for pool in workload.pools for role in pool.roles)
    if divided and any(engine.gathered_parameters for engine in engines):
        yield (
            spelt("--ds3_gather_for_generation false", workload),
            _mapped(
                workload, lambda role: role, lambda engine: replace(engine, gathered_parameters=0)
            ),
        )
    kept = any(engine.keeps_weights for engine in engines)  # unsloth's, with no such option.
    awake = [engine for engine in engines if engine.name != "hf" and not engine.sleeps]
    named = awake and (awake[0].sleeps_with or _SLEEP.get(workload.framework))
    if named and not kept:
        yield (
            spelt(named, workload),
            _mapped(workload, lambda role: role, lambda engine: replace(engine, sleeps=True)),
        )


def _has(workload: Workload, switch: _Switch) -> bool:
    """Whether the framework has the setting, and its backend the group that it lies in."""
    setting = switch.settings.get(workload.framework)
    return setting is not None and (workload.fsdp_group in setting or "fsdp_config" not in setting)


def _named(switch: _Switch, workload: Workload, role: Role) -> str:
    backend = "megatron" if role.backend == "megatron" else workload.fsdp_group
    setting = switch.settings[workload.framework]
    named = setting if isinstance(setting, Message) else setting.format(backend=backend)
    return spelt(named, workload)


def _mapped(
    workload: Workload, role: Callable[[Role], Role], engine: Callable[[Engine], Engine]
) -> Workload:
    def changed(pool: Pool) -> Pool:
        put = engine(pool.engine) if pool.engine is not None and pool.roles else pool.engine
        return replace(pool, roles=tuple(map(role, pool.roles)), engine=put)

    return replace(workload, pools=tuple(map(changed, workload.pools)))
