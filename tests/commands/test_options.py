"""Every option does what it says, or is refused with a sentence: none is dropped silently."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

from bot.commands.cli import main
from bot.commands.result import wants_color
from bot.rules._support.example import verl
from tests.command import rlbot
from tests.commands.test_cli import NAME, PAGE, SCRIPT

ONE = ("resolve", "run.sh")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "report.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("lint", "run.sh", "--stdin-filename", "x.sh"), "give - as PATH"),
        ((*ONE, "--env", "A=1", "--env", "A=2"), "--env gives A two values; give one."),
        (
            (*ONE, "--framework", "verl@0.4.1", "--framework", "verl@0.9.1"),
            "--framework gives verl two releases; give one.",
        ),
        ((*ONE, "--framework", "openrlhf@99"), "openrlhf 99 is not known: use one of 0."),
        (("verify", "--again", "report.json", "--tag", "MIN"), "--tag has no effect with --again"),
        (
            ("verify", "--again", "report.json", "--env", "A=1"),
            "--env has no effect with --again; leave it out.",
        ),
        (
            ("contribute", "run", "--script", "run.sh", "--launcher", "torchrun"),
            "--launcher has no effect with --script; leave it out.",
        ),
        (("lint", "--select", "", "run.sh"), "--select takes rules, separated by commas"),
        (("lint", "--select", " ,", "run.sh"), "--select takes rules, separated by commas"),
        (("recommend", "2x4090", "--page", "none.rst"), "--page gives the rows of one model"),
        (("recommend", "--list", "models", "2x4090"), "--list prints what is known as text"),
        (("recommend", "--list", "tasks", "--format", "json"), "--list prints what is known"),
        (("recommend", "--list", "tasks", "--batch", "8"), "--batch has no effect with --list"),
        (("recommend", "2x4090", "full", "rank=8"), "A rank is an adapter's, and full training"),
    ],
)
def test_what_would_have_no_effect_is_refused(
    folder: Path, words: tuple[str, ...], sentence: str
) -> None:
    result = rlbot(*words, cwd=folder)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err


def test_the_same_value_twice_is_one(folder: Path) -> None:
    """An alias of the shell may hold what is given once more."""
    once = ("--env", "batch=1", "--framework", "verl@0.6.0")
    twice = (*once, "--env", "batch=1", "--against", "verl@0.6.0")
    result = rlbot(*ONE, *twice, cwd=folder)
    assert result.status == 0
    assert result == rlbot(*ONE, *once, cwd=folder)


@pytest.mark.slow
def test_lengths_are_read_as_in_a_question() -> None:
    words = ("recommend", "2x4090", "Qwen3-0.6B", "--format", "json")
    for option in (("--lengths", "1k+2K"), ("--lengths", "1024+2048"), ("1k+2k",)):
        question = json.loads(rlbot(*words, *option).out)["question"]
        assert (question["prompt"], question["response"]) == (1024, 2048)
    one = [json.loads(rlbot(*words, *more).out) for more in (("--lengths", "2048"), ("2048",))]
    assert one[0] == one[1]


def test_a_quiet_estimate_says_nothing_of_what_fits(folder: Path) -> None:
    (folder / "small.sh").write_text(verl())
    words = ("estimate", "small.sh", "--device", "b200", "--quiet")
    result = rlbot(*words, cwd=folder)
    assert (result.status, result.out) == (0, "")
    assert json.loads(rlbot(*words, "--format", "json", cwd=folder).out)["scripts"]
    for device in ("a10", "t4"):
        assert rlbot("estimate", "small.sh", "--device", device, "--quiet", cwd=folder).out


def test_gpus_that_do_not_count_are_said(folder: Path) -> None:
    for words in (("plan", "run.sh"), ("read", "run.sh", "none")):
        result = rlbot("bisect", *words, "--device", "h100", "--gpus", "5", cwd=folder)
        if words[0] == "plan":
            assert "--gpus 5 does not count for run.sh: its settings give 2." in result.err


def test_the_forms_of_a_row_that_is_added(folder: Path) -> None:
    named = folder / "7b" / NAME
    named.parent.mkdir()
    named.write_text(SCRIPT, encoding="utf-8")
    page = folder / "page.rst"
    page.write_text(PAGE, encoding="utf-8")
    words = ("table", "add", "page.rst", f"7b/{NAME}", "--offline")
    shown = rlbot(*words, "--dry-run", "--format", "json", cwd=folder)
    (script,) = json.loads(shown.out)["scripts"]
    assert script["page_edit"]["action"] == "add"
    assert page.read_text(encoding="utf-8") == PAGE
    added = rlbot(*words, "--format", "json", cwd=folder)
    assert json.loads(added.out)["scripts"][0]["row"] == script["row"]
    assert page.read_text(encoding="utf-8") != PAGE
    assert rlbot(*words, "--quiet", cwd=folder).out == ""


def test_a_variable_that_no_script_mentions_is_said(folder: Path) -> None:
    said = "rlbot: --env: no script that was read mentions BATHC.\n"
    for words in (("lint", "run.sh"), ("resolve", "run.sh"), ("verify", "run.sh", "--offline")):
        options = ("--env", "batch=8", "--env", "BATHC=8")
        assert rlbot(*words, *options, cwd=folder).err == said
        assert rlbot(*words, *options[:2], cwd=folder).err == ""
        assert rlbot(*words, *options, "--root", ".", cwd=folder).err == ""


def test_a_framework_that_no_script_starts_is_said(folder: Path) -> None:
    said = rlbot("lint", "run.sh", "--framework", "openrlhf@0.11.2", cwd=folder).err
    assert said == (
        "rlbot: --framework: no script that was read starts openrlhf. They start verl: give the "
        "release of that, such as --framework verl@0.9.1.\n"
    )
    for release in ("verl@0.8.0", "verl"):
        assert rlbot("lint", "run.sh", "--framework", release, cwd=folder).err == ""


@pytest.mark.parametrize(
    "words", [pytest.param(("2x4090",), marks=pytest.mark.slow), ("2x4090", "Qwen3-0.6B")]
)
def test_sentences_are_as_wide_as_the_terminal(words: tuple[str, ...]) -> None:
    wide = {
        size: max(map(len, _on_terminal("recommend", *words, columns=size).splitlines()))
        for size in (70, 200)
    }
    assert wide[70] <= 76, "a table and its indent"
    assert 100 < wide[200] <= 120
    assert max(map(len, rlbot("recommend", *words).out.splitlines())) <= 80


def _on_terminal(*words: str, columns: int) -> str:
    with (
        mock.patch.dict("os.environ", {"COLUMNS": str(columns)}),
        mock.patch("bot.commands.terminal.sys.stdout", mock.Mock(isatty=lambda: True)),
        mock.patch("bot.commands.recommend.write") as write,
    ):
        main(words)
    (text,) = write.call_args.args
    assert isinstance(text, str)
    return text


@pytest.mark.process
def test_who_names_a_run_is_not_told_that_runs_can_be_named(folder: Path) -> None:
    hint = "can also be given with --run"
    assert hint in rlbot("verify", "run.sh", cwd=folder).out
    named = rlbot("verify", "run.sh", "--run", "nosuch", cwd=folder)
    assert (named.status, named.out) == (2, "")
    assert "nosuch does not exist" in named.err


def test_v_is_verbose(folder: Path) -> None:
    short = rlbot("lint", "-v", "run.sh", cwd=folder)
    assert short.out == rlbot("lint", "--verbose", "run.sh", cwd=folder).out
    assert short.out != rlbot("lint", "run.sh", cwd=folder).out


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_a_dumb_terminal_gets_no_colour(
    environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert wants_color("auto") is coloured
    assert (wants_color("always"), wants_color("never")) == (True, False)


def test_a_drawing_is_of_one_script(folder: Path) -> None:
    launch = verl(before="# verl: 0.9.1")
    for name in ("one.sh", "two.sh"):
        (folder / name).write_text(launch, encoding="utf-8")
    (folder / "none.sh").write_text("echo 1\n", encoding="utf-8")
    drawing = ("estimate", "--format", "svg", "--device", "h100")
    refused = rlbot(*drawing, "one.sh", "two.sh", cwd=folder)
    assert (refused.status, refused.out) == (2, "")
    assert "--format svg draws one script, and these are 2: name one" in refused.err
    made = rlbot(*drawing, "one.sh", "none.sh", cwd=folder)
    assert made.out.count("<svg ") == 1
