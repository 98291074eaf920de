"""Builds the scripts of the rules' examples: a small verl launch that has no error of its own."""

from __future__ import annotations

_BASE = (
    "algorithm.adv_estimator=grpo",
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct",
    "actor_rollout_ref.actor.use_dynamic_bsz=True",
    "actor_rollout_ref.rollout.name=vllm",
    "trainer.n_gpus_per_node=8",
)


def verl(*settings: str, before: str = "", end: str = "") -> str:
    """A script that starts verl's PPO trainer with these settings.

    A setting replaces the one of the same key in the base; `before` stands above the command, `end`
    after its last word.
    """
    given = {_key(setting) for setting in settings}
    kept = [setting for setting in _BASE if _key(setting) not in given]
    return lines(*kept, *settings, before=before, end=end)


def lines(*settings: str, before: str = "", end: str = "") -> str:
    """As `verl`, with exactly these settings."""
    words = ["python3 -m verl.trainer.main_ppo", *(f"    {setting}" for setting in settings)]
    head = f"{before.rstrip()}\n\n" if before else ""
    return head + " \\\n".join(words) + end + "\n"


def _key(setting: str) -> str:
    return setting.split("=")[0].lstrip("+~")
