"""`rlbot rule [ID]`: the rules' documentation."""

from __future__ import annotations

import argparse

from bot.commands.arguments import write

SUMMARY = "the rules' documentation"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", metavar="ID", nargs="?", help="a rule's id or name; all without one")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.rules._support.docs import page
    from bot.rules._support.registry import find, rules
    from bot.table.checks._support import docs as table_docs
    from bot.table.checks._support import registry as table

    if not arguments.id:
        metas = [rule.meta for rule in rules()] + [one.meta for one in table.checks()]
        lines = [f"{m.id}  {m.severity:<8} {m.slug:<24} {m.summary}" for m in metas]
        write("\n".join(lines))
        return 0
    check = table.find(arguments.id)
    write(table_docs.page(check.meta) if check else page(find(arguments.id).meta))
    return 0
