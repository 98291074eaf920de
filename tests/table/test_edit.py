from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.script.name import parameters
from bot.table import Page, PageChange, PageError, add_row, read_page
from bot.table.judge import judge
from tests.table.factories import all_pages, make, page, script_url

SIZES = ["0.5b", "1.5b", "7b", "8b", "72b", "405b", "671b", "1t"]


def reread(change: PageChange) -> Page:
    return read_page(change.text, change.edit.path)


def pure_insertion(before: str, after: str) -> bool:
    """True when `after` is `before` with one stretch put in."""
    same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    top = min(len(before), len(after)) if same is None else same
    return before[top:] == "" or after.endswith(before[top:])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", all_pages())
def test_a_second_call_changes_nothing(name: str, size: str) -> None:
    before = page(name)
    change = add_row(before, make(size), size=size)
    assert change.edit.action == "add"
    again = add_row(reread(change), make(size), size=size)
    assert again.edit.action == "none"
    assert again.text == change.text
    assert again.edit.patch == ""
    assert again.edit.rst == change.edit.rst


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", all_pages())
def test_docutils_has_nothing_new_to_say(name: str, size: str) -> None:
    before = page(name)
    change = add_row(before, make(size), size=size)
    new = judge(change.text, "page.rst")
    assert new.warnings() <= judge(before.text, "page.rst").warnings()
    rows = Counter(row for table in new.tables for row in table if row[1].text.startswith("Qwen3-"))
    assert list(rows.values()) == [1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["english.rst", "chinese.rst", "crlf.rst"])
def test_a_valid_page_stays_without_any_warning(name: str) -> None:
    text = page(name).text
    for size in SIZES:
        text = add_row(read_page(text, name), make(size), size=size).text
        assert not judge(text, name).warnings()


@pytest.mark.parametrize("size", ["7B", "8B", "405B"])
@pytest.mark.parametrize("name", ["english.rst", "chinese.rst", "lost_headings.rst"])
def test_patch(name: str, size: str, snapshot: SnapshotAssertion) -> None:
    change = add_row(page(name), make(size.lower()), size=size)
    assert (change.edit.action, change.edit.section) == ("add", size)
    assert change.edit.patch == snapshot


@pytest.mark.parametrize("size", ["1.5B", "2B", "30B"])
def test_patch_of_a_page_in_another_form(size: str, snapshot: SnapshotAssertion) -> None:
    """CRLF, dash rows of star cells, no Contributor, no last line end, a heading without table."""
    change = add_row(page("crlf.rst"), make(size.lower()), size=size)
    assert change.edit.patch == snapshot
    assert change.text.count("\n") == change.text.count("\r\n")
    assert change.text.endswith(page("crlf.rst").text[-24:]) or size == "30B"
    assert not change.text.endswith("\n")


def test_a_row_goes_behind_the_last_one_of_its_section() -> None:
    first = add_row(page("english.rst"), make(name="a.sh"), size="7b")
    second = add_row(reread(first), make(name="b.sh"), size="7B")
    files = [row.file_name for section, row in reread(second).rows() if section.size == "7B"]
    assert files[-2:] == ["a.sh", "b.sh"]
    assert len(files) == 4
    assert pure_insertion(first.text, second.text)


def test_a_size_within_another_section_joins_its_rows() -> None:
    """72B has no section of its own; a row of that size stands under 70B."""
    change = add_row(page("english.rst"), make("72b"), size="72b")
    assert change.edit.section == "70B"
    lost = add_row(page("lost_headings.rst"), make("72b"), size="72b")
    assert lost.edit.section == "70B"


@pytest.mark.slow
@pytest.mark.parametrize("name", all_pages())
def test_new_sections_stand_in_the_order_of_sizes(name: str) -> None:
    found = page(name)
    for size in ["8b", "0.6b", "1.7b", "32b", "480b", "1t", "135m"]:
        found = reread(add_row(found, make(size), size=size))
    values = [parameters(s.size) for s in found.sections if s.size]
    assert all(a < b for a, b in pairwise(values))
    assert len(values) >= 8


def test_a_new_section_leaves_prose_and_labels_with_their_own() -> None:
    change = add_row(page("crlf.rst"), make("7b"), size="7b")
    order = ["Notes on the runs", "\n7B\r\n---\r\n", "Qwen3-7B", ".. _large:", "30B-A3B"]
    places = [change.text.index(text) for text in order]
    assert places == sorted(places)


