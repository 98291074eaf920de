"""The launch that a run's recorded configuration stands for: what differs from the defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.secret_values import is_secret
from bot.contribute.words import option, override, torchrun, trl_words
from bot.evidence.facts import Facts
from bot.evidence.json_values import whole
from bot.evidence.trl_runs import PROCESSES
from bot.evidence.values import leaves
from bot.frameworks.hydra import tree as trees
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import entry_root, find_release, release, releases
from bot.frameworks.settings.setting import Setting
from bot.frameworks.tables import table
from bot.report import JsonValue
from bot.script.name import hub_model

_ENGINE: Final = "model_engine"
_TRAINING_ARGUMENTS: Final = frozenset({"per_device_train_batch_size", "output_dir"})
"""What every trainer of transformers logs, TRL's included: its `TrainingArguments`, to which
`WandbCallback` adds the model's config (transformers/integrations/integration_utils.py)."""
_UNDER_TORCHRUN: Final = frozenset({"verl.trainer.fsdp_sft_trainer", "verl.trainer.sft_trainer"})
"""Modules of verl that take ranks from their environment (`initialize_global_process_group` in
verl/utils/distributed.py, 0.2 to 0.9.1), whatever `trainer.n_gpus_per_node` says."""
_SET_BY_THE_TRAINER: Final = ("total_training_steps",)
"""Settings of an optimizer that verl's trainer fills in before it logs the configuration:
`RayPPOTrainer._create_dataloader` in verl/trainer/ppo/ray_trainer.py."""

_RANK: Final = "local_rank"
"""An option that DeepSpeed's launcher gives each process, before those that a script writes, so
that a written one would put all of them on one GPU (deepspeed/launcher/launch.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLaunch:
    """What would start the run again."""

    framework: str
    release: str
    module: str
    words: tuple[str, ...]
    """Arguments of the module, each one word of a command."""
    launcher: str | None = None
    """What starts the module where that is not the framework's own way, in words of bash."""
    known_release: bool
    """Whether the run recorded the release. Else it is the one that fits its settings best; the
    newest that has them, where they are those that a script gives."""

    @property
    def under_deepspeed(self) -> bool:
        """Whether it is one of OpenRLHF's programs that Ray does not start."""
        return self.framework == "openrlhf" and not self.module.endswith("_ray")


def recorded_launch(
    facts: Facts, asked: Mapping[str, str], launcher: str | None = None
) -> RecordedLaunch:
    """The launch of a run that logged its whole configuration.

    `asked` is framework to release, from the command line; before the release that the run's list
    of packages has. `launcher` starts what Ray does not, of which no run says it. Raises UserError
    when the run has no configuration, or that of no framework whose launches can be written.
    """
    if not facts.config:
        raise UserError(
            "The run recorded no settings, so its script cannot be written; name the one that "
            "it ran with --script."
        )
    processes = whole(facts.config.get(PROCESSES), least=1)
    facts = replace(facts, config=_of_the_hub(_nested(facts.config)))
    every = [*_verl(facts, asked)] or [*_openrlhf(facts, asked)]
    if not every and facts.config.keys() >= _TRAINING_ARGUMENTS:
        return _trl(facts, asked, launcher)
    if not every:
        raise UserError(
            "The settings of the run are not those of verl or OpenRLHF, so its script cannot "
            "be written; name the one that it ran with --script."
        )
    # Fewest settings that the release does not have, then fewest parts that the run does not have,
    # then the shortest launch, then the newest release; where the run has no more than what a
    # script sets, the newest release before its parts, as such scripts are read.
    found = min(every, key=lambda found: found[0])[1]
    if found.module in _UNDER_TORCHRUN:
        return replace(found, launcher=launcher or torchrun(processes))
    if launcher is not None and not found.under_deepspeed:
        raise UserError(
            "--launcher is for runs that Ray does not start; this one says itself how it was "
            "started."
        )
    return replace(found, launcher=launcher)


def _of_the_hub(value: Any) -> Any:
    """With the model's own name in the place of its folder in somebody's cache of the hub."""
    if isinstance(value, dict):
        return {key: _of_the_hub(each) for key, each in value.items()}
    return (hub_model(value) or value) if isinstance(value, str) else value


def _trl(facts: Facts, asked: Mapping[str, str], launcher: str | None) -> RecordedLaunch:
    module, words, start = trl_words(facts, launcher)
    candidates, is_known = _releases("trl", facts, asked)
    known = {version: _destinations(version, module) for version in reversed(candidates)}
    every = frozenset(facts.config) & frozenset().union(*known.values())
    fitting = [version for version, names in known.items() if names]
    if not fitting:
        raise UserError(
            "TRL {release} has no {module}, which the run started; name the script that it ran "
            "with --script.",
            release=candidates[-1],
            module=module,
        )
    # Of its settings, the fewest that the release does not have, or that the run does not have.
    version = min(fitting, key=lambda each: len(known[each] ^ every))
    return RecordedLaunch(
        framework="trl",
        release=version,
        module=module,
        words=tuple(map(_of_the_hub, words)),
        launcher=start,
        known_release=is_known,
    )


def _destinations(version: str, module: str) -> frozenset[str]:
    """The settings that a module of TRL's takes in a release; none where it is not there."""
    root = entry_root("trl", version, module)
    keys = table("trl", version, root) if root is not None else None
    if not isinstance(keys, OptionTable):
        return frozenset()
    return frozenset(map(keys.destination, keys))


