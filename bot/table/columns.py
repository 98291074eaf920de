"""The columns of the tuning table and their names in the languages of the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from bot.script.name import model_size

Column: TypeAlias = Literal[
    "tag", "model", "task", "resource", "max_batch", "train", "infer", "link", "contributor"
]
PageLanguage: TypeAlias = Literal["en", "zh"]

COLUMNS: tuple[Column, ...] = get_args(Column)
"""In the page's order."""

_DATA = json.loads(Path(__file__).with_name("columns.json").read_text(encoding="utf-8"))

HEADERS: dict[PageLanguage, dict[Column, str]] = _DATA["headers"]
"""What a new table's header says."""

_SYNONYMS: dict[str, Column] = _DATA["synonyms"]
_NAMES: dict[str, Column] = {
    **{name.casefold(): column for names in HEADERS.values() for column, name in names.items()},
    **_SYNONYMS,
}
_ENOUGH = 4
"""A header with so many known names, the model's among them, is the tuning table's."""


def column_of(header: str) -> Column | None:
    """The column that a header cell names, in any capitalisation; None for another one."""
    return _NAMES.get(_bare(header).casefold())


def columns_of(headers: list[str]) -> tuple[Column | None, ...] | None:
    """The columns of a header row; None when the table is not the tuning table.

    A name that stands twice counts where it stands first.
    """
    columns: list[Column | None] = []
    for header in headers:
        column = column_of(header)
        columns.append(None if column in columns else column)
    known = sum(column is not None for column in columns)
    return tuple(columns) if known >= _ENOUGH and "model" in columns else None


def language_of(headers: list[str]) -> PageLanguage:
    """The language of a header row."""
    chinese = {*HEADERS["zh"].values(), *_SYNONYMS}
    return "zh" if any(_bare(header) in chinese for header in headers) else "en"


def _bare(header: str) -> str:
    """A header without white space and the marks of emphasis."""
    return "".join(header.split()).strip("*`")


def size_label(text: str) -> str | None:
    """The size that a text states, as the page writes it: 7B for "Qwen2.5-7B"; None if none."""
    size = model_size(text)
    return size.upper() if size else None
