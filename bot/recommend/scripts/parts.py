"""What the scripts of all frameworks have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.base.devices import Device, Vendor, gpu_count
from bot.recommend.options import micro_batch
from bot.recommend.request import Candidate, Request

_ESTIMATORS = {
    "ppo": "gae",
    "dapo": "grpo",
    "gspo": "grpo",
    "cispo": "grpo",
    "reinforce-plus-plus": "reinforce_plus_plus",
}
"""What verl calls the way in which a task values a response."""
_LOSSES = {
    "dapo": ("clip_ratio_low=0.2", "clip_ratio_high=0.28", "loss_agg_mode=token-mean"),
    "gspo": (
        "policy_loss.loss_mode=gspo",
        "clip_ratio_low=3e-4",
        "clip_ratio_high=4e-4",
        "loss_agg_mode=seq-mean-token-mean",
    ),
    "cispo": ("policy_loss.loss_mode=cispo", "clip_ratio_low=10", "clip_ratio_high=0.2"),
}


def head(request: Request, candidate: Candidate, device: Device, release: str) -> list[str]:
    """Shebang, what the script is, the release it is for, the model's path."""
    method = "" if request.method == "full" else f"-{request.method}"
    what = f"{request.task}{method}".upper() + f" of {request.model.name}"
    return [
        "#!/usr/bin/env bash",
        f"# {what} on {gpu_count(candidate.gpus)} ({device.label}): made by rlbot from a",
        "# prediction of memory. Nobody has run it yet.",
        f"# {request.framework}: {release}",
        "set -euo pipefail",
        "",
        f"MODEL_PATH=${{MODEL_PATH:-{request.path}}}",
    ]


def run_name(request: Request, candidate: Candidate, device: Device) -> str:
    """The name of the run."""
    return f"{request.token}-{request.label}-{candidate.gpus}-{device.token}"


def command(start: str, arguments: Sequence[str]) -> list[str]:
    """One command over several lines; the caller's arguments come last."""
    return [f"{start} \\", *(f"    {argument} \\" for argument in arguments), '    "$@"', ""]


def verl_online(request: Request) -> Iterator[str]:
    """The algorithm, the data and the model of verl's PPO trainer."""
    critic = request.task == "ppo"
    yield f"algorithm.adv_estimator={_ESTIMATORS.get(request.task, request.task)}"
    yield f"algorithm.use_kl_in_reward={critic}"
    yield 'data.train_files="$DATA_DIR/train.parquet"'
    yield 'data.val_files="$DATA_DIR/test.parquet"'
    yield f"data.train_batch_size={request.batch}"
    yield f"data.max_prompt_length={request.prompt}"
    yield f"data.max_response_length={request.response}"
    yield "data.filter_overlong_prompts=True"
    yield "data.truncation=error"
    yield 'actor_rollout_ref.model.path="$MODEL_PATH"'


def verl_loss(request: Request) -> Iterator[str]:
    """The actor's loss: whether it holds to a reference, and how it clips and averages.

    Those of DAPO, GSPO and CISPO are the ones of verl's examples of them.
    """
    actor = "actor_rollout_ref.actor"
    has_reference = request.task not in ("ppo", *_LOSSES)
    yield f"{actor}.use_kl_loss={has_reference}"
    if has_reference:
        yield f"{actor}.kl_loss_coef=0.001"
        yield f"{actor}.kl_loss_type=low_var_kl"
    for setting in _LOSSES.get(request.task, ()):
        yield f"{actor}.{setting}"
    yield f"{actor}.entropy_coeff=0"


def verl_rollout(request: Request, candidate: Candidate) -> Iterator[str]:
    """The engine of verl, and how many sequences are scored at once."""
    rollout, micro = "actor_rollout_ref.rollout", micro_batch(request, candidate)
    yield f"{rollout}.name=vllm"
    yield f"{rollout}.tensor_model_parallel_size={candidate.value('tensor', 1)}"
    yield f"{rollout}.gpu_memory_utilization={candidate.share}"
    yield f"{rollout}.n={request.responses}"
    if request.method != "full":
        yield f"{rollout}.load_format=safetensors"
        yield f"{rollout}.layered_summon=True"
    yield f"{rollout}.log_prob_micro_batch_size_per_gpu={micro}"
    yield f"actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu={micro}"


def verl_trainer(request: Request, candidate: Candidate, device: Device) -> Iterator[str]:
    """The settings `trainer.*` of both of verl's trainers."""
    yield """trainer.logger='["console","wandb"]'"""
    yield "trainer.project_name=rlbot-tuning"
    yield f"trainer.experiment_name={run_name(request, candidate, device)}"
    if device.vendor is Vendor.ASCEND:
        yield "trainer.device=npu"
    yield f"trainer.n_gpus_per_node={candidate.per_node}"
    yield f"trainer.nnodes={candidate.nodes}"
    yield "trainer.save_freq=-1"
    yield "trainer.test_freq=5"
    yield "trainer.total_epochs=1"
