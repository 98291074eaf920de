"""A script of OpenRLHF, with the options since release 0.10.2.

`train_ppo_ray` with everything on the same GPUs, or a trainer of samples and pairs under DeepSpeed.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.recommend.ladder import first_micro
from bot.recommend.request import Way, Wish
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


def script(wish: Wish, way: Way, device: str, release: str) -> str:
    """The whole script."""
    lines = head(wish, way, device, release)
    if wish.task == "ppo":
        lines.append("# A reward model of the same size; its memory is part of the prediction.")
        lines.append(f"REWARD_PATH=${{REWARD_PATH:-{wish.path}}}")
    lines.append(': "${WANDB_API_KEY:?set it, or remove --logger.wandb.key}"')
    if wish.online:
        start, settings = "python3 -m openrlhf.cli.train_ppo_ray", _ray(wish, way)
    else:
        nodes = f" --num_nodes {way.nodes}" if way.nodes > 1 else ""
        start = (
            f"deepspeed{nodes} --num_gpus {way.per_node} --module openrlhf.cli.train_{wish.task}"
        )
        settings = _samples(wish, way)
    given = [*settings, *_both(wish, way, device)]
    return "\n".join([*lines, "", *command(start, given)])


def _both(wish: Wish, way: Way, device: str) -> Iterator[str]:
    micro = way.value("micro", first_micro(wish, way.gpus))
    yield f"--train.batch_size {wish.batch}"
    yield f"--train.micro_batch_size {micro}"
    yield "--train.max_epochs 1"
    yield f"--ds.zero_stage {3 if 'zero3' in way.on else 2}"
    yield "--ds.param_dtype bf16"
    if "offload" in way.on:
        yield "--ds.adam_offload"
    if wish.method == "lora":
        yield f"--ds.lora.rank {wish.rank}"
        yield f"--ds.lora.alpha {wish.rank}"
    if "checkpointing" in way.on:
        yield f"--{'actor' if wish.online else 'model'}.gradient_checkpointing_enable"
    yield '--logger.wandb.key "$WANDB_API_KEY"'
    yield "--logger.wandb.project rlbot-tuning"
    yield f"--logger.wandb.run_name {run_name(wish, way, device)}"


def _samples(wish: Wish, way: Way) -> Iterator[str]:
    yield '--model.model_name_or_path "$MODEL_PATH"'
    dataset, keys = _DATA[wish.task]
    yield f"--data.dataset {dataset}"
    yield from keys
    yield f"--data.max_len {wish.prompt + wish.response}"
    yield f"--adam.lr {'1e-4' if wish.method == 'lora' else '5e-6'}"
    if wish.task == "dpo":
        yield '--ref.model_name_or_path "$MODEL_PATH"'
        if "ref-offload" in way.on:
            yield "--ref.offload"


def _ray(wish: Wish, way: Way) -> Iterator[str]:
    critic = wish.task == "ppo"
    tensor = way.value("tensor", 1)
    for role in ("actor", "ref", *(("critic", "reward") if critic else ())):
        yield f"--{role}.num_nodes {way.nodes}"
        yield f"--{role}.num_gpus_per_node {way.per_node}"
    yield f"--vllm.num_engines {way.gpus // tensor}"
    yield f"--vllm.tensor_parallel_size {tensor}"
    yield f"--vllm.gpu_memory_utilization {way.share}"
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
    yield f"--data.max_len {wish.prompt + wish.response}"
    yield f"--rollout.max_new_tokens {wish.response}"
    yield f"--rollout.batch_size {wish.batch}"
    yield f"--rollout.n_samples_per_prompt {wish.responses}"
    yield f"--rollout.micro_batch_size {way.value('micro', first_micro(wish, way.gpus))}"
    yield f"--algo.advantage.estimator {_ESTIMATOR[wish.task]}"
    yield "--algo.kl.init_coef 0.01"
    yield f"--actor.adam.lr {'1e-5' if wish.method == 'lora' else '5e-7'}"
    if critic:
        yield "--critic.adam.lr 9e-6"
    yield "--ds.packing_samples"
    if "sleep" in way.on:
        yield "--ds.enable_sleep"
    if "ref-offload" in way.on:
        yield "--ref.offload"
