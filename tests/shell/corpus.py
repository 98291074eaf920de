"""Judges the reader on repositories: every script is run under real bash and compared.

`make corpus DIR="DIR…"`, or `python -m tests.shell.corpus DIR…`. Each `*.sh` of a folder runs in a
sandbox (bubblewrap) with recorders in place of every program; what they recorded is compared, word
for word, with what the reader says. The scripts are taken as they are and nothing of them is kept.

Each script runs twice, and `date`, `mktemp`, `nvidia-smi` and their like answer differently. A
launch "differs from run to run" when each of its words with an unknown part was another one in the
second run: no reader could know it. A word that was the same in both runs could have been known.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from bot.commands.tree import files_below
from bot.shell import Invocation, read
from bot.shell.words import Command, Reading
from bot.shell.world.tree import Files
from tests.shell.judge import RECORDED, Call, argv_of, may_be, same, same_environment
from tests.shell.sandbox import ANSWERS, ENVIRONMENT, Machine, Run, Sandbox

LAUNCHERS = frozenset(
    {
        "python", "python3", "torchrun", "deepspeed", "ray", "accelerate", "uv", "srun", "bash",
        "sh", "nohup", "env", "timeout", "numactl", "nsys", "swift", "megatron", "vllm", "sbatch",
        "mpirun", "xtuner", "mason.py",
    }
)  # fmt: skip
"""Programs that start a training, or start what starts it."""
_PLAIN = re.compile(r"[\w.+=@:,-]{1,200}")
_OUTSIDE = re.compile(
    r"(?:^|[\s;&|(])(?:source|\.)\s+[\"']?(~|\$HOME|\$\{HOME\})?(/[\w./+-]+)", re.M
)
"""A file that is sourced by its absolute path."""


@dataclass
class Score:
    """What was found in one folder, or in all."""

    scripts: int = 0
    launching: Counter[str] = field(default_factory=Counter)
    """Scripts that launch something: by their worst launch."""
    launches: Counter[str] = field(default_factory=Counter)
    """Launches: exact, varying, hole, wrong, missing."""
    again: Counter[str] = field(default_factory=Counter)
    """The same for a second run, in which the time and the machine are others."""
    opened: Counter[str] = field(default_factory=Counter)
    """The same with an unknown environment."""
    exports: int = 0
    """Launches whose words agree and whose exported variables do not."""
    extra: int = 0
    """Launches that the reader lists without any assumption and bash did not start."""
    syntax: int = 0
    """Scripts on whose syntax `bash -n` and the reader agree."""
    slow: int = 0
    """Scripts that ran out of time."""
    milliseconds: list[float] = field(default_factory=list)
    holes: Counter[str] = field(default_factory=Counter)
    """Why words of launches are unknown although the environment is known."""
    notes: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Adds what was found in another folder."""
        self.scripts += other.scripts
        self.launching += other.launching
        self.launches += other.launches
        self.again += other.again
        self.opened += other.opened
        self.exports += other.exports
        self.extra += other.extra
        self.syntax += other.syntax
        self.slow += other.slow
        self.milliseconds += other.milliseconds
        self.holes += other.holes
        self.notes += other.notes


def main() -> int:
    """Judge and print; returns 1 when a word is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.shell.corpus", description=__doc__)
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0, help="time for a script (default: 5)")
    parser.add_argument("--workers", type=int, default=2, help="scripts at a time (default: 2)")
    parser.add_argument(
        "--no-sandbox", action="store_true",
        help="run the scripts as ordinary processes of yours: only for scripts that you trust",
    )  # fmt: skip
    parser.add_argument("--only", default="", help="scripts whose path holds this text")
    parser.add_argument("--quiet", action="store_true", help="the figures alone")
    arguments = parser.parse_args()
    if not arguments.no_sandbox and shutil.which("bwrap") is None:
        parser.error(
            "scripts of other people run only in a sandbox: install bubblewrap "
            "(apt install bubblewrap), or give --no-sandbox for scripts that you trust"
        )
    total = Score()
    for folder in arguments.folders:
        score = judge(
            folder,
            walled=not arguments.no_sandbox,
            seconds=arguments.seconds,
            workers=arguments.workers,
            only=arguments.only,
        )
        if not arguments.quiet:
            for note in score.notes:
                print(note)  # noqa: T201
        print(f"\n{folder.name}\n{figures(score)}")  # noqa: T201
        total.add(score)
    if len(arguments.folders) > 1:
        print(f"\nall folders\n{figures(total)}")  # noqa: T201
    return int(total.launches["wrong"] + total.again["wrong"] > 0)


@dataclass(frozen=True)
class _Scored:
    """A script that is being compared."""

    score: Score
    name: str
    """The folder's name and the path in it."""
    environment: Mapping[str, str]


