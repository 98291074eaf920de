"""TRL: the options of `HfArgumentParser` to a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from bot.base.regex import regex
from bot.frameworks.base import Explanation, Framework
from bot.frameworks.checkout import ScriptPlace
from bot.frameworks.command_line import Parsing, backend, chosen, explained, lora, times
from bot.frameworks.configuration import Configuration, Versions
from bot.frameworks.fields import AppliedSettings
from bot.frameworks.launchers.accelerate_file import with_file
from bot.frameworks.launchers.processes import processes
from bot.frameworks.plan import Field, Launch, Plan, nothing
from bot.frameworks.programs.program import OTHER_NAMES, TrlProgram
from bot.frameworks.programs.trainers import module_of
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import releases
from bot.frameworks.settings.setting import Setting
from bot.shell.source import Span
from bot.shell.words import Piece, Word

if TYPE_CHECKING:
    from bot.frameworks.trl.parsed import ModelMade

_SCRIPT = regex(r"(?:trl\.scripts|examples\.scripts(?:\.\w+)*)\.(\w+)\Z")
_EXAMPLE = regex(
    r"(?:(?:.{0,400}/)?(?:examples/scripts/(?:\w{1,80}/){0,20}?|trl/experimental/\w{1,80}/)"
    r"(\w{1,80})\.py"
    r"|trl\.examples\.scripts\.(?:\w{1,80}\.){0,20}?(\w{1,80})"
    r"|trl\.experimental\.(\w{1,80})\.\3)\Z"
)
"""By its path, or as `as_module` names one of a clone, `trl/examples/scripts/sft.py`.

Some stand beside what they start: trl/experimental/gold/gold.py.
"""
_ARGUMENT = regex(r"--\w{1,40}Trainer\.")
_SIGNS = ("--model_name_or_path", "--output_dir", "--dataset_name", "--config")
_CONFIG = Word((Piece("--config", Span(0, 0), literal=False),), Span(0, 0))
_NO_TRAINER = ("vllm_serve", "chat", "env", "utils")
"""Scripts that train nothing; those of forks add to the name: vllm_serve_base."""

_ALGORITHMS = {"ppo": "gae", "ppo_tldr": "gae", "reward": "rm", "reward_modeling": "rm"}
_EXAMPLES = {"online_dpo": "dpo_online", "online_dpo_vlm": "dpo_online", "ppo_tldr": "ppo"}
"""Examples with the options of another one."""
_LIKE_SCRIPTS = {
    **{f"{name}_vlm": name for name in ("sft", "dpo", "grpo", "rloo")},
    "mpo_vlm": "dpo",
    "gspo": "grpo",
    "gspo_vlm": "grpo",
    "sft_gpt_oss": "sft",
}
"""Examples whose trainer and model take the same classes as one of the package's scripts.

Not those of a script's own name, such as dpo.py: before 0.13 they took options of their own.
"""
GROUPED = ("grpo", "rloo")
"""Algorithms whose batches count completions, `num_generations` of each prompt."""
_ONLINE = ("grpo", "rloo", "gae", "online_dpo", "dpo_online", "nash_md", "xpo")


class Trl(Framework):
    """The scripts of TRL: `trl NAME`, its modules, and the examples of its repository.

    Programs of other repositories that take its arguments are found by their sources.
    """

    name = "trl"
    packages: Sequence[str] = ("trl",)

    def matches(self, entry: str, argv: Sequence[Word], /) -> bool:
        """A script of the package, or an example that is given options of TRL's."""
        if not releases(self.name):
            return False
        if _EXAMPLE.match(entry):
            return any(word.text.startswith(_SIGNS) for word in argv)
        found = _SCRIPT.match(entry)
        return found is not None and not found[1].startswith(_NO_TRAINER)

    def entry(self, entry: str) -> str:
        """An example's path as a module: examples/scripts/ppo/ppo.py is examples.scripts.ppo."""
        found = _EXAMPLE.match(entry)
        name = next(filter(None, found.groups()), "") if found else ""
        return f"examples.scripts.{_EXAMPLES.get(name, name)}" if name else entry

    def explain(self, launch: Launch, versions: Versions) -> Explanation:
        """The options of the launch and the table of its module."""
        place, given = versions.place, launch
        launch, arguments = _without_arguments(with_file(launch, place))
        program = place.checkout.trl_programs.find(launch.entry, place.path) if place else None
        if program is not None:
            launch = _with_option(launch, program)
        asked = launch.command.written.optional if launch.command.written is not None else ()
        found = _configuration(_without(launch, asked), program, versions)
        if launch.command.written is not None:
            launch = _named_as_in(_without(launch, _lacking(asked, found)), found)
        drops = program is not None and program.drops_rest
        model = partial(_model, place, program)
        fill = partial(_filled, program, model, arguments)
        lines = versions.lines if launch is given else None
        parsing = Parsing(elsewhere="config", drops_rest=drops, lines=lines)
        return replace(explained(launch, found, fill, parsing), arguments=arguments)


