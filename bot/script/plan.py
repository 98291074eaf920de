"""The typed plan in the report's words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.base.messages import message
from bot.base.secret_values import KnownSecrets, covered, is_secret
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import UNKNOWN, Setting
from bot.report import JsonValue, LaunchReport, Name, Origin, PlanReport
from bot.script.name import ScriptName
from bot.shell.source import Source
from bot.shell.words import Word

_ALGORITHMS = {"gae": "PPO", "reinforce_plus_plus": "REINFORCE++", "remax": "ReMax"}
_ADAPTERS = {"lora": "LoRA", "dora": "DoRA"}


def task_label(plan: Plan) -> str | None:
    """Algorithm and adapter as the table writes them: GRPO, GRPO-LoRA, PPO; None when unknown."""
    algorithm = plan.algorithm.value
    if not algorithm:
        return None
    label = _ALGORITHMS.get(algorithm, algorithm.upper())
    if plan.adapter.value:
        label += "-" + _ADAPTERS.get(plan.adapter.value, plan.adapter.value.upper())
    return label


def name_report(name: ScriptName) -> Name:
    """The file name's parts."""
    return Name(
        profile=name.profile,
        valid=name.valid,
        model=name.model,
        task=name.task,
        gpus=name.gpus,
        device=name.device,
        train=name.train,
        infer=name.infer,
        folder=name.folder,
    )


def launch_reports(
    plans: Iterable[Plan], source: Source, *, origins: bool = False
) -> tuple[LaunchReport, ...]:
    """Each launch with its settings; of a key given twice the last value counts.

    Keys, tokens and passwords in it read `***`.
    `origins` adds where each setting was written, a key given twice both times.
    """
    plans = tuple(plans)
    show = _Shown(plans)
    return tuple(_launch_report(plan, source, show, origins=origins) for plan in plans)


def _launch_report(plan: Plan, source: Source, show: _Shown, *, origins: bool) -> LaunchReport:
    settings: dict[str, JsonValue] = {}
    for setting in plan.settings:
        if setting.operator == "~":
            settings.pop(setting.key, None)
            continue
        value = setting.text if setting.value is UNKNOWN else setting.value
        settings[setting.key] = show(value, setting.key) if isinstance(value, str) else value  # type: ignore[assignment]
    command = plan.launch.command
    line, _ = source.line_column(command.span.start)
    line = source.part(command.span.start)[0].file_line(line)
    return LaunchReport(
        argv=tuple(show(word.text) for word in command.argv),
        complete=all(word.complete for word in command.argv),
        framework=plan.framework,
        framework_version=plan.configuration.release,
        framework_version_reason=plan.configuration.reason,
        settings=settings,
        line=line,
        assumptions=command.assumptions,
        environment=show.environment(command.environment),
        origins=tuple(_origin(one, source, show) for one in plan.settings) if origins else (),
    )


class _Shown:
    """Shows texts of launches, with `***` for keys, tokens and passwords wherever they are used."""

    def __init__(self, plans: Iterable[Plan]) -> None:
        # Most launches have the same environment, which is looked through once.
        self._environments: dict[int, dict[str, str]] = {}
        self._known = KnownSecrets(set(self._secrets(plans)))

    def __call__(self, text: str, name: str = "") -> str:
        return covered(self._known.cover(text), name)

    def environment(self, environment: Mapping[str, Word]) -> dict[str, str]:
        """One as a report shows it."""
        if (key := id(environment)) not in self._environments:
            texts = {name: self(word.text, name) for name, word in environment.items()}
            self._environments[key] = texts
        return self._environments[key]

    @staticmethod
    def _secrets(plans: Iterable[Plan]) -> Iterator[str]:
        looked_through = set[int]()
        for plan in plans:
            yield from (one.text for one in plan.settings if is_secret(one.key, one.text))
            environment = plan.launch.command.environment
            if id(environment) not in looked_through:
                looked_through.add(id(environment))
                named = ((name, word.text) for name, word in environment.items())
                yield from (text for name, text in named if is_secret(name, text))


def configurations(plans: Iterable[Plan]) -> tuple[str, ...]:
    """What the launches were read with, each once."""
    found = [
        plan.configuration.reason
        if plan.configuration.source == "tree"
        else message(
            "{framework} {version}, {reason}",
            framework=plan.framework,
            version=plan.configuration.release,
            reason=plan.configuration.reason,
        )
        for plan in plans
    ]
    return tuple(dict.fromkeys(found))


def _origin(setting: Setting, source: Source, show: _Shown) -> Origin:
    """The pieces of the word from the value's first character on tell what it came through."""
    place = source.place(setting.value_span)
    part, _ = source.part(setting.value_span.start)
    start = len(setting.word.text) - len(setting.text)
    via: dict[str, None] = {}
    defaults: dict[str, None] = {}
    at = 0
    for piece in setting.word.pieces:
        at += piece.width
        if at > start:
            via.update(dict.fromkeys(piece.via))
            if piece.default_of:
                defaults[piece.default_of] = None
    return Origin(
        key=setting.key,
        operator=setting.operator,
        text=show(setting.text, setting.key),
        line=part.file_line(place.line),
        column=place.column,
        end_line=part.file_line(place.end_line),
        end_column=place.end_column,
        via=tuple(via),
        default_of=tuple(defaults),
        path=part.path if part is not source else "",
    )


def plan_report(plan: Plan) -> PlanReport:
    """The plan's facts without their places."""
    return PlanReport(
        framework=plan.framework,
        model=plan.model.value,
        task=task_label(plan),
        algorithm=plan.algorithm.value,
        adapter=plan.adapter.value or None,
        gpus_per_node=plan.gpus_per_node.value,
        nodes=plan.nodes.value,
        gpus=plan.gpus.value,
        train=plan.train.value,
        infer=plan.infer.value,
        train_batch_size=plan.train_batch_size.value,
        mini_batch_size=plan.mini_batch_size.value,
        micro_batch_size_per_gpu=plan.micro_batch_size_per_gpu.value,
        rollout_n=plan.rollout_n.value,
        max_prompt_length=plan.max_prompt_length.value,
        max_response_length=plan.max_response_length.value,
    )
