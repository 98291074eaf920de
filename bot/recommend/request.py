"""What is to be trained, and one candidate for it: what `rlbot recommend` searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from bot.base.devices import Device
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration, mark, message, sentence_of
from bot.base.regex import regex
from bot.base.spelling import slip
from bot.memory.shapes.contexts import context_of
from bot.memory.shapes.hub_numbers import NotReadError
from bot.memory.shapes.models import Model, find, from_config, guess, near, not_known
from bot.recommend.hub import hub_path
from bot.recommend.model_names import model as model_named
from bot.script.name import naming_parts

FrameworkName: TypeAlias = Literal["verl", "openrlhf", "trl"]
Method: TypeAlias = Literal["full", "lora", "dora", "qlora"]

TASKS: Mapping[FrameworkName, tuple[str, ...]] = {
    "verl": ("grpo", "ppo", "rloo", "dapo", "gspo", "cispo", "remax", "reinforce-plus-plus", "sft"),
    "openrlhf": ("grpo", "ppo", "rloo", "sft", "dpo", "rm"),
    "trl": ("grpo", "rloo", "sft", "dpo", "rm"),
}
"""What the memory model and the newest release of each framework both know."""
TASK_ALIASES = {
    "gae": "ppo",
    "reward": "rm",
    "reinforce++": "reinforce-plus-plus",
    "reinforce_plus_plus": "reinforce-plus-plus",
}
ONLINE = frozenset({"grpo", "ppo", "rloo", "dapo", "gspo", "cispo", "remax", "reinforce-plus-plus"})
"""Tasks that generate responses."""
QUANTIZED = tuple(task for task in TASKS["trl"] if task not in ONLINE)
"""Tasks that scripts train with QLoRA."""
RESPONSES = 8
"""Responses a prompt where a group is compared (GRPO and its like); the others take one."""
_GROUPS = frozenset({"grpo", "rloo", "dapo", "gspo", "cispo"})
MOST_GPUS = 1024
NODE = 8
"""GPUs of a usual node."""
PROMPT, RESPONSE = 1024, 1024
"""Tokens where a question leaves them open."""
_PATH = regex(r"(?:\.{1,2}/)*[A-Za-z0-9][A-Za-z0-9._/-]*\Z|/[A-Za-z0-9._/-]+\Z")
_MOST_TOKENS = 10_000_000
_PPO_DORA = mark(
    "No script is made for PPO with DoRA: OpenRLHF and verl's FSDP have no DoRA, verl has it with "
    "Megatron alone, and TRL's PPO is experimental. Use --method lora, or --framework trl with "
    "--task grpo."
)
_VARIANTS = ("instruct", "thinking", "preview", "distill")
_TUNED = regex(r"-(?:instruct|chat|base|it|hf)(?=-|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The numbers of a request."""

    prompt: int
    """Tokens of the longest prompt; 0 where a task has samples alone."""
    response: int
    """Tokens of the longest response, or of the longest sample."""
    batch: int
    """Prompts, samples or pairs a step, over all GPUs."""
    rank: int = 32
    """Of an adapter."""
    images: int = 0
    """Tokens of a prompt (of a sample) that are of images."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Sizes):
    """What is to be trained; every field fits the others."""

    path: str
    """What a script loads: the hub's name of the model, or its folder."""
    model: Model
    task: str
    method: Method
    framework: FrameworkName
    config: bytes | None = None
    """The config.json in the folder `path`, where that says what the model is."""
    default_batch: int | None = None
    """Where the batch is open: what other GPUs than the question's take."""
    may_offload: bool = True
    """Whether something may wait on the host."""
    node: int = NODE
    """GPUs of a whole node."""

    @property
    def online(self) -> bool:
        """Whether responses are generated."""
        return self.task in ONLINE

    @property
    def context(self) -> int | None:
        """Tokens that the model was made for; None where that is not known."""
        context = context_of(self.path, any_owner=True) if self.config is None else None
        return context or self.model.shape.positions or None

    @property
    def responses(self) -> int:
        """Responses a prompt; 1 for samples."""
        return responses_of(self.task)

    @property
    def label(self) -> str:
        """The task as file names and the page write it: grpo-lora, whatever the base's type."""
        if self.method == "full":
            return self.task
        return f"{self.task}-{'lora' if self.method == 'qlora' else self.method}"

    @property
    def token(self) -> str:
        """The model as file names write it: qwen2.5-7b."""
        return _token(self.model.name)


