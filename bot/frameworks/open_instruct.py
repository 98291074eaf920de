"""open-instruct: the options of its trainers to a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.base.messages import message
from bot.base.regex import regex
from bot.frameworks.base import Explanation, Framework
from bot.frameworks.command_line import Parsing, backend, chosen, explained, lora, times
from bot.frameworks.configuration import Configuration, Versions
from bot.frameworks.fields import AppliedSettings, product, total
from bot.frameworks.launchers.accelerate_file import with_file
from bot.frameworks.launchers.processes import processes
from bot.frameworks.plan import Field, Launch, Plan, nothing
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import releases
from bot.frameworks.settings.setting import UNKNOWN
from bot.shell.words import Word

_TRAINER = regex(r"open_instruct\.((?:grpo|ppo|dpo|finetune|reward_modeling|online_dpo)\w*)\Z")
_ALGORITHMS = {"finetune": "sft", "reward_modeling": "rm", "online_dpo": "online_dpo"}


class OpenInstruct(Framework):
    """The trainers in `open_instruct/` of its repository."""

    name = "open-instruct"
    packages: Sequence[str] = ("open_instruct",)

    def matches(self, entry: str, _argv: Sequence[Word], /) -> bool:
        """A trainer's module or script."""
        return bool(releases(self.name)) and bool(_TRAINER.match(entry))

    def explain(self, launch: Launch, versions: Versions) -> Explanation:
        """The options of the launch and the table of its module."""
        launch = with_file(launch, versions.place)
        found = _configuration(launch, versions)
        return explained(launch, found, _filled, Parsing(lines=versions.lines))


def _filled(plan: Plan, values: AppliedSettings) -> Plan:
    """The plan with what the launch intends to run.

    Reinforcement learning runs on Ray: learners of every node, and vLLM engines of their own
    unless `single_gpu_mode` puts them on the learner's GPU; the other trainers have one process
    a GPU. `train_batch_size` is the number of prompts a step.
    """
    name = plan.launch.entry.rsplit(".", 1)[-1]
    algorithm = _algorithm(name)
    rl = algorithm in ("grpo", "gae", "online_dpo")
    ray = rl and (name == "grpo" or name.endswith(("_fast", "_ray", "_gtrl", "ppo")))
    per_node, nodes, gpus = _ray(values) if ray else processes(plan.launch, values)
    each = values.integer("per_device_train_batch_size")
    stage = "deepspeed_stage"
    deepspeed = Field("deepspeed", key=stage, span=values.span(stage), default=True)
    plan = replace(
        plan,
        model=values.path("model_name_or_path"),
        algorithm=Field(algorithm),
        adapter=lora(values, "use_peft", "use_lora", "use_qlora"),
        gpus_per_node=per_node,
        nodes=nodes,
        gpus=gpus,
        train=deepspeed if ray else backend(plan.launch, values),
        micro_batch_size_per_gpu=each,
        loggers=values.field("with_tracking", lambda on: ("wandb",) if on else ()),
    )
    if not rl:
        steps = values.integer("gradient_accumulation_steps")
        return replace(plan, train_batch_size=times(each, steps, gpus))
    return replace(
        plan,
        infer=Field("vllm", default=True),
        train_batch_size=_prompts(values, per_node, nodes),
        rollout_n=values.integer("num_samples_per_prompt_rollout", "number_samples_per_prompt"),
        max_prompt_length=values.integer("max_prompt_token_length"),
        max_response_length=values.integer("response_length"),
    )


def _configuration(launch: Launch, versions: Versions) -> Configuration:
    """The release, or the repository's own program in its place, with its options."""
    place = versions.counting(OpenInstruct.name)
    programs = place.checkout.trl_programs if place else None
    program = programs.find(launch.entry, place.path, own=True) if place and programs else None
    if program is None:
        return chosen(OpenInstruct.name, launch, versions)
    name = message("{path} of this repository", path=program.path)
    data = {"framework": OpenInstruct.name, "version": name, "dashed": program.takes_file}
    table = OptionTable({**data, "roots": {launch.entry: program.options}}, launch.entry)
    return Configuration(name, "tree", name, table)


def _algorithm(name: str) -> str:
    if name.startswith("ppo"):
        return "gae"
    known = next((value for key, value in _ALGORITHMS.items() if name.startswith(key)), None)
    return known or name.split("_")[0]


def _ray(values: AppliedSettings) -> tuple[Field[int], Field[int], Field[int]]:
    """GPUs a node, nodes, and GPUs of learners and engines.

    `num_learners_per_node` (`actor_num_gpus_per_node` before) lists one number a node.
    """
    listed = values.first(("num_learners_per_node", "actor_num_gpus_per_node"), _numbers)
    counts = listed.value
    where = {"span": listed.span, "key": listed.key, "default": listed.default}
    if not counts:
        return nothing(), nothing(), Field(None, span=listed.span, key=listed.key)
    learners: Field[int] = Field(sum(counts), **where)  # type: ignore[arg-type]
    same = len(set(counts)) == 1
    per_node: Field[int] = Field(counts[0] if same else None, **where)  # type: ignore[arg-type]
    nodes: Field[int] = Field(len(counts), **where)  # type: ignore[arg-type]
    single = values.value("single_gpu_mode")
    if single is True:
        return per_node, nodes, learners
    if single is UNKNOWN:
        return per_node, nodes, Field(None, span=listed.span, key=listed.key)
    engines = product(
        values.integer("vllm_num_engines"), values.integer("vllm_tensor_parallel_size")
    )
    return per_node, nodes, total(learners, engines)


def _numbers(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
        return None
    return tuple(value)


def _prompts(values: AppliedSettings, per_node: Field[int], nodes: Field[int]) -> Field[int]:
    """Prompts a step; older trainers state them for each learner."""
    stated = values.integer("num_unique_prompts_rollout", "rollout_batch_size")
    if stated:
        return stated
    return times(values.integer("local_rollout_batch_size"), per_node, nodes)
