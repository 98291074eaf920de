"""From a plan to an estimate: the model's shape, the device, the workload, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.base.device_words import is_maker, named, vendor_of
from bot.base.devices import Device, by_token, devices
from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration, message, plural_message, sentence_of
from bot.frameworks.launchers.processes import without_launcher
from bot.frameworks.plan import Plan, nothing
from bot.frameworks.verl.verl import Verl
from bot.memory.components.attention import without_bf16
from bot.memory.components.logit_bytes import with_free
from bot.memory.estimate import MemoryEstimate
from bot.memory.estimator import estimate_workload
from bot.memory.readers.divisibility import check_sizes
from bot.memory.readers.images import seeing, with_images
from bot.memory.readers.lengths import Measured
from bot.memory.readers.settings import MemorySettings, NoEstimateError, counted
from bot.memory.readers.trl.placement import cards, laid_out, one_on_each
from bot.memory.readers.trl.unsloth import plain_name
from bot.memory.readers.unread import unread_settings
from bot.memory.readers.verl.easyr1 import EasyR1Settings, is_easyr1
from bot.memory.shapes.hub_numbers import NotReadError
from bot.memory.shapes.models import FindModel, Model, find, from_config, guess, not_known
from bot.memory.workload import PassName, Workload

ReadFile = Callable[[str], bytes | None]
"""The bytes of a file of the script's tree, None when there is none."""


_ON_HUB: Final = "its config.json on the Hugging Face Hub"
_TYPES: Final = ("dtype", "torch_dtype", "attn_implementation")
"""How a model is loaded, which most programs leave to the options."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's shape is looked for."""

    read: ReadFile | None = None
    """The files of the script's tree."""
    otherwise: str | None = None
    """The known model that one is taken for whose shape nothing says."""
    hub: ReadFile | None = None
    """The files of models that are not known, as the Hub has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEstimate:
    """An estimate with the workload and the model that it is of."""

    workload: Workload
    estimate: MemoryEstimate
    model: Model
    read: frozenset[str] = frozenset()
    """The settings that it was asked of, whether the launch has them or not."""


def device_named(token: str | None) -> Device:
    """The device that a token or a reported name means; raises NoEstimateError otherwise.

    A token that means cards of several sizes is refused, unless all but one are of another token
    (`h20` is the 96 GB card, `h20-141` the other).
    """
    if not token:
        raise NoEstimateError(
            "The device is not known: the script's name holds none. Name it with --device h100."
        )
    cards = by_token(token) or named(token)
    if not cards and is_maker(token):
        raise NoEstimateError(
            "{token} says whose card it is, and not which: name it with --device, such as {card}.",
            token=token,
            card=enumeration(_cards_of(token)),
        )
    if not cards:
        raise NoEstimateError(
            "The memory of a {token} is not known; rlbot recommend --list devices names those that "
            "are.",
            token=token,
        )
    exact = [device for device in cards if device.token == token.lower()] or list(cards)
    whole = [device for device in exact if token.lower() in device.name_tokens]
    sizes = {device.memory_bytes for device in whole or exact}
    if len(sizes) > 1:
        gib = ", ".join(f"{size / 2**30:.0f}" for size in sorted(sizes))
        raise NoEstimateError(
            "{token} may be a card of {gib} GiB; name it exactly.", token=token, gib=gib
        )
    return (whole or exact)[0]


def _cards_of(maker: str) -> list[str]:
    """Three cards of the maker that a word names."""
    vendor = vendor_of(maker)
    return list(dict.fromkeys(one.token for one in devices() if one.vendor is vendor))[:3]


class UnknownModelError(NoEstimateError):
    """Nothing says what shape the model of a path has."""

    def __init__(self, path: str) -> None:
        super().__init__(not_known(path))
        self.path = path


class _ConfigError(NoEstimateError):
    """A model's config.json says what it is, and that is not known: no name can say more."""


def find_model(path: str, files: ReadFile | None = None) -> Model:
    """The model that a path means: its config.json in the tree first, then its name.

    Raises NoEstimateError when its shape is not known.
    """
    model = (_by_config(path, files) if files is not None else None) or find(path)
    if model is None:
        raise UnknownModelError(path)
    return model


def _by_config(path: str, files: ReadFile) -> Model | None:
    """By its config.json; None without one, and raises NoEstimateError for one of another kind."""
    data = files(f"{path.rstrip('/')}/config.json") if "${?" not in path else None
    if data is None:
        return None
    try:
        return from_config(path, data)
    except NotReadError as error:
        raise _ConfigError(
            "The config.json of {path} cannot be used: {error}.",
            path=path,
            error=sentence_of(error),
        ) from None


