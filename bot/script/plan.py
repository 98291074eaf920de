"""The typed plan in the report's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.base.messages import message
from bot.base.secret_values import COVERED, covered, is_secret
from bot.frameworks.plan import Plan
from bot.frameworks.setting import UNKNOWN, Setting
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
    seen = _Environments()
    return tuple(_launch_report(plan, source, seen, origins=origins) for plan in plans)


def _launch_report(
    plan: Plan, source: Source, seen: _Environments, *, origins: bool
) -> LaunchReport:
    show = _Shown(plan, seen)
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
        environment=seen.shown(command.environment, show),
        origins=tuple(_origin(one, source, show) for one in plan.settings) if origins else (),
    )


class _Shown:
    """Shows a launch's texts, with `***` for keys, tokens and passwords wherever they are used."""

    def __init__(self, plan: Plan, seen: _Environments) -> None:
        every = {
            *seen.secrets(plan.launch.command.environment),
            *_secrets((setting.key, setting.text) for setting in plan.settings),
        }
        self.secrets = sorted(every, key=lambda one: (-len(one), one))[:_SECRETS]

    def __call__(self, text: str, name: str = "") -> str:
        for secret in self.secrets:
            text = text.replace(secret, COVERED)
        return covered(text, name)


class _Environments:
    """The environments of a script's launches, each looked through once: most have the same one."""

    def __init__(self) -> None:
        self._secrets: dict[int, list[str]] = {}
        self._shown: dict[tuple[int, tuple[str, ...]], dict[str, str]] = {}

    def secrets(self, environment: Mapping[str, Word]) -> list[str]:
        """The keys and passwords in one."""
        if (key := id(environment)) not in self._secrets:
            named = ((name, word.text) for name, word in environment.items())
            self._secrets[key] = _secrets(named)
        return self._secrets[key]

    def shown(self, environment: Mapping[str, Word], show: _Shown) -> dict[str, str]:
        """One as a report shows it."""
        key = id(environment), tuple(show.secrets)
        if key not in self._shown:
            texts = {name: show(word.text, name) for name, word in environment.items()}
            self._shown[key] = texts
        return self._shown[key]


def _secrets(named: Iterable[tuple[str, str]]) -> list[str]:
    """The keys and passwords that are long enough to be looked for in other texts."""
    return [t for name, t in named if len(t) >= _SECRET_LENGTH and is_secret(name, t)]


_SECRET_LENGTH = 8
"""Characters of a text that is looked for in others."""
_SECRETS = 50
"""Texts that are, the longest of them; by its own name each is covered."""


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
