"""The reader gives the words that real bash gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bot.shell import Invocation, read
from bot.shell.words import Reading
from tests.profiles import scaled
from tests.shell.cases import CASES
from tests.shell.features import features
from tests.shell.judge import Call, Judge, Script, bash_version, verdict
from tests.shell.scripts import script, uncertain

pytestmark = pytest.mark.skipif(bash_version() < (5, 2), reason="bash 5.2 or newer is the judge")


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge") / "all")


@pytest.fixture(scope="module")
def judged(judge: Judge) -> dict[str, tuple[str, list[Call]]]:
    """For every case its path under bash, and the programs that bash started."""
    calls = judge.run([Script(text) for text in CASES.values()])
    return {name: (f"../{number}.sh", calls[number]) for number, name in enumerate(CASES)}


@pytest.mark.parametrize("name", CASES)
def test_construct(name: str, judge: Judge, judged: dict[str, tuple[str, list[Call]]]) -> None:
    path, calls = judged[name]
    environment = judge.environment(Script(""))
    reading = read(CASES[name].encode(), path, Invocation(environment=environment, arguments=()))
    assert verdict(calls, reading, environment) == "exact"


def test_cases_start_something(judged: dict[str, tuple[str, list[Call]]]) -> None:
    """The judge itself works: nothing agrees by being empty."""
    silent = {name for name, (_, calls) in judged.items() if not calls}
    assert silent <= {
        "set -e and assignment",
        "set -euo pipefail",
        "stray done",
        "double semicolon outside case",
    }


def test_judge_notices_a_wrong_word(judge: Judge) -> None:
    calls = judge.run([Script("cmd a b")])[0]
    environment = judge.environment(Script(""))
    for text in ("cmd a c", "cmd 'a b'", "", "cmd a b; cmd c", "X=1 cmd a b", "cmd a b ''"):
        reading = read(text.encode(), "x.sh", Invocation(environment=environment, arguments=()))
        assert verdict(calls, reading, environment).startswith("wrong")


_generated = settings(
    max_examples=scaled(30),
    phases=(Phase.generate,),  # each example starts hundreds of processes
    database=None,
    suppress_health_check=list(HealthCheck),
)


def _judged(
    texts: Sequence[str], judge: Judge, *, ordered: bool
) -> Iterator[tuple[str, Reading, str]]:
    """Each script with its reading and the verdict on it, but for those that reach a bound."""
    scripts = [Script(text) for text in texts]
    for number, (one, calls) in enumerate(zip(scripts, judge.run(scripts), strict=True)):
        environment = judge.environment(one)
        reading = read(
            one.text.encode(), f"../{number}.sh", Invocation(environment=environment, arguments=())
        )
        if not any(problem.kind == "limit" for problem in reading.problems):
            yield one.text, reading, verdict(calls, reading, environment, ordered=ordered)


@_generated
@given(texts=st.lists(script(), min_size=8, max_size=8))
def test_generated_scripts(texts: list[str], judge: Judge) -> None:
    for text, reading, found in _judged(texts, judge, ordered=True):
        assert not any(command.assumptions for command in reading.commands)
        assert found == "exact", text


@_generated
@given(texts=st.lists(uncertain(), min_size=8, max_size=8))
def test_generated_scripts_with_values_that_nobody_knows(texts: list[str], judge: Judge) -> None:
    """What hangs on an unknown value is unknown, and never the value of before."""
    for text, _, found in _judged(texts, judge, ordered=False):
        assert found in ("exact", "hole"), text


@_generated
@given(texts=st.lists(features(), min_size=8, max_size=8))
def test_generated_scripts_that_change_variables(texts: list[str], judge: Judge) -> None:
    for text, _, found in _judged(texts, judge, ordered=False):
        assert found in ("exact", "hole"), text


def test_arguments_and_environment(judge: Judge) -> None:
    text = (
        'N=${N:-8}; M=${1:-none}; cmd "$N" "$M" "$#" "$@" "${HOME##*/}" ${X+x} ${X-unset}\n'
        'X=2; cmd $X; while [ $# -gt 0 ]; do cmd "$1"; shift; done\n'
    )
    one = Script(text, arguments=("a b", "", "--c=d"), environment={"N": "4", "X": ""})
    calls = judge.run([one])[0]
    environment = judge.environment(one)
    reading = read(
        text.encode(), "../0.sh", Invocation(environment=environment, arguments=one.arguments)
    )
    assert verdict(calls, reading, environment) == "exact"
    assert len(calls) == 5


def test_unknown_output_is_a_hole_and_never_a_wrong_word(judge: Judge) -> None:
    text = 'D=$(python now); cmd "run-$D" $D "$(python a; echo b)" && cmd ok\n'
    calls = judge.run([Script(text)])[0]
    environment = judge.environment(Script(""))
    reading = read(text.encode(), "x.sh", Invocation(environment=environment, arguments=()))
    assert verdict(calls, reading, environment) == "hole"


@pytest.mark.parametrize(
    "use",
    [
        "sed s/b/x/", "awk '{print $1}'", "cut -c1", "head -c 2", "wc -c", "tr -s b x",
        "tr -s '[a*]' x", "tr '[a*]' x", r"tr '\142' x",
    ],
)  # fmt: skip
def test_uses_of_filters_that_are_left_unknown(use: str, judge: Judge) -> None:
    text = f"cmd $(echo abc | {use})"
    calls = judge.run([Script(text)])[0]
    environment = judge.environment(Script(""))
    reading = read(text.encode(), "x.sh", Invocation(environment=environment, arguments=()))
    assert verdict(calls, reading, environment) == "hole"