class _Models:
    """The models of a launch, and which of them were taken for the one that their name holds."""

    def __init__(self, files: ReadFile | ModelFiles | None) -> None:
        self.files = files.read if isinstance(files, ModelFiles) else files
        self._otherwise = files.otherwise if isinstance(files, ModelFiles) else None
        self._hub = files.hub if isinstance(files, ModelFiles) else None
        self._found: dict[str, Model] = {}
        self.guessed: list[str] = []

    def __call__(self, path: str) -> Model:
        if path not in self._found:
            self._found[path] = self._look_for(path)
        return self._found[path]

    def _look_for(self, path: str) -> Model:
        try:
            return find_model(path, self.files)
        except NoEstimateError as error:
            # A configuration says what the model is: its name says no more.
            named = None if isinstance(error, _ConfigError) else guess(path)
            if isinstance(error, UnknownModelError) and self._hub is not None:
                left = (NoEstimateError,) if named is not None else ()
                with suppress(*left):
                    if (there := _by_config(path, self._hub)) is not None:
                        return replace(there, source=_ON_HUB)
            model = named or (find(self._otherwise) if self._otherwise else None)
            if model is None:
                raise
            self.guessed.append(message("{path} taken for {model}", path=path, model=model.name))
            return model


def workload_of(
    plan: Plan,
    *,
    run: Measured | None = None,
    files: ReadFile | ModelFiles | None = None,
    gpus: int | None = None,
) -> Workload:
    """What a plan loads onto its GPUs; raises NoEstimateError with a sentence.

    `gpus` counts where the plan itself leaves them to the launcher.
    """
    return _read(plan, _Models(files), run, gpus)[0]


def _refuse_what_cannot_start(plan: Plan) -> None:
    # A setting would be taken from the defaults: another model, other batches.
    words = [one.word.text for one in plan.bad_arguments] if plan.framework == "verl" else []
    for text in (word for word in words if "=" in word):
        raise NoEstimateError(
            "The setting {text} cannot be read, so that the launch cannot start.", text=text
        )
    problem = plan.configuration.problem
    if problem is not None and problem.folder:
        raise NoEstimateError(
            "Hydra does not find the launch's configuration: write --config-path {folder}.",
            folder=problem.suggestion,
        )


def _read(
    plan: Plan, models: _Models, run: Measured | None, gpus: int | None
) -> tuple[Workload, str, frozenset[str]]:
    """The workload, the path of the trained model ("" where none is named), and what was read."""
    _refuse_what_cannot_start(plan)
    if plan.made:
        plan = replace(plan, settings=(*plan.settings, *plan.made))
    laid = cards(plan, gpus)
    if laid > 1:
        plan, gpus = replace(plan, gpus=nothing(), gpus_per_node=nothing()), 1
    usual = Verl().as_own_trainer(plan) if plan.framework == "verl" else None
    get = EasyR1Settings(plan) if is_easyr1(plan) else MemorySettings(usual or plan)
    get.files = models.files
    get.asked |= plan.made_by
    recipe = plan.launch.command.implied and plan.launch.command.written is None
    alone = without_launcher(plan)
    if alone and gpus is None and plan.gpus.value is None:
        gpus = 1
        models.guessed.append(message("one GPU, since no launcher starts more processes"))
    if plan.framework != "verl":  # Its reader knows where a batch of 0 is in use.
        counted(plan.train_batch_size)
        counted(plan.rollout_n)
    workload = _with_images(get, models, run, gpus)
    if laid > 1:
        workload = laid_out(workload, plan, laid)
        models.guessed.append(message("the layers of the model over {count} GPUs", count=laid))
    roles = {role.name for pool in workload.pools for role in pool.roles}
    unread = unread_settings(get.plan, get.asked, roles)
    if plan.framework == "trl" and recipe and plan.train.value is None:
        # A recipe alone: accelerate's file, which may have ZeRO or FSDP, is given beside it.
        models.guessed.append(message("a launcher that divides nothing"))
    elif alone and (plan.gpus.value or gpus or 1) > 1:
        models.guessed.append(one_on_each(plan))
    guessed = tuple(dict.fromkeys((*models.guessed, *get.guessed)))
    workload = replace(
        workload,
        unread=unread,
        guessed=guessed,
        in_program=plan.launch.command.written is not None,
        usual=usual is not None or bool(plan.own_trainer),
        single=frozenset(_single(get)),
        assumptions=(*workload.assumptions, *guessed, *_taken(plan, usual, unread)),
    )
    path = plain_name((plan if usual is not None else get.plan).model.value) or ""
    return workload, path, frozenset(get.asked)


def _with_images(
    get: MemorySettings, models: _Models, run: Measured | None, gpus: int | None
) -> Workload:
    """The workload with the images of its data; those of `run` count where a model reads them."""
    workload = check_sizes(read_workload(get, models, run, gpus))
    if run is None or not run.image_mean or seeing(workload):
        return with_images(workload, get, run)
    workload = check_sizes(read_workload(get, models, replace(run, image_mean=None), gpus))
    unseen = message("no images, which the model does not read")
    return replace(workload, assumptions=(*workload.assumptions, unseen))


