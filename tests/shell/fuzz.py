"""Looks for scripts on which the reader fails: `make fuzz`, or `python -m tests.shell.fuzz`.

Two ways in turn, until the time is up:

- scripts from the grammars of `tests.shell.scripts` and `tests.shell.features` run under real bash;
  every word must agree, and of the second may be a hole;
- the cases of `tests.shell`, mangled: the reader must end soon, in bounded memory, without an
  exception, and every piece must lie where its characters stand.

A failure is printed as small as it could be made, with the seed that found it.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from bot.shell import Invocation, read
from bot.shell.words import Reading
from tests.profiles import scaled
from tests.shell.cases import CASES
from tests.shell.features import features
from tests.shell.judge import Judge, Script, verdict
from tests.shell.scripts import script
from tests.shell.trees import TREES

SLOW = 5.0
"""Seconds of processor time that no script of a few kilobytes may take."""
MEGABYTES = 400
"""How far the whole process may grow."""
_BATCH = 8
_FRAGMENTS = (
    "$", "(", ")", "((", "))", "{", "}", "${", "$((", "$(", "`", '"', "'", "\\", "\n", " ", ";",
    ";;", "&", "&&", "||", "|", "<", ">", "<<", "<<<", "<<-EOF", "EOF\n", "if ", "then ", "fi\n",
    "for ", "in ", "do ", "done\n", "while ", "case ", "esac\n", "[[ ", " ]]", "[ ", " ]", "=",
    "+=", "=(", "$a", "${a", "#", "%", "//", ":-", "[@]", "*", "~", "!", "eval ", "f() {", "$'",
    "local ", "declare -A ", "set -e\n", "cmd ", "1", "..", ",", "-", "=~", "?", "é", "\t", "\r\n",
    "source ", ". ./x.sh\n", "bash x.sh\n", "bash -c ", "bash -s ", "srun bash -c ",
    "sbatch --wrap ", "ssh h ", "docker run i bash -c ", "cd ..\n", "read -d '' ", "\0", "\ufeff",
)  # fmt: skip


def main() -> int:
    """Fuzz and print; returns 1 when something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.shell.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=None, help="where to start (default: by time)")
    arguments = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _late)
    start = int(time.time()) if arguments.seed is None else arguments.seed
    end = time.monotonic() + arguments.seconds
    counts = {"generated": 0, "mangled": 0}
    slowest, heaviest = 0.0, b""
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(Path(folder) / "judge")
        number = start
        while time.monotonic() < end:
            number += 1
            found = _generated(judge, number)
            counts["generated"] += _BATCH
            if found:
                print(f"seed {number}: {found}")  # noqa: T201
                return 1
            for text in _mangled(random.Random(number), 400):  # noqa: S311
                counts["mangled"] += 1
                complaint, seconds = fault(text)
                if seconds > slowest:
                    slowest, heaviest = seconds, text
                if complaint:
                    print(f"seed {number}: {complaint}\n{smaller(text)!r}")  # noqa: T201
                    return 1
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(  # noqa: T201
        f"{counts['generated']:,} generated scripts agree with bash; {counts['mangled']:,} mangled "
        f"ones were read, the slowest in {1000 * slowest:.0f} ms; {grown} MB at most "
        f"(seeds {start + 1} to {number})"
    )
    if slowest > SLOW / 3:
        print(f"the slowest: {heaviest!r}")  # noqa: T201
    if grown > MEGABYTES:
        print(f"the process grew above {MEGABYTES} MB")  # noqa: T201
        return 1
    return 0


def _late(*_: object) -> None:
    raise TimeoutError(f"more than {SLOW} s")


