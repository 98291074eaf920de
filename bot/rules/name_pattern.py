"""RLB003: the file's name does not follow its profile."""

from __future__ import annotations

from collections.abc import Iterator

from bot.devices import by_token
from bot.naming import PATTERN
from bot.rules._example import verl
from bot.rules._names import FILE, is_run_form, model_label
from bot.rules.base import Case, Example, Hit, Meta

META = Meta(
    id="RLB003",
    slug="name-pattern",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="The file's name does not follow the naming profile.",
    why=(
        "The name carries model, task, GPUs, device, backend and engine into the table. Readers "
        "and tools split it at the underscores, so a part too many shifts all that follow."
    ),
    instead=f"Name the file {PATTERN}, all in lower case, with dashes inside a part.",
    limits=(
        "Only the form is checked here; the rules name-gpus, name-train, name-infer, name-adapter, "
        "name-algorithm and name-model compare the parts with the settings."
    ),
    source=(
        "https://github.com/volcengine/verl/blob/main/docs/perf/device_tuning.rst, section on "
        "contributing"
    ),
    example=Example(
        bad=verl(),
        good=verl(),
        bad_path="examples/tuning/7b/qwen2.5_7B_grpo_8_h100_fsdp_vllm.sh",
    ),
)


def check(case: Case) -> Iterator[Hit]:
    """What keeps the name from following the profile."""
    problems = case.name.problems
    if is_run_form(case):
        problems = (f"the name has the form run_<model>_<train>.sh; {PATTERN} is asked for",)
    for problem in problems:
        suggestion = _suggestion(case) if case.name.profile == "tuning" else None
        yield Hit(
            message=problem.rstrip("."),
            span=FILE,
            help=f"rename it to {suggestion}" if suggestion else None,
        )


def _suggestion(case: Case) -> str | None:
    """The name that the settings would have; None when a part of it is not known."""
    if len(case.plans) != 1:
        return None
    plan = case.plans[0]
    stem = case.name.file_name.removesuffix(".sh").lower()
    devices = [token for token in stem.split("_") if by_token(token)]
    model = model_label(plan.model.value) if plan.model.value else None
    algorithm = plan.algorithm.value
    parts = (model, algorithm, plan.gpus.value, plan.train.value, plan.infer.value)
    if len(devices) != 1 or plan.adapter.value is None or not all(parts):
        return None
    task = "ppo" if algorithm == "gae" else str(algorithm).replace("_", "-")
    if plan.adapter.value:
        task += f"-{plan.adapter.value}"
    named = (model, task, plan.gpus.value, devices[0], plan.train.value, plan.infer.value)
    return "_".join(str(part) for part in named) + ".sh"
