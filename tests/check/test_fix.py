"""Fixes: only their own bytes, never more findings, and the same launches under real bash."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.check.fix import Fixed, fix_script, same_words
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.render.patch import patch
from bot.rules._support.registry import RULES
from bot.shell import read
from bot.shell.source import Span
from tests.command import ROOT, rlbot
from tests.profiles import scaled
from tests.rules.helpers import PATH
from tests.shell.judge import Judge
from tests.shell.judge import Script as Run

EXAMPLES = sorted(ROOT.glob("examples/tuning/*/*.sh"))


def _fix(data: bytes | str, path: str = PATH, *, unsafe: bool = False, **options: object) -> Fixed:
    script = ScriptFile(path=path, data=data.encode() if isinstance(data, str) else data)
    # A joined launch shows what it lacks: with consequences that counts before, too.
    chosen = CheckOptions(consequences=True, **options)  # type: ignore[arg-type]
    fixed = fix_script(script, chosen, unsafe=unsafe)
    if all(finding.slug != "broken-continuation" for finding in fixed.applied):
        assert len(fixed.report.findings) <= len(fixed.before.findings)
    again = fix_script(ScriptFile(path=path, data=fixed.data), chosen, unsafe=unsafe)
    assert again.data == fixed.data
    return fixed


ONLY = ("missing-dollar", "broken-continuation", "missing-plus", "plus-on-existing-key")
"""Rules whose fixes the exact texts below are about."""

LAUNCH = """\
model=Qwen/Qwen2.5-7B-Instruct
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    actor_rollout_ref.model.path=$model \\
    actor_rollout_ref.actor.use_dynamic_bsz=True \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=5 \\
    +actor_rollout_ref.model.override_config.attn_implementation=eager \\
    data.train_batch_size=1024 \\
    trainer.n_gpus_per_node=8"""


def test_a_script_without_findings_stays_as_it_is() -> None:
    for path in EXAMPLES:
        fixed = _fix(path.read_bytes(), str(path.relative_to(ROOT)), unsafe=True)
        assert fixed.data == path.read_bytes()
        assert fixed.applied == ()


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.slug)
@pytest.mark.parametrize("unsafe", [False, True])
def test_no_example_of_a_rule_gets_more_findings(rule: object, unsafe: bool) -> None:
    example = rule.meta.example  # type: ignore[attr-defined]
    for text, path in ((example.bad, example.bad_path or example.path), (example.good, None)):
        fixed = _fix(text, path or example.path, unsafe=unsafe)
        assert fixed.refused == ()
        assert bool(fixed.applied) == (fixed.data != text.encode())


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("judge"))


DEFECTS = {
    "no dollar": ("path=$model", "path=model"),
    "blank behind the backslash": ("name=vllm \\", "name=vllm \\  "),
    "tab behind the backslash": ("grpo \\", "grpo \\\t"),
    "blank line in the launch": ("_bsz=True \\\n", "_bsz=True \\\n\n"),
    "no plus": ("+actor_rollout_ref.model.over", "actor_rollout_ref.model.over"),
    "plus on a known key": ("data.train_batch_size", "+data.train_batch_size"),
}
"""Name to a stretch of LAUNCH, and what stands there instead."""


@st.composite
def broken(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A good script and the same one with defects, in a style of its own."""
    good = bad = LAUNCH
    for name in draw(st.sets(st.sampled_from(sorted(DEFECTS)))):
        right, wrong = DEFECTS[name]
        bad = bad.replace(right, wrong)
    head = draw(st.sampled_from(("", "#!/usr/bin/env bash\n", "# 中文 √\nset -x\n\n")))
    tail = draw(st.sampled_from(("", "\n", ' "$@"\n', "\n# the end", "\necho done\n\n\n")))
    indent = draw(st.sampled_from(("    ", "\t", "  ")))
    return tuple(  # type: ignore[return-value]
        (head + text.replace("    ", indent) + tail).encode() for text in (good, bad)
    )


