"""The configuration of a program that brings its own: `@hydra.main`, `--config-path`, search paths.

A recipe, or a package derived from verl, has a configuration folder beside its modules. Which one a
module uses is read off the decorator of its main function, a syntax tree that is never run. A
search path (`file://verl/trainer/config`, `pkg://verl.trainer.config`) adds the folder of the
repository that it ends with.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.base.regex import regex
from bot.frameworks.files.config_files import SUFFIX, ComposeError
from bot.frameworks.files.named_files import NamedFiles, above, ending, entry_file, text_of
from bot.frameworks.hydra.compose import Composer
from bot.frameworks.hydra.config_tree import ConfigTree
from bot.frameworks.python.hydra_main import HydraMain, hydra_main
from bot.frameworks.python.source import parsed, reads_argparse
from bot.frameworks.repository.release_overlay import OwnLayer, mapping_of, own_layer

if TYPE_CHECKING:
    from bot.frameworks.hydra.config_folder import ConfigFolder

PACKAGE: Final = "pkg://"
HERE: Final = "here://"
"""How a place of a search path begins whose folder is known by its path from the root."""
_FOLDER: Final = "conf"
"""How the name of a folder of configurations begins: conf, config, configs, configs_verl."""
_COMPUTED: Final = regex(r"config_path\s{0,9}=\s{0,9}(?![\"'\s]|None)")
"""A folder that a program does not write down as a text."""
_MOST_NAMED: Final = 3
"""Folders in a sentence."""
_MAINS: Final = ("main", "train", "eval")
"""What the name of a module with a main function holds where no package is named."""
_DEFINING: Final = ("arg", "conf", "param", "script", "train", "sft", "dpo", "grpo")
"""What the names of modules hold that define settings of a recipe."""
_MOST_PLACES: Final = 20
"""Folders of a search path."""
_HOLE: Final = regex(r"\$\{\?[^}]{0,400}\}")
"""What only a run knows."""
_WORD: Final = regex(r"[\w./-]{1,400}")


@dataclass(frozen=True, slots=True)
class OwnRoot:
    """What a program of the repository starts with, or why that is not known."""

    root: str = ""
    """The name of the root configuration."""
    tree: ConfigTree | None = None
    """The folder that it stands in, where the repository has all of it."""
    layer: OwnLayer | None = None
    """The root as it lies on a release, where it begins with one of verl's."""
    unread: str = ""
    """Why there is neither of the two: a sentence without its full stop."""
    hydra: bool = True
    """Whether Hydra reads the command line."""


def may_define(path: str) -> bool:
    """Whether a module's name is one of those that define settings."""
    name = path.rpartition("/")[2]
    return any(word in name for word in _DEFINING)


def config_file(path: str) -> tuple[str, str] | None:
    """Folder and path within, of a file in a configuration folder; None for another."""
    if not path.endswith(SUFFIX):
        return None
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if part.startswith(_FOLDER):
            return "/".join(parts[: at + 1]), "/".join(parts[at + 1 :])
    return None


def names_folder(path: str) -> bool:
    """Whether the last part of a path may be a folder of configurations."""
    _, slash, name = path.rpartition("/")
    return bool(slash) and name.startswith(_FOLDER) and not name.endswith(SUFFIX)


def is_main(path: str) -> bool:
    """Whether a module may hold a main function: one in a package, or with a name that says so."""
    return "/" in path or any(word in path for word in _MAINS)


def module_paths(text: str) -> Iterator[str]:
    """The files of modules that a script's text may start: `recipe.dapo.main_dapo`."""
    for word in dict.fromkeys(_WORD.findall(text)):
        path = word.removesuffix(".py").replace(".", "/") + ".py"
        if is_main(path):
            yield path.lstrip("/")


def shown_path(path: str) -> str:
    """A path as messages name it, with … for what only a run knows."""
    return _HOLE.sub("…", path)


