"""The whole page: as a command, with its corrections, its history and its configuration."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from bot.base.config import Config
from bot.base.errors import UserError
from bot.check.page import Repository, check_page, new_in
from bot.check.request import CheckOptions, PageText
from bot.rules._support.example import verl
from bot.table import read_page
from bot.table.mend import mend
from tests.command import ROOT, rlbot
from tests.table.checks.helpers import (
    NAME,
    PAGE,
    PATH,
    SCRIPTS,
    link,
    page,
    report,
    row,
    section,
)
from tools.schemas import report_schema

LOG = "# 32√ → 64× → 40√ → 44√ → 45×"
LORA = "examples/tuning/7b/qwen2.5-7b_grpo-lora_4_h100_fsdp_vllm.sh"
MISSPELT = "examples/tuning/14b/qwen2.5_14b_grpo_8_h20_fsdp_vllm.sh"
DEFECTS = {
    **SCRIPTS,
    LORA: verl(
        "data.train_batch_size=$total",
        "actor_rollout_ref.model.lora_rank=32",
        "trainer.n_gpus_per_node=4",
        before=f"per_gpu=45 {LOG}\ntotal=$(( per_gpu * 4 ))",
    ),
    MISSPELT: verl("actor_rollout_ref.model.path=Qwen/Qwen2.5-14B-Instruct"),
    "examples/tuning/3b/qwen2.5-3b_grpo_8_h100_fsdp_vllm.sh": verl(
        "actor_rollout_ref.model.path=Qwen/Qwen2.5-3B"
    ),
}
DEFECTIVE = page(
    section(
        row(MaxBatch="116", Resource="4*H100"),
        row(Task="GRPO-LoRA", Resource="4*H100", MaxBatch="180", Link=link(LORA)),
    ),
    section(
        row(
            Model="Qwen2-14B",
            Resource="8*H20",
            MaxBatch="\\",
            Link=link(MISSPELT.replace("qwen2.5_14b", "qwen2.5-14b")),
        ),
        size="14B",
    ),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository's folder with the defective page and its scripts; no git."""
    for path, text in {PAGE: DEFECTIVE, **DEFECTS}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_page_that_agrees_has_nothing() -> None:
    for chinese in (False, True):
        checked = report(page(section(row(), chinese=chinese)))
        assert (checked.verdict, checked.findings, checked.unchecked) == ("pass", (), ())
        assert (checked.rows, checked.scripts) == (1, 1)


@pytest.mark.process
def test_our_own_page_is_clean() -> None:
    result = rlbot("table", "check", PAGE)
    assert (result.status, result.err) == (0, "")
    assert result.out == f"{PAGE}: 6 rows, 6 scripts\n\n1 page: nothing found.\n"


def test_every_defect_of_a_page_is_told_at_its_place(
    folder: Path, snapshot: SnapshotAssertion
) -> None:
    result = rlbot("table", "check", PAGE, "--verbose", cwd=folder)
    assert (result.status, result.err) == (1, "")
    assert result.out == snapshot
    printed = rlbot("table", "check", PAGE, "--format", "json", cwd=folder)
    (checked,) = json.loads(printed.out)["pages"]
    Draft202012Validator(report_schema()).validate(json.loads(printed.out))
    assert (checked["path"], checked["verdict"], checked["rows"]) == (PAGE, "fail", 3)


@pytest.mark.process
def test_the_comment_tells_the_same(folder: Path, snapshot: SnapshotAssertion) -> None:
    result = rlbot("table", "check", PAGE, "--format", "markdown", cwd=folder)
    assert (result.status, result.err) == (1, "")
    assert result.out == snapshot
    clean = rlbot("table", "check", PAGE, "--format", "markdown")
    assert clean.out.startswith("**No errors in 6 rows of docs/perf/")


