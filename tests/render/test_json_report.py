from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from syrupy.assertion import SnapshotAssertion

from bot.render.json_report import to_json
from bot.report import Report
from tests.profiles import scaled
from tests.render import factories as make
from tests.render.judge import hostile

ADAPTER = TypeAdapter(Report)
SCHEMA = Draft202012Validator(ADAPTER.json_schema(mode="serialization"))


def judged(report: Report) -> object:
    """The JSON read again, after checking it against the schema."""
    text = to_json(report)
    text.encode()
    assert text.endswith("}\n")
    read = json.loads(text, parse_constant=pytest.fail)
    SCHEMA.validate(read)
    return read


def test_the_schema_refuses_what_is_no_report() -> None:
    assert not SCHEMA.is_valid({"schema": "report-v1"})


def test_json(snapshot: SnapshotAssertion) -> None:
    report = make.report(make.bad())
    judged(report)
    assert to_json(report) == snapshot


@pytest.mark.parametrize(
    "report",
    [
        make.report(),
        make.report(make.good(), make.unknown(), change=None),
        make.report(make.bad()),
    ],
)
def test_pydantic_reads_the_same_report(report: Report) -> None:
    judged(report)
    assert ADAPTER.validate_json(to_json(report)) == report


@settings(max_examples=scaled(40))
@given(st.lists(hostile, min_size=3, max_size=7))
def test_any_text_survives(texts: list[str]) -> None:
    report = make.big(2, 6, tuple(texts))
    read = judged(report)
    assert isinstance(read, dict)
    for script, seen in zip(report.scripts, read["scripts"], strict=True):
        assert seen["path"] == script.path
        assert [f["message"] for f in seen["findings"]] == [f.message for f in script.findings]


@pytest.mark.parametrize(
    ("number", "shown"),
    [(float("nan"), "NaN"), (float("inf"), "Infinity"), (float("-inf"), "-Infinity")],
)
def test_numbers_that_json_lacks(number: float, shown: str) -> None:
    claims = (make.claim("actor/grad_norm", 1.0, number),)
    evidence = replace(make.evidence(claims=claims), peak_gib=number)
    launch = replace(make.launch(), settings={"a.b": number, "a.c": [number, 1]})
    read = judged(make.report(replace(make.good(), evidence=evidence, launches=(launch,))))
    assert isinstance(read, dict)
    (script,) = read["scripts"]
    assert script["evidence"]["claims"][0]["observed"] == shown
    assert script["evidence"]["peak_gib"] is None
    assert script["launches"][0]["settings"] == {"a.b": shown, "a.c": [shown, 1]}