def _generated(judge: Judge, number: int) -> str:
    """What is wrong with one of a few scripts of a grammar; "" when nothing is."""
    found: list[str] = []

    @seed(number)
    @settings(
        max_examples=scaled(1),
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(texts=st.lists(features() if number % 2 else script(), min_size=_BATCH, max_size=_BATCH))
    def agree(texts: list[str]) -> None:
        scripts = [Script(text) for text in texts]
        for index, (one, calls) in enumerate(zip(scripts, judge.run(scripts), strict=True)):
            environment = judge.environment(one)
            reading = read(
                one.text.encode(),
                f"../{index}.sh",
                Invocation(environment=environment, arguments=()),
            )
            if any(problem.kind == "limit" for problem in reading.problems):
                continue
            outcome = verdict(calls, reading, environment, ordered=not number % 2)
            if outcome != "exact" and not (number % 2 and outcome == "hole"):
                found[:] = [f"{outcome}\n{one.text}"]
                raise AssertionError(outcome)

    try:
        agree()
    except AssertionError:
        return found[0] if found else traceback.format_exc()
    return ""


def _mangled(source: random.Random, count: int) -> Iterator[bytes]:
    """Cases with pieces removed, doubled, exchanged and put in."""
    texts = [*CASES.values(), *(files[path] for path, files in TREES.values())]
    for _ in range(count):
        text = source.choice(texts)
        if source.random() < 0.3:
            text += source.choice(texts)
        for _ in range(source.randint(1, 8)):
            start = source.randint(0, len(text))
            stop = min(len(text), start + source.randint(0, 12))
            piece = source.choice(
                (
                    "",
                    source.choice(_FRAGMENTS),
                    source.choice(_FRAGMENTS) * source.randint(1, 60),
                    text[start:stop] * 2,
                    source.choice(texts)[:40],
                )
            )
            text = text[:start] + piece + text[stop:]
        data = text.encode()
        if source.random() < 0.05:
            at = source.randint(0, len(data))
            data = data[:at] + bytes([source.randrange(256)]) + data[at:]
        yield data


def fault(data: bytes) -> tuple[str, float]:
    """What is wrong with the reading of a script, "" when nothing is; and how long it took."""
    slowest = 0.0
    readers: tuple[Callable[[], Reading], ...] = (
        lambda: read(data, "a/run.sh"),
        lambda: read(
            data, "a/run.sh", Invocation(environment={"HOME": "/h"}, arguments=("1", "b c"))
        ),
        lambda: read(b"[ $# = 0 ] && exit 1\n" + data, "a/run.sh"),
        lambda: read(data, "a/run.sh", files={"x.sh": data, "a/x.sh": data, "v": b"a b\n"}.get),
    )
    for reader in readers:
        start = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
        try:
            result = reader()
        except Exception:
            return traceback.format_exc(), SLOW
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        slowest = max(slowest, time.process_time() - start)
        if slowest > SLOW:
            # A callback of the garbage collector may have swallowed the exception.
            return f"TimeoutError: more than {SLOW} s", slowest
        complaint = misplaced(result)
        if complaint:
            return complaint, slowest
    return "", slowest


def misplaced(result: Reading) -> str:
    """What lies where it cannot: "" when every piece stands where its characters are."""
    text = result.source.text
    for problem in result.problems:
        if not 0 <= problem.span.start <= problem.span.end <= len(text):
            return f"a problem lies outside of the script: {problem}"
    for command in result.commands:
        if not command.argv:
            return "a command without words"
        words = [*command.argv, *command.environment.values()]
        for piece in (piece for word in words for piece in word.pieces):
            span = piece.span
            if not 0 <= span.start <= span.end <= len(text):
                return f"a piece lies outside of the script: {piece}"
            if piece.literal and text[span.start : span.end] != piece.text:
                return f"a piece does not stand where it says: {piece}"
    return ""


def smaller(data: bytes) -> bytes:
    """A script with the same kind of fault from which no stretch can be left out."""
    kind = fault(data)[0].splitlines()[-1:]
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + size :]
            if fault(shorter)[0].splitlines()[-1:] == kind:
                data = shorter
            else:
                at += size
        size //= 2
    return data


if __name__ == "__main__":
    sys.exit(main())
