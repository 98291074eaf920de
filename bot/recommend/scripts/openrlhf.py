"""A script of OpenRLHF, with the options since release 0.10.2.

`train_ppo_ray` with everything on the same GPUs, or a trainer of samples and pairs under DeepSpeed.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.devices import Device
from bot.recommend.options import micro_batch
from bot.recommend.request import Candidate, Request
from bot.recommend.scripts.parts import command, head, run_name

_ESTIMATOR = {"ppo": "gae", "grpo": "group_norm", "rloo": "rloo"}
_DATA = {
    "sft": ("Open-Orca/OpenOrca", ("--data.input_key question", "--data.output_key response")),
    "dpo": ("OpenRLHF/preference_dataset_mixture2_and_safe_pku", _PAIR := (
        "--data.chosen_key chosen",
        "--data.rejected_key rejected",
        "--data.apply_chat_template",
    )),
    "rm": ("OpenRLHF/preference_dataset_mixture2_and_safe_pku", _PAIR),
}  # fmt: skip


def script(request: Request, candidate: Candidate, device: Device, release: str) -> str:
    """The whole script."""
    lines = head(request, candidate, device, release)
    if request.task == "ppo":
        lines.append("# A reward model of the same size; its memory is part of the prediction.")
        lines.append(f"REWARD_PATH=${{REWARD_PATH:-{request.path}}}")
    lines.append(': "${WANDB_API_KEY:?set it, or remove --logger.wandb.key}"')
    if request.online:
        start, settings = "python3 -m openrlhf.cli.train_ppo_ray", _ray(request, candidate)
    else:
        nodes = f" --num_nodes {candidate.nodes}" if candidate.nodes > 1 else ""
        gpus, module = candidate.per_node, f"openrlhf.cli.train_{request.task}"
        start = f"deepspeed{nodes} --num_gpus {gpus} --module {module}"
        settings = _samples(request, candidate)
    arguments = [*settings, *_common_options(request, candidate, device)]
    return "\n".join([*lines, "", *command(start, arguments)])


def _common_options(request: Request, candidate: Candidate, device: Device) -> Iterator[str]:
    micro = micro_batch(request, candidate)
    yield f"--train.batch_size {request.batch}"
    yield f"--train.micro_batch_size {micro}"
    yield "--train.max_epochs 1"
    yield f"--ds.zero_stage {3 if 'zero3' in candidate.on else 2}"
    yield "--ds.param_dtype bf16"
    if "ring" in candidate.on:
        yield f"--ds.ring_attn_size {candidate.on['ring']}"
    if "offload" in candidate.on:
        yield "--ds.adam_offload"
    if request.method == "lora":
        yield f"--ds.lora.rank {request.rank}"
        yield f"--ds.lora.alpha {request.rank}"
    if "checkpointing" in candidate.on:
        yield f"--{'actor' if request.online else 'model'}.gradient_checkpointing_enable"
    yield '--logger.wandb.key "$WANDB_API_KEY"'
    yield "--logger.wandb.project rlbot-tuning"
    yield f"--logger.wandb.run_name {run_name(request, candidate, device)}"


def _samples(request: Request, candidate: Candidate) -> Iterator[str]:
    yield '--model.model_name_or_path "$MODEL_PATH"'
    dataset, keys = _DATA[request.task]
    yield f"--data.dataset {dataset}"
    yield from keys
    yield f"--data.max_len {request.prompt + request.response}"
    if "ring" in candidate.on:
        yield "--ds.packing_samples"
    yield f"--adam.lr {'1e-4' if request.method == 'lora' else '5e-6'}"
    if request.task == "dpo":
        yield '--ref.model_name_or_path "$MODEL_PATH"'
        if "ref-offload" in candidate.on:
            yield "--ref.offload"


def _ray(request: Request, candidate: Candidate) -> Iterator[str]:
    critic = request.task == "ppo"
    tensor = candidate.value("tensor", 1)
    for role in ("actor", "ref", *(("critic", "reward") if critic else ())):
        yield f"--{role}.num_nodes {candidate.nodes}"
        yield f"--{role}.num_gpus_per_node {candidate.per_node}"
    yield f"--vllm.num_engines {candidate.gpus // tensor}"
    yield f"--vllm.tensor_parallel_size {tensor}"
    yield f"--vllm.gpu_memory_utilization {candidate.share}"
    yield "--vllm.enable_sleep"
    yield "--train.colocate_all"
    yield '--actor.model_name_or_path "$MODEL_PATH"'
    if critic:
        yield '--critic.model_name_or_path "$MODEL_PATH"'
        yield '--reward.model_name_or_path "$REWARD_PATH"'
    else:
        yield "--reward.remote_url http://localhost:5000/get_reward"
    yield "--data.prompt_dataset OpenRLHF/prompt-collection-v0.1"
    yield "--data.input_key context_messages"
    yield "--data.apply_chat_template"
    yield f"--data.max_len {request.prompt + request.response}"
    yield f"--rollout.max_new_tokens {request.response}"
    yield f"--rollout.batch_size {request.batch}"
    yield f"--rollout.n_samples_per_prompt {request.responses}"
    yield f"--rollout.micro_batch_size {micro_batch(request, candidate)}"
    yield f"--algo.advantage.estimator {_ESTIMATOR[request.task]}"
    yield "--algo.kl.init_coef 0.01"
    yield f"--actor.adam.lr {'1e-5' if request.method == 'lora' else '5e-7'}"
    if critic:
        yield "--critic.adam.lr 9e-6"
    yield "--ds.packing_samples"
    if "sleep" in candidate.on:
        yield "--ds.enable_sleep"
    if "ref-offload" in candidate.on:
        yield "--ref.offload"
