"""OpenRLHF: argparse options to a plan.

Each fact is looked for under the dotted name that the option has since 0.10.2 and under the flat
one that it had before (`--ds.zero_stage`, `--zero_stage`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.base.regex import regex
from bot.frameworks.base import Explanation, Framework
from bot.frameworks.command_line import Parsing, chosen, explained
from bot.frameworks.configuration import Configuration, Versions
from bot.frameworks.fields import AppliedSettings, product, total
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.launchers.processes import launcher_number
from bot.frameworks.plan import Field, Launch, Plan, nothing
from bot.frameworks.settings.setting import UNKNOWN
from bot.shell.words import Word

_TRAINER = regex(r"openrlhf\.cli\.train_\w+\Z")

_ALGORITHMS = {
    "group_norm": "grpo",
    "reinforce": "reinforce_plus_plus",
    "reinforce_baseline": "reinforce_plus_plus_baseline",
}
"""Estimators whose usual name differs; the README of OpenRLHF says which is which."""

MODEL_KEYS = ("actor.model_name_or_path", "model.model_name_or_path", "pretrain")
_LORA = ("ds.lora.rank", "lora_rank")


class OpenRLHF(Framework):
    """The trainers of `openrlhf.cli`."""

    name = "openrlhf"
    packages: Sequence[str] = ("openrlhf",)

    def matches(self, entry: str, _argv: Sequence[Word], /) -> bool:
        """A trainer's module of OpenRLHF."""
        return bool(_TRAINER.match(entry))

    def explain(self, launch: Launch, versions: Versions) -> Explanation:
        """The options of the launch and the table of its module."""
        found = _configuration(launch, versions)
        return explained(launch, found, _filled, Parsing(lines=versions.lines))


def _filled(plan: Plan, values: AppliedSettings) -> Plan:
    """The plan with what the launch intends to run.

    For reinforcement learning `train_batch_size` is the number of prompts a step
    (`--rollout.batch_size`) and `mini_batch_size` the global batch of one update
    (`--train.batch_size`); the other trainers have only the latter, which then is the
    `train_batch_size`. GPUs a node and nodes are those of the actor; `gpus` counts every role.
    """
    update = values.integer("train.batch_size", "train_batch_size")
    ray = plan.launch.entry.endswith("_ray")
    per_node, nodes, gpus = _ray(values) if ray else _deepspeed(plan.launch)
    plan = replace(
        plan,
        model=values.path(*MODEL_KEYS),
        adapter=values.first(_LORA, _lora),
        gpus_per_node=per_node,
        nodes=nodes,
        gpus=gpus,
        train=Field("deepspeed", default=True),
        micro_batch_size_per_gpu=values.integer("train.micro_batch_size", "micro_train_batch_size"),
        loggers=_loggers(values),
    )
    if "ppo" not in plan.launch.entry:
        algorithm = plan.launch.entry.rsplit("train_", 1)[-1]
        return replace(plan, algorithm=Field(algorithm), train_batch_size=update)
    longest = ("rollout.max_new_tokens", "max_new_tokens", "generate_max_len")
    return replace(
        plan,
        algorithm=values.first(("algo.advantage.estimator", "advantage_estimator"), _algorithm),
        infer=_infer(values),
        train_batch_size=values.integer("rollout.batch_size", "rollout_batch_size"),
        mini_batch_size=update,
        rollout_n=values.integer("rollout.n_samples_per_prompt", "n_samples_per_prompt"),
        max_prompt_length=values.integer("prompt_max_len"),
        max_response_length=values.integer(*longest),
    )


def _configuration(launch: Launch, versions: Versions) -> Configuration:
    """The release, or the vendored sources in its place, with the options of the module there."""
    place = versions.counting(OpenRLHF.name)
    sources = place.checkout.openrlhf.options(place.path) if place else None
    if sources is not None:
        return Configuration(sources.name, "tree", sources.name, sources.table(launch.entry))
    return chosen(OpenRLHF.name, launch, versions)


def _algorithm(value: object) -> str | None:
    return _ALGORITHMS.get(value.lower(), value.lower()) if isinstance(value, str) else None


def _lora(value: object) -> str | None:
    if not isinstance(value, int):
        return None
    return "lora" if value > 0 else ""


