"""MaxBatch: fits, confirmed, contradicted, by the run, its siblings and the script's trial log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.evidence.facts import Sibling
from bot.evidence.subject import ClaimContext
from bot.report import Claim, Evidence
from bot.script.trial_log import Trial
from tests.evidence.samples import claim, config, evidence, facts, series


def sibling(
    batch: int, *, oom: bool | None = None, steps: int | None = 40, **changes: Any
) -> Sibling:
    """A run of the same project; `changes` as for `config`."""
    made = config(data__train_batch_size=batch, trainer__experiment_name=f"b{batch}", **changes)
    return Sibling(id=f"r{batch}", config=made, steps=steps, out_of_memory=oom)


def compared(*siblings: Sibling, trials: tuple[Trial, ...] = (), **changes: Any) -> Evidence:
    return evidence(facts(siblings=siblings, **changes), context=ClaimContext(trials=trials))


def judged(found: Evidence) -> tuple[str, str | None]:
    return claim(found, "max batch").verdict, found.max_batch


def reason(found: Evidence) -> str:
    return claim(found, "max batch").reason


def test_without_siblings_it_fits() -> None:
    found = compared()
    assert judged(found) == ("consistent", "fits")
    assert reason(found) == "It fits: the run trained with 128. Whether more fits was not shown."


def test_a_batch_that_is_recorded_as_text_is_a_number() -> None:
    logged = config(data__train_batch_size="128")
    assert judged(compared(config=logged)) == ("consistent", "fits")
    larger = replace(sibling(136, oom=True), config=config(data__train_batch_size="136"))
    assert judged(compared(larger, config=logged)) == ("consistent", "confirmed")


def test_other_runs_that_were_not_read_are_said() -> None:
    unread = "The other runs of the project could not be listed (HTTP 403)."
    found = compared(sibling_gaps=(unread, "Another."))
    assert judged(found) == ("consistent", "fits")
    assert reason(found).endswith(f"Whether more fits was not shown. {unread}")
    assert unread not in reason(compared(sibling(136, oom=True), sibling_gaps=(unread,)))


@pytest.mark.parametrize(
    "other",
    [
        sibling(136, oom=True, actor_rollout_ref__rollout__n=8),
        sibling(136, oom=True, trainer__n_gpus_per_node=1),
        sibling(136, oom=True, data__max_response_length=2048),
        sibling(136, oom=True, actor_rollout_ref__actor__fsdp_config={"param_offload": True}),
        sibling(136, oom=None, steps=3),
        sibling(136, oom=None, steps=None),
        sibling(136, oom=False, steps=19),
        sibling(120, oom=True),
        sibling(64, steps=400),
        Sibling(id="r", config={}, out_of_memory=True),
        Sibling(id="abc123", config=config(data__train_batch_size=256), steps=400),
    ],
)
def test_runs_that_say_nothing_of_a_larger_batch(other: Sibling) -> None:
    assert judged(compared(other)) == ("consistent", "fits")


def test_the_smallest_failed_neighbour_confirms_and_the_gap_is_said() -> None:
    found = compared(sibling(256, oom=True), sibling(129, oom=True), sibling(64, oom=False))
    assert judged(found) == ("consistent", "confirmed")
    assert reason(found) == (
        "Confirmed: 128 ran, 129 ran out of memory in run r129, whose configuration is the same "
        "but for the batch sizes."
    )
    wide = compared(sibling(192, oom=True), sibling(256, oom=True))
    assert "sizes; nothing between 128 and 192 was tried." in reason(wide)


def test_batch_sizes_and_bookkeeping_may_differ() -> None:
    other = sibling(
        136,
        oom=True,
        actor_rollout_ref__actor__ppo_mini_batch_size=136,
        actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu=34,
        trainer__total_epochs=1,
        trainer__logger=["wandb"],
        data__val_files="/elsewhere",
    )
    assert judged(compared(other)) == ("consistent", "confirmed")


def test_a_larger_batch_that_ran_contradicts() -> None:
    found = compared(sibling(136), sibling(192, oom=False, steps=30), sibling(256, oom=True))
    assert judged(found) == ("inconsistent", "contradicted")
    assert found.verdict == "inconsistent"
    assert reason(found) == (
        "A larger batch runs: 192 ran for 30 steps in run r192, whose configuration is the same "
        "but for the batch sizes."
    )


@pytest.mark.parametrize(
    ("trials", "verdict", "words"),
    [
        ((Trial(64, True), Trial(128, True)), "fits", "Whether more fits was not shown"),
        (
            (Trial(128, True), Trial(136, False)),
            "fits",
            "That 136 does not is what the script's own",
        ),
        ((Trial(128, False), Trial(128, True)), "fits", "Whether more"),
        ((Trial(120, True), Trial(128, False)), "contradicted", "log marks 128 as failing"),
        ((Trial(128, True), Trial(160, True)), "contradicted", "log marks 160 as passing"),
        ((Trial(160, True), Trial(136, False), Trial(128, True)), "fits", "That 136 does not"),
    ],
)
def test_the_scripts_own_trial_log(trials: tuple[Trial, ...], verdict: str, words: str) -> None:
    found = compared(trials=trials)
    assert found.max_batch == verdict
    assert words in reason(found)


def test_a_run_that_did_not_last_shows_no_fit() -> None:
    short = dict(facts().history)
    short["training/global_step"] = series("training/global_step", 5, 5)
    found = compared(history=short)
    assert judged(found) == ("inconclusive", None)
    assert reason(found) == (
        "The run trained with 128, but that it fits is open: 5 steps are too few to have seen "
        "responses of full length."
    )
    assert judged(compared(sibling(136, oom=True), history=short)) == ("inconclusive", None)
    enough = evidence(facts(history=short), context=ClaimContext(min_steps=5))
    assert judged(enough) == ("consistent", "fits")
    failed = compared(out_of_memory="torch.OutOfMemoryError: CUDA out of memory.")
    assert judged(failed) == ("inconsistent", "contradicted")
    assert reason(failed) == "The run trained with 128 and ran out of memory."


def test_another_batch_than_the_scripts_is_no_statement_of_either() -> None:
    found = compared(config=config(data__train_batch_size=116))
    assert judged(found) == ("inconsistent", None)
    only: Claim = claim(found, "max batch")
    assert (only.claimed, only.observed) == (128, 116)