def test_every_form_and_language_tells_it(folder: Path, snapshot: SnapshotAssertion) -> None:
    chinese = rlbot("table", "check", PAGE, "--lang", "zh", "--ignore", "RLB310", cwd=folder)
    assert (chinese.status, chinese.err) == (1, "")
    assert chinese.out == snapshot
    marked = rlbot("table", "check", PAGE, "--format", "github", cwd=folder)
    assert f"file={PAGE},line=22" in marked.out
    (run,) = json.loads(rlbot("table", "check", PAGE, "--format", "sarif", cwd=folder).out)["runs"]
    assert {one["ruleId"] for one in run["results"]} >= {"RLB301", "RLB306", "RLB310"}
    assert {"RLB301", "RLB041"} <= {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def test_the_same_defects_are_found_in_a_chinese_page() -> None:
    english = report(DEFECTIVE, DEFECTS).findings
    header = dict(
        zip(
            ("Tag", "Model", "Task", "Resource", "MaxBatch", "Train", "Infer", "Link"),
            ("标签", "模型", "任务", "资源", "最大批量", "训练", "推理", "链接"),
            strict=True,
        )
    )
    text = DEFECTIVE
    for name, chinese in header.items():
        text = text.replace(f"- {name}\n", f"- {chinese}\n")
    chinese_page = report(text, DEFECTS).findings
    assert [(f.id, f.line) for f in chinese_page] == [(f.id, f.line) for f in english]


def test_a_grid_is_checked_and_left_to_be_mended_by_hand() -> None:
    text = """\
7B
~~

.. table::
   :widths: auto

   ====== ========== ====== ======== ======== ====== ========= ================
   tag    model      task   resource MaxBatch train  infer     link
   ====== ========== ====== ======== ======== ====== ========= ================
   MIN    Qwen2-7B   GRPO   8*H100   512      fsdp   vllm0.8.3 SCRIPT
   ====== ========== ====== ======== ======== ====== ========= ================
""".replace("SCRIPT", link(PATH))
    checked = report(text)
    assert {f.slug for f in checked.findings} == {"row-model", "row-batch", "row-tag"}
    mended = mend(read_page(text, PAGE), checked.findings)
    assert mended.text == text
    assert "columns of this table would shift" in mended.refused[0][1]


@pytest.mark.process
def test_diff_shows_and_fix_writes_what_surely_follows(
    folder: Path, snapshot: SnapshotAssertion
) -> None:
    shown = rlbot("table", "check", PAGE, "--diff", cwd=folder)
    assert (shown.status, shown.err) == (1, "")  # The page as it is has errors.
    assert shown.out == snapshot
    assert (folder / PAGE).read_text(encoding="utf-8") == DEFECTIVE

    done = rlbot("table", "check", PAGE, "--fix", cwd=folder)
    assert (done.status, done.err) == (1, "")
    assert done.out == snapshot
    text = (folder / PAGE).read_text(encoding="utf-8")
    assert "Qwen2.5-14B" in text
    patched = folder / "patched"
    (patched / PAGE).parent.mkdir(parents=True)
    (patched / PAGE).write_text(DEFECTIVE, encoding="utf-8")
    subprocess.run(["git", "apply", "-"], input=shown.out, text=True, cwd=patched, check=True)
    assert (patched / PAGE).read_text(encoding="utf-8") == text
    assert "116" in text  # a measured value is never corrected unasked

    refused = rlbot("table", "check", PAGE, "--diff", "--format", "json", cwd=folder)
    assert (refused.status, refused.out) == (2, "")
    again = rlbot("table", "check", PAGE, "--fix", cwd=folder)
    assert "corrected" not in again.out
    assert (folder / PAGE).read_text(encoding="utf-8") == text
    rlbot("table", "check", PAGE, "--fix", "--unsafe", cwd=folder)
    assert "116" not in (folder / PAGE).read_text(encoding="utf-8")


def test_a_fix_changes_its_cells_and_no_other_byte(folder: Path) -> None:
    before = DEFECTIVE.replace("\n", "\r\n")
    (folder / PAGE).write_bytes(before.encode())
    rlbot("table", "check", PAGE, "--fix", cwd=folder)
    after = (folder / PAGE).read_bytes().decode()
    old, new = before.split("\r\n"), after.split("\r\n")
    assert len(old) == len(new)
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert len(changed) == 3
    assert all(a[:8] == b[:8] for a, b in changed)


def test_wrong_usage_is_one_sentence(folder: Path) -> None:
    for arguments, sentence in [
        (("--unsafe",), "--unsafe chooses what --fix or --diff does"),
        (("--scripts", "nowhere"), "--scripts takes a folder; nowhere is none."),
        (
            ("--scripts", "docs"),
            (
                "There is no script (*.sh, *.bash, *.slurm, *.slrm, *.sbatch, *.batch, *.pbs, "
                "*.lsf, *.sub, *.job) below docs"
            ),
        ),
        (("--select", "row-modell"), 'There is no check of the page "row-modell"; known are'),
    ]:
        result = rlbot("table", "check", PAGE, *arguments, cwd=folder)
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith(f"rlbot: {sentence}")


def test_select_ignore_and_the_configuration(folder: Path) -> None:
    only = rlbot("table", "check", PAGE, "--select", "missing-row", cwd=folder)
    assert only.status == 0
    assert only.out.count("RLB303") == 1
    (folder / ".rlbot.yml").write_text("rules: {RLB303: error, row-model: off}\n")
    one = rlbot("table", "check", PAGE, "--ignore", "RLB309,RLB308,RLB310,RLB301", cwd=folder)
    assert one.status == 1
    assert "RLB306" not in one.out
    assert rlbot("lint", "examples", "--select", "syntax", cwd=folder).status == 0


@pytest.mark.process
def test_a_commit_is_looked_up_in_the_local_history(folder: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = ["git", *identity, *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    git("remote", "add", "origin", "https://github.com/verl-project/verl.git")
    git("add", "-A")
    git("commit", "-qm", "one")
    commit = git("rev-parse", "HEAD")
    (folder / PATH).unlink()
    text = page(section(row(MaxBatch="512", Link=link(PATH, ref=commit))))
    (folder / PAGE).write_text(text, encoding="utf-8")
    result = rlbot("table", "check", PAGE, "--ignore", "missing-row", cwd=folder)
    assert (result.status, result.err) == (1, "")
    assert f"{PATH} ({commit[:10]}) trains with a batch of 1024" in result.out
    unknown = page(section(row(Link=link(PATH, ref="e" * 40))))
    (folder / PAGE).write_text(unknown, encoding="utf-8")
    result = rlbot("table", "check", PAGE, "--ignore", "missing-row", cwd=folder)
    assert result.status == 3
    assert '"' + "e" * 40 + '" names no commit here' in result.out


def test_only_what_a_change_brings_along() -> None:
    before = report(DEFECTIVE, DEFECTS)
    same = new_in(report("Another line.\n\n" + DEFECTIVE, DEFECTS), before)
    assert (same.verdict, same.findings, same.unchecked) == ("pass", (), ())
    worse = DEFECTIVE.replace("- fsdp\n", "- megatron\n", 1)
    (finding,) = new_in(report(worse, DEFECTS), before).findings
    assert finding.slug == "row-train"


def test_an_unknown_check_is_refused() -> None:
    with pytest.raises(UserError, match="There is no check"):
        report(DEFECTIVE, select="row-modell")
    config = CheckOptions(config=Config(rules={"row-batch": "note"}))
    batch = [f for f in report(DEFECTIVE, DEFECTS, options=config).findings if f.id == "RLB309"]
    assert [f.severity for f in batch] == ["note"]


def test_a_fault_of_one_lookup_is_no_fault_of_the_page() -> None:
    def broken(_commit: str, _path: str) -> bytes | None:
        raise UserError("git did not answer within 60 s.")

    text = page(section(row(Link=link(PATH, ref="e" * 40))))
    repository = Repository(scripts={PATH: SCRIPTS[PATH].encode()}, history=broken)
    checked = check_page(PageText(path=PAGE, text=text), repository, CheckOptions())
    assert checked.verdict == "inconclusive"
    assert "git did not answer" in checked.unchecked[0].reason


_CELL = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029\x85"),
    max_size=20,
)


@given(st.dictionaries(st.sampled_from(sorted(row())), _CELL, max_size=4))
def test_any_cell_is_read_without_a_fault(cells: dict[str, str]) -> None:
    text = page(section(row(**cells)))
    checked = report(text)
    assert not any("failed:" in item.reason for item in checked.unchecked)
    lines = text.split("\n")
    for finding in checked.findings:
        assert 1 <= finding.line <= len(lines)
        assert finding.column <= len(lines[finding.line - 1]) + 1
    assert mend(read_page(text, PAGE), checked.findings).text.count(NAME) <= text.count(NAME) + 2


def test_the_command_documents_itself() -> None:
    printed = rlbot("rule", "row-model").out
    assert printed == (ROOT / "docs/table/row-model.md").read_text(encoding="utf-8")
    listed = rlbot("rule").out
    assert "RLB316  warning  link-text" in listed
