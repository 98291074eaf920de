"""What the reading processes of a worker have from their server."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

from tests.conftest import WrittenRun
from tests.github.world import PAGE, ROOT, SCRIPT
from tests.runs.recipe import RunRecipe

READ = f"""
import sys
from pathlib import Path
import bot.service.preload
from bot.check.request import CheckOptions, PageText, ScriptFile
from bot.check.script import check_script

before = set(sys.modules)
with open("{SCRIPT}", "rb") as file:
    script = ScriptFile(path="{SCRIPT}", data=file.read(), link="https://example.com/{SCRIPT}")
with open("examples/demo/device_tuning.rst", encoding="utf-8") as file:
    page = PageText(path="{PAGE}", text=file.read())
report = check_script(script, CheckOptions(evidence="optional"), run=Path(sys.argv[1]), page=page)
print(report.evidence.verdict, report.page_edit.action)
print(*sorted(set(sys.modules) - before))
"""


def test_a_reading_imports_nothing_more(written: WrittenRun) -> None:
    run = written(RunRecipe(config=import_module("examples.demo.__main__").CONFIG))
    shown = subprocess.check_output([sys.executable, "-c", READ, str(run)], cwd=ROOT, text=True)
    assert shown.splitlines() == ["consistent add", ""]
