"""The command line as people use it: what it prints, and how it ends."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.commands.cli import COMMANDS
from bot.evidence.transaction_log import BLOCK, FRAGMENT, HEADER
from bot.frameworks.settings.releases import releases
from bot.rules._support.example import verl
from tests.command import ROOT, rlbot
from tests.conftest import WrittenRun
from tests.review.test_local_change import Repository
from tests.runs.recipe import RunRecipe
from tests.schemas import holds_to
from tools.schemas import report_schema

NAME = "qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
LINK = "https://wandb.ai/ada/tuning/runs/abc123"
OFFLOAD = "actor_rollout_ref.actor.fsdp_config"
SCRIPT = f"""\
#!/usr/bin/env bash
# verl: 0.9.1
# tag: MIN
# wandb: {LINK}
set -euo pipefail
batch=128
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_batch_size=$batch \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 {OFFLOAD}.param_offload=True \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 {OFFLOAD}.optimizer_offload=True \\
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=5 \\
    trainer.logger='["console","wandb"]' \\
    trainer.n_gpus_per_node=2 \\
    trainer.nnodes=1 "$@"
"""
CONFIG: dict[str, Any] = {
    "algorithm": {"adv_estimator": "grpo"},
    "data": {"train_batch_size": 128, "max_prompt_length": 512, "max_response_length": 1024},
    "actor_rollout_ref": {
        "model": {"path": "Qwen/Qwen2.5-7B-Instruct", "lora_rank": 0},
        "actor": {
            "strategy": "fsdp",
            "ppo_mini_batch_size": 64,
            "ppo_micro_batch_size_per_gpu": 8,
            "fsdp_config": {"param_offload": True, "optimizer_offload": True},
        },
        "rollout": {"name": "vllm", "n": 5, "log_prob_micro_batch_size_per_gpu": 8},
    },
    "trainer": {"logger": ["console", "wandb"], "n_gpus_per_node": 2, "nnodes": 1},
}
RECIPE = RunRecipe(
    config=CONFIG,
    entity="ada",
    project="tuning",
    packages={"verl": "0.9.1", "vllm": "0.24.0"},
)
PAGE = """\
Hardware
========

7B
~~

.. table::
   :widths: auto

   ====== ====== ====== ======== ======== ====== ====== ======
   tag    model  task   resource MaxBatch train  infer  link
   ====== ====== ====== ======== ======== ====== ====== ======
   \\      \\      \\        \\        \\      \\      \\      \\
   ====== ====== ====== ======== ======== ====== ====== ======
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository's tuning folder with one script, and its page."""
    made = tmp_path / "examples" / "tuning" / "7b"
    made.mkdir(parents=True)
    (made / NAME).write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "page.rst").write_text(PAGE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(written: WrittenRun) -> Path:
    return written(RECIPE)


def _report(text: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    holds_to(report_schema(), report)
    return report


def test_help_names_every_command_and_the_exit_status() -> None:
    result = rlbot("--help")
    assert result.status == 0
    for command in COMMANDS:
        assert re.search(rf"^    {command}\s", result.out, re.MULTILINE)
        assert rlbot(command, "--help").status == 0
    assert "Exit status: 0 nothing wrong" in " ".join(result.out.split())


def test_a_framework_without_a_release_is_its_newest(tmp_path: Path) -> None:
    text = f"# verl: 0.4.1\n{verl()}"
    (tmp_path / "run.sh").write_text(text, encoding="utf-8")
    assert "verl 0.4.1" in rlbot("resolve", "run.sh", cwd=tmp_path).out
    result = rlbot("resolve", "run.sh", "--against", "verl", cwd=tmp_path)
    assert f"verl {releases('verl')[-1]}" in result.out


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("lint", "nowhere.sh"), "rlbot: nowhere.sh does not exist."),
        (("lint", "-"), "rlbot: A script from - needs --stdin-filename: its name is checked too."),
        (
            ("lint", ".", "--framework", "verl@"),
            'rlbot: --framework takes a name and a release, such as verl@0.9.1; got "verl@".',
        ),
        (
            ("lint", ".", "--config", "none.yml"),
            "rlbot: The configuration none.yml does not exist.",
        ),
        (("rule", "unknown-keys"), 'rlbot: There is no rule "unknown-keys"; did you mean'),
        (("rule", "RLB999"), 'rlbot: There is no rule "RLB999"; rlbot rule lists the rules.'),
        (("table", "add", "no.rst", "x.sh"), "rlbot: no.rst does not exist."),
        (("table", "add", "x.sh", "no.rst"), "rlbot: The page comes first: rlbot table add no.rs"),
        (
            ("verify", f"examples/tuning/7b/{NAME}", "--run", ""),
            "rlbot: --run is empty: is a variable not set?",
        ),
        (("pr", "12"), 'rlbot: "12" names no pull request; write OWNER/REPO#NUMBER'),
        (
            ("estimate", ".", "--run", "https://wandb.ai/a/b/runs/c"),
            "rlbot: --run takes the folder or file of a run; what https://wandb.ai/a/b/runs/c ",
        ),
        (("pr", "--base", "main"), "rlbot: . is not inside a git repository: change into"),
    ],
)
def test_wrong_usage_is_one_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    result = rlbot(*arguments, cwd=folder)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(sentence)
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("lint", ""), ("lint", "one.sh", ""), ("verify", ""), ("rule", "")]
)
def test_a_word_of_an_unset_variable_is_not_the_working_folder(
    folder: Path, words: tuple[str, ...]
) -> None:
    result = rlbot(*words, cwd=folder)
    assert (result.status, result.out) == (2, "")
    assert "is empty: is a variable not set?" in result.err


