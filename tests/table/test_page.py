from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.table import PageError, read_page
from bot.table.page import MAX_CHARACTERS
from tests.profiles import scaled
from tests.table.factories import all_pages, page


def sizes(name: str) -> list[tuple[str | None, int]]:
    return [(s.size, len(s.table.filled) if s.table else -1) for s in page(name).sections]


@pytest.mark.parametrize("name", ["english.rst", "chinese.rst"])
def test_sections_are_found_by_their_headings(name: str) -> None:
    assert sizes(name) == [("0.5B", 1), ("7B", 2), ("70B", 2), ("405B", 0), ("671B", 0)]


def test_sections_without_headings_are_found_by_their_rows() -> None:
    assert sizes("lost_headings.rst") == [
        ("0.5B", 1),
        ("7B", 2),
        ("14B", 1),
        ("70B", 2),
        ("405B", 0),
        (None, 0),
    ]
    lost = page("lost_headings.rst")
    assert [s.heading.title if s.heading else None for s in lost.sections] == [
        "0.5B",
        None,
        "14B",
        None,
        "405B",
        None,
    ]


def test_a_heading_without_a_table_is_a_section() -> None:
    assert sizes("crlf.rst") == [("1.5B", 1), ("30B", -1)]


def test_languages_and_forms() -> None:
    assert [s.table.language for s in page("chinese.rst").sections if s.table] == ["zh"] * 5
    assert [s.table.form for s in page("english.rst").sections if s.table] == [
        "list",
        "list",
        "list",
        "grid",
        "grid",
    ]


@pytest.mark.parametrize("name", all_pages())
def test_every_cell_stands_where_it_says(name: str) -> None:
    found = page(name)
    for section, row in found.rows():
        assert section.table is not None
        assert section.table.start < row.start < row.end <= section.table.end
        ends = [row.start]
        for cell in row.cells:
            assert found.text[cell.start : cell.end] == cell.source
            assert cell.start >= ends[-1]
            ends.append(cell.end)
        assert ends[-1] <= row.end


def test_cells_are_typed() -> None:
    _, row = list(page("english.rst").rows())[2]
    assert {c.column: c.text for c in row.cells} == {
        "tag": "MIN",
        "model": "Qwen2.5-7B",
        "task": "GRPO-LoRA",
        "resource": "1*H100",
        "max_batch": "100",
        "train": "fsdp",
        "infer": "vllm0.8.3",
        "link": "qwen2.5-7b_grpo-lora_1_h100_fsdp_vllm.sh",
        "contributor": "grace",
    }
    assert row.file_name == "qwen2.5-7b_grpo-lora_1_h100_fsdp_vllm.sh"
    assert row.size == "7B"


def test_other_forms_of_rows_are_read() -> None:
    """Star cells in dash rows, no Contributor, an empty cell, a link on two lines, CRLF."""
    _, row = next(page("crlf.rst").rows())
    assert [(c.column, c.text) for c in row.cells] == [
        ("tag", "MIN"),
        ("model", "Qwen2.5-1.5B"),
        ("task", "GRPO"),
        ("resource", "1*A100"),
        ("max_batch", "64"),
        ("train", "fsdp"),
        ("infer", ""),
        ("link", "qwen2.5-1.5b_grpo_1_a100_fsdp_vllm.sh"),
    ]
    assert row.file_name == "qwen2.5-1.5b_grpo_1_a100_fsdp_vllm.sh"


HEADER = "   * - Model\n     - Task\n     - Resource\n     - Link\n"
ROW = "   * - Qwen2.5-7B\n     - GRPO\n     - 8*H20\n     - x.sh\n"


def test_other_tables_are_left_alone() -> None:
    text = (
        ".. list-table::\n\n   * - Step\n     - Seconds\n   * - update\n     - 3\n\n"
        "Example::\n\n   .. list-table::\n\n" + HEADER.replace("   ", "      ") + "\n"
        "..\n   .. list-table::\n\n" + HEADER + "\n"
        ".. table::\n\n   ===== =====\n   a     b\n   ===== =====\n   1     2\n   ===== =====\n"
    )
    assert read_page(text, "page.rst").sections == ()


