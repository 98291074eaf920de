from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bot.render.blocks import unchecked_item
from bot.render.fit import size
from bot.render.markdown import MARKER, comment
from bot.report import Report, Unchecked
from tests.profiles import scaled
from tests.render import factories as make
from tests.render.judge import Seen, hostile, read
from tests.render.test_estimates import MADE

TAGS = {"<details>", "</details>", "<summary>", "</summary>", "<br>", "<span>", "</span>", MARKER}
TOKENS = {
    f"{kind}_{end}"
    for kind in (
        *("paragraph", "strong", "bullet_list", "list_item", "link"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    )
    for end in ("open", "close")
}


def judged(report: Report, limit: int = 65_536) -> tuple[str, Seen]:
    """The comment, after checking what holds for each."""
    text = comment(report, limit=limit)
    assert size(text) < limit
    assert len(text) < limit
    lines = text.splitlines()
    assert re.match(r"\*\*(Ready|Not ready|Could not be checked|No errors)\b", lines[0])
    assert lines[-1] == MARKER
    seen = read(text)
    assert set(seen.html) <= TAGS
    assert seen.html.count(MARKER) == 1
    tags = [tag for tag in seen.html if "details" in tag]
    depths = list(accumulate(1 if tag == "<details>" else -1 for tag in tags))
    # Memory budgets alone are folded twice, where they are many.
    assert set(depths) <= {0, 1, 2}
    assert depths[-1:] in ([], [0])
    assert seen.other <= TOKENS
    assert not seen.live()
    allowed = {s.evidence.run.url for s in report.scripts if s.evidence}
    allowed |= {f.url for s in report.scripts for f in s.findings}
    assert set(seen.links) <= allowed
    for row in seen.rows:
        assert len(row) in (2, 4, 5)
    return text, seen


def verdicts(seen: Seen) -> list[str]:
    """The marks of the scripts' table, and of the folded one that goes on with it."""
    marks: list[str] = []
    of_scripts = False
    for row in seen.rows:
        if row[0] == "":
            of_scripts = row[1] == "script"
        elif of_scripts:
            marks.append(row[0])
    return marks


def test_nothing_is_said_where_there_is_no_script() -> None:
    assert comment(make.report()) == ""
    assert comment(make.report(unchecked=(Unchecked(check="a", reason="b"),))) == ""


@pytest.mark.parametrize(
    ("case", "report"),
    [
        ("pass", make.report(make.good())),
        ("fail", make.report(make.bad())),
        ("inconclusive", make.report(make.unknown())),
        ("mixed", make.report(make.good(), make.bad())),
        ("without a run", make.report(replace(make.good(), evidence=None), change=None)),
    ],
)
def test_comment(case: str, report: Report, snapshot: SnapshotAssertion) -> None:
    text, _ = judged(report)
    assert text == snapshot(name=case)


def test_big_report(snapshot: SnapshotAssertion) -> None:
    texts = ("the value differs from the run's", "data.train_batch_size", "1,024")
    text, seen = judged(make.big(40, 500, texts))
    assert verdicts(seen) == ["❌"] * 14 + ["❔"] * 13 + ["✅"] * 13
    sentence = text[text.index("Left out") : text.index(MARKER)].partition("\n")[0]
    assert sentence == snapshot


@pytest.mark.slow
@settings(max_examples=scaled(12))
@given(
    texts=st.lists(hostile | hostile.map(lambda text: text * 60), min_size=5, max_size=9),
    findings=st.sampled_from([0, 40, 500]),
)
def test_forty_scripts_always_fit(texts: list[str], findings: int) -> None:
    report = make.big(40, findings, tuple(texts))
    _, seen = judged(report)
    assert verdicts(seen) == ["❌"] * 14 + ["❔"] * 13 + ["✅"] * 13


@settings(max_examples=scaled(60))
@given(
    texts=st.lists(hostile, min_size=3, max_size=7),
    scripts=st.integers(1, 4),
    findings=st.integers(0, 12),
    limit=st.integers(8_000, 30_000),
)
def test_any_report_is_a_valid_comment_under_any_limit(
    texts: list[str], scripts: int, findings: int, limit: int
) -> None:
    _, seen = judged(make.big(scripts, findings, tuple(texts)), limit)
    assert len(verdicts(seen)) == scripts


@pytest.mark.slow
def test_scripts_are_counted_when_even_their_names_are_too_many() -> None:
    text, seen = judged(make.big(1500, 0, ("a" * 100, "b/" * 100)))
    shown = len(verdicts(seen))
    assert 0 < shown < 1500
    assert shown > 10
    assert f"{1500 - shown:,} of 1,490 further scripts" in text
    assert verdicts(seen)[0] == "❌"
    assert text.startswith("**Not ready: 500 of 1500 scripts contradict their runs.**")


def test_astral_characters_count_twice() -> None:
    assert size("a😀") == 3
    judged(make.big(40, 500, ("😀" * 300,)))


@pytest.mark.slow
def test_the_least_important_goes_first() -> None:
    report = make.big(6, 60, ("a finding as long as findings are, more or less", "value", "x"))
    whole = comment(report)
    assert "Left out" not in whole
    gone: list[str] = []
    for limit in range(size(whole), 4_000, -600):
        text, _ = judged(report, limit)
        sentence = text[text.index("Left out") :].partition("\n")[0] if "Left out" in text else ""
        for name in ("note", "claim", "warning", "patch", "row", "script"):
            if re.search(rf"\b{name}(e?s)?\b", sentence) and name not in gone:
                gone.append(name)
    assert gone == ["note", "claim", "warning", "patch", "row"]
    assert "**To do**" in text


def test_a_limit_without_room_for_a_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="too low"):
        comment(make.report(make.good()), limit=60)


