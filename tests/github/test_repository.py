"""What the repository's pages on GitHub are made from: forms, updates, releases, hooks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.github.world import ROOT
from tools.release import moving_tag, notes_of

CHOOSER = ROOT / ".github/ISSUE_TEMPLATE/config.yml"
FORMS = sorted(set((ROOT / ".github/ISSUE_TEMPLATE").iterdir()) - {CHOOSER})
KINDS = {"checkboxes", "dropdown", "input", "markdown", "textarea"}
CHANGELOG = """\
# Changelog

## [Unreleased]

### Added

- Later.

## [1.2.0] - 2026-01-31

### Fixed

- This.

## [1.1.0] - 2026-01-01

- Before.
"""


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_of_issues_have_what_github_asks_for(path: Path) -> None:
    form = _read(path)
    assert set(form) == {"name", "description", "labels", "body"}
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    for field in form["body"]:
        assert field["type"] in KINDS
        assert field["attributes"]["label"]
        assert re.fullmatch(r"[a-z]+", field["id"])


def test_updates_cover_packages_and_actions() -> None:
    updates = _read(ROOT / ".github/dependabot.yml")["updates"]
    assert {update["package-ecosystem"] for update in updates} == {"pip", "github-actions"}


def test_hooks_for_this_repository_come_from_nowhere_else() -> None:
    config = _read(ROOT / ".pre-commit-config.yaml")
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "system"


def test_the_notes_of_a_release_are_its_section() -> None:
    assert notes_of("v1.2.0", "1.2.0", CHANGELOG) == "### Fixed\n\n- This.\n"
    assert notes_of("v1.1.0", "1.1.0", CHANGELOG) == "- Before.\n"


@pytest.mark.parametrize(
    ("tag", "version", "reason"),
    [
        ("v1.3.0", "1.2.0", "version is 1.2.0"),
        ("1.2.0", "1.2.0", "The tag is 1.2.0"),
        ("v1.3.0", "1.3.0", "no section"),
        ("v1x2.0", "1x2.0", "no section"),
    ],
)
def test_a_tag_that_is_no_release_is_refused(tag: str, version: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        notes_of(tag, version, CHANGELOG)


@pytest.mark.parametrize(
    ("tag", "released", "moving"),
    [
        ("v1.4.0", ["v0.9.0", "v1.3.9", "v1.4.0", "v1"], "v1"),
        ("v1.10.0", ["v1.9.0", "v1.10.0"], "v1"),
        ("v1.9.1", ["v1.9.1", "v1.10.0"], None),
        ("v1.9.1", ["v1.9.1", "v2.0.0"], "v1"),
        ("v0.2.0", [], "v0"),
        ("v1.0.0rc1", ["v1.0.0rc1"], None),
    ],
)
def test_the_major_tag_never_moves_back(tag: str, released: list[str], moving: str | None) -> None:
    assert moving_tag(tag, released) == moving


def test_a_release_takes_values_of_events_from_the_environment() -> None:
    jobs = _read(ROOT / ".github/workflows/release.yml")["jobs"]
    for step in (step for job in jobs.values() for step in job["steps"]):
        assert "${{" not in step.get("run", "")


def test_the_changelog_has_the_sections_of_keep_a_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", one) for one in headings[1:])
    sections = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
