"""The code of a Jupyter notebook, laid out so that each line has its number in the file.

A notebook is JSON in which nbformat writes every line of a cell on a line of its own. In the texts
that are made here the same line holds that code alone, so that what is said of a line is found in
the file, and on GitHub. Python and shell are two texts of one length: where one has a line the
other is blank. IPython's `!command`, `%%bash` and `%%writefile` are shell.

Source of the format: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.files.named_files import bytes_of, text_of
from bot.frameworks.python.source import parsed
from bot.shell.source import CellLine

SUFFIX: Final = ".ipynb"
PROGRAMS: Final = (".py", SUFFIX)
"""How the names of files end that hold Python."""
LARGEST: Final = 1 << 24
"""Bytes of a notebook that is read; its pictures stand in it."""
_SOURCE: Final = regex(r'(?<!\\)"source"[ \t\r\n]{0,200}:[ \t\r\n]{0,200}')
_BETWEEN: Final = regex(r"[ \t\r\n,]{0,200}")
_MAGIC: Final = regex(r"([ \t]{0,200})(?:!!?|(%))")
_EXPORTED: Final = regex(rb"(?m)^[ \t]{0,200}[!%]")
_SHELL: Final = frozenset(("%%bash", "%%sh", "%%shell", "%%script bash", "%%script sh"))
_WRITES: Final = frozenset(("%%writefile", "%%file"))
_OF_PYTHON: Final = frozenset(("%%capture", "%%time", "%%timeit", "%%prun"))
_END: Final = "~"
"""The line behind a cell, which ends the file that the cell writes."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """What a notebook's cells of code hold, in texts with the same offsets."""

    python: str
    shell: str
    text: str
    """Both, as they are written."""
    cells: tuple[CellLine | None, ...]
    """Of each line of them whose it is."""


def is_notebook(path: str) -> bool:
    """Whether a path is that of a notebook."""
    return path.endswith(SUFFIX)


def python_of(files: Mapping[str, bytes], path: str) -> str:
    """The Python of a repository's file: a module's text, or that of a notebook's cells."""
    if not is_notebook(path):
        exported = read_export(bytes_of(files, path))
        return text_of(files, path) if exported is None else exported.python
    found = read_notebook(files.get(path, b""))
    return found.python if found is not None else ""


def cells_of(files: Mapping[str, bytes], path: str) -> tuple[CellLine | None, ...]:
    """Of each line of `python_of` of a notebook whose it is; nothing for another file."""
    found = read_notebook(files.get(path, b"")) if is_notebook(path) else None
    return found.cells if found is not None else ()


def cell_text(notebook: str, number: int) -> str:
    """The source of a cell, numbered from 1; empty where a notebook has none."""
    try:
        source = json.loads(notebook.removeprefix("\ufeff"))["cells"][number - 1]["source"]
        return "".join(source)
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""


def is_unfinished(data: bytes) -> bool:
    """Whether a notebook's text begins as JSON and is none: cut off, or with a merge's marks."""
    if not data.lstrip().startswith(b"{") or len(data) > LARGEST:
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return True
    return False


def read_notebook(data: bytes) -> Notebook | None:
    """The code of a notebook; None for what is none, or is larger than is read."""
    raw = data.decode("utf-8-sig", "replace") if len(data) <= LARGEST else ""
    python, shell, text = list[str](), list[str](), list[str]()
    places = list[CellLine | None]()
    try:
        for at, cell in _cells(raw):
            lines = [line for _, line in cell]
            split = zip(cell, *_split(lines), strict=True)
            for within, ((number, line), of_python, of_shell) in enumerate(split, start=1):
                every = (python, shell, text)
                for one in every:  # Up to the line's number, where it is not behind that already.
                    one += [""] * (number - len(one))
                places += [None] * (len(text) - len(places))
                last = within == len(lines)  # It is the blank behind the cell.
                places.append(None if last else CellLine(number + 1, at, within))
                python.append(of_python)
                shell.append(of_shell)
                text.append(line)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return _laid_out(python, shell, text, tuple(places))


def read_export(data: bytes) -> Notebook | None:
    """The code of a notebook that was saved as Python, with IPython's lines in it.

    None for what Python itself reads, and where it would not without those lines either.
    """
    if _EXPORTED.search(data) is None or len(data) > LARGEST:
        return None
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    lines = text.split("\n")
    cells = {line.partition(" ")[0].rstrip() for line in lines if line.startswith("%%")}
    if not cells <= _OF_PYTHON or parsed(text) is not None:
        return None  # Where another kind of cell ends is not known.
    python, shell = _line_by_line(lines)
    if (tree := parsed("\n".join(python))) is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)):  # A cell of text is a string.
            within = slice(node.lineno, node.end_lineno)
            shell[within] = [""] * len(shell[within])
    return _laid_out(python, shell, lines, ())


def _laid_out(
    python: Sequence[str],
    shell: Sequence[str],
    text: Sequence[str],
    cells: tuple[CellLine | None, ...],
) -> Notebook:
    """The texts of a notebook, of whose lines each is as long as its like in the others."""
    widths = [max(map(len, every)) for every in zip(python, shell, text, strict=True)]
    return Notebook(
        "\n".join(map(str.ljust, python, widths)),
        "\n".join(map(str.ljust, shell, widths)),
        "\n".join(map(str.ljust, text, widths)),
        cells,
    )


