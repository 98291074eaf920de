"""The tables of the released versions, as they lie in the repository."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date

import pytest

from bot.base.resources import schemas
from bot.frameworks.hydra.rules import names_of
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.settings.key_table import closest
from bot.frameworks.settings.lifetimes import deprecations
from bot.frameworks.settings.releases import (
    find_release,
    release,
    release_key,
    released,
    releases,
    spans_of_releases,
)
from bot.frameworks.tables import table
from tests.frameworks.made import setting

NEWEST = releases("verl")[-1]


def ppo(version: str = NEWEST) -> HydraTable:
    found = table("verl", version, "ppo_trainer")
    assert isinstance(found, HydraTable)
    return found


def test_releases_are_in_their_order() -> None:
    assert releases("verl") == (
        "0.1", "0.2", "0.3.0.post1", "0.4.0", "0.4.1", "0.5.0", "0.6.0", "0.6.1", "0.7.0", "0.7.1",
        "0.8.0", "0.9.0", "0.9.1",
    )  # fmt: skip
    options = releases("openrlhf")
    assert (len(options), options[0], options[-1]) == (84, "0.3.8", "0.11.2")
    assert list(options) == sorted(options, key=release_key)
    assert releases("trl")[0] == "0.13.0"
    assert releases("open-instruct")[-1] == "2026.8"
    assert releases("unheard_of") == ()
    assert release_key("0.10.0") > release_key("0.9.9") > release_key("0.9")
    assert release_key("0.2") == release_key("0.2.0") < release_key("0.2.post1")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("0.9.1", "0.9.1"),
        ("v0.4.1", "0.4.1"),
        ("0.2.0", "0.2"),
        ("0.2.0.post2", "0.2"),
        ("0.3.0", "0.3.0.post1"),
        ("0.9", "0.9.0"),
        ("0.9.2", None),
        ("0.4.1.dev0", None),
        ("main", None),
        ("", None),
        ("../0.9.1", None),
    ],
)
def test_which_release_is_meant(asked: str, found: str | None) -> None:
    assert find_release("verl", asked) == found


@pytest.mark.parametrize(
    ("present", "words"),
    [
        ((), None),
        (("0.9.1",), "in verl 0.9.1"),
        (("0.9.0", "0.9.1"), "in verl 0.9.0 to 0.9.1"),
        (("0.4.1", "0.9.1"), "in verl 0.4.1 and 0.9.1"),
        (("0.4.1", "0.5.0"), "in verl 0.4.1 to 0.5.0, removed in 0.6.0"),
        (("0.1", "0.4.1", "0.9.0"), "in verl 0.1, 0.4.1 and 0.9.0, removed in 0.9.1"),
    ],
)
def test_releases_in_words(present: tuple[str, ...], words: str | None) -> None:
    assert spans_of_releases("verl", present) == words


def test_the_history_of_keys() -> None:
    known = ppo()
    actor = "actor_rollout_ref.actor"
    assert known.history("data.train_batch_size") == "in verl 0.1 to 0.9.1"
    assert known.history(f"{actor}.megatron.grad_offload") == (
        "in verl 0.4.0 to 0.9.0, removed in 0.9.1"
    )
    assert known.history(f"{actor}.nothing_of_the_kind") is None
    # The key of another trainer is none of this one.
    assert known.history("model.partial_pretrain") is None


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["verl", "openrlhf", "trl", "open-instruct"])
def test_every_table_can_be_read_whole(framework: str) -> None:
    for version in releases(framework):
        data = release(framework, version)
        assert data["version"] == version
        assert set(data["entries"].values()) <= set(data["roots"])
        for root in data["roots"]:
            known = table(framework, version, root)
            assert known is not None
            for name in known:
                key = known.get(name)
                assert key is not None
                assert key.name == name


def test_all_releases_are_small_enough_to_ship() -> None:
    size = sum(path.stat().st_size for path in (schemas() / "frameworks").rglob("*.json"))
    assert size < 900_000


def test_the_number_of_keys() -> None:
    counted = {version: len(names_of(ppo(version).tree)) for version in ("0.2", "0.6.1", "0.9.1")}
    assert counted == {"0.2": 163, "0.6.1": 542, "0.9.1": 1027}


@pytest.mark.parametrize(
    ("version", "key", "instead"),
    [
        ("0.9.1", "actor_rollout_ref.actor.ppo_micro_batch_size", "_per_gpu"),
        ("0.9.1", "critic.ppo_micro_batch_size", "_per_gpu"),
        ("0.1", "actor_rollout_ref.actor.ppo_micro_batch_size", None),
        ("0.9.1", "data.val_batch_size", ""),
        ("0.2", "data.val_batch_size", None),
        ("0.9.1", "actor_rollout_ref.rollout.mode", ""),
        ("0.6.1", "actor_rollout_ref.rollout.mode", None),
        ("0.9.1", "actor_rollout_ref.actor.optim.warmup_style", "lr_scheduler_type"),
        ("0.9.1", "actor_rollout_ref.actor.optim.grad_clip", "clip_grad"),
        ("0.7.1", "critic.ulysses_sequence_parallel_size", None),  # All that its workers read.
        ("0.7.1", "actor_rollout_ref.actor.ulysses_sequence_parallel_size", None),
        ("0.8.0", "actor_rollout_ref.actor.ulysses_sequence_parallel_size", "actor.fsdp_config"),
        ("0.9.1", "critic.ulysses_sequence_parallel_size", "critic.fsdp."),
        ("0.9.1", "data.train_batch_size", None),
        ("0.9.1", "nothing.ppo_micro_batch_size", None),
    ],
)
def test_deprecated_keys(version: str, key: str, instead: str | None) -> None:
    found = ppo(version).deprecated(key)
    if not instead:
        assert found == instead
    else:
        assert found is not None
        assert instead in found
        assert found in ppo(version)


def test_every_deprecation_counts_in_some_release() -> None:
    path = schemas() / "frameworks" / "verl" / "deprecated.json"
    for entry in json.loads(path.read_bytes())["deprecated"]:
        assert entry["source"]
        assert entry in deprecations("verl", NEWEST)
        if "root" in entry:
            assert any(entry["root"] in release("verl", v)["roots"] for v in releases("verl"))
            continue
        # Settings outside the configuration are tried below the actor.
        outside = {entry["key"].replace("*", "actor_rollout_ref.actor.")}
        tail = entry["key"].rpartition("*")[2]
        assert any(
            known.deprecated(key) is not None
            for version in releases("verl")
            for root in release("verl", version)["roots"]
            if isinstance(known := table("verl", version, root), HydraTable)
            for key in {*known} | outside
            if key.endswith(tail)
        ), entry


def test_a_deprecated_root() -> None:
    for version, instead in (("0.9.1", "model_engine=megatron"), ("0.4.1", None)):
        known = table("verl", version, "ppo_megatron_trainer")
        assert isinstance(known, HydraTable)
        assert known.deprecated_root == instead
    assert ppo().deprecated_root is None


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("critic.ppo_minibatch_size", "critic.ppo_mini_batch_size"),
        ("data.max_prompt_lenght", "data.max_prompt_length"),
        ("trainer.n_gpu_per_node", "trainer.n_gpus_per_node"),
        ("actor_rollout_ref.rollout.gpu_memory_utilisation",
         "actor_rollout_ref.rollout.gpu_memory_utilization"),
        ("actor.ppo_mini_batch_size", "actor_rollout_ref.actor.ppo_mini_batch_size"),
        # A section of the wrong setting has one that looks alike (zzx-peter/verl).
        ("actor_rollout_ref.actor.use_kl_in_reward", "algorithm.use_kl_in_reward"),
        ("actor_rollout_ref.model.tokenizer_pth", "actor_rollout_ref.model.tokenizer_path"),
        ("actor_rollout_ref.actor.cliprange_value", None),  # The critic has one.
        ("trainer.qqqqqq", None),
        ("zz", None),
    ],
)  # fmt: skip
def test_did_you_mean(key: str, nearest: str | None) -> None:
    assert ppo().nearest(key) == nearest


def test_closest_of_nothing() -> None:
    assert closest("a.b", ()) is None


def test_a_root_that_the_release_does_not_have() -> None:
    assert table("verl", "0.4.1", "sft_trainer_engine") is None
    with pytest.raises(FileNotFoundError):
        table("verl", "9.9.9", "ppo_trainer")


def test_free_mappings_take_new_keys_with_a_plus() -> None:
    key = "actor_rollout_ref.model.override_config.attn_implementation"
    assert ppo().verdicts((setting(f"+{key}=eager"),))[0].accepted
    verdict = ppo().verdicts((setting(f"{key}=eager"),))[0]
    assert (verdict.status, verdict.suggestion) == ("needs-plus", f"+{key}")


@pytest.mark.process
def test_reading_plans_imports_neither_hydra_nor_yaml() -> None:
    code = (
        "import sys; from bot.frameworks import plans; from tests.frameworks.made import reading;"
        "plans(reading('python3 -m verl.trainer.main_ppo data.train_batch_size=8'));"
        "print([m for m in ('hydra', 'yaml', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("framework", ["verl", "openrlhf"])
def test_days_of_releases_are_in_order(framework: str) -> None:
    days = released(framework)
    assert sorted(days, key=release_key) == [*days]
    assert sorted(days.values()) == [*days.values()]
    assert all(date.fromisoformat(day).isoformat() == day for day in days.values())
    assert released("trl") == {}
