"""Everything that the evidence and the row say can be said in Chinese."""

from __future__ import annotations

import re

import pytest

from bot.base.messages import translated
from bot.check.translate import in_language
from bot.evidence.online.failure import FailureKind, ReadFailure, ReadStage, sentence
from bot.render.speech import speaking, word
from bot.report import ScriptReport
from bot.report.claims import SourceName
from tests.evidence.online.test_guide import LINK, WHEN
from tests.evidence.samples import claim, config, evidence, facts
from tests.sentences import english


def test_no_reason_of_a_claim_stays_english() -> None:
    runs = [
        facts(),
        facts(config={}, history={}, system={}, gpus=(), requirements={}),
        facts(config=config(data__train_batch_size=1, trainer__n_gpus_per_node=8)),
        facts(out_of_memory="torch.OutOfMemoryError: x"),
        facts(exit_code=None, requirements={"verl": "0.9.1"}, created="2026-09-01"),
    ]
    for run in runs:
        report = ScriptReport(path="a.sh", sha256="", verdict="pass", evidence=evidence(run))
        shown = in_language(report, "zh").evidence
        assert shown is not None
        assert [c.reason for c in shown.claims if not re.search(r"[一-鿿]", c.reason)] == []


def test_every_source_has_its_word() -> None:
    with speaking("zh"):
        plain = [name for name in SourceName if word(name) == name]
    assert plain == [SourceName.REQUIREMENTS]  # A file's name.


def test_a_sentence_within_a_sentence_is_translated_too() -> None:
    short = dict(facts().history)
    del short["training/global_step"]
    reason = claim(evidence(facts(history=short)), "max batch").reason
    assert translated(reason, "zh") == (
        "该运行记录以 128 训练，但能否放得下尚无定论："
        "运行记录的历史数据中没有 training/global_step。"
    )


@pytest.mark.parametrize("kind", WHEN)
def test_no_failure_of_a_reading_stays_english(kind: FailureKind) -> None:
    _, failure = WHEN[kind]
    shown = translated(sentence(failure, LINK), "zh")
    assert not english(shown)


def test_every_stage_of_a_reading_has_its_name() -> None:
    for stage in ReadStage:
        shown = translated(sentence(ReadFailure(kind="gone", stage=stage), LINK), "zh")
        assert not english(shown)


def test_a_failure_reads_as_one_sentence() -> None:
    def shown(failure: ReadFailure) -> str:
        return translated(sentence(failure, LINK), "zh")

    rate = ReadFailure(kind="rate", stage=ReadStage.HISTORY, status=429, seconds=120)
    assert shown(rate) == (
        "wandb.ai 要求减少请求（HTTP 429），并等待 120 秒；历史记录未能读取：请稍后重试。"
    )
    known = ReadFailure(kind="unreachable", detail="connection refused")
    assert shown(known).startswith("无法连接 wandb.ai（连接被拒绝）：")
    other = ReadFailure(kind="unreachable", detail="protocol not available")
    assert shown(other).startswith("无法连接 wandb.ai（protocol not available）：")