def test_a_row_of_the_same_script_is_replaced(snapshot: SnapshotAssertion) -> None:
    name = "qwen2.5-7b_grpo-lora_1_h100_fsdp_vllm.sh"
    row = make("7b", model="Qwen2.5-7B", name=name, max_batch="112")
    change = add_row(page("english.rst"), row, size="7b")
    assert change.edit.action == "replace"
    assert change.edit.patch == snapshot
    files = [row.file_name for _, row in reread(change).rows()]
    assert files == [row.file_name for _, row in page("english.rst").rows()]


def test_a_new_commit_alone_is_a_replacement() -> None:
    before = reread(add_row(page("english.rst"), make(), size="7b"))
    moved = script_url("qwen3-7b_grpo_8_h20_fsdp_vllm.sh", "7b", commit="f" * 40)
    change = add_row(before, make(link=moved), size="7b")
    assert change.edit.action == "replace"
    changed = [line for line in change.edit.patch.splitlines()[3:] if line[0] in "+-"]
    assert len(changed) == 2
    assert all("qwen3-7b_grpo_8_h20_fsdp_vllm.sh <" in line for line in changed)


def test_a_row_is_replaced_where_it_stands() -> None:
    """The script's own size says 72B, the row stands under 70B."""
    name = "qwen2.5-72b_grpo-lora_8_h100_fsdp_vllm.sh"
    change = add_row(page("lost_headings.rst"), make("72b", name=name), size="72b")
    assert (change.edit.action, change.edit.section) == ("replace", "70B")


def test_of_two_scripts_with_one_name_the_one_in_the_same_folder_is_replaced() -> None:
    text = page("english.rst").text
    old = "/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh"
    text = text.replace(old, "/0.5b/run.sh").replace(
        "/7b/qwen2.5-7b_grpo-lora_1_h100_fsdp_vllm.sh", "/7b/run.sh"
    )
    change = add_row(read_page(text, "page.rst"), make("7b", name="run.sh"), size="7b")
    assert (change.edit.action, change.edit.section) == ("replace", "7B")


def test_an_unknown_contributor_leaves_the_credit() -> None:
    before = reread(add_row(page("english.rst"), make(), size="7b"))
    same = add_row(before, make(contributor="\\"), size="7b")
    assert same.edit.action == "none"
    other = add_row(before, make(contributor="\\", max_batch="9"), size="7b")
    assert "`octocat <https://github.com/octocat>`_" in other.edit.rst


def test_a_link_name_in_use_gives_a_link_without_a_name() -> None:
    """`grace` and `Ada Lovelace` are links of the page already."""
    before = page("english.rst")
    ada = add_row(before, make(contributor="Ada Lovelace <other@example.org>"), size="7b")
    assert "`Ada Lovelace <other@example.org>`__" in ada.edit.rst
    same = add_row(before, make(contributor="Ada Lovelace <ada@example.org>"), size="7b")
    assert "`Ada Lovelace <ada@example.org>`_\n" in same.edit.rst + "\n"
    grace = add_row(before, make(contributor="grace"), size="7b")
    assert "`grace <https://github.com/grace>`_\n" in grace.edit.rst + "\n"
    link = make(name="run.sh")
    twice = add_row(
        reread(add_row(before, link, size="7b")),
        replace(link, link=script_url("run.sh?v=2", "8b"), model="Qwen3-8B"),
        size="8b",
    )
    assert twice.edit.action == "replace"
    assert "`run.sh?v=2" not in twice.edit.rst
    assert not judge(twice.text, "page.rst").warnings()


def test_two_links_of_one_name_in_one_row() -> None:
    change = add_row(page("english.rst"), make(name="octocat"), size="7b")
    assert change.edit.rst.count("`__") == 1
    assert "octocat <https://github.com/octocat>`__" in change.edit.rst


def test_hostile_cells_are_shown_and_nothing_else() -> None:
    evil = "x`_ | *a* \n\n.. raw:: html\n\n   <script>alert(1)</script>\n* - y"
    row = replace(make(), model=evil, tag=evil, infer=evil, contributor=evil)
    change = add_row(page("english.rst"), row, size="7b")
    assert pure_insertion(page("english.rst").text, change.text)
    assert len(change.edit.rst.splitlines()) == 9
    assert add_row(reread(change), row, size="7b").edit.action == "none"


