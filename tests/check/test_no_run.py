"""What a script without a linked run is asked for."""

from __future__ import annotations

import pytest

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.rules._support.example import trl, verl

PLAIN = "No run is linked. Add a comment `# wandb: LINK` to the script."


def asked(script: str) -> str:
    report = check_script(
        ScriptFile(path="x.sh", data=script.encode()), CheckOptions(evidence="required")
    )
    (found,) = (item.reason for item in report.unchecked if item.check == "evidence")
    return found


@pytest.mark.parametrize(
    "logger", ['\'["console","wandb"]\'', "'[wandb,tensorboard]'", "$LOGGERS", "'[clearml]'"]
)
def test_a_run_that_may_have_a_page_is_asked_for_its_link(logger: str) -> None:
    assert asked(verl(f"trainer.logger={logger}")) == PLAIN


def test_mlflow_has_pages_too() -> None:
    assert "`# mlflow: LINK`" in asked(verl("trainer.logger='[console,mlflow]'"))
    assert "`# swanlab: LINK`" in asked(verl("trainer.logger='[swanlab,file]'"))
    assert "`# trackio: LINK`" in asked(verl("trainer.logger='[console,trackio]'"))


@pytest.mark.parametrize(
    ("script", "places", "files"),
    [
        (verl("trainer.logger=console"), "the console", "train.log"),
        (verl("trainer.logger='[console,tensorboard]'"), "TensorBoard and the console",
         "tensorboard_log/PROJECT/EXPERIMENT"),
        (verl("trainer.logger='[tensorboard,file]'"), "TensorBoard and a file",
         "tensorboard_log/PROJECT/EXPERIMENT"),
        (trl("--report_to tensorboard").replace("    --report_to wandb \\\n", ""), "TensorBoard",
         "tensorboard_log/PROJECT/EXPERIMENT"),
    ],
)  # fmt: skip
def test_a_run_without_a_page_is_compared_where_its_files_are(
    script: str, places: str, files: str
) -> None:
    said = asked(script)
    assert said.startswith(f"No run is linked. The script logs to {places} alone, whose files")
    assert f"`rlbot verify SCRIPT --run {files}` compares them there." in said