def test_a_picture_of_no_estimate_says_why(folder: Path) -> None:
    (folder / "one.sh").write_bytes(b"echo\n")
    result = rlbot("estimate", "one.sh", "--format", "svg", cwd=folder)
    assert (result.status, result.out) == (3, "")
    assert result.err.startswith("rlbot: one.sh: no prediction. There is no launch to estimate")


def test_words_may_stand_on_both_sides_of_an_option(folder: Path) -> None:
    for word in ("one.sh", "two.sh"):
        (folder / word).write_bytes(b"echo\n")
    together = rlbot("lint", "one.sh", "two.sh", "--verbose", cwd=folder)
    assert rlbot("lint", "one.sh", "--verbose", "two.sh", cwd=folder) == together
    asked = rlbot("recommend", "2x4090", "Qwen3-8B", "--lang", "en", cwd=folder)
    assert rlbot("recommend", "2x4090", "--lang", "en", "Qwen3-8B", cwd=folder) == asked


@pytest.mark.parametrize("command", ["lint", "resolve", "estimate"])
def test_commands_that_read_scripts_take_the_same_option_to_fetch_nothing(
    folder: Path, command: str
) -> None:
    plain, offline = (rlbot(command, *more, ".", cwd=folder) for more in ((), ("--offline",)))
    assert offline == plain
    assert offline.status != 2


@pytest.mark.parametrize("command", [("estimate",), ("table", "add"), ("doctor",)])
def test_an_unknown_option_is_refused_by_its_command(
    command: tuple[str, ...],
) -> None:
    result = rlbot(*command, "page.rst", "script.sh", "--bogus", "x")
    name = " ".join(command)
    assert (result.status, result.out) == (2, "")
    said, hint = result.err.splitlines()
    assert said.startswith(f"rlbot {name}: error: unrecognized arguments: ")
    assert hint == f"See rlbot {name} --help."


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (("linnt", "x.sh"), "lint"),
        (("estimate", "--framwork", "x", "x.sh"), "--framework"),
        (("estimate", "--framwork=verl", "x.sh"), "--framework"),
        (("lint", "--format", "jsn", "x.sh"), "json"),
        (("recommend", "--method", "qlra"), "qlora"),
        (("estimate", "--zzzz", "x.sh"), None),
        (("xyzzy",), None),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest_one(
    arguments: tuple[str, ...], near: str | None
) -> None:
    result = rlbot(*arguments)
    assert (result.status, result.out) == (2, "")
    said, *_ = result.err.splitlines()
    if near is None:
        assert "did you mean" not in said
    else:
        assert said.endswith(f'; did you mean "{near}"?')


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_rule_or_release_is_refused(folder: Path, option: str) -> None:
    result = rlbot("lint", "examples", option, "RLB000", cwd=folder)
    assert result.status == 2
    assert "RLB000" in result.err
    result = rlbot("lint", "examples", "--framework", "verl@9.9.9", cwd=folder)
    assert result.status == 2
    assert "0.9.1" in result.err


