"""verl: Hydra overrides to a plan."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bot.base.regex import regex
from bot.frameworks.base import Explanation, Framework
from bot.frameworks.configuration import Configuration, Versions
from bot.frameworks.fields import AppliedSettings, product, total
from bot.frameworks.files.config_files import SUFFIX
from bot.frameworks.files.named_files import text_of
from bot.frameworks.hydra import rules
from bot.frameworks.hydra import tree as trees
from bot.frameworks.hydra.environment import with_environment
from bot.frameworks.hydra.overrides import HydraLine, foreign_option, read_line
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.launchers.processes import launcher_number
from bot.frameworks.plan import Field, Launch, Plan, nothing
from bot.frameworks.python.structured import StructuredTable, yaml_settings
from bot.frameworks.settings.releases import entry_root, releases
from bot.frameworks.settings.setting import UNKNOWN
from bot.frameworks.tables import table
from bot.frameworks.verl.root import root_of
from bot.shell.words import Word

_TRAINER = regex(
    r"(?:(?:\w{1,80}\.){1,4}(?=verl\.trainer\.))?(?:verl|recipe|verl_recipe)\.(?:\w{1,80}\.){0,12}"
    r"(?!main_eval|main_gen)(?:main|main_\w{1,80}|\w{1,80}_main|async_main_\w{1,80}|\w{0,80}sft_\w{0,40}trainer\w{0,80})\Z"
)
_SUBCOMMAND = regex(r"[A-Za-z][\w-]{0,40}")
_PPO_SIGNS = ("actor_rollout_ref.", "+actor_rollout_ref.", "++actor_rollout_ref.")
_SFT_SIGN = "model.partial_pretrain="
_SIGNS = (*_PPO_SIGNS, _SFT_SIGN)
_STRATEGIES = ("actor_rollout_ref.actor.strategy", "engine.strategy", "model.strategy")
BESIDE_MEGATRON = ("fsdp", "fsdp2", "fsdp_turbo", "veomni")
"""Strategies under which Megatron's settings of an adapter do nothing."""
_ENTRIES = ("verl.trainer.main_ppo",)
_SFT_ENTRIES = ("verl.trainer.sft_trainer", "verl.trainer.fsdp_sft_trainer")
_OLD_SFT_ENTRIES = _SFT_ENTRIES[::-1]
_ENGINE_CHOICES = ("model_engine", "actor@actor_rollout_ref.actor", "engine")


