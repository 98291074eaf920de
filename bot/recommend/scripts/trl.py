"""A script of TRL's command-line trainers under accelerate with DeepSpeed."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.devices import Device
from bot.recommend.options import micro_batch
from bot.recommend.request import Candidate, Request
from bot.recommend.scripts.parts import command, head, run_name

_ENTRY = {"rm": "reward"}
_DATA = {
    "sft": "trl-lib/Capybara",
    "dpo": "trl-lib/ultrafeedback_binarized",
    "rm": "trl-lib/ultrafeedback_binarized",
    "grpo": "trl-lib/DeepMath-103K",
    "rloo": "trl-lib/DeepMath-103K",
}


def script(request: Request, candidate: Candidate, device: Device, release: str) -> str:
    """The whole script."""
    machines = f"--num_machines {candidate.nodes} " if candidate.nodes > 1 else ""
    start = (
        f"accelerate launch {machines}--num_processes {candidate.gpus} --mixed_precision "
        f"{'bf16' if device.has_bf16 else 'fp16'} "
        f"--use_deepspeed --zero_stage {3 if 'zero3' in candidate.on else 2} "
        f"-m trl.scripts.{_ENTRY.get(request.task, request.task)}"
    )
    lines = head(request, candidate, device, release)
    return "\n".join([*lines, "", *command(start, list(_options(request, candidate, device)))])


def _options(request: Request, candidate: Candidate, device: Device) -> Iterator[str]:
    micro = micro_batch(request, candidate)
    name = run_name(request, candidate, device)
    yield '--model_name_or_path "$MODEL_PATH"'
    yield f"--dataset_name {_DATA[request.task]}"
    yield f"--output_dir outputs/{name}"
    yield f"--per_device_train_batch_size {micro}"
    sequences = request.batch * request.responses
    yield f"--gradient_accumulation_steps {sequences // (micro * candidate.gpus)}"
    yield f"--learning_rate {'1e-6' if request.method == 'full' else '1e-5'}"
    yield "--gradient_checkpointing"
    yield "--bf16 True" if device.has_bf16 else "--bf16 False --fp16 True"
    if request.method != "full":
        yield "--use_peft"
        if request.method == "qlora":
            yield "--load_in_4bit"
            yield f"--dtype {'bfloat16' if device.has_bf16 else 'float16'}"
        yield f"--lora_r {request.rank}"
        yield f"--lora_alpha {request.rank}"
        if request.method == "dora":
            yield "--use_dora"
    if request.online:
        yield "--reward_funcs accuracy_reward"
        yield f"--num_generations {request.responses}"
        yield f"--max_completion_length {request.response}"
        yield "--use_vllm"
        yield "--vllm_mode colocate"
        yield "--vllm_enable_sleep_mode"
        yield f"--vllm_tensor_parallel_size {candidate.value('tensor', 1)}"
        yield f"--vllm_gpu_memory_utilization {candidate.share}"
        yield f"--vllm_max_model_length {request.prompt + request.response}"
    else:
        yield f"--max_length {request.prompt + request.response}"
    yield "--report_to wandb"
    yield f"--run_name {name}"