class ConfigFolders:
    """The configuration folders of a repository."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` are all that count, by path; contents are read on use."""
        self._files = files
        self.folders: dict[str, list[str]] = {}
        for path in sorted(files):
            if (found := config_file(path)) is not None:
                self.folders.setdefault(found[0], []).append(found[1])
        self.others: dict[str, list[str]] = {}  # Those that `holding` has found.
        self.modules = NamedFiles(path for path in files if path.endswith(".py"))
        self._decorators: dict[str, HydraMain | None] = {}
        self._read: dict[str, ConfigFolder] = {}
        """Folders that were composed from: each root of one takes the files as they were read."""

    def named(self, path: str, script: str) -> str | None:
        """The folder that an absolute path in a script means; None where none is sure."""
        found = self.places(path, script)
        return found.pop() if len(found) == 1 else None

    def places(self, path: str, script: str) -> set[str]:
        """The folders that an absolute path in a script may mean.

        It ends with the folder's path from the root, or from a folder that the script stands in:
        the longest counts. Where its beginning is not known (`${?PWD}/examples/config`) the rest is
        the path from one of those, or from beside a clone that is called verl; where none has it,
        from beside the clone, as verl-recipe is verl's `recipe` (`${?PWD}/recipe/qat/config`).
        """
        beginning, hole, rest = path.rpartition("}")
        known = (rest if hole else path).rstrip("/")
        if not known.startswith("/") or beginning.count("${?") != len(hole):
            return set()
        if not hole:
            ends = (
                (len(end), -len(base), folder)
                for folder in self.folders
                for base in above(script)
                if (end := _below(base, folder)) and known.endswith(f"/{end}")
            )
            return {folder for *_, folder in [max(ends, default=(0, 0, ""))] if folder}
        within = known.replace("/verl/verl/", "/verl/", 1)
        places = {*_candidate_paths(known, script), *_candidate_paths(within, script)}
        inner = known[1:].partition("/")[2]
        if not self.folders.keys() & places and "/" in inner:
            places = {inner}
        return places.intersection(self.folders)

    def leads_nowhere(self, path: str | None, script: str) -> OwnRoot | None:
        """What is said of a `--config-path` whose folder is not known; None without one.

        Where it is none of the repository's, and one alone has its name, that one is named.
        """
        if path is None or path.startswith(PACKAGE):
            return None
        text = message("--config-path leads to {path}", path=shown_path(path))
        if places := self.places(path, script):
            several = ", ".join(sorted(places)[:_MOST_NAMED])
            why = message("{text}, which may be any of {places}", text=text, places=several)
            return OwnRoot(unread=why)
        why = message("{text}, which is no configuration folder of this repository", text=text)
        alike = [*ending(self.folders, path.rstrip("/").rpartition("/")[2])]
        if len(alike) == 1:
            why = message("{text}; {folder} is one", text=why, folder=alike[0])
        return OwnRoot(unread=why)

    def holding(self, path: str, script: str, root: str) -> str | None:
        """The folder of any name below an unknown one (`${?PWD}/user`) that has a root's file."""
        beginning, hole, rest = path.rpartition("}")
        if beginning.count("${?") != 1 or not hole or not rest.startswith("/"):
            return None
        file = root.removesuffix(SUFFIX) + SUFFIX
        found = [one for one in _candidate_paths(rest, script) if f"{one}/{file}" in self._files]
        if len(found) != 1:
            return None
        folder = found[0]
        if folder not in self.others:
            within = (one for one in self._files if one.startswith(f"{folder}/"))
            self.others[folder] = [one[len(folder) + 1 :] for one in within if one.endswith(SUFFIX)]
        return folder

    def relative(self, given: str, module: str, script: str) -> str | None:
        """The folder that a module's `config_path` means, or one that a `script` names instead."""
        if given.startswith(PACKAGE):
            return self.package(given)
        folder = folder_of(module, given)
        if folder in self.folders or not script or "${?" in given:
            return folder
        # A beginning to fill in: base_dir/recipe/mine/config.
        return self.named(f"/{given}", script) or folder

    def has(self, folder: str) -> bool:
        """Whether a folder is one of a configuration."""
        return folder in self.folders or folder in self.others

    def content(self, folder: str) -> dict[str, bytes]:
        """The files of a folder, by path within it."""
        names = self.folders.get(folder) or self.others[folder]
        return {name: self._files.get(f"{folder}/{name}", b"") for name in names}

    def package(self, name: str) -> str | None:
        """The folder that `pkg://rllm.trainer.config` means; None where none is sure."""
        found = ending(self.folders, name.removeprefix(PACKAGE).replace(".", "/"))
        return next(iter(found)) if len(found) == 1 else None

    def main(self, path: str) -> HydraMain | None:
        """The decorator in a module."""
        if path not in self._decorators:
            self._decorators[path] = hydra_main(text_of(self._files, path))
        return self._decorators[path]

    def unfollowed(self, path: str) -> OwnRoot | None:
        """That a program reads its command line itself; None for any other."""
        if not reads_argparse(text_of(self._files, path)):
            return None
        reason = message("{file} reads its command line without Hydra", file=path)
        return OwnRoot(unread=reason, hydra=False)

    def why_unread(self, entry: str, module: str | None) -> str:
        """Why nothing is known of a program, whose file `module` is; empty where it cannot be said.

        A sentence without its full stop.
        """
        if module is None:
            file = entry_file(entry)
            shown = shown_path(file)
            return message("this repository has no {file}", file=shown) if is_main(file) else ""
        main = self.main(module)
        if main is None:
            text = text_of(self._files, module)
            if parsed(text) is None:
                return message("{file} is no Python that can be read", file=module)
            if "@hydra.main" not in text or not _COMPUTED.search(text):
                return ""
            return message("{file} names its configuration's folder in Python", file=module)
        folder = self.relative(main.config_path, module, "")
        if folder is None or folder in self.folders:
            return ""
        return message("{file} names {folder}, which is not there", file=module, folder=folder)

    def _searched(self, wanted: str, folder: str) -> Sequence[str]:
        """The folders that a search path may mean, which is taken from where the job starts.

        Of several that end so it means the root's own `folder`, or that at the top.
        """
        found = [*ending(self.folders, wanted.lstrip("/"))]
        sure = [one for one in (folder, wanted) if one in found]
        return sure[:1] if len(found) > 1 and sure else found

    def root(
        self, folder: str, root: str, verl: ConfigTree | None, searched: Sequence[str] | None
    ) -> OwnRoot | None:
        """A root in a folder with what its search path adds; None where that cannot be read.

        `searched` is the command line's path, in the place of the root's. `verl` is the
        configuration that stands for verl's own; without it a root that begins with one of verl's
        lies on the release that counts.
        """
        files = self.content(folder)
        others: list[Mapping[str, bytes] | ConfigFolder] = []
        released = False
        places = search_path(files.get(root + SUFFIX, b"")) if searched is None else searched
        if len(places) > _MOST_PLACES:
            return None
        for place in places:
            wanted = _place(place)
            if verls(place):
                released = verl is None
                if verl is not None:
                    others.append(verl.composer.folder)
                continue
            if place.startswith(HERE):
                others.append(self.content(wanted))
                continue
            found = self._searched(wanted, folder)
            if len(found) != 1:
                shown = shown_path(place)
                text = message("its {folder} searches {place}", folder=folder, place=shown)
                why = (
                    message("{text}, which is not in this repository", text=text)
                    if not found
                    else message("{text}, which the repository has more than once", text=text)
                )
                return OwnRoot(unread=why)
            others.append(self.content(found[0]))
        try:
            layer = own_layer(folder, root, files, others) if released else None
        except ComposeError as error:
            why = message(
                "its {folder} could not be laid over a release of verl: {why}",
                folder=folder,
                why=sentence_of(error),
            )
            return OwnRoot(unread=why)
        if layer is not None:
            return OwnRoot(root, layer=replace(layer, searched=searched is not None))
        named = message("{path} of this repository", path=folder)
        try:
            composer = Composer(self._read.get(folder, files), *others)
        except ComposeError:
            return None
        self._read[folder] = composer.folder
        tree = ConfigTree(named, composer, vendored=True, searched=searched is not None)
        missing = "" if any(map(verls, places)) else _lacks_verl(tree, folder, root, others)
        return OwnRoot(unread=missing) if missing else OwnRoot(root, tree)


