from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import (
    BLOB,
    COMMIT,
    NAME,
    PATH,
    SCRIPTS,
    link,
    marked,
    page,
    quiet,
    row,
    section,
)

SLUG = "dead-link"


GONE = "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_sglang.sh"
PAST = {(COMMIT, GONE): "true\n"}


@pytest.mark.parametrize(
    "cell",
    [
        link(PATH),
        f"`{NAME} <https://github.com/verl-project/verl/tree/main/{PATH}>`_",
        f"`{NAME} <https://raw.githubusercontent.com/volcengine/verl/refs/heads/main/{PATH}>`_",
        f"`{NAME} <{BLOB}/main/{PATH}?plain=1#L10>`_",
        f"`{NAME} <../../{PATH}>`_",
        f"`{NAME} </{PATH}>`_",
        link(GONE, ref=COMMIT),
    ],
)
def test_stays_silent(cell: str) -> None:
    text = page(section(row(Link=cell)))
    assert quiet(SLUG, text, past=PAST, name="someone/verl")


@pytest.mark.parametrize(
    "cell",
    [
        link(GONE),
        link(PATH.replace("qwen2.5-7b_grpo", "Qwen2.5_7b_GRPO")),
        link(PATH, ref=COMMIT),
        f"`{NAME} <../{PATH}>`_",
    ],
    ids=["gone", "misspelt", "not at the commit", "relative"],
)
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    assert (
        marked(SLUG, page(section(row(Link=cell))), past=PAST, name="volcengine/verl") == snapshot
    )


@pytest.mark.parametrize(
    "cell",
    [
        link(PATH, ref="f" * 40),
        link(PATH, ref="topic"),
        f"`{NAME} <https://github.com/other/tools/blob/main/{PATH}>`_",
        f"`{NAME} <https://gitlab.com/volcengine/verl/-/blob/main/{PATH}>`_",
    ],
    ids=["unknown commit", "a branch", "another repository", "another host"],
)
def test_what_cannot_be_known_is_said(cell: str, snapshot: SnapshotAssertion) -> None:
    text = page(section(row(Link=cell)))
    assert marked(SLUG, text, past=PAST, name="verl-project/verl") == snapshot


def test_without_a_remote_the_repository_of_most_links_is_the_own() -> None:
    other = f"`{NAME} <https://github.com/other/tools/blob/main/{PATH}>`_"
    rows = [row(Link=other), row(), row()]
    assert marked(SLUG, page(section(*rows)), SCRIPTS).startswith(
        "unchecked: RLB301 dead-link: line"
    )


def test_without_a_history_a_commit_is_not_checked(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Link=link(PATH, ref=COMMIT))))) == snapshot
