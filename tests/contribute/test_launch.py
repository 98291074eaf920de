"""The launch that is written from a run's settings gives these settings again."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.base.errors import UserError
from bot.contribute.launch import recorded_launch
from bot.contribute.script import parts_of, script_text
from bot.contribute.words import override
from bot.evidence.facts import Facts
from bot.frameworks import plans
from bot.frameworks.hydra import tree as trees
from bot.frameworks.hydra.overrides import read_override
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import releases
from bot.frameworks.settings.setting import UNKNOWN, Setting
from bot.frameworks.tables import table
from bot.shell import read
from bot.shell.source import Span
from bot.shell.words import Piece, Word
from tests.profiles import scaled

_VERL = releases("verl")
_CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "algorithm.adv_estimator": st.sampled_from(["grpo", "gae", "rloo"]),
        "data.train_files": st.lists(st.text("abc/._ '\"$,=\\", min_size=1), min_size=1),
        "data.train_batch_size": st.integers(1, 4096),
        "data.max_response_length": st.integers(1, 9000),
        "actor_rollout_ref.model.path": st.sampled_from(
            ["Qwen/Qwen2.5-7B", "/mnt/a b/c-1.5b", "~/x"]
        ),
        "actor_rollout_ref.actor.optim.lr": st.floats(1e-8, 1e-2),
        "actor_rollout_ref.actor.use_kl_loss": st.booleans(),
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": st.one_of(
            st.none(), st.integers(1, 64)
        ),
        "actor_rollout_ref.rollout.n": st.integers(1, 16),
        "trainer.nnodes": st.integers(1, 8),
        "+actor_rollout_ref.model.override_config.attention_dropout": st.floats(0, 1),
    },
)


def _resolved(tree: Mapping[str, Any], whole: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
    """A configuration as it is logged: references followed; what a run alone knows is left out."""
    found: dict[str, Any] = {}
    for name, node in tree.items():
        at = (*path, name)
        if isinstance(node, dict):
            found[name] = _resolved(node, whole, at)
            continue
        value = trees.resolve(whole, node, at)
        if value is not UNKNOWN and value is not trees.ABSENT:
            found[name] = value
    return found


def _read(words: tuple[str, ...]) -> Iterator[Setting]:
    for text in words:
        if not text.startswith("--"):
            read = read_override(Word((Piece(text, Span(0, 0)),), Span(0, 0)))
            assert isinstance(read, Setting)
            yield read


@settings(max_examples=scaled(40))
@given(
    st.sampled_from(["0.3.0.post1", "0.5.0", "0.9.1"]),
    st.sampled_from(["ppo_trainer", "ppo_megatron_trainer"]),
    _CHANGES,
)
def test_the_words_give_the_settings_of_the_run(
    version: str, root: str, changes: dict[str, Any]
) -> None:
    keys = table("verl", version, root)
    assert isinstance(keys, HydraTable)
    wanted = [
        override(k.removeprefix("+"), v, "+" if k[0] == "+" else "") for k, v in changes.items()
    ]
    tree = keys.composed(wanted)
    logged = _resolved(tree, tree)
    launch = recorded_launch(Facts(source="x", config=logged), {"verl": version})
    assert (launch.release, launch.module) == (version, "verl.trainer.main_ppo")
    own = (
        "ppo_megatron_trainer" if any("megatron" in w for w in launch.words[:2]) else "ppo_trainer"
    )
    again = table("verl", version, own)
    assert isinstance(again, HydraTable)
    made = again.composed(tuple(_read(launch.words)))
    flat = dict(_flat(_resolved(made, made)))
    assert {k: v for k, v in _flat(logged) if flat.get(k, "absent") != v} == {}


def _flat(config: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


@pytest.mark.parametrize("version", _VERL)
def test_a_run_of_the_defaults_has_no_words(version: str) -> None:
    keys = table("verl", version, "ppo_trainer")
    assert isinstance(keys, HydraTable)
    facts = Facts(
        source="x", config=_resolved(keys.tree, keys.tree), requirements={"verl": version}
    )
    launch = recorded_launch(facts, {})
    assert (launch.release, launch.words, launch.known_release) == (version, (), True)


def test_a_reference_that_was_logged_as_it_stands_is_not_written() -> None:
    keys = table("verl", "0.5.0", "ppo_trainer")
    assert isinstance(keys, HydraTable)
    config = {**keys.tree, "trainer": {**keys.tree["trainer"], "nnodes": 2}}
    launch = recorded_launch(Facts(source="x", config=config), {"verl": "0.5.0"})
    assert launch.words == ("trainer.nnodes=2",)


@pytest.mark.slow
def test_the_release_that_fits_is_taken_where_none_is_recorded() -> None:
    keys = table("verl", "0.4.1", "ppo_trainer")
    assert isinstance(keys, HydraTable)
    launch = recorded_launch(Facts(source="x", config=_resolved(keys.tree, keys.tree)), {})
    assert (launch.release, launch.words, launch.known_release) == ("0.4.1", (), False)


@pytest.mark.parametrize(
    ("version", "root", "program", "module"),
    [
        ("0.6.0", "sft_trainer", "-m verl.trainer.fsdp_sft_trainer", "fsdp_sft_trainer"),
        ("0.9.1", "sft_trainer_engine", "-m verl.trainer.sft_trainer", "sft_trainer"),
    ],
)
def test_fine_tuning_is_started_by_what_starts_its_processes(
    version: str, root: str, program: str, module: str
) -> None:
    """`trainer.n_gpus_per_node`, which is logged, is not read by these trainers."""
    keys = table("verl", version, root)
    assert isinstance(keys, HydraTable)
    logged = _resolved(keys.tree, keys.tree)
    facts = Facts(source="x", config=logged, program=program, requirements={"verl": version})
    with pytest.raises(UserError, match="such as --launcher 'torchrun --standalone"):
        recorded_launch(facts, {})
    told = recorded_launch(facts, {}, "torchrun --nproc_per_node=4")
    assert (
        script_text(told, None)
        .splitlines()[4]
        .startswith(f"torchrun --nproc_per_node=4 -m verl.trainer.{module} ")
    )
    counted = recorded_launch(replace(facts, config={**logged, "num_processes": 2}), {})
    assert counted.launcher == "torchrun --standalone --nproc_per_node=2"


def test_what_starts_ray_is_the_run_s_own_affair() -> None:
    keys = table("verl", "0.9.1", "ppo_trainer")
    assert isinstance(keys, HydraTable)
    facts = Facts(source="x", config=_resolved(keys.tree, keys.tree))
    with pytest.raises(UserError, match="says itself how it was started"):
        recorded_launch(facts, {"verl": "0.9.1"}, "torchrun --nproc_per_node=4")


def test_options_of_openrlhf_are_written_where_they_differ() -> None:
    version = releases("openrlhf")[-1]
    keys = table("openrlhf", version, "openrlhf.cli.train_ppo_ray")
    assert keys is not None
    config: dict[str, Any] = {}
    for name in keys:
        key = keys.get(name)
        assert key is not None
        config[keys.destination(name)] = key.default  # type: ignore[attr-defined]
    zero = next(name for name in keys if name.endswith("zero_stage"))
    config[zero] = 3
    launch = recorded_launch(Facts(source="x", config=config), {"openrlhf": version})
    assert launch.module == "openrlhf.cli.train_ppo_ray"
    assert launch.words == (f"--{zero}", "3")


@pytest.mark.parametrize(
    ("launcher", "start"),
    [
        (None, "deepspeed --module"),
        ("deepspeed --num_gpus 4", "deepspeed --num_gpus 4 --module"),
        ("torchrun --nproc_per_node 4", "torchrun --nproc_per_node 4 -m"),
    ],
)
def test_fine_tuning_of_openrlhf_is_started_as_is_said(launcher: str | None, start: str) -> None:
    version = releases("openrlhf")[-1]
    keys = table("openrlhf", version, "openrlhf.cli.train_sft")
    assert isinstance(keys, OptionTable)
    config = {keys.destination(name): known.default for name in keys if (known := keys.get(name))}
    # As the first process has it; Fanshaoliu/OpenRLHF's script put each one on the first GPU.
    (rank,) = (name for name in config if name.endswith("local_rank"))
    facts = Facts(source="x", config={**config, rank: 0})
    launch = recorded_launch(facts, {"openrlhf": version}, launcher)
    assert launch.words == ()
    text = script_text(launch, None)
    assert f"\n{start} openrlhf.cli.train_sft " in text
    (plan,) = plans(read(text.encode(), "x.sh"))
    assert plan.gpus.value == (4 if launcher else None)


def test_a_model_in_somebody_s_cache_is_written_by_its_name() -> None:
    tree = table("verl", "0.5.0", "ppo_trainer")
    assert isinstance(tree, HydraTable)
    logged = _resolved(tree.tree, tree.tree)
    cache = "/home/ada/.cache/huggingface/hub/models--Qwen--Qwen2.5-7B-Instruct/snapshots/7b5e0a"
    logged["actor_rollout_ref"]["model"]["path"] = cache
    logged["critic"]["model"]["path"] = f"{cache}/below"  # No model of the hub's own.
    logged["data"]["custom_cls"]["name"] = "/a/models--Qwen--X"
    facts = Facts(source="x", config=logged)
    launch = recorded_launch(facts, {"verl": "0.5.0"})
    assert "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct" in launch.words
    assert f"critic.model.path={cache}/below" in launch.words
    assert "data.custom_cls.name=/a/models--Qwen--X" in launch.words
    (plan,) = plans(read(script_text(launch, None).encode(), "x.sh"))
    assert parts_of(plan, facts, "h800").model == "qwen2.5-7b"


@pytest.mark.parametrize("version", [releases("openrlhf")[0], releases("openrlhf")[-1]])
def test_a_key_that_the_run_recorded_is_not_written(version: str) -> None:
    keys = table("openrlhf", version, "openrlhf.cli.train_ppo_ray")
    assert isinstance(keys, OptionTable)
    private = "0123456789abcdef0123456789abcdef01234567"
    config = {keys.destination(name): known.default for name in keys if (known := keys.get(name))}
    option = next(name for name in keys if name in ("use_wandb", "logger.wandb.key"))
    launch = recorded_launch(
        Facts(source="x", config={**config, keys.destination(option): private}),
        {"openrlhf": version},
    )
    assert launch.words == (f"--{option}", "True")

    tree = table("verl", "0.5.0", "ppo_trainer")
    assert isinstance(tree, HydraTable)
    logged = _resolved(tree.tree, tree.tree)
    logged["ray_init"]["runtime_env"] = {"env_vars": {"WANDB_API_KEY": private, "A": "b"}}
    words = recorded_launch(Facts(source="x", config=logged), {"verl": "0.5.0"}).words
    assert words == ("+ray_init.runtime_env.env_vars.A=b",)


@pytest.mark.parametrize("config", [{}, {"lr": 1e-5, "model": "x"}])
def test_settings_of_another_program_are_refused_in_a_sentence(config: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="--script"):
        recorded_launch(Facts(source="x", config=config), {})


def test_a_run_of_trl_asks_for_its_script() -> None:
    """As `WandbCallback` logs it: no dataset, no launcher."""
    config: dict[str, Any] = {
        "output_dir": "out", "per_device_train_batch_size": 8, "learning_rate": 1e-6,
        "num_generations": 8, "_name_or_path": "Qwen/Qwen2.5-7B", "model_type": "qwen2",
    }  # fmt: skip
    with pytest.raises(UserError, match=r"name no dataset, .* --script"):
        recorded_launch(Facts(source="x", config=config), {})


PRINTABLE = st.characters(exclude_categories=("C", "Z"), include_characters=" ")


@pytest.mark.process
@settings(max_examples=scaled(30))
@given(st.lists(st.text(PRINTABLE, min_size=1)))
def test_bash_reads_the_words_of_a_script_as_they_are(values: list[str]) -> None:
    keys = table("verl", "0.5.0", "ppo_trainer")
    assert isinstance(keys, HydraTable)
    tree = keys.composed([override("data.train_files", values)])  # type: ignore[arg-type]
    facts = Facts(source="x", config=_resolved(tree, tree), requirements={"verl": "0.5.0"})
    launch = recorded_launch(facts, {})
    bash = shutil.which("bash")
    assert bash is not None
    function = "python3() { printf '%s\\0' \"$@\"; }\n"
    text = function + script_text(launch, None).replace("set -x\n", "")
    done = subprocess.run([bash, "-c", text], capture_output=True, check=True, cwd=Path("/"))
    assert tuple(done.stdout.decode().split("\0")[2:-1]) == launch.words


def test_settings_by_dotted_keys_are_those_of_mappings() -> None:
    """As a manifest of `rlbot record` holds them: what the script sets alone."""
    dotted = {"data.train_batch_size": 64, "trainer.nnodes": 1, "actor_rollout_ref.rollout.n": 5}
    launch = recorded_launch(Facts(source="x", config=dotted), {"verl": "0.9.1"})
    assert launch.module == "verl.trainer.main_ppo"
    assert launch.words == ("data.train_batch_size=64", "actor_rollout_ref.rollout.n=5")
