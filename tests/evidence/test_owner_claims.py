"""Whose run, how old, and whether it is used elsewhere: said, never charged."""

from __future__ import annotations

import pytest

from bot.evidence.facts import RunId
from bot.evidence.subject import ClaimContext
from bot.report import Evidence
from tests.evidence.samples import claim, evidence, facts

RUN = RunId(id="abc123", entity="verl-team", project="verl_tuning", user="ada-l")


def names(found: Evidence) -> set[str]:
    return {each.claim for each in found.claims}


@pytest.mark.parametrize(
    ("contributor", "verdict"),
    [
        ("ada-l", "consistent"),
        ("Ada_L", "consistent"),
        ("Ada L <1815+ada-l@users.noreply.github.com>", "consistent"),
        ("grace", "inconclusive"),
    ],
)
def test_the_user_beside_the_contributor(contributor: str, verdict: str) -> None:
    found = evidence(facts(run=RUN), context=ClaimContext(contributor=contributor))
    assert claim(found, "contributor").verdict == verdict
    assert found.verdict == "consistent"


def test_without_both_names_nothing_is_said() -> None:
    assert "contributor" not in names(evidence(facts(run=RUN)))
    assert "contributor" not in names(evidence(context=ClaimContext(contributor="ada")))


@pytest.mark.parametrize(
    ("created", "version", "verdict"),
    [
        ("2026-09-01T10:00:00Z", "0.9.0", "consistent"),
        ("2026-08-14T00:00:00", "0.9.0", "consistent"),
        ("2025-05-01T10:00:00Z", "0.9.0", "inconclusive"),
        ("2025-05-01T10:00:00Z", "0.9.0+cu124", "inconclusive"),
    ],
)
def test_a_run_is_not_older_than_what_it_used(created: str, version: str, verdict: str) -> None:
    found = evidence(facts(created=created, requirements={"verl": version}))
    age = claim(found, "newer than its release")
    assert age.verdict == verdict
    assert found.verdict == "consistent"


def test_the_age_of_what_is_not_known_is_not_judged() -> None:
    for changes in ({}, {"created": "2026-01-01"}, {"requirements": {"verl": "0.9.0"}}):
        assert "newer than its release" not in names(evidence(facts(**changes)))
    copy = facts(created="2020-01-01", requirements={"verl": "0.9.0.dev0"})
    assert "newer than its release" not in names(evidence(copy))


@pytest.mark.parametrize(
    ("used_by", "verdict"),
    [
        ({}, "consistent"),
        ({"verl-team/verl_tuning/other": ("a.sh",)}, "consistent"),
        ({"verl-team/other/abc123": ("a.sh",)}, "consistent"),
        ({"verl-team/verl_tuning/abc123": ("examples/a.sh", "page.rst")}, "inconsistent"),
    ],
)
def test_a_run_that_backs_another_row(used_by: dict[str, tuple[str, ...]], verdict: str) -> None:
    found = evidence(facts(run=RUN), context=ClaimContext(used_by=used_by))
    used = claim(found, "run used once")
    assert used.verdict == verdict
    assert found.verdict == verdict
    if verdict == "inconsistent":
        assert used.reason == (
            "The run verl-team/verl_tuning/abc123 is linked for examples/a.sh, page.rst too, and a "
            "row needs a run of its own: link another one for one of them."
        )


@pytest.mark.parametrize(
    ("used", "verdict"),
    [("ada/tuning/p/5f0c", "inconsistent"), ("ada/other/p/5f0c", "consistent")],
)
def test_a_run_in_a_space_that_backs_another_row(used: str, verdict: str) -> None:
    space = facts(run=RunId(id="5f0c", entity="ada/tuning", project="p"))
    found = evidence(space, context=ClaimContext(used_by={used: ("a.sh",)}))
    assert claim(found, "run used once").verdict == verdict


def test_nobody_looked_or_the_run_has_no_name() -> None:
    assert "run used once" not in names(evidence(facts(run=RUN)))
    assert "run used once" not in names(
        evidence(facts(run=RunId()), context=ClaimContext(used_by={}))
    )
    offline = facts(run=RunId(id="abc123"))
    used = ClaimContext(used_by={"t/p/abc123": ("a.sh",)})
    assert claim(evidence(offline, context=used), "run used once").verdict == "inconsistent"
