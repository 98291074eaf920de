"""Forks of open-instruct, whose programs have options of their own."""

from __future__ import annotations

import pytest

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout, needed
from bot.report import ScriptReport

GRPO = """
from open_instruct import data_loader as loader
from open_instruct import grpo_utils
from open_instruct.model_utils import ModelConfig
from open_instruct.utils import ArgumentParserPlus
if __name__ == "__main__":
    parser = ArgumentParserPlus((grpo_utils.ExperimentConfig, ModelConfig, loader.StreamingConfig))
"""
UTILS = """
@dataclass
class ExperimentConfig:
    kl_estimator: Literal[0, 1, 2, 3] = 2
    loss_fn: LossName = LossName.dapo
    learning_rate: float = 2e-5
    stop: str | None = None
    with_tracking: bool = False
    use_vllm: bool = True
    seeds: list[int] = field(default_factory=lambda: [1])
    made: int = field(init=False)
"""
MODEL = """
class Base:
    model_name_or_path: Optional[str] = None
@dataclass
class ModelConfig(Base):
    total: ClassVar[int] = 3
    attn_backend: str = "auto"
"""
LOADER = """
@dataclass
class StreamingConfig:
    response_length: int = 256
    num_samples_per_prompt_rollout: int = 4
    slr_reward: Literal["isomorphic", "base"] = "base"
"""
FILES = {
    "open_instruct/grpo_fast.py": GRPO,
    "open_instruct/grpo_utils.py": UTILS,
    "open_instruct/model_utils.py": MODEL,
    "open_instruct/data_loader.py": LOADER,
}


def check(options: str, more: str = "", **changed: str) -> ScriptReport:
    files = FILES | {f"open_instruct/{name}.py": text for name, text in changed.items()}
    contents = {path: text.encode() for path, text in files.items()}
    text = f"python open_instruct/grpo_fast.py {options}\n{more}\n"
    script = ScriptFile(path="scripts/one.sh", data=text.encode())
    return check_script(script, CheckOptions(place=InCheckout(Checkout(contents))))


def problems(report: ScriptReport) -> list[tuple[str, str]]:
    found = (f for f in report.findings if f.severity in ("error", "warning"))
    return [(f.id, str(f.message).partition(" here")[0]) for f in found]


@pytest.mark.parametrize(
    "options",
    [
        "--kl_estimator 2",
        "--slr_reward isomorphic --attn_backend flash_3 --seeds 1 2 3",
        "--loss_fn cispo --stop none --learning_rate 1e-6 --response_length none",
        "--with_tracking --no_use_vllm --with_tracking False",
        "--model_name_or_path Qwen/Qwen3-8B --kl-estimator 3",
    ],
)
def test_options_of_the_repository_are_right(options: str) -> None:
    report = check(options)
    assert problems(report) == []
    assert report.launches[0].framework == "open-instruct"


def test_its_values_and_defaults_make_the_plan() -> None:
    report = check("--response_length 512")
    assert report.plan is not None
    assert (report.plan.max_response_length, report.plan.rollout_n) == (512, 4)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--kl_estimator kl3", ("RLB027", "--kl_estimator takes a whole number, not 'kl3'")),
        ("--slr_reward new", ("RLB027", "--slr_reward takes one of isomorphic, base, not 'new'")),
        (
            "--response_length many",
            ("RLB027", "--response_length takes a whole number, not 'many'"),
        ),
        ("--max_token_length 8", ("RLB020", "there is no --max_token_length")),
        ("--made 8", ("RLB020", "there is no --made")),
        ("--no_with_tracking", ("RLB020", "there is no --no_with_tracking")),
    ],
)
def test_what_the_repository_does_not_take_is_an_error(
    options: str, expected: tuple[str, str]
) -> None:
    assert problems(check(options)) == [expected]


@pytest.mark.parametrize(
    "changed",
    [
        {"grpo_utils": "from elsewhere import ExperimentConfig\n"},
        {"model_utils": "from trl import ModelConfig\n"},
        {"grpo_fast": GRPO.replace("ArgumentParserPlus(", "make_parser(")},
    ],
)
def test_a_class_that_is_not_followed_leaves_the_release(changed: dict[str, str]) -> None:
    report = check("--num_unique_prompts_rollout 8 --beta 0.1", **changed)
    assert problems(report) == []
    assert not problems(check("--kl_estimator 2"))


ARGPARSE = """
import argparse
def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train_file", type=str, default=None)
    parser.add_argument("--lora_rank", type=int, default=64)
    parser.add_argument("--save_merged_lora_model", action="store_true")
    args = parser.parse_args()
    return args
"""


def test_options_of_an_older_program_are_its_own() -> None:
    """adamlin120's of 2023, before open-instruct parsed classes."""
    given = "--train_file a.jsonl --save_merged_lora_model --lora_rank"
    assert problems(check(f"{given} 8", grpo_fast=ARGPARSE)) == []
    assert problems(check(f"{given} many --train-file 1", grpo_fast=ARGPARSE)) == [
        ("RLB027", "--lora_rank takes a whole number, not 'many'"),
        ("RLB020", "there is no --train-file"),
    ]


@pytest.mark.parametrize(
    ("code", "instead"),
    [
        ("parser.parse_args()", "parser.parse_known_args()"),
        ("args = parser.", "add_more(parser)\n    args = parser."),
        ("argparse.ArgumentParser()", "argparse.ArgumentParser(parents=[more])"),
    ],
)
def test_an_older_program_that_takes_more_is_not_followed(code: str, instead: str) -> None:
    changed = ARGPARSE.replace(code, instead)
    assert changed != ARGPARSE
    assert problems(check("--kl_estimator 2 --beta 0.1", grpo_fast=changed)) == []


def test_a_program_that_the_repository_lacks_is_read_by_a_release() -> None:
    """Each launch of a script by what counts for it."""
    more = "python open_instruct/dpo_tune_cache.py --use_flash_attn --dpo_beta 5 --model_revision x"
    assert [name for name, _ in problems(check("--kl_estimator 2", more))] == ["RLB028"]


def test_a_pull_request_asks_for_the_classes() -> None:
    text = b"python open_instruct/grpo_fast.py --model_name_or_path x --kl_estimator 2\n"
    script = {"scripts/one.sh": text}
    assert set(FILES) <= set(needed(FILES, script))
