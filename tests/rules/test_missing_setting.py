from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import lines, openrlhf, verl
from tests.rules.helpers import found, marked, quiet

SLUG = "missing-setting"
BASE = ("algorithm.adv_estimator=grpo", "actor_rollout_ref.actor.use_dynamic_bsz=True")


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        lines(*BASE, "$SETTINGS"),
        lines(*BASE, '"$@"', "actor_rollout_ref.rollout.name=vllm"),
        "# verl: 0.4.1\n" + lines(*BASE),  # it had a default then
        openrlhf(),
        openrlhf(without=("--reward.model_name_or_path",)).replace(
            "--train.colocate_all", "--train.colocate_all --reward.remote_url http://127.0.0.1:5000"
        ),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        lines(*BASE),
        "# verl: 0.9.1\n" + lines(*BASE),
        openrlhf(without=("--data.prompt_dataset",)),
        openrlhf(without=("--reward.model_name_or_path",)),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


TURNS = "actor_rollout_ref.rollout.multi_turn"
ENABLED = f"{TURNS}.enable=True"


@pytest.mark.parametrize(
    ("release", "given"),
    [
        ("0.4.0", (f"{TURNS}.enable=False",)),
        ("0.4.0", (ENABLED, f"{TURNS}.tool_config_path=tools.yaml")),
        ("0.4.0", (ENABLED, f"{TURNS}.tool_config_path=$TOOLS")),
        ("0.4.1", (ENABLED, f"{TURNS}.interaction_config_path=one.yaml")),
        ("0.5.0", (ENABLED,)),
        ("0.9.1", (ENABLED,)),
    ],
)
def test_turns_that_verl_takes(release: str, given: tuple[str, ...]) -> None:
    assert quiet(SLUG, f"# verl: {release}\n{verl(*given)}")


@pytest.mark.parametrize("release", ["0.4.0", "0.4.1"])
def test_turns_without_tools(release: str) -> None:
    """RUC-NLPIR/ARPO's issue 16."""
    (finding,) = found(SLUG, f"# verl: {release}\n{verl(ENABLED)}")
    assert (finding.severity, finding.help) == ("error", f"set {TURNS}.tool_config_path")
    assert finding.message == f"{TURNS}.enable is on, and {TURNS}.tool_config_path is not set"


CONFIG = b"""
actor_rollout_ref: {rollout: {name: vllm, multi_turn: {enable: false, tool_config_path: null}}}
"""
CHECK = b"assert config.actor_rollout_ref.rollout.multi_turn.tool_config_path is not None\n"


@pytest.mark.parametrize(("source", "count"), [(CHECK, 1), (b"pass\n", 0)])
def test_a_copy_that_asks_for_tools(source: bytes, count: int) -> None:
    files = {
        "verl/trainer/config/ppo_trainer.yaml": CONFIG,
        "verl/trainer/ppo/ray_trainer.py": source,
    }
    data = f"python3 -m verl.trainer.main_ppo {ENABLED}\n".encode()
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=data), options)
    assert [f.severity for f in report.findings if f.id == "RLB063"] == ["error"] * count
