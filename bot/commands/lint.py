"""`rlbot lint PATH…`: check scripts, or every script of a folder."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.base.messages import enumeration
from bot.commands.arguments import add_common, add_gpus, number, tree_at
from bot.commands.files import read_file
from bot.commands.fixing import add_fix, fix_scripts, wants_fix
from bot.commands.inputs import add_paths, each_script, scripts_with_options
from bot.commands.output import notice
from bot.commands.result import CHECK_FORMATS, finish
from bot.commands.runs import add_offline
from bot.commands.script_arguments import add_script_arguments, script_words
from bot.commands.tree import add_root
from bot.frameworks.python.notebook import cell_text
from bot.render.places import cell_key
from bot.script.name import is_recipe

if TYPE_CHECKING:
    from bot.check.request import CheckOptions, ScriptFile
    from bot.report import ScriptReport, Unchecked

SUMMARY = "check scripts or folders"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    add_fix(parser)
    parser.add_argument(
        "--was",
        metavar="OLD_TREE",
        help="report only what is newly wrong since the framework's configuration was that of "
        "this checkout, by setting",
    )
    add_root(parser)
    add_offline(parser)
    add_script_arguments(parser)
    add_common(parser, CHECK_FORMATS)
    add_gpus(parser)
    parser.add_argument(
        "--jobs",
        type=number(256),
        metavar="N",
        help="processes for many scripts (default: one for each processor)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check.script import check_script, make_report

    fix = wants_fix(arguments)
    words = script_words(arguments)
    named, options, unchecked = scripts_with_options(arguments, script_arguments=words)
    scripts = list(named)
    recipes = frozenset(script.path for script in scripts if is_recipe(script.path))
    shown = arguments.format != "text" or arguments.verbose or bool(options.versions)
    options = replace(options, recipes=recipes, launches=shown, gpus=arguments.gpus)
    if arguments.was is not None:
        if fix:
            raise UserError("--was goes with neither --fix nor --diff.")
        return compare_scripts(scripts, options, arguments, unchecked)
    if fix:
        return fix_scripts(scripts, options, arguments, unchecked)
    sources: dict[str, str] = {}

    def noted() -> Iterator[ScriptFile]:
        for script in scripts:
            sources[script.path] = script.data.decode("utf-8", "replace")
            yield script

    check = partial(check_script, options=options)
    reports = list(each_script(check, noted(), unchecked, jobs=arguments.jobs))
    _say_what_starts(reports, options.versions)
    for finding in (found for report in reports for found in report.findings):
        if finding.path not in sources:  # A file that a script names.
            sources[finding.path] = read_file(Path(finding.path)).decode("utf-8", "replace")
        if finding.cell is not None:
            number = finding.cell.number
            sources[cell_key(finding.path, number)] = cell_text(sources[finding.path], number)
    return finish(
        make_report(reports, unchecked=unchecked, language=options.config.language),
        arguments,
        sources,
    )


def _say_what_starts(reports: Iterable[ScriptReport], asked: Iterable[str]) -> None:
    """Say which framework of `--framework` no script starts: another one may be meant."""
    from bot.frameworks.settings.releases import releases

    started = {launch.framework for report in reports for launch in report.launches}
    for name in asked:
        if started and name not in started:
            notice(
                "--framework: no script that was read starts {name}. They start {others}: give the "
                "release of that, such as --framework {other}@{release}.",
                name=name,
                others=enumeration(sorted(started)),
                other=min(started),
                release=releases(min(started))[-1],
            )


def compare_scripts(
    scripts: Sequence[ScriptFile],
    options: CheckOptions,
    arguments: argparse.Namespace,
    unchecked: list[Unchecked],
) -> int:
    """Read each script under both configurations; returns the exit status."""
    from bot.check.configuration_change import configuration_change, script_change, with_change
    from bot.check.script import make_report

    before = _before(options, Path(arguments.was))
    _refuse_no_configuration(scripts, options)
    check = partial(script_change, before=before, after=options)
    changes = list(each_script(check, scripts, unchecked, jobs=arguments.jobs))
    report = make_report((), unchecked=unchecked, language=options.config.language)
    report = with_change(report, configuration_change(changes))
    return finish(report, arguments)


def _refuse_no_configuration(scripts: Iterable[ScriptFile], options: CheckOptions) -> None:
    """Raise UserError where nothing says which configuration has come in the place of the old."""
    place = options.place
    places = (place(script) for script in scripts) if place is not None else ()
    if not (
        options.trees
        or options.versions
        or any(found is not None and found.checkout.vendors for found in places)
    ):
        raise UserError(
            "--was compares with the configuration of the working tree, and none is there: run it "
            "in a checkout of the framework, or name the new configuration with --framework-tree "
            "or --framework."
        )


def _before(options: CheckOptions, old: Path) -> CheckOptions:
    """The options with the old configuration: a checkout, or the folder of a configuration.

    Raises UserError when it is neither.
    """
    from bot.commands.checkouts import read_checkout
    from bot.frameworks import ScriptPlace

    if not old.is_dir():
        raise UserError("--was takes a folder; {folder} is none.", folder=old)
    checkout = read_checkout(old)
    held = "openrlhf" if checkout.vendors and not checkout.verl.folders else "verl"
    after = {name: release for name, release in options.versions.items() if name != held}
    options = replace(options, versions=after)  # The release that is named is the new one.
    if not checkout.vendors:
        return replace(options, trees={"verl": tree_at(old, "--was")})
    place = options.place

    def placed(script: ScriptFile) -> ScriptPlace:
        now = place(script) if place is not None else None
        return replace(now, checkout=checkout) if now else ScriptPlace(checkout, script.path)

    trees = {"verl": tree_at(old, "--was")} if options.trees else {}
    return replace(options, trees=trees, place=placed)
