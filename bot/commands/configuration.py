"""Which configuration counts: the one that is named, else the nearest `.rlbot.yml`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError, system_reason
from bot.commands.terminal import current

if TYPE_CHECKING:
    from bot.base.config import Config


def load_config(path: str | None) -> Config:
    """The configuration that `find_config` finds, else the defaults."""
    from bot.base.config import Config, parse_config

    found = find_config(path)
    return parse_config(found[1], str(found[0])) if found else Config()


def config_of(arguments: argparse.Namespace) -> Config:
    """The configuration; where it states no language, text is in the terminal's."""
    from bot.base.config import Config, ConfigFile, read_config

    found = find_config(arguments.config)
    file = read_config(found[1], str(found[0])) if found else ConfigFile(Config())
    if arguments.format != "text" or "language" in file.lines:
        return file.config
    return replace(file.config, language=current())


def find_config(path: str | None) -> tuple[Path, bytes] | None:
    """File and content of the configuration: the one named by `--config`, else the nearest one.

    The nearest `.rlbot.yml` stands in the working folder or above it, up to the repository's root.
    Raises UserError when a file that is there, or was named, cannot be read.
    """
    from bot.base.config import FILE_NAME

    for file in [Path(path)] if path else [above / FILE_NAME for above in _up_to_root()]:
        try:
            return file, file.read_bytes()
        except FileNotFoundError:
            if path:
                raise UserError("The configuration {file} does not exist.", file=file) from None
        except OSError as error:
            raise UserError(
                "The configuration {file} cannot be read: {why}.",
                file=file,
                why=system_reason(error),
            ) from None
    return None


def repository_root() -> Path:
    """The folder of `.git` above the working folder, as one finds it from there; else itself."""
    return _up_to_root()[-1]


def _up_to_root() -> list[Path]:
    """The working folder and those above it, up to that of `.git`; only itself without one."""
    here = Path.cwd()
    for count, above in enumerate((here, *here.parents)):
        if (above / ".git").exists():
            return [Path(*[".."] * up) for up in range(count + 1)]
    return [Path()]