@pytest.mark.parametrize(
    ("heading", "size"),
    [
        ("7B\n~~~\n", "7B"),
        ("7b\n==\n", "7B"),
        ("0.5B  \n~~~\n", "0.5B"),
        ("====\n 7B\n====\n", "7B"),
        ("7B models\n---------\n", "7B"),
        ("30B-A3B\n-------\n", "30B"),
        ("## 14B\n", "14B"),
        ("# 1.5B\n\n~~~\n", "1.5B"),
        ("**72B**\n", "72B"),
        ("3B\n", "3B"),
        ("135M\n~~~~\n", "135M"),
        ("Overview\n--------\n", "9B"),
        (
            "How we tuned the 7B models of last year\n---------------------------------------\n",
            "9B",
        ),
        ("We train 7B here.\n", "9B"),
    ],
)
def test_headings(heading: str, size: str) -> None:
    """The row states 9B, which counts where the heading states no size."""
    text = f"{heading}\n.. list-table::\n\n{HEADER}{ROW.replace('Qwen2.5-7B', 'Model-9B')}"
    assert [s.size for s in read_page(text, "page.rst").sections] == [size]


def test_a_heading_below_the_size_divides_its_section() -> None:
    text = (
        "7B\n~~\n\nDense\n^^^^^\n\n.. list-table::\n\n" + HEADER + ROW + "\n"
        "Notes\n~~~~~\n\n.. list-table::\n\n" + HEADER + ROW.replace("-7B", "")
    )
    found = read_page(text, "page.rst").sections
    assert [(s.heading.title if s.heading else None, s.size) for s in found] == [
        ("7B", "7B"),
        (None, None),
    ]


def test_a_table_below_another_heading_is_not_the_sizes() -> None:
    text = "7B\n~~\n\nNothing yet.\n\nNotes\n~~~~~\n\n.. list-table::\n\n" + HEADER + ROW
    found = read_page(text.replace("-7B", "-9B"), "page.rst").sections
    assert [(s.size, s.table is not None) for s in found] == [("7B", False), ("9B", True)]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (HEADER + ROW + "   * - Qwen2.5-7B\n     - GRPO\n", "the row of line 11 has 2 cells"),
        (HEADER + ROW + "   text\n", "line 11 is no row and no cell"),
        (HEADER + ROW.replace("     - G", "    - G"), "line 8 is no row and no cell"),
    ],
)
def test_a_broken_table_says_where(body: str, problem: str) -> None:
    (section,) = read_page(".. list-table::\n\n" + body, "page.rst").sections
    assert section.table is not None
    assert problem in (section.table.problem or "")


def test_tabs_are_eight_columns() -> None:
    text = ".. list-table::\n\n" + (HEADER + ROW).replace("   * - ", "\t* - ").replace(
        "     - ", "\t  - "
    )
    (section,) = read_page(text, "page.rst").sections
    assert section.table is not None
    assert section.table.problem is None
    assert section.table.rows[0].leads == ("\t* - ", "\t  - ", "\t  - ", "\t  - ")


def test_a_grid_with_rows_is_read_by_its_columns() -> None:
    text = (
        ".. table::\n\n"
        "   ========== ==== ======== ====\n"
        "   模型       任务 资源     链接\n"
        "   ========== ==== ======== ====\n"
        "   Qwen3-8B   GRPO 8*H20    a.sh\n"
        "   \\\n"
        "   ========== ==== ======== ====\n"
    )
    (section,) = read_page(text, "page.rst").sections
    assert section.table is not None
    assert [[c.text for c in row.cells] for row in section.table.filled] == [
        ["Qwen3-8B", "GRPO", "8*H20", "a.sh"]
    ]
    assert section.table.problem is None
    assert section.size == "8B"


def test_an_overlong_page_is_refused() -> None:
    with pytest.raises(PageError, match="split the page"):
        read_page("x" * (MAX_CHARACTERS + 1), "page.rst")


PIECES = st.sampled_from(
    [
        ".. list-table::",
        ".. table::",
        "   :header-rows: 1",
        "   * - Model",
        "     - Task",
        "     - Resource",
        "     - Link",
        "   * -",
        "\t- x",
        "   ==== ==== ==== ====",
        "   model task resource link",
        "   \\    \\",
        "7B",
        "~~~",
        "# 7B",
        "",
        "  ",
        "7",
        ".. _a:",
        "\x85\u2028\x0c",
    ]
)


@settings(max_examples=scaled(300))
@given(st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=16), PIECES)
def test_any_text_can_be_read(lines: list[tuple[str, str]], last: str) -> None:
    text = "".join(a + b for a, b in lines) + last
    found = read_page(text, "page.rst")
    for section in found.sections:
        if section.table:
            for row in (section.table.header, *section.table.rows):
                assert text[row.start : row.end].strip()
                assert all(text[c.start : c.end] == c.source for c in row.cells)
