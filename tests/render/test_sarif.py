"""SARIF: valid against the standard's own schema, and what code scanning asks for beyond it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator
from syrupy.assertion import SnapshotAssertion

from bot.registry.docs import RuleText, texts
from bot.render.line_hash import line_hashes
from bot.render.sarif import repository_path, sarif
from bot.report import Edit, Fix, Report, Suppressed, Unchecked
from bot.rules._support.registry import RULES
from bot.table.checks._support.registry import CHECKS
from tests.profiles import scaled
from tests.render import factories as make
from tests.render.judge import hostile
from tests.render.test_text import SOURCE

SCHEMA = Path(__file__).parent / "standards" / "sarif-2.1.0" / "sarif-schema-2.1.0.json"
TEXTS = (*texts(RULES), *texts(CHECKS))


@cache
def _validator() -> Draft4Validator:
    return Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def judged(report: Report, rules: Sequence[RuleText] = TEXTS[:2], **more: Any) -> dict[str, Any]:
    """The only run of the log, after checking what holds for each."""
    log: dict[str, Any] = json.loads(sarif(report, rules=rules, **more))
    errors = list(_validator().iter_errors(log))
    assert not errors, errors[0]
    (run,) = log["runs"]
    listed = run["tool"]["driver"]["rules"]
    for rule in listed:
        # What GitHub shows for an alert.
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert len(rule["shortDescription"]["text"]) <= 1024
    for result in run["results"]:
        assert "text" in result["message"]
        assert result["partialFingerprints"]
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[!-~]*", uri)
        assert not re.match(r"[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*://(?!/)", uri.removeprefix("file:"))
        if "ruleIndex" in result:
            assert listed[result["ruleIndex"]]["id"] == result["ruleId"]
        else:
            assert result["ruleId"] not in {rule["id"] for rule in listed}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is True
    return dict(run)


FIX = Fix(
    title="use nproc_per_gpu=44",
    safe=False,
    edits=(Edit(line=10, column=15, end_line=10, end_column=17, text="44"),),
)
RENAMED = replace(make.finding(line=1, columns=(1, 1)), rename="32b/a new name.sh")


def _rule(id_: str) -> RuleText:
    return RuleText(
        id=id_,
        slug="visible-devices",
        severity="warning",
        confidence="high",
        summary="It lists another number of devices.",
        description="A reader cannot tell which number is meant.",
        help="List exactly the devices.",
        markdown=f"# {id_}\n\nIt lists another number of devices.\n",
        url="https://example.org/visible-devices",
    )


def _whole() -> Report:
    bad = make.bad()
    first, *rest = bad.findings
    return make.report(
        replace(
            bad,
            findings=(replace(first, id="RLB043", fix=FIX), RENAMED, *rest),
            suppressed=(Suppressed(finding=make.finding("twice"), reason="the cluster's", line=2),),
            unchecked=(Unchecked(check="RLB020 unknown-key", reason="No table for it"),),
        ),
        make.good(),
        unchecked=(Unchecked(check="page", reason="It is not UTF-8."),),
    )


def test_sarif(snapshot: SnapshotAssertion) -> None:
    run = judged(_whole(), [_rule("RLB020"), _rule("RLB043")], sources={make.LARGE: SOURCE})
    assert json.dumps(run, indent=1, ensure_ascii=False) == snapshot


def test_the_log_with_every_rule_is_valid() -> None:
    for language in ("en", "zh"):
        judged(_whole(), (*texts(RULES, language), *texts(CHECKS, language)))


@pytest.mark.parametrize(
    "report",
    [
        make.report(),
        make.report(make.good()),
        make.report(make.unknown()),
        replace(_whole(), language="zh"),
    ],
)
def test_every_kind_of_report_is_valid(report: Report) -> None:
    judged(report)


@settings(max_examples=scaled(20))
@given(texts=st.lists(hostile, min_size=3, max_size=7), source=hostile, prefix=hostile)
def test_any_text_gives_a_valid_log(texts: list[str], source: str, prefix: str) -> None:
    report = make.big(2, 8, tuple(texts))
    report = replace(
        report,
        scripts=tuple(
            replace(
                script,
                findings=tuple(
                    replace(
                        found,
                        line=max(found.line, 1),
                        end_line=max(found.line, 1),
                        fix=Fix(title=texts[0], safe=True, edits=FIX.edits),
                        rename=texts[1],
                    )
                    for found in script.findings
                ),
                suppressed=tuple(
                    Suppressed(finding=replace(f, line=1, end_line=1), reason=texts[2], line=1)
                    for f in script.findings
                ),
            )
            for script in report.scripts
        ),
    )
    judged(report, sources={s.path: source for s in report.scripts}, prefix=prefix)


@settings(max_examples=scaled(25))
@given(hostile)
def test_a_path_can_be_read_back(path: str) -> None:
    report = make.report(make.bad(f"a/{path}x"))
    bad = replace(report.scripts[0], evidence=None, findings=report.scripts[0].findings[:1])
    run = judged(replace(report, scripts=(bad,)))
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert unquote_to_bytes(location["uri"]) == repository_path("", f"a/{path}x").encode(
        "utf-8", "surrogatepass"
    )


@pytest.mark.parametrize(
    ("prefix", "path", "whole"),
    [
        ("", "a/b.sh", "a/b.sh"),
        ("", "./a//b.sh", "a/b.sh"),
        ("sub/folder", "a.sh", "sub/folder/a.sh"),
        ("sub/folder", "../a.sh", "sub/a.sh"),
        ("", "../a.sh", "../a.sh"),
        ("sub", "/abs/a.sh", "/abs/a.sh"),
    ],
)
def test_paths_start_at_the_root_of_the_repository(prefix: str, path: str, whole: str) -> None:
    assert repository_path(prefix, path) == whole


def _fingerprints(source: str, line: int) -> dict[str, str]:
    script = replace(
        make.good(), findings=(make.finding(path=make.SMALL, line=line, columns=(1, 2)),)
    )
    run = judged(make.report(script), sources={make.SMALL: source})
    return dict(run["results"][0]["partialFingerprints"])


def test_fingerprints_stay_when_lines_move_and_change_with_the_line() -> None:
    source = "\n".join(f"line_{n}=value" for n in range(40))
    before = _fingerprints(source, 20)
    moved = _fingerprints("# new\n# lines\n" + source, 22)
    assert moved == before
    assert set(before) == {"primaryLocationLineHash", "rlbotFinding/v1"}
    changed = _fingerprints(source.replace("line_19=value", "line_19=other"), 20)
    assert changed["primaryLocationLineHash"] != before["primaryLocationLineHash"]
    assert changed["rlbotFinding/v1"] != before["rlbotFinding/v1"]


def test_equal_findings_on_equal_lines_are_told_apart() -> None:
    found = [make.finding(path=make.SMALL, line=n, columns=(1, 2)) for n in (1, 2)]
    script = replace(make.good(), findings=tuple(found))
    run = judged(make.report(script), sources={make.SMALL: "same\nsame\n"})
    prints = [result["partialFingerprints"]["rlbotFinding/v1"] for result in run["results"]]
    assert len(set(prints)) == 2


# As github/codeql-action computes them (src/fingerprints.test.ts).
@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
        (
            " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
            [
                *("8b7cf3e952e7aeb2:1", "b1ae1287ec4718d9:1", "bff680108adb0fcc:1"),
                *("c6805c5e1288b612:1", "b86d3392aea1be30:1", "e6ceba753e1a442:1"),
            ],
        ),
        (
            " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n",
            [
                *("e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1"),
                *("e20e36e16fcb0cc8:1", "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1"),
                "c129715d7a2bc9a3:1",
            ],
        ),
    ],
)
def test_line_hashes_are_those_of_code_scanning(text: str, hashes: list[str]) -> None:
    assert line_hashes(text, range(1, 99)) == dict(enumerate(hashes, 1))


@given(st.text("ab \t\n", max_size=400), st.text("ab\n", min_size=1, max_size=40))
def test_a_line_hash_depends_on_what_follows_alone(text: str, above: str) -> None:
    lines = text.count("\n") + 1
    shifted = above.count("\n") + 1
    plain = line_hashes(text, range(1, lines + 1))
    moved = line_hashes(f"{above}\n{text}", range(1, lines + shifted + 1))
    for line, value in plain.items():
        assert moved[line + shifted].partition(":")[0] == value.partition(":")[0]