def judge(folder: Path, *, walled: bool, seconds: float, workers: int, only: str = "") -> Score:
    """Judges every script of a folder."""
    paths = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.sh")
        if path.is_file() and not path.is_symlink() and ".git" not in path.parts
    )
    paths = [path for path in paths if only in path]
    data = {path: (folder / path).read_bytes() for path in paths}
    names = {*RECORDED, *LAUNCHERS}
    for path in paths:
        for command in read(data[path], path).commands:
            name = command.argv[0].text.rsplit("/", 1)[-1]
            if command.argv[0].complete and name.strip(".") and _PLAIN.fullmatch(name):
                names.add(name[:200])
    sandbox = Sandbox(folder, names, walled=walled)
    try:
        outside = {path: _outside(data[path]) for path in paths}
        runs = [
            sandbox.run(outside, seconds=seconds, workers=workers, machine=Machine(answer))
            for answer in ANSWERS
        ]
        environment = sandbox.environment()
    finally:
        sandbox.close()
    score = Score(scripts=len(paths))
    files = files_below(folder)
    for path, run, again in zip(paths, *runs, strict=True):
        scored = _Scored(score, f"{folder.name}/{path}", environment)
        _compare(scored, data[path], (run, again), files)
    return score


def _outside(data: bytes) -> list[str]:
    """Files outside of the tree that a script sources."""
    found = _OUTSIDE.finditer(data.decode("utf-8", "replace"))
    return [(ENVIRONMENT["HOME"] if match[1] else "") + match[2] for match in found]


def _compare(scored: _Scored, data: bytes, runs: tuple[Run, Run], files: Files) -> None:
    """Compares what bash did with a script with both readings of it."""
    score, name = scored.score, scored.name
    run, again = runs
    path = name.partition("/")[2]
    closed = read(data, path, Invocation(environment=scored.environment, arguments=()), files=files)
    opened = _timed(score, data, path, files)
    if _invalid(closed) != run.valid:
        score.syntax += 1
    else:
        score.notes.append(f"{name}: bash -n says {'valid' if run.valid else 'not valid'}")
    if not run.ended:
        score.slow += 1
        score.notes.append(f"{name}: did not end in time")
    calls = _launches(run.calls)
    others = _again(scored, again, closed)
    found: Counter[str] = Counter()
    used: set[int] = set()
    for call in calls:
        outcome, index = _closed(scored, call, closed, others)
        found[outcome] += 1
        if index is not None:
            used.add(index)
        outcome, index = _find(call, opened, scored.environment)
        score.opened[outcome] += 1
        if index is None:
            notes = _differences(call, opened)
            score.notes += [f"{name} in an unknown environment{note}" for note in notes]
    extra = _extra(closed, used) if run.ended else []
    for command in extra:
        line = closed.source.place(command.span).line
        text = " ".join(word.text for word in command.argv)
        score.notes.append(f"{name}:{line}: read, and not run: {text[:200]}")
    score.extra += len(extra)
    score.launches += found
    if calls or extra:
        score.launching[_worst(found, extra)] += 1


def _timed(score: Score, data: bytes, path: str, files: Files) -> Reading:
    """Reads a script in an unknown environment, and notes how long that takes."""
    times = []
    for _ in range(3):
        start = time.process_time()
        reading = read(data, path, files=files)
        times.append(1000 * (time.process_time() - start))
    score.milliseconds.append(statistics.median(times))
    return reading


