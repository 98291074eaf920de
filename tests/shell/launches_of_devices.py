"""What real bash launches of verl's examples on each kind of device, and whether we read the same.

`python -m tests.shell.launches_of_devices DIR` compares the reader with the committed table on a
checkout of verl at the commit that the table names; `--write COMMIT` makes the table anew.

The table is bash's: each script runs in the sandbox (see `tests.shell.sandbox`) with recorders in
place of every program, once where the commands that look for an Ascend device succeed and those
that look for a GPU fail, and once the other way round; each time twice, with other answers of
`date` and its like. Of each launch the table holds a digest of every word, and `?` for a word that
was another one in the second run. The scripts themselves are verl's, and no part of this
repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bot.base.devices import Vendor
from bot.script.choice import rules_out
from bot.shell import Invocation, read
from bot.shell.words import Command, Word
from tests.shell.corpus import LAUNCHERS
from tests.shell.judge import RECORDED, Call, argv_of
from tests.shell.sandbox import ANSWERS, ENVIRONMENT, Machine, Sandbox

TABLE = Path(__file__).parent / "launches" / "verl.json"
REPOSITORY = "https://github.com/verl-project/verl"
DEVICES = {"gpu": Vendor.NVIDIA, "npu": Vendor.ASCEND}
"""The word of the table, and whose devices it means."""
VARIES = "?"
ARGUMENTS = ("8", "/given/folder")
"""What a script is called with that launches nothing without arguments."""
_CALLS = 8
"""Calls of a script, each with the variables that the one before has missed."""
_MISSED = re.compile(r"^[^\n]*: line \d+: (?!cd:)([A-Za-z_]\w*): (?!command not found)", re.M)


@dataclass
class Comparison:
    """How the readings of scripts agree with bash."""

    exact: int = 0
    """Launches read word for word."""
    varying: int = 0
    """Launches that are unknown only where bash's words differ from run to run."""
    wrong: list[str] = field(default_factory=list)
    """A line for each launch that was not read, and for each that was read and did not run."""


def digest(text: str) -> str:
    """A short digest of a word."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def launch_of(call: Call) -> tuple[str, ...] | None:
    """The words of a launch, each as its digest; None for any other program, and `python -c`."""
    name = call.argv[0].rsplit("/", 1)[-1]
    if name not in LAUNCHERS or call.argv[1:2] == ("-c",):
        return None
    return tuple(digest(word) for word in (name, *call.argv[1:]))


def launches_of(calls: Sequence[Call], again: Sequence[Call]) -> list[tuple[str, ...]]:
    """The launches of a run, each once; a word that is another one in a second run is `?`."""
    launches = [launch for call in calls if (launch := launch_of(call))]
    others = [launch for call in again if (launch := launch_of(call))]
    if [len(launch) for launch in launches] == [len(launch) for launch in others]:
        launches = [
            tuple(one if one == two else VARIES for one, two in zip(*pair, strict=True))
            for pair in zip(launches, others, strict=True)
        ]
    return list(dict.fromkeys(launches))


def read_launches(data: bytes, path: str, call: Invocation) -> list[Command]:
    """The launches that the reader finds."""
    reading = read(data, path, call)
    return [
        command
        for command in reading.commands
        if _name(command) in LAUNCHERS and [word.text for word in argv_of(command)[1:2]] != ["-c"]
    ]


def compare(
    name: str,
    expected: Mapping[str, Sequence[Sequence[str]]],
    commands: Sequence[Command],
    comparison: Comparison,
) -> None:
    """Compares what bash launched on each device with what was read for it."""
    for device, vendor in DEVICES.items():
        counted = [command for command in commands if not rules_out(vendor, command)]
        left = list(counted)
        for launch in expected[device]:
            found = next((command for command in counted if _same(launch, command)), None)
            if found is None:
                comparison.wrong.append(f"{name}: {device}: a launch was not read")
                continue
            left = [command for command in left if command is not found]
            complete = all(word.complete for word in argv_of(found))
            comparison.exact += complete
            comparison.varying += not complete
        for command in left:
            words = " ".join(word.text for word in argv_of(command))[:120]
            comparison.wrong.append(f"{name}: {device}: read, and not launched: {words}")


def _name(command: Command) -> str:
    return argv_of(command)[0].text.rsplit("/", 1)[-1]


def _same(launch: Sequence[str], command: Command) -> bool:
    """Whether each word is the same; where one is unknown, bash's must vary."""
    words: list[Word] = list(argv_of(command))
    if len(words) != len(launch):
        return False
    return digest(_name(command)) == launch[0] and all(
        one == (digest(word.text) if word.complete else VARIES)
        for one, word in zip(launch[1:], words[1:], strict=True)
    )


