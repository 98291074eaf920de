"""What both actions of `rlbot bisect` ask for, read and write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from operator import eq
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.commands.arguments import load_config, notice, options_of, read_file, why
from bot.commands.runs import reading, run_of
from bot.commands.tree import add_root, files_below, path_below, root_of

if TYPE_CHECKING:
    from bot.check.request import CheckOptions, ScriptFile
    from bot.evidence.facts import Facts


def add_script(parser: argparse.ArgumentParser) -> None:
    """Declare what both actions ask for."""
    parser.add_argument("script", metavar="SCRIPT", help="the script")
    parser.add_argument(
        "--vary",
        metavar="NAME",
        action="append",
        default=[],
        help="the key or the variable that is varied (default: where the script has the batch "
        "that the page calls MaxBatch); given again, the others keep their share of the first",
    )
    add_root(parser)
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="the accelerator, such as h100 or a100-40 (default: the one in the script's name)",
    )
    parser.add_argument(
        "--gpus", metavar="N", type=int, help="GPUs, where the script leaves them to its launcher"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .rlbot.yml)")
    parser.add_argument(
        "--framework",
        metavar="NAME@RELEASE",
        action="append",
        default=[],
        help="read against this release, such as verl@0.4.1",
    )
    parser.add_argument(
        "--framework-tree", metavar="DIR", help="read against the configuration of this checkout"
    )
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the result")
    parser.set_defaults(select="", ignore="")


def script_of(arguments: argparse.Namespace) -> tuple[ScriptFile, CheckOptions]:
    """The script that is named, and how it is read."""
    from bot.check.request import ScriptFile

    path = Path(arguments.script)
    root = root_of(arguments.root)
    tree_path = None
    if root is not None:
        tree_path = path_below(root, path)
        if tree_path is None:
            raise UserError(f"{path} does not lie below the folder that --root names, {root}.")
    config = load_config(arguments.config)
    options = options_of(
        arguments,
        config,
        files=files_below(root) if root else None,
        **reading(arguments.offline, config),
    )
    script = ScriptFile(
        path=path.as_posix(),
        data=read_file(path),
        full_path=path.absolute().as_posix(),
        tree_path=tree_path,
    )
    return script, options


def facts_of(named: str, options: CheckOptions) -> Facts:
    """What was read of a run; raises UserError with the reason when it was not."""
    from bot.evidence import EvidenceError, read

    try:
        return read(run_of(named, options), linked=options.linked)
    except EvidenceError as error:
        raise UserError(f"{named}: {error}") from None


def facts_or_reason(named: str, options: CheckOptions) -> Facts | str:
    """What was read of a run, or why it could not be: one of many keeps the others from nobody."""
    from bot.base.messages import sentence_of
    from bot.evidence import EvidenceError, read

    try:
        return read(run_of(named, options), linked=options.linked)
    except EvidenceError as error:
        return sentence_of(error)


def parent_of(script: ScriptFile) -> str:
    """The folder that the script stands in, by which a size may be named."""
    return Path(script.full_path or script.path).parent.name


def write_scripts(made: Mapping[str, bytes], script: ScriptFile, root: Path) -> tuple[str, ...]:
    """Write the script of each probe below a folder, and give the paths.

    What stands there already is left, unless it starts the same and only says another next run.
    """
    from bot.bisect.scripts import folder, same_launch

    targets = {
        root / folder(name, PurePosixPath(script.path), parent_of(script)): data
        for name, data in made.items()
    }
    try:
        there = [path for path, data in targets.items() if other(path, data, same_launch)]
        if there:
            raise UserError(f"{there[0]} is there already; nothing was written.")
        mode = Path(script.path).stat().st_mode & 0o777
        for path, data in targets.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)
    except OSError as error:
        raise UserError(f"{error.filename or root} cannot be written: {why(error)}.") from None
    if targets:
        scripts = "script" if len(targets) == 1 else "scripts"
        notice(f"wrote {len(targets)} {scripts} below {root}")
    return tuple(path.as_posix() for path in targets)


def other(path: Path, data: bytes, same: Callable[[bytes, bytes], bool] = eq) -> bool:
    """Whether something else than what is to be written stands there."""
    if path.is_symlink():
        return True
    try:
        return not same(path.read_bytes(), data)
    except FileNotFoundError:
        return False
