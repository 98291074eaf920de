"""One script's plan and the configuration that its run records."""

from __future__ import annotations

import copy
from typing import Any

from bot.evidence.claims.compare import compare
from bot.evidence.facts import Facts, GpuInfo, MetricSeries, RunId
from bot.evidence.links import RunLink
from bot.evidence.subject import NOTHING, ClaimContext
from bot.frameworks.configuration import Configuration
from bot.frameworks.plan import Field, Launch, Plan
from bot.frameworks.settings.setting import UNKNOWN, Setting, UnknownValue
from bot.report import Claim, Evidence, JsonValue
from bot.script.name import ScriptName, read_name
from bot.shell.source import Span
from bot.shell.words import Command, Piece, Word
from tests.runs.recipe import H800_BYTES, RunRecipe

NAME = read_name("examples/tuning/7b/qwen2.5-7b_grpo-lora_2_h800_fsdp_vllm.sh")

SETTINGS: dict[str, JsonValue] = {
    "algorithm.adv_estimator": "grpo",
    "data.train_files": "/data/gsm8k/train.parquet",
    "data.train_batch_size": 128,
    "data.max_prompt_length": 512,
    "data.max_response_length": 1024,
    "actor_rollout_ref.model.path": "Qwen/Qwen2.5-7B-Instruct",
    "actor_rollout_ref.model.lora_rank": 32,
    "actor_rollout_ref.actor.optim.lr": 3e-05,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 64,
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": 32,
    "actor_rollout_ref.actor.use_kl_loss": True,
    "actor_rollout_ref.actor.entropy_coeff": 0,
    "actor_rollout_ref.rollout.name": "vllm",
    "actor_rollout_ref.rollout.n": 5,
    "actor_rollout_ref.rollout.gpu_memory_utilization": 0.4,
    "trainer.critic_warmup": 0,
    "trainer.logger": ["console", "wandb"],
    "trainer.n_gpus_per_node": 2,
    "trainer.nnodes": 1,
    "trainer.total_epochs": 15,
}

CONFIG: dict[str, Any] = {
    "algorithm": {"adv_estimator": "grpo", "gamma": 1.0, "kl_ctrl": {"type": "fixed"}},
    "data": {
        "train_files": "/data/gsm8k/train.parquet",
        "train_batch_size": 128,
        "max_prompt_length": 512,
        "max_response_length": 1024,
    },
    "actor_rollout_ref": {
        "model": {"path": "Qwen/Qwen2.5-7B-Instruct", "lora_rank": 32, "override_config": {}},
        "actor": {
            "strategy": "fsdp",
            "optim": {"lr": 3e-05},
            "ppo_mini_batch_size": 64,
            "ppo_micro_batch_size_per_gpu": 32,
            "use_kl_loss": True,
            "entropy_coeff": 0.0,
        },
        "rollout": {"name": "vllm", "n": 5, "gpu_memory_utilization": 0.4},
    },
    "trainer": {
        "critic_warmup": 0,
        "logger": ["console", "wandb"],
        "n_gpus_per_node": 2,
        "nnodes": 1,
        "total_epochs": 15,
    },
}


def config(**changes: Any) -> dict[str, Any]:
    """CONFIG with dotted keys (dots written as two underscores) set to other values."""
    made = copy.deepcopy(CONFIG)
    for key, value in changes.items():
        node = made
        *parents, last = key.split("__")
        for part in parents:
            node = node.setdefault(part, {})
        node[last] = value
    return made


MATCHING = RunRecipe(config=CONFIG)


def setting(key: str, value: JsonValue | UnknownValue, operator: Any = "") -> Setting:
    """A setting as a framework's module would hand it on."""
    text = f"{operator}{key}={value}"
    span = Span(0, len(text))
    word = Word((Piece(text, span),), span)
    return Setting(key, value, str(value), operator, word, span, span)