def _cells(raw: str) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Of each cell of code its number from 1, and its lines with theirs in the file from 0.

    Raises ValueError, LookupError or TypeError for what is no notebook.
    """
    sources = _sources(raw)
    for at, cell in enumerate(json.loads(raw)["cells"], start=1):
        whole = "".join(cell["source"])
        placed = next((found for found in sources if "".join(s for _, s in found) == whole), None)
        if cell["cell_type"] == "code" and whole:
            lines = [
                (number, line)
                for number, part in placed or [(0, whole)]
                for line in part.removesuffix("\n").split("\n")
            ]
            yield at, [*lines, (0, "")]


def _sources(raw: str) -> Iterator[list[tuple[int, str]]]:
    """Each value of a key `source`, as its texts with the numbers of their lines, from 0."""
    decode = json.JSONDecoder().raw_decode
    counted, line = 0, 0
    for found in _SOURCE.finditer(raw):
        at, parts = found.end(), list[tuple[int, str]]()
        several = raw.startswith("[", at)
        at = _behind_blanks(raw, at + several)
        while raw.startswith('"', at):
            line += raw.count("\n", counted, at)
            counted = at
            text, at = decode(raw, at)
            parts.append((line, text))
            at = _behind_blanks(raw, at) if several else len(raw)
        yield parts


def _behind_blanks(raw: str, at: int) -> int:
    found = _BETWEEN.match(raw, at)
    return found.end() if found is not None else at


def _split(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of a cell as Python and as shell; the last is empty, and ends a file it writes."""
    blank = [""] * len(lines)
    if parsed("\n".join(lines)) is not None:
        return list(lines), blank
    whole = lines[0].strip()
    magic, _, name = whole.partition(" ")
    if whole in _SHELL or magic in _SHELL:
        return blank, ["", *lines[1:]]
    if magic in _WRITES and "'" not in name:
        into = ">>" if name.startswith("-a ") else ">"
        written = name.removeprefix("-a ").strip()
        return blank, [f"cat {into}'{written}'<<'{_END}'", *lines[1:-1], _END]
    if magic.startswith("%%") and magic not in _OF_PYTHON:
        return blank, blank
    python, shell = _line_by_line(lines)
    return python if parsed("\n".join(python)) is not None else blank, shell


def _line_by_line(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines that IPython hands on as shell, and the others as Python."""
    python, shell, begun = list[str](), list[str](), list[str]()
    for line in lines:
        found = None if begun else _MAGIC.match(line)
        command = line if begun else _command(line, found) if found else ""
        python.append(f"{found[1]}0" if found else "" if begun else line)
        begun.append(command)
        if not command or not line.endswith("\\"):
            shell += _with_values("\n".join(begun)).split("\n")
            begun = []
    return python, shell + begun


def _command(line: str, found: re.Match[str]) -> str:
    """The shell's command of a line with a magic, in its place; empty where it is none of its."""
    before, rest = " " * found.end(), line[found.end() :]
    if not found[2]:
        return f"{before}{rest}"
    name, _, given = rest.partition(" ")
    if name in ("env", "set_env"):
        return f"{before}{exported}" if (exported := _export(given)) else ""
    return f"{before}cd {given}" if name == "cd" else ""


def _export(given: str) -> str:
    """What `%env NAME=VALUE` or `%env NAME VALUE` sets, which no shell expands; empty for neither.

    Source: OSMagics.env of IPython/core/magics/osm.py.
    """
    name, _, value = (part.strip() for part in given.partition("=" if "=" in given else " "))
    return f"export {name}={shlex.quote(value)}" if name.isidentifier() and value else ""


def _with_values(command: str) -> str:
    """A command in which what IPython puts a value for is unknown: `{lr}`, `{' '.join(args)}`.

    Where a part in braces is no expression, IPython leaves the whole command to the shell, whose
    own braces these are: `{1..3}`, `{ date; }`. `{a,b}` is taken for the shell's too.
    Source: DollarFormatter in IPython/utils/text.py, and InteractiveShell.var_expand.
    """
    from string import Formatter  # compiles a pattern for what is not used here

    try:
        parts = [*Formatter().parse(command)] if "{" in command else []
    except ValueError:
        return command
    shell, within = list[str](), ""
    for text, name, form, conversion in parts:
        shell.append(text)
        within = _quote_behind(text, within)
        if name is None:
            continue
        value = f"{name}:{form}" if form else name
        if text.endswith("$"):
            shell.append(f"{{{name}!{conversion}}}" if conversion else f"{{{value}}}")
        elif _is_expression(value):
            unknown = "`python`" + "\\\n" * value.count("\n")
            # In single quotes bash would take it literally.
            shell.append(f"'\"{unknown}\"'" if within == "'" else unknown)
        else:
            return command
    return "".join(shell) or command


def _is_expression(text: str) -> bool:
    try:
        return not isinstance(ast.parse(text.strip(), mode="eval").body, ast.Tuple)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _quote_behind(text: str, quote: str) -> str:
    """The quote in which what follows a text stands that begins in one; empty for none."""
    escaped = False
    for one in text:
        if escaped:
            escaped = False
        elif one == "\\" and quote != "'":
            escaped = True
        elif one in "'\"" and quote in ("", one):
            quote = "" if quote else one
    return quote