def _taken(plan: Plan, usual: Plan | None, unread: Sequence[str]) -> Iterator[str]:
    """What is taken for granted of a program, and what is not counted, a clause for each."""
    if usual is not None:
        yield message(
            "the defaults of verl's own trainer, since the configuration of {entry} is not known",
            entry=plan.launch.entry,
        )
    if any(setting.key not in _TYPES for setting in plan.made):
        yield message("the model as the program makes it, whatever is set")
    if plan.written is not None and plan.written.unfollowed:
        yield message(
            "the model as TRL loads it, since the program's is not followed beyond `{part}`",
            part=plan.written.unfollowed,
        )
    if plan.own_trainer:
        yield message("TRL's trainer for {name} of this repository", name=plan.own_trainer)
    if unread:
        yield message("not counted: {settings}", settings=", ".join(unread))


def _single(get: MemorySettings) -> Iterator[PassName]:
    """The passes that no smaller batch makes smaller."""
    dynamic = get.on(
        False,
        "actor_rollout_ref.actor.use_dynamic_bsz",
        "data.use_dynamic_bsz",
        "train.dynamic_batch_enable",
        "use_dynamic_batch",
    )
    packs = dynamic or get.plan.framework == "open-instruct"
    if get.plan.micro_batch_size_per_gpu.value == 1 and not packs:
        yield "update"
    if get.whole("per_device_eval_batch_size") == 1:
        yield "evaluation"


def read_workload(
    get: MemorySettings, model: FindModel, run: Measured | None, gpus: int | None
) -> Workload:
    """What a plan loads, by the reader of its framework; `get` notes the settings it asks for.

    Raises NoEstimateError with a sentence.
    """
    framework = get.plan.framework
    if framework == "verl" and get.plan.algorithm.value == "sft":
        from bot.memory.readers.verl import sft

        return sft.read(get, model, run, gpus)
    if framework == "verl":
        from bot.memory.readers.verl import ppo

        return ppo.read(get, model, run, gpus)
    if framework == "openrlhf":
        from bot.memory.readers import openrlhf

        return openrlhf.read(get, model, run, gpus)
    if framework in ("trl", "open-instruct"):
        from bot.memory.readers.trl import trainers

        return trainers.read(get, model, run, gpus)
    raise NoEstimateError("{framework} is not modelled.", framework=framework)


def _without_bf16(workload: Workload, card: Device) -> Workload:
    """The workload on a card that computes in bf16 by other means, or not at all."""
    pools = tuple(
        replace(pool, roles=tuple(map(without_bf16, pool.roles))) for pool in workload.pools
    )
    if pools != workload.pools:
        other = message("scores of attention whole, as the {card} has no bf16", card=card.label)
    elif workload.framework != "trl":
        other = message(
            "fp16 or fp32 in the place of bf16, which the {card} has not", card=card.label
        )
    else:
        return workload
    return replace(workload, pools=pools, assumptions=(*workload.assumptions, other))


def estimate_plan(
    plan: Plan,
    device: Device | str | None,
    *,
    run: Measured | None = None,
    files: ReadFile | ModelFiles | None = None,
    gpus: int | None = None,
) -> PlanEstimate:
    """The estimate of a plan on a device (or on the one that a token names).

    Raises NoEstimateError with a sentence that names what is missing or contradictory, and where
    the estimate is too high for the device beside a setting that may lower it and is not modelled.
    """
    card = device if isinstance(device, Device) else device_named(device)
    if isinstance(files, ModelFiles) and files.otherwise and plan.model.value is None:
        plan = replace(plan, model=replace(plan.model, value=files.otherwise))
    models = _Models(files)
    workload, path, read = _read(plan, models, run, gpus)
    if not card.has_bf16:
        workload = _without_bf16(workload, card)
    workload = with_free(workload, card)
    estimate = estimate_workload(workload, card)
    too_much = estimate.outcome in ("impossible", "likely OOM")
    if workload.unread and too_much and (short := estimate.decisive_shortage) is not None:
        raise NoEstimateError(
            plural_message(
                "{settings} may change what the engine takes and is not modelled. Without it the "
                "engine's share of {share} would be too little.",
                "{settings} may change what the engine takes and are not modelled. Without them "
                "the engine's share of {share} would be too little.",
                len(workload.unread),
                settings=", ".join(workload.unread),
                share=str(short.share),
            )
        )
    if workload.unread and too_much:
        raise NoEstimateError(
            plural_message(
                "{settings} may lower the peak and is not modelled. Without it the peak would be "
                "{peak} of {usable}.",
                "{settings} may lower the peak and are not modelled. Without them the peak would "
                "be {peak} of {usable}.",
                len(workload.unread),
                settings=", ".join(workload.unread),
                peak=str(estimate.peak()),
                usable=str(estimate.usable),
            )
        )
    return PlanEstimate(
        workload=workload,
        estimate=estimate,
        model=models(path),
        read=read,
    )
