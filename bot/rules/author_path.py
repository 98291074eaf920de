"""RLB047: a path that exists on the author's machine alone."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.regex import regex
from bot.frameworks.plan import Plan
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.code import from_default
from bot.rules._support.example import verl
from bot.shell.words import Word

META = Meta(
    id="RLB047",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="A setting, or PYTHONPATH, is pinned to a folder of the author's machine.",
    why="Nobody else has the folder, so nobody else can run the script as it is.",
    instead=(
        "Use a hub name for a model, $HOME/data/… for data, or a default that a caller can change: "
        "${MODEL_PATH:-Qwen/Qwen2.5-7B}."
    ),
    limits=(
        "Absolute paths in /home, /root, /mnt, /data, /opt, /Users and the like. A default that "
        "the caller can change is not reported, nor is anything below $HOME."
    ),
    source="verl's docs/perf/device_tuning.rst asks for scripts that others can run",
    example=Example(
        bad=verl("actor_rollout_ref.model.path=/mnt/bn/wang/models/Qwen2.5-7B-Instruct"),
        good=verl("actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct"),
    ),
)

_PINNED = regex(
    r"(?<![\w.~})/:])/(?:home|Users|root|mnt|data\d*|opt|nfs|share|shared|workspace|nas|cpfs|fsx|"
    r"gpfs|lustre|scratch|inspire|llm|disk\d*|user|personal)/[\w.\-]+[\w.\-/]*"
)


def check(context: RuleContext) -> Hits:
    """Absolute paths in settings and in PYTHONPATH that no caller can change."""
    for plan in context.plans:
        for name, word, start in _words(plan):
            for found in _PINNED.finditer(word.text, start):
                if from_default(word, found.start()):
                    continue
                yield hit(
                    word.span_of(found.start(), found.end()),
                    "{name} is pinned to {found}, a folder of the author's machine",
                    name=name,
                    found=found[0],
                    help=message(
                        "use a name that others have, or a default that a caller can change"
                    ),
                )


def _words(plan: Plan) -> Iterator[tuple[str, Word, int]]:
    for setting in plan.settings:
        if "/" in (text := setting.word.text):
            yield setting.key, setting.word, max(0, text.find("="))
    path = plan.launch.command.environment.get("PYTHONPATH")
    if path is not None:
        yield "PYTHONPATH", path, 0
