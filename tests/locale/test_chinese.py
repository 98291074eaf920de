"""Results in Chinese, through the whole way: configuration or option, check, report, renderers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.base.config import Config
from bot.base.messages import Message, message, sentence_of
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script, make_report
from bot.check.translate import in_language
from bot.report import Unchecked
from bot.rules._support.example import verl
from tests.command import rlbot
from tests.review.test_local_change import Repository
from tests.rules.helpers import PATH


def test_an_error_keeps_its_message() -> None:
    text = message("{path} is not UTF-8.", path="a")
    assert isinstance(sentence_of(ValueError(text)), Message)
    assert sentence_of(ValueError("plain")) == "plain"
    assert sentence_of(ValueError()) == ""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_text(
        verl(
            "data.train_batch_size=1024",
            "data.train_batch_size=512",
            before="# rlbot: ignore[RLB041] 试验记录来自另一台机器\nbatch=8",
        ),
        encoding="utf-8",
    )
    return tmp_path


def _without_quotations(text: str) -> str:
    """The lines that rlbot says itself: none of the script, of the page, of a path."""
    return "\n".join(
        line
        for line in text.splitlines()
        if "│ " not in line or re.search("[一-鿿]", line) or "^" in line
    )


def test_the_option_and_the_configuration_switch_the_whole_result(folder: Path) -> None:
    command = ("lint", "examples", "--select", "duplicate-key,suppression,trial-log", "--verbose")
    english = rlbot(*command, cwd=folder)
    asked = rlbot(*command, "--lang", "zh", cwd=folder)
    (folder / ".rlbot.yml").write_text("language: zh\n", encoding="utf-8")
    configured = rlbot(*command, cwd=folder)
    assert asked.out == configured.out
    assert rlbot(*command, "--lang", "en", cwd=folder).out == english.out
    assert asked.status == configured.status == english.status
    for word in ("警告", "提示", "对 RLB041 的屏蔽未被用到：此处没有相应结果", "1 个脚本："):
        assert word in asked.out
    assert not re.search(r"\b(the|is|are|with|wins|script)\b", _without_quotations(asked.out))


@pytest.mark.parametrize("format_", ["json", "sarif", "github", "markdown"])
def test_every_form_speaks_it(folder: Path, format_: str) -> None:
    command = ("lint", "examples", "--select", "duplicate-key", "--format", format_)
    out = rlbot(*command, "--lang", "zh", cwd=folder).out
    assert "设置了两次" in out
    if format_ in ("json", "sarif"):
        content = json.loads(out)
        if format_ == "json":
            assert content["language"] == "zh"


@pytest.mark.process
def test_a_pull_request_is_answered_in_the_bases_language(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.write(".rlbot.yml", "language: zh\npage: null\n")
    repository.commit("configuration")
    repository.git("switch", "--quiet", "--create", "work")
    repository.write(".rlbot.yml", "language: en\npage: null\n")
    repository.write(PATH, verl())
    repository.commit("script")
    result = rlbot("pr", "--base", "main", cwd=tmp_path)
    assert result.out.startswith("**无法完成检查：未链接任何运行记录。**")


def test_what_could_not_be_checked_is_said_in_it_too() -> None:
    items = (Unchecked(check="page", reason=message("{path} is not UTF-8.", path="p.rst")),)
    assert in_language(items, "zh")[0].reason == "p.rst 不是 UTF-8 编码。"
    assert in_language(items, "en") == items
    assert make_report([], unchecked=items, language="zh").unchecked[0].reason.startswith("p.rst ")


def test_a_hostile_name_is_no_template() -> None:
    path = "examples/tuning/7b/{0}{x}%s_grpo_8_h100_fsdp_vllm.sh"
    options = CheckOptions(config=Config(language="zh"), select=("name-pattern",))
    report = check_script(ScriptFile(path=path, data=verl().encode()), options)
    assert any("{0}{x}%s" in finding.message for finding in report.findings)
