"""No text of a run breaks what is made of it: the row, the page, the comment, the HTML, the JSON.

A run's owner chooses every one of these texts. They go the whole way, from the facts to what a
reader sees, and real parsers judge: docutils (inside `add_row`), markdown-it, html.parser, JSON.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from bot.base.errors import UserError
from bot.check.script import make_report
from bot.evidence.claims.compare import compare
from bot.evidence.facts import Facts, GpuInfo, RunId, Sibling
from bot.evidence.links import RunLink
from bot.evidence.subject import ClaimContext
from bot.frameworks.plan import Field
from bot.frameworks.settings.setting import UNKNOWN
from bot.render.html import page as html_page
from bot.render.json_report import to_json
from bot.render.text import text
from bot.report import Report, ScriptReport, Unchecked
from bot.table import RowDetails, add_row, make_row, read_page
from tests.evidence.samples import NAME, facts, plan, series
from tests.profiles import scaled
from tests.render.judge import hostile
from tests.render.test_html import KNOWN, outline
from tests.render.test_markdown import judged
from tests.table.factories import PAGES
from tools.schemas import report_schema

PAGE = (PAGES / "english.rst").read_bytes().decode()
LINK = RunLink("wandb.ai", "verl-team", "verl_tuning", "abc123")
LIVE = ("@octocat", "@org/team", "https://x.example/a.png", "verl-project/verl#1", "GH-1")
VALUES = st.one_of(
    hostile,
    st.sampled_from(LIVE),
    st.sampled_from(["\u202e", "\x1b[31m", "\\", "|", "`", "\x00", "\ud800", ".. raw:: html"]),
)


def run_of(texts: list[str]) -> Facts:
    """A run all of whose texts are the given ones, in turn."""
    one, two, three, four, five = texts
    config: dict[str, Any] = json.loads(json.dumps(facts().config))
    config["data"]["train_files"] = one
    config["actor_rollout_ref"]["model"]["path"] = f"/models/{two}-7B"
    config["actor_rollout_ref"]["rollout"]["name"] = three
    config["trainer"][four] = {five: one}
    return replace(
        facts(),
        source=f"W&B run {one}",
        run=RunId(id=two, entity=three, project=four, name=five, user=one),
        config=config,
        gpus=(GpuInfo(name=two, memory_bytes=None), GpuInfo(name="NVIDIA H800")),
        requirements={"vllm": three, "verl": four, one: two},
        history={**facts().history, one: series(one, 1)},
        program=four,
        args=(five,),
        out_of_memory=one,
        state=two,
        created=three,
        gaps=(four,),
        siblings=(Sibling(id=five, config=config, steps=99),),
        sibling_gaps=(two,),
    )


def rows_of(text: str) -> list[tuple[str, ...]]:
    """The rows of a page that say something, as their cells' sources."""
    return [tuple(cell.text for cell in row.cells) for _, row in read_page(text, "p").rows()]


def made(texts: list[str], *, oom: bool, linked: bool = False) -> tuple[Report, str | None]:
    """The report on a script whose run is `run_of(texts)`, and the edited page, if there is one."""
    run = run_of(texts)
    run = run if oom else replace(run, out_of_memory=None)
    script = plan(data__train_batch_size=UNKNOWN, actor_rollout_ref__model__path=UNKNOWN)
    key = "actor_rollout_ref.model.path"
    script = replace(script, model=Field(None, None, key))
    context = ClaimContext(contributor=texts[4], used_by={f"a/b/{texts[1]}": (texts[2],)})
    evidence = compare(script, NAME, run, link=LINK if linked else None, context=context)
    row = make_row(
        script,
        NAME,
        RowDetails(
            link="https://github.com/o/r/blob/main/x.sh", contributor=texts[4], tag=texts[3]
        ),
        facts=run,
    )
    edit = edited = None
    try:
        change = add_row(read_page(PAGE, "docs/page.rst"), row, size="7b")
        edit, edited = change.edit, change.text
    except UserError:
        pass  # Refused: nothing is offered, and the sentence says why.
    report = make_report(
        [
            ScriptReport(
                path=NAME.path,
                sha256="0" * 64,
                verdict="inconclusive",
                unchecked=tuple(Unchecked(check="evidence", reason=gap) for gap in run.gaps if gap),
                evidence=evidence,
                row=row,
                page_edit=edit,
            )
        ]
    )
    return report, edited


@pytest.mark.slow
@given(st.lists(VALUES, min_size=5, max_size=5), st.booleans(), st.booleans())
@example(["@octocat", "x", "@org/team", "| - |", "ada"], True, False)
@example(["@octocat"] * 5, True, True)
@example(["\\"] * 5, False, False)
@example(
    ["a|b\n    * - x", "`x <javascript:1>`_", "<script>", "\u202eabc", "@org/team"], False, False
)
@settings(max_examples=scaled(50))
def test_no_text_of_a_run_breaks_what_is_made_of_it(
    texts: list[str], oom: bool, linked: bool
) -> None:
    report, edited = made(texts, oom=oom, linked=linked)

    comment, _ = judged(report)
    seen = outline(html_page(comment, "rlbot"))
    assert seen.open == []
    assert seen.tags <= KNOWN
    assert not [name for _, name, _ in seen.attributes if name.startswith("on")]
    hrefs = [value or "" for tag, name, value in seen.attributes if (tag, name) == ("a", "href")]
    assert all(href.startswith("https://") for href in hrefs)

    shown = text(report, verbose=True)
    assert all(char == "\n" or char.isprintable() for char in shown)

    loaded = json.loads(to_json(report))
    Draft202012Validator(report_schema()).validate(loaded)

    if edited is not None:
        before, after = rows_of(PAGE), rows_of(edited)
        assert len(after) == len(before) + 1
        assert before == [row for row in after if row in before]
        assert "\x00" not in edited
        assert "\u202e" not in edited


@pytest.mark.parametrize("name", ["@octocat", "a|b", "`x`", "\u202ex", "<b>", "\\", "**", "x\ny"])
def test_a_page_row_shows_a_runs_text_and_nothing_else(name: str) -> None:
    report, edited = made([name] * 5, oom=False)
    assert report.scripts[0].row is not None
    assert edited is not None
