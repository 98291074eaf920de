"""Any page of the table's forms keeps every character that the edit does not own."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.script.name import parameters
from bot.table import Page, add_row, read_page
from bot.table.columns import COLUMNS, HEADERS, size_label
from bot.table.judge import judge
from tests.profiles import scaled
from tests.table.factories import make, script_url

SIZES = ["0.5B", "1.5B", "3B", "7B", "14B", "72B", "405B"]


@dataclass(frozen=True)
class Style:
    newline: str
    outer: str
    inner: str
    indent: str
    gap: bool
    trailing: str
    language: str
    underline: str
    contributor: bool


STYLES = st.builds(
    Style,
    newline=st.sampled_from(["\n", "\r\n"]),
    outer=st.sampled_from(["* ", "- ", "*   "]),
    inner=st.sampled_from(["- ", "* ", "+  "]),
    indent=st.sampled_from(["   ", "    ", "\t", "  "]),
    gap=st.booleans(),
    trailing=st.sampled_from(["", "    ", "\t"]),
    language=st.sampled_from(["en", "zh"]),
    underline=st.sampled_from(["~", "-", "^"]),
    contributor=st.booleans(),
)
CELLS = st.sampled_from(["MIN", "\\", "", "8*H20", "x y", "`a <https://example.org/a>`__"])


def table(style: Style, rows: list[list[str]]) -> list[str]:
    lines = [".. list-table::", f"{style.indent}:header-rows: 1", style.trailing]
    for row in rows:
        lead = style.indent + style.outer
        for cell in row:
            lines.append((lead + style.inner + cell).rstrip())
            lead = style.indent + " " * len(style.outer)
        if style.gap:
            lines.append("")
    return lines


@st.composite
def pages(draw: st.DrawFn) -> str:
    style = draw(STYLES)
    columns = COLUMNS if style.contributor else COLUMNS[:-1]
    names = HEADERS["zh" if style.language == "zh" else "en"]
    lines = ["Title", "=====", "", "Prose. ", ""]
    for size in sorted(draw(st.sets(st.sampled_from(SIZES), min_size=1)), key=parameters):
        headed = draw(st.booleans())
        lines += [size, style.underline * 4, ""] if headed else [f"# {size}", ""]
        if draw(st.integers(0, 4)) == 0:
            border = " ".join(["=" * 8] * len(columns))
            words = "  ".join(names[column] for column in columns)
            blank = " ".join("\\".ljust(8) for _ in columns).rstrip()
            grid = [border, words, border, blank, border]
            lines += [".. table::", "", *(f"   {line}" for line in grid)]
        else:
            rows = [[names[column] for column in columns]]
            for number in range(draw(st.integers(1, 3))):
                row = draw(st.lists(CELLS, min_size=len(columns), max_size=len(columns)))
                row[1] = f"Model-{size}"
                row[7] = f"`s{size}-{number}.sh <{script_url(f's{size}-{number}.sh', size)}>`_"
                rows.append(row)
            lines += table(style, rows)
        lines += draw(st.sampled_from([[""], ["", ""], ["", "More prose.", ""]]))
    text = style.newline.join(lines)
    return draw(st.sampled_from([text, text + style.newline, text.rstrip()]))


def sources(page: Page) -> list[tuple[str | None, tuple[str, ...]]]:
    return [(s.size, tuple(c.source for c in row.cells)) for s, row in page.rows()]


@settings(max_examples=scaled(35))
@given(pages(), st.sampled_from([*SIZES, "8B", "0.6B", "1T"]))
def test_the_edit_owns_the_row_and_nothing_else(text: str, size: str) -> None:
    before = read_page(text, "page.rst")
    row = make(size.lower())
    change = add_row(before, row, size=size)
    after = read_page(change.text, "page.rst")

    old, new = sources(before), sources(after)
    added = [entry for entry in new if entry not in old]
    assert len(new) == len(old) + 1
    assert [entry for entry in new if entry not in added] == old
    ((where, cells),) = added
    assert where == size_label(size)
    assert cells[1] == row.model
    assert [entry for entry in new if entry[0] == where][-1] == added[0]

    # Outside one stretch the two pages are the same; of the old one only a grid may be in it.
    top = next(
        (i for i, (a, b) in enumerate(zip(text, change.text, strict=False)) if a != b), len(text)
    )
    rest = min(len(text), len(change.text)) - top
    bottom = next((i for i in range(rest) if text[-1 - i] != change.text[-1 - i]), rest)
    grids = [s.table for s in before.sections if s.table and s.table.form == "grid"]
    if top < len(text) - bottom:
        assert any(g.start <= top and len(text) - bottom <= g.end for g in grids)
    assert change.text.count("\n") - change.text.count("\r\n") in (0, change.text.count("\n"))
    assert change.text.endswith("\n") == text.endswith("\n")

    again = add_row(after, row, size=size)
    assert (again.edit.action, again.text) == ("none", change.text)
    assert judge(change.text, "p").warnings() <= judge(text, "p").warnings()


@settings(max_examples=scaled(20))
@given(pages(), st.data())
def test_a_replacement_owns_the_lines_of_its_row(text: str, data: st.DataObject) -> None:
    before = read_page(text, "page.rst")
    standing = [(s, row) for s, row in before.rows() if row.file_name]
    if not standing:
        return
    section, old = data.draw(st.sampled_from(standing))
    assert section.size is not None
    row = make(section.size.lower(), name=old.file_name)
    change = add_row(before, row, size=section.size)
    assert change.edit.action == "replace"
    assert change.text.startswith(text[: old.start])
    assert change.text.endswith(text[old.end :])
    after = read_page(change.text, "page.rst")
    assert len(sources(after)) == len(sources(before))
    same = [(a, b) for a, b in zip(sources(before), sources(after), strict=True) if a != b]
    assert len(same) == 1
    assert add_row(after, row, size=section.size).edit.action == "none"
