"""The scripts that a command line names: files, folders, standard input."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

# First, since what follows imports them from within thirty others: so deep CPython maps memory for
# each of their classes anew, where its stack of frames goes over the end of a block.
import bot.report
import bot.shell  # noqa: F401
from bot.base.config import SCRIPT_NAMES, SCRIPT_SUFFIXES
from bot.base.errors import UncheckedError, UserError, system_reason
from bot.base.messages import message, sentence_of
from bot.base.regex import regex
from bot.commands.arguments import options_of
from bot.commands.configuration import config_of
from bot.commands.files import read_file
from bot.commands.output import notice, read_standard_input
from bot.commands.parallel import in_order, processes_for
from bot.commands.programs import broken_notebook, is_to_read, refuse_other_kinds
from bot.commands.runs import Audience, reading
from bot.commands.terminal import ProgressLine
from bot.commands.tree import path_below, tree_of
from bot.frameworks.python.notebook import PROGRAMS

if TYPE_CHECKING:
    from bot.check.request import CheckOptions, ScriptFile
    from bot.report import Unchecked

R = TypeVar("R")

_AFTER = 2.0
"""Seconds after which a check says which script is read."""
_JOBS = (".job", ".sub")
"""Suffixes that files of other kinds have too: Condor's, Azkaban's, subtitles."""
_LOOKED_AT = (*SCRIPT_SUFFIXES, ".yaml", ".yml")
"""How the names of scripts end, and of what may be a recipe."""
_STARTS = regex(rb"python|torchrun|accelerate|deepspeed|\b(?:trl|verl|uvx?|ray)\b")
"""What a script holds that may start a training; others publish a package, or install hooks."""
_MOST_PROGRAMS = 5_000
"""Programs of a folder that are looked at."""
_MOST_FILES = 1_000_000
"""Files of a folder that are looked at: twice as many as the largest repositories have."""
_MOST_SCRIPTS = 20_000
"""Scripts of a folder that are read, for the same reason."""
_NAMED = regex(
    rb"([\w-]{1,200}\.(?:py|ipynb))\b|(?:-m\s{1,9}|(?<![\w.=/-])(?:\w{1,99}\.){1,9})(\w{1,99})(?![\w.=-])"
)
"""A file of Python's, or what may be the last part of a module's name."""
_INSTALLED = frozenset(("node_modules", "site-packages", "__pycache__", "unsloth_compiled_cache"))
"""Folders of packages, which are left out as those are whose name begins with a dot."""
_ROOT = Path("/")
_VIRTUAL = frozenset(("dev", "proc", "sys"))
"""Folders at the root whose files are not on any disk."""


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that name scripts."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a script, a folder, a notebook, a program that trains with TRL, or - (stdin)",
    )
    parser.add_argument(
        "--stdin-filename", metavar="PATH", help="the path that a script read from - is checked as"
    )


def not_read(reason: str) -> Unchecked:
    """What is said of a script that was not checked."""
    from bot.report import Unchecked

    return Unchecked(check="script", reason=reason)


def scripts_of(
    arguments: argparse.Namespace, root: Path | None, unchecked: list[Unchecked]
) -> Iterator[ScriptFile]:
    """The scripts named, folders walked; what cannot be read of a folder is added to `unchecked`.

    So is a path of several that cannot be read: it does not cost the others their results. A script
    that is named twice, or beside its folder, comes once. Raises UserError for the only path that
    was named, when it cannot be read or lies outside `root`.
    """
    if arguments.paths.count("-") > 1:
        raise UserError("- stands twice; standard input holds one script.")
    if arguments.stdin_filename and "-" not in arguments.paths:
        raise UserError("--stdin-filename names a script from standard input; give - as PATH.")
    seen: set[str | None] = set()
    for given in arguments.paths:
        try:
            for script in _scripts_at(given, arguments.stdin_filename, root, unchecked):
                if script.full_path not in seen:
                    seen.add(script.full_path)
                    yield script
        except UserError as error:
            if len(arguments.paths) == 1:
                raise
            unchecked.append(not_read(sentence_of(error)))


def _scripts_at(
    given: str, stdin_name: str | None, root: Path | None, unchecked: list[Unchecked]
) -> Iterator[ScriptFile]:
    from bot.check.request import ScriptFile

    if given == "-":
        if not stdin_name:
            raise UserError("A script from - needs --stdin-filename: its name is checked too.")
        yield ScriptFile(
            path=stdin_name,
            data=read_standard_input(),
            tree_path=_tree_path(root, Path(stdin_name)),
        )
        return
    path = Path(given)
    if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for overlong names
        if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - as above
            raise UserError(
                "{path} is not a regular file; a script from a pipe is checked so: "
                "… | rlbot lint - --stdin-filename run.sh.",
                path=path,
            )
        yield script_at(path, root)
        return
    yield from _scripts_below(path, root, unchecked)


def _scripts_below(
    path: Path, root: Path | None, unchecked: list[Unchecked]
) -> Iterator[ScriptFile]:
    from bot.commands.recipes import recipes_of

    closed: list[OSError] = []
    files = sorted(_files_below(path, closed.append, _LOOKED_AT))
    found = [file for file in files if file.suffix in SCRIPT_SUFFIXES and _is_script(file)]
    if len(found) > _MOST_SCRIPTS:
        raise UserError(
            "The folder {path} holds more than {most} scripts: name a folder in it that holds "
            "yours.",
            path=path,
            most=f"{_MOST_SCRIPTS:,}",
        )
    scripts = list(_readable(found, root, unchecked))
    recipes = recipes_of(path, files, scripts)
    reasons = [
        message(
            "The folder {path} cannot be read: {why}.",
            path=Path(error.filename).as_posix(),
            why=system_reason(error),
        )
        for error in closed
    ]
    starts = recipes or any(_STARTS.search(script.data) for script in scripts)
    named = {name for one in scripts for name in _named_in(one.data)} if starts else None
    every = list(islice(_files_below(path, closed.append, PROGRAMS), _MOST_PROGRAMS))
    recipes += sorted(file for file in every if is_to_read(file, named))
    broken = [why for file in sorted(every) if (why := broken_notebook(file)) is not None]
    if not found and not recipes:
        if broken:
            raise UncheckedError(broken[0])
        if reasons:
            raise UserError(reasons[0])
        raise UserError(
            "The folder {path} holds no script ({names}), and no program that trains with TRL. A "
            "command is checked as what would stand in a script: "
            'echo "torchrun train.py" | rlbot lint - --stdin-filename run.sh.',
            path=path,
            names=SCRIPT_NAMES,
        )
    unchecked += [not_read(reason) for reason in (*reasons, *broken)]
    yield from scripts
    yield from _readable(recipes, root, unchecked)


def _named_in(script: bytes) -> Iterator[str]:
    """The programs that a script names, each by its file or as the last part of a module."""
    for found in _NAMED.finditer(script):
        yield (found[1] or b"%b.py" % found[2]).decode()


def _files_below(
    path: Path, closed: Callable[[OSError], object], ends: tuple[str, ...]
) -> Iterator[Path]:
    """The files of a folder by the ends of their names, without what others installed there.

    Raises UserError for a folder that holds more than a repository does.
    """
    seen = 0
    for place, folders, names in os.walk(path, onerror=closed):
        folders[:] = [one for one in folders if not (one.startswith(".") or one in _INSTALLED)]
        if not _VIRTUAL.isdisjoint(folders) and Path(place).resolve() == _ROOT:
            folders[:] = [one for one in folders if one not in _VIRTUAL]
        seen += len(names)
        if seen > _MOST_FILES:
            raise UserError(
                "The folder {path} holds more than {most} files: name a folder in it that holds "
                "the scripts.",
                path=path,
                most=f"{_MOST_FILES:,}",
            )
        for name in names:
            # macOS lays a file's attributes beside it under its name (AppleDouble): `._run.sh`.
            if name.endswith(ends) and not name.startswith("._"):
                yield Path(place, name)


def _is_script(file: Path) -> bool:
    """Whether a file of that name may be a script; those of some names only with a first line."""
    if file.suffix not in _JOBS:
        return True
    try:
        return read_file(file).startswith(b"#!")
    except UserError:
        return False


def _readable(
    files: Iterable[Path], root: Path | None, unchecked: list[Unchecked]
) -> Iterator[ScriptFile]:
    for file in files:
        try:
            yield script_at(file, root)
        except UserError as error:
            unchecked.append(not_read(sentence_of(error)))


def each_script(
    work: Callable[[ScriptFile], R],
    scripts: Iterable[ScriptFile],
    unchecked: list[Unchecked],
    *,
    jobs: int | None = 1,
) -> Iterator[R]:
    """What `work` makes of each script; one that takes too long is added to `unchecked`.

    So is one of several on which it fails, which must not hide what it makes of the others.

    In `jobs` processes at most, None for as many as there are processors; with several, scripts
    and what is made of them are pickled.
    """
    named = list(scripts)
    each = partial(_bounded, work, alone=len(named) == 1)
    made = in_order(each, named, processes_for(len(named), jobs))
    line = ProgressLine(_AFTER)
    try:
        for count, script in enumerate(named, 1):
            line.show(message("reading script {count}: {path}", count=count, path=script.path))
            done = next(made)
            if isinstance(done, UncheckedError):
                unchecked.append(not_read(sentence_of(done)))
                continue
            line.clear()
            yield done
    finally:
        line.clear()


def _bounded(
    work: Callable[[ScriptFile], R], script: ScriptFile, *, alone: bool
) -> R | UncheckedError:
    from bot.check.read import bounded

    try:
        with bounded(script.path):
            return work(script)
    except UncheckedError as error:
        return error
    except (UserError, ModuleNotFoundError):
        raise
    except Exception as error:
        if alone or os.environ.get("RLBOT_TRACEBACK"):
            raise
        return UncheckedError(
            "{path} could not be read: {kind}. This is a fault of rlbot, not of the script; please "
            "report it with the script.",
            path=script.path,
            kind=type(error).__name__,
        )


def scripts_with_options(
    arguments: argparse.Namespace, **more: object
) -> tuple[Iterator[ScriptFile], CheckOptions, list[Unchecked]]:
    """The scripts that a command names, the options for them, and what could not be read.

    The last is filled while the scripts are gone through, see `scripts_of`.
    """
    root, files = tree_of(arguments)
    options = options_of(arguments, config_of(arguments), files=files, **more)
    unchecked: list[Unchecked] = []
    scripts = scripts_of(arguments, root, unchecked)
    return _with_notice(scripts, arguments, options), options, unchecked


def _with_notice(
    scripts: Iterable[ScriptFile], arguments: argparse.Namespace, options: CheckOptions
) -> Iterator[ScriptFile]:
    """The scripts; says which variable of `--env` none of them mentions: it may be misspelt.

    Other files that one sources or starts may.
    """
    names = set() if arguments.root else set(options.environment)
    for script in scripts:
        others = any(one in script.data for one in (b".sh", b".bash", b"source "))
        names = {name for name in names if not others and name.encode() not in script.data}
        yield script
    if names:
        notice("--env: no script that was read mentions {names}.", names=", ".join(sorted(names)))


def script_with_options(
    arguments: argparse.Namespace, audience: Audience = "others", /, **more: object
) -> tuple[ScriptFile, CheckOptions]:
    """The one script that a command names, and the options under which its run is read too.

    `audience`: whom the answer is for (see `reading`).
    """
    root, files = tree_of(arguments)
    script = script_at(Path(arguments.script), root)
    config = config_of(arguments)
    how = reading(arguments.offline, config, audience)
    options = options_of(arguments, config, files=files, **how, **more)
    (script,) = _with_notice([script], arguments, options)
    return script, options


def script_at(path: Path, root: Path | None) -> ScriptFile:
    """The script in a file; raises UserError when it cannot be read, or lies outside `root`.

    So it does for a file of another kind, which would be read, and fixed, as shell.
    """
    from bot.check.request import ScriptFile

    refuse_other_kinds(path)
    return ScriptFile(
        path=path.as_posix(),
        data=read_file(path),
        full_path=path.absolute().as_posix(),
        tree_path=_tree_path(root, path),
    )


def _tree_path(root: Path | None, path: Path) -> str | None:
    if root is None:
        return None
    found = path_below(root, path)
    if found is None:
        raise UserError(
            "{path} does not lie below the folder that --root names, {root}.", path=path, root=root
        )
    return found
