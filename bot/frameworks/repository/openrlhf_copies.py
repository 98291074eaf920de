"""The copies of OpenRLHF in a repository, whose trainers say themselves which options they take."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath

from bot.base.messages import message
from bot.frameworks.files.named_files import nearest, text_of
from bot.frameworks.python.argparse_options import SourceOptions


def trainers_folder(path: str) -> str | None:
    """The folder of OpenRLHF's trainers that a file is one of; None for another file."""
    folder, _, name = path.rpartition("/")
    trains = name.startswith("train_") and name.endswith(".py")
    return folder if trains and f"/{folder}".endswith("/openrlhf/cli") else None


class OpenRLHFCopies:
    """The trainers of a repository's copies, by the folder that they stand in."""

    def __init__(
        self, files: Mapping[str, bytes], file_of: Callable[[str, str], str | None]
    ) -> None:
        """`file_of` has the file that a script, the second, starts by a path or a module's name."""
        self._files = files
        self._file_of = file_of
        self._trainers: dict[str, list[str]] = {}
        for path in sorted(path for path in files if "/train_" in path):
            folder, _, name = path.rpartition("/")
            # Before 0.3.8 they stand in a folder beside the package.
            older = folder.removesuffix("examples") if name.endswith(".py") else folder
            beside = older != folder and f"{older}openrlhf/__init__.py" in files
            if beside or trainers_folder(path) is not None:
                self._trainers.setdefault(folder, []).append(path)
        for folder in [*self._trainers]:  # A test beside the scripts is no trainer of before.
            if f"{folder.removesuffix('examples')}openrlhf/cli" in self._trainers.keys() - {folder}:
                del self._trainers[folder]
        self._options: dict[str, SourceOptions] = {}

    @property
    def vendored(self) -> bool:
        """Whether there is a copy."""
        return bool(self._trainers)

    def paths(self, script: str) -> Iterable[str]:
        """The trainers of the copy that is nearest to a script."""
        return self._trainers.get(nearest(self._trainers, script) or "", ())

    def module(self, entry: str, script: str) -> str | None:
        """OpenRLHF's name of a trainer that a script starts by its path; None for no trainer.

        Of `deepspeed cli/train_sft.py` below `openrlhf`, or of `../train_sft.py` before 0.3.8.
        """
        named = self._trainers and entry.rpartition("/")[2].startswith("train_")
        path = self._file_of(entry, script) if named else None
        if path is None or path not in self._trainers.get(posixpath.dirname(path), ()):
            return None
        return f"openrlhf.cli.{PurePosixPath(path).stem}"

    def options(self, script: str) -> SourceOptions | None:
        """The options of the copy that is nearest to a script; None without one."""
        folder = nearest(self._trainers, script)
        if folder is None:
            return None
        if folder not in self._options:
            paths = self._trainers[folder]
            texts = {PurePosixPath(path).stem: text_of(self._files, path) for path in paths}
            called = message("{path} of this repository", path=folder)
            self._options[folder] = SourceOptions("openrlhf", called, texts)
        return self._options[folder]
