"""A script of verl's supervised fine-tuning, with FSDP under torchrun.

The settings are those of `verl/trainer/config/sft_trainer_engine.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.recommend.ladder import first_micro
from bot.recommend.request import Way, Wish
from bot.recommend.scripts.parts import command, head, run_name


def script(wish: Wish, way: Way, device: str, release: str) -> str:
    """The whole script."""
    start = "torchrun --standalone --nnodes=1"
    if way.nodes > 1:
        meet = '"${MASTER_ADDR:?the address of the first node}:29500"'
        start = f"torchrun --nnodes={way.nodes} --rdzv_backend=c10d --rdzv_endpoint={meet}"
    start += f" --nproc_per_node={way.per_node} -m verl.trainer.sft_trainer"
    lines = [
        *head(wish, way, device, release),
        'DATA_DIR=${DATA_DIR:-"$HOME/data/gsm8k_sft"}',
        "",
        *command(start, list(_settings(wish, way, device))),
    ]
    return "\n".join(lines)


def _settings(wish: Wish, way: Way, device: str) -> Iterator[str]:
    adapter, offload = wish.method != "full", "offload" in way.on
    yield 'data.train_files="$DATA_DIR/train.parquet"'
    yield 'data.val_files="$DATA_DIR/test.parquet"'
    yield f"data.train_batch_size={wish.batch}"
    yield f"data.max_length={wish.prompt + wish.response}"
    yield "data.use_dynamic_bsz=False"
    yield f"data.micro_batch_size_per_gpu={way.value('micro', first_micro(wish, way.gpus))}"
    yield 'model.path="$MODEL_PATH"'
    yield "model.use_remove_padding=True"
    yield f"model.enable_gradient_checkpointing={'checkpointing' in way.on}"
    if adapter:
        yield f"model.lora_rank={wish.rank}"
        yield f"model.lora_alpha={wish.rank}"
        yield "model.target_modules=all-linear"
    if "bf16" in way.on:
        yield "engine.model_dtype=bf16"
    if offload:
        yield "engine.strategy=fsdp2"
        yield "engine.offload_policy=True"
    if way.value("sequence", 1) > 1:
        yield f"engine.ulysses_sequence_parallel_size={way.value('sequence', 1)}"
    yield f"optim.lr={'1e-4' if adapter else '1e-5'}"
    yield """trainer.logger='["console","wandb"]'"""
    yield "trainer.project_name=rlbot-tuning"
    yield f"trainer.experiment_name={run_name(wish, way, device)}"
    yield f"trainer.n_gpus_per_node={way.per_node}"
    yield f"trainer.nnodes={way.nodes}"
    yield "trainer.save_freq=-1"
    yield "trainer.test_freq=5"
    yield "trainer.total_epochs=1"
