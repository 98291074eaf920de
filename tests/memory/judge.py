"""How well `rlbot estimate` does on measurements that the model has not met.

    make unseen        # prints the tables of docs/memory-accuracy.md, of each round
    python -m tests.memory.judge 1        # of the first alone

Every figure is one that `rlbot estimate --format json` prints of the row's script, for the row's
release, card and GPUs. A program that starts TRL's trainer itself is a `.txt` beside the scripts,
or with what starts it in a folder of the row's name. No lengths are given but those in a row's
`options`: of the rounds since the tenth, where they are public. What a row's metric does not hold
is left out: the CUDA context and a sleeping engine of what torch reports, the allocator's free
blocks of what is allocated. An engine's pool counts where the row says so.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from bot.base.devices import by_token
from bot.memory.constants import ENGINE_WORKING
from tests.memory.printed import NothingPrintedError, printed, printed_program

_FOLDERS = ("unseen", *(f"unseen{number}" for number in range(2, 42)))
ROUNDS = tuple(Path(__file__).parent / name for name in _FOLDERS)
OWN = Path(__file__).parent / "measured"
"""Runs made for this table, whose lengths are all those that their settings allow."""
OTHERS: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "trainers.json").read_text("utf-8")
)
"""Trainers that are none of verl, TRL and OpenRLHF, and how the names of their rows begin."""
_ENGINE = {"engine weights", "engine cache", "engine activations"}
_NAMED = ("impossible", "likely OOM")


@dataclass(frozen=True)
class Judged:
    """One row, and what the command prints of it."""

    row: dict[str, Any]
    estimate: dict[str, Any]

    @property
    def outcome(self) -> str:
        return str(self.estimate["outcome"])

    @property
    def figures(self) -> tuple[float, float] | None:
        """Expected and conservative GiB of what the row's metric measures."""
        metric = self.row.get("metric", "card")
        # Torch's peak is of the whole run; our own runs end before an engine is given weights.
        passed = {"rollout"} | ({"weight sync"} if "peaks_gib" in self.row else set[str]())
        stages = [
            stage
            for stage in self.estimate["stages"]
            if metric == "card" or stage["stage"] not in passed or _by_transformers(stage)
            if "pool" not in self.row or stage["pool"] == self.row["pool"]
        ]
        if not stages:
            return None

        shown = "allocated" if metric.startswith("allocated") else "card"
        expected, most = (
            max(
                stage[f"{shown}_{level}"] - (_beside(stage) if metric == "reserved" else 0.0)
                for stage in stages
            )
            for level in ("gib", "conservative_gib")
        )
        more = 0.0
        if metric == "allocated and pool":
            # vLLM in the worker's process: its share of the card, less what it works with.
            rollout = next(s for s in self.estimate["stages"] if s["stage"] == "rollout")
            held = sum(v for name, v in rollout["components"].items() if name in _ENGINE)
            more = held - ENGINE_WORKING["expected"]
        return expected + more, most + more

    @property
    def error(self) -> float | None:
        """Expected over measured, less one."""
        made = self.figures
        return (
            made[0] / self.row["measured_gib"] - 1 if made and "measured_gib" in self.row else None
        )

    @property
    def cover(self) -> float | None:
        """Conservative over measured."""
        made = self.figures
        return made[1] / self.row["measured_gib"] if made and "measured_gib" in self.row else None


def _beside(stage: dict[str, Any]) -> float:
    """GiB that no allocator of a trainer has reserved: contexts, and an engine's own."""
    names = {"contexts", "sleeping engine"} | (set() if _by_transformers(stage) else _ENGINE)
    return sum(float(amount) for name, amount in stage["components"].items() if name in names)


def _by_transformers(stage: dict[str, Any]) -> bool:
    """Whether the trainer's own model generates in a stage, by no engine that has its weights."""
    return stage["stage"] == "rollout" and "engine weights" not in stage["components"]


