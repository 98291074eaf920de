"""A run's folder and its console log give the same verdicts where both can know."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.report import Evidence
from tests.conftest import WrittenRun
from tests.runs.console import OUT_OF_MEMORY, verl_log
from tests.runs.recipe import RunRecipe

DEMO: Any = import_module("examples.demo.__main__")
CONFIG: dict[str, Any] = DEMO.CONFIG

RECIPE = RunRecipe(
    config=CONFIG,
    run_id="k3v9x2ma",
    entity="ada",
    project="rlbot-tuning",
    packages={"verl": "0.9.1", "vllm": "0.11.0"},
)
ONLY_A_RUN = {
    "gpus",
    "device",
    "peak memory, allocator",
    "peak above the weights",
    "peak against the estimate",
    "least hardware",
}
"""What a console log does not name: the host's GPUs, and memory that is physical."""


def both(written: WrittenRun, folder: Path, recipe: RunRecipe) -> tuple[Evidence, Evidence]:
    """What the demo's script gets for the folder, and for the log, of one run."""
    log = folder / "train.log"
    log.write_text(verl_log(recipe, url=DEMO.LINK), encoding="utf-8")
    data = (DEMO.ROOT / DEMO.SCRIPT).read_bytes()
    found = []
    for run in (written(recipe), log):
        options = CheckOptions(evidence="required")
        evidence = check_script(ScriptFile(path=DEMO.SCRIPT, data=data), options, run=run).evidence
        assert evidence is not None
        found.append(evidence)
    return found[0], found[1]


def verdicts(evidence: Evidence) -> dict[str, str]:
    return {claim.claim: claim.verdict for claim in evidence.claims}


def changed(key: str, value: Any) -> dict[str, Any]:
    """The demo's configuration with an entry of `data` changed."""
    return {**CONFIG, "data": {**CONFIG["data"], key: value}}


@pytest.mark.parametrize(
    "recipe",
    [
        RECIPE,
        RECIPE.but(config=changed("train_batch_size", 512)),
        RECIPE.but(config=changed("max_response_length", 2048), steps=12),
        RECIPE.but(console=(OUT_OF_MEMORY,), steps=30, exit_code=1),
    ],
)
def test_the_same_verdicts_where_both_can_know(
    written: WrittenRun, tmp_path: Path, recipe: RunRecipe
) -> None:
    of_folder, of_log = map(verdicts, both(written, tmp_path, recipe))
    apart = {name for name in of_folder | of_log if of_folder.get(name) != of_log.get(name)}
    assert apart <= ONLY_A_RUN
    for name in apart:
        assert of_log.get(name) in (None, "inconclusive")


def test_the_log_is_weaker_and_says_so(written: WrittenRun, tmp_path: Path) -> None:
    folder, log = both(written, tmp_path, RECIPE)
    assert (folder.verdict, folder.strength) == ("consistent", "strong")
    assert (log.verdict, log.strength) == ("inconclusive", "weak")
    assert (folder.settings_consistent, folder.steps) == (log.settings_consistent, log.steps)
    assert log.source == "console log train.log, which is text that its owner can edit"
    sources = {claim.source for claim in log.claims}
    assert not any("run config" in source or "history" in source for source in sources)
