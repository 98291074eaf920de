from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "author-path"
MODEL = "actor_rollout_ref.model.path"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MODEL}=Qwen/Qwen2.5-7B"),
        verl("data.train_files=$HOME/data/gsm8k/train.parquet"),
        verl("data.train_files=~/data/gsm8k/train.parquet"),
        verl("data.train_files=data/gsm8k/train.parquet"),
        verl(f"{MODEL}=$M", before="M=${M:-/mnt/models/Qwen2.5-7B}"),
        verl("trainer.default_local_dir=/var/out"),
        verl("data.train_files=hdfs://host/data/x.parquet"),
        verl("trainer.experiment_name=a/data/b"),
        "cat /home/me/x\n" + verl(),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MODEL}=/mnt/bn/models/Qwen2.5-7B"),
        verl("data.train_files=\"['/home/me/a.parquet','/data/b.parquet']\""),
        verl(f"{MODEL}=$base/Qwen2.5-7B", before="base=/root/models"),
        "PYTHONPATH=/opt/tiger/open_verl " + verl(),
    ],
)
def test_names_the_folder(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
