"""What Hydra makes of one override of a composed configuration.

Follows `ConfigLoaderImpl._apply_overrides_to_config` of hydra-core 1.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from bot.base.messages import enumeration, message
from bot.base.regex import regex
from bot.frameworks.hydra.tree import (
    ABSENT,
    MISSING,
    CannotPutError,
    Draft,
    YamlTree,
    drop,
    is_reference,
    lookup,
    put,
    resolve,
    select,
)
from bot.frameworks.settings.key_table import OK, KeyVerdict, refusal
from bot.frameworks.settings.setting import UNKNOWN, Setting

_MOST_OPTIONS: Final = 8
"""Of a group, in a sentence."""
_LAST: Final = regex(r"\.(\w+)\b")


def apply(tree: YamlTree, setting: Setting) -> YamlTree:
    """The tree after one override; raises `CannotPutError` with the status of the refusal."""
    key, value, operator = setting.key, setting.value, setting.operator
    if operator == "~":
        there = select(tree, key)
        if there is ABSENT or there is None or there == MISSING:
            raise CannotPutError("absent")
        if value is not None and (UNKNOWN in (value, there) or is_reference(there)):
            raise CannotPutError("undecided")
        if value is not None and value != there:
            raise CannotPutError("absent")
        return drop(tree, key)
    if operator == "+" and not isinstance(value, (dict, list)):
        there = select(tree, key)
        if there is UNKNOWN:
            raise CannotPutError("undecided")
        if there is not ABSENT and there is not None and there != MISSING:
            raise CannotPutError("exists")
    return put(tree, key, value, force=operator in ("+", "++"))


def carried_out(
    tree: YamlTree, settings: Iterable[Setting], *, refused: bool
) -> tuple[YamlTree, bool]:
    """The tree with all settings in it, and whether each was taken as it is.

    Those that Hydra refuses are put there all the same with `refused`, and left out without.
    """
    draft, taken = Draft(tree), True
    for setting in settings:
        try:
            if setting.operator == "~":
                draft.drop(setting.key)
                continue
            try:
                draft.put(setting.key, setting.value, force=setting.operator in ("+", "++"))
            except CannotPutError:
                taken = False
                if refused:
                    draft.put(setting.key, setting.value, force=True)
        except (CannotPutError, KeyError):
            taken = False
    return draft.tree, taken


def replaces(tree: YamlTree, setting: Setting) -> KeyVerdict:
    """OK, unless a mapping takes the place of a setting that has a value, or the reverse."""
    parent, node = last_there(tree, setting.key)
    if parent == setting.key and isinstance(node, dict) and node and _is_single(setting.value):
        return KeyVerdict(
            status="below-leaf",
            accepted=True,
            message=message(
                "{key} is a section: {value} takes the place of all its settings",
                key=setting.key,
                value=setting.text,
            ),
            suggestion=f"{setting.key}.name" if "name" in node else None,
        )
    node = resolve(tree, node, tuple(parent.split(".")))
    if (
        parent == setting.key
        or node in (None, UNKNOWN, ABSENT, MISSING)
        or isinstance(node, (dict, list))
    ):
        return OK
    return KeyVerdict(
        status="below-leaf",
        accepted=True,
        message=message(
            "{parent} is a single setting: {key} replaces its value by a mapping",
            parent=parent,
            key=setting.key,
        ),
    )


def _is_single(value: object) -> bool:
    """Whether a value is known and no mapping, list or null, nor what another setting has."""
    single = isinstance(value, (str, int, float))
    return single and not (isinstance(value, str) and "${" in value)


def is_free(release: YamlTree, tree: YamlTree, parent: str) -> bool:
    """Whether `parent` stands at or below a mapping that the release leaves empty.

    `release` is the configuration without the script's settings, `tree` the one with them.
    """
    parts = parent.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        node = lookup(release, name)
        if (lookup(tree, name) if node is ABSENT else node) == {}:
            return True
    return False


def last_there(tree: YamlTree, key: str) -> tuple[str, Any]:
    """The longest beginning of `key` that is there, and its node."""
    node: Any = tree
    there: list[str] = []
    for part in key.split("."):
        if not isinstance(node, dict) or part not in node:
            break
        node = node[part]
        there.append(part)
    return ".".join(there), node


def names_of(*several: YamlTree) -> tuple[str, ...]:
    """Every key of the trees, leaves and mappings, each once."""
    return tuple(dict.fromkeys(name for tree in several for name, _ in _nodes(tree, "")))


def references_of(*several: YamlTree) -> frozenset[str]:
    """The last parts of all keys that a leaf refers to (`${..name}` says no more of its key)."""
    leaves = (node for tree in several for _, node in _nodes(tree, "") if isinstance(node, str))
    return frozenset(name for leaf in leaves if "${" in leaf for name in _LAST.findall(leaf))


def _nodes(tree: YamlTree, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, node in tree.items():
        yield prefix + name, node
        if isinstance(node, dict):
            yield from _nodes(node, f"{prefix}{name}.")


def not_removed(tree: YamlTree, key: str) -> str:
    """Why `~key`, or `~key=value`, takes nothing away."""
    if last_there(tree, key)[0] == key:
        return message("{key} has another value than the one to be removed", key=key)
    return message("{key} is not there to be removed", key=key)


def _listed(options: Sequence[str], wanted: str) -> str:
    """The options of a group; of many the first ones, those before all that hold what is wanted."""
    if len(options) <= _MOST_OPTIONS:
        return ", ".join(options)
    return enumeration(sorted(options, key=lambda one: wanted not in one), _MOST_OPTIONS)


def undecided(why: str, suggestion: str | None = None) -> KeyVerdict:
    """Nobody can say without a run."""
    return KeyVerdict(status="undecided", accepted=None, message=why, suggestion=suggestion)


def wrong(
    why: str, setting: Setting, named: str = "", *, suggestion: str | None = None
) -> KeyVerdict:
    """A refused choice; `named` is what the message calls the key where it is not the whole key."""
    whole = named in ("", setting.key)
    return refusal("group", why, names_key=whole, suggestion=suggestion)


def option_of(setting: Setting) -> str | None:
    """The option that a setting of a group chooses: `fsdp`, or `[gsm8k,math]` for a list.

    None for what is no choice.
    """
    if isinstance(setting.value, str):
        return setting.value.removesuffix(".yaml")
    several = setting.value
    if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
        return None
    return f"[{','.join(str(one).removesuffix('.yaml') for one in several)}]"


def wanted(settings: Iterable[Setting], *, every: bool) -> dict[str, str]:
    """What settings of groups choose: key, after a `+` where it is added → see `option_of`.

    `every`: also those that add a group, or choose several options of one.
    """
    return {
        f"{setting.operator}{setting.key}": option
        for setting in settings
        if setting.operator in (("", "+") if every else ("",))
        and (option := option_of(setting)) is not None
        and (every or option[:1] != "[")
    }


def options_in(text: str) -> list[str]:
    """The options of a choice as `option_of` writes it."""
    if not text.startswith("["):
        return [text]
    return text[1:-1].split(",") if len(text) > 2 else []


def offered(
    key: str, text: str, groups: Mapping[str, Sequence[str]], choices: Mapping[str, str]
) -> bool:
    """Whether a group has the wanted options, and is not added where it is chosen already."""
    name = key.removeprefix("+")
    known = groups.get(name.split("@")[0], ())
    return (name == key or name not in choices) and all(one in known for one in options_in(text))


def _added_again(setting: Setting, group: str, choices: Mapping[str, str]) -> KeyVerdict:
    """What is said of a choice that is added beside one that is there."""
    if isinstance(setting.value, list) or choices[setting.key].startswith("["):
        return undecided(
            message("what a list of choices for {group} gives is not known", group=group)
        )
    return wrong(
        message("{key} is chosen already, so + cannot add it", key=setting.key),
        setting,
        suggestion=setting.key,
    )


def choice(
    setting: Setting, group: str, options: Sequence[str], choices: Mapping[str, str]
) -> KeyVerdict:
    """What Hydra says to a choice of a group with these options, beside those that are made."""
    if setting.value is UNKNOWN:
        return undecided(message("the choice of {group} is not known", group=group))
    if setting.operator == "++":
        forced = message(
            "{group} is a configuration group, which cannot be forced with ++", group=group
        )
        return wrong(forced, setting, group)
    if setting.operator == "~":
        if setting.key in choices and setting.value in (None, choices[setting.key]):
            return undecided(
                message("what the configuration is without {group} is not known", group=group)
            )
        return wrong(message("{key} is not among the default choices", key=setting.key), setting)
    text = option_of(setting)
    if text is None:
        if isinstance(setting.value, list):
            return undecided(
                message("what a list of choices for {group} gives is not known", group=group)
            )
        named = message(
            "{group} is a configuration group: its value must be an option's name", group=group
        )
        return wrong(named, setting, group)
    given = options_in(text)
    if (
        setting.operator == ""
        and setting.key not in choices
        and not isinstance(setting.value, list)
    ):
        wanted = [key for key in choices if key.split("@")[0] == group]
        return wrong(
            message(
                "{key} is a configuration group but no choice of this configuration",
                key=setting.key,
            ),
            setting,
            suggestion=wanted[0] if len(wanted) == 1 else None,
        )
    if lacking := [one for one in given if one not in options]:
        has = message(
            "{group} has no option {option}; it has {options}",
            group=group,
            option=lacking[0],
            options=_listed(options, lacking[0]),
        )
        return wrong(has, setting, group)
    if setting.operator == "+" and setting.key in choices:
        return _added_again(setting, group, choices)
    return OK