def judge(folder: Path) -> list[Judged]:
    """Every row of a round with what is printed of its script, given the lengths that it says."""
    return [judge_row(folder, row) for row in rows_of(folder)]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """What was measured in a round."""
    rows: list[dict[str, Any]] = json.loads((folder / "rows.json").read_text("utf-8"))
    return rows


def judge_row(folder: Path, row: dict[str, Any]) -> Judged:
    """One row of a round."""
    options = ["--device", row["device"], "--framework", row["framework"]]
    if row.get("gpus"):
        options += ["--gpus", str(row["gpus"])]
    options += [*row.get("options", []), *_of_transformers(row)]
    script = folder / "scripts" / f"{row['id']}.sh"
    if not script.exists():
        return Judged(row, _of_program(script.with_suffix(""), options))
    text = script.read_text("utf-8")
    return Judged(row, printed(text, *options, *(_given(text) if folder == OWN else ())))


def _of_transformers(row: dict[str, Any]) -> list[str]:
    """What transformers' own trainer does otherwise than TRL's, as which its rows are written.

    The supervised loss of TRL 1.8 to 1.14 makes its logits in chunks, that of transformers whole.
    """
    framework, _, release = row["framework"].partition("@")
    number = tuple(int(part) for part in release.split(".")[:2] if part.isdecimal())
    chunked = framework == "trl" and (1, 8) <= number < (1, 15)
    return (
        ["--set", "loss_type=nll"] if chunked and trainer_of(row) == "transformers' Trainer" else []
    )


def _of_program(path: Path, options: Sequence[str]) -> dict[str, Any]:
    """What is printed of a program; no prediction where it starts no trainer that is known."""
    try:
        return printed_program(path, *options)
    except NothingPrintedError as error:
        said = {"outcome": "no prediction", "reason": str(error).strip()}
        return {**said, "stages": [], "by_lengths": None}


def _given(script: str) -> list[str]:
    """The lengths of one of our own runs: those in its data's name, else the longest allowed."""
    data = re.search(r"data/(\w+)-(\d+)-(\d+)", script)
    longest = dict(re.findall(r"max_(completion|prompt|response)_length[= ](\d+)", script))
    prompt, response = longest.get("prompt"), longest.get("response") or longest.get("completion")
    if data and data[1] == "prompts":
        prompt = data[2]
    elif data:
        prompt, response = None, str(int(data[2]) + int(data[3]))
    given = ["--prompt-tokens", prompt] if prompt else []
    return [*given, "--response-tokens", str(response)]


def trainer_of(row: dict[str, Any]) -> str | None:
    """Whose trainer a row ran, its launch written as a framework's; None: the framework's own."""
    for trainer, beginnings in OTHERS.items():
        if str(row["id"]).startswith(tuple(beginnings)):
            return trainer
    return None


def kinds(one: Judged) -> Iterator[str]:
    """The kinds that a row belongs to."""
    row = one.row
    yield {"full": "full", "qlora": "QLoRA"}.get(row["method"], "LoRA, DoRA")
    yield {"fsdp": "FSDP", "zero": "ZeRO", "megatron": "Megatron", "single": "one process"}[
        row["backend"]
    ]
    if row.get("moe"):
        yield "MoE"
    if row.get("vision"):
        yield "vision"
    yield f"lengths {row['lengths']}"
    other = trainer_of(row)
    if other:
        yield f"trainer: {other}"
    yield f"{'another' if other else 'its own'} trainer, lengths {row['lengths']}"
    yield f"measured: {row['metric']}" if "metric" in row else "no figure"


def table(judged: Sequence[Judged]) -> Iterator[str]:
    """Per kind: n, mean, median and worst error, share below the conservative level, cover."""
    yield "| kind | n | mean | median | worst | below conservative | conservative ÷ measured |"
    yield "| --- | --: | --: | --: | --: | --: | --: |"
    peaks = [one for one in judged if one.error is not None]
    groups: dict[str, list[Judged]] = {"all": peaks}
    for one in peaks:
        for kind in kinds(one):
            groups.setdefault(kind, []).append(one)
    for kind, group in groups.items():
        errors = [one.error for one in group if one.error is not None]
        covers = [one.cover for one in group if one.cover is not None]
        below = sum(cover >= 1 for cover in covers)
        sizes = [abs(error) for error in errors]
        figures = f"{mean(sizes):.1%} | {median(sizes):.1%} | {max(errors, key=abs):+.1%}"
        covered = f"{below} of {len(group)} | {median(covers):.2f}"
        yield f"| {kind} | {len(group)} | {figures.replace('%', ' %')} | {covered} |"


