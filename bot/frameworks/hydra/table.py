"""The settings of one root configuration of one release, with Hydra's rules for overriding them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from bot.base.messages import message
from bot.frameworks.hydra import rules
from bot.frameworks.hydra import tree as trees
from bot.frameworks.hydra.composition import ChosenGroups, Composition
from bot.frameworks.hydra.rules import undecided, wrong
from bot.frameworks.hydra.tree import ABSENT, CannotPutError, YamlTree
from bot.frameworks.settings.key_table import (
    OK,
    Key,
    KeyTable,
    KeyVerdict,
    Status,
    closest,
    refusal,
)
from bot.frameworks.settings.lifetimes import SHARED, deprecations, history
from bot.frameworks.settings.setting import Setting

_REFUSED: Final = refusal("unknown")
_KEPT: Final = 32
"""Combinations of choices that are kept of a root."""


class HydraTable(KeyTable):
    """A root configuration composed by Hydra."""

    searched = False
    """Whether what a command line's `hydra.searchpath` adds is known."""
    composes = False
    """Whether it can give what added groups and lists of options give."""

    def __init__(self, data: Mapping[str, Any], root: str) -> None:
        """`data` is the file of a release; raises `KeyError` when it does not have the root."""
        self.framework: str = data["framework"]
        self.version: str = data["version"]
        self._title: str = data.get("title", f"{self.framework} {self.version}")
        self.root = root
        self.groups: Mapping[str, Sequence[str]] = data["groups"]
        """Configuration groups (folders of the configuration) with their options."""
        self._pool: list[Any] = data["pool"]
        self._root: dict[str, Any] = data["roots"][root]
        self._expanded: dict[int, YamlTree] = {}
        self._instead: dict[str, str | None] = {}
        self._compositions: dict[tuple[tuple[str, str], ...], Composition] = {}
        self._last: tuple[tuple[Setting, ...], ChosenGroups] | None = None
        self.tree: YamlTree = self._expand(self._root["tree"])
        """The composed configuration with the default choices."""

    def _expand(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        at = node.get(SHARED)
        if at is None:
            return {name: self._expand(below) for name, below in node.items()}
        if at not in self._expanded:
            self._expanded[at] = self._expand(self._pool[at])
        if len(node) == 1:
            return self._expanded[at]
        differing = {name: self._expand(node[name]) for name in node if name != SHARED}
        return {**self._expanded[at], **differing}

    # What is there

    @property
    def choices(self) -> Mapping[str, str]:
        """Group keys as an override must spell them, with the option that is the default."""
        return dict(self._expand(self._root["choices"]))

    def get(self, key: str) -> Key | None:
        """The key under the default choices, else under the first choice that has it."""
        node = trees.lookup(self.tree, key)
        if node is not ABSENT:
            return self._key(self.tree, key, node)
        found = self._elsewhere(key)
        return self._key(found[1], key, trees.lookup(found[1], key)) if found else None

    def key_in(self, tree: YamlTree, key: str) -> Key | None:
        """The key in the configuration of a launch (`tree_for`); None where it has none."""
        node = trees.lookup(tree, key)
        return None if node is ABSENT else self._key(tree, key, node)

    def _elsewhere(self, key: str) -> tuple[str, YamlTree] | None:
        """The first choice other than the default that has the key, as "group=option"."""
        for choice, tree in self.alternatives:
            if trees.lookup(tree, key) is not ABSENT:
                return choice, tree
        return None

    def _choice_with(self, key: str) -> str | None:
        """What to add to a launch so that it has the key: "group=option"; None for nothing."""
        found = self._elsewhere(key)
        return found[0] if found else None

    def _key(self, tree: YamlTree, key: str, node: Any) -> Key:
        if isinstance(node, dict):
            return Key(key, "dict", {} if not node else None, free=not node)
        resolved = trees.resolve(tree, node, tuple(key.split(".")))
        kinds: dict[type, str] = {
            bool: "bool", int: "int", float: "float", str: "str", list: "list", dict: "dict",
        }  # fmt: skip
        if resolved is None or resolved == trees.MISSING:
            return Key(key, "null" if resolved is None else "mandatory", node)
        return Key(key, kinds.get(type(resolved), "any"), node)

    def __contains__(self, key: str) -> bool:
        return trees.lookup(self.tree, key) is not ABSENT or self._elsewhere(key) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    @cached_property
    def _every(self) -> tuple[str, ...]:
        return rules.names_of(*self._trees())

    @cached_property
    def alternatives(self) -> tuple[tuple[str, YamlTree], ...]:
        """Each single choice other than the default, as "group=option", with its tree."""
        return tuple(
            (f"{group}={option}", self._expand(found["tree"]))
            for group, options in sorted(
                # The choice of a whole engine is what a script should name, so it comes first.
                self._root["alternatives"].items(),
                key=lambda item: ("@" in item[0], item[0]),
            )
            for option, found in options.items()
            if found is not None
        )

    def refers_to(self, name: str) -> bool:
        """Whether a default takes its value from a key that ends with this name.

        A relative reference (`${..name}`) says no more of its key than that.
        """
        return name in self._default_references or name in self._references

    @cached_property
    def _default_references(self) -> frozenset[str]:
        return rules.references_of(self.tree)

    @cached_property
    def _references(self) -> frozenset[str]:
        return rules.references_of(*self._trees())

    def _trees(self) -> Iterator[YamlTree]:
        yield self.tree
        yield from (tree for _, tree in self.alternatives)

    # Suggestions and deprecations

    def nearest(self, key: str) -> str | None:
        """The most similar key of this release, or None when none is close."""
        return closest(key, self._default_names) or closest(key, self._every)

    def deprecated(self, key: str, /) -> str | None:
        """What to use instead of an accepted but deprecated key; "" when nothing is needed."""
        if key not in self._instead:
            self._instead[key] = (
                self._deprecated(key) if key.endswith(self._deprecated_suffixes) else None
            )
        return self._instead[key]

    @cached_property
    def _deprecations(self) -> Sequence[Mapping[str, Any]]:
        """The deprecations that may count; one counts where its replacement is there."""
        return deprecations(self.framework, self.version)

    @cached_property
    def _deprecated_suffixes(self) -> tuple[str, ...]:
        return tuple(str(e["key"]).rpartition("*")[2] for e in self._deprecations if "key" in e)

    def _deprecated(self, key: str) -> str | None:
        for entry in self._deprecations:
            head, star, tail = str(entry.get("key", "")).rpartition("*")
            fits = key.startswith(head) and key.endswith(tail) if star else key == tail
            if not fits:
                continue
            middle = key[len(head) : len(key) - len(tail)] if star else ""
            instead = str(entry["use"]).replace("*", middle)
            if (key in self or entry.get("outside")) and (not instead or instead in self):
                return instead
        return None

    @property
    def deprecated_root(self) -> str | None:
        """What to write instead of naming this root configuration, when that is deprecated."""
        found = (str(e["use"]) for e in self._deprecations if e.get("root") == self.root)
        return next(found, None)

    def history(self, key: str, /) -> str | None:
        """Releases that have the key in this root or its relatives, in words; None if none has."""
        return history(self.framework, self.root, key)

    # Verdicts of Hydra

    def verdicts(self, settings: Sequence[Setting]) -> tuple[KeyVerdict, ...]:
        """What Hydra would say to each override: groups first, then the others in order.

        After a refused override the next ones are judged as if it had not been there.
        """
        return self._chosen(tuple(settings)).taken or self._judge(settings)[0]

    def refused(self, settings: Sequence[Setting]) -> tuple[bool, ...]:
        """See `KeyTable.refused`."""
        verdicts, _ = self._judge(settings, hints=False)
        refused = tuple(verdict.accepted is False for verdict in verdicts)
        if not any(refused):  # Hints are for refused ones.
            self._chosen(tuple(settings)).taken = verdicts
        return refused

    def composed(self, settings: Sequence[Setting]) -> YamlTree:
        """The configuration with every override that Hydra would take, refused ones left out."""
        return self._judge(settings, hints=False, carried_out=True)[1]

    def _judge(
        self, settings: Sequence[Setting], *, hints: bool = True, carried_out: bool = False
    ) -> tuple[tuple[KeyVerdict, ...], YamlTree]:
        """The verdicts, and the tree with the overrides that were `carried_out` to judge."""
        chosen = self._chosen(tuple(settings))
        start = tree = chosen.start.tree
        doubt = chosen.doubt
        results = dict(chosen.decided)
        if not carried_out:
            results |= dict.fromkeys(chosen.plain, replace(OK, accepted=None) if doubt else OK)
        for at, setting in enumerate(settings):
            if at in results:
                continue
            try:
                after = rules.apply(tree, setting)
                taken = rules.replaces(tree, setting)
                results[at] = replace(taken, accepted=None) if doubt and taken else taken
                tree = after
            except CannotPutError as refusal:
                results[at] = self._refused(
                    tree, setting, refusal.status, doubt, start if hints else None
                )
        return tuple(results[at] for at in range(len(settings))), tree

    def tree_for(self, settings: Sequence[Setting]) -> YamlTree:
        """The composed configuration under the group choices among `settings`."""
        return self._chosen(tuple(settings)).start.tree

    def doubt(self, settings: Sequence[Setting]) -> str:
        """Why it is not known what the choices among `settings` give; "" where it is."""
        chosen = self._chosen(tuple(settings))
        return chosen.doubt or next((v.message for v in chosen.decided.values() if not v), "")

    def _chosen(self, settings: tuple[Setting, ...]) -> ChosenGroups:
        """What a launch's choices give; it is asked about several times in a row."""
        if self._last is None or settings is not self._last[0]:
            self._last = settings, self._choose(settings)
        return self._last[1]

    def _choose(self, settings: tuple[Setting, ...]) -> ChosenGroups:
        results: dict[int, KeyVerdict] = {}
        leaves, is_leaf = self._under(()).leaves, self._under(()).is_leaf
        others = [
            (at, one)
            for at, one in enumerate(settings)
            if one.key not in leaves and not is_leaf(one.key)
        ]
        searched = any(s.key == "hydra.searchpath" for _, s in others) and not self.searched
        doubt = "hydra.searchpath adds configuration that is not known" if searched else ""
        groups = self.groups
        chosen = [
            (at, setting)
            for at, setting in others
            if setting.key.split("@")[0] in groups and not isinstance(setting.value, dict)
        ]
        wanted = rules.wanted((setting for _, setting in chosen), every=self.composes)
        found = self._under(tuple(wanted.items()))
        usual = self.choices
        choices = {k: o for k, o in found.choices.items() if k in usual or f"+{k}" not in wanted}
        last = {setting.key: at for at, setting in chosen if not setting.operator}
        # What is added can be chosen anew by a setting before it too.
        for at, setting in sorted(chosen, key=lambda one: one[1].operator != "+"):
            group, name = setting.key.split("@")[0], f"{setting.operator}{setting.key}"
            options = list(groups[group])
            if at != last.get(setting.key, at):  # The last one counts, and this may be any.
                options += rules.options_in(rules.option_of(setting) or "")
            verdict = rules.choice(setting, group, options, choices)
            if verdict and setting.operator == "+":
                choices[setting.key] = str(setting.value)
            if verdict.accepted and (found.doubt or (name == setting.key and name not in wanted)):
                verdict = replace(verdict, accepted=None)
            results[at] = undecided(doubt) if searched and not verdict else verdict
            if verdict and name not in wanted:
                doubt = doubt or message("what {key} is in the end is not known", key=setting.key)
        for at, setting in others:
            if at in results:
                continue
            if re.match(r"hydra\b", setting.key):
                results[at] = KeyVerdict(status="ok", accepted=None)
            elif "@" in setting.key or "/" in setting.key:
                group = setting.key.split("@")[0]
                none = message("there is no configuration group {group}", group=group)
                results[at] = undecided(doubt) if searched else wrong(none, setting, group)
        left = [(at, setting) for at, setting in enumerate(settings) if at not in results]
        return ChosenGroups(found, doubt or found.doubt, results, found.plain(left))

    def _under(self, wanted: tuple[tuple[str, str], ...]) -> Composition:
        """See `under`; what launches want again is kept."""
        if (found := self._compositions.get(wanted)) is None:
            if len(self._compositions) >= _KEPT:
                self._compositions.clear()
            found = Composition(*self.under(dict(wanted)), self.groups)
            self._compositions[wanted] = found
        return found

    def under(self, wanted: Mapping[str, str]) -> tuple[YamlTree, dict[str, str], str]:
        """Tree and choices with the wanted options, and why they may be inexact.

        A key begins with `+` where its group is added; of options see `rules.option_of`.
        The file holds each choice alone; several are exact together as long as they change
        different mappings and none decides another, as the choice of an engine does.
        """
        tree, choices, doubt = self.tree, dict(self.choices), ""
        decided: set[str] = set()
        for key in sorted(wanted, key=lambda name: "@" in name):
            option = wanted[key]
            others = self._root["alternatives"].get(key, {})
            if choices.get(key) == option or not rules.offered(key, option, self.groups, choices):
                continue
            if others.get(option) is None:
                doubt = message(
                    "what {key}={option} gives beside the other choices is not known",
                    key=key,
                    option=option,
                )
                continue
            tree, apart = trees.overlay(self.tree, tree, self._expand(others[option]["tree"]))
            then: dict[str, str] = self._expand(others[option]["choices"])
            changed = {name for name in then if then[name] != self.choices.get(name)}
            if not apart or changed & decided:
                doubt = message("several groups that depend on each other were chosen at once")
            decided |= changed
            choices.update({name: then[name] for name in changed})
        return tree, choices, doubt

    def _names(self, tree: YamlTree) -> tuple[str, ...]:
        """Every key of a tree; those of the default choices are cached for most launches."""
        return self._default_names if tree is self.tree else rules.names_of(tree)

    @cached_property
    def _default_names(self) -> tuple[str, ...]:
        return rules.names_of(self.tree)

    def _refused(
        self, tree: YamlTree, setting: Setting, status: Status, doubt: str, start: YamlTree | None
    ) -> KeyVerdict:
        """Why a setting is refused, and with the tree that it started from, in words."""
        key = setting.key
        if status == "undecided":
            return undecided(
                message("the value that {key} has already is known to a run alone", key=key),
                f"++{key}" if setting.operator == "+" else None,
            )
        if doubt:
            return undecided(doubt)
        if start is None:
            return _REFUSED
        if status == "exists":
            why = message("{key} is there already, so + cannot add it", key=key)
            return refusal("exists", why, suggestion=key)
        if status == "absent":
            return refusal("absent", rules.not_removed(tree, key))
        if status == "invalid":
            return refusal("invalid", message("the value cannot be put at {key}", key=key))
        parent, node = rules.last_there(tree, key)
        if parent == key:
            return refusal("unknown", message("the value has keys that {key} has not", key=key))
        if parent and (node is None or rules.is_free(self.tree, tree, parent)):
            why = message("{key} is new below {parent}, so it needs +", key=key, parent=parent)
            return refusal("needs-plus", why, suggestion=f"+{key}")
        if not isinstance(node, dict):
            why = message(
                "{parent} is a single setting, so nothing can stand below it", parent=parent
            )
            return refusal("below-leaf", why)
        choice = self._choice_with(key)
        near = None if choice else closest(key, self._names(start))
        why = message("{configuration} has no {key}", configuration=self._title, key=key)
        return refusal("unknown", why, suggestion=near, choice=choice)