def all_tasks() -> tuple[str, ...]:
    """Each task that a framework has."""
    return tuple(dict.fromkeys(task for tasks in TASKS.values() for task in tasks))


def responses_of(task: str) -> int:
    """Responses a prompt; 1 for samples."""
    return RESPONSES if task in _GROUPS else 1


@dataclass(frozen=True, slots=True)
class MegatronLayout:
    """How Megatron divides a model: its parallel sizes."""

    tensor: int = 1
    pipeline: int = 1
    expert: int = 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """One arrangement of a request: GPUs and the memory options that are on."""

    gpus: int
    options: frozenset[tuple[str, int]] = frozenset()
    """Option and its value, such as ("micro", 2); of one option the highest step counts."""
    share: float = 0.6
    """Of the GPU's memory for the engine."""
    layout: MegatronLayout | None = None
    """Megatron's; without one FSDP or DeepSpeed shards the model over all GPUs."""
    node: int = NODE
    """GPUs of a whole node."""

    @property
    def on(self) -> Mapping[str, int]:
        """Each option to its strongest value."""
        values: dict[str, int] = {}
        for name, value in self.options:
            strongest = min if name == "micro" else max
            values[name] = strongest(values[name], value) if name in values else value
        return MappingProxyType(values)

    def value(self, name: str, otherwise: int) -> int:
        """The strongest value of an option, else what applies without it."""
        return self.on.get(name, otherwise)

    @property
    def per_node(self) -> int:
        """GPUs of each node: those of a whole one, or an even share over the nodes (two of six)."""
        return self.gpus // self.nodes

    @property
    def nodes(self) -> int:
        """Nodes of at most so many GPUs as a whole one has."""
        return -(-self.gpus // self.node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """The hardware that is searched."""

    devices: tuple[Device, ...] = ()
    """Those that are named; without any, each usual device."""
    budget: int = 8
    """GPUs at most."""
    whole: bool = False
    """Whether the budget's own number of GPUs is listed too where it fits."""
    fewest: bool = False
    """Whether each device is listed with its fewest GPUs alone; so it is where none is named."""
    numbers: tuple[int, ...] = ()
    """GPUs of each device at most, where each has its own number."""

    def budget_of(self, device: Device) -> int:
        """GPUs of a device at most."""
        numbers = zip(self.devices, self.numbers, strict=False)
        return max((number for one, number in numbers if one == device), default=self.budget)

    @property
    def most(self) -> Mapping[str, int] | None:
        """Tokens of the devices that are named, and the GPUs of each at most; None without any."""
        return {one.token: self.budget_of(one) for one in self.devices} or None

    def __post_init__(self) -> None:
        """Raise UserError for a number of GPUs that is none."""
        check_gpus(self.budget)


def check_gpus(number: int) -> None:
    """Raise UserError for a number of GPUs that is not searched."""
    if not 1 <= number <= MOST_GPUS:
        raise UserError(
            "--budget-gpus is {budget}; a number from 1 to 1024 belongs there.", budget=number
        )


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model in a folder of one's own."""

    path: str
    config: bytes
    """Its config.json."""


def make_request(
    model: str | ModelFolder, *, task: str, method: str, framework: str, sizes: Sizes
) -> Request:
    """The request; raises UserError with a sentence for what is unknown or contradictory."""
    task = TASK_ALIASES.get(task.lower(), task.lower())
    chosen = next((name for name in TASKS if name == framework), None)
    if chosen is None:
        raise UserError(
            "{framework} is not known here: use one of {names}.",
            framework=framework,
            names=", ".join(TASKS),
        )
    if method == "dora" and task == "ppo":
        raise UserError(_PPO_DORA)
    if task not in TASKS[chosen]:
        able = [name for name, others in TASKS.items() if task in others]
        instead = (
            message("use --framework {name}", name=able[0])
            if able
            else message("use one of {names}", names=", ".join(all_tasks()))
        )
        raise UserError(
            "There is no prediction for {task} with {framework}; {instead}.",
            task=task,
            framework=framework,
            instead=instead,
        )
    check_method(method, chosen, task)
    for name, count, least in (
        ("prompt", sizes.prompt, 0 if task not in ONLINE else 1),
        ("response", sizes.response, 1),
        ("batch", sizes.batch, 1),
        ("rank", sizes.rank, 1),
        ("images", sizes.images, 0),
    ):
        if not least <= count <= _MOST_TOKENS:
            raise UserError(
                "The {name} is {count}; a number from {least} to {most} belongs there.",
                name=name,
                count=count,
                least=least,
                most=_MOST_TOKENS,
            )
    path = model.path if isinstance(model, ModelFolder) else model
    if not _PATH.match(path):
        raise UserError("The model is a hub name or a path of letters, digits and . _ - / alone.")
    config = model.config if isinstance(model, ModelFolder) else None
    if config is None and "/" not in path:
        path = model_named((path,)) or path
        _check_spelling(path)
    known_model = _model(path, config)
    if config is None:
        if "/" not in path and find(path) is not None:
            path = hub_path(path, known_model.name)
        known_model = _named_by_path(known_model, path)
    request = Request(
        path=path,
        model=known_model,
        task=task,
        method=method,  # type: ignore[arg-type]
        framework=chosen,
        config=config,
        **asdict(sizes),
    )
    _check_positions(request)
    return request


def _check_positions(request: Request) -> None:
    """Raise UserError for lengths beyond the positions that a model has learned one by one."""
    longest, total = request.context, request.prompt + request.response
    if request.model.shape.positions and longest is not None and total > longest:
        raise UserError(
            "{model} has {tokens} learned positions, and {total} tokens are asked for: shorten the "
            "lengths to that many together.",
            model=request.model.name,
            tokens=longest,
            total=total,
        )


def check_method(method: str, framework: FrameworkName, task: str) -> None:
    """Raise UserError for a method that the framework does not train the task with."""
    if method not in get_args(Method):
        raise UserError("{method} is no method: use full, lora, dora or qlora.", method=method)
    if method == "dora" and framework != "trl":
        raise UserError(
            "{framework} trains no DoRA on {backend}; use --framework trl, or --method lora.",
            framework=framework,
            backend="FSDP" if framework == "verl" else "DeepSpeed",
        )
    if method == "qlora" and framework != "trl":
        raise UserError(
            "{framework} trains no QLoRA with one of its settings; use --framework trl, or "
            "--method lora.",
            framework=framework,
        )
    if method == "qlora" and task in ONLINE:
        # `_iter_named_params` of trl/generation/vllm_generation.py hands over what is stored.
        raise UserError(
            "No script is made for {task} with QLoRA: TRL hands its engine the weights as they are "
            "stored, and vLLM cannot load those of four bits. Use --method lora, or one of "
            "{tasks}.",
            task=task,
            tasks=enumeration(QUANTIZED),
        )


def _check_spelling(name: str) -> None:
    """Raise UserError for a name whose word for a variant is misspelt: qwen2.5-7b-instuct."""
    parts = name.split("-") if find(name) is None else []
    for at, part in enumerate(parts):
        if meant := slip(part, _VARIANTS):
            near = "-".join([*parts[:at], meant, *parts[at + 1 :]])
            raise UserError(
                "The shape of the model {path} is not known; that of {near} is.",
                path=name,
                near=near,
            )


def _token(name: str) -> str:
    low = name.lower().replace("_", "-").replace(" ", "-").removeprefix("meta-")
    return _TUNED.sub("", low)


def _last(path: str) -> str:
    return "".join(naming_parts(path)[-1:])


def _named_by_path(model: Model, path: str) -> Model:
    """The model under the name of its path, where that is another one of the same shape."""
    last = _last(path)
    return model if _token(last) == _token(model.name) else replace(model, name=last)


def _model(path: str, config: bytes | None) -> Model:
    """The model of a path; raises UserError with a sentence when its shape is not known."""
    if config is not None:
        try:
            return from_config(_last(path), config)
        except NotReadError as error:
            raise UserError(
                "The config.json of {path} cannot be used: {error}.",
                path=path,
                error=sentence_of(error),
            ) from None
    known = find(path) or guess(path)
    if known is None and near(path) is not None:
        raise UserError(not_known(path))
    if known is None:
        raise UserError(
            "The shape of the model {model} is not known, so there is no prediction. Use the "
            "name it has on its hub, such as Qwen/Qwen2.5-7B-Instruct.",
            model=path,
        )
    return known
