"""Comments in a real browser: no width scrolls sideways, and no number breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from bot.base.messages import Language
from bot.render.html import page
from bot.render.markdown import comment
from bot.render.next_step import Conversation
from bot.report import Estimate, EstimateStage, Report, Unchecked
from tests.render import factories as make
from tests.service.browser import browser, needs_browser, page_of

WEB = Conversation(web_url="https://github.com/verl-project/verl")
NO_RUN = replace(
    make.good(),
    verdict="inconclusive",
    evidence=None,
    page_edit=None,
    unchecked=(Unchecked(check="evidence", reason="No run is linked."),),
)
LONG = (
    make.claim(
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu",
        512,
        256,
        verdict="inconsistent",
        reason="The run trained with another value.",
    ),
    make.claim("data.train_batch_size", 25600, 25601, verdict="inconsistent"),
    make.claim("model", "Qwen/Qwen2.5-7B-Instruct-1M", "Qwen/Qwen2.5-7B", verdict="inconsistent"),
)
SHORT = tuple(
    replace(make.claim(name, value, value), source=f"run config: actor_rollout_ref.{name}.{key}")
    for name, value, key in (
        ("algorithm", "grpo", "adv_estimator"),
        ("inference engine", "vllm 0.24.0", "name"),
        ("model", "Qwen/Qwen2.5-7B-Instruct-1M", "path"),
        ("gpus", "2 × NVIDIA H800 (79.6 GiB)", "n_gpus_per_node"),
    )
)
STAGE = EstimateStage(
    stage="optimizer",
    pool="all roles",
    floor_gib=57.5,
    expected_gib=75.0,
    conservative_gib=90.8,
    components={},
)
BUDGET = Estimate(
    outcome="tight", device="H800", gpus=2, usable_gib=79.3, peak_gib=75.0, stages=(STAGE,)
)
READY = replace(make.good(), evidence=replace(make.evidence(), max_batch="fits"), estimate=BUDGET)
CASES = {
    "ready": make.report(READY),
    "not-ready": make.report(make.bad(), verdict="fail"),
    "two": make.report(READY, make.bad()),
    "no-run": make.report(NO_RUN, verdict="inconclusive"),
    "short-names": make.report(replace(make.good(), evidence=make.evidence(claims=SHORT))),
    "other-values": make.report(
        replace(make.good(), evidence=make.evidence("inconsistent", LONG), verdict="fail")
    ),
}
BROKEN = """() => {
  document.querySelectorAll('details').forEach(each => each.open = true);
  const lines = each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map(line => line.top)).size;
  };
  const numbers = [...document.querySelectorAll('td code, td strong')]
    .filter(each => /^[0-9.,e+-]+$/.test(each.textContent));
  const stages = [...document.querySelectorAll('table:has(th[align=right]) td')]
    .filter(each => /^[!-~▀-▟]+$/.test(each.textContent));
  const claims = [...document.querySelectorAll('th:first-child:empty ~ th:nth-child(5)')]
    .flatMap(each => [...each.closest('table').querySelectorAll('td:nth-child(2)')])
    .filter(each => /^[a-z]+$/.test(each.textContent));
  return [...numbers, ...stages, ...claims].filter(each => lines(each) > 1)
    .map(each => each.textContent);
}"""


CUT = """() => [...document.querySelectorAll('table')]
  .filter(each => !each.closest('details') && each.scrollWidth > each.clientWidth)
  .map(each => each.textContent)"""
"""Tables that are not folded, and are wider than the screen."""


@pytest.fixture(scope="module")
def opened() -> Iterator[tuple[Page, list[str]]]:
    """A page for all of them, since opening one takes most of the time; what its console says."""
    with browser() as launched, page_of(launched, scripts=True) as shown:
        yield shown


@needs_browser
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("case", "report"), CASES.items(), ids=CASES)
def test_a_comment_fits_a_phone_and_a_screen(
    case: str,
    report: Report,
    language: Language,
    opened: tuple[Page, list[str]],
    tmp_path: Path,
) -> None:
    shown, said = opened
    text = comment(replace(report, language=language), conversation=WEB)
    file = tmp_path / "comment.html"
    file.write_text(page(text, case, language=language), encoding="utf-8")
    shown.goto(file.as_uri())
    for width in (390, 1280):
        shown.set_viewport_size({"width": width, "height": 900})
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.evaluate(CUT) == []
        assert shown.evaluate(BROKEN) == []
        # Folded parts are open by now.
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
