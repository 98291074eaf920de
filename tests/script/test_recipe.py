"""A YAML recipe of TRL's stands for a command line, each setting at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import ScriptReport
from bot.script.recipe import read_recipe

PATH = "recipes/demo/grpo/config_demo.yaml"
GOOD = """\
# trl: 0.18.0
model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct
dataset_name: example/prompts
bf16: true
gradient_checkpointing_kwargs:
  use_reentrant: false
learning_rate: 1.0e-06
max_completion_length: 1024
num_generations: 16
per_device_train_batch_size: 16
report_to:
- wandb
reward_weights: [1.0, 0.5]
hub_model_id: null
"""


def check(text: str, path: str = PATH, files: dict[str, bytes] | None = None) -> ScriptReport:
    options = CheckOptions(place=InCheckout(Checkout(files)) if files is not None else None)
    return check_script(ScriptFile(path=path, data=text.encode()), options)


def found(report: ScriptReport) -> list[tuple[int, int, str, str]]:
    return [(f.line, f.column, f.id, f.message) for f in report.findings if f.severity != "note"]


@pytest.mark.parametrize("line", ["report_to: []", "reward_weights: []", "report_to:\n  []"])
def test_an_empty_list_is_a_value(line: str) -> None:
    """liurunxaun/SGT: `TrlParser` makes it the option's default."""
    name = line.partition(":")[0]
    kept = [text for text in GOOD.splitlines() if not text.startswith((name, "- wandb"))]
    if name == "reward_weights":
        kept.append("report_to: wandb")
    report = check("\n".join([*kept, line]) + "\n")
    assert [one for one in found(report) if one[2] != "RLB042"] == []
    (launch,) = report.launches
    assert launch.settings[name] == "${?[]}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2026-13-45", "2026-13-45"),
        ("1" + ":59" * 400 + ".5", "1" + ":59" * 26 + ":"),
        ("0x" + "f" * 9_000, "0x" + "f" * 78),
        ("9" * 5_000, "9" * 80),
        ("!!bool x", "x"),
        ("!!timestamp x", "x"),
        ("!!python/tuple [1]", "tag:yaml.org,2002:python/tuple"),
        ("=", "="),
        ("{[a]: 1}", "tag:yaml.org,2002:map"),
    ],
)
def test_a_value_that_yaml_does_not_give_is_said(value: str, shown: str) -> None:
    report = check(f"{GOOD}run_name: {value}\n")
    place = GOOD.count("\n") + 1, 11
    assert found(report) == [(*place, "RLB001", f"this is no value of a recipe: {shown}")]


@pytest.mark.parametrize(
    ("value", "right"), [("${EPOCHS}", True), ("'${EPOCHS}.0'", True), ("three", False)]
)
def test_what_is_to_be_put_in_is_not_known(value: str, right: bool) -> None:
    """Neelectric/open-r1_safety: `envsubst < recipe.yaml`."""
    report = check(f"{GOOD}num_train_epochs: {value}\n")
    assert ([one for one in found(report) if one[2] != "RLB042"] == []) is right


def test_a_value_that_a_release_refuses_whose_settings_are_of_another() -> None:
    """Neelectric/open-r1_safety pins TRL 0.18, and its recipes are for 0.26."""
    text = GOOD.replace("# trl: 0.18.0\n", "") + "scale_rewards: batch\n"
    files = {"requirements.txt": b"trl==0.18.0\n"}

    def severity(text: str) -> str:
        (one,) = (f for f in check(text, files=files).findings if f.id == "RLB027")
        return one.severity

    assert severity(text) == "error"
    assert severity(f"{text}no_such_setting: 1\n") == "error"
    assert severity(f"{text}dtype: bfloat16\n") == "warning"


def test_a_key_that_some_of_the_releases_pass_over_is_a_warning() -> None:
    """hanyin88/DRG-Sapphire names no release: its settings are those of 0.13 to 0.19.1."""
    text = "model_name_or_path: a/b\ndataset_name: c/d\ndataset_configs: [default]\n"
    text += "max_seq_length: 1024\npacking: true\noverwrite_output_dir: true\n"
    report = check(text, "recipes/sft_config.yaml")
    levels = {f.message: f.severity for f in report.findings if f.id == "RLB020"}
    assert (
        levels["there is no dataset_configs here, nor in any release of trl since 0.13.0"]
        == "warning"
    )
    stated = check(f"# trl: 0.19.1\n{text}", "recipes/sft_config.yaml")
    assert {f.severity for f in stated.findings if "dataset_configs" in f.message} == {"error"}


def test_a_recipe_of_the_repositorys_own_classes_says_so() -> None:
    """WeiKangda/MMR-GRPO holds a copy of TRL: its recipes were said to name no model."""
    own = b"from transformers import HfArgumentParser\nfrom dataclasses import dataclass\n"
    own += b"@dataclass\nclass ModelConfig:\n    model_name_or_path: str = None\n"
    report = check(GOOD, files={PATH: GOOD.encode(), "src/trl/model_config.py": own})
    (note,) = [f.message for f in report.findings if f.id == "RLB001"]
    assert note.startswith("classes of the repository's own have the settings of this recipe")