def _with_option(launch: Launch, program: TrlProgram) -> Launch:
    """A launch whose first word is the file of settings, as if `--config` named it."""
    at = len(launch.command.settings)
    settings, own = launch.argv[:at], launch.argv[at:]
    if not program.begins_with_file(own):
        return launch
    return replace(launch, argv=(*settings, _CONFIG, *own))


_Model: TypeAlias = "Callable[[Plan, AppliedSettings], ModelMade | None]"


def _model(
    place: ScriptPlace | None, program: TrlProgram | None, plan: Plan, values: AppliedSettings
) -> ModelMade | None:
    """The model that a program of the repository makes itself."""
    if place is None or program is None or not isinstance(plan.table, OptionTable):
        return None
    if not program.trainer:
        return None
    from bot.frameworks.trl.parsed import model_made

    sources = place.checkout.trl_programs.sources
    return model_made(program, sources, plan.launch, values, plan.table)


def _filled(
    program: TrlProgram | None,
    model: _Model,
    arguments: tuple[Setting, ...],
    plan: Plan,
    values: AppliedSettings,
) -> Plan:
    """The plan with what the launch intends to run.

    `train_batch_size` is the number of prompts a step: `per_device_train_batch_size` times
    `gradient_accumulation_steps` times the processes; for GRPO and RLOO, where the first counts
    completions, divided by `num_generations`. With a file of settings (`--config`) that was not
    read, what the command line leaves out is not known. What a step is of a trainer of the
    repository's own is not known either.
    """
    algorithm = algorithm_of(_module(plan.launch, program))
    own = program is not None and program.own_trainer
    per_node, nodes, gpus = processes(plan.launch, values)
    groups = algorithm in GROUPED
    generations = values.integer("num_generations", "rloo_k")
    written, made = plan.launch.command.written, model(plan, values)
    if made is not None:
        given = {one.key for one in plan.settings if one.given}
        settings = tuple(one for one in made.settings if one.key not in given)
        plan = replace(plan, made=settings, made_by=made.read, written=made.program)
        values = values.then(settings)
    elif written is not None:
        plan = replace(plan, written=written)
    each = values.integer("per_device_train_batch_size")
    steps = values.integer("gradient_accumulation_steps")
    none: Field[int] = nothing()
    return replace(
        plan,
        model=values.path("model_name_or_path", "sft_model_path"),
        algorithm=Field(algorithm),
        adapter=nothing() if _adapter_unknown(plan, program) else lora(values, "use_peft"),
        gpus_per_node=per_node,
        nodes=nodes,
        gpus=gpus,
        train=backend(plan.launch, values),
        infer=values.field("use_vllm", lambda on: "vllm" if on else "hf")
        if algorithm in _ONLINE
        else nothing(),
        train_batch_size=none
        if own
        else times(each, steps, gpus, by=(generations,) if groups else ()),
        micro_batch_size_per_gpu=each,
        rollout_n=generations if groups and not own else none,
        max_prompt_length=values.integer("max_prompt_length")
        if plan.table is None or plan.table.spells("max_prompt_length")
        else none,
        max_response_length=values.integer(
            "max_completion_length", "response_length", "max_new_tokens"
        )
        if algorithm in _ONLINE
        else none,
        loggers=values.first(("report_to",), reported),
        own_trainer=_own_trainer(plan, program),
        arguments=arguments,
    )


def _own_trainer(plan: Plan, program: TrlProgram | None) -> str:
    """The repository's class that trains in the place of TRL's; empty for none."""
    written = plan.launch.command.written or plan.written
    by_written = written.trains_with if written is not None else ""
    return (program.trains_with if program is not None else "") or by_written