def verdicts(judged: Sequence[Judged]) -> Iterator[str]:
    """What is said of what ran and of what ran out of memory, in counts."""
    names = ("fits", "tight", "likely OOM", "impossible", "no prediction")
    yield "| | " + " | ".join(names) + " |"
    yield "| --- |" + " --: |" * len(names)
    for truth, title in (("ran", "ran"), ("oom", "ran out of memory")):
        counts = Counter(one.outcome for one in judged if one.row.get("outcome") == truth)
        yield f"| {title} | " + " | ".join(str(counts[name]) for name in names) + " |"
    yield ""
    named = [one for one in judged if one.outcome in _NAMED and "outcome" in one.row]
    right = sum(one.row["outcome"] == "oom" for one in named)
    ooms = sum(one.row.get("outcome") == "oom" for one in judged)
    yield f"Of {ooms} that ran out of memory {right} are named; of {len(named)} named {right} did."
    yield from _by_lengths(named)
    spare = [one for one in judged if _spare(one) and one.outcome != "no prediction"]
    fits = sum(one.outcome == "fits" for one in spare)
    yield f"Of {len(spare)} that ran with 15 % or more to spare {fits} are said to fit."


def _by_lengths(named: Sequence[Judged]) -> Iterator[str]:
    """How often those are right that are named at any length, and from some length on."""
    groups: dict[str, list[Judged]] = {}
    for one in named:
        lengths = one.estimate["by_lengths"]
        if lengths is not None:
            groups.setdefault(lengths["oom"], []).append(one)
    for kind, which in (("any", "whatever the lengths"), ("from", "from some length on")):
        group = groups.get(kind, [])
        ooms = sum(one.row["outcome"] == "oom" for one in group)
        yield f"Of {len(group)} said to fail {which} {ooms} did."


def _spare(one: Judged) -> bool:
    """Whether the card had 15 % to spare, by what it or its process showed."""
    if one.row.get("outcome") != "ran" or one.row.get("metric") not in ("card", "reserved"):
        return False
    card = by_token(one.row["device"])[0].memory_bytes / 2**30
    return bool(one.row["measured_gib"] <= 0.85 * card)


def cases(judged: Sequence[Judged]) -> Iterator[str]:
    """Every row."""
    yield f"{'case':34} {'said':>6} {'most':>6} {'measured':>9} {'error':>8}  said to · truth"
    for one in judged:
        made, row = one.figures, one.row
        said, most = (f"{made[0]:.1f}", f"{made[1]:.1f}") if made else ("–", "–")
        measured = row.get("measured_gib")
        error = f"{one.error:+.1%}" if one.error is not None else ""
        yield (
            f"{row['id']:34} {said:>6} {most:>6} {measured or '':>9} {error:>8}  "
            f"{one.outcome} · {row.get('outcome', '?')} {one.estimate['reason'] or ''}"
        )


def main() -> None:
    """Prints the cases of each round and its tables; of several the tables of all of them, too."""
    rounds = {n: judge(ROUNDS[n - 1]) for n in map(int, sys.argv[1:] or range(1, len(ROUNDS) + 1))}
    for number, judged in rounds.items():
        _print(f"Round {number}", cases(judged), table(judged), verdicts(judged))
    if len(rounds) > 1:
        every = [one for judged in rounds.values() for one in judged]
        _print("All of these rounds", table(every), verdicts(every))


def _print(title: str, *parts: Iterator[str]) -> None:
    sys.stdout.write(f"{title}\n\n")
    for lines in parts:
        sys.stdout.write("\n".join(lines) + "\n\n")


if __name__ == "__main__":
    main()