def test_scripts_of_the_same_folder_and_name_are_told_apart() -> None:
    _, seen = judged(make.report(make.good("a/7b/x.sh"), make.good("b/7b/x.sh")))
    assert {"a/7b/x.sh", "b/7b/x.sh"} <= set(seen.code)


def test_more_to_do_than_a_reader_takes_in_is_folded() -> None:
    errors = tuple(make.finding(f"wrong {n}", severity="error", line=n) for n in range(1, 15))
    text, _ = judged(make.report(replace(make.bad(), findings=errors, evidence=None)))
    at = [text.index(words) for words in (".sh:10` wrong 10", "4 more to do", ".sh:11` wrong 11")]
    assert at == sorted(at)


def test_what_is_wrong_at_many_places_is_one_thing_to_do() -> None:
    errors = tuple(make.finding("wrong", severity="error", line=n) for n in range(1, 8))
    other = make.finding("worse", severity="error", line=9)
    text, _ = judged(make.report(replace(make.bad(), findings=(*errors, other), evidence=None)))
    found = text[text.index("**To do**") :].split("\n\n")[1].splitlines()
    assert [line.count("- ") for line in found] == [1, 1]
    assert re.search(r"\.sh:1`, .*\.sh:5` and 2 more · wrong ", found[0])
    assert re.search(r"\.sh:9` worse ", found[1])


def test_a_script_that_cannot_start_has_no_memory_budget() -> None:
    starts = replace(make.good(), estimate=MADE)
    short = make.finding("it does not fit", severity="error", path=make.SMALL)
    full = replace(starts, findings=(replace(short, slug="memory-impossible"),), verdict="fail")
    broken = replace(starts, findings=(short,), verdict="fail")
    said = [comment(make.report(script)) for script in (starts, full, broken)]
    assert ["Memory budget" in text for text in said] == [True, True, False]


def test_many_memory_budgets_are_one_line() -> None:
    several = [replace(make.good(f"7b/{n}.sh"), estimate=MADE) for n in range(4)]
    few, many = comment(make.report(*several[:3])), judged(make.report(*several))[0]
    assert few.count("<summary>Memory budget: ") == 3
    assert " memory budgets" not in few
    (before, _, inside) = many.partition("<details><summary>4 memory budgets</summary>")
    assert "<summary>Memory budget: " not in before
    assert inside.count("<summary>Memory budget: ") == 4


def test_a_row_that_the_page_has_is_not_offered_again() -> None:
    script = make.good()
    assert script.page_edit is not None
    kept = replace(script, page_edit=replace(script.page_edit, action="none", patch=""))
    text, _ = judged(make.report(kept))
    assert "to paste" not in text
    assert "Patch" not in text


def test_open_claims_are_folded_where_the_verdict_does_not_rest_on_them() -> None:
    open_ = make.claim("data.train_files", "a", "b", verdict="inconclusive")
    evidence = make.evidence(claims=(*make.AGREEING, open_))
    text, _ = judged(make.report(replace(make.good(), evidence=evidence)))
    assert "<details><summary>1 claim left open</summary>" in text
    undecided = replace(make.good(), verdict="inconclusive", evidence=evidence)
    text, _ = judged(make.report(undecided))
    assert "**1 claim left open**" in text


def test_one_reason_is_said_once_of_all_that_it_keeps_from_being_checked() -> None:
    reason = "line 3 could not be read."
    alike = tuple(Unchecked(check=check, reason=reason) for check in ("syntax", "no-launch"))
    script = replace(make.good(), verdict="inconclusive", unchecked=alike)
    text = comment(make.report(script))
    assert text.count("line 3 could not be read") == 2  # the headline and the list
    assert "2 not checked" not in text
    assert "1 not checked" in text


def test_what_is_not_checked_of_many_scripts_stands_apart_from_their_number() -> None:
    labels = [f"{number}.sh" for number in range(5)]
    alike = [Unchecked(check="evidence", reason="No run is linked.")]
    assert unchecked_item(alike, labels[:1]) == "- `0.sh` evidence: No run is linked."
    assert " and 2 more · evidence: No run" in unchecked_item(alike, labels)


def test_a_reason_that_many_files_have_is_said_once() -> None:
    left = [Unchecked(check=f"{number}.sh", reason="Too many; split it.") for number in range(100)]
    assert unchecked_item(left, []) == r"- 0\.sh, 1\.sh, 2\.sh and 97 more: Too many; split it."
