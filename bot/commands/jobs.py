"""`rlbot jobs list|show|retry|purge`: the App's stored jobs, for its operator."""

from __future__ import annotations

import argparse
import os
import re
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from bot.base.errors import UserError
from bot.base.messages import message, plural_message
from bot.commands.arguments import number
from bot.commands.output import notice, write
from bot.render.escape import terminal
from bot.service.job import JobState

if TYPE_CHECKING:
    from bot.service.jobs import JobClient, JobStatus

SUMMARY = "the App's stored jobs: list, show, retry, purge"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(database=None)
    _add_database(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="jobs, newest first")
    listing.add_argument("--state", choices=get_args(JobState), action="append", default=[])
    listing.add_argument(
        "--limit",
        type=number(1_000_000),
        default=50,
        metavar="N",
        help="list at most this many (default: 50)",
    )
    show = actions.add_parser("show", help="one job with its fault")
    show.add_argument("id", metavar="ID", help="a job, as `list` names it")
    retry = actions.add_parser("retry", help="run failed jobs again, from their start")
    retry.add_argument("id", metavar="ID", nargs="*", help="jobs, as `list` names them")
    retry.add_argument("--failed", action="store_true", help="run all failed jobs again")
    purge = actions.add_parser("purge", help="delete old jobs that ended")
    purge.add_argument(
        "--older-than",
        default="90d",
        metavar="AGE",
        help="age of the jobs, such as 12h (default: 90d)",
    )
    purge.add_argument("--failed", action="store_true", help="delete failed jobs too")
    for action in (listing, show, retry, purge):
        _add_database(action)


def _add_database(parser: argparse.ArgumentParser) -> None:
    """Declare it before and behind the action; one that is not given leaves the other's value."""
    parser.add_argument(
        "--database",
        metavar="URL",
        default=argparse.SUPPRESS,
        help="the App's database (default: RLBOT_DATABASE_URL, else rlbot.sqlite here)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.service.database import parse_database
    from bot.service.jobs import JobClient
    from bot.service.settings import DEFAULT_DATABASE

    named = arguments.database or os.environ.get("RLBOT_DATABASE_URL") or DEFAULT_DATABASE
    database = parse_database(named)
    if arguments.database:
        database = replace(database, named_by="--database")
    if database.is_sqlite and not database.path.exists():
        raise UserError(
            "There is no database {path}. Name the App's with --database or RLBOT_DATABASE_URL.",
            path=database.path,
        )
    with closing(JobClient(database)) as client:
        return database.carry_out(lambda: _act(client, arguments))


def _act(client: JobClient, arguments: argparse.Namespace) -> int:
    if arguments.action == "list":
        write(listing(client.jobs(arguments.state, limit=arguments.limit)))
        return 0
    if arguments.action == "show":
        status = client.show(arguments.id)
        if status is None:
            raise UserError(
                'There is no job "{id}"; `rlbot jobs list` shows them.', id=arguments.id
            )
        write(details(status))
        return 0
    if arguments.action == "retry":
        failed = client.jobs(["failed"], limit=None) if arguments.failed else []
        ids = [*arguments.id, *(status.id for status in failed)]
        if not ids and not arguments.failed:
            raise UserError("Name the jobs to run again, or give --failed for all that failed.")
        again = [one for one in ids if client.retry(one)]
        for one in ids:
            if one not in again:
                notice("{id} is no job that failed or was cancelled", id=one)
        write(
            plural_message(
                "{again} of {count} job runs again.",
                "{again} of {count} jobs run again.",
                len(ids),
                again=len(again),
            )
        )
        return 0 if len(again) == len(ids) else 1
    states: list[JobState] = ["done", "cancelled"]
    if arguments.failed:
        states.append("failed")
    gone = client.purge(_age(arguments.older_than), states)
    write(plural_message("{count} job deleted.", "{count} jobs deleted.", gone))
    return 0


def listing(found: list[JobStatus]) -> str:
    """Jobs as a table of text."""
    if not found:
        return message("No jobs.")
    rows = [
        (_time(one.updated), one.state, one.outcome or one.error or "", one.id) for one in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in (1, 2)]
    return "\n".join(
        f"{when}  {state:{widths[0]}}  {terminal(what):{min(widths[1], 60)}.60}  {terminal(name)}"
        for when, state, what, name in rows
    )


def details(status: JobStatus) -> str:
    """One job, a line for each thing that is known of it."""
    job = status.job
    lines = {
        "job": status.id,
        "state": status.state,
        "outcome": status.outcome,
        "error": status.error,
        "pull request": f"{job.repository}#{job.number}" if job else None,
        "head": job.head if job else None,
        "delivery": job.delivery if job else None,
        "worker": status.worker,
        "created": _time(status.created),
        "updated": _time(status.updated),
    }
    width = max(map(len, lines))
    return "\n".join(f"{name:{width}}  {terminal(text)}" for name, text in lines.items() if text)


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))


def _age(text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if match is None:
        raise UserError(
            '--older-than takes a number with s, m, h or d, such as 90d; got "{text}".', text=text
        )
    return int(match[1]) * _UNITS[match[2]]
