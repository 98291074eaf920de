"""The repository around a script: which of its files say what configuration applies.

Nothing of it is run: its configuration folders are read as data, its Python files as syntax trees,
its requirements as text. Where several copies of a framework are vendored, the nearest one above a
script is meant, else the one whose path has most in common with the script's.

`repository` reads the copies, what a program names by `@hydra.main` and the releases that are asked
for, `programs` and `python.structured` the dataclasses. Here stand which files they need
(`Checkout.paths_for`), and the one object that keeps what was read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.frameworks.files.config_files import SUFFIX, ComposeError
from bot.frameworks.files.named_files import (
    MOST_NAMED,
    PATH,
    NamedFiles,
    above,
    below_unknown,
    beside,
    bytes_of,
    entry_file,
    nearest,
    nearest_named,
    started,
    text_of,
)
from bot.frameworks.hydra.config_tree import ConfigTree
from bot.frameworks.python.notebook import PROGRAMS
from bot.frameworks.python.source import field_names
from bot.frameworks.python.structured import StructuredTable, structured_table
from bot.frameworks.repository.openrlhf_copies import OpenRLHFCopies, trainers_folder
from bot.frameworks.repository.own_config import (
    HERE,
    ConfigFolders,
    OwnRoot,
    folder_of,
    may_define,
    module_paths,
    names_folder,
    verls,
)
from bot.frameworks.repository.patches import PATCHES, Patches
from bot.frameworks.repository.pins import Pin, joined, pinned_folder, read_pin
from bot.frameworks.repository.release_overlay import own_layer
from bot.frameworks.repository.verl_copies import CONFIG_FILE, VerlCopies
from bot.shell import Files

if TYPE_CHECKING:
    from bot.frameworks.programs.repository_programs import TrlPrograms

_CLASS, _TRL = b"@dataclass", b"trl"
"""What a file holds that adds arguments of its own to TRL's; the second where no file parses."""
_PARSERS = (b"TrlParser", b"HfArgumentParser")
"""What a file holds that parses the fields of classes, also of those that other files define."""
_RECIPES: Final = (".yaml", ".yml")
_COUNTED: Final = (*PROGRAMS, *_RECIPES, *PATCHES)
_NAMED = regex(
    r"(?:\A|/)(?:config|[^/]{0,200}(?:ds|deepspeed|zero|stage|accelerate|fsdp)[^/]{0,200})\.json\Z"
)
"""Files that say the shape of a model, or how DeepSpeed or accelerate is used."""
_BELOW: Final = regex(r"\w[\w.-]{0,200}/[\w./-]{1,400}\Z")
"""A relative path below a folder."""
_MOST_FILES = 200
"""Files of the configuration that one program may start with."""
_MOST_MODULES = 100
"""Modules in which a recipe's repository may define settings of its own."""


def counts(path: str) -> bool:
    """Whether a file of a repository may say what counts: a configuration, a model's shape."""
    if path.endswith(_COUNTED) or pinned_folder(path) is not None:
        return True
    return path.endswith(".json") and _NAMED.search(path) is not None


def configuration_folder(path: str) -> str | None:
    """The folder of a framework's configuration that a file belongs to; None for another file."""
    found = CONFIG_FILE.match(path)
    return found[1] if found else trainers_folder(path)


def needed(paths: Iterable[str], scripts: Mapping[str, bytes]) -> tuple[str, ...]:
    """Of a repository's paths those that say what scripts run, and which configuration counts."""
    return tuple(sorted(set().union(*needed_by(paths, scripts).values())))


