"""`rlbot pr --base REF`: the whole check of a change, from a local branch; prints the comment."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.common import add_common, finish, load_config, options_of
from bot.commands.runs import RUN, add_offline, reading, run_of
from bot.errors import UserError

if TYPE_CHECKING:
    from bot.check import Options
    from bot.evidence.links import RunLink

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
        metavar=f"[SCRIPT=]{RUN}",
        action="append",
        default=[],
        help="a run (default: the link in a script's comment); with several scripts name the one "
        "that it belongs to",
    )
    add_offline(parser)
    add_common(parser, ("markdown", "text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check_change import check_change, configuration
    from bot.github.local import LocalRepository

    change = LocalRepository(Path(arguments.repo)).change(arguments.base, arguments.head)
    config = load_config(arguments.config) if arguments.config else None
    config = config or configuration(change)
    options = options_of(
        arguments, config, evidence="required", **reading(arguments.offline, config)
    )
    checked = check_change(
        change, options, config=config, runs=lambda scripts: _runs(arguments.run, scripts, options)
    )
    return finish(checked.report, arguments, checked.sources)


def _runs(
    given: Sequence[str], scripts: Sequence[str], options: Options
) -> dict[str, Path | RunLink]:
    """Which run belongs to which script; raises UserError where that is not clear."""
    runs: dict[str, Path | RunLink] = {}
    for text in given:
        named, equals, folder = text.partition("=")
        if equals and named.endswith(".sh"):
            matches = [path for path in scripts if path == named or path.endswith("/" + named)]
            if len(matches) != 1:
                count = "no" if not matches else "more than one"
                raise UserError(f'--run: the change holds {count} tuning script "{named}".')
            runs[matches[0]] = run_of(folder, options)
        elif len(scripts) == 1:
            runs[scripts[0]] = run_of(text, options)
        elif scripts:
            raise UserError(
                f"--run: the change holds {len(scripts)} tuning scripts; write SCRIPT.sh={RUN}."
            )
    return runs
