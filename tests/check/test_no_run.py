"""What a script without a linked run is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.report import ScriptReport
from bot.rules._support.example import trl, verl
from tests.rules.helpers import PATH

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


def test_a_named_run_is_read_whatever_the_comment_links_to(tmp_path: Path) -> None:
    script = verl(before="# wandb: https://wandb.ai/team/project")
    report = check_script(
        ScriptFile(path="x.sh", data=script.encode()),
        CheckOptions(evidence="required"),
        run=tmp_path / "nothing",
    )
    (reason,) = (item.reason for item in report.unchecked if item.check == "evidence")
    assert reason.startswith(f"{tmp_path / 'nothing'} does not exist")


def test_a_launch_that_ends_too_early_gets_no_row_and_no_estimate() -> None:
    whole = verl("trainer.nnodes=1", before="# tag: MIN")
    cut = whole.replace(
        " \\\n    actor_rollout_ref.model.path", " \\ \n    actor_rollout_ref.model.path"
    )
    options = CheckOptions(evidence="optional")

    def checked(text: str) -> ScriptReport:
        return check_script(ScriptFile(path=PATH, data=text.encode()), options)

    assert cut != whole
    assert checked(whole).row is not None
    assert (checked(cut).row, checked(cut).estimate) == (None, None)
