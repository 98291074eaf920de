"""verl: which root configuration a launch starts from, and by which release or tree it is read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final

from bot.base.messages import message
from bot.frameworks.base import Versions
from bot.frameworks.config_files import SUFFIX
from bot.frameworks.config_tree import ConfigTree
from bot.frameworks.configuration import Configuration, RootProblem
from bot.frameworks.overrides import Flag, HydraLine
from bot.frameworks.own_config import Unfollowed
from bot.frameworks.plan import Launch
from bot.frameworks.release_overlay import OwnLayer, layered_table
from bot.frameworks.releases import entry_root, release, releases
from bot.frameworks.tables import table

_FRAMEWORK: Final = "verl"


def root_of(launch: Launch, line: HydraLine, versions: Versions) -> Configuration:
    """The release, or the tree in its place, with the settings of the launch's root."""
    name = line.flags.get("--config-name")
    path = line.flags.get("--config-path")
    given = name.value.removesuffix(SUFFIX) if name and name.value else None
    usual = launch.entry.startswith("verl.trainer.")
    if not usual or path is not None:
        hidden = (name is not None and name.value is None) or (path is not None and not path.text)
        own = path.text if path is not None else None
        searched = _search_path(launch, line) if line.searches else None
        found = None if hidden else versions.own(_FRAMEWORK, launch.entry, own, given, searched)
        if isinstance(found, tuple):
            return _of_tree(*found, None if line.searches else name)
        if isinstance(found, OwnLayer):
            return _layered(launch, found, versions)
        if found is not None:
            tree = versions.tree(_FRAMEWORK)
            counts = (
                versions.having(_FRAMEWORK, launch.entry, lambda _: False)
                if tree is None
                else Configuration(tree.name, "tree", tree.title)
            )
            return replace(counts, unread=found.reason, hydra=found.hydra)
    elsewhere = path is not None and not (usual and (path.value or "?").strip("./") == "config")
    unknown = elsewhere or (name is not None and given is None)
    # Another folder may have the name.
    named = None if unknown or not usual or line.searches else name

    if (fields := versions.structured(_FRAMEWORK, launch.entry)) is not None:
        return Configuration(fields.version, "tree", fields.version, fields)

    if why := versions.unsure(_FRAMEWORK):
        return replace(versions.having(_FRAMEWORK, launch.entry, lambda _: False), unread=why)
    if (tree := versions.tree(_FRAMEWORK)) is not None:
        root = None if unknown else given or _root_in(tree, launch, versions)
        return _of_tree(tree, root, named)

    def has(known: str) -> bool:
        entry = entry_root(_FRAMEWORK, known, launch.entry)
        return entry is not None and (given is None or given in _roots(known))

    chosen = versions.having(_FRAMEWORK, launch.entry, has)
    if unknown or not has(chosen.release):
        return replace(chosen, problem=_misspelt(named, given))
    root = given or entry_root(_FRAMEWORK, chosen.release, launch.entry)
    return chosen.with_table(table(_FRAMEWORK, chosen.release, root) if root else None)


def _root_in(tree: ConfigTree, launch: Launch, versions: Versions) -> str | Unfollowed | None:
    """The root that a module starts from; a fork's main function may name another of its own.

    Or that it is none of Hydra's.
    """
    found = versions.own(_FRAMEWORK, launch.entry, None, None)
    if isinstance(found, Unfollowed) and not found.hydra:
        return found
    own_root = found[1] if isinstance(found, tuple) else None
    known = own_root in tree.composer.names
    return own_root if known else tree.root_of(launch.entry) or own_root


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


def _of_tree(
    tree: ConfigTree, root: str | Unfollowed | None, named: Flag | None = None
) -> Configuration:
    """The tree in the place of a release, and the table of its root; None for an unknown one."""
    if isinstance(root, Unfollowed):
        return Configuration(tree.name, "tree", tree.title, unread=root.reason, hydra=root.hydra)
    why = tree.problem(root) if root else None
    if root is None or why is None:
        return Configuration(tree.name, "tree", tree.title, tree.table(root) if root else None)
    reason = message("{reason}; {problem}", reason=tree.title, problem=why)
    text = message(
        "nothing starts with {configuration}: {problem}", configuration=tree.title, problem=why
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
