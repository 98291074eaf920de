"""Comments that suppress findings: which ones they reach, and what becomes of them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from bot.base.config import Config
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.report import ScriptReport
from tests.command import rlbot
from tests.review.test_local_change import Repository
from tests.rules.helpers import PATH

TWICE = (
    "data.train_batch_size=1024 \\\n    data.train_batch_size=512 \\\n    trainer.n_gpus_per_node=8"
)
LAUNCH = (
    "python3 -m verl.trainer.main_ppo \\\n    algorithm.adv_estimator=grpo \\\n"
    "    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\\n"
    "    actor_rollout_ref.actor.use_dynamic_bsz=True \\\n"
    f"    actor_rollout_ref.rollout.name=vllm \\\n    {TWICE}"
)


def _check(script: str, path: str = PATH, **options: object) -> ScriptReport:
    select = options.pop("select", ("duplicate-key", "suppression", "undefined-variable"))
    given = CheckOptions(select=select, **options)  # type: ignore[arg-type]
    return check_script(ScriptFile(path=path, data=script.encode()), given)


def _slugs(report: ScriptReport) -> list[str]:
    return [finding.slug for finding in report.findings]


@pytest.mark.parametrize(
    "script",
    [
        f"# rlbot: ignore[RLB026] why\n{LAUNCH}\n",
        f"# rlbot: ignore[duplicate-key, no-launch] why\n# another comment\n{LAUNCH}\n",
        f"{LAUNCH} # rlbot: ignore[RLB026] why\n",
        f"if true; then\n  # rlbot: ignore[RLB026] why\n  {LAUNCH}\nfi\n",
        f"# rlbot: ignore[RLB026] why\r\n{LAUNCH}".replace("\r\n", "\n"),
    ],
)
def test_above_or_behind_a_launch_reaches_all_of_it(script: str) -> None:
    report = _check(script)
    (suppressed,) = report.suppressed
    assert suppressed.finding.slug == "duplicate-key"
    assert suppressed.reason == "why"
    assert "duplicate-key" not in _slugs(report)
    assert report.verdict == "pass"


@pytest.mark.parametrize(
    "script",
    [
        f"# rlbot: ignore[RLB026] why\n\n{LAUNCH}\n",
        f"{LAUNCH}\n# rlbot: ignore[RLB026] why\n",
        f"# rlbot: ignore[RLB026] why\nbatch=1\n{LAUNCH}\n",
        f"# rlbot: ignore[RLB041] why\n{LAUNCH}\n",
        f"# rlbot: ignore[RLB026]\n{LAUNCH}\n",
        f"# rlbot: ignore RLB026 why\n{LAUNCH}\n",
        f"echo '# rlbot: ignore[RLB026] why'\n{LAUNCH}\n",
        f"{LAUNCH.replace('1024', '1024 # rlbot: ignore[RLB026] why')}\n",
    ],
)
def test_elsewhere_it_reaches_nothing(script: str) -> None:
    report = _check(script)
    assert report.suppressed == ()
    assert not script.startswith("# rlbot") or "duplicate-key" in _slugs(report)


ARRAY = """\
ARGS=(
    data.train_batch_size=1024
    data.train_batch_size=512  {end}
    {above}
    data.val_batch_size=8
    data.val_batch_size=16
)
python3 -m verl.trainer.main_ppo "${{ARGS[@]}}"
"""


def test_inside_an_array_it_reaches_its_line_or_the_next() -> None:
    end = _check(ARRAY.format(end="# rlbot: ignore[RLB026] why", above="# words"))
    assert [one.finding.line for one in end.suppressed] == [3]
    assert [f.line for f in end.findings if f.slug == "duplicate-key"] == [6]
    above = _check(
        ARRAY.format(end="", above="# rlbot: ignore[RLB026] why")
        .replace("data.val_batch_size=8\n", "data.max_prompt_length=8\n", 1)
        .replace("data.val_batch_size=16", "data.max_prompt_length=9")
    )
    assert [one.finding.line for one in above.suppressed] == []
    assert "suppression" in _slugs(above)


def test_at_the_assignment_for_a_value_written_there() -> None:
    script = "batch=$workdir  # rlbot: ignore[undefined-variable] the caller sets it\n" + (
        LAUNCH.replace("=512", "=$batch")
    )
    report = _check(script, select=("undefined-variable", "suppression"))
    assert [one.finding.line for one in report.suppressed] == [1]
    assert _slugs(report) == []


def test_the_comments_above_the_first_statement_reach_the_file_as_a_whole() -> None:
    path = "examples/tuning/7b/qwen2.5_7b_grpo_8_h100_fsdp_vllm.sh"
    head = "#!/usr/bin/env bash\n\n# rlbot: ignore[name-pattern] published under this name\n\n"
    report = _check(f"{head}set -e\n{LAUNCH}\n", path, select=("name-pattern", "suppression"))
    assert [one.finding.slug for one in report.suppressed] == ["name-pattern"]
    late = f"set -e\n# rlbot: ignore[name-pattern] too late\n{LAUNCH}\n"
    report = _check(late, path, select=("name-pattern", "suppression"))
    assert report.suppressed == ()
    assert _slugs(report) == ["name-pattern", "suppression"]


def test_an_unused_one_is_a_note_with_the_way_out() -> None:
    script = f"# rlbot: ignore[RLB041, RLB026] why\nbatch=8\n{LAUNCH}\n"
    report = _check(script, select=("trial-log", "suppression", "duplicate-key"))
    note = next(f for f in report.findings if f.slug == "suppression")
    assert (note.severity, note.line) == ("note", 1)
    assert "RLB041, RLB026" in note.message
    assert note.fix is not None
    assert note.fix.safe
    # Of a rule that was not asked nothing is said.
    assert "suppression" not in _slugs(_check(script, select=("suppression",)))


def test_one_of_two_unused_is_named_and_the_comment_stays() -> None:
    script = f"# rlbot: ignore[RLB041, RLB026] why\n{LAUNCH}\n"
    report = _check(script, select=("trial-log", "suppression", "duplicate-key"))
    (note,) = (f for f in report.findings if f.slug == "suppression")
    assert "RLB041 is" in note.message
    assert note.fix is None
    assert len(report.suppressed) == 1


def test_the_rule_about_suppressions_cannot_be_suppressed() -> None:
    script = f"# rlbot: ignore[RLB007] why\n# rlbot: ignore[RLB026]\n{LAUNCH}\n"
    report = _check(script)
    assert report.suppressed == ()
    assert "suppression" in _slugs(report)


def test_what_the_configuration_switches_off_is_not_suppressed_by_a_comment() -> None:
    script = f"# rlbot: ignore[RLB026] why\n{LAUNCH}\n"
    report = _check(script, select=(), config=Config(rules={"RLB026": "off"}))
    assert report.suppressed == ()
    assert "suppression" not in _slugs(report)


def test_the_report_keeps_them(tmp_path: Path) -> None:
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_text(f"# rlbot: ignore[RLB026] this machine's own\n{LAUNCH}\n", encoding="utf-8")
    command = ("lint", "examples", "--select", "RLB026,RLB007")
    report = json.loads(rlbot(*command, "--format", "json", cwd=tmp_path).out)
    (kept,) = report["scripts"][0]["suppressed"]
    assert (kept["finding"]["id"], kept["reason"], kept["line"]) == (
        "RLB026",
        "this machine's own",
        1,
    )


@pytest.mark.slow
def test_twenty_thousand_comments_cost_no_time() -> None:
    script = "# rlbot: ignore[RLB026] why\n" * 20_000 + LAUNCH
    started = time.process_time()
    report = _check(script)
    assert time.process_time() - started < 60
    assert any("more than 200" in finding.message for finding in report.findings)


@pytest.mark.process
def test_what_a_pull_request_suppresses_is_listed_with_its_reason(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.write("README.md", "words\n")
    repository.commit("start")
    repository.git("switch", "--quiet", "--create", "work")
    broken = LAUNCH.replace("trainer.n_gpus_per_node", "trainer.n_gpu_per_node")
    hidden = "# rlbot: ignore[unknown-key, duplicate-key] trust me, @maintainer <b>really</b>"
    repository.write(PATH, f"{hidden}\n{broken}\n")
    repository.commit("script")
    out = rlbot("pr", "--base", "main", cwd=tmp_path).out
    assert "**2 findings suppressed in the script**" in out
    listed = [line for line in out.splitlines() if "reason at line 1" in line]
    assert [("error:" in line, "warning:" in line) for line in listed] == [
        (True, False),
        (False, True),
    ]
    assert all("trust me" in line for line in listed)
    assert "@maintainer" not in out
    assert "<b>" not in out
    folded = out.index("<details>")
    assert out.index("suppressed in the script") < folded


def test_the_terminal_counts_them_and_shows_them_when_asked(tmp_path: Path) -> None:
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_text(f"# rlbot: ignore[RLB026] this machine's own\n{LAUNCH}\n", encoding="utf-8")
    command = ("lint", "examples", "--select", "RLB026")
    assert rlbot(*command, cwd=tmp_path).out.endswith("1 script: nothing found; 1 suppressed.\n")
    shown = rlbot(*command, "--verbose", cwd=tmp_path).out
    assert "  suppressed 8:5 RLB026, by line 1 (this machine's own): data.train" in shown
    sarif = json.loads(rlbot(*command, "--format", "sarif", cwd=tmp_path).out)
    (result,) = sarif["runs"][0]["results"]
    (suppression,) = result["suppressions"]
    assert (suppression["kind"], suppression["justification"]) == ("inSource", "this machine's own")