def test_a_rule_of_the_configuration_that_does_not_exist_is_refused(folder: Path) -> None:
    for level in ("off", "error"):
        (folder / ".rlbot.yml").write_text(f"rules: {{RLB000: {level}}}\n", encoding="utf-8")
        result = rlbot("lint", "examples", cwd=folder)
        assert result.status == 2
        assert result.err.startswith('rlbot: The configuration\'s rules: There is no rule "RLB000"')


def test_lint_of_a_good_script(folder: Path, snapshot: SnapshotAssertion) -> None:
    result = rlbot("lint", "examples", "--verbose", cwd=folder)
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot
    assert rlbot("lint", "examples", "--quiet", cwd=folder).out == ""
    # A program that reads the result gets one in any case.
    assert _report(rlbot("lint", "examples", "--quiet", "--format", "json", cwd=folder).out)


def test_lint_of_a_bad_script(folder: Path, snapshot: SnapshotAssertion) -> None:
    bad = SCRIPT.replace("n_gpus_per_node=2", "n_gpus_per_node=4").replace(
        "actor.ppo_mini_batch_size", "actor.ppo_minibatch_size"
    )
    (folder / "examples/tuning/7b" / NAME).write_text(bad, encoding="utf-8")
    result = rlbot("lint", "examples", "--verbose", cwd=folder)
    assert (result.status, result.err) == (1, "")
    assert result.out == snapshot
    report = _report(rlbot("lint", "examples", "--format", "json", cwd=folder).out)
    (script,) = report["scripts"]
    assert report["verdict"] == script["verdict"] == "fail"
    unknown = next(f for f in script["findings"] if f["slug"] == "unknown-key")
    line = bad.splitlines()[unknown["line"] - 1]
    assert line[unknown["column"] - 1 : unknown["end_column"] - 1] == (
        "actor_rollout_ref.actor.ppo_minibatch_size"
    )
    off = rlbot("lint", "examples", "--select", "RLB042", cwd=folder)
    assert off.status == 0


def test_a_script_from_standard_input_is_checked_under_its_name() -> None:
    result = rlbot(
        *("lint", "-", "--stdin-filename", f"examples/tuning/7b/{NAME}", "--format", "json"),
        stdin=SCRIPT.encode(),
    )
    assert result.status == 0
    (script,) = _report(result.out)["scripts"]
    assert script["path"] == f"examples/tuning/7b/{NAME}"
    assert script["plan"]["train_batch_size"] == 128
    assert script["launches"][0]["settings"]["data.train_batch_size"] == 128


def test_the_configuration_changes_severities(folder: Path) -> None:
    bad = SCRIPT.replace('["console","wandb"]', '["console"]')
    (folder / "examples/tuning/7b" / NAME).write_text(bad, encoding="utf-8")
    assert rlbot("lint", "examples", cwd=folder).status == 0
    (folder / ".rlbot.yml").write_text("rules: {no-wandb-logger: error}\n", encoding="utf-8")
    assert rlbot("lint", "examples", cwd=folder).status == 1


def test_verify_of_a_script_and_its_run(
    folder: Path, run: Path, snapshot: SnapshotAssertion
) -> None:
    script = f"examples/tuning/7b/{NAME}"
    result = rlbot("verify", script, "--run", run, cwd=folder)
    assert (result.status, result.err) == (0, "")
    assert result.out.replace(run.name, "RUN") == snapshot
    (checked,) = _report(rlbot("verify", script, "--run", run, "--format", "json", cwd=folder).out)[
        "scripts"
    ]
    assert checked["evidence"]["peak_gib"] == pytest.approx(71.2, abs=0.001)
    assert checked["row"]["infer"] == "vllm0.24.0"
    assert checked["row"]["max_batch"] == "128"


