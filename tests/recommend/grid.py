"""Questions over every model, device, framework, task and method: `make grid` asks them.

Each combination is asked once, with lengths and GPUs that are drawn by chance and always the same.
`python -m tests.recommend.grid [COUNT | FIRST:END] [--scripts FOLDER]` asks the first so many (all
without a count), and prints each answer that contradicts `rlbot estimate` or an answer for fewer
tokens, more GPUs or a larger card, and each whose script is not clean. In the folder it leaves one
script of each set of options, which `tests.recommend.composed` starts.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.frameworks import plans
from bot.frameworks.settings.releases import releases
from bot.memory.from_plan import device_named
from bot.memory.shapes.models import find, pinned
from bot.recommend.answer import RecommendAnswer, recommend
from bot.recommend.cards import usable_device
from bot.recommend.options import divides
from bot.recommend.report import Predicted
from bot.recommend.request import QUANTIZED, TASKS, Hardware, Sizes, make_request
from bot.recommend.search import Search
from bot.shell import read

DEVICES = "h100 a100 a100-40 h20 h800 h200 rtx4090 rtx3090 l40s l4 b200 mi300x".split()  # noqa: SIM905
LENGTHS = ((512, 512), (1024, 1024), (1024, 7168), (2048, 14336))
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


@cache
def cases() -> tuple[Case, ...]:
    """Every question, in an order that is random and always the same."""
    known = [name for name in pinned() if find(name) is not None]
    plain = [
        (framework, task, method)
        for framework, tasks in TASKS.items()
        for task in tasks
        for method in ("full", "lora", "dora")
        if method != "dora" or framework == "trl"
    ]
    quantized = [("trl", task, "qlora") for task in QUANTIZED]
    chance = random.Random(SEED)  # noqa: S311
    every: list[Case] = []
    for models, asked in ((known[::2], plain), (known[1:2], plain), (known[::3], quantized)):
        some = [
            Case(model, device, *one, chance.choice(LENGTHS), chance.choice(GPUS))
            for model, device, one in product(models, DEVICES, asked)
        ]
        chance.shuffle(some)
        every += some
    return tuple(every)


@dataclass(frozen=True)
class Answered:
    """A question with its answer."""

    case: Case
    search: Search
    answer: RecommendAnswer

    def scripts(self) -> Iterator[tuple[Predicted, ScriptFile]]:
        """Each prediction with its script."""
        for one in self.answer.recommendations.predicted:
            name, text = self.answer.scripts[one.rank]
            yield one, ScriptFile(path=name, data=text.encode())


def search_of(case: Case) -> Search:
    """The search of a case's model, task, method and lengths, of which GPT-2 and OPT take few."""
    model = find(case.model)
    longest = model.shape.positions if model is not None else 0
    prompt, response = case.lengths
    if longest and prompt + response > longest:
        prompt, response = longest // 4, longest // 4
    request = make_request(
        case.model,
        task=case.task,
        method=case.method,
        framework=case.framework,
        sizes=Sizes(prompt=prompt, response=response, batch=128),
    )
    return Search(request, releases(case.framework)[-1])


def answered(case: Case) -> Answered:
    """The answer for a case."""
    search = search_of(case)
    hardware = Hardware(devices=(usable_device(case.device),), budget=case.gpus, whole=True)
    return Answered(case, search, recommend(search, hardware))


def contradictions(one: Answered) -> Iterator[str]:
    """Where the answer differs from the estimate of its scripts: nowhere, where all is well."""
    for predicted, file in one.scripts():
        yield from _against_estimate(predicted, file)


def findings(one: Answered) -> Iterator[str]:
    """What the linter has against the scripts of an answer, but lengths that the answer notes."""
    request = one.search.request
    beyond = (request.context or math.inf) < request.prompt + request.response
    for _, file in one.scripts():
        for finding in check_script(file, CheckOptions()).findings:
            if finding.severity in ("error", "warning") and not (beyond and finding.id == "RLB106"):
                yield f"{file.path}: {finding.id} {finding.message}"


def less_with_more(one: Answered) -> Iterator[str]:
    """What surely fits, but not with fewer tokens, on twice the GPUs or on the next larger card.

    One GPU has no buffers for talking to others, so that on two the same may fit alone.
    """
    case, device = one.case, device_named(one.case.device)
    if not divides(one.search.request, case.gpus) or not one.search.surely_fits(device, case.gpus):
        return
    shorter = replace(case, lengths=(case.lengths[0] // 2, case.lengths[1] // 2))
    if not search_of(shorter).surely_fits(device, case.gpus):
        yield f"does not fit with {shorter.lengths} tokens"
    twice = case.gpus * 2
    fits = one.search.surely_fits(device, twice) or (
        case.gpus == 1 and one.search.at(device, twice)[0] is not None
    )
    if case.gpus < GPUS[-1] and not fits:
        yield f"does not fit on {case.gpus * 2} GPUs"
    cards = sorted((device_named(name) for name in DEVICES), key=lambda card: card.usable_gib)
    larger = [card for card in cards if card.usable_gib > device.usable_gib][:1]
    for card in larger:
        if not one.search.surely_fits(card, case.gpus):
            yield f"does not fit on a {card.label}"


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


def option_set(file: ScriptFile) -> frozenset[str]:
    """What a script sets, and each value that is no number: what decides whether it starts."""
    (plan,) = plans(read(file.data, file.path))
    return frozenset(
        f"{plan.launch.entry} {setting.key}={'' if is_number(setting.value) else setting.text}"
        for setting in plan.settings
        if not setting.key.endswith(_NAMES)
    )


_NAMES = ("experiment_name", "run_name", "model.path", "model_name_or_path", "remote_url")


def is_number(value: object) -> bool:
    """Whether a setting's value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def main() -> int:
    """Print what is wrong; 1 when anything is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("part", metavar="COUNT | FIRST:END", nargs="?", default="")
    parser.add_argument("--scripts", metavar="FOLDER", type=Path)
    given = parser.parse_args()
    first, _, end = given.part.rpartition(":")
    asked = cases()[int(first or 0) : int(end) if end else None]
    wrong = fitting = written = 0
    sets: set[frozenset[str]] = set()
    for case in asked:
        one = answered(case)
        fitting += bool(one.answer.recommendations.predicted)
        for line in (*contradictions(one), *findings(one), *less_with_more(one)):
            wrong += 1
            sys.stdout.write(f"{case}: {line}\n")
        for _, file in one.scripts():
            written += 1
            options = option_set(file)
            if given.scripts and options not in sets:
                given.scripts.mkdir(parents=True, exist_ok=True)
                (given.scripts / file.path).write_bytes(file.data)
            sets.add(options)
    sys.stdout.write(
        f"{len(asked)} questions, {fitting} with predictions, {written} scripts of {len(sets)} "
        f"sets of options, {wrong} contradictions\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
