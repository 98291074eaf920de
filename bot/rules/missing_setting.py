"""RLB063: a setting without which the training cannot start."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan_values import PlanValues, values_of
from bot.rules._support import openrlhf
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import lines, verl
from bot.rules._support.verl import ROLLOUT, trainers

META = Meta(
    id="RLB063",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A setting without a default, which the training needs to start, is missing.",
    why=(
        "verl's rollout.name is `???` in the configuration, so reading it raises "
        "MissingMandatoryValue; OpenRLHF's model, prompts and reward model default to nothing, "
        "and loading nothing fails."
    ),
    instead="Set what the message names.",
    limits=(
        "Knows rollout.name of verl (since 0.6.0), and of OpenRLHF's Ray trainer the actor's "
        "model, the prompts, and the reward model where no URL and no agent gives the reward. "
        "A warning where nobody names the release, since older ones have a default. "
        "Silent when the launch has words that cannot be known, and where the repository's own "
        "copy of OpenRLHF is given options that no release has."
    ),
    source=(
        "verl/trainer/config/rollout/rollout.yaml (`name: ???`); "
        "openrlhf/cli/train_ppo_ray.py, whose defaults are None"
    ),
    example=Example(
        bad="# verl: 0.9.1\n"
        + lines("algorithm.adv_estimator=grpo", "actor_rollout_ref.actor.use_dynamic_bsz=True"),
        good=verl(),
    ),
)

_REWARD = ("reward.model_name_or_path", "reward_pretrain")


def check(context: RuleContext) -> Hits:
    """The settings that each trainer reads first."""
    for values in trainers(context):
        key = f"{ROLLOUT}.name"
        table = values.plan.table
        entry = table.get(key) if table else None
        if (
            entry
            and entry.type == "mandatory"
            and values.plan.last(key) is None
            and _fully_known(values)
        ):
            guessed = values.plan.configuration.guessed
            yield hit(
                values.place(),
                "{key} is not set and has no default",
                key=key,
                severity="warning" if guessed else None,  # Older releases have a default.
                help=message("set {key}={example}", key=key, example="vllm"),
            )
    for values in openrlhf.ray_trainers(context):
        if openrlhf.rewritten(values):
            continue
        remote = openrlhf.option(values, *openrlhf.REMOTE)
        for keys in _required_settings(values):
            found = values.first(*keys)
            if found is not None and found.value is None:
                name = openrlhf.option(values, *keys)
                yield hit(
                    values.place(),
                    "{key} is not set and has no default",
                    key=name,
                    help=message("set {key}, or {url} to a server of rewards", key=name, url=remote)
                    if keys == _REWARD
                    else message("set {key}", key=name),
                )


def _fully_known(values: PlanValues) -> bool:
    """True when every word of the launch is known, and no group's choice may bring the setting."""
    plan = values.plan
    if plan.bad_arguments or any("@" in s.key or "/" in s.key for s in plan.settings):
        return False
    if values.plan.launch.command.hands_on and values.open_ended:
        return False
    return values_of(plan).get("trainer.nnodes") is not None or all(
        word.complete for word in plan.launch.argv
    )


def _required_settings(values: PlanValues) -> Iterator[tuple[str, ...]]:
    yield ("actor.model_name_or_path", "pretrain")
    yield ("data.prompt_dataset", "prompt_data")
    if values.on(*openrlhf.REMOTE) is False and values.on(*openrlhf.AGENT) in (False, None):
        known = set(values.plan.table or ())
        if known.intersection(openrlhf.AGENT) and values.on(*openrlhf.AGENT) is None:
            return
        yield _REWARD
