from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

SLUG = "bad-value"


@pytest.mark.parametrize(
    "script",
    [
        verl("model_engine=megatron"),
        verl("model_engine=$ENGINE"),
        verl("trainer.nnodes=$NODES"),
        verl("trainer.logger='[\"console\"]'"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "setting",
    ["model_engine=megatrom", "++model_engine=dp", "+model_engine=megatron", "trainer=[1]"],
)
def test_what_hydra_refuses(setting: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(setting, before="# verl: 0.9.1")) == snapshot


def test_a_choice_that_openrlhf_refuses(snapshot: SnapshotAssertion) -> None:
    script = (
        "python3 -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path a/b-7b "
        "--algo.advantage.estimator grop\n"
    )
    assert marked(SLUG, script) == snapshot


RECIPE = "model_name_or_path: a/b-7b\ndataset_name: c/d\nlearning_rate: 1e-6\neval_strategy: "


@pytest.mark.parametrize(
    ("value", "help_"),
    [
        ("no", "YAML reads no as a boolean: write 'no' in quotes"),  # huggingface/open-r1's own.
        ("false", None),
        ("never", None),
    ],
)
def test_a_word_that_yaml_takes_for_a_boolean(value: str, help_: str | None) -> None:
    (finding,) = found(SLUG, f"{RECIPE}{value}\n", "recipes/a/sft/config.yaml")
    assert finding.help == help_


def test_so_it_is_of_a_recipe_that_a_script_names() -> None:
    """AMAP-ML/MathForge's `save_strategy: no`."""
    files = {"a.yaml": f"{RECIPE}no\n".encode(), "b.txt": b""}
    script = ScriptFile(path="run.sh", data=b"trl sft --output_dir o --config a.yaml\n")
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    (finding,) = [one for one in report.findings if one.slug == SLUG]
    assert (finding.path, finding.help) == (
        "a.yaml",
        "YAML reads no as a boolean: write 'no' in quotes",
    )


def test_a_quoted_word_is_a_text() -> None:
    assert quiet(SLUG, f"{RECIPE}'no'\n", "recipes/a/sft/config.yaml")
