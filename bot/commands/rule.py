"""`rlbot rule [ID]`: the rules' documentation."""

from __future__ import annotations

import argparse
from typing import Any

from bot.base.messages import Language, translation
from bot.commands.output import write
from bot.commands.terminal import current

SUMMARY = "the rules' documentation"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", metavar="ID", nargs="?", help="a rule's id or name; all without one")
    parser.add_argument("--lang", choices=("en", "zh"), help="language (default: the terminal's)")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.registry.base import Rule
    from bot.registry.docs import page, prose
    from bot.render.columns import padded
    from bot.rules._support.registry import RULES
    from bot.table.checks._support.registry import CHECKS

    language: Language = arguments.lang or current()
    if not arguments.id:
        rules: list[Rule[Any]] = [*RULES.rules, *CHECKS.rules]
        lines = [
            f"{r.meta.id}  {padded(translation(r.meta.severity, language), 8)} {r.slug:<24} "
            f"{prose(r, 'summary', language)}"
            for r in rules
        ]
        write("\n".join(lines))
        return 0
    rule = CHECKS.lookup(arguments.id) or RULES.find(arguments.id)
    write(page(rule, language))
    return 0
