"""verl: which root configuration a launch starts from, and by which release or tree it is read."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final

from bot.base.messages import message
from bot.frameworks.checkout import CommandLine, ScriptPlace
from bot.frameworks.configuration import Configuration, RootProblem, Versions
from bot.frameworks.files.config_files import SUFFIX
from bot.frameworks.files.named_files import above, single_slashes
from bot.frameworks.hydra.config_tree import ConfigTree
from bot.frameworks.hydra.overrides import Flag, HydraLine
from bot.frameworks.plan import Launch
from bot.frameworks.repository.own_config import OwnRoot, shown_path
from bot.frameworks.repository.release_overlay import OwnLayer, layered_table
from bot.frameworks.settings.releases import entry_root, release, releases
from bot.frameworks.tables import table
from bot.shell.world.tree import WORKING_FOLDER

_FRAMEWORK: Final = "verl"
_CALLED_IN: Final = f"${{?{WORKING_FOLDER.reason}}}"
"""How the path of the folder begins in which a script is called."""


def root_of(launch: Launch, line: HydraLine, versions: Versions) -> Configuration:
    """The release, or what stands in its place, with the settings of the launch's root.

    The first of these counts: what the repository's program starts with, where it is none of verl's
    trainers or the command line leads elsewhere; the dataclasses of the program; the configuration
    that the user gives, or the copy of verl nearest to the script; the release.
    """
    place, tree, unsure = versions.counting(_FRAMEWORK), versions.trees.get(_FRAMEWORK), ""
    if place is not None and tree is None:
        tree, unsure = place.checkout.verl.tree(place.path), place.checkout.verl.unsure(place.path)
    if (lost := _misplaced(launch, line, place, installed=tree is None and not unsure)) is not None:
        counts = _in_place(tree) if tree is not None else _of_no_root(launch, versions)
        return replace(counts, problem=lost)
    own = _root_of_repository(launch, line, place, tree) if place is not None else None
    if own is not None and own.tree is not None:
        named = None if line.searches else line.flags.get("--config-name")
        return _of_tree(own.tree, own.root, named)
    if own is not None and own.layer is not None and not unsure:
        return _layered(launch, own.layer, versions)
    if own is not None:  # No release stands for a copy of which it is not known which.
        counts = _in_place(tree) if tree is not None else _of_no_root(launch, versions)
        return replace(counts, unread=own.unread or unsure, hydra=own.hydra)
    fields = place.checkout.structured(launch.entry, place.path) if place is not None else None
    if fields is not None:
        return Configuration(fields.version, "tree", fields.version, fields)
    if unsure:
        return replace(_of_no_root(launch, versions), unread=unsure)
    found, name = _of_verl(launch, line, versions, tree, place), line.flags.get("--config-name")
    if found.table is not None or name is None or name.value is not None:
        return found
    why = message(
        "only a run knows which configuration --config-name {name} names",
        name=shown_path(name.text or "…"),
    )
    return replace(found, unread=why)


def _root_of_repository(
    launch: Launch, line: HydraLine, place: ScriptPlace, tree: ConfigTree | None
) -> OwnRoot | None:
    """What the repository says of a program's root; None where verl says it."""
    name, path = line.flags.get("--config-name"), line.flags.get("--config-path")
    hidden = (name is not None and name.value is None) or (path is not None and not path.text)
    if hidden or (_is_usual(launch) and path is None and _may_hold(tree, _root_named(name))):
        return None
    searched = _search_path(launch, line) if line.searches else None
    folder = single_slashes(path.text) if path is not None and path.text is not None else None
    command = CommandLine(folder, _root_named(name), searched)
    return place.checkout.own(launch.entry, place.path, command, tree)


def _misplaced(
    launch: Launch, line: HydraLine, place: ScriptPlace | None, *, installed: bool
) -> RootProblem | None:
    """A relative `--config-path` that is none from the program's folder, where Hydra looks."""
    path = line.flags.get("--config-path")
    if place is None or path is None or not path.value:
        return None
    near = place.checkout.misplaced(launch.entry, place.path, path.value)
    if near is None and installed:
        name = _root_named(line.flags.get("--config-name"))
        near = _from_caller(launch, place, f"{path.value}/{name}{SUFFIX}")
    if near is None:
        return None
    text = message(
        "Hydra takes --config-path {path} from the folder of {program}, where it is not",
        path=path.value,
        program=launch.entry,
    )
    lacks = posixpath.basename(posixpath.normpath(path.value))
    return RootProblem(text, path.span, near, lacks, folder=True)


def _from_caller(launch: Launch, place: ScriptPlace, root: str) -> str | None:
    """The folder of a root that is one from where the script is called, for an installed program.

    Beside that stands verl's own folder `config` alone. None where it may be another folder.
    """
    root, went = posixpath.normpath(root), launch.command.folder
    starts = any(entry_root(_FRAMEWORK, known, launch.entry) for known in releases(_FRAMEWORK))
    if not starts or root.startswith(("/", "..", "config/")) or "/" not in root:
        return None
    bases: Iterable[str] = above(place.path)
    if went is not None:
        whole = went.text.startswith(_CALLED_IN) and len(went.holes) == 1
        bases = [went.text[len(_CALLED_IN) + 1 :]] if whole else []
    there = any(posixpath.join(base, root) in place.checkout.files for base in bases)
    if not there or place.checkout.module(launch.entry, place.path) is not None:
        return None
    return f"$PWD/{posixpath.dirname(root)}"


