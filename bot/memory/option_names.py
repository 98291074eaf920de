"""What a launch calls the settings that save memory."""

from __future__ import annotations

from collections.abc import Mapping

from bot.base.messages import message
from bot.memory.workload import Workload


def half_of(option: str) -> str:
    """Half of a size."""
    return message("half of {option}", option=option)


_FLAT: Mapping[str, str] = {
    "--actor.gradient_checkpointing_enable": "--gradient_checkpointing",
    "--ds.adam_offload": "--adam_offload",
    "--ref.offload": "--ref_reward_offload",
    "--ds.zero_stage 3": "--zero_stage 3",
    half_of("--train.micro_batch_size"): half_of("--micro_train_batch_size"),
    "--vllm.enable_sleep": "--vllm_enable_sleep",
}
"""OpenRLHF's options before they got dots, in 0.10.2."""
_OFFLOADS = ("--ref_reward_offload", "--ref_offload", "--teacher_offload")
"""The names of one of them in its programs."""
_ARGUMENTS: Mapping[str, str] = {
    "--gradient_checkpointing": "gradient_checkpointing=True",
    "--optim adamw_torch_fused": 'optim="adamw_torch_fused"',
    "--use_liger_kernel": "use_liger_kernel=True",
    "--accelerator_config "
    """'{"gradient_accumulation_kwargs": {"sync_each_batch": true}}'""": "accelerator_config="
    """{"gradient_accumulation_kwargs": {"sync_each_batch": True}}""",
    half_of("--per_device_train_batch_size"): half_of("per_device_train_batch_size"),
    half_of("--per_device_eval_batch_size"): half_of("per_device_eval_batch_size"),
    "--ds3_gather_for_generation false": "ds3_gather_for_generation=False",
    "--vllm_enable_sleep_mode": "vllm_enable_sleep_mode=True",
}
"""TRL's options as a program writes them that makes its settings itself."""


def spelt(setting: str, workload: Workload) -> str:
    """A setting as this launch would give it."""
    if workload.in_program:
        return _ARGUMENTS.get(setting, setting)
    if not workload.flat_options:
        return setting
    flat = _FLAT.get(setting, setting)
    others = (name for name in _OFFLOADS if name.lstrip("-") in workload.flat_options)
    return next(others, flat) if flat == _OFFLOADS[0] else flat
