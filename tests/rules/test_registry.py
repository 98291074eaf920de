from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.base.errors import UserError
from bot.registry.base import Check, Rule
from bot.rules._support.base import (
    Example,
    Hit,
    Meta,
    RuleContext,
    ScriptRule,
    Skip,
    TextEdit,
)
from bot.rules._support.example import verl
from bot.rules._support.registry import RULES, check_context
from bot.shell.source import Span
from tests.profiles import scaled
from tests.rules.helpers import context

SCRIPT = verl("trainer.n_gpus_per_node=4", "trainer.nnodes=1", "trainer.nnodes=1")


def rule(check: Check[RuleContext], id_: str = "RLB900", slug: str = "made-up") -> ScriptRule:
    meta = Meta(
        id=id_,
        severity="warning",
        confidence="certain",
        added_in="0.1.0",
        summary="",
        why="",
        instead="",
        limits="",
        source="",
        example=Example(bad="", good=""),
    )
    return Rule(slug, meta, check)


def test_a_hit_becomes_a_finding_with_its_place() -> None:
    def check(context: RuleContext) -> Iterable[Hit]:
        at = context.source.text.index("4")
        yield Hit(
            message="four",
            span=Span(at, at + 1),
            severity="note",
            help="eight",
            fix_title="use 8",
            edits=(TextEdit(span=Span(at, at + 1), text="8"),),
        )

    (finding,), unchecked = RULES.run([rule(check)], context("echo 1\necho 4\n"))
    assert not unchecked
    assert (finding.line, finding.column, finding.end_line, finding.end_column) == (2, 6, 2, 7)
    assert (finding.id, finding.slug, finding.severity) == ("RLB900", "made-up", "note")
    assert finding.url == "https://github.com/rlbot-tuning/rlbot/blob/main/docs/rules/made-up.md"
    assert finding.fix is not None
    assert not finding.fix.safe
    (edit,) = finding.fix.edits
    assert (edit.line, edit.column, edit.end_line, edit.end_column, edit.text) == (2, 6, 2, 7, "8")


def test_a_fix_without_a_title_has_the_help_for_it() -> None:
    def check(_: RuleContext) -> Iterable[Hit]:
        at = Span(0, 4)
        yield Hit(message="four", span=at, help="use 8", edits=(TextEdit(span=at, text="8"),))

    (finding,), _ = RULES.run([rule(check)], context("echo 4\n"))
    assert finding.fix is not None
    assert finding.fix.title == "use 8"


@pytest.mark.parametrize(
    ("rename", "path"),
    [
        ("b.sh", "examples/tuning/7b/b.sh"),
        ("../14b/b.sh", "examples/tuning/14b/b.sh"),
        ("../../../../b.sh", "../b.sh"),
    ],
)
def test_a_proposed_name_is_told_from_the_folder_that_paths_start_at(
    rename: str, path: str
) -> None:
    def check(_: RuleContext) -> Iterable[Hit]:
        yield Hit(message="misnamed", span=Span(0, 0), rename=rename)

    script = context("echo\n", "examples/tuning/7b/a.sh")
    (finding,), _ = RULES.run([replace(RULES.find("name-pattern"), check=check)], script)
    assert finding.rename == path


def test_findings_are_ordered_by_place_then_id_and_told_once() -> None:
    def check(_: RuleContext) -> Iterable[Hit]:
        for start in (5, 0, 5):
            yield Hit(message="x", span=Span(start, start + 1))

    given = [rule(check, "RLB902"), rule(check, "RLB901")]
    findings, _ = RULES.run(given, context("echo 1 2\n"))
    assert [(f.column, f.id) for f in findings] == [
        (1, "RLB901"),
        (1, "RLB902"),
        (6, "RLB901"),
        (6, "RLB902"),
    ]


def test_a_fault_of_one_rule_does_not_stop_the_others() -> None:
    def broken(_: RuleContext) -> Iterable[Hit]:
        yield Hit(message="lost", span=Span(0, 1))
        raise ZeroDivisionError

    def sound(_: RuleContext) -> Iterable[Hit | Skip]:
        yield Hit(message="kept", span=Span(0, 1))
        yield Skip(reason="why")
        yield Skip(reason="why")

    findings, unchecked = RULES.run(
        [rule(broken, "RLB901"), rule(sound, "RLB902")], context("echo\n")
    )
    assert [f.message for f in findings] == ["kept"]
    assert [u.reason for u in unchecked] == [
        (
            "rule RLB901 failed: ZeroDivisionError. This is a fault of rlbot, not of the script; "
            "please report it with the script."
        ),
        "why",
    ]


def test_select_and_ignore_take_ids_and_slugs() -> None:
    given = context(SCRIPT)
    every = {f.id for f in check_context(given)[0]}
    assert {"RLB010", "RLB026"} <= every
    assert {f.id for f in check_context(given, select=["name-gpus"])[0]} == {"RLB010"}
    assert {f.id for f in check_context(given, select=["rlb010", "RLB026"])[0]} == {
        "RLB010",
        "RLB026",
    }
    assert {f.id for f in RULES.run(RULES.selected((), ["RLB010"]), given)[0]} == every - {"RLB010"}
    both = RULES.run(RULES.selected(["RLB010", "RLB026"], ["duplicate-key"]), given)[0]
    assert {f.id for f in both} == {"RLB010"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("RLB01", "did you mean RLB"),
        ("unknwon-key", "did you mean RLB020 (unknown-key)?"),
        ("zzz", "rlbot rule lists the rules."),
    ],
)
def test_an_unknown_name_is_the_users_error(name: str, hint: str) -> None:
    with pytest.raises(UserError) as raised:
        check_context(context(SCRIPT), select=[name])
    assert name in str(raised.value)
    assert hint in str(raised.value)
    with pytest.raises(UserError):
        RULES.selected((), [name])


def test_finding_a_rule() -> None:
    assert RULES.find("RLB020") is RULES.find("unknown-key") is RULES.find(" Rlb020 ")
    ids = [rule.meta.id for rule in RULES.rules]
    assert ids == sorted(ids)


_LINES = st.sampled_from(
    [
        "trainer.nnodes=1 \\\n",
        "    data.train_batch_size=$B \\\n",
        "# 32√ → 64×\n",
        "\n",
        "N=45 # 44√ → 45×\n",
        "python3 -m verl.trainer.main_ppo \\\n",
        "    trainer.n_gpus_per_node=${N} \\\n",
        "    +trainer.nnodes=2 \\ \n",
        "    actor_rollout_ref.model.path=MODEL \\\n",
        '    trainer.logger=\'["a" \\\n',
        "if true; then\n",
        "fi\n",
        "export CUDA_VISIBLE_DEVICES=0,1\n",
        '"$@" | tee x\n',
        "MODEL=Qwen/Qwen2.5-7B\n",
        "ray job submit -- \\\n",
    ]
)


@settings(max_examples=scaled(60))
@given(st.lists(_LINES, max_size=9).map("".join))
def test_no_script_makes_a_rule_fail(script: str) -> None:
    findings, unchecked = check_context(context(script))
    assert not [one for one in unchecked if "failed" in one.reason]
    lines = script.count("\n") + 1
    for finding in findings:
        assert 1 <= finding.line <= finding.end_line <= lines
        assert finding.column >= 1
