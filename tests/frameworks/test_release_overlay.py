"""A configuration on top of a release's table, against Hydra's composition of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from bot.frameworks import Checkout, ScriptPlace, plans
from bot.frameworks.plan import Plan
from bot.frameworks.repository import release_overlay
from bot.frameworks.repository.release_overlay import LayeredTable, own_layer
from bot.shell import read
from tests.frameworks.conftest import Made
from tests.frameworks.made import setting
from tests.frameworks.test_hydra_table import GROUPS, KEYS, VALUES
from tests.profiles import scaled

OWN = {
    "mine.yaml": b"""
defaults: [top_trainer, mode: fast, _self_]
data: {size: 9, mine: 1}
cluster: {mine: {deep: 2}}
job: {options: null}
own: {reference: "${data.size}"}
""",
    "mode/fast.yaml": b"# @package _global_\nspeed: {steps: 2}\n",
    "mode/slow.yaml": b"# @package _global_\nspeed: {steps: 1, wait: 3}\n",
    "kind/short.yaml": b"# @package _global_\nspeed: {steps: 7}\ndata: {size: 2}\n",
    # In the place of the release's: verl-project/verl-omni has a data/legacy_data.yaml of its own.
    "extra/base.yaml": b"shuffle: true\nfurther: {name: null}\n",
}
MINE = ("data.mine", "cluster.mine.deep", "cluster.mine.other", "own.reference", "speed.steps",
        "speed.wait", "own", "mine", "data.further", "data.further.name")  # fmt: skip
MODES = ("mode=slow", "mode=none", "+mode=slow", "mode@speed=slow", "+kind=short", "+kind=[short]",
         "+kind=none")  # fmt: skip


@pytest.fixture(scope="module")
def layered(made: Made) -> LayeredTable:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release_overlay, "_roots", lambda: frozenset({"top_trainer"}))
        layer = own_layer("conf", "mine", OWN, ())
    assert layer is not None
    return LayeredTable(made.data, layer)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    for path, data in OWN.items():
        place = folder / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    return folder


def hydra_says(made: Made, folder: Path, overrides: list[str]) -> dict[str, Any] | None:
    search = f"hydra.searchpath=[file://{made.folder}]"
    try:
        with initialize_config_dir(config_dir=str(folder), version_base=None):
            config = compose("mine", overrides=[*overrides, search])
    except (HydraException, OmegaConfBaseException, ValueError, TypeError, IndexError, KeyError):
        return None
    tree = OmegaConf.to_container(config, resolve=False)
    assert isinstance(tree, dict)
    return {str(key): value for key, value in tree.items()}


@pytest.mark.slow
@settings(max_examples=scaled(80))
@given(
    texts=st.lists(
        st.builds(
            lambda operator, key, value: f"{operator}{key}={value}",
            st.sampled_from(("", "+", "++")),
            st.sampled_from((*KEYS, *MINE)),
            st.sampled_from(VALUES),
        )
        | st.sampled_from((*GROUPS, *MODES)),
        min_size=1,
        max_size=3,
    )
)
def test_verdicts_are_hydras(
    made: Made, layered: LayeredTable, folder: Path, texts: list[str]
) -> None:
    given_settings = [setting(text) for text in texts]
    verdicts = layered.verdicts(given_settings)
    said = hydra_says(made, folder, texts)
    if any(verdict.accepted is False for verdict in verdicts):
        assert said is None, verdicts
    elif all(verdict.accepted for verdict in verdicts):
        assert said is not None, verdicts
        if not any("extra@more" in text or text[0] == "~" for text in texts):
            assert layered.composed(given_settings) == said


@pytest.mark.parametrize(
    "text", [*MODES, "mode=fast", "data.mine=2", "data.size=1", "data.further.name=a"]
)
def test_the_repositorys_own_is_decided(
    made: Made, layered: LayeredTable, folder: Path, text: str
) -> None:
    (verdict,) = layered.verdicts([setting(text)])
    assert verdict.accepted is (hydra_says(made, folder, [text]) is not None)


MAIN = b"""
import hydra

