"""Options of earlier releases: each is answered with what to do instead."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from bot.base.errors import UserError
from bot.base.messages import message

_OF_CHECKS = {
    "select": message("rlbot lint takes it"),
    "ignore": message("rlbot lint takes it"),
    "color": message("what this command prints has no colors"),
    "verbose": message("this command prints everything without it"),
}


class _RemovedOption(argparse.Action):
    def __init__(self, option_strings: list[str], dest: str, **more: Any) -> None:
        self._instead = more.pop("instead")
        super().__init__(option_strings, dest, nargs="?", **more)

    def __call__(self, *_values: Any, **_more: Any) -> None:
        """Raise UserError."""
        option = self.option_strings[0]
        raise UserError("{option} was removed: {instead}.", option=option, instead=self._instead)


def add_removed(parser: argparse.ArgumentParser, instead: Mapping[str, str]) -> None:
    """Answer options of earlier releases: the name of each, and what to do instead."""
    for option, text in instead.items():
        parser.add_argument(
            f"--{option}",
            action=_RemovedOption,
            default=argparse.SUPPRESS,
            help=argparse.SUPPRESS,
            instead=text,
        )


def add_removed_of_checks(parser: argparse.ArgumentParser) -> None:
    """Answer those that every command which reads scripts had once, with an effect or without."""
    add_removed(parser, _OF_CHECKS)
