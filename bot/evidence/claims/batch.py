"""MaxBatch: that the batch ran, and whether anything shows that it is, or is not, the largest.

One run shows that a batch fits. That it is the largest takes a run of the same configuration with a
larger batch that ran out of memory. Batches are `data.train_batch_size` (verl) and the rollout
batch (OpenRLHF): prompts a step over all GPUs, as the published rows count them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, plural_message
from bot.base.regex import regex
from bot.evidence.facts import Sibling
from bot.evidence.subject import ClaimSubject, Observation, keys_of, setting_claim
from bot.evidence.values import leaves, lookup, same, whole
from bot.report import Claim, ClaimVerdict, JsonValue
from bot.report.claims import ClaimName, SourceName, compared_with, read_together

MaxBatch: TypeAlias = Literal["fits", "confirmed", "contradicted"]

_BATCH_SIZES: Final = regex(r"(?:\A|[._])\w{0,200}batch_size\w{0,200}\Z")
BOOKKEEPING: Final = regex(
    r"(?:trainer\.(?:experiment_name|project_name|default_\w*dir|total_epochs|total_training_steps"
    r"|save_freq|test_freq|val_\w+|logger|resume_\w+|\w*_data_dir|log_val_generations"
    r"|max_\w{0,200}ckpt\w{0,200}|del_local_ckpt\w*)"
    r"|data\.val_\w+|data\.seed|hydra\..*|(?:\w{1,80}\.){0,12}(?:wandb|logger|ckpt|eval)(?:_\w{1,80})?(?:\.\w{1,80}){0,12}"
    r"|(?:\w{1,80}\.){0,12}(?:use_wandb|save_path|save_steps|save_hf_ckpt|eval_steps|logging_steps"
    r"|num_episodes|max_epochs|seed|use_tensorboard|load_checkpoint))\Z"
)
"""Settings that decide neither what is trained nor how much memory a step takes."""


@dataclass(frozen=True, slots=True)
class _Neighbour:
    batch: int
    run: Sibling
    ran: bool


def batch_claim(subject: ClaimSubject, steps: Claim) -> tuple[Claim | None, MaxBatch | None]:
    """The claim "max batch", and what is shown of it; `steps` is the claim that the run lasted.

    None when the script has no train batch.
    """
    claim = setting_claim(subject, ClaimName.TRAIN_BATCH, subject.plan.train_batch_size)
    if claim is None:
        return None, None
    name, claimed, batch = ClaimName.MAX_BATCH, claim.claimed, claim.observed
    seen = Observation(name, claimed, batch, claim.source)
    if claim.verdict == "inconsistent":
        other = message("The run trained with {run}, not with {script}.", run=batch, script=claimed)
        return seen.inconsistent(other), None
    number = whole(batch)
    if claim.verdict == "inconclusive" or number is None:
        return seen.inconclusive(claim.reason), None
    if steps.verdict == "inconsistent":
        failed = message("The run trained with {batch} and ran out of memory.", batch=batch)
        both = read_together(claim.source, steps.source)
        return Observation(name, claimed, batch, both).inconsistent(failed), "contradicted"
    verdict, source, reason, shown = _judge(subject, number, claim.source)
    if verdict == "consistent" and steps.verdict == "inconclusive":
        reason = message(
            "The run trained with {batch}, but that it fits is open: {why}",
            batch=batch,
            why=steps.reason,
        )
        return Observation(name, claimed, batch, source).inconclusive(reason), None
    return Observation(name, claimed, batch, source).judged(verdict, reason), shown


def _judge(
    subject: ClaimSubject, batch: int, source: str
) -> tuple[ClaimVerdict, str, str, MaxBatch]:
    neighbours = list(_neighbours(subject))
    larger = sorted((n for n in neighbours if n.batch > batch), key=lambda n: n.batch)
    ran = [n for n in larger if n.ran]
    failed = [n for n in larger if not n.ran]
    both = compared_with(source, SourceName.OTHER_RUNS)
    if ran:
        reason = plural_message(
            "A larger batch runs: {larger} ran for {count} step in run {run}, whose configuration "
            "is the same but for the batch sizes.",
            "A larger batch runs: {larger} ran for {count} steps in run {run}, whose configuration "
            "is the same but for the batch sizes.",
            ran[-1].run.steps or 0,
            larger=ran[-1].batch,
            run=ran[-1].run.id,
        )
        return "inconsistent", both, reason, "contradicted"
    log = compared_with(source, SourceName.TRIAL_LOG)
    if (contradiction := _trial_log(subject, batch)) is not None:
        return "inconsistent", log, contradiction, "contradicted"
    if failed:
        first = failed[0]
        reason = message(
            "Confirmed: {batch} ran, {failed} ran out of memory in run {run}, whose configuration "
            "is the same but for the batch sizes{gap}.",
            batch=batch,
            failed=first.batch,
            run=first.run.id,
            gap=_gap(batch, first.batch),
        )
        return "consistent", both, reason, "confirmed"
    failing = [value for value, passed in _outcome_by_batch(subject).items() if not passed]
    above = min((value for value in failing if value > batch), default=None)
    if above is not None:
        reason = message(
            "It fits: the run trained with {batch}. That {failing} does not is what the script's "
            "own trial log says; no run shows it.",
            batch=batch,
            failing=above,
        )
        return "consistent", log, reason, "fits"
    reason = message(
        "It fits: the run trained with {batch}. Whether more fits was not shown.", batch=batch
    )
    if subject.facts.sibling_gaps:
        reason = message("{said} {why}", said=reason, why=subject.facts.sibling_gaps[0])
    return "consistent", source, reason, "fits"


def _gap(batch: int, failed: int) -> str:
    if failed - batch <= 1:
        return ""
    return message("; nothing between {batch} and {failed} was tried", batch=batch, failed=failed)


def _outcome_by_batch(subject: ClaimSubject) -> dict[int, bool]:
    """Batch to whether it passed, of the trial log: of several tries the last outcome."""
    return {trial.value: trial.passed for trial in subject.context.trials}


def _trial_log(subject: ClaimSubject, batch: int) -> str | None:
    """How the script's own trial log contradicts the batch; None when it does not."""
    tried = _outcome_by_batch(subject)
    failing = {value for value, passed in tried.items() if not passed}
    if batch in failing:
        return message("The script's own trial log marks {batch} as failing.", batch=batch)
    lowest = min(failing, default=None)
    passing = [v for v, passed in tried.items() if passed and (lowest is None or v < lowest)]
    best = max(passing, default=batch)
    if best > batch:
        return message("The script's own trial log marks {best} as passing.", best=best)
    return None


def _neighbours(subject: ClaimSubject) -> Iterator[_Neighbour]:
    """Other runs with the same configuration but for the batch sizes, whose outcome is known."""
    facts = subject.facts
    own = dict(leaves(facts.config))
    plan = subject.plan
    keys = keys_of(plan, ClaimName.TRAIN_BATCH, plan.train_batch_size.key)
    for sibling in facts.siblings:
        if sibling.id == facts.run.id:
            continue
        seen = (whole(lookup(sibling.config, key)) for key in keys)
        batch = next((number for number in seen if number is not None), None)
        if batch is None or not _comparable(own, dict(leaves(sibling.config))):
            continue
        if sibling.out_of_memory is True:
            yield _Neighbour(batch, sibling, ran=False)
        elif sibling.steps is not None and sibling.steps >= subject.context.min_steps:
            yield _Neighbour(batch, sibling, ran=True)


def _comparable(own: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> bool:
    for key in own.keys() | other.keys():
        if _BATCH_SIZES.search(key) or BOOKKEEPING.match(key):
            continue
        left, right = (
            None if config.get(key) == {} else config.get(key) for config in (own, other)
        )
        if left != right and same(left, right) is False:
            return False
    return True