@hydra.main(config_path="%s", config_name="%s", version_base=None)
def main(config): ...
"""
CONFIG = b"""
hydra: {searchpath: [pkg://verl.trainer.config]}
defaults: [ppo_trainer, _self_]
agent: {steps: 20}
"""
PROJECT = {
    "requirements.txt": b"verl==0.8.0\n",
    "agents/trainer/config/agent_trainer.yaml": CONFIG,
    "agents/trainer/train_agent.py": MAIN % (b"config", b"agent_trainer"),
    "cookbook/train.py": MAIN % (b"pkg://agents.trainer.config", b"agent_trainer"),
    "cookbook/plain/train.py": MAIN % (b"pkg://verl.trainer.config", b"ppo_trainer"),
}
KNOWN = (
    "actor_rollout_ref.hybrid_engine=True trainer.nnodes=2 agent.steps=5 agent.step=1 data.new=1"
)


def plan_of(files: dict[str, bytes], path: str, start: str) -> Plan:
    (plan,) = plans(read(start.encode(), path), place=ScriptPlace(Checkout(files), path))
    return plan


@pytest.mark.parametrize(
    ("path", "program"),
    [
        ("run.sh", "python3 -m agents.trainer.train_agent"),
        ("run.sh", "python3 agents/trainer/train_agent.py"),
        ("run.sh", "python3 -m lab.agents.trainer.train_agent"),
        ("cookbook/run.sh", "python train.py"),
    ],
)
def test_a_project_that_installs_verl(path: str, program: str) -> None:
    """rllm and verl-recipe: settings of verl and of the project are known, others are not."""
    plan = plan_of(PROJECT, path, f"{program} {KNOWN}")
    assert plan.configuration.release == "0.8.0"
    assert plan.configuration.reason == (
        "verl==0.8.0 in requirements.txt, below agents/trainer/config of this repository"
    )
    assert plan.table is not None
    statuses = [verdict.status for verdict in plan.table.verdicts(plan.settings)]
    assert statuses == ["ok", "ok", "ok", "unknown", "unknown"]


def test_a_program_that_starts_with_a_root_of_verl() -> None:
    plan = plan_of(PROJECT, "cookbook/plain/run.sh", f"python train.py {KNOWN}")
    assert plan.configuration.reason == "verl==0.8.0 in requirements.txt"
    assert plan.table is not None
    statuses = [verdict.status for verdict in plan.table.verdicts(plan.settings)]
    assert statuses == ["ok", "ok", "unknown", "unknown", "unknown"]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (b"no_such_trainer", "agent_trainer.yaml, line 3: Could not load 'no_such_trainer'"),
        (b"actor@a: dp_actor", "agent_trainer.yaml, line 3: Could not find 'actor/dp_actor'"),
    ],
)
def test_what_cannot_be_laid_over_a_release_is_not_known(entry: bytes, why: str) -> None:
    """It is no error either: verl's own files may hold what is missing here."""
    config = CONFIG.replace(b"ppo_trainer", entry)
    files = PROJECT | {"agents/trainer/config/agent_trainer.yaml": config}
    plan = plan_of(files, "run.sh", f"python3 -m agents.trainer.train_agent {KNOWN}")
    assert (plan.table, plan.configuration.problem) == (None, None)
    assert plan.configuration.unread.startswith(
        "its agents/trainer/config could not be laid over a release of verl: Hydra refuses "
    )
    assert why in plan.configuration.unread


REPLACING = b"""
hydra: {searchpath: [pkg://verl.trainer.config]}
defaults: [ppo_trainer, _self_, override %s]
agent: {steps: 20}
"""


def replacing(choice: bytes, *settings: str) -> Plan:
    """A launch whose root replaces one of verl's choices."""
    config = {"agents/trainer/config/agent_trainer.yaml": REPLACING % choice}
    known = "actor_rollout_ref.hybrid_engine=True data.train_batch_size=8"
    start = f"python3 -m agents.trainer.train_agent {known} {' '.join(settings)}"
    return plan_of(PROJECT | config, "run.sh", start)


def test_a_root_that_replaces_choices_of_verls() -> None:
    """verl-project/verl-SpeCo: `override model_engine: veomni`."""
    megatron = "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2"
    fsdp = "actor_rollout_ref.actor.fsdp_config.param_offload=True"
    both = b"model_engine: megatron, override critic@critic: megatron_critic"
    plan = replacing(both, megatron, fsdp, "agent.steps=5", "agent.no=1")
    assert plan.table is not None
    statuses = [verdict.status for verdict in plan.table.verdicts(plan.settings)]
    assert statuses == ["ok", "ok", "ok", "unknown", "ok", "unknown"]


@pytest.mark.parametrize("engine", ["model_engine=dp", "critic=dp_critic"])
def test_a_launch_that_replaces_them_once_more(engine: str) -> None:
    plan = replacing(b"model_engine: megatron", engine, "agent.steps=5")
    assert plan.table is not None
    assert "unknown" not in [verdict.status for verdict in plan.table.verdicts(plan.settings)]


@pytest.mark.parametrize("choice", [b"no_such_group: a", b"model_engine: no_such_engine"])
def test_a_choice_that_the_release_does_not_have_leaves_the_settings_open(choice: bytes) -> None:
    plan = replacing(choice, "agent.steps=5")
    assert (plan.table, plan.configuration.problem) == (None, None)
    assert plan.configuration.unread == (
        "its agents/trainer/config replaces choices that verl 0.8.0 does not have"
    )


@pytest.mark.parametrize("engine", [b"# @package _global_\nmodel_engine: megatron\n", b"{}\n"])
def test_an_option_of_the_repositorys_decides_choices_of_verls(engine: bytes) -> None:
    """winnieyangwannan/rllm: verl 0.7.1 chooses `${model_engine}_actor`, and has no megatron."""
    files = PROJECT | {
        "requirements.txt": b"verl==0.7.1\n",
        "agents/trainer/config/model_engine/megatron.yaml": engine,
    }
    actor, ref = "actor_rollout_ref.actor", "actor_rollout_ref.ref"
    sizes = f"{actor}.megatron.tensor_model_parallel_size=2 {ref}.megatron.use_mbridge=True"
    start = f"python3 -m agents.trainer.train_agent {sizes} {actor}.megatron.no=1 agent.steps=5"
    for engines, expected in (
        ("model_engine=megatron", ["ok", "ok", "unknown", "ok", "ok"]),
        ("model_engine=dp", ["unknown", "unknown", "unknown", "ok", "ok"]),
    ):
        plan = plan_of(files, "run.sh", f"{start} {engines}")
        assert plan.table is not None
        assert [verdict.status for verdict in plan.table.verdicts(plan.settings)] == expected
        if engine[:1] == b"#":
            assert isinstance(plan.table, LayeredTable)
            assert plan.table.tree_for(plan.settings)["model_engine"] == engines.split("=")[1]


def test_a_program_that_starts_with_an_unknown_root_is_not_known() -> None:
    main = {"cookbook/plain/train.py": MAIN % (b"pkg://verl.trainer.config", b"new_trainer")}
    plan = plan_of(PROJECT | main, "cookbook/plain/run.sh", f"python train.py {KNOWN}")
    assert (plan.table, plan.configuration.problem) == (None, None)


def test_a_configuration_that_takes_nothing_of_verls_is_read_alone() -> None:
    config = CONFIG.replace(b"ppo_trainer, _self_", b"_self_")
    files = PROJECT | {"agents/trainer/config/agent_trainer.yaml": config}
    plan = plan_of(files, "run.sh", f"python3 -m agents.trainer.train_agent {KNOWN}")
    assert plan.table is not None
    statuses = [verdict.status for verdict in plan.table.verdicts(plan.settings)]
    assert statuses == ["unknown", "unknown", "ok", "unknown", "unknown"]


PLAIN = CONFIG.replace(b"hydra: {searchpath: [pkg://verl.trainer.config]}\n", b"")
SEARCHING = PROJECT | {
    "agents/trainer/config/agent_trainer.yaml": PLAIN,
    "more/config/fast.yaml": b"agent: {speed: 2}\n",
}
ROOT = b"trainer: {nnodes: 1}\nactor_rollout_ref: {hybrid_engine: 1}\n"
COPY = {"verl/trainer/config/ppo_trainer.yaml": ROOT}


@pytest.mark.parametrize("files", [SEARCHING, SEARCHING | COPY])
@pytest.mark.parametrize(
    "search",
    [
        "hydra.searchpath=[pkg://verl.trainer.config]",
        "'hydra.searchpath=[file://more/config, pkg://verl.trainer.config]'",
        "hydra.searchpath=[file://$PWD/more/config,file://verl/trainer/config]",
        "--config-dir=verl/trainer/config",
    ],
)
def test_the_search_path_of_the_command_line_is_followed(
    files: dict[str, bytes], search: str
) -> None:
    plan = plan_of(files, "run.sh", f"python3 -m agents.trainer.train_agent {search} {KNOWN}")
    assert plan.configuration.problem is None
    assert plan.table is not None
    verdicts = zip(plan.settings, plan.table.verdicts(plan.settings), strict=True)
    found = {setting.key: verdict.status for setting, verdict in verdicts}
    assert found.pop("hydra.searchpath", "ok") == "ok"
    assert list(found.values()) == ["ok", "ok", "ok", "unknown", "unknown"]


def test_a_folder_of_the_search_path_whose_name_others_end_with() -> None:
    """HappynessI/verl-for-AgentGym: its own `config`, beside those of a copy in a folder."""
    files = {
        "config/mine.yaml": b"hydra: {searchpath: []}\ndefaults: [ppo_trainer, _self_]\nmine: 1\n",
        "verl/verl/trainer/config/ppo_trainer.yaml": ROOT,
        "verl/verl/workers/config/other.yaml": b"{}",
    }
    script = (
        'ROOT=${ROOT:-"$(cd "$(dirname "$0")/.." && pwd)"}\nVERL=${VERL:-"$ROOT/verl"}\n'
        'cd "$VERL"\npython3 -m verl.trainer.main_ppo --config-path="$ROOT/config" '
        "--config-name=mine "
        "hydra.searchpath=[file://$VERL/verl/trainer/config,file://$ROOT/config] "
        "mine=2 trainer.nnodes=2 trainer.no=1"
    )
    plan = plan_of(files, "scripts/train.sh", script)
    assert plan.configuration.unread == ""
    assert plan.table is not None
    verdicts = plan.table.verdicts(plan.settings)
    assert [verdict.status for verdict in verdicts][-3:] == ["ok", "ok", "unknown"]


@pytest.mark.parametrize(
    ("folder", "searched", "known"),
    [
        ("config", "config", True),
        ("games", "config", True),
        ("one/config", "config", True),
        ("config", "research/config", False),
    ],
)
def test_of_folders_with_one_name_the_search_path_means_the_one_at_hand(
    folder: str, searched: str, known: bool
) -> None:
    """modelscope/AgentEvolver: `file://config`, beside a project with a `config` of its own."""
    root = (
        f"hydra: {{searchpath: ['file://base/config_old', 'file://{searched}']}}\n"
        "defaults: [ppo_trainer, _self_]\nmine: 1\n"
    )
    files = {
        "config/other.yaml": b"{}",
        "base/config_old/ppo_trainer.yaml": ROOT,
        "one/research/config/other.yaml": b"{}",
        "two/research/config/other.yaml": b"{}",
        f"{folder}/mine.yaml": root.encode(),
    }
    start = (
        f"python3 -m verl.trainer.main_ppo --config-path=$PWD/{folder} --config-name=mine "
        "mine=2 trainer.nnodes=2 trainer.no=1"
    )
    plan = plan_of(files, "run.sh", start)
    assert (plan.table is not None) == known
    if plan.table is not None:
        statuses = [verdict.status for verdict in plan.table.verdicts(plan.settings)]
        assert statuses == ["ok", "ok", "unknown"]


@pytest.mark.parametrize(
    "place", ["file://$DIR/config", "pkg://other.config", "file:///data/config"]
)
def test_a_search_path_that_leads_elsewhere_is_not_followed(place: str) -> None:
    search = f"hydra.searchpath=[{place},pkg://verl.trainer.config]"
    start = f"python3 -m agents.trainer.train_agent {search} {KNOWN}"
    plan = plan_of(SEARCHING, "run.sh", start)
    assert (plan.table, plan.configuration.problem) == (None, None)
    assert "which is not in this repository" in plan.configuration.unread
    assert "${" not in plan.configuration.unread


@pytest.mark.parametrize(
    "texts",
    [("engine=none", "engine=mega"), ("engine=mega", "engine=plain"), ("engine=1", "engine=mega")],
)
def test_of_two_choices_of_a_group_the_last_counts(
    made: Made, layered: LayeredTable, folder: Path, texts: tuple[str, str]
) -> None:
    verdicts = layered.verdicts([setting(text) for text in texts])
    accepted = all(verdict.accepted for verdict in verdicts)
    assert accepted is (hydra_says(made, folder, list(texts)) is not None)
