"""RLB142: a correction by the rollout's log-probabilities, which the engine does not give."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import LIMITS, ROLLOUT, has_text, only_validates, trainers

_GIVEN = f"{ROLLOUT}.calculate_log_probs"
_SECTION = "algorithm.rollout_correction"
_BYPASS = f"{_SECTION}.bypass_mode"
_CORRECTIONS = (f"{_SECTION}.rollout_is", f"{_SECTION}.rollout_rs")

META = Meta(
    id="RLB142",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A correction needs the rollout's log-probabilities, which are not asked for.",
    why=(
        "With bypass_mode verl takes the engine's log-probabilities for the old ones and stops "
        "with a ValueError where there are none, after the first rollout. Importance sampling and "
        "rejection (rollout_is, rollout_rs) are left out without a word."
    ),
    instead=f"Set {_GIVEN}=True.",
    limits=(
        f"{LIMITS} Since 0.6.1, whose configuration has the section; since 0.9 they are given "
        "unless they are switched off. What is left out without a "
        "word is a warning. Silent for a launch that only validates, and for a copy of verl that "
        "does not ask."
    ),
    source=(
        "apply_bypass_mode in verl/trainer/ppo/rollout_corr_helper.py; RayPPOTrainer.fit in "
        'verl/trainer/ppo/ray_trainer.py: "rollout_log_probs" in batch.batch (0.6.1 to 0.9.1)'
    ),
    example=Example(
        bad=verl(f"{_BYPASS}=True", before="# verl: 0.8.0"),
        good=verl(f"{_BYPASS}=True", f"{_GIVEN}=True", before="# verl: 0.8.0"),
    ),
)


def check(context: RuleContext) -> Hits:
    """The trainer's check of a batch, and its condition for a correction."""
    for values in trainers(context):
        if values.flag(_GIVEN) is not False or only_validates(values):
            continue
        bypasses = values.flag(_BYPASS)
        if bypasses and has_text(
            context, "trainer/ppo/rollout_corr_helper.py", '"rollout_log_probs" not in batch.batch'
        ):
            yield hit(
                values.place(_BYPASS),
                "bypass_mode takes the rollout's log-probabilities, and the engine gives none",
                help=message("set {key}=True", key=_GIVEN),
            )
        chosen = [key for key in _CORRECTIONS if values.text(key)]
        if (
            bypasses is False
            and chosen
            and has_text(context, "trainer/ppo/ray_trainer.py", '"rollout_log_probs" in batch')
        ):
            yield hit(
                values.place(*chosen),
                "{name}={value} does nothing without the rollout's log-probabilities",
                name=chosen[0].rpartition(".")[2],
                value=values.text(chosen[0]),
                severity="warning",
                help=message("set {key}=True", key=_GIVEN),
            )
