"""`rlbot pr`: the whole check of a pull request, from GitHub or a local branch."""

from __future__ import annotations

import argparse
import functools
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.config import SCRIPT_SUFFIXES, Config
from bot.base.errors import UserError
from bot.base.messages import plural_message
from bot.commands.arguments import add_common, options_of
from bot.commands.configuration import config_of, load_config
from bot.commands.output import notice
from bot.commands.result import CHECK_FORMATS, finish
from bot.commands.runs import RUN, add_offline, reading, run_of
from bot.commands.terminal import current

if TYPE_CHECKING:
    from bot.check.request import CheckOptions
    from bot.evidence.links import RunGiven
    from bot.github.client import Client
    from bot.github.local import LocalRepository
    from bot.report import Report
    from bot.review.check import CheckRequest

_NAMED = 5
"""Files that a notice names."""
SUMMARY = "the whole check of a pull request, from GitHub or a local branch"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "pull",
        nargs="?",
        metavar="OWNER/REPO#N",
        help="a pull request on GitHub, also by its address; needs GITHUB_TOKEN",
    )
    parser.add_argument(
        "--base", metavar="REF", help="check a local branch: branch or commit to merge into"
    )
    parser.add_argument(
        "--head", metavar="REF", help="with --base: branch or commit to check (default: HEAD)"
    )
    parser.add_argument(
        "--repo", metavar="FOLDER", help="with --base: the repository (default: here)"
    )
    parser.add_argument(
        "--publish",
        action="store_true",
        help="post the result on the pull request: comment, check run, suggestions",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="say what --publish would write, and write nothing",
    )
    parser.add_argument(
        "--run",
        metavar=f"[SCRIPT=]{RUN}",
        action="append",
        default=[],
        help="a run (default: the link in a script's comment); with several scripts name the one "
        "that it belongs to; repeat it for several sources of one run",
    )
    add_offline(parser)
    add_common(parser, ("markdown", *CHECK_FORMATS[:-1]))


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if (arguments.pull is None) == (arguments.base is None):
        raise UserError("Name a pull request, OWNER/REPO#NUMBER, or a local base with --base REF.")
    if arguments.pull is not None:
        return _on_github(arguments)
    if arguments.publish or arguments.dry_run:
        raise UserError("--publish and --dry-run take a pull request, OWNER/REPO#NUMBER.")
    from bot.github.local import LocalRepository
    from bot.review.check import check_change

    repository = LocalRepository(Path(arguments.repo or "."))
    change = repository.change(arguments.base, arguments.head or "HEAD")
    checked = check_change(change, _request(arguments))
    if not arguments.head:
        _note_uncommitted(repository, change.head, checked.config)
    if not (checked.touches or arguments.quiet):
        notice(
            "nothing to check: no script changed below {folders}; `scripts` in the .rlbot.yml of "
            "the base names other folders",
            folders=", ".join(checked.config.scripts),
        )
    status = finish(checked.report, arguments, checked.texts, checked.conversation)
    return _not_compared(arguments, checked.report) or status


def _not_compared(arguments: argparse.Namespace, report: Report) -> int:
    """Say that the change holds no script to compare a run with; the exit status where that is so.

    What is wrong with the change counts before it.
    """
    if not arguments.run or report.scripts or report.verdict == "fail":
        return 0
    notice(
        "--run was not compared: the change holds no tuning script; for one that it leaves as it "
        "is: rlbot verify SCRIPT --run {run}",
        run=shlex.quote(arguments.run[0]),
    )
    return 3


def _note_uncommitted(repository: LocalRepository, head: str, config: Config) -> None:
    """Name the scripts and the page that differ from what was checked."""
    files = repository.uncommitted(head, lambda path: config.owns(path) or path == config.page)
    if files:
        named = ", ".join(files[:_NAMED]) + (", …" if len(files) > _NAMED else "")
        notice("checked as committed; the working tree differs in {files}", files=named)


def _on_github(arguments: argparse.Namespace) -> int:
    from bot.base.secrets import Secret
    from bot.github.addresses import Addresses
    from bot.github.client import client_of
    from bot.github.pull import parse_pull
    from bot.github.remote import read_change
    from bot.review.check import check_change
    from bot.review.pull import answer_pull

    if arguments.head or arguments.repo:
        raise UserError("--head and --repo are for a local branch; a pull request has its own.")
    pull = parse_pull(arguments.pull, Addresses.of(os.environ).server)
    token = Secret(os.environ.get("GITHUB_TOKEN", ""))
    if not token:
        raise UserError(
            "GITHUB_TOKEN is not set; GitHub answers these questions only with a token. "
            "`export GITHUB_TOKEN=$(gh auth token)` takes the one of GitHub's own command."
        )
    client = client_of(token)
    request = _request(arguments)
    if not (arguments.publish or arguments.dry_run):
        checked = check_change(read_change(client, pull), request)
        _count(client, arguments)
        status = finish(checked.report, arguments, checked.texts, checked.conversation)
        return _not_compared(arguments, checked.report) or status
    if arguments.dry_run:
        client.dry_run = []
    done = answer_pull(read_change(client, pull), request)
    status = finish(done.checked.report, arguments, done.checked.texts, done.checked.conversation)
    for call in client.dry_run or ():
        notice("would send {call}", call=call)
    if client.dry_run == []:
        notice("nothing would be written")
    for sentence in done.published.notes:
        notice(sentence)
    _count(client, arguments)
    if done.published.superseded:
        notice(
            "{pull} moved on while it was checked; nothing is posted for {head}",
            pull=pull,
            head=done.pull.head[:12],
        )
        return 3
    return _not_compared(arguments, done.checked.report) or status


def _count(client: Client, arguments: argparse.Namespace) -> None:
    if arguments.verbose:
        writes = sum(sent.write for sent in client.log)
        notice(
            plural_message(
                "{count} request read from GitHub, {writes} wrote to it",
                "{count} requests read from GitHub, {writes} wrote to it",
                len(client.log) - writes,
                writes=writes,
            )
        )


def _request(arguments: argparse.Namespace) -> CheckRequest:
    from bot.review.check import CheckRequest

    def options(config: Config) -> CheckOptions:
        how = reading(arguments.offline, config)
        return options_of(arguments, config, evidence="required", **how)

    # What is published never follows the terminal.
    published = arguments.publish or arguments.dry_run
    config = None
    if arguments.config:
        config = load_config(arguments.config) if published else config_of(arguments)
    return CheckRequest(
        options=options,
        config=config,
        unstated="en" if published or arguments.format != "text" else current(),
        runs=functools.partial(_runs, arguments.run),
    )


def _runs(
    given: Sequence[str], scripts: Sequence[str], options: CheckOptions
) -> dict[str, RunGiven]:
    """Which run belongs to which script; raises UserError where that is not clear."""
    from bot.review.runs import named_script

    texts: dict[str, list[str]] = {}
    for text in given:
        named, equals, folder = text.partition("=")
        if equals and named.endswith(SCRIPT_SUFFIXES):
            texts.setdefault(named_script(named, scripts), []).append(folder)
        elif len(scripts) == 1:
            texts.setdefault(scripts[0], []).append(text)
        elif scripts:
            raise UserError(
                "--run: the change holds {count} tuning scripts; write SCRIPT.sh={run}.",
                count=len(scripts),
                run=RUN,
            )
    return {script: run_of(of_script, options) for script, of_script in texts.items()}