def _lacks_verl(
    tree: ConfigTree,
    folder: str,
    root: str,
    others: Sequence[Mapping[str, bytes] | ConfigFolder],
) -> str:
    """That Hydra refuses a root for want of one of verl's alone; empty for any other.

    That may be a link into verl, or a copy that is made before the start.
    """
    if root not in tree.composer.names or not tree.refuses(root):
        return ""
    try:
        on_verl = own_layer(folder, root, tree.composer.folder, others)
    except ComposeError:
        return ""
    text = message("its {folder} begins with a root of verl's that is not there", folder=folder)
    return "" if on_verl is None else text


def _candidate_paths(rest: str, script: str) -> Iterator[str]:
    """What `/user` of `$ROOT/user` may be, from each folder above the script."""
    return (posixpath.normpath(posixpath.join(folder, rest[1:])) for folder in above(script))


def _place(text: str) -> str:
    """The folder that an entry of a search path names."""
    scheme, found, rest = text.partition("://")
    if scheme == "pkg":
        return rest.replace(".", "/")
    return posixpath.normpath(rest if found else text)


def verls(place: str) -> bool:
    """Whether an entry of a search path means verl's own configuration."""
    return _place(place).endswith("verl/trainer/config")


def search_path(data: bytes) -> list[str]:
    """What `hydra.searchpath` of a root configuration adds."""
    if b"searchpath" not in data:
        return []
    hydra = mapping_of(data).get("hydra")
    places = hydra.get("searchpath") if isinstance(hydra, dict) else None
    return [place for place in places if isinstance(place, str)] if isinstance(places, list) else []


def _below(base: str, folder: str) -> str | None:
    """The path of a folder from one that it may lie below; None where it does not."""
    inside = not base or folder.startswith(f"{base}/")
    return folder[len(base) :].lstrip("/") if inside else None


def folder_of(module: str, config_path: str) -> str:
    """The folder that a relative `config_path` in a module means, by path from the root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), config_path))
