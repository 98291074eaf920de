"""`rlbot pr --base REF`: the whole check of a change, from a local branch; prints the comment."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.common import add_common, finish, options_of
from bot.errors import UserError

if TYPE_CHECKING:
    from bot.frameworks import ConfigTree
    from bot.github.local import LocalRepository

TREE = "verl/trainer/config"

SUMMARY = "the whole check of a pull request, from a local branch"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--base", metavar="REF", required=True, help="branch or commit to merge into"
    )
    parser.add_argument("--head", metavar="REF", default="HEAD", help="branch or commit to check")
    parser.add_argument(
        "--repo", metavar="FOLDER", default=".", help="the repository (default: here)"
    )
    parser.add_argument(
        "--run",
        metavar="[SCRIPT=]PATH",
        action="append",
        default=[],
        help="a run folder; with several scripts name the one that it belongs to",
    )
    add_common(parser, ("markdown", "text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from urllib.parse import quote

    from bot.check import PageText, Script, check_script, make_report
    from bot.config import FILE_NAME, Config, parse_config
    from bot.github.local import LocalRepository
    from bot.report import Change, Unchecked

    repository = LocalRepository(Path(arguments.repo))
    base = repository.commit(arguments.base)
    if arguments.config:
        from bot.commands.common import load_config

        config = load_config(arguments.config)
    else:
        # From the base: a change cannot relax the rules that it is checked by.
        stored = repository.blob(base, FILE_NAME)
        origin = f"{FILE_NAME} of {arguments.base}"
        config = parse_config(stored, origin) if stored is not None else Config()
    change = repository.change(arguments.base, arguments.head, config.owns)
    runs = _runs(arguments.run, [file.path for file in change.files])
    page = None
    unchecked = []
    if config.page:
        stored = repository.blob(change.head, config.page)
        try:
            page = PageText(path=config.page, text=stored.decode("utf-8")) if stored else None
        except UnicodeDecodeError:
            unchecked.append(Unchecked(check="page", reason=f"{config.page} is not UTF-8."))
    options = options_of(arguments, config, evidence="required")
    if change.files and not options.trees and "verl" not in options.versions:
        options = replace(options, trees=_own_tree(repository, change.head))
    reports, sources = [], {}
    for file in change.files:
        if file.data is None:
            unchecked.append(Unchecked(check=file.path, reason=file.reason))
            continue
        sources[file.path] = file.data.decode("utf-8", "replace")
        link = None
        if change.repository_url:
            link = f"{change.repository_url}/blob/{change.head}/{quote(file.path)}"
        script = Script(path=file.path, data=file.data, link=link, contributor=file.contributor)
        reports.append(check_script(script, options, run=runs.get(file.path), page=page))
    report = make_report(
        reports,
        unchecked=unchecked,
        change=Change(base=change.base, head=change.head),
    )
    return finish(report, arguments, sources)


def _own_tree(repository: LocalRepository, head: str) -> dict[str, ConfigTree]:
    """The configuration of verl that the change itself holds, which its scripts will meet."""
    from bot.frameworks import tree_table

    files = repository.below(head, TREE, ".yaml")
    return {"verl": tree_table(files, f"this change, {TREE}")} if files else {}


def _runs(given: list[str], scripts: list[str]) -> dict[str, Path]:
    """Which run belongs to which script; raises UserError where that is not clear."""
    runs: dict[str, Path] = {}
    for text in given:
        named, equals, folder = text.partition("=")
        if equals and named.endswith(".sh"):
            matches = [path for path in scripts if path == named or path.endswith("/" + named)]
            if len(matches) != 1:
                count = "no" if not matches else "more than one"
                raise UserError(f'--run: the change holds {count} tuning script "{named}".')
            runs[matches[0]] = Path(folder)
        elif len(scripts) == 1:
            runs[scripts[0]] = Path(text)
        elif scripts:
            raise UserError(
                f"--run: the change holds {len(scripts)} tuning scripts; write SCRIPT.sh=PATH."
            )
    return runs