class Verl(Framework):
    """verl and the trainers built on its configuration (recipes, scripts of other projects)."""

    name = "verl"
    packages: Sequence[str] = ("verl", "recipe", "verl_recipe")

    def matches(self, entry: str, argv: Sequence[Word], /) -> bool:
        """A trainer's module of verl or a recipe, or any program that is given verl's settings.

        Another with options before them is none of Hydra's: it may write them into a file.
        """
        texts = [word.text for word in argv]
        first = next((at for at, text in enumerate(texts) if text.startswith(_SIGNS)), None)
        given = first is not None and not any(map(foreign_option, texts[:first]))
        return given or bool(_TRAINER.match(entry))

    def explain(self, launch: Launch, versions: Versions) -> Explanation:
        """The overrides of the launch and the table of its root."""
        line = _line_of(launch)
        found = root_of(launch, line, versions)
        if isinstance(found.table, StructuredTable):
            line = HydraLine((*line.settings, *yaml_settings(line.bad)), flags=line.flags)
        elif not found.hydra:
            line = HydraLine((), flags=line.flags)
        elif found.table is None and _is_without_hydra(launch, versions):
            line = HydraLine((*line.settings, *yaml_settings(line.bad)), flags=line.flags)
        elif found.table is None:
            line = _without_subcommand(launch, line)
        plan = partial(self._plan, launch, line, found)
        return Explanation(found, line.settings, line.bad, plan)

    def as_own_trainer(self, plan: Plan) -> Plan | None:
        """The plan as if verl's own trainer of its release read the settings.

        For a program whose configuration is not known, since most build on that of verl. None
        where the configuration is known, or the release has none that could be meant.
        """
        version = plan.configuration.release
        if plan.table is not None or version not in releases(self.name):
            return None
        line = _without_subcommand(plan.launch, _line_of(plan.launch))
        named = line.flags.get("--config-name")
        entries: Sequence[str] = _ENTRIES
        if plan.algorithm.value == "sft":
            entries = _OLD_SFT_ENTRIES if "fsdp_sft" in plan.launch.entry else _SFT_ENTRIES
        megatron = plan.train.value == "megatron" and entries is _ENTRIES
        roots = (
            (named.value or "").removesuffix(SUFFIX) if named else "",
            "ppo_megatron_trainer" if megatron else "",
            *(entry_root(self.name, version, entry) for entry in entries),
        )
        tables = (table(self.name, version, root) for root in roots if root)
        known = next(filter(None, tables), None)
        if known is None:
            return None
        read_by = plan.configuration
        as_own = Configuration(version, read_by.source, read_by.reason, known)
        made = self._plan(plan.launch, line, as_own)
        # PPO, verl's default, would add a critic; programs of their own mostly have none.
        return replace(made, algorithm=plan.algorithm)

    def _plan(self, launch: Launch, line: HydraLine, read_by: Configuration) -> Plan:
        """What the launch intends to run.

        GPUs are the sum of the resource pools (trainer, separate rollout, reward model,
        distillation); supervised fine-tuning takes them from torchrun. The table is None for a
        configuration that lies outside the released package.
        """
        known = read_by.table
        hydra = known if isinstance(known, HydraTable) else None
        tree, taken = _applied(line, hydra)
        if launch.environment is not None:
            tree = with_environment(tree, launch.environment)
        values = AppliedSettings(line.settings, lambda key: _value(tree, key))
        sft = _fine_tunes(launch)
        gpus_per_node, nodes, gpus = _gpus(launch, values, sft)
        train = _train(values, line, sft)
        model = "model" if sft else "actor_rollout_ref.model"
        return Plan(
            launch=launch,
            framework=self.name,
            configuration=read_by,
            applied=tree if taken else None,
            settings=line.settings,
            bad_arguments=line.bad,
            model=values.path("model.path", "model.partial_pretrain")
            if sft
            else values.path("actor_rollout_ref.model.path"),
            algorithm=Field("sft") if sft else values.lower("algorithm.adv_estimator"),
            adapter=_adapter(values, tree, model, train.value),
            gpus_per_node=gpus_per_node,
            nodes=nodes,
            gpus=gpus,
            train=train,
            infer=nothing() if sft else values.lower("actor_rollout_ref.rollout.name"),
            train_batch_size=values.integer("data.train_batch_size"),
            mini_batch_size=nothing()
            if sft
            else values.integer("actor_rollout_ref.actor.ppo_mini_batch_size"),
            micro_batch_size_per_gpu=_rows(values, gpus) if sft else _micro_batch(values, gpus),
            rollout_n=nothing() if sft else values.integer("actor_rollout_ref.rollout.n"),
            max_prompt_length=nothing() if sft else values.integer("data.max_prompt_length"),
            max_response_length=nothing() if sft else values.integer("data.max_response_length"),
            loggers=values.first(["trainer.logger"], _loggers),
        )


_RECENT: deque[tuple[Launch, HydraLine]] = deque(maxlen=32)
"""Launches that were read last: one is read by several releases to see which explains it best.
Threads share it, so that it is looked through in a copy."""


def _line_of(launch: Launch) -> HydraLine:
    """The overrides of a launch, which do not depend on the release."""
    for known, line in tuple(_RECENT):
        if known is launch:
            return line
    line = read_line(launch.argv)
    _RECENT.append((launch, line))
    return line


