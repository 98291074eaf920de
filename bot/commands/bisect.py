"""`rlbot bisect plan|read SCRIPT`: the runs that find the largest batch, and what they found."""

from __future__ import annotations

import argparse

SUMMARY = "the largest batch: the series of runs that finds it, and what the finished runs say"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from bot.commands import bisect_plan, bisect_read

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    bisect_plan.add(
        actions.add_parser(
            "plan",
            help="write the scripts, or a W&B sweep, that bisect the predicted band",
            description=bisect_plan.__doc__,
        )
    )
    bisect_read.add(
        actions.add_parser(
            "read",
            help="read the finished runs: the bracket, the next run, the trial log",
            description=bisect_read.__doc__,
        )
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.commands import bisect_plan, bisect_read

    if arguments.action == "plan":
        return bisect_plan.run(arguments)
    return bisect_read.run(arguments)
