"""RLB074: the critic is given less than twice the actor's tokens."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import FAST, GUIDE, NOT_MIN, advised
from bot.rules._support.verl import ACTOR, needs_critic

_ACTOR = f"{ACTOR}.ppo_max_token_len_per_gpu"
_CRITIC = "critic.ppo_max_token_len_per_gpu"
_PPO = ("algorithm.adv_estimator=gae", "critic.use_dynamic_bsz=True", f"{_ACTOR}=16384")

META = Meta(
    id="RLB074",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="The critic's token limit is below twice the actor's.",
    why=(
        "The critic's last layer gives one number a token where the actor's gives one for each "
        "word of the vocabulary, so it has room for about twice the tokens."
    ),
    instead="Set critic.ppo_max_token_len_per_gpu to twice the actor's limit or more.",
    limits=f"Only where there is a critic and both are sized by tokens. {NOT_MIN}",
    source=f"{GUIDE}: use larger limits for critic and reward models",
    example=Example(
        bad=verl(*_PPO, f"{_CRITIC}=16384"),
        good=verl(*_PPO, f"{_CRITIC}=32768"),
        path="examples/tuning/7b/qwen2.5-7b_ppo_8_h100_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Compare the two limits."""
    for values in advised(context, FAST):
        actor, critic = values.number(_ACTOR), values.number(_CRITIC)
        dynamic = values.flag(f"{ACTOR}.use_dynamic_bsz") and values.flag("critic.use_dynamic_bsz")
        if needs_critic(values) and dynamic and actor and critic and critic < 2 * actor:
            yield hit(
                values.place(_CRITIC, _ACTOR),
                "the critic's limit of {critic} tokens is below twice the actor's {actor}",
                critic=critic,
                actor=actor,
                help=message("use {key}={better} or more", key=_CRITIC, better=2 * actor),
            )
