"""Questions over every model, device, framework, task and method: `make grid` asks them.

`python -m tests.recommend.grid [COUNT]` asks a seeded sample (without a count, all that are written
below), and prints each answer that contradicts `rlbot estimate`, or whose script is not clean.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.frameworks.releases import releases
from bot.memory.models import find, pinned
from bot.recommend.answer import recommend
from bot.recommend.report import Predicted
from bot.recommend.request import TASKS, Hardware, Sizes, make_request
from bot.recommend.search import Search

DEVICES = "h100 a100 a100-40 h20 h800 h200 rtx4090 rtx3090 l40s l4 b200 mi300x".split()  # noqa: SIM905
LENGTHS = ((512, 512), (1024, 1024), (1024, 7168))
GPUS = (1, 2, 4, 8, 16, 64)
SEED = 20_260_722


@dataclass(frozen=True)
class Case:
    """One question."""

    model: str
    device: str
    framework: str
    task: str
    method: str
    lengths: tuple[int, int]
    gpus: int


def cases() -> list[Case]:
    """Every question, in an order that is random and always the same."""
    models = [name for name in pinned() if find(name) is not None][::2]
    asked = [
        (framework, task, method)
        for framework, tasks in TASKS.items()
        for task in tasks
        for method in ("full", "lora", "dora")
        if method != "dora" or framework == "trl"
    ]
    every = [
        Case(model, device, *one, lengths, gpus)
        for model, device, one, lengths, gpus in product(models, DEVICES, asked, LENGTHS, GPUS)
    ]
    random.Random(SEED).shuffle(every)  # noqa: S311
    return every


def contradictions(case: Case, *, lint: bool = True) -> Iterator[str]:
    """What is wrong with the answer of a case: nothing, where all is well."""
    request = make_request(
        case.model,
        task=case.task,
        method=case.method,
        framework=case.framework,
        sizes=Sizes(prompt=case.lengths[0], response=case.lengths[1], batch=128),
    )
    search = Search(request, releases(case.framework)[-1])
    answer = recommend(search, Hardware(names=(case.device,), budget=case.gpus, whole=True))
    for one in answer.recommendations.predicted:
        name, text = answer.scripts[one.rank]
        script = ScriptFile(path=name, data=text.encode())
        yield from _against_estimate(one, script)
        if lint:
            report = check_script(script, CheckOptions())
            for finding in report.findings:
                if finding.severity in ("error", "warning"):
                    yield f"{name}: {finding.id} {finding.message}"


def _against_estimate(one: Predicted, script: ScriptFile) -> Iterator[str]:
    made = estimate_script(script, CheckOptions()).estimate
    if made is None:
        yield f"{script.path}: no estimate"
        return
    ours = (one.verdict, one.binding, one.gpus, one.peak_gib, one.host_gib, one.device)
    theirs = (made.outcome, made.binding, made.gpus, made.peak_gib, made.host_gib, made.device)
    if ours != theirs:
        yield f"{script.path}: {ours}, but estimate says {theirs}"
    if not one.may_fit and one.margin_gib <= 0:
        yield f"{script.path}: recommended with a margin of {one.margin_gib} GiB"


def main(arguments: list[str]) -> int:
    """Print what is wrong; 1 when anything is."""
    asked = cases()[: int(arguments[0])] if arguments else cases()
    wrong = 0
    for case in asked:
        for line in contradictions(case):
            wrong += 1
            sys.stdout.write(f"{case}: {line}\n")
    sys.stdout.write(f"{len(asked)} questions, {wrong} contradictions\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