def test_a_run_that_is_named_twice_is_read_once(folder: Path, run: Path) -> None:
    words = ("verify", f"examples/tuning/7b/{NAME}", "--run", run)
    once, twice = rlbot(*words, cwd=folder), rlbot(*words, "--run", run, cwd=folder)
    assert (twice.status, twice.out) == (once.status, once.out)
    assert "consistent" in once.out


def test_verify_of_a_script_that_contradicts_its_run(
    folder: Path, run: Path, snapshot: SnapshotAssertion
) -> None:
    script = folder / "examples/tuning/7b" / NAME
    script.write_text(SCRIPT.replace("batch=128", "batch=256"), encoding="utf-8")
    result = rlbot("verify", f"examples/tuning/7b/{NAME}", "--run", run, cwd=folder)
    assert (result.status, result.err) == (1, "")
    assert result.out.replace(run.name, "RUN") == snapshot


@pytest.mark.parametrize("kind", ["empty", "no run", "cut at the start"])
def test_a_run_that_cannot_be_read_is_inconclusive(folder: Path, run: Path, kind: str) -> None:
    place = folder / "run"
    place.mkdir()
    if kind == "no run":
        (place / "run-abc123.wandb").write_bytes(b"something else entirely, not a log\n")
    if kind == "cut at the start":
        data = next(run.glob("run-*.wandb")).read_bytes()
        (place / "run-abc123.wandb").write_bytes(data[:9])
    result = rlbot("verify", f"examples/tuning/7b/{NAME}", "--run", "run", cwd=folder)
    assert (result.status, result.err) == (3, "")
    assert "unchecked  evidence:" in result.out


def test_the_folder_of_another_run_is_inconclusive(folder: Path, written: WrittenRun) -> None:
    other = written(RECIPE.but(run_id="other1"))
    result = rlbot("verify", f"examples/tuning/7b/{NAME}", "--run", other, cwd=folder)
    assert (result.status, result.err) == (3, "")
    assert "is not the one that the link names" in result.out


