"""The documentation page: its rows, and the edit that adds one."""

from bot.table.edit import PageChange, add_row
from bot.table.page import read_page
from bot.table.parts import Page, PageError
from bot.table.place import contributor_in, without_place
from bot.table.row import RowDetails, make_row

__all__ = [
    "Page",
    "PageChange",
    "PageError",
    "RowDetails",
    "add_row",
    "contributor_in",
    "make_row",
    "read_page",
    "without_place",
]
