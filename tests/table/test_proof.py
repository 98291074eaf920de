"""The proof refuses what an edit must not do."""

from __future__ import annotations

import pytest

from bot.table import PageError, add_row
from bot.table.edit import Expected, fault
from bot.table.judge import Shown, judge
from tests.table.factories import make, page

BEFORE = page("english.rst")
CHANGE = add_row(BEFORE, make(), size="7b")
ROW = make()
EXPECTED = Expected(
    row=(
        Shown("MIN"),
        Shown("Qwen3-7B"),
        Shown("GRPO"),
        Shown("8*H20"),
        Shown("1024"),
        Shown("fsdp"),
        Shown("vllm0.8.5"),
        Shown("qwen3-7b_grpo_8_h20_fsdp_vllm.sh", (ROW.link,)),
        Shown("octocat", ("https://github.com/octocat",)),
    ),
    index=2,
    replaces=False,
)


def found(after: str, expected: Expected = EXPECTED) -> str | None:
    return fault(judge(BEFORE.text, "p"), judge(after, "p"), expected)


def test_the_edit_itself_is_right() -> None:
    assert found(CHANGE.text) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- 1024\n", "- 1025\n"),
        ("- Qwen2-7B\n", "- Qwen3-8B\n"),
        ("- 96\n", "- 97\n"),
        ("github.com/octocat>", "github.com/other>"),
        ("    * - Tag\n", "    * - Tags\n"),
        ("- 1024\n", "- \\\n"),
    ],
)
def test_a_difference_in_any_cell_is_a_fault(old: str, new: str) -> None:
    assert old in CHANGE.text
    reason = found(CHANGE.text.replace(old, new, 1))
    assert reason == "docutils does not read the tables as before with the row added"


def test_the_row_in_another_place_is_a_fault() -> None:
    text = add_row(BEFORE, make(), size="8b").text
    assert found(text) is not None
    assert found(CHANGE.text, Expected(EXPECTED.row, 1, replaces=False)) is not None
    assert found(CHANGE.text, Expected(EXPECTED.row, 2, replaces=True)) is not None


def test_a_new_complaint_is_a_fault() -> None:
    reason = found(CHANGE.text.replace("70B\n~~~", "70B\n~~~\n\n`open"))
    assert reason is not None
    assert reason.startswith("docutils would report ")


def test_nothing_of_a_page_is_executed() -> None:
    text = (
        ".. include:: /etc/hostname\n\n"
        ".. raw:: html\n\n   <b>x</b>\n\n"
        ".. csv-table::\n   :file: /etc/hostname\n"
    )
    judgement = judge(text, "p")
    messages = [message for _, message in judgement.messages]
    assert len(messages) == 3
    assert all("disabled" in message or "deactivated" in message for message in messages)
    assert judgement.tables == ()


def test_a_page_on_which_docutils_fails() -> None:
    substitutions = ".. |a| replace:: |b| |b|\n.. |b| replace:: |c| |c|\n"
    with pytest.raises(PageError, match=r"docutils fails on docs/x.rst \(KeyError\)"):
        judge(substitutions, "docs/x.rst")