def _nested(config: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Settings by dotted keys, as a manifest and MLflow hold them, as mappings."""
    found: dict[str, JsonValue] = {}
    for key, value in config.items():
        if key == PROCESSES:
            continue  # The launcher's, which a manifest notes.
        at = found
        *above, last = key.split(".")
        for name in above:
            below = at.setdefault(name, {})
            if not isinstance(below, dict):
                break
            at = below
        else:
            at[last] = value
    return found


_Found: TypeAlias = tuple[tuple[int, int, int, int], RecordedLaunch]


def _verl(facts: Facts, asked: Mapping[str, str]) -> Iterator[_Found]:
    if not isinstance(facts.config.get("trainer"), dict):
        return
    candidates, known = _releases("verl", facts, asked)
    for age, version in enumerate(reversed(candidates)):
        for root, start in _starts(version, facts.program):
            keys = table("verl", version, root)
            if not isinstance(keys, HydraTable) or "trainer" not in keys.tree:
                continue
            for chosen in _engines(keys):
                settings = _different(keys, facts.config, chosen)
                odd = sum(setting.operator == "+" for setting in settings)
                absent = len(keys.tree.keys() - facts.config.keys())
                launch = RecordedLaunch(
                    framework="verl",
                    release=version,
                    module=start[0],
                    words=(*start[1:], *(setting.word.text for setting in settings)),
                    known_release=known,
                )
                fit = (absent, len(launch.words))
                yield (odd, age, *fit) if _of_script(facts) else (odd, *fit, age), launch


def _starts(version: str, program: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The root configurations of a release, with the module and the flags that start each."""
    data = release("verl", version)
    modules: dict[str, str] = {}
    for module, root in sorted(data["entries"].items(), key=lambda entry: len(entry[0])):
        path = f"{module.replace('.', '/')}.py"
        if root not in modules or (program and program.endswith((path, f"-m {module}"))):
            modules[root] = module
    for root in data["roots"]:
        if root in modules:
            yield root, (modules[root],)
        elif own := modules.get(root.replace("_megatron", "")):
            yield root, (own, "--config-path=config", f"--config-name={root}.yaml")


def _releases(framework: str, facts: Facts, asked: Mapping[str, str]) -> tuple[Sequence[str], bool]:
    """The releases that the run may have had, oldest first, and whether that is known."""
    recorded = facts.requirements.get(framework), facts.script_release
    for stated in (asked.get(framework), *recorded):
        if stated and (found := find_release(framework, stated)):
            return (found,), True
    return releases(framework), False


def _of_script(facts: Facts) -> bool:
    """Whether the settings are those that a script gives, and not all of the framework's."""
    return "arguments" in facts.printed


def _engines(keys: HydraTable) -> Iterator[tuple[Setting, ...]]:
    """The default engine, and each other one that verl names as a whole since 0.7."""
    yield ()
    default = keys.choices.get(_ENGINE)
    for option_ in keys.groups.get(_ENGINE, ()) if default else ():
        if option_ != default:
            yield (override(_ENGINE, option_),)


def _different(
    keys: HydraTable, config: Mapping[str, JsonValue], chosen: tuple[Setting, ...]
) -> tuple[Setting, ...]:
    """The overrides that make the configuration of the launch that of the run."""
    tree = keys.tree_for(chosen)
    plain, referring = list(chosen), []
    for path, value in _leaves(config, tree, ()):
        key = ".".join(path)
        default = trees.lookup(tree, key)
        if _is_default(default, value) or path[-1] in _SET_BY_THE_TRAINER:
            continue
        if is_secret(key, str(value)):
            continue
        if default is trees.ABSENT:
            if value is not None:
                plain.append(override(key, value, "+"))
        elif trees.is_reference(default):
            referring.append((key, path, value, default))
        else:
            plain.append(override(key, value))
    # Most references follow what is set; only the others need to be written.
    composed = keys.composed(plain)
    for key, path, value, default in referring:
        if not _is_default(trees.resolve(composed, default, path), value):
            plain.append(override(key, value))
    return tuple(plain)


def _leaves(
    config: Mapping[str, JsonValue], tree: Any, above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """The settings of a configuration, in its order, with the path of each."""
    for name, value in config.items():
        path = (*above, str(name))
        below = tree.get(name, {})
        if isinstance(value, dict) and isinstance(below, dict):
            yield from _leaves(value, below, path)
        else:
            yield path, value


def _is_default(default: Any, value: JsonValue) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return default is value
    if isinstance(default, (int, float)) and isinstance(value, (int, float)):
        return float(default) == float(value)
    return bool(default == value)


def _openrlhf(facts: Facts, asked: Mapping[str, str]) -> Iterator[_Found]:
    flat = dict(leaves(facts.config))
    candidates, known = _releases("openrlhf", facts, asked)
    for age, version in enumerate(reversed(candidates)):
        for module in release("openrlhf", version)["entries"]:
            keys = table("openrlhf", version, module)
            if not isinstance(keys, OptionTable):
                continue
            names = {keys.destination(name): name for name in keys}
            missing = len(flat.keys() - names.keys())
            if not _of_script(facts):
                missing += len(names.keys() - flat.keys())
            if 2 * missing > (len(flat) if _of_script(facts) else len(names)):
                continue
            words: list[str] = []
            for destination, name in names.items():
                key = keys.get(name)
                if key is not None and destination in flat and not name.endswith(_RANK):
                    switch = key.type == "bool" and not keys.switches_to(name)
                    value = flat[destination]
                    # OpenRLHF's option for W&B takes a key, or what says that there is one.
                    value = "True" if is_secret(name, str(value)) else value
                    words += option(name, value, key, off=switch)
            launch = RecordedLaunch(
                framework="openrlhf",
                release=version,
                module=module,
                words=tuple(words),
                known_release=known,
            )
            # Of the programs that have all that a script gives, the one with the fewest options.
            fit = (age, len(names)) if _of_script(facts) else (len(words), age)
            yield (missing, 0, *fit), launch
