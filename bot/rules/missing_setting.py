"""RLB063: a setting without which the training cannot start."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan_values import PlanValues, version_at_least
from bot.rules._support import openrlhf
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import lines, verl
from bot.rules._support.verl import ROLLOUT, own_source, trainers

META = Meta(
    id="RLB063",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A setting without a default, which the training needs to start, is missing.",
    why=(
        "verl's rollout.name is `???` in the configuration, so reading it raises "
        "MissingMandatoryValue; its turns need a file of tools in 0.4; OpenRLHF's model, "
        "prompts and reward model default to nothing, and loading nothing fails."
    ),
    instead="Set what the message names.",
    limits=(
        "Knows rollout.name of verl (since 0.6.0), rollout.multi_turn.tool_config_path (0.4.0 and "
        "0.4.1, and copies that ask for it), and of OpenRLHF's Ray trainer the actor's model, the "
        "prompts, and the reward model where no URL and no agent gives the reward. "
        "A warning where nobody names the release, since older ones have a default. "
        "Silent when the launch has words that cannot be known, and where the repository's own "
        "copy of OpenRLHF is given options that no release has."
    ),
    source=(
        "verl/trainer/config/rollout/rollout.yaml (`name: ???`); _validate_config in "
        "verl/trainer/ppo/ray_trainer.py (0.4.0 and 0.4.1); "
        "openrlhf/cli/train_ppo_ray.py, whose defaults are None"
    ),
    example=Example(
        bad="# verl: 0.9.1\n"
        + lines("algorithm.adv_estimator=grpo", "actor_rollout_ref.actor.use_dynamic_bsz=True"),
        good=verl(),
    ),
)

_TURNS = f"{ROLLOUT}.multi_turn"
_TOOLS = (f"{_TURNS}.tool_config_path", f"{_TURNS}.interaction_config_path")
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
        if values.flag(f"{_TURNS}.enable") and _lacks_tools(context, values):
            yield hit(
                values.place(f"{_TURNS}.enable"),
                "{turns} is on, and {tools} is not set",
                turns=f"{_TURNS}.enable",
                tools=_TOOLS[0],
                severity="warning" if values.plan.configuration.guessed else None,
                help=message("set {key}", key=_TOOLS[0]),
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


def _lacks_tools(context: RuleContext, values: PlanValues) -> bool:
    """Whether turns are refused without tools, or since 0.4.1 an interaction, and there are none.

    0.5 takes them without.
    """
    known = values.plan.table or ()
    given = [values.get(key) for key in _TOOLS if key in known]
    if not given or not all(one is not None and one.value is None for one in given):
        return False
    source = own_source(context)
    if source is not None:
        return source.refuses("multi_turn.tool_config_path")
    return version_at_least(values.plan, 0, 4) and not version_at_least(values.plan, 0, 5)


def _fully_known(values: PlanValues) -> bool:
    """True when every word of the launch is known, and no group's choice may bring the setting."""
    plan = values.plan
    if plan.bad_arguments or any("@" in s.key or "/" in s.key for s in plan.settings):
        return False
    if plan.launch.command.hands_on and values.open_ended:
        return False
    return values.get("trainer.nnodes") is not None or all(
        word.complete for word in plan.launch.argv
    )


def _required_settings(values: PlanValues) -> Iterator[tuple[str, ...]]:
    yield ("actor.model_name_or_path", "pretrain")
    yield ("data.prompt_dataset", "prompt_data")
    if openrlhf.has_no_reward_source(values):
        yield _REWARD
