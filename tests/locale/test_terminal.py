"""LC_ALL and LANG decide what a terminal shows, and nothing that is read by programs or published.

A script with an error stands for a check; `test_whole_app` and the Action's tests have the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.commands.cli import COMMANDS
from bot.commands.terminal import VARIABLES, TerminalParser, terminal_language, terminal_of
from bot.render.columns import width_of
from tests.check.test_fix import LAUNCH
from tests.command import ROOT, rlbot
from tests.review.test_local_change import Repository
from tests.rules.helpers import PATH

CHINESE = {"LANG": "zh_CN.UTF-8"}
HAN = range(0x4E00, 0xA000)


def _chinese(text: str) -> bool:
    return any(ord(char) in HAN for char in text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a script that has an error."""
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_text(LAUNCH.replace("path=$model", "path=model") + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": ""}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zhx"}, "en"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW@radical"}, "zh"),
        ({"LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN", "LANG": "zh_CN"}, "en"),
        ({"LC_ALL": "", "LANG": "zh_CN"}, "zh"),
    ],
)
def test_the_first_variable_that_is_set_decides(
    environment: Mapping[str, str], language: str
) -> None:
    assert terminal_language(environment) == language


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_in_the_language_of_the_terminal(command: str) -> None:
    english = rlbot(command, "--help")
    assert english.status == 0
    assert not _chinese(english.out)
    chinese = rlbot(command, "--help", environment=CHINESE | {"COLUMNS": "80"})
    assert chinese.status == 0
    lines = chinese.out.splitlines()
    prose = [line for line in lines[lines.index("") :] if _chinese(line)]
    assert _chinese(chinese.out)
    assert max(map(width_of, prose)) <= 80
    assert "show this help" not in chinese.out


def test_an_option_goes_before_the_environment() -> None:
    assert _chinese(rlbot("lint", "--lang", "zh", "--help").out)
    assert _chinese(rlbot("lint", "--lang=zh", "none.sh").err)
    assert not _chinese(rlbot("lint", "--lang", "en", "--help", environment=CHINESE).out)


def test_without_arguments_it_says_what_is_missing() -> None:
    for environment in ({}, CHINESE):
        result = rlbot(environment=environment)
        assert (result.status, _chinese(result.err)) == (2, bool(environment))
        assert "COMMAND" in result.err