def _fine_tunes(launch: Launch) -> bool:
    """Whether a program's name or its settings are those of supervised fine-tuning."""
    if "sft" in launch.entry.rsplit(".", 1)[-1]:
        return True
    texts = [word.text for word in launch.argv]
    signs = [sign for text in texts for sign in _SIGNS if text.startswith(sign)]
    return bool(signs) and all(sign == _SFT_SIGN for sign in signs)


def _is_without_hydra(launch: Launch, versions: Versions) -> bool:
    """Whether the repository's own program names neither Hydra nor verl, which has Hydra read it.

    One with `OmegaConf.from_cli()` takes any words.
    """
    place = versions.counting(Verl.name)
    if place is None or _TRAINER.match(launch.entry):
        return False
    module = place.checkout.module(launch.entry, place.path)
    source = text_of(place.checkout.files, module) if module is not None else ""
    return bool(source) and "hydra" not in source and "verl" not in source


def _without_subcommand(launch: Launch, line: HydraLine) -> HydraLine:
    """The overrides without a word that a program may take for itself: `cli train key=value`.

    Verl's own programs do not; of others it is not known where the configuration is not.
    """
    first = launch.argv[0] if launch.argv else None
    if first is None or _TRAINER.match(launch.entry) or not _SUBCOMMAND.fullmatch(first.text):
        return line
    return replace(line, bad=tuple(bad for bad in line.bad if bad.word is not first))


def _applied(line: HydraLine, known: HydraTable | None) -> tuple[trees.YamlTree, bool]:
    """The configuration with every setting in it, refused ones too: what the author means.

    With whether no setting had to be forced or left out but the choices of groups, so that it is
    the program's own too.
    """
    start = known.tree_for(line.settings) if known else {}
    groups = known.groups if known else {}
    others = (
        setting
        for setting in line.settings
        if "@" not in setting.key and (setting.key not in groups or isinstance(setting.value, dict))
    )
    tree, taken = rules.carried_out(start, others, refused=True)
    return tree, taken and known is not None


def _value(tree: trees.YamlTree, key: str) -> Any:
    try:
        found = trees.select(tree, key)
    except trees.CannotPutError:
        return None
    return None if found is trees.ABSENT or found == trees.MISSING else found


def _adapter(
    values: AppliedSettings, tree: trees.YamlTree, model: str, train: str | None
) -> Field[str]:
    """LoRA for a rank above 0 or an adapter to go on with; Megatron's type may be dora.

    `lora.rank` is Megatron's; FSDP's engines look at `lora_rank` alone (`_is_lora` of verl's
    `workers/engine/fsdp/transformer_impl.py`), so that all weights are trained with the former.
    """
    keys = (f"{model}.lora_rank", f"{model}.lora.rank")
    for key in keys[:1] if train in BESIDE_MEGATRON else keys:
        rank = values.integer(key)
        if values.value(key) is UNKNOWN:
            return Field(None, span=rank.span, key=key)
        if rank.value:
            kind = _value(tree, f"{model}.lora.type")
            dora = key.endswith(".lora.rank") and kind == "dora"
            return Field("dora" if dora else "lora", span=rank.span, key=key, default=rank.default)
    loaded = values.text(f"{model}.lora_adapter_path")
    if loaded or values.value(f"{model}.lora_adapter_path") is UNKNOWN:
        return Field("lora", span=loaded.span, key=loaded.key, default=loaded.default)
    off = values.integer(f"{model}.lora_rank")
    return Field("", span=off.span, key=off.key, default=off.span is None)