def test_a_good_recipe_has_no_finding() -> None:
    report = check(GOOD)
    assert (found(report), report.unchecked) == ([], ())
    (launch,) = report.launches
    assert launch.framework == "trl"
    assert launch.settings["learning_rate"] == 1e-6
    assert launch.settings["report_to"] == "wandb"
    assert report.plan is not None
    assert (report.plan.model, report.plan.rollout_n) == ("Qwen/Qwen2.5-1.5B-Instruct", 16)


def test_the_rules_of_a_command_line_hold_at_their_line(snapshot: SnapshotAssertion) -> None:
    bad = GOOD.replace("max_completion_length", "max_completion_lenght")
    bad = bad.replace("num_generations: 16", "num_generations: sixteen")
    assert found(check(bad)) == snapshot


def test_a_batch_that_the_generations_do_not_divide(snapshot: SnapshotAssertion) -> None:
    bad = GOOD.replace("num_generations: 16", "num_generations: 7") + "num_processes: 8\n"
    assert found(check(bad)) == snapshot


def test_any_setting_may_be_a_list_and_the_last_of_two_counts() -> None:
    text = GOOD.replace("- wandb\n", "- tensorboard\n- wandb\n") + "beta: 0.1\n"
    report = check(text)
    assert found(report) == []
    assert report.launches[0].settings["report_to"] == ["tensorboard", "wandb"]
    twice = found(check(text + "beta: 0.04\n"))
    assert [(one[0], one[2]) for one in twice] == [(text.count("\n") + 1, "RLB026")]


def test_fields_of_the_repository_are_no_mistakes() -> None:
    own = b"import trl\n@dataclass\nclass Mine(trl.GRPOConfig):\n    benchmarks: list[str] = None\n"
    report = check(GOOD + "benchmarks: [aime]\nbenchmark: [aime]\n", files={"src/any.py": own})
    assert [one[3] for one in found(report)] == [
        "there is no benchmark here, nor in any release of trl since 0.13.0"
    ]


def test_what_a_class_of_the_repository_declares_again_keeps_its_value() -> None:
    """Recipes of kevtimova/open-r1 were read with TRL's default of a completion's length."""
    own = b"import trl\n@dataclass\nclass Mine(trl.GRPOConfig):\n"
    own += b"    max_completion_length: int = 9\n    reward_funcs: list[str] = None\n"
    more = "# trl: 0.17.0\nreward_funcs:\n- accuracy\n"
    report = check(GOOD.replace("# trl: 0.18.0\n", "") + more, files={"src/any.py": own})
    assert found(report) == []  # TRL has no option reward_funcs before 0.18.
    assert report.plan is not None
    assert report.plan.max_response_length == 1024


def test_fields_that_another_file_of_the_repository_parses_are_no_mistakes() -> None:
    own = b"@dataclass\nclass Mine:\n    benchmarks: list[str] = None\n"
    parses = b"from own import Mine\nparser = TrlParser((Mine, GRPOConfig))\n"
    text = GOOD + "benchmarks: [aime]\n"
    assert found(check(text, files={"a/own.py": own, "a/train.py": parses})) == []
    # Where nothing parses arguments, a class has nothing to do with them.
    assert len(found(check(text, files={"a/own.py": own}))) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [1", "this is not YAML"),
        ("- 1\n", "a recipe is a mapping"),
        ("a: &x [*x]\n", "nest too deeply"),
        ("? [1, 2]\n: 3\n", "a setting's name is a text"),
        ("", "a recipe is a mapping"),
        ("a: 1\n" * 60_000, "at most 262,144 bytes"),
    ],
)
def test_what_is_no_recipe_is_an_error_at_its_place(text: str, reason: str) -> None:
    (one,) = found(check(text))
    assert one[2] == "RLB001"
    assert reason in one[3]


@pytest.mark.parametrize("text", ["stage: sft\nfinetuning_type: lora\n", "a: 1\n"])
def test_another_kind_of_yaml_is_not_checked_and_does_not_pass(text: str) -> None:
    report = check(text)
    assert report.verdict == "inconclusive"
    assert report.unchecked


def test_a_script_that_names_a_recipe_says_that_it_was_not_read() -> None:
    script = "# trl: 0.18.0\ntrl grpo --config recipes/x.yaml --learning_rate 1e-6\n"
    report = check(script, "run.sh")
    assert [one.check for one in report.unchecked] == ["recipe"]


@given(st.text(max_size=300))
def test_no_text_is_a_fault(text: str) -> None:
    read_recipe(text.encode(), PATH)
    read_recipe(f"model_name_or_path: x\n{text}".encode(), PATH)
