"""`rlbot lint --fix` and `--diff`: fixed scripts, written or shown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.base.errors import UserError
from bot.base.files import replace_file
from bot.base.messages import mark, sentence_of
from bot.commands.inputs import each_script, not_read
from bot.commands.output import notice, write_beside, write_bytes
from bot.commands.result import finish, rendered
from bot.render.escape import visible

if TYPE_CHECKING:
    from bot.check.fix import Fixed
    from bot.check.request import CheckOptions, ScriptFile
    from bot.report import Unchecked


def add_fix(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--fix",
        action="store_true",
        help="apply the fixes that cannot change what a correct script does; with - as PATH the "
        "fixed script is printed",
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="with --fix or --diff: the other fixes too"
    )
    parser.add_argument(
        "--diff",
        action="store_true",
        help="print what --fix would change, and change nothing; the exit status is that of the "
        "scripts as they are",
    )


def wants_fix(arguments: argparse.Namespace) -> bool:
    """Whether scripts are to be fixed; raises UserError for options that do not go together."""
    if arguments.unsafe and not (arguments.fix or arguments.diff):
        raise UserError("--unsafe goes with --fix or --diff.")
    if arguments.diff and arguments.format != "text":
        raise UserError(
            "--diff prints a patch; leave --format {format} out.", format=arguments.format
        )
    if arguments.fix and not arguments.diff and "-" in arguments.paths and len(arguments.paths) > 1:
        raise UserError("--fix with - prints the fixed script; name no other PATH beside it.")
    return bool(arguments.fix or arguments.diff)


def fix_scripts(
    scripts: Iterable[ScriptFile],
    options: CheckOptions,
    arguments: argparse.Namespace,
    unchecked: list[Unchecked],
) -> int:
    """Fix scripts, or show how; returns the exit status.

    `unchecked` holds what could not be read, once `scripts` has been gone through.
    """
    from bot.check.fix import fix_script
    from bot.check.script import make_report
    from bot.render.patch import patch
    from bot.report import exit_status

    from_stdin = arguments.paths == ["-"]
    done, sources, patches = [], {}, []

    def fix(script: ScriptFile) -> tuple[ScriptFile, Fixed]:
        return script, fix_script(script, options, unsafe=arguments.unsafe)

    for script, fixed in each_script(fix, scripts, unchecked):
        if arguments.diff:
            patches.append(patch(script.path, script.data, fixed.data))
            done.append(fixed.before)
            continue
        problem = _write(script, fixed, to_stdout=from_stdin)
        if problem is not None:
            unchecked.append(not_read(problem))
        elif not arguments.quiet:
            _tell(script, fixed)
        done.append(fixed.report if problem is None else fixed.before)
        data = fixed.data if problem is None else script.data
        sources[script.path] = data.decode("utf-8", "replace")
    report = make_report(done, unchecked=unchecked, language=options.config.language)
    if arguments.diff:
        _print_patches(patches)
        for item in unchecked:
            notice(item.reason)
        return exit_status(report)
    if not from_stdin:
        return finish(report, arguments, sources)
    status = exit_status(report)
    if status or not arguments.quiet:
        # Standard output holds the script, and nothing else.
        write_beside(rendered(report, arguments, sources))
    return status


def _write(script: ScriptFile, fixed: Fixed, *, to_stdout: bool) -> str | None:
    """Write or print a fixed script; the reason when it could not be written."""
    if to_stdout:
        write_bytes(fixed.data)
    elif fixed.data != script.data:
        try:
            replace_file(Path(script.path), script.data, fixed.data)
        except UserError as error:
            return sentence_of(error)
    return None


def _print_patches(patches: Iterable[str]) -> None:
    """As `git apply` takes them; a terminal gets its control characters as code points."""
    text = "".join(patches)
    if sys.stdout.isatty():
        text = visible(text, keep="\n\t")
    write_bytes(text.encode("utf-8", "surrogateescape"))


_FIXED: Final = mark("fixed {path}:{line}: {title} ({id})")
_LEFT: Final = mark("left {path}:{line}: {title} ({id}) would change more than that")


def _tell(script: ScriptFile, fixed: Fixed) -> None:
    for text, findings in ((_FIXED, fixed.applied), (_LEFT, fixed.refused)):
        for finding in findings:
            notice(
                text,
                path=script.path,
                line=finding.line,
                title=finding.fix.title if finding.fix else "",
                id=finding.id,
            )
