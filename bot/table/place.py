"""Where a row goes: the row it replaces, its section, the place of a new section."""

from __future__ import annotations

from bot.base.messages import message
from bot.script.name import parameters
from bot.table.lines import split_lines
from bot.table.parts import Page, PageError, PageRow, Section, file_name
from bot.table.rst import UNKNOWN_CELL


def same_script(page: Page, link: str, label: str) -> tuple[Section, PageRow] | None:
    """The row of the same script: of several the one in the same folder, then of the same size."""
    wanted = file_name(link) if link != UNKNOWN_CELL else None
    found = [(s, r) for s, r in page.rows() if wanted and r.file_name == wanted]

    def rank(pair: tuple[Section, PageRow]) -> tuple[bool, bool]:
        section, row = pair
        cell = row.cell("link")
        address = (cell.link.url if cell.link else cell.text) if cell else ""
        return _folder(address) != _folder(link), section.size != label

    return min(found, key=rank, default=None)


def contributor_in(page: Page, link: str) -> str:
    """Who the page names as the contributor of the script that `link` leads to; "" for nobody."""
    standing = same_script(page, link, "")
    return standing[1].text("contributor") if standing else ""


def _folder(address: str) -> str:
    return "/".join(address.split("?", 1)[0].split("/")[-2:-1])


def find_section(page: Page, label: str) -> Section | None:
    """The section of a size: by its own size, then by the sizes of its rows (72B under 70B).

    Of several sections of the size the last one with a table counts.
    """
    own = [s for s in page.sections if s.size == label]
    with_table = [s for s in own if s.table]
    by_rows = [s for s in page.sections if label in s.sizes]
    found = with_table[-1:] or own[-1:] or by_rows[:1]
    return found[0] if found else None


def place_of_new(page: Page, label: str) -> tuple[Section, int]:
    """The neighbour of a new section and the offset where it starts.

    Behind the last smaller section, else before the first larger one. Raises PageError for a page
    without any section.
    """
    sized = [(parameters(s.size), s) for s in page.sections if s.size]
    smaller = [s for value, s in sized if value < parameters(label)]
    larger = [s for value, s in sized if value > parameters(label)]
    if smaller:
        return smaller[-1], end_of(page, smaller[-1])
    if larger:
        return larger[0], start_of(page, larger[0])
    raise PageError(_no_place(page))


def without_place(page: Page) -> str | None:
    """Why no row can be put into a page, a sentence; None for one with a section of a size."""
    return None if any(section.size for section in page.sections) else _no_place(page)


def _no_place(page: Page) -> str:
    return message(
        "{path} has no section named after a model size and no table with the columns Tag, "
        "Model, Task, Resource; name the page that has, or add the first section by hand.",
        path=page.path,
    )


def start_of(page: Page, section: Section) -> int:
    """Where a section starts: at its heading, link targets above it included."""
    if section.heading:
        return _with_labels(page, section.heading.start)
    return section.table.start if section.table else 0


def end_of(page: Page, section: Section) -> int:
    """Where a section ends: before the next heading that is not below its own level.

    What stands between a table and a section without a heading may belong to either, so next to
    such a one a section ends with its table.
    """
    own = section.heading
    close = section.table.end if section.table else own.end if own else len(page.text)
    if own is None or not own.underline:
        return close
    index = page.sections.index(section)
    following = page.sections[index + 1] if index + 1 < len(page.sections) else None
    if following and (following.heading is None or not following.heading.underline):
        return close
    # Levels are numbered as docutils does: by the first appearance of each style.
    levels: list[tuple[str, bool]] = []
    for other in page.headings:
        if other.style not in levels:
            levels.append(other.style)
        if other.start > own.start and levels.index(other.style) <= levels.index(own.style):
            return _with_labels(page, other.start)
    return len(page.text)


def _with_labels(page: Page, at: int) -> int:
    """The start of the link targets (`.. _name:`) that stand right above a heading."""
    for line in reversed(split_lines(page.text[:at])):
        if line.text.startswith(".. _"):
            at = line.start
        elif not line.blank:
            break
    return at


def newline_at(page: Page, at: int) -> str:
    """The line end in use before an offset, else the page's first, else a plain one."""
    return line_end(page.text[:at]) or next(
        (line.newline for line in split_lines(page.text) if line.newline), "\n"
    )


def line_end(text: str) -> str:
    r"""The line end that a text ends in: `\r\n`, `\n`, `\r` or nothing."""
    if text.endswith("\r\n"):
        return "\r\n"
    return text[-1:] if text[-1:] in ("\n", "\r") else ""


def splice(page: Page, start: int, end: int, lines: str) -> str:
    """The page with `lines` in place of [start, end); one without a last line end keeps none."""
    before, after = page.text[:start], page.text[end:]
    if before and not line_end(before):
        lines = newline_at(page, start) + lines
    if not after and page.text and not line_end(page.text):
        lines = lines[: len(lines) - len(line_end(lines))]
    return before + lines + after
