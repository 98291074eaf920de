"""What docutils makes of a page: its complaints, its tables, its link names.

docutils is the parser under Sphinx, so its word on a page is what the documentation build will say.
Nothing the page names is opened: file insertion and raw output are off, and no configuration file
is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from bot.base.deadline import DeadlineError, deadline
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.table.parts import PageError

if TYPE_CHECKING:
    from docutils import nodes


class Shown(NamedTuple):
    """What a cell shows."""

    text: str
    links: tuple[str, ...] = ()
    """Where its links lead."""


ShownRow: TypeAlias = tuple[Shown, ...]
ShownTable: TypeAlias = tuple[ShownRow, ...]
"""Rows, the header's first."""

_SECONDS: Final = 4
"""Of processor time. A page of the largest size that is edited takes two; docutils itself has no
bound on substitutions that double."""

WARNING = 2
"""docutils' level from which a documentation build reports a message. Below it stand remarks
such as those on the page's own backslash cells and repeated contributors."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One page as docutils reads it."""

    messages: Counter[tuple[int, str]]
    """Level (1 remark, 2 warning, 3 error, 4 severe) and text, without lines, which an edit
    moves."""
    tables: tuple[ShownTable, ...]
    """Every table, in the page's order."""
    names: Mapping[str, str | None]
    """Link and section names, normalised as docutils compares them, to the address they lead to;
    None where they lead elsewhere or to several addresses."""

    def warnings(self) -> Counter[tuple[int, str]]:
        """The messages that a documentation build reports."""
        return Counter({m: n for m, n in self.messages.items() if m[0] >= WARNING})


def link_name(text: str) -> str:
    """The name that docutils gives a link with this text."""
    return " ".join(text.lower().split())


def judge(text: str, path: str) -> Judgement:
    """Parse a page as Sphinx's parser would.

    Raises PageError when that takes too long, or the page is nested too deeply for docutils.
    """
    judged = _judged(text, path)
    if isinstance(judged, str):
        raise PageError(judged)
    return judged


@lru_cache(maxsize=4)
def _judged(text: str, path: str) -> Judgement | str:
    """The judgement, or why there is none; each script of a change asks for the same page."""
    try:
        with deadline(_SECONDS):
            return _parsed(text, path)
    except DeadlineError:
        return message(
            "docutils takes more than {count} seconds to read {path}; simplify the page.",
            count=_SECONDS,
            path=path,
        )
    except RecursionError:
        return message("{path} is nested too deeply for docutils; simplify the page.", path=path)
    except MemoryError:
        raise
    except Exception as error:
        # Its transforms fail on some references: a page that nobody could build.
        return message(
            "docutils fails on {path} ({kind}); simplify its references and substitutions.",
            path=path,
            kind=type(error).__name__,
        )


def _parsed(text: str, path: str) -> Judgement:
    from docutils import nodes
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser
    from docutils.readers.standalone import Reader
    from docutils.utils import new_document

    parser = Parser()
    reader: Reader[Any] = Reader(parser)
    settings = get_default_settings(Parser, Reader)
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.report_level = 1
    settings.halt_level = 5
    settings.warning_stream = False
    settings.syntax_highlight = "none"
    document = new_document(path, settings)
    found: list[nodes.system_message] = []
    document.reporter.attach_observer(found.append)
    parser.parse(text, document)
    # References are resolved, and their faults found, by the transforms.
    document.transformer.populate_from_components((reader, parser))
    document.transformer.apply_transforms()
    # docutils also puts its remarks into the page, even into cells.
    for remark in list(document.findall(nodes.system_message)):
        remark.parent.remove(remark)
    return Judgement(
        messages=Counter((m["level"], m.children[0].astext()) for m in found),
        tables=tuple(_shown_cells(table) for table in document.findall(nodes.table)),
        names={name: _address(document, name) for name in document.nameids},
    )


def _shown_cells(table: nodes.table) -> ShownTable:
    from docutils import nodes

    return tuple(
        tuple(
            Shown(
                entry.astext(),
                tuple(r["refuri"] for r in entry.findall(nodes.reference) if "refuri" in r),
            )
            for entry in row.findall(nodes.entry)
        )
        for row in table.findall(nodes.row)
    )


def _address(document: nodes.document, name: str) -> str | None:
    """Where a name leads, when it leads to an address."""
    identifier = document.nameids[name]
    node = document.ids.get(identifier) if identifier else None
    address = node.get("refuri") if node is not None else None
    return address if isinstance(address, str) else None
