"""The list of settings that move memory, with whether the model reads each.

`tools.guides` writes it to `docs/memory-settings.md`. Which settings there are comes from the
newest release's table; which are read is what the readers ask for in the launches below, that take
each of their branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.frameworks import plans
from bot.frameworks.plan import Plan
from bot.frameworks.settings.key_table import KeyTable
from bot.memory.from_plan import find_model, read_workload
from bot.memory.readers.images import with_images
from bot.memory.readers.settings import MemorySettings
from bot.memory.readers.unread import moves_memory
from bot.shell import read

_INTRODUCTION = """\
# Settings that move memory

Made from the tables of the newest releases and from the readers of the model
([What a run needs of each GPU](memory.md)). A setting is listed when its name says that something
is offloaded, divided, recomputed, frozen or fused, or that its data type changes. Beside one that
is *not read* nothing is called impossible or likely to run out of memory.
"""
_RL = (
    "actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B data.train_batch_size=64"
    " data.max_prompt_length=512 data.max_response_length=512"
    " actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 critic.ppo_micro_batch_size_per_gpu=4"
    " critic.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8 trainer.nnodes=1"
    " actor_rollout_ref.actor.use_kl_loss=True reward.reward_model.enable=True"
    " reward.reward_model.model_path=Qwen/Qwen3-8B"
)
_VERL = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae " + _RL
_TEACHER = (
    " distillation.enabled=True distillation.nnodes=1"
    " distillation.teacher_models.teacher_model.model_path=Qwen/Qwen3-32B"
)
_SFT = (
    "torchrun --nproc_per_node=8 -m verl.trainer.sft_trainer model.path=Qwen/Qwen3-8B"
    " data.max_length=2048 data.micro_batch_size_per_gpu=1 data.train_batch_size=64"
)
_FLAT = (
    " --pretrain Qwen/Qwen3-8B --data.max_len 2048 --actor.num_nodes 1 --critic.num_nodes 1"
    " --actor.num_gpus_per_node 8 --critic.num_gpus_per_node 8 --ref.num_nodes 1"
    " --ref.num_gpus_per_node 8 --reward.num_nodes 1 --reward.num_gpus_per_node 8"
    ""
    " --reward.model_name_or_path Qwen/Qwen3-8B --train.micro_batch_size 1"
    " --train.dynamic_batch_enable --train.max_tokens_per_gpu 4096"
    " --rollout.max_tokens_per_gpu 4096"
)
_IMAGES = "--actor.model_name_or_path Qwen/Qwen2.5-VL-7B"
_TRL = (
    " --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 1 --use_peft --lora_r 8"
    " --load_in_4bit --use_vllm --max_completion_length 512 --max_length 1024"
)
_LAUNCHES: Mapping[str, Sequence[str]] = {
    "verl": (
        _VERL,
        _VERL + " actor_rollout_ref.model.lora_rank=8 critic.model.lora_rank=8",
        _VERL + " model_engine=megatron actor_rollout_ref.model.lora.rank=8",
        _VERL + " model_engine=megatron",
        _VERL + " actor_rollout_ref.model.path=Qwen/Qwen3-VL-8B-Instruct",
        _VERL + _TEACHER,
    ),
    "verl's fine-tuning": (
        _SFT,
        _SFT + " model.lora_rank=8",
        _SFT + " engine=megatron optim=megatron data.use_dynamic_bsz=True",
    ),
    "OpenRLHF": (
        f"python -m openrlhf.cli.train_ppo_ray{_FLAT} --vllm.num_engines 1",
        f"python -m openrlhf.cli.train_ppo_ray{_FLAT} --vllm.num_engines 8 --train.colocate_all",
        f"python -m openrlhf.cli.train_ppo_ray{_FLAT} {_IMAGES}",
    ),
    "TRL": tuple(
        f"accelerate launch --num_processes 8 -m trl.scripts.{kind}{_TRL}"
        for kind in ("sft", "dpo", "grpo")
    ),
}


def page() -> str:
    """The page, in Markdown."""
    return _INTRODUCTION + "".join("".join(_section(name)) for name in _LAUNCHES)


def _section(name: str) -> Iterator[str]:
    every: dict[str, bool] = {}
    asked: set[str] = set()
    release = ""
    for launch in _LAUNCHES[name]:
        (plan,) = plans(read(launch.encode(), "x.sh"))
        release = f"{plan.framework} {plan.configuration.release}"
        asked |= _asked(plan)
        if plan.table is not None:
            every |= dict.fromkeys(_leaves(plan.table), True)
    # A switch `no_…` is read as the one that it switches off.
    own = (key for key in every if key.removeprefix("no_") == key or key[3:] not in every)
    listed = [key for key in own if moves_memory(key)]
    known = sum(key in asked for key in listed)
    yield f"\n## {name}\n\n{release}: {known} of {len(listed)} are read.\n\n"
    yield "| setting | |\n| --- | --- |\n"
    for group in sorted({key.rpartition(".")[0] for key in listed}):
        for read_too, state in ((True, "read"), (False, "not read")):
            names = sorted(
                key.rpartition(".")[2]
                for key in listed
                if key.rpartition(".")[0] == group and (key in asked) is read_too
            )
            if names:
                prefix = f"`{group}.` " if group else ""
                yield f"| {prefix}{', '.join(f'`{name}`' for name in names)} | {state} |\n"


def _asked(plan: Plan) -> set[str]:
    get = MemorySettings(plan)
    with_images(read_workload(get, find_model, None, 8), get, None)
    return get.asked


def _leaves(table: KeyTable) -> Iterator[str]:
    keys = set(table)
    for key in keys:
        if not any(other.startswith(f"{key}.") for other in keys):
            yield key