@pytest.mark.parametrize(
    "link", ["examples/tuning/7b/run.sh", "javascript:alert(1)", "\\", "run_.sh"]
)
def test_a_link_that_is_no_address_stays_text(link: str) -> None:
    change = add_row(page("english.rst"), make(link=link, contributor="not a login!"), size="7b")
    assert "`_" not in change.edit.rst
    assert change.edit.action == "add"


def test_rows_of_backslashes_make_room_for_the_first_row() -> None:
    text = page("english.rst").text
    start, end = text.index("    * - MIN\n      - Qwen2-7B"), text.index("\n70B")
    empty = text[:start] + "    * - \\\n" + "      - \\\n" * 8 + text[end:]
    change = add_row(read_page(empty, "page.rst"), make(), size="7b")
    assert [row.text("model") for s, row in reread(change).rows() if s.size == "7B"] == ["Qwen3-7B"]
    assert change.text == text[:start] + change.edit.rst + "\n" + text[end:]


def test_a_filled_grid_keeps_its_rows() -> None:
    text = (
        "8B\n~~\n\n.. table:: Small\n   :align: left\n\n"
        "   ======== ==== ========= ========================\n"
        "   model    task resource  link\n"
        "   ======== ==== ========= ========================\n"
        "   Llama-8B GRPO \\         https://example.org/a.sh\n"
        "   ======== ==== ========= ========================\n"
    )
    change = add_row(read_page(text, "page.rst"), make("8b"), size="8b")
    assert ".. list-table:: Small\n    :align: left\n" in change.text
    rows = [(r.text("model"), r.file_name) for _, r in reread(change).rows()]
    assert rows == [("Llama-8B", "a.sh"), ("Qwen3-8B", "qwen3-8b_grpo_8_h20_fsdp_vllm.sh")]
    swapped = add_row(read_page(text, "page.rst"), make("8b", name="a.sh"), size="8b")
    assert swapped.edit.action == "replace"
    assert [r.text("model") for _, r in reread(swapped).rows()] == ["Qwen3-8B"]


def test_a_new_table_takes_neither_title_nor_name_of_its_pattern() -> None:
    text = page("english.rst").text.replace(
        ".. list-table::\n", ".. list-table:: Small models\n    :name: small\n", 1
    )
    change = add_row(read_page(text, "page.rst"), make("0.6b"), size="0.6b")
    assert change.text.count("Small models") == change.text.count(":name:") == 1
    assert judge(change.text, "p").warnings() == judge(text, "p").warnings()


def test_a_page_of_grids_alone_gets_headers_in_its_language() -> None:
    text = page("chinese.rst").text
    grids = text[text.index("405B") :]
    change = add_row(read_page(grids, "page.rst"), make("671b"), size="671b")
    assert "    * - 标签\n      - 模型\n" in change.text
    assert "      - 贡献者\n    * - MIN\n" in change.text


def test_tabs_and_gaps_between_rows_are_kept() -> None:
    lines = [".. list-table::", "\t:header-rows: 1", ""]
    for row in (["Model", "Task", "Resource", "Link"], ["A-7B", "GRPO", "8*H20", "a.sh"]):
        lines += [f"\t* - {row[0]}", *(f"\t  - {cell}" for cell in row[1:]), " "]
    text = "\n".join(lines)
    change = add_row(read_page(text, "page.rst"), make(link="b.sh"), size="7b")
    new = "\t* - Qwen3-7B\n\t  - GRPO\n\t  - 8*H20\n\t  - b.sh\n"
    assert change.text == text[:-1] + " \n" + new + " "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Title\n=====\n\nText.\n", "has no section named after a model size"),
        ("", "has no section named after a model size"),
        (
            ".. list-table::\n\n * - Model\n   - Task\n   - Tag\n   - Link\n * - A-7B\n   - B\n",
            "The table at line 1 of page.rst cannot be edited: the row of line 7 has 2 cells",
        ),
    ],
)
def test_a_page_without_a_place_is_refused(text: str, message: str) -> None:
    with pytest.raises(PageError, match=message):
        add_row(read_page(text, "page.rst"), make(), size="7b")


def test_a_table_that_docutils_cannot_read_is_refused() -> None:
    """The option is none that a list-table has, so docutils shows no table at all."""
    text = page("english.rst").text.replace(":widths: auto", ":width-of-all: auto", 1)
    with pytest.raises(PageError, match="docutils does not read the tables as before"):
        add_row(read_page(text, "page.rst"), make("0.5b"), size="0.5b")


def test_a_size_must_be_one() -> None:
    with pytest.raises(PageError, match="'large' is no model size"):
        add_row(page("english.rst"), make(), size="large")