def _adapter_unknown(plan: Plan, program: TrlProgram | None) -> bool:
    """Whether no option says which adapter a model has: that of a model that is not followed.

    unsloth loads the adapter of a folder as well, and trains that on.
    """
    written = plan.launch.command.written
    if written is not None:
        model = plan.last("model_name_or_path")
        if written.unfollowed and not plan.last("use_peft"):
            return True
        quantized = any(plan.last(name) for name in ("load_in_4bit", "load_in_8bit"))
        trained_on = written.unsloth is not None and quantized and not plan.last("use_peft")
        return model is None or (trained_on and not model.text.startswith("unsloth/"))
    known = plan.written is not None and not plan.written.unfollowed
    return not known and program is not None and program.own_adapter


def _lacking(names: Collection[str], configuration: Configuration) -> Collection[str]:
    """The names that a release has nothing for, also under another one that is not among them."""
    table, other = configuration.table, dict(OTHER_NAMES)
    if table is None:
        return ()
    return [
        one
        for one in names
        if one not in table and (other.get(one, one) not in table or other[one] in names)
    ]


def _without(launch: Launch, names: Collection[str]) -> Launch:
    """A launch without some of the settings that its program writes, and without their values."""
    options, settings, left = {f"--{name}" for name in names}, list[Word](), False
    for word in launch.command.settings if options else ():
        left = word.text in options or (left and not word.text.startswith("--"))
        settings += [] if left else [word]
    if not options:
        return launch
    own = launch.argv[len(launch.command.settings) :]
    command = replace(launch.command, settings=tuple(settings))
    return replace(launch, command=command, argv=(*settings, *own))


def _without_arguments(launch: Launch) -> tuple[Launch, tuple[Setting, ...]]:
    """A launch without what its program gives the trainer itself, and that: `Plan.arguments`."""
    words = [word for word in launch.command.settings if _ARGUMENT.match(word.text)]
    if not words:
        return launch, ()
    arguments = (
        Setting(word.text.removeprefix("--"), True, "", "", word, word.span, word.span)
        for word in words
    )
    return _without(launch, [word.text.removeprefix("--") for word in words]), tuple(arguments)


def _named_as_in(launch: Launch, configuration: Configuration) -> Launch:
    """What is no option of a program's own by the name that it has in a release.

    That is the type of weights, and of unsloth's the limit of samples.
    """
    table, program = configuration.table, launch.command.written
    names = OTHER_NAMES if program is not None and program.unsloth else OTHER_NAMES[:1]
    other = {
        f"--{one}": f"--{name}"
        for name, one in names
        if table is not None and one not in table and name in table
    }
    words = (
        replace(word, pieces=(replace(word.pieces[0], text=other[word.text]),))
        if word.text in other
        else word
        for word in launch.argv
    )
    return replace(launch, argv=tuple(words)) if other else launch


def _configuration(launch: Launch, program: TrlProgram | None, versions: Versions) -> Configuration:
    """The release that counts, with the options there of the module that is started.

    A recipe without a launch may be for a program with classes of the repository's.
    """
    place = versions.place if launch.command.implied else None
    own = place.checkout.own_arguments() if place else ()
    return chosen(
        Trl.name,
        replace(launch, entry=_module(launch, program)),
        versions,
        with_launcher=own if "trl" in launch.launcher else None,
        program=program,
    )


def _module(launch: Launch, program: TrlProgram | None) -> str:
    """The module whose options a program takes: its own, or that of the same classes."""
    if program is not None:
        return module_of(program.trainer)
    found = _SCRIPT.match(launch.entry)
    like = _LIKE_SCRIPTS.get(found[1]) if found else None
    return f"trl.scripts.{like}" if like else launch.entry


def algorithm_of(module: str) -> str:
    """What a module of TRL's scripts or examples trains with: grpo, sft, gae for PPO."""
    name = module.rsplit(".", 1)[-1]
    return _ALGORITHMS.get(name, name.split("_vlm")[0])


def reported(value: Any) -> tuple[str, ...] | None:
    """The trackers of `report_to`; "all" depends on what is installed."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return None if "all" in names else tuple(name for name in names if name != "none")