def scripts_below(folder: Path) -> dict[str, bytes]:
    """The example scripts of a checkout."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted((folder / "examples").rglob("*.sh"))
    }


def record(sandbox: Sandbox, data: bytes, path: str, seconds: float) -> dict[str, object]:
    """What bash launches of a script on each device.

    It is called without arguments and with nothing in its environment. Where it then launches
    nothing, it is called with arguments, and with each variable that bash misses.
    """
    arguments: tuple[str, ...] = ()
    variables: dict[str, str] = {}
    for _ in range(_CALLS):
        runs = {
            (device, answer): sandbox.run(
                {path: ()},
                seconds=seconds,
                workers=1,
                machine=Machine(answer, device, variables, arguments),
            )[0]
            for device in DEVICES
            for answer in ANSWERS
        }
        launches = {
            device: launches_of(*(runs[device, answer].calls for answer in ANSWERS))
            for device in DEVICES
        }
        missed = [name for run in runs.values() for name in _MISSED.findall(run.errors)]
        if any(launches.values()) or (arguments and not set(missed) - set(variables)):
            break
        arguments = ARGUMENTS
        variables = {**variables, **{name: f"/given/{name.lower()}" for name in missed}}
    return {
        "sha256": hashlib.sha256(data).hexdigest(),
        "arguments": list(arguments),
        "variables": variables,
        **{device: [" ".join(launch) for launch in found] for device, found in launches.items()},
    }


def _recorded(folder: Path, seconds: float, workers: int) -> dict[str, dict[str, object]]:
    scripts = scripts_below(folder)
    sandbox = Sandbox(folder, {*RECORDED, *LAUNCHERS}, walled=True)
    try:
        with ThreadPoolExecutor(workers) as pool:
            found = pool.map(lambda path: record(sandbox, scripts[path], path, seconds), scripts)
            return dict(zip(scripts, found, strict=True))
    finally:
        sandbox.close()


def main() -> int:
    """Compare or write; returns 1 when the reader is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.shell.launches_of_devices", description=__doc__
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="a checkout of verl")
    parser.add_argument("--write", metavar="COMMIT", help="make the table of this commit")
    parser.add_argument("--seconds", type=float, default=10.0, help="time for a script")
    parser.add_argument("--workers", type=int, default=2, help="scripts at a time")
    arguments = parser.parse_args()
    if arguments.write:
        if shutil.which("bwrap") is None:
            parser.error("scripts of other people run only in a sandbox: install bubblewrap")
        scripts = _recorded(arguments.folder, arguments.seconds, arguments.workers)
        table = {"repository": REPOSITORY, "commit": arguments.write, "scripts": scripts}
        TABLE.write_text(json.dumps(table, indent=1) + "\n")
    table = json.loads(TABLE.read_text())
    comparison = Comparison()
    data = scripts_below(arguments.folder)
    for path, entry in table["scripts"].items():
        if hashlib.sha256(data.get(path, b"")).hexdigest() != entry["sha256"]:
            comparison.wrong.append(f"{path}: is not the script of {table['commit'][:12]}")
            continue
        expected = {device: [line.split() for line in entry[device]] for device in DEVICES}
        call = Invocation(
            environment={**ENVIRONMENT, **entry["variables"]}, arguments=entry["arguments"]
        )
        compare(path, expected, read_launches(data[path], path, call), comparison)
    for line in comparison.wrong:
        print(line)  # noqa: T201
    two = sum(entry["gpu"] != entry["npu"] for entry in table["scripts"].values())
    silent = sum(not (entry["gpu"] or entry["npu"]) for entry in table["scripts"].values())
    print(  # noqa: T201
        f"{len(table['scripts'])} scripts ({two} launch something else on another device, {silent} "
        "launch nothing), "
        f"{comparison.exact} launches word for word, {comparison.varying} with parts that differ "
        f"from run to run, {len(comparison.wrong)} wrong"
    )
    return int(bool(comparison.wrong))


if __name__ == "__main__":
    sys.exit(main())
