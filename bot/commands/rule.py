"""`rlbot rule [ID]`: the rules' documentation."""

from __future__ import annotations

import argparse

from bot.commands.common import write

SUMMARY = "the rules' documentation"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", metavar="ID", nargs="?", help="a rule's id or name; all without one")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.rules.docs import page
    from bot.rules.registry import find, rules

    if not arguments.id:
        lines = [
            f"{r.meta.id}  {r.meta.severity:<8} {r.meta.slug:<24} {r.meta.summary}" for r in rules()
        ]
        write("\n".join(lines))
        return 0
    write(page(find(arguments.id).meta))
    return 0
