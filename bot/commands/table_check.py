"""`rlbot table check PAGE`: the documentation page against its scripts, and the reverse."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.config import SCRIPT_NAMES, SCRIPT_SUFFIXES
from bot.base.errors import UserError
from bot.base.files import replace_file
from bot.commands.arguments import add_common, options_of
from bot.commands.configuration import config_of
from bot.commands.files import page_text, read_file
from bot.commands.output import notice, write, write_message
from bot.commands.result import CHECK_FORMATS, finish
from bot.commands.table_tree import page_history, page_root
from bot.commands.tree import files_below

if TYPE_CHECKING:
    from bot.check.page import CommitReader
    from bot.check.request import PageText
    from bot.report import PageReport
    from bot.table.mend import Mended


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "page", metavar="PAGE", help="the page, such as docs/perf/device_tuning.rst"
    )
    parser.add_argument(
        "--scripts",
        metavar="DIR",
        help="the folder of the scripts (default: those of the configuration, examples/tuning)",
    )
    parser.add_argument(
        "--fix", action="store_true", help="write the corrections that surely follow from a script"
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="with --fix or --diff: the other corrections too"
    )
    parser.add_argument(
        "--diff",
        action="store_true",
        help="print the corrections as a patch, and write nothing; the exit status is that of the "
        "page as it is",
    )
    add_common(parser, CHECK_FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check.page import Repository, check_page
    from bot.check.read import bounded
    from bot.check.request import PageText
    from bot.check.script import make_report
    from bot.report import Unchecked
    from bot.table import read_page, without_place

    if arguments.unsafe and not (arguments.fix or arguments.diff):
        raise UserError("--unsafe chooses what --fix or --diff does; give one of them.")
    if arguments.diff and arguments.format != "text":
        raise UserError(
            "--diff prints a patch; leave --format {format} out.", format=arguments.format
        )
    path = Path(arguments.page)
    page = PageText(path=path.as_posix(), text=page_text(path))
    config = config_of(arguments)
    with bounded(page.path):
        why = without_place(read_page(page.text, page.path))
    if why is not None:
        unread = make_report(
            [], unchecked=[Unchecked(check="page", reason=why)], language=config.language
        )
        return finish(unread, arguments)
    root = page_root(path, config.scripts)
    folders = [Path(arguments.scripts)] if arguments.scripts else [root / f for f in config.scripts]
    website, history, lasting = page_history(root)
    absent: dict[str, None] = {}
    repository = Repository(
        website=website,
        page=path.resolve().relative_to(root).as_posix(),
        scripts=_scripts(folders, root, asked=bool(arguments.scripts)),
        file=files_below(root),
        history=_noting(history, absent),
        lasting=lasting,
    )
    options = options_of(arguments, config)
    checked = check_page(page, repository, options)
    if arguments.fix or arguments.diff:
        mended = _mended(page, checked, unsafe=arguments.unsafe)
        if arguments.diff:
            return _show(page, checked, mended)
        if mended.text != page.text:
            replace_file(path, page.text.encode(), mended.text.encode())
            page = PageText(path=page.path, text=mended.text)
            checked = check_page(page, repository, options)
        _tell(mended, quiet=arguments.format != "text" or arguments.quiet)
    report = make_report([], pages=[checked], language=options.config.language)
    status = finish(report, arguments, {page.path: page.text})
    if absent and arguments.format == "text":
        write_message(
            "Commits that rows link to are not in this clone: git -C {root} fetch origin {commits}",
            root=shlex.quote(os.path.relpath(root)),
            commits=" ".join(absent),
        )
    return status


def _noting(history: CommitReader | None, absent: dict[str, None]) -> CommitReader | None:
    """The reader, which notes the commits that the clone lacks."""
    from bot.table.links import COMMIT

    if history is None:
        return None

    def reader(ref: str, path: str) -> bytes | None:
        try:
            return history(ref, path)
        except UserError:
            if COMMIT.match(ref):
                absent[ref] = None
            raise

    return reader


def _mended(page: PageText, checked: PageReport, *, unsafe: bool) -> Mended:
    from bot.table import read_page
    from bot.table.mend import mend

    wanted = [f for f in checked.findings if f.fix and (f.fix.safe or unsafe)]
    return mend(read_page(page.text, page.path), wanted)


def _show(page: PageText, checked: PageReport, mended: Mended) -> int:
    """Print the patch; returns the exit status of the page as it is."""
    from bot.check.script import make_report
    from bot.render.patch import patch
    from bot.report import exit_status

    write(patch(page.path, page.text.encode(), mended.text.encode()))
    if mended.text == page.text:
        notice("There is nothing to correct.")
    return exit_status(make_report([], pages=[checked]))


def _tell(mended: Mended, *, quiet: bool) -> None:
    if quiet:
        return
    for finding in mended.done:
        write_message(
            "corrected  line {line}: {title}",
            line=finding.line,
            title=finding.fix.title if finding.fix else "",
        )
    for finding, reason in mended.refused:
        write_message("not corrected  line {line}: {reason}.", line=finding.line, reason=reason)


def _scripts(folders: list[Path], root: Path, *, asked: bool) -> dict[str, bytes]:
    """The scripts below the folders, by their path in the repository."""
    found: dict[str, bytes] = {}
    for folder in folders:
        if not folder.is_dir():
            if asked:
                raise UserError("--scripts takes a folder; {folder} is none.", folder=folder)
            continue
        for file in sorted(folder.resolve().rglob("*")):
            if file.suffix not in SCRIPT_SUFFIXES:
                continue
            if not file.is_relative_to(root):
                raise UserError(
                    "{folder} does not lie in {root}, the repository of the page.",
                    folder=folder,
                    root=root,
                )
            if not file.is_dir():
                found[file.relative_to(root).as_posix()] = read_file(file)
    if not found:
        where = ", ".join(folder.as_posix() for folder in folders)
        raise UserError(
            "There is no script ({names}) below {where}; name the folder with --scripts.",
            names=SCRIPT_NAMES,
            where=where,
        )
    return found
