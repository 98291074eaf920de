"""What finished runs say: real folders of the W&B SDK, and the trial log that is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.bisect.bracket import read_bracket
from bot.bisect.candidates import Candidates
from bot.bisect.log import merged, with_log
from bot.bisect.report import Bracket
from bot.check.request import CheckOptions
from bot.check.script import check_script
from bot.evidence import read
from bot.evidence.facts import Facts, MetricSeries
from bot.script.trial_log import (
    Trial,
    largest_passing,
    outcome,
    read_trials,
    trial_log,
    tried_values,
)
from tests.bisect.samples import (
    ARRAY,
    FLAT,
    FLAT_KEYS,
    VARIABLES,
    config_of,
    run_of,
    script,
    series_of,
)
from tests.conftest import WrittenRun
from tests.profiles import scaled

TRIALS = st.lists(
    st.builds(Trial, value=st.integers(1, 10**9 - 1), passed=st.booleans()), min_size=1, max_size=12
)


@given(TRIALS)
def test_a_trial_log_that_is_written_is_read_back(trials: list[Trial]) -> None:
    assert read_trials(trial_log(trials)) == tuple(trials)


@given(TRIALS, TRIALS)
def test_a_log_keeps_what_it_had_and_takes_the_new_outcome(
    before: list[Trial], now: list[Trial]
) -> None:
    together = merged(before, now)
    assert len({trial.value for trial in together}) == len(together)
    for value in {trial.value for trial in (*before, *now)}:
        assert outcome(together, value) is outcome([*before, *now], value)
    assert merged(together, now) == together
    assert largest_passing(together) == largest_passing([*before, *now])


@pytest.fixture(scope="module")
def runs(written: WrittenRun) -> dict[int, Path]:
    """Folders of runs of VARIABLES with several batches: 58 is the largest that runs."""
    return {
        value: written(
            run_of(VARIABLES.replace("=58", f"={value}"), fits=value <= 58, run_id=f"batch{value}")
        )
        for value in (44, 58, 59, 72)
    }


def _read(paths: list[Path], text: str = VARIABLES) -> tuple[Bracket, str]:
    facts = [(path.name, read(path)) for path in paths]
    candidates = Candidates(script(text), CheckOptions(), facts=[one for _, one in facts])
    bracket, data, _ = read_bracket(candidates, facts)
    return bracket, data.decode()


def test_neighbours_bracket_the_largest_batch(runs: dict[int, Path]) -> None:
    bracket, text = _read(list(runs.values()))
    assert [one.outcome for one in bracket.outcomes] == ["ran", "ran"] + ["out of memory"] * 2
    assert (bracket.verdict, bracket.max_batch) == ("bracketed", 116)
    assert bracket.trial_log == "# 44√ → 58√ → 59× → 72×"
    assert bracket.next_values == ()
    assert text == VARIABLES.replace("=58", "=58 # 44√ → 58√ → 59× → 72×")


def test_an_open_bracket_says_what_is_next(runs: dict[int, Path]) -> None:
    bracket, _ = _read([runs[44], runs[72]])
    assert bracket.verdict == "open"
    assert bracket.max_batch == 88
    (value,) = bracket.next_values
    assert 44 < value < 72
    assert bracket.next_command is not None
    assert bracket.next_command.endswith(" --ran 44 --failed 72")


def test_writing_twice_changes_nothing(runs: dict[int, Path]) -> None:
    _, once = _read([runs[58], runs[59]], VARIABLES.replace("=58", "=40"))
    assert "nproc_per_gpu=58 # 58√ → 59×\n" in once
    _, twice = _read([runs[58], runs[59]], once)
    assert twice == once


def test_the_log_stands_in_for_a_run_that_is_not_there(runs: dict[int, Path]) -> None:
    logged = VARIABLES.replace("=58", "=44 # 44√ → 72× → 59×")
    bracket, _ = _read([runs[58]], logged)
    assert (bracket.verdict, bracket.max_batch) == ("bracketed", 116)
    assert bracket.failed is not None
    assert bracket.failed.source == "trial log"
    assert "in part by the script's own trial log" in bracket.summary
    bracket, _ = _read([runs[58]], logged.replace("59×", "50×"))
    assert bracket.verdict == "open"
    assert bracket.failed is None


def test_a_mark_that_a_run_changes_is_said(runs: dict[int, Path]) -> None:
    bracket, text = _read([runs[58], runs[59]], VARIABLES.replace("=58", "=44 # 44√ → 58× → 59√"))
    assert "nproc_per_gpu=58 # 44√ → 58√ → 59×\n" in text
    assert bracket.written
    fits, failed = bracket.notes
    assert fits.startswith(
        "The script's own trial log marked 58 as failed, and a run shows that it"
    )
    assert failed.startswith("The script's own trial log marked 59 as passing, and a run of it was")
    again, _ = _read([runs[58], runs[59]], text)
    assert again.notes == ()


def test_a_contradiction_is_said(runs: dict[int, Path], written: WrittenRun) -> None:
    early = written(run_of(VARIABLES.replace("=58", "=44"), fits=False, run_id="early"))
    bracket, _ = _read([runs[58], early])
    assert bracket.verdict == "contradictory"
    assert bracket.max_batch is None
    assert bracket.summary.startswith("Contradictory: nproc_per_gpu=58 ran, and nproc_per_gpu=44")


STYLES = {
    "beside a variable": (VARIABLES, (), "=58 # 58√ → 59×\n"),
    "behind a comment": (
        VARIABLES.replace("=58", "=58 # prompts a GPU"),
        (),
        "=58 # prompts a GPU # 58√ → 59×\n",
    ),
    "above a variable": (
        VARIABLES.replace("nproc_per_gpu=58", "# 32√ → 59√\nnproc_per_gpu=58"),
        (),
        "# 32√ → 59× → 58√\nnproc_per_gpu=58\n",
    ),
    "among other words": (
        VARIABLES.replace("=58", "=58 # per GPU: 32√ → 64× (in May)"),
        (),
        "=58 # per GPU: 32√ → 64× → 58√ → 59× (in May)\n",
    ),
    "in an array": (ARRAY, FLAT_KEYS, "    data.train_batch_size=116 # 116√ → 118×\n"),
    "in a command of several lines": (
        FLAT,
        FLAT_KEYS,
        "\n# data.train_batch_size: 116√ → 118×\npython3 -m verl.trainer.main_ppo \\\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_log_stands_where_the_linter_reads_it(style: str, newline: str) -> None:
    text, vary, wanted = STYLES[style]
    series = series_of(script(text.replace("\n", newline)), vary)
    values = (116, 118) if vary else (58, 59)
    trials = [Trial(value, passed) for value, passed in zip(values, (True, False), strict=True)]
    data, done = with_log(series.candidates, trials, values[0])
    assert done
    assert wanted.replace("\n", newline) in data.decode()
    again = series_of(script(data), vary)
    assert with_log(again.candidates, trials, values[0]) == (data, True)
    report = check_script(script(data), CheckOptions(select=("trial-log",)))
    assert not report.findings
    context = again.candidates.read(data)
    (tried,) = tried_values(context.reading, context.choice.plans)
    assert {trial.value: trial.passed for trial in tried.trials}.items() >= {
        (values[0], True),
        (values[1], False),
    }


@settings(max_examples=scaled(20))
@given(st.lists(st.builds(Trial, value=st.integers(1, 999), passed=st.booleans()), min_size=1))
def test_any_log_comes_back_from_the_script(trials: list[Trial]) -> None:
    series = series_of(script(VARIABLES), ran=1, failed=2)
    data, done = with_log(series.candidates, trials, None)
    assert done
    context = series.candidates.read(data)
    (tried,) = tried_values(context.reading, context.choice.plans)
    assert tried.trials == merged((), trials)
    lines = data.decode().splitlines()
    changed = [new for new, old in zip(lines, VARIABLES.splitlines(), strict=True) if new != old]
    assert len(changed) == 1


def test_what_is_no_evidence_says_nothing(written: WrittenRun) -> None:
    died = written(run_of(VARIABLES, fits=True, run_id="died", exit_code=1))
    short = written(run_of(VARIABLES, fits=True, run_id="short", steps=3))
    other = written(
        run_of(VARIABLES.replace("rollout.n=5", "rollout.n=8"), fits=True, run_id="other")
    )
    bracket, text = _read([died, short, other])
    assert bracket.verdict == "nothing"
    assert text == VARIABLES
    reasons = [one.reason for one in bracket.outcomes]
    assert reasons[0] == "The run ended with exit code 1; its log does not say why."
    assert reasons[1] == "3 steps; 20 are needed"
    assert reasons[2].startswith("it is no run of this script with that batch: rollout n is 8")


def test_a_run_of_short_responses_does_not_show_that_its_batch_fits(written: WrittenRun) -> None:
    brief = written(run_of(VARIABLES, fits=True, run_id="brief", response_length_max=200))
    bracket, text = _read([brief])
    (one,) = bracket.outcomes
    assert (one.outcome, one.value) == ("open", 58)
    assert one.reason.startswith("The longest response had 200 of 1024 tokens")
    assert (bracket.verdict, bracket.max_batch, bracket.trial_log) == ("nothing", None, None)
    assert text == VARIABLES


def test_a_run_whose_lengths_are_not_known_is_open() -> None:
    config = config_of(VARIABLES)
    steps = MetricSeries(
        key="training/global_step", rows=25, maximum=25.0, at_step=25, last=25.0, monotone=True
    )
    facts = Facts(source="a run", config=config, history={"training/global_step": steps})
    candidates = Candidates(script(), CheckOptions(), facts=[facts])
    bracket, _, _ = read_bracket(candidates, [("run", facts)])
    assert [one.outcome for one in bracket.outcomes] == ["open"]
    assert "how long responses were is open" in bracket.outcomes[0].reason