def _invalid(reading: Reading) -> bool:
    """Whether bash would refuse the script; Windows line ends alone are no reason."""
    text = reading.source.text
    return any(
        problem.kind == "syntax" and text[problem.span.start : problem.span.end] != "\r\n"
        for problem in reading.problems
    )


def _closed(
    scored: _Scored, call: Call, reading: Reading, others: Mapping[int, Call]
) -> tuple[str, int | None]:
    """How a launch was read where the environment is known, and as which command."""
    score, name = scored.score, scored.name
    outcome, index = _find(call, reading, scored.environment)
    if index is None:
        score.notes += [f"{name}{note}" for note in _differences(call, reading)]
        return outcome, index
    command = reading.commands[index]
    if outcome == "hole":
        for word in command.argv:
            score.holes.update(hole.reason for hole in word.holes)
        if _varies(call, others, reading, index):
            outcome = "varying"
    if not same_environment(call, command, scored.environment):
        score.exports += 1
        score.notes.append(f"{name}: exports differ: {_exports(call, reading, index)}")
    return outcome, index


def _worst(found: Counter[str], extra: Sequence[Command]) -> str:
    """The worst outcome of the launches of a script."""
    ranks = ("wrong", "missing", "hole", "varying")
    worst = next((outcome for outcome in ranks if found[outcome]), "exact")
    return "extra" if extra and worst not in ("wrong", "missing") else worst


def _again(scored: _Scored, run: Run, reading: Reading) -> dict[int, Call]:
    """Judges a second run, and gives its launches by the command that was read."""
    calls: dict[int, Call] = {}
    for call in _launches(run.calls):
        outcome, index = _find(call, reading, scored.environment)
        scored.score.again[outcome] += 1
        if index is None:
            scored.score.notes += [
                f"{scored.name} again{note}" for note in _differences(call, reading)
            ]
        else:
            calls.setdefault(index, call)
    return calls


def _varies(call: Call, others: Mapping[int, Call], reading: Reading, index: int) -> bool:
    """Whether each word with an unknown part was another one in the second run."""
    words, other = argv_of(reading.commands[index]), others.get(index)
    if other is None or not len(words) == len(call.argv) == len(other.argv):
        return False
    return all(
        word.complete or one != two
        for word, one, two in zip(words, call.argv, other.argv, strict=True)
    )


def _launches(calls: Sequence[Call]) -> list[Call]:
    """The launches among the programs that bash started, each once."""
    kept: dict[object, Call] = {}
    for call in calls:
        if call.argv[0] in LAUNCHERS:
            exported = tuple(sorted(call.environment.items()))
            kept.setdefault((call.argv, exported), call)
    return list(kept.values())


def _name(command: Command) -> str:
    return argv_of(command)[0].text.rsplit("/", 1)[-1]


def _find(call: Call, reading: Reading, given: Mapping[str, str]) -> tuple[str, int | None]:
    """How a launch was read, and as which command: one whose exports agree too, if there is one."""
    found: dict[str, int] = {}
    for at in range(1 + _interpreters(call)):
        if at:
            call = Call((call.argv[1].rsplit("/", 1)[-1], *call.argv[2:]), call.environment)
        for index, command in enumerate(reading.commands):
            if not may_be(command, call.argv[0]):
                continue
            outcome = same(call, command)
            if outcome == "wrong":
                continue
            if same_environment(call, command, given):
                outcome += " in all"
            found.setdefault(outcome, index)
    for outcome in ("exact in all", "exact", "hole in all", "hole"):
        if outcome in found:
            return outcome.split()[0], found[outcome]
    nearest = _nearest(call, reading)
    return ("missing" if nearest is None else "wrong"), None


def _interpreters(call: Call) -> int:
    """How many words stand before the script where `./script` was called: `env bash ./script`."""
    words = call.argv
    for count in (1, 2):
        if len(words) > count and words[count - 1] in ("env", "bash", "sh") and "/" in words[count]:
            return count
    return 0


