from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, marked, quiet

SLUG = "missing-dollar"
MODEL = "actor_rollout_ref.model.path"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MODEL}=$MODEL_PATH", before="MODEL_PATH=Qwen/Qwen2.5-7B"),
        verl(f"{MODEL}=MODEL_PATH"),
        verl(f"{MODEL}=model_path/a", before="model_path=b"),
        verl("actor_rollout_ref.rollout.name=vllm", before="vllm=1"),
        verl("algorithm.adv_estimator=grpo", before="grpo=yes"),
        verl("trainer.experiment_name=exp", before="exp=grpo_7b"),
        verl("actor_rollout_ref.actor.kl_loss_type=low_var_kl", before="low_var_kl=x"),
        verl("trainer.project_name=my_project", before="my_project=my_project"),
        verl("data.train_files=\"['$a_path']\"", before="a_path=a.parquet"),
        verl("trainer.experiment_name=$EXP", before="EXP=some_name"),
        verl("trainer.project_name=dapo_math_17k", before="dapo_math_17k=$ROOT/data/DAPO-Math-17k"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MODEL}=model_path", before="model_path=Qwen/Qwen2.5-7B"),
        verl(f'"{MODEL}=MODEL_PATH"', before="MODEL_PATH=Qwen/Qwen2.5-7B"),
        verl("data.train_batch_size=bsz", before="bsz=1024"),
        verl(f"{MODEL}=model", before="model=Qwen/Qwen2.5-7B"),
        verl("data.train_files=$files", before="train_path=a.parquet\nfiles=train_path"),
        verl("data.train_files=\"['train_path']\"", before="train_path=a.parquet"),
        verl("trainer.experiment_name=EXP", before="EXP=first"),
        verl("trainer.experiment_name=exp_name", before="exp_name=first"),
        verl("trainer.experiment_name=MODEL_PATH", before="MODEL_PATH=Qwen/Qwen2.5-7B"),
    ],
)
def test_names_the_variable(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_the_fix_adds_the_dollar() -> None:
    script = verl(f"{MODEL}=model_path", before="model_path=Qwen/Qwen2.5-7B")
    mended = fixed(SLUG, script)
    assert f"{MODEL}=$model_path" in mended
    assert quiet(SLUG, mended)


def test_no_fix_inside_single_quotes() -> None:
    script = verl(f"'{MODEL}=model_path'", before="model_path=Qwen/Qwen2.5-7B")
    assert not quiet(SLUG, script)
    assert fixed(SLUG, script) == script
