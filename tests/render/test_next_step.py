"""The last line of a comment: what another comment can do now, and for whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.base.config import Permissions
from bot.render.markdown import MARKER, comment
from bot.render.next_step import Conversation
from bot.report import Edit, Fix, Report
from tests.render import factories as make

READY = make.report(make.good())
VERIFY = "`/verify` (the author, triage rights) checks again"
SAFE = Fix(
    title="x", safe=True, edits=(Edit(line=1, column=1, end_line=1, end_column=2, text="!"),)
)


def _last(report: Report, conversation: Conversation | None = None) -> str:
    lines = comment(report, conversation=conversation or Conversation()).splitlines()
    assert lines[-1] == MARKER
    return lines[-3]


def _with(report: Report, **changes: object) -> Report:
    scripts = tuple(replace(script, **changes) for script in report.scripts)  # type: ignore[arg-type]
    return replace(report, scripts=scripts)


def _placed(report: Report) -> Report:
    edit = make.page_edit()
    return _with(report, page_edit=replace(edit, action="none", patch=""))


@pytest.mark.parametrize(
    ("report", "line"),
    [
        pytest.param(
            READY,
            "Ready: `/apply` (write rights) commits 1 row · `/verify LINK` takes another run · "
            + VERIFY,
            id="ready",
        ),
        pytest.param(
            _placed(READY), f"Ready: `/verify LINK` takes another run · {VERIFY}", id="row stands"
        ),
        pytest.param(
            make.report(make.good(), make.good(make.LARGE)),
            "Ready: `/apply` (write rights) commits 2 rows · "
            f"`/verify LINK SCRIPT.sh` takes another run · {VERIFY}",
            id="two scripts",
        ),
        pytest.param(
            make.report(
                replace(make.good(), evidence=None, page_edit=None, verdict="inconclusive"),
                verdict="inconclusive",
            ),
            f"Next: `/verify LINK` compares with a run · {VERIFY}",
            id="no run",
        ),
        pytest.param(
            make.report(
                replace(
                    make.good(),
                    findings=(replace(make.finding(severity="error", path=make.SMALL), fix=SAFE),),
                    verdict="fail",
                )
            ),
            "Not ready: correct `7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh:3` · `/apply` (write "
            f"rights) commits 1 sure correction · `/verify LINK` takes another run · {VERIFY}",
            id="an error",
        ),
        pytest.param(
            make.report(
                replace(
                    make.good(),
                    evidence=make.evidence(
                        "inconsistent",
                        (make.claim("train batch", 512, 256, verdict="inconsistent"),),
                    ),
                    verdict="fail",
                )
            ),
            "Not ready: set train batch to `256`, or link the run with `512`: `/verify LINK` · "
            + VERIFY,
            id="another value",
        ),
    ],
)
def test_what_is_next(report: Report, line: str) -> None:
    assert _last(report) == line


def test_the_rights_are_those_of_the_configuration() -> None:
    conversation = Conversation(permissions=Permissions(verify="read", apply="admin"))
    assert _last(READY, conversation) == (
        "Ready: `/apply` (admin rights) commits 1 row · `/verify LINK` takes another run · "
        "`/verify` (the author, read rights) checks again"
    )


def test_places_lead_to_the_checked_commit() -> None:
    report = make.report(make.bad())
    web = "https://github.com/verl-project/verl"
    said = comment(report, conversation=Conversation(web_url=web))
    address = f"{web}/blob/{make.CHANGE.head}/{make.LARGE}#L10"
    place = f"[`32b/qwen2.5-32b_grpo-lora_4_h100_fsdp_vllm.sh:10`](<{address}>)"
    assert f"\n- {place} " in said
    assert f"Not ready: correct {place} and 1 more" in said
    assert "](<" not in _last(report)


def test_without_a_change_there_is_nobody_to_comment() -> None:
    report = replace(READY, change=None)
    assert "/verify" not in comment(report)