def _micro_batch(values: AppliedSettings, gpus: Field[int]) -> Field[int]:
    """Responses a GPU in one forward and backward pass.

    The deprecated global size is divided by the data-parallel ranks of FSDP, which is what verl's
    workers do: GPUs over the size of Ulysses sequence parallelism.
    """
    actor = "actor_rollout_ref.actor."
    each = values.integer(f"{actor}ppo_micro_batch_size_per_gpu")
    over_all = values.integer(f"{actor}ppo_micro_batch_size")
    fsdp = str(values.value(f"{actor}strategy")).startswith("fsdp")
    if each.span is not None or not over_all.value or not gpus.value or not fsdp:
        return each
    sequence = values.integer(f"{actor}ulysses_sequence_parallel_size").value or 1
    ranks = gpus.value // sequence
    share = over_all.value // ranks if ranks else 0
    return Field(share or None, span=over_all.span, key=over_all.key)


def _rows(values: AppliedSettings, gpus: Field[int]) -> Field[int]:
    """Samples a GPU in one pass of fine-tuning.

    verl 0.1 divides those of all GPUs (`_normalize_config_bsz` of `fsdp_sft_trainer.py`); since 0.2
    they are a GPU's, and the old setting does nothing.
    """
    each = values.integer("data.micro_batch_size_per_gpu")
    over_all = values.integer("data.micro_batch_size")
    if each.value is not None or not over_all.value or not gpus.value:
        return each
    return Field(over_all.value // gpus.value or None, span=over_all.span, key=over_all.key)


def _gpus(
    launch: Launch, values: AppliedSettings, sft: bool
) -> tuple[Field[int], Field[int], Field[int]]:
    """GPUs a node, nodes, and GPUs over all."""
    per_node, nodes = values.integer("trainer.n_gpus_per_node"), values.integer("trainer.nnodes")
    if sft:
        # What torchrun is given counts, also where only a run decides it. The setting is read by
        # `sft_trainer_ray.py` alone, which starts its processes itself.
        given = launcher_number(launch, "nproc_per_node", "num_gpus")
        if given is not None:
            per_node = given
        elif launch.entry in _SFT_ENTRIES:
            per_node = Field(None, key="nproc_per_node")
        given = launcher_number(launch, "nnodes", "num_nodes")
        nodes = nodes if given is None else given
        if nodes.value is None and nodes.span is None:
            nodes = Field(1)  # torchrun's own; 0.1 and 0.2 have no setting for it.
        return per_node, nodes, product(per_node, nodes)
    pools = [product(per_node, nodes)]
    for pool, switch in (
        ("rollout", None),
        ("actor_rollout_ref.rollout", None),
        ("reward.reward_model", "reward.reward_model.enable_resource_pool"),
        ("reward_model", "reward_model.enable_resource_pool"),
        ("distillation", "distillation.enabled"),
    ):
        # A pool of its own has nodes of its own; `rollout` is that of the asynchronous trainers.
        if switch and not values.on(switch):
            continue
        count = values.integer(f"{pool}.nnodes")
        if count.value == 0 or not count:
            continue
        if pool == "actor_rollout_ref.rollout" and len(pools) > 1:
            continue
        pools.append(product(values.integer(f"{pool}.n_gpus_per_node"), count))
    return per_node, nodes, total(*pools)


def _train(values: AppliedSettings, line: HydraLine, sft: bool) -> Field[str]:
    """The training backend: the strategy, or the choice of a configuration that decides it."""
    keys = _STRATEGIES[1:] if sft else _STRATEGIES[:1]
    found = values.lower(*keys)
    if found.span is not None:
        return found
    chosen = next((s for key in _ENGINE_CHOICES if (s := values.setting(key))), None)
    if chosen is not None:
        choice = str(chosen.value).removesuffix("_actor") if chosen.known else None
        # The default that is found is another choice's where this one is not of the release.
        value = found.value if choice in (None, "dp") else choice
        return Field(value if chosen.known else None, span=chosen.value_span, key=chosen.key)
    flag = line.flags.get("--config-name")
    if flag is not None and "megatron" in (flag.value or ""):
        return Field("megatron", span=flag.span, key="--config-name")
    return found


def _loggers(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None
