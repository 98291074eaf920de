"""What `rlbot recommend` answers: hardware and settings, published rows first, then predictions.

Plain dataclasses as in `bot.report`. The JSON form is `recommend-v1`, described by
`schemas/recommend-v1.schema.json`: fields may be added, none renamed. Of cards alone it is
`recommend-cards-v1`.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language
from bot.recommend.request import Method
from bot.report import ReportPart, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(ReportPart):
    """What was asked."""

    model: str
    """The model as its maker writes it."""
    task: str
    method: Method
    framework: str
    release: str
    """The release whose settings are meant."""
    prompt: int
    """Tokens of the longest prompt; 0 where a task has samples alone."""
    response: int
    """Tokens of the longest response, or of the longest sample."""
    images: int = 0
    """Of those of a prompt (of a sample), the ones that are of images."""
    batch: int
    """Prompts, samples or pairs a step, over all GPUs."""
    budget_gpus: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Switched(ReportPart):
    """A memory-saving setting that is switched on, in the order of what it costs in time."""

    setting: str
    why: str
    """What it saves, and what it costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow(ReportPart):
    """A row of the documentation page for this model and task."""

    __pydantic_config__: ClassVar[dict[str, object]] = {
        **ReportPart.__pydantic_config__,
        "title": "Published",
    }

    rank: int
    gpus: int
    device: str
    tag: str
    max_batch: str | None
    train: str
    infer: str
    link: str | None
    """Address of its script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearRow(ReportPart):
    """The published row that is nearest to a question that has none of its own."""

    model: str
    task: str
    gpus: int
    device: str
    tag: str
    max_batch: str | None
    train: str
    infer: str
    link: str | None
    differs: tuple[str, ...]
    """Which of model, task and device are not those of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted(ReportPart):
    """Hardware and settings that fit by the memory model; nobody has run them."""

    rank: int
    gpus: int
    device: str
    file_name: str
    """The script's name by the convention."""
    total_gib: float
    """Memory of all its GPUs together."""
    verdict: Literal["fits", "tight"]
    binding: str
    """The stage that takes the most."""
    peak_gib: float
    usable_gib: float
    margin_gib: float
    """Usable memory less the expected peak, on each GPU."""
    margin_percent: float
    """The margin as a share of the usable memory."""
    may_fit: bool = False
    """Whether the estimate's band crosses the card, or no margin is left: it may fit or not."""
    floor_gib: float | None = None
    """The estimate's floor at its fullest stage."""
    conservative_gib: float | None = None
    """The conservative estimate at its fullest stage."""
    host_gib: float
    """Memory of each host for what is offloaded."""
    options: tuple[Switched, ...]
    """Cheapest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss(ReportPart):
    """A device on which nothing fits within the budget, at its nearest."""

    device: str
    gpus: int
    budget_gpus: int | None = None
    """GPUs of the device that were asked about, at most."""
    stage: str
    needed_gib: float
    usable_gib: float
    components: dict[str, float]
    """What the stage is made of, GiB, the largest first."""
    engine_gib: float | None = None
    """What the engine's weights, one sequence and its work take, where its share is less."""
    share_gib: float | None = None
    """The engine's share of the card, where that is too little."""
    host_gib: float | None = None
    """Memory of each host for what waits there, where the hosts have less."""
    ram_gib: float | None = None
    """What they have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodVerdict(ReportPart):
    """Whether a model can be trained by a method on a number of GPUs, by the memory model."""

    model: str
    """The model as its maker writes it."""
    method: Method
    device: str
    gpus: int
    """The GPUs that were asked about, fewer of them where those alone do, or the fewest that do."""
    asked_gpus: int | None = None
    """The GPUs that were asked about; null where the fewest are looked for."""
    together: tuple[str, ...] = ()
    """The cards that stand in one run, each with their number, where `device` is the smallest."""
    verdict: Literal["fits", "may fit", "no"]
    """`may fit`: the estimate's band crosses the card, or no margin is left."""
    peak_gib: float
    """Expected, of each GPU; where it does not fit, of what comes nearest."""
    usable_gib: float
    margin_gib: float
    conservative_gib: float | None = None
    """The conservative estimate at its fullest stage, where it may fit."""
    binding: str
    """The stage that takes the most."""
    host_gib: float = 0
    """Memory of each host for what is offloaded."""
    share_gib: float | None = None
    """The engine's share of the card, where the engine needs more: `peak_gib` is what it needs."""
    ram_gib: float | None = None
    """Memory of each host, where `host_gib` is more than that."""
    more_gpus: int | None = None
    """Of the same device, the fewest that surely do where these do not; null when none is found."""
    may_fit_gpus: int | None = None
    """Of the same device, the fewest that may, where those are fewer than what surely do."""
    too_few_gpus: int | None = None
    """The most GPUs that were tried and do not surely do, where more were tried."""
    longest: int | None = None
    """Tokens of prompt and response that fit with every memory option, where it was looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardQuestion(ReportPart):
    """What was asked of cards alone, with the defaults of what was left open."""

    device: str
    gpus: int
    together: tuple[str, ...] = ()
    """The cards that stand in one run, each with their number, where `device` is the smallest."""
    usable_gib: float
    task: str
    framework: str
    release: str
    prompt: int
    response: int
    batch: int
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOverview(ReportPart):
    """Which models and methods fit the cards that one has."""

    schema: Literal["recommend-cards-v1"] = "recommend-cards-v1"
    tool: Tool
    language: Language
    question: CardQuestion
    defaults: tuple[str, ...]
    """What was taken where the question is open, a clause for each."""
    models: tuple[MethodVerdict, ...]
    """By model, the smallest first, and by method."""
    next: str | None
    """The command that writes the script of the largest model that fits."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendations(ReportPart):
    """The whole answer."""

    schema: Literal["recommend-v1"] = "recommend-v1"
    tool: Tool
    language: Language
    question: Question
    published: tuple[PublishedRow, ...]
    predicted: tuple[Predicted, ...]
    misses: tuple[Miss, ...]
    methods: tuple[MethodVerdict, ...] = ()
    """Each method on each device that was asked about, where the question was put in words."""
    defaults: tuple[str, ...] = ()
    """What was taken where the question is open, a clause for each."""
    nearest: NearRow | None = None
    """Where no row is published for the question itself."""
    next: str | None = None
    """The command that writes the script of the first method that fits."""
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    """What could not be asked, and why."""
