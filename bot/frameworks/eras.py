"""The release of verl that a configuration without one is like, by the settings that it has."""

from __future__ import annotations

from functools import lru_cache

from bot.frameworks.key_table import KeyTable

_LEGACY = "trainer.use_legacy_worker_impl"
"""A setting of verl 0.6 and 0.7 alone: which of two implementations of its workers runs."""
_MARKS = (
    ("actor_rollout_ref.actor.pad_to_length", (0, 9)),
    ("actor_rollout_ref.rollout.disaggregation", (0, 8)),
    ("actor_rollout_ref.actor.tau_pos", (0, 7)),
    ("actor_rollout_ref.actor.freeze_vision_tower", (0, 6)),
    ("actor_rollout_ref.actor.data_loader_seed", (0, 5)),
    ("actor_rollout_ref.actor.loss_agg_mode", (0, 4)),
    ("actor_rollout_ref.rollout.val_kwargs", (0, 3)),
)
"""Settings of verl with the release that brought each, newest first."""


@lru_cache(maxsize=8)
def era(keys: KeyTable) -> tuple[int, ...]:
    """The release, such as (0, 4), of a configuration with these keys; (0,) for an older one."""
    newest = next((release for key, release in _MARKS if key in keys), (0,))
    return min(newest, (0, 7)) if _LEGACY in keys else newest
