"""The pre-commit hooks: their definition, and what their commands say to a contributor."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.base.config import SCRIPT_SUFFIXES
from tests.check.test_fix import LAUNCH
from tests.command import ROOT, rlbot
from tests.rules.helpers import PATH


def _hooks() -> dict[str, dict[str, Any]]:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return {hook["id"]: hook for hook in yaml.safe_load(text)}


def test_the_definition_has_what_pre_commit_asks_for() -> None:
    hooks = _hooks()
    assert set(hooks) == {"rlbot-lint", "rlbot-fix"}
    for hook in hooks.values():
        assert {"id", "name", "entry", "language", "files"} <= set(hook)
        assert hook["language"] == "python"
        assert re.search(hook["files"], PATH)
        for suffix in SCRIPT_SUFFIXES:
            assert re.search(hook["files"], PATH.replace(".sh", suffix))
        assert not re.search(hook["files"], "tools/install.sh")


def _run(hook: str, folder: Path, *files: str) -> tuple[int, str]:
    program, *arguments = shlex.split(_hooks()[hook]["entry"])
    assert program == "rlbot"
    result = rlbot(*arguments, *files, cwd=folder)
    return result.status, result.out + result.err


@pytest.mark.parametrize("hook", ["rlbot-lint", "rlbot-fix"])
def test_a_good_script_passes_without_a_word(hook: str) -> None:
    scripts = sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("examples/tuning/*/*.sh"))
    assert _run(hook, ROOT, *scripts) == (0, "")


def test_a_broken_script_fails_or_is_mended(tmp_path: Path) -> None:
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_text(LAUNCH.replace("path=$model", "path=model") + "\n", encoding="utf-8")
    status, said = _run("rlbot-lint", tmp_path, PATH)
    assert status == 1
    assert "RLB030" in said
    # pre-commit fails a hook that changed a file, whatever its status.
    assert _run("rlbot-fix", tmp_path, PATH)[0] == 0
    assert "path=$model" in file.read_text(encoding="utf-8")
    assert _run("rlbot-lint", tmp_path, PATH)[0] == 0