def _nearest(call: Call, reading: Reading) -> Command | None:
    """The command that was meant for a call, none where there is nothing alike."""
    best: Command | None = None
    most = 0.5
    for command in reading.commands:
        if _name(command) == call.argv[0]:
            words = [word.text for word in argv_of(command)]
            ratio = SequenceMatcher(None, words, list(call.argv), autojunk=False).ratio()
            if ratio > most or len(words) == len(call.argv) == 1:
                best, most = command, ratio
    return best


def _differences(call: Call, reading: Reading) -> list[str]:
    """Each wrong word with its line and bash's word."""
    command = _nearest(call, reading)
    if command is None:
        return [f": bash started, and it was not read: {' '.join(call.argv)[:300]}"]
    words = argv_of(command)
    texts = [word.text for word in words]
    notes = []
    matcher = SequenceMatcher(None, texts, list(call.argv), autojunk=False)
    for kind, low, high, start, end in matcher.get_opcodes():
        if kind == "equal" or (low == 0 and texts[0].endswith(call.argv[0]) and high == 1):
            continue
        span = words[min(low, len(words) - 1)].span
        line = reading.source.place(span).line
        ours, bashes = " ".join(texts[low:high]), " ".join(call.argv[start:end])
        notes.append(f":{line}: read {ours[:200]!r}, bash has {bashes[:200]!r}")
    return notes


def _exports(call: Call, reading: Reading, index: int) -> str:
    ours = {name: word.text for name, word in reading.commands[index].environment.items()}
    names = {*ours, *call.environment} - {"_", "SHLVL", "OLDPWD", "PWD", "PATH", "HOME", "USER"}
    different = [
        f"{name}: read {ours.get(name)!r}, bash has {call.environment.get(name)!r}"
        for name in sorted(names)
        if ours.get(name) != call.environment.get(name)
    ]
    return "; ".join(different)[:400]


def _extra(reading: Reading, used: set[int]) -> list[Command]:
    """Launches that were read as certain, and that bash did not start."""
    seen = {tuple(word.text for word in argv_of(reading.commands[index])) for index in sorted(used)}
    return [
        command
        for command in reading.commands
        if _name(command) in LAUNCHERS
        and not command.assumptions
        and tuple(word.text for word in argv_of(command)) not in seen
    ]


def figures(score: Score) -> str:
    """The figures as a table."""
    launches, opened = score.launches.total(), score.opened.total()
    scripts = score.launching.total()
    times = sorted(score.milliseconds)
    again = score.again.total()
    lines = [
        ("scripts", f"{score.scripts}"),
        ("  that launch something", f"{scripts}"),
        *_shares(score.launching),
        ("launches", f"{launches}"),
        *_shares(score.launches),
        ("  with wrong words", f"{score.launches['wrong']}"),
        ("  not read", f"{score.launches['missing']}"),
        ("  read, not run", f"{score.extra}"),
        ("  exports differ", f"{score.exports}"),
        ("run again", ""),
        ("  exact or hole", _share(score.again["exact"] + score.again["hole"], again)),
        ("  with wrong words", f"{score.again['wrong']}"),
        ("  not read", f"{score.again['missing']}"),
        ("unknown environment", ""),
        ("  exact", _share(score.opened["exact"], opened)),
        ("  exact or hole", _share(score.opened["exact"] + score.opened["hole"], opened)),
        ("bash -n agrees", _share(score.syntax, score.scripts)),
        ("out of time", f"{score.slow}"),
    ]
    if times:
        p95 = times[min(int(len(times) * 0.95), len(times) - 1)]
        middle = statistics.median(times)
        lines.append(("ms a script", f"median {middle:.2f}, p95 {p95:.2f}, most {times[-1]:.2f}"))
    return "\n".join(f"  {name:<26} {value}" for name, value in lines)


def _shares(counts: Counter[str]) -> list[tuple[str, str]]:
    exact, varying, total = counts["exact"], counts["varying"], counts.total()
    return [
        ("  exact", _share(exact, total)),
        ("  differ from run to run", f"{varying}"),
        ("  exact of the others", _share(exact, total - varying)),
        ("  exact or hole", _share(exact + varying + counts["hole"], total)),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"


if __name__ == "__main__":
    sys.exit(main())
