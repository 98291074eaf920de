"""Where an observation comes from: the text of a report, and the parts behind it."""

from __future__ import annotations

import copy
import json
import pickle

from bot.report.claims import (
    ClaimSource,
    SourceName,
    SourcePart,
    claim_source,
    compared_with,
    read_together,
    source_names,
)

CONFIG = claim_source(SourcePart(SourceName.RUN_CONFIG, "data.train_batch_size"))


def test_a_source_is_the_text_of_a_report() -> None:
    together = read_together(CONFIG, SourceName.REQUIREMENTS)
    assert together == "run config: data.train_batch_size, requirements.txt"
    compared = compared_with(together, SourceName.OTHER_RUNS)
    assert compared == f"{together}; other runs of the project"
    gpu = claim_source(SourceName.SYSTEM_STREAM, SourcePart(None, "GPU 3"))
    assert json.dumps([gpu, SourceName.HISTORY]) == '["system stream, GPU 3", "history"]'


def test_decisions_read_its_parts_and_never_its_text() -> None:
    compared = compared_with(CONFIG, SourceName.TRIAL_LOG)
    assert source_names(compared) == {SourceName.RUN_CONFIG, SourceName.TRIAL_LOG}
    assert source_names(SourceName.CONSOLE) == {SourceName.CONSOLE}
    named_like_one = claim_source(SourcePart(SourceName.RUN_CONFIG, "trainer.history"))
    assert source_names(named_like_one) == {SourceName.RUN_CONFIG}
    assert source_names("run config") == frozenset()


def test_parts_change_their_names_and_keep_their_details() -> None:
    printed = compared_with(CONFIG, SourceName.TRIAL_LOG).renamed(
        {SourceName.RUN_CONFIG: SourceName.PRINTED_CONFIG}
    )
    assert printed == "printed configuration: data.train_batch_size; the script's trial log"


def test_a_copy_remembers_its_parts() -> None:
    for again in (copy.deepcopy(CONFIG), pickle.loads(pickle.dumps(CONFIG))):  # noqa: S301
        assert isinstance(again, ClaimSource)
        assert (again, again.groups) == (CONFIG, CONFIG.groups)
