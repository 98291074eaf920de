"""What is wrong with a setting is said in Chinese too: each sentence is one that is translated."""

from __future__ import annotations

import json
import re

import pytest

from bot.rules._support.example import openrlhf, verl
from tests.command import rlbot

ENGLISH = re.compile(r"\b(?:is|has|cannot|takes|there|needs|of)\b")
WORDS = {
    "trainer.n_gpus_per_node=1,2": "读作要逐个尝试的多个值",
    "trainer.n_gpus_per_node.x=1": "其下不能再有键",
    "+trainer.n_gpus_per_node.x=1": "会把它的值换成映射",
    "~trainer.nothere": "没有可删除的 trainer.nothere",
    "~trainer.nnodes=3": "trainer.nnodes 的值不是要删除的那个",
    "++model@x.y=z": "model 是配置组，不能用 ++ 强制",
    "model_engine=nothere": "model_engine 没有选项 nothere",
    "model_engine=[megatron,1]": "取多个选择时的结果未知",
    "~model_engine": "去掉 model_engine 之后的配置未知",
    "actor@foo=dp_actor": "不是此配置中的选择",
    "trainer.project_name=a=b": "第二个 '=' 需要给值另加一层引号",
    "trainer.project_name={NAME}": "脚本的变量写作 ${NAME}",
    "model=1": "其值必须是某个选项的名称",
    "data.train_batch_size＝256": "全角的 ＝",
}


@pytest.mark.parametrize(("word", "sentence"), WORDS.items(), ids=WORDS)
def test_a_refused_override(word: str, sentence: str) -> None:
    found = _sentences(verl(word))
    assert any(sentence in one for one in found), found
    assert not any(map(ENGLISH.search, found))


def test_a_refused_option() -> None:
    found = _sentences(openrlhf("--train.batch_size many"))
    assert any("--train.batch_size 的值应为整数，而不是 'many'" in one for one in found), found
    assert not any(map(ENGLISH.search, found))


def _sentences(script: str) -> list[str]:
    words = ("lint", "-", "--stdin-filename", "run.sh", "--lang", "zh", "--format", "json")
    rules = ("--select", "unknown-key,bad-override,bad-value,plus-on-existing-key,missing-plus")
    report = json.loads(rlbot(*words, *rules, stdin=script.encode()).out)
    (one,) = report["scripts"]
    return [
        *(finding["message"] for finding in one["findings"]),
        *(item["reason"] for item in one["unchecked"]),
    ]