def needed_by(paths: Iterable[str], scripts: Mapping[str, bytes]) -> dict[str, set[str]]:
    """The same for each of the scripts."""
    paths = tuple(paths)
    every = Checkout(dict.fromkeys(filter(counts, paths), b""))
    return {
        script: {*files, *every.paths_for(script, scripts[script].decode("utf-8", "replace"))}
        for script, files in started(paths, scripts).items()
    }


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a command line says of the configuration that a program starts with."""

    path: str | None = None
    """`--config-path`."""
    name: str | None = None
    """`--config-name`."""
    searched: tuple[str, ...] | None = None
    """`hydra.searchpath` and `--config-dir`; None where it has neither."""


class Checkout:
    """A repository's files that count; what is read of them is kept."""

    def __init__(
        self, files: Mapping[str, bytes], left: Collection[str] = (), *, cut: str | None = None
    ) -> None:
        """`files` are those that `counts` selects, by path from the root; they may be read late.

        `left` are files and folders that were left out, `cut` says why not all were looked for.
        """
        self.files = files
        self.left = left
        self.cut = cut
        self._pin_files: dict[str, list[str]] = {}
        pins = {path: folder for path in files if (folder := pinned_folder(path)) is not None}
        for path, folder in sorted(pins.items()):
            self._pin_files.setdefault(folder, []).append(path)
        self.verl = VerlCopies(files, left, cut)
        self.patches = Patches(files)
        self._own = ConfigFolders(files)
        self._recipes = NamedFiles(path for path in files if path.endswith(_RECIPES))
        self._json = NamedFiles(path for path in files if path.endswith(".json"))
        self._adapts: bool | None = None
        self.openrlhf = OpenRLHFCopies(
            files, lambda entry, script: self.trl_programs.file_of(entry, script)
        )
        self._own_roots: dict[object, OwnRoot | None] = {}
        self._structured: dict[str, StructuredTable | None] = {}
        self._arguments: frozenset[str] | None = None
        self._pins: dict[tuple[str, str], Pin | None] = {}

    @cached_property
    def trl_programs(self) -> TrlPrograms:
        """Programs that train with TRL; what reads them is not loaded for scripts of others."""
        from bot.frameworks.programs.repository_programs import TrlPrograms

        return TrlPrograms(self.files)

    @property
    def vendors(self) -> bool:
        """Whether it holds the configuration of a framework."""
        return bool(self.verl.folders) or self.openrlhf.vendored

    def paths_for(self, script: str, text: str) -> Iterator[str]:
        """The files that say which configuration counts for a script with this text."""
        modules = self._own.modules
        started = (nearest(modules.ending(p), script) for p in modules.words(module_paths(text)))
        for module in islice(filter(None, started), MOST_NAMED):
            yield module
            yield from beside(module, self.files)
            around = f"{module.rpartition('/')[0]}/config"
            beside_it = [own for own in (around, f"{around}s") if own in self._own.folders]
            yield from islice(self._config_files(beside_it or self._packages()), _MOST_FILES)
        folders = (path.rstrip("/") for path in dict.fromkeys(PATH.findall(text)))
        named = (path for path in folders if names_folder(path))
        for path in islice(named, MOST_NAMED):
            rest = path.partition("/")[2]  # Of `$PWD/config` the name is a part of the word.
            for shown in (f"/{rest}", f"${{?}}/{rest}"):
                if (folder := self._own.named(shown, script)) is not None:
                    yield from (f"{folder}/{name}" for name in self._own.folders[folder])
        yield from self.verl.paths(script)
        yield from self.openrlhf.paths(script)
        yield from self.patches.paths
        yield from islice(self.pinning(script), _MOST_FILES)
        yield from self._recipes_for(script, text)
        yield from self._json.named_in(text, script)

    def pinning(self, path: str) -> Iterator[str]:
        """The files above one that may pin a release, the nearest first."""
        return chain.from_iterable(self._pin_files.get(folder, ()) for folder in above(path))

    def _packages(self) -> list[str]:
        """The folders that a program may name as a package: `pkg://rllm.trainer.config`."""
        return [folder for folder in self._own.folders if folder not in self.verl.folders]

    def _config_files(self, folders: Iterable[str]) -> Iterator[str]:
        return (f"{folder}/{name}" for folder in folders for name in self._own.folders[folder])

    def _recipes_for(self, script: str, text: str) -> Iterator[str]:
        """The recipes that a script may name, and what says which settings a recipe may hold."""
        recipes = self._recipes.named_in(text, script)
        yield from recipes
        if recipes or "model_name_or_path" in text:
            for path in self.trl_programs.paths_for(script, PATH.findall(text)):
                yield path
                yield from islice(self.pinning(path), _MOST_FILES)
        if script.endswith(_RECIPES):
            recipes.append(script)
            if (module := nearest(self._programs(), script)) is not None:
                yield module
                yield from beside(module, self.files)
        if recipes and ("trl" in text or "model_name_or_path" in text):
            modules = [path for path in self.files if path.endswith(".py")]
            if len(modules) > _MOST_MODULES:
                modules = [path for path in modules if may_define(path)]
            yield from sorted(modules)[:_MOST_MODULES]

    def recipe(self, script: str, named: str) -> str | None:
        """The YAML file that a script names; None where the repository has none there.

        It is looked for from the root, and from the script's folder on upwards; so is the rest of a
        path below a folder that only a run knows. One on somebody's machine may be here too.
        """
        return self._recipes.at(below_unknown(named), script) or self._recipes.elsewhere(named)

    def json(self, script: str, named: str) -> bytes | None:
        """A model's or DeepSpeed's file that a script names, looked for as a recipe is."""
        path = self._json.at(below_unknown(named), script)
        return None if path is None else self.files[path]

    def own(
        self, entry: str, script: str, line: CommandLine, verl: ConfigTree | None
    ) -> OwnRoot | None:
        """What a program of the repository starts with; None where the repository does not say.

        What the command line says counts in the place of the module's `@hydra.main` and of the
        root's search path; a path may begin with a part that is not known
        (`${?PWD}/examples/config`). `verl` stands for verl's own configuration.
        """
        path, name = line.path, line.name
        module = self.module(entry, script)
        main = self._own.main(module) if module is not None else None
        if path is not None and module is None and _BELOW.match(path):
            # A beginning to fill in: base_dir/mine/config.
            path = f"/{path}" if self._own.places(f"/{path}", script) else path
        if path is not None and path.startswith(("/", "${?")):
            places = self.verl.beside(script, self._own.places(path, script))
            folder = next(iter(places)) if len(places) == 1 else None
            folder = folder or self._own.holding(path, script, name or "")
        elif module is None or main is None:
            return self._own.unfollowed(module) if module is not None else None
        else:
            given = main.config_path if path is None else path
            folder = self._own.relative(given, module, "" if path is None else script)
            outside = folder is not None and path is None and self._lacks_verl(folder)
            if (folder is None and verls(given)) or outside:
                return self._released(name or main.config_name, verl)
        root = name or (main.config_name if main is not None else None)
        if folder is None or not self._own.has(folder) or root is None:
            there = folder is not None and (path or "config").strip("./") == "config"
            return None if there else self._own.leads_nowhere(path, script)
        root = root.removesuffix(SUFFIX)
        if folder in self.verl.folders:
            if verl is not None and not self.verl.holds(verl):
                return OwnRoot(root, verl)  # Given from outside, in the place of every copy.
            vendored = self.verl.tree_in(folder)
            return OwnRoot(root, vendored) if isinstance(vendored, ConfigTree) else None
        key = (folder, root, line.searched, script if line.searched else "", id(verl))
        if key not in self._own_roots:
            searched = line.searched and [self._searched(place, script) for place in line.searched]
            self._own_roots[key] = self._own.root(folder, root, verl, searched)
        return self._own_roots[key]

    def makes_adapters(self) -> bool:
        """Whether a program that reads recipes of TRL's settings makes its adapter itself."""
        if self._adapts is None:
            programs = (path for path in self.files if path.endswith(".py"))
            from bot.frameworks.programs.program import reads_and_adapts

            self._adapts = any(reads_and_adapts(bytes_of(self.files, path)) for path in programs)
        return self._adapts

    def misplaced(self, entry: str, script: str, path: str) -> str | None:
        """A `--config-path` as it should be that is written from the root, or a folder above.

        Hydra takes it from the folder of the program. None where there is one too, or nowhere.
        """
        module = self.module(entry, script)
        if module is None or path.startswith(("/", "..")) or self._own.main(module) is None:
            return None
        meant = (posixpath.normpath(posixpath.join(base, path)) for base in above(script))
        found = next((folder for folder in meant if self._own.has(folder)), None)
        if found is None or self._own.has(folder_of(module, path)):
            return None
        return posixpath.relpath(found, posixpath.dirname(module))

    def _searched(self, place: str, script: str) -> str:
        """A folder of the command line's search path, by path from the root where that is sure."""
        path = place.removeprefix("file://")
        found = self._own.named(path, script) if path.startswith(("/", "${?")) else None
        return place if found is None else HERE + found

    def module(self, entry: str, script: str) -> str | None:
        """The file of a started program; None where the repository has none, or not by that name.

        The repository may itself be the package that is named first, as verl-recipe is `recipe`.
        """
        wanted = entry_file(entry)
        if wanted.startswith("${?"):
            return self.trl_programs.file_of(entry, script)
        modules = self._own.modules
        found = next(iter(nearest_named(modules.ending(wanted), wanted, script)), None)
        within = wanted.partition("/")[2]
        return found or (within if "/" in within and within in modules.ending(within) else None)

    def why_unread(self, entry: str, script: str) -> str:
        """As `ConfigFolders.why_unread`."""
        return self._own.why_unread(entry, self.module(entry, script))

    def _lacks_verl(self, folder: str) -> bool:
        """Whether a folder is verl's own in a copy that is not here, as a submodule is not."""
        package = posixpath.dirname(posixpath.dirname(folder))
        return verls(folder) and not any(path.startswith(f"{package}/") for path in self.files)

    def _released(self, root: str | None, verl: ConfigTree | None) -> OwnRoot | None:
        """A root of verl's own, which a program of the repository starts with."""
        if root is None:
            return None
        root = root.removesuffix(SUFFIX)
        if verl is not None:
            return OwnRoot(root, verl)
        try:
            layer = own_layer("", root, {}, ())
        except ComposeError:  # No release has a root of this name.
            return None
        return OwnRoot(root, layer=layer) if layer is not None else None

    def structured(self, entry: str, script: str) -> StructuredTable | None:
        """The settings of a program of the repository that OmegaConf makes of dataclasses."""
        module = self.module(entry, script)
        if module is not None and module not in self._structured:
            called = message("{path} of this repository", path=module)
            texts = (text_of(self.files, path) for path in beside(module, self.files))
            self._structured[module] = structured_table(text_of(self.files, module), texts, called)
        return None if module is None else self._structured[module]

    def program(self, recipe: str) -> tuple[str, StructuredTable] | None:
        """The nearest module whose settings a recipe may hold, with its table; None without one."""
        module = nearest(self._programs(), recipe)
        entry = ".".join((module or "").removesuffix(".py").split("/")[-3:])
        table = self.structured(entry, recipe) if module is not None else None
        return (entry, table) if table is not None else None

    def _programs(self) -> dict[str, str]:
        return {path: path for path in self.files if path.endswith("/trainer/main.py")}

    def own_arguments(self) -> frozenset[str]:
        """The names that the repository's classes of arguments add to those of their framework."""
        if self._arguments is None:
            paths = [path for path in self.files if path.endswith(".py")]
            parses = any(mark in bytes_of(self.files, path) for path in paths for mark in _PARSERS)
            texts = (
                text_of(self.files, path)
                for path in paths
                if _CLASS in (data := bytes_of(self.files, path)) and (parses or _TRL in data)
            )
            self._arguments = frozenset(name for text in texts for name in field_names(text))
        return self._arguments

    def pin(self, framework: str, *paths: str) -> Pin | None:
        """What the requirements above files say of a framework's release, the nearest first."""
        found = list[Pin | None]()
        for folder in chain.from_iterable(map(above, paths)):
            key = (framework, folder)
            if key not in self._pins:
                pins = self._pin_files.get(folder, ())
                files = {path: bytes_of(self.files, path) for path in pins}
                self._pins[key] = read_pin(framework, files)
            found.append(self._pins[key])
        return joined(found)

    def __reduce__(self) -> tuple[object, ...]:
        """What is read of it anew where it is sent: its files alone."""
        return partial(Checkout, cut=self.cut), (self.files, self.left)


@dataclass(frozen=True, slots=True)
class ScriptPlace:
    """Where a script stands in a repository."""

    checkout: Checkout
    path: str
    """Relative to the repository's root, with forward slashes."""
    files: Files | None = None
    """Its files that the script may source or start; None where nobody says that it is called
    from the repository's root."""
    whole: bool = False
    """Whether the checkout has all that counts, but for what it left out; else what was named."""
    taken: Callable[[str], bool] | None = None
    """Whether a path, as `path`, is that of a file or folder; None where nobody knows."""