@pytest.mark.process
@settings(
    max_examples=scaled(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(pair=broken())
def test_a_fixed_script_starts_what_the_good_one_would(
    judge: Judge, pair: tuple[bytes, bytes]
) -> None:
    good, bad = pair
    fixed = _fix(bad, select=ONLY)
    assert fixed.refused == ()
    launched = judge.run([Run(good.decode()), Run(fixed.data.decode())])
    assert [call.argv for call in launched[0]] == [call.argv for call in launched[1]]
    assert launched[0]


@settings(max_examples=scaled(60))
@given(
    pair=broken(),
    crlf=st.booleans(),
    bom=st.booleans(),
    unsafe=st.booleans(),
)
def test_a_fix_changes_its_own_bytes_alone(
    pair: tuple[bytes, bytes], crlf: bool, bom: bool, unsafe: bool
) -> None:
    _, bad = pair
    if crlf:
        bad = bad.replace(b"\n", b"\r\n")
    if bom:
        bad = b"\xef\xbb\xbf" + bad
    fixed = _fix(bad, unsafe=unsafe, select=ONLY)
    assert fixed.data.startswith(b"\xef\xbb\xbf") == bom
    assert fixed.data.endswith(b"\n") == bad.endswith(b"\n")
    assert (b"\r\n" in fixed.data) == (b"\r\n" in bad)
    if crlf:
        assert fixed.data.count(b"\n") == fixed.data.count(b"\r\n")
    # Every fix of these adds or takes a mark, a blank or an empty line.
    marks = bytes.maketrans(b"", b"")
    assert fixed.data.translate(marks, b" \t$+\\\r\n") == bad.translate(marks, b" \t$+\\\r\n")


def test_what_is_not_text_is_left_alone() -> None:
    data = LAUNCH.replace("path=$model", "path=model").encode() + b"\n# caf\xe9\n"
    assert _fix(data, unsafe=True).data == data


def test_a_suppressed_finding_is_not_fixed() -> None:
    bad = LAUNCH.replace("path=$model", "path=model")
    bad = bad.replace("python3", "# rlbot: ignore[missing-dollar] it is a folder here\npython3")
    assert _fix(bad, select=ONLY).data == bad.encode()


def test_findings_that_meet_are_settled_in_rounds() -> None:
    bad = LAUNCH.replace("+actor", "actor").replace("n=5 \\\n", "n=5 \\ \n")
    fixed = _fix(bad, select=ONLY)
    assert [finding.id for finding in fixed.applied] == ["RLB025", "RLB022"]
    assert fixed.data.decode() == LAUNCH


def test_joining_lines_shows_what_was_wrong_in_them() -> None:
    bad = LAUNCH.replace("n=5 \\\n", "n=5 \\ \n").replace("data.train_batch", "data.trian_batch")
    bad = bad.replace("trainer.n_gpus", "trainer.n_gpu")
    fixed = _fix(bad, select=("broken-continuation", "unknown-key"))
    assert fixed.data.decode() == bad.replace("n=5 \\ \n", "n=5 \\\n")
    assert [finding.id for finding in fixed.applied] == ["RLB025"]
    assert [finding.id for finding in fixed.report.findings] == ["RLB020", "RLB020"]


def test_lines_are_joined_below_an_exported_variable() -> None:
    bad = "export OMP_NUM_THREADS=1\n" + LAUNCH.replace("n=5 \\\n", "n=5 \\ \n")
    fixed = _fix(bad, select=("broken-continuation",))
    assert fixed.data.decode() == f"export OMP_NUM_THREADS=1\n{LAUNCH}"


def test_words_that_no_edit_touches_must_stay() -> None:
    before, after = "a=1\ncmd $a $b x\n", "a=2\ncmd $a $b x\n"
    edit = [Span(2, 3)]

    def same(text: str, changed: list[Span]) -> bool:
        return same_words(read(before.encode(), "x"), read(text.encode(), "x"), changed, changed)

    assert same(after, edit)
    assert same(before, [])
    assert not same(after, [])
    assert not same(after.replace(" x", " y"), edit)
    assert not same(after.replace(" x", " x x"), edit)
    assert not same(after.replace("cmd", "touch"), edit)


def _file(folder: Path, text: str = LAUNCH) -> Path:
    file = folder / PATH
    file.parent.mkdir(parents=True)
    file.write_text(text.replace("path=$model", "path=model") + "\n", encoding="utf-8")
    return file


def test_fix_writes_the_file_and_tells_what_it_did(tmp_path: Path) -> None:
    file = _file(tmp_path)
    file.chmod(0o750)
    result = rlbot("lint", "examples", "--fix", "--select", ",".join(ONLY), cwd=tmp_path)
    assert result.err == f"rlbot: fixed {PATH}:4: write $model (RLB030)\n"
    assert result.status == 0
    assert file.read_text(encoding="utf-8") == LAUNCH + "\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_the_status_after_fixing_is_that_of_what_remains(tmp_path: Path) -> None:
    file = _file(tmp_path, LAUNCH.replace("trainer.n_gpus", "trainer.n_gpu"))
    result = rlbot("lint", "examples", "--fix", cwd=tmp_path)
    assert result.status == 1
    assert "path=$model" in file.read_text(encoding="utf-8")
    assert "RLB020" in result.out
    assert "RLB030" not in result.out


@pytest.mark.process
def test_diff_writes_nothing_and_git_applies_it(tmp_path: Path) -> None:
    file = _file(tmp_path)
    before = file.read_bytes()
    command = ("lint", "examples", "--diff", "--select", ",".join(ONLY))
    result = rlbot(*command, cwd=tmp_path)
    assert (result.status, result.err) == (1, "")
    assert result.out.startswith(f"--- a/{PATH}\n+++ b/{PATH}\n@@ ")
    assert file.read_bytes() == before
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    applied = subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path, input=result.out.encode(), check=False
    )
    assert applied.returncode == 0
    assert file.read_text(encoding="utf-8") == LAUNCH + "\n"
    assert rlbot(*command, cwd=tmp_path).out == ""


def test_standard_input_gives_the_fixed_script_on_standard_output(tmp_path: Path) -> None:
    bad = LAUNCH.replace("path=$model", "path=model").encode()
    only = ("--select", ",".join(ONLY), "--stdin-filename", PATH)
    result = rlbot("lint", "-", "--fix", *only, stdin=bad, cwd=tmp_path)
    assert result.out == LAUNCH
    assert f"fixed {PATH}:4" in result.err
    assert "\n1 script: " in result.err
    quiet = rlbot("lint", "-", "--fix", "--quiet", *only, stdin=bad)
    assert (quiet.out, quiet.err) == (LAUNCH, "")


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    file = _file(tmp_path)
    target = tmp_path / "elsewhere.sh"
    file.rename(target)
    file.symlink_to(target)
    before = target.read_bytes()
    result = rlbot("lint", "examples", "--fix", cwd=tmp_path)
    assert result.status == 1
    assert f"{PATH} is a symbolic link and was not written" in result.out
    assert target.read_bytes() == before
    assert file.is_symlink()


@pytest.mark.skipif(os.getuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    file = _file(tmp_path)
    file.parent.chmod(0o500)
    try:
        result = rlbot("lint", "examples", "--fix", cwd=tmp_path)
    finally:
        file.parent.chmod(0o700)
    assert f"{PATH} cannot be written: permission denied." in result.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--unsafe",), "--unsafe goes with --fix or --diff."),
        (("--diff", "--format", "json"), "--diff prints a patch; leave --format json out."),
        (("-", "--fix"), "--fix with - prints the fixed script; name no other PATH beside it."),
    ],
)
def test_options_that_do_not_go_together(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    _file(tmp_path)
    result = rlbot("lint", "examples", *arguments, cwd=tmp_path)
    assert (result.status, result.out, result.err) == (2, "", f"rlbot: {sentence}\n")


_NAMES = st.sampled_from(("a.sh", "with blank.sh", 'quo"te.sh', "中文.sh", "a\nb.sh", "back\\.sh"))


@pytest.mark.process
@settings(max_examples=scaled(30))
@given(
    name=_NAMES,
    lines=st.lists(st.sampled_from(("a\n", "b\r\n", "中 x\n", "\n", "c")), max_size=30),
    other=st.lists(st.sampled_from(("a\n", "b\r\n", "new\n", "\n", "d")), max_size=30),
)
def test_git_applies_any_patch(
    tmp_path_factory: pytest.TempPathFactory, name: str, lines: list[str], other: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("patch")
    before, after = "".join(lines).encode() or b"x\n", "".join(other).encode() or b"y\n"
    (folder / name).write_bytes(before)
    text = patch(name, before, after)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    if text:
        subprocess.run(["git", "apply", "-"], cwd=folder, input=text.encode(), check=True)
    assert (folder / name).read_bytes() == after


def _published() -> Iterator[str]:
    for rule in RULES.rules:
        if rule.meta.example:
            yield rule.meta.example.bad


@pytest.mark.slow
def test_a_fix_of_every_rule_that_offers_one_is_applied() -> None:
    offered = set()
    for text in _published():
        report = check_script(ScriptFile(path=PATH, data=text.encode()), CheckOptions())
        safe = {f.id for f in report.findings if f.fix and f.fix.safe}
        done = {f.id for f in _fix(text).applied}
        assert safe <= done
        offered |= safe
    assert len(offered) >= 3