def _set(values: AppliedSettings, *keys: str) -> bool:
    """Whether one of the options has a value other than nothing, False or 0."""
    return any(bool(values.value(key)) or values.value(key) is UNKNOWN for key in keys)


def _role(values: AppliedSettings, role: str) -> tuple[Field[int], Field[int]]:
    nodes = values.integer(f"{role}.num_nodes", f"{role}_num_nodes")
    per_node = values.integer(f"{role}.num_gpus_per_node", f"{role}_num_gpus_per_node")
    return nodes, per_node


def _ray(values: AppliedSettings) -> tuple[Field[int], Field[int], Field[int]]:
    """GPUs a node and nodes of the actor, and GPUs of all roles.

    Follows `train()` of `openrlhf/cli/train_ppo_ray.py`: every role has GPUs of its own unless it
    is colocated; a reference model exists when the KL coefficient is positive, a critic for GAE
    alone, and a reward model unless rewards come from a URL or an agent.
    """
    nodes, per_node = _role(values, "actor")
    groups = [product(per_node, nodes)]
    everything = _set(values, "train.colocate_all", "colocate_all_models")
    asynchronous = _set(values, "train.async_enable", "async_train")
    if not everything:
        kl = values.first(("algo.kl.init_coef", "init_kl_coef"), _number)
        if (kl.value is None or kl.value > 0) and not _set(
            values, "train.colocate_actor_ref", "colocate_actor_ref"
        ):
            groups.append(product(*_role(values, "ref")))
        critic = values.lower("algo.advantage.estimator", "advantage_estimator").value == "gae"
        remote = _set(
            values, "reward.remote_url", "remote_rm_url", "train.agent_func_path", "agent_func_path"
        )
        if critic:
            groups.append(product(*_role(values, "critic")))
        shared = critic and _set(values, "train.colocate_critic_reward", "colocate_critic_reward")
        if not remote and not shared:
            groups.append(product(*_role(values, "reward")))
    if not everything or asynchronous:
        engines = values.integer("vllm.num_engines", "vllm_num_engines")
        if engines.value or engines.span is not None:
            parallel = values.integer("vllm.tensor_parallel_size", "vllm_tensor_parallel_size")
            groups.append(product(engines, parallel))
    return per_node, nodes, total(*groups)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _deepspeed(launch: Launch) -> tuple[Field[int], Field[int], Field[int]]:
    """GPUs of the `deepspeed` or `torchrun` launcher; unknown when it takes every GPU it finds."""
    include = launcher_option(launch, "include")
    if include is not None and include.value and ":" in include.value:
        # "localhost:0,1@worker-1:0,1": hosts between "@", their GPUs after ":".
        hosts = [host.partition(":")[2].split(",") for host in include.value.split("@")]
        every: Field[int] = Field(sum(map(len, hosts)), span=include.span, key="include")
        each: Field[int] = Field(len(hosts[0]), span=include.span, key="include")
        return each, Field(len(hosts), span=include.span, key="include"), every
    per_node = launcher_number(launch, "num_gpus", "nproc_per_node", "num_processes")
    per_node = nothing() if per_node is None else per_node
    nodes = launcher_number(launch, "num_nodes", "nnodes")
    nodes = Field(1, default=True) if nodes is None else nodes
    return per_node, nodes, product(per_node, nodes)


def _infer(values: AppliedSettings) -> Field[str]:
    """Vllm when there are engines; older releases generated with the actor itself otherwise."""
    engines = values.integer("vllm.num_engines", "vllm_num_engines")
    return Field("vllm" if engines.value else None, engines.span, engines.key, engines.default)


def _loggers(values: AppliedSettings) -> Field[tuple[str, ...]]:
    """Wandb and tensorboard, in this order, as far as the options switch them on."""
    named = {
        "wandb": ("logger.wandb.key", "use_wandb"),
        "tensorboard": ("logger.tensorboard_dir", "use_tensorboard"),
    }
    on = {name: keys for name, keys in named.items() if _set(values, *keys)}
    written = [s for keys in on.values() for key in keys if (s := values.setting(key))]
    span, key = (written[0].value_span, written[0].key) if written else (None, None)
    return Field(tuple(on), span=span, key=key, default=not on)
