"""Annotations, read back as GitHub's runner reads workflow commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bot.render.escape import visible
from bot.render.github import LIMIT, github
from bot.report import Unchecked
from tests.profiles import scaled
from tests.render import factories as make
from tests.render.judge import hostile
from tests.render.test_sarif import RENAMED


@dataclass(frozen=True)
class Command:
    name: str
    properties: dict[str, str]
    message: str


def read(output: str) -> tuple[list[Command], list[str]]:
    """The commands of an output, and its other lines.

    As the runner does: a line that starts with `::` after blanks, properties up to the next `::`,
    split at commas and at the first equals sign, then the percent codes taken back.
    """
    commands, others = [], []
    for line in re.split(r"\r\n|\r|\n", output):
        found = re.match(r"\s*::(?P<name>[^ :]+)(?: (?P<properties>.*?))?::(?P<data>.*)\Z", line)
        if not found:
            others.append(line)
            continue
        pairs = [part.partition("=") for part in (found["properties"] or "").split(",") if part]
        commands.append(
            Command(
                found["name"],
                {key.strip(): _decoded(value, ":,") for key, _, value in pairs},
                _decoded(found["data"]),
            )
        )
    return commands, others


def _decoded(text: str, more: str = "") -> str:
    for char in "\r\n" + more:
        text = text.replace(f"%{ord(char):02X}", char)
    return text.replace("%25", "%")


def test_github(snapshot: SnapshotAssertion) -> None:
    bad = make.bad()
    script = replace(bad, findings=(*bad.findings, RENAMED))
    report = make.report(
        script, make.good(), unchecked=(Unchecked(check="page", reason="It is not UTF-8"),)
    )
    assert github(report, prefix="sub") == snapshot


def test_nothing_found_is_one_line() -> None:
    script = replace(make.good(), findings=())
    assert github(make.report(script)) == "1 script: nothing found.\n"


def test_ten_of_a_kind_the_worst_first_and_the_rest_counted() -> None:
    found = [
        make.finding(f"{severity} {n}", severity=severity, line=n)
        for n in range(1, 31)
        for severity in ("note", "error", "warning")
    ]
    script = replace(make.bad(), findings=tuple(found[: 3 * 25]), evidence=None)
    commands, others = read(github(make.report(script)))
    assert [c.name for c in commands] == ["error"] * 10 + ["warning"] * 10 + ["notice"] * 10
    assert [c.message for c in commands[:10]] == [f"error {n}" for n in range(1, 11)]
    assert others == [
        (
            "1 script: 25 errors, 25 warnings, 25 notes. Not shown as annotations: 15 errors, "
            "15 warnings and 15 notes (GitHub shows 10 of a kind for a step)."
        ),
        "",
    ]


def test_a_single_annotation_over_the_limit_is_counted_too() -> None:
    found = [make.finding(line=n) for n in range(1, LIMIT + 2)]
    script = replace(make.bad(), findings=tuple(found), evidence=None)
    commands, (last, _) = read(github(make.report(script)))
    assert len(commands) == LIMIT
    assert "Not shown as annotations: 1 warning (" in last


NAMES = ("a\nb", "a::error::b", "100%", "a%0Ab", "x,line=1", "a:b", "\r::stop-commands::x")


@settings(max_examples=scaled(60))
@given(texts=st.lists(hostile | st.sampled_from(NAMES), min_size=3, max_size=7))
def test_no_text_becomes_a_command_or_a_property(texts: list[str]) -> None:
    report = make.big(3, 24, tuple(texts))
    commands, others = read(github(report))
    assert len(others) == 2
    allowed = {"file", "line", "col", "endColumn", "endLine", "title"}
    for command in commands:
        assert command.name in ("error", "warning", "notice")
        assert command.properties.keys() <= allowed
        assert re.fullmatch(r"\d+", command.properties.get("line", "1"))


@given(hostile)
def test_a_message_and_a_path_are_read_back(text: str) -> None:
    found = make.finding(text or "x", path=f"a/{text}.sh")
    script = replace(make.good(f"a/{text}.sh"), findings=(found,))
    (command,), _ = read(github(make.report(script)))
    assert command.message == visible(text or "x", keep="\r\n")
    assert command.properties["title"] == "RLB033 a-rule"