@pytest.mark.parametrize(
    "arguments", [(), ("--format", "none", "x.sh"), ("none.sh",), (".",), ("--diff",)]
)
def test_errors_are_in_the_language_of_the_terminal(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    english, chinese = (
        rlbot("lint", *arguments, cwd=tmp_path, environment=environment)
        for environment in ({}, CHINESE)
    )
    assert english.status == chinese.status == 2
    assert not _chinese(english.err)
    assert _chinese(chinese.err)


def test_a_wrong_number_is_in_the_language_of_the_terminal() -> None:
    chinese = rlbot("lint", "--jobs", "0", "x.sh", environment=CHINESE)
    assert "需要 1 到 256 之间的数" in chinese.err


def test_the_doctor_is_in_the_language_of_the_terminal(tmp_path: Path) -> None:
    chinese = rlbot("doctor", "--offline", cwd=tmp_path, environment=CHINESE).out
    assert "没有 .rlbot.yml；使用默认值。" in chinese
    data = rlbot("doctor", "--offline", "--format", "json", cwd=tmp_path, environment=CHINESE)
    assert not _chinese(data.out)


def test_the_rules_are_in_the_language_of_the_terminal() -> None:
    for arguments in ((), ("name-gpus",), ("row-resource",)):
        english = rlbot("rule", *arguments).out
        assert english
        assert not _chinese(english)
        assert _chinese(rlbot("rule", *arguments, environment=CHINESE).out)
        assert _chinese(rlbot("rule", *arguments, "--lang", "zh").out)
    listed = rlbot("rule", environment=CHINESE).out.splitlines()
    assert len(listed) == len(rlbot("rule").out.splitlines())
    assert len({width_of(line[: line.index("name-")]) for line in listed if " name-" in line}) == 1


@pytest.mark.parametrize(
    ("count", "english", "chinese"),
    [
        (1, "expected 1 argument\n", "需要 1 个参数\n"),
        (2, "expected 2 arguments\n", "需要 2 个参数\n"),
    ],
)
def test_counts_of_arguments_are_in_the_language_of_the_terminal(
    count: int, english: str, chinese: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for environment, said in (({}, english), (CHINESE, chinese)):
        with terminal_of([], environment):
            parser = TerminalParser(prog="rlbot")
            parser.add_argument("--pair", nargs=count)
            with pytest.raises(SystemExit):
                parser.parse_args(["--pair"])
        assert said in capsys.readouterr().err


@pytest.mark.process
def test_a_pull_requests_text_is_in_the_language_of_the_terminal(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.write(".rlbot.yml", "page: null\n")
    repository.commit("configuration")
    repository.git("switch", "--quiet", "--create", "work")
    repository.write(PATH, LAUNCH + "\n")
    repository.commit("script")

    def answer(*arguments: str, environment: Mapping[str, str] = CHINESE) -> str:
        return rlbot("pr", "--base", "main", *arguments, cwd=tmp_path, environment=environment).out

    assert _chinese(answer("--format", "text"))
    assert _chinese(answer("--format", "text", "--config", ".rlbot.yml"))
    english = answer("--format", "text", environment={})
    assert not _chinese(english)
    assert answer("--format", "text", "--lang", "en") == english
    for form in ("markdown", "json", "sarif", "github"):
        assert not _chinese(answer("--format", form))
    repository.git("switch", "--quiet", "main")
    repository.write(".rlbot.yml", "page: null\nlanguage: en\n")
    repository.commit("language")
    repository.git("switch", "--quiet", "work")
    repository.git("rebase", "--quiet", "main")
    assert not _chinese(answer("--format", "text"))


def test_text_is_in_the_language_of_the_terminal(folder: Path) -> None:
    assert not _chinese(rlbot("lint", PATH, cwd=folder).out)
    assert _chinese(rlbot("lint", PATH, cwd=folder, environment=CHINESE).out)
    english = rlbot("lint", "--lang", "en", PATH, cwd=folder, environment=CHINESE).out
    assert english == rlbot("lint", PATH, cwd=folder).out


def test_a_language_that_the_configuration_states_is_kept(folder: Path) -> None:
    english = rlbot("lint", PATH, cwd=folder).out
    (folder / ".rlbot.yml").write_text("language: en\n")
    assert rlbot("lint", PATH, cwd=folder, environment=CHINESE).out == english
    (folder / ".rlbot.yml").write_text("language: zh\n")
    assert _chinese(rlbot("lint", PATH, cwd=folder, environment={"LANG": "en_US.UTF-8"}).out)
    (folder / ".rlbot.yml").write_text("min_steps: 7\n")
    assert _chinese(rlbot("lint", PATH, cwd=folder, environment=CHINESE).out)


@pytest.mark.parametrize("form", ["json", "sarif", "github", "markdown"])
@pytest.mark.parametrize("stated", ["", "language: zh\n"])
def test_what_programs_read_never_follows_the_terminal(
    form: str, stated: str, folder: Path
) -> None:
    (folder / ".rlbot.yml").write_text(stated)
    without, under = (
        rlbot("lint", "--format", form, PATH, cwd=folder, environment=environment)
        for environment in ({}, CHINESE | {"LC_ALL": "zh_CN.UTF-8"})
    )
    assert without == under
    assert form != "json" or json.loads(under.out)["language"] == ("zh" if stated else "en")
    assert _chinese(under.out) == bool(stated)


def test_only_the_terminal_asks_for_the_variables() -> None:
    """So the Action and the App, which print no text of a terminal, cannot follow them."""
    asking = {
        path.relative_to(ROOT / "bot").as_posix()
        for path in (ROOT / "bot").rglob("*.py")
        if "terminal_language(" in path.read_text(encoding="utf-8")
        or "terminal_of(" in path.read_text(encoding="utf-8")
    }
    assert asking == {"commands/terminal.py", "commands/cli.py"}
    naming = {
        path.relative_to(ROOT / "bot").as_posix()
        for path in (ROOT / "bot").rglob("*.py")
        if any(f'get("{name}"' in path.read_text(encoding="utf-8") for name in VARIABLES)
    }
    assert naming == set()
