"""A script of TRL's command-line trainers under accelerate with DeepSpeed."""

from __future__ import annotations

from collections.abc import Iterator

from bot.recommend.ladder import first_micro
from bot.recommend.request import Way, Wish
from bot.recommend.scripts.parts import command, head, run_name

_ENTRY = {"rm": "reward"}
_DATA = {
    "sft": "trl-lib/Capybara",
    "dpo": "trl-lib/ultrafeedback_binarized",
    "rm": "trl-lib/ultrafeedback_binarized",
    "grpo": "trl-lib/DeepMath-103K",
    "rloo": "trl-lib/DeepMath-103K",
}


def script(wish: Wish, way: Way, device: str, release: str) -> str:
    """The whole script."""
    machines = f"--num_machines {way.nodes} " if way.nodes > 1 else ""
    start = (
        f"accelerate launch {machines}--num_processes {way.gpus} --mixed_precision bf16 "
        f"--use_deepspeed --zero_stage {3 if 'zero3' in way.on else 2} "
        f"-m trl.scripts.{_ENTRY.get(wish.task, wish.task)}"
    )
    lines = head(wish, way, device, release)
    return "\n".join([*lines, "", *command(start, list(_options(wish, way, device)))])


def _options(wish: Wish, way: Way, device: str) -> Iterator[str]:
    micro = way.value("micro", first_micro(wish, way.gpus))
    name = run_name(wish, way, device)
    yield '--model_name_or_path "$MODEL_PATH"'
    yield f"--dataset_name {_DATA[wish.task]}"
    yield f"--output_dir outputs/{name}"
    yield f"--per_device_train_batch_size {micro}"
    yield f"--gradient_accumulation_steps {wish.batch * wish.responses // (micro * way.gpus)}"
    yield f"--learning_rate {'1e-6' if wish.method == 'full' else '1e-5'}"
    yield "--gradient_checkpointing"
    yield "--bf16 True"
    if wish.method != "full":
        yield "--use_peft"
        yield f"--lora_r {wish.rank}"
        yield f"--lora_alpha {wish.rank}"
        if wish.method == "dora":
            yield "--use_dora"
    if wish.online:
        yield "--reward_funcs accuracy_reward"
        yield f"--num_generations {wish.responses}"
        yield f"--max_completion_length {wish.response}"
        yield "--use_vllm"
        yield "--vllm_mode colocate"
        yield "--vllm_enable_sleep_mode"
        yield f"--vllm_tensor_parallel_size {way.value('tensor', 1)}"
        yield f"--vllm_gpu_memory_utilization {way.share}"
        yield f"--vllm_max_model_length {wish.prompt + wish.response}"
    else:
        yield f"--max_length {wish.prompt + wish.response}"
    yield "--report_to wandb"
    yield f"--run_name {name}"