def test_a_run_that_is_cut_later_is_inconclusive(folder: Path, run: Path) -> None:
    copy = folder / "run"
    shutil.copytree(run, copy, symlinks=True)
    log = next(copy.glob("run-*.wandb"))
    data = log.read_bytes()
    log.write_bytes(data[: _inside_a_record(data, len(data) * 2 // 3)])
    result = rlbot("verify", f"examples/tuning/7b/{NAME}", "--run", "run", cwd=folder)
    assert (result.status, result.err) == (3, "")


def _inside_a_record(log: bytes, at: int) -> int:
    """The middle of the record that holds a byte: a log that ends with one may go on."""
    start = HEADER.size
    while True:
        if BLOCK - start % BLOCK < FRAGMENT.size:
            start += BLOCK - start % BLOCK
        length: int = FRAGMENT.unpack_from(log, start)[1]
        end = start + FRAGMENT.size + length
        if end > at:
            return (start + end) // 2
        start = end


def test_table_add_writes_the_row_once(folder: Path, run: Path) -> None:
    command = ("table", "add", "page.rst", f"examples/tuning/7b/{NAME}", "--run", run)
    more = ("--link", "https://github.com/o/r/blob/main/x.sh", "--contributor", "ada")
    dry = rlbot(*command, *more, "--dry-run", cwd=folder)
    assert dry.out.startswith("--- a/page.rst\n+++ b/page.rst\n")
    assert (folder / "page.rst").read_text(encoding="utf-8") == PAGE

    done = rlbot(*command, *more, cwd=folder)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Row added to section 7B of page.rst:")
    once = (folder / "page.rst").read_text(encoding="utf-8")
    assert "vllm0.24.0" in once
    assert "* - MIN" in once

    again = rlbot(*command, *more, cwd=folder)
    assert again.out.startswith("Row already in section 7B of page.rst:")
    assert (folder / "page.rst").read_text(encoding="utf-8") == once
    assert [path.name for path in folder.iterdir() if "rlbot" in path.name] == []


def test_table_add_says_why_a_cell_is_open_and_of_no_other_that_it_is(folder: Path) -> None:
    text = (folder / f"examples/tuning/7b/{NAME}").read_text(encoding="utf-8")
    (folder / "run.sh").write_text(text.replace("# tag: MIN\n", ""), encoding="utf-8")
    done = rlbot("table", "add", "page.rst", "run.sh", "--offline", cwd=folder)
    assert done.status == 0
    assert "\nThe tag is MIN because the settings turn " in done.out
    assert "\nMaxBatch is left open because " in done.out


def test_table_add_refuses_a_row_that_its_run_contradicts(folder: Path, run: Path) -> None:
    script = folder / "examples/tuning/7b" / NAME
    script.write_text(SCRIPT.replace("batch=128", "batch=256"), encoding="utf-8")
    command = ("table", "add", "page.rst", f"examples/tuning/7b/{NAME}", "--run", run)
    result = rlbot(*command, cwd=folder)
    assert result.status == 1
    assert "The page was not changed" in result.err
    assert (folder / "page.rst").read_text(encoding="utf-8") == PAGE
    assert rlbot(*command, "--force", cwd=folder).status == 0
    assert (folder / "page.rst").read_text(encoding="utf-8") != PAGE


@pytest.mark.parametrize("root", [(), ("--root", ".")], ids=["", "root"])
def test_a_script_is_to_get_no_name_that_another_has(folder: Path, root: tuple[str, ...]) -> None:
    """Outside of a repository too; git would not move it."""
    wrong = f"examples/tuning/7b/{NAME.replace('-7b', '_7B')}"
    (folder / wrong).write_text(SCRIPT, encoding="utf-8")
    result = rlbot("lint", wrong, "--select", "RLB003", *root, cwd=folder)
    assert f"examples/tuning/7b/{NAME} is there already: keep one of the two" in result.out
    assert "git mv" not in result.out


@pytest.fixture
def contribution(folder: Path) -> Repository:
    """A repository whose newest commit adds the script."""
    place = folder / "repository"
    place.mkdir()
    repository = Repository(place)
    repository.write("docs/perf/device_tuning.rst", PAGE)
    repository.commit("page")
    repository.git("switch", "--quiet", "--create", "work")
    repository.write(f"examples/tuning/7b/{NAME}", SCRIPT)
    repository.commit("script")
    return repository


def test_pr_prints_the_comment_or_the_report(
    contribution: Repository, run: Path, snapshot: SnapshotAssertion
) -> None:
    command = ("pr", "--base", "main", "--run", run)
    result = rlbot(*command, cwd=contribution.folder)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("**Ready: 1 script agrees with its run.**")
    report = _report(rlbot(*command, "--format", "json", cwd=contribution.folder).out)
    assert report["change"]["head"] == contribution.git("rev-parse", "work")
    (script,) = report["scripts"]
    assert script["page_edit"]["action"] == "add"
    assert script["row"] == snapshot
    # The patch is the exact edit: git applies it.
    patch = contribution.folder / "row.patch"
    patch.write_text(script["page_edit"]["patch"], encoding="utf-8")
    contribution.git("apply", "row.patch")
    assert "vllm0.24.0" in (contribution.folder / "docs/perf/device_tuning.rst").read_text()


def test_pr_says_what_is_not_committed(contribution: Repository, run: Path) -> None:
    command = ("pr", "--base", "main", "--run", run)
    contribution.write(f"examples/tuning/7b/{NAME}", f"{SCRIPT}# more\n")
    contribution.write("README.md", "words\n")
    result = rlbot(*command, cwd=contribution.folder)
    assert result.status == 0
    assert result.err == (
        f"rlbot: checked as committed; the working tree differs in examples/tuning/7b/{NAME}\n"
    )
    assert rlbot(*command, "--head", "work", cwd=contribution.folder).err == ""


@pytest.mark.process
def test_pr_without_a_run_says_so(contribution: Repository) -> None:
    result = rlbot("pr", "--base", "main", "--offline", cwd=contribution.folder)
    assert result.status == 3
    assert "ada/tuning/runs/abc123" in result.out
    assert "--run" in result.out
    # The row is shown as far as it is known, and no edit of the page is offered for it.
    report = _report(rlbot("pr", "--base", "main", "--format", "json", cwd=contribution.folder).out)
    (script,) = report["scripts"]
    assert (script["row"]["max_batch"], script["page_edit"]) == ("\\", None)


def test_pr_obeys_the_configuration_of_the_base_alone(contribution: Repository, run: Path) -> None:
    bad = SCRIPT.replace("ppo_mini_batch_size", "ppo_minibatch_size")
    contribution.write(f"examples/tuning/7b/{NAME}", bad)
    contribution.write(".rlbot.yml", "rules: {RLB020: off}\nscripts: [elsewhere/]\n")
    contribution.commit("relax the rules")
    result = rlbot("pr", "--base", "main", "--run", run, cwd=contribution.folder)
    assert result.status == 1
    assert "RLB020" in result.out


CONFIGURATION = """\
data: {train_batch_size: 8}
trainer: {n_gpus_per_node: 1, nnodes: 1, logger: [console]}
"""


def test_lint_against_a_checkout_answers_which_scripts_it_breaks(folder: Path) -> None:
    tree = folder / "checkout" / "verl" / "trainer" / "config"
    tree.mkdir(parents=True)
    (tree / "ppo_trainer.yaml").write_text(CONFIGURATION, encoding="utf-8")
    command = ("lint", "examples", "--select", "unknown-key", "--framework-tree", "checkout")
    result = rlbot(*command, cwd=folder)
    assert result.status == 1
    assert "read with  the configuration of checkout" in result.out
    assert "data.train_batch_size" not in result.out
    assert rlbot("lint", "examples", "--against", "verl@0.9.1", cwd=folder).status == 0
    both = rlbot(*command, "--framework", "verl@0.9.1", cwd=folder)
    assert (both.status, both.out) == (2, "")
    missing = rlbot(*command[:-1], "nowhere", cwd=folder)
    assert missing.status == 2
    assert missing.err.startswith("rlbot: The configuration in nowhere could not be read")


def test_pr_reads_the_configuration_that_the_change_itself_holds(
    contribution: Repository, run: Path
) -> None:
    contribution.write("verl/trainer/config/ppo_trainer.yaml", CONFIGURATION)
    unstated = SCRIPT.replace("# verl: 0.9.1\n", "")
    contribution.write(f"examples/tuning/7b/{NAME}", unstated)
    contribution.commit("configuration")
    result = rlbot("pr", "--base", "main", "--run", run, cwd=contribution.folder)
    assert result.status == 1
    assert "read with verl/trainer/config of this repository" in result.out
    asked = ("pr", "--base", "main", "--run", run, "--framework", "verl@0.9.1")
    assert rlbot(*asked, cwd=contribution.folder).status == 0


@pytest.mark.process
def test_pr_says_nothing_about_other_changes(contribution: Repository) -> None:
    contribution.git("switch", "--quiet", "--create", "other", "main")
    contribution.write("README.md", "words\n")
    contribution.commit("docs")
    result = rlbot("pr", "--base", "main", cwd=contribution.folder)
    assert (result.status, result.out) == (0, "")
    assert result.err == (
        "rlbot: nothing to check: no script changed below examples/tuning/; `scripts` in the "
        ".rlbot.yml of the base names other folders\n"
    )
    assert rlbot("pr", "--base", "main", "--quiet", cwd=contribution.folder).err == ""


def test_a_run_must_belong_to_one_of_the_scripts(contribution: Repository, run: Path) -> None:
    contribution.write(f"examples/tuning/7b/{NAME.replace('_2_', '_4_')}", SCRIPT)
    contribution.commit("another")
    result = rlbot("pr", "--base", "main", "--run", run, cwd=contribution.folder)
    assert result.status == 2
    assert result.err == (
        "rlbot: --run: the change holds 2 tuning scripts; write SCRIPT.sh=LINK_OR_PATH.\n"
    )
    named = rlbot("pr", "--base", "main", "--run", f"{NAME}={run}", cwd=contribution.folder)
    assert named.status == 1


def test_rules_can_be_read_at_the_command_line() -> None:
    listed = rlbot("rule")
    assert listed.status == 0
    assert "RLB020" in listed.out
    by_id, by_name = rlbot("rule", "rlb020"), rlbot("rule", "unknown-key")
    assert by_id.out == by_name.out
    assert by_id.out == (ROOT / "docs/rules/unknown-key.md").read_text(encoding="utf-8")