def plan(*extra: Setting, framework: str = "verl", **changes: JsonValue | UnknownValue) -> Plan:
    """The plan of SETTINGS; `changes` as for `config`, `extra` settings come last."""
    values: dict[str, JsonValue | UnknownValue] = dict(SETTINGS)
    values.update({key.replace("__", "."): value for key, value in changes.items()})
    span = Span(0, 1)
    command = Command((), span, {})

    def field(key: str) -> Any:
        value = values.get(key, UNKNOWN)
        return Field(None if value is UNKNOWN else value, span, key)

    per_node, nodes = field("trainer.n_gpus_per_node"), field("trainer.nnodes")
    known = per_node.value is not None and nodes.value is not None
    total = per_node.value * nodes.value if known else None
    rank = field("actor_rollout_ref.model.lora_rank")
    return Plan(
        launch=Launch(command, framework, "verl.trainer.main_ppo", ()),
        framework=framework,
        configuration=Configuration("0.9.1", "newest", "the newest release known"),
        settings=(*(setting(key, value) for key, value in values.items()), *extra),
        model=field("actor_rollout_ref.model.path"),
        algorithm=field("algorithm.adv_estimator"),
        adapter=Field("lora" if rank.value else "", span, rank.key),
        gpus_per_node=per_node,
        nodes=nodes,
        gpus=Field(total, span, per_node.key),
        train=Field("fsdp", None, "actor_rollout_ref.actor.strategy", default=True),
        infer=field("actor_rollout_ref.rollout.name"),
        train_batch_size=field("data.train_batch_size"),
        mini_batch_size=field("actor_rollout_ref.actor.ppo_mini_batch_size"),
        micro_batch_size_per_gpu=field("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"),
        rollout_n=field("actor_rollout_ref.rollout.n"),
        max_prompt_length=field("data.max_prompt_length"),
        max_response_length=field("data.max_response_length"),
    )


def named(path: str) -> ScriptName:
    """A name in the folder of 7b models."""
    return read_name(f"examples/tuning/7b/{path}")


def series(key: str, maximum: float, rows: int = 60) -> MetricSeries:
    """A series of which only the maximum and the number of rows matter."""
    return MetricSeries(
        key=key, rows=rows, maximum=maximum, at_step=rows, last=maximum, monotone=True
    )


def facts(**changes: Any) -> Facts:
    """Facts of a run that backs SETTINGS, without a folder behind them."""
    history = {
        "training/global_step": series("training/global_step", 60),
        "response_length/max": series("response_length/max", 1024),
        "perf/max_memory_allocated_gb": series("perf/max_memory_allocated_gb", 61),
    }
    given: dict[str, Any] = {
        "source": "W&B run folder offline-run-20260101_000000-abc123",
        "run": RunId(id="abc123", entity="verl-team", project="verl_tuning"),
        "config": CONFIG,
        "history": history,
        "history_rows": 60,
        "system": {0: series("system.gpu.0.memoryAllocatedBytes", 71.2 * 2**30, 240)},
        "system_rows": 240,
        "gpus": (GpuInfo(name="NVIDIA H800", memory_bytes=H800_BYTES),) * 2,
        "host_gpu_count": 2,
        "requirements": {"vllm": "0.8.3"},
        "exit_code": 0,
    }
    return Facts(**{**given, **changes})


def claim(evidence: Evidence, name: str) -> Claim:
    """The one claim of that name."""
    (found,) = [c for c in evidence.claims if c.claim == name]
    return found


def table(evidence: Evidence) -> str:
    """All claims as text, for snapshots."""
    rows = [
        f"{evidence.verdict}: {evidence.source}",
        f"settings {evidence.settings_consistent} of {evidence.settings_compared}",
        f"steps {evidence.steps}, peak {evidence.peak_gib} GiB, device {evidence.device_gib} GiB",
    ]
    for c in evidence.claims:
        rows.append(f"{c.verdict:12} | {c.claim} | {c.claimed!r} | {c.observed!r} | {c.source}")
        rows.append(f"{'':12} | {c.reason}")
    return "\n".join(rows)


def evidence(
    run: Facts | None = None,
    *,
    link: RunLink | None = None,
    context: ClaimContext = NOTHING,
    **script: Any,
) -> Evidence:
    """SETTINGS (with `script` changed) compared with `run`, by default one that backs them."""
    return compare(plan(**script), NAME, run or facts(), link=link, context=context)


def gpu(name: str, gib: float | None) -> GpuInfo:
    """A GPU of the host."""
    return GpuInfo(name=name, memory_bytes=None if gib is None else round(gib * 2**30))
