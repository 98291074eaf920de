"""Everything that the evidence and the row say can be said in Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from bot.evidence import zh as evidence_zh
from bot.language import translated
from bot.report import ScriptReport
from bot.table import zh as table_zh
from bot.translation import in_language
from tests.command import ROOT
from tests.evidence.samples import claim, config, evidence, facts

SENTENCES = {**evidence_zh.SENTENCES, **table_zh.SENTENCES}
FILES = [
    *(ROOT / "bot/evidence" / f"{name}_claims.py" for name in ("batch", "hardware", "key")),
    *(
        ROOT / "bot/evidence" / f"{name}_claims.py"
        for name in ("least", "owner", "peak", "progress")
    ),
    *(ROOT / "bot/evidence" / f"{n}.py" for n in ("claims", "subject", "console_log")),
    *(ROOT / "bot/evidence" / f"{name}.py" for name in ("find_links", "which_run")),
    *(ROOT / "bot" / name for name in ("change_runs.py", "table/row.py", "table/tag.py")),
]


def templates(file: Path) -> Iterator[str]:
    """The templates of every `say` in a module; a constant's name stands for its text."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    constants = {
        node.target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)
            else:
                assert isinstance(first, ast.Name)
                yield str(constants[first.id])


def names(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_sentence_has_a_translation_and_no_other_is_left() -> None:
    used = {template for file in FILES for template in templates(file)}
    assert len(used) > 100
    assert used == SENTENCES.keys()


@pytest.mark.parametrize("template", SENTENCES)
def test_a_translation_has_the_same_values_and_chinese_marks(template: str) -> None:
    chinese = SENTENCES[template]
    # "is" and "are" are one word in Chinese.
    assert names(chinese) == names(template) - {"are"}
    assert re.search(r"[一-鿿]", chinese)
    assert not re.search(r"[一-鿿][,;:?!.]|[,;?!](?=[一-鿿])", chinese)


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
        said = in_language(report, "zh").evidence
        assert said is not None
        assert [c.reason for c in said.claims if not re.search(r"[一-鿿]", c.reason)] == []


def test_a_sentence_within_a_sentence_is_translated_too() -> None:
    short = dict(facts().history)
    del short["training/global_step"]
    reason = claim(evidence(facts(history=short)), "max batch").reason
    assert translated(reason, SENTENCES) == (
        "该运行以 128 训练，但能否放得下尚无定论：运行的历史记录中没有 training/global_step。"
    )
