"""`rlbot lint PATH…`: check scripts, or every script of a folder."""

from __future__ import annotations

import argparse

from bot.base.errors import UserError
from bot.commands.arguments import CHECK_FORMATS, add_common, config_of, finish, options_of
from bot.commands.fixing import add_fix, fix_scripts, wants_fix
from bot.commands.inputs import add_paths, scripts_of
from bot.commands.runs import add_offline
from bot.commands.tree import add_root, files_below, root_of

SUMMARY = "check scripts or folders"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    add_fix(parser)
    add_root(parser)
    add_offline(parser)
    add_common(parser, CHECK_FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check.script import check_script, make_report
    from bot.report import Unchecked

    fix = wants_fix(arguments)
    root = root_of(arguments.root)
    options = options_of(arguments, config_of(arguments), files=files_below(root) if root else None)
    scripts = scripts_of(arguments.paths, arguments.stdin_filename, root)
    if fix:
        return fix_scripts(scripts, options, arguments)
    reports, unchecked, sources = [], [], {}
    for script in scripts:
        if isinstance(script, UserError):
            unchecked.append(Unchecked(check="script", reason=str(script)))
            continue
        sources[script.path] = script.data.decode("utf-8", "replace")
        reports.append(check_script(script, options))
    return finish(
        make_report(reports, unchecked=unchecked, language=options.config.language),
        arguments,
        sources,
    )