def _is_usual(launch: Launch) -> bool:
    return launch.entry.startswith("verl.trainer.")


def _may_hold(tree: ConfigTree | None, root: str | None) -> bool:
    """Whether verl's configuration may have a root: a fork's program may start with another."""
    return tree is None or root is None or root in tree.composer.names


def _root_named(name: Flag | None) -> str | None:
    return name.value.removesuffix(SUFFIX) if name and name.value else None


def _of_verl(
    launch: Launch,
    line: HydraLine,
    versions: Versions,
    tree: ConfigTree | None,
    place: ScriptPlace | None,
) -> Configuration:
    """The root of verl's own configuration, in the tree if there is one, else in the release."""
    name, path = line.flags.get("--config-name"), line.flags.get("--config-path")
    given, usual = _root_named(name), _is_usual(launch)
    released = usual or (tree is None and launch.entry.startswith("verl."))
    elsewhere = path is not None and not (released and (path.value or "?").strip("./") == "config")
    unknown = elsewhere or (name is not None and given is None)
    # Another folder may have the name.
    named = None if unknown or not usual or line.searches else name
    if tree is not None and (unknown or given):
        return _of_tree(tree, None if unknown else given, named)
    if tree is not None:
        return _in_tree(tree, launch, place)

    def has(known: str) -> bool:
        entry = entry_root(_FRAMEWORK, known, launch.entry)
        return entry is not None and (given is None or given in _roots(known))

    chosen = versions.having(_FRAMEWORK, launch.entry, has)
    if unknown or not has(chosen.release):
        return replace(chosen, problem=_misspelt(named, given))
    root = given or entry_root(_FRAMEWORK, chosen.release, launch.entry)
    return chosen.with_table(table(_FRAMEWORK, chosen.release, root) if root else None)


def _in_place(tree: ConfigTree) -> Configuration:
    """A tree in the place of a release, without the settings of a root."""
    return Configuration(tree.name, "tree", tree.title)


def _of_no_root(launch: Launch, versions: Versions) -> Configuration:
    """The preferred release, without the settings of a root."""
    return versions.having(_FRAMEWORK, launch.entry, lambda _: False)


def _in_tree(tree: ConfigTree, launch: Launch, place: ScriptPlace | None) -> Configuration:
    """The root that a module starts from; a fork's main function may name another of its own."""
    own = place.checkout.own(launch.entry, place.path, CommandLine(), tree) if place else None
    if own is not None and not own.hydra:
        return replace(_in_place(tree), unread=own.unread, hydra=False)
    root = own.root if own is not None and own.tree is not None else None
    if root is not None and root not in tree.composer.names:
        if own is not None and own.tree is not None and root in own.tree.composer.names:
            return _of_tree(own.tree, root)
        root = tree.root_of(launch.entry) or root
    return _of_tree(tree, root or tree.root_of(launch.entry))


def _layered(launch: Launch, layer: OwnLayer, versions: Versions) -> Configuration:
    """The repository's own configuration on the release that counts."""
    found = versions.having(_FRAMEWORK, launch.entry, lambda known: layer.base in _roots(known))
    if layer.base not in _roots(found.release):
        return found
    reason = found.reason
    if layer.folder:
        reason = message(
            "{reason}, below {folder} of this repository", reason=reason, folder=layer.folder
        )
    try:
        known = layered_table(layer, found.release)
    except KeyError:
        text = message(
            "its {folder} replaces choices that verl {release} does not have",
            folder=layer.folder,
            release=found.release,
        )
        return replace(found, unread=text)
    return Configuration(found.release, found.source, reason, known)


def _search_path(launch: Launch, line: HydraLine) -> tuple[str, ...]:
    """The folders that the command line adds, as `hydra.searchpath` names them."""
    folder = line.flags.get("--config-dir")
    places = [] if folder is None else [f"file://{folder.text}"]
    for word in launch.argv:
        key, _, value = word.text.partition("=")
        if key.lstrip("+") == "hydra.searchpath":
            places += [place.strip(" '\"") for place in value.strip("[]").split(",")]
    return tuple(places)


def _of_tree(tree: ConfigTree, root: str | None, named: Flag | None = None) -> Configuration:
    """The tree in the place of a release, and the table of its root; None for an unknown one."""
    why = tree.problem(root) if root else None
    if root is None or why is None:
        return _in_place(tree).with_table(tree.table(root) if root else None)
    reason = message("{reason}; {problem}", reason=tree.title, problem=why)
    text = message(
        "the launch cannot start from {configuration}: {problem}",
        configuration=tree.title,
        problem=why,
    )
    problem = None
    if root in tree.composer.names:
        problem = RootProblem(text) if tree.refuses(root) else None
    elif named is not None:
        near = _similar(root, tree.composer.names)
        problem = RootProblem(text, named.span, near, f"{root}{SUFFIX}")
    return Configuration(tree.name, "tree", reason, problem=problem)


def _misspelt(named: Flag | None, given: str | None) -> RootProblem | None:
    """A name that no release has, and that is nearly one of theirs; another may be a fork's."""
    if named is None or given is None:
        return None
    known = {root for version in releases(_FRAMEWORK) for root in _roots(version)}
    near = None if given in known else _similar(given, known)
    text = message("no release of verl has a configuration {name}", name=given)
    return None if near is None else RootProblem(text, named.span, near)


@cache
def _roots(version: str) -> frozenset[str]:
    return frozenset(release(_FRAMEWORK, version)["roots"])


def _similar(name: str, known: Iterable[str]) -> str | None:
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.8)
    return near[0] if near else None
