"""The arguments that commands share, and what a check is given for them."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.config import FRAMEWORKS, Config, is_variable
from bot.base.digits import natural_number
from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.base.regex import regex
from bot.commands.output import notice
from bot.commands.terminal import in_terminal

if TYPE_CHECKING:
    from bot.check.request import CheckOptions
    from bot.frameworks import ConfigTree

_MEMORY = regex(r"(?i)\d{1,4}(?:\.\d)?\s?g(?:i?b)?")
"""A card by its memory alone: 24GB."""


def add_common(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Declare the arguments that every checking command has."""
    add_form(parser, formats)
    parser.add_argument("--select", metavar="IDS", help="only these rules, separated by commas")
    parser.add_argument(
        "--ignore", metavar="IDS", default="", help="not these rules, separated by commas"
    )
    add_color(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="show notes and every claim")
    add_quiet(parser)


def add_form(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Declare the form of a result and how scripts are read; rules and colours have no options."""
    parser.add_argument(
        "--format", choices=formats, default=formats[0], help="how to print the result"
    )
    add_reading(parser)
    parser.set_defaults(select=None, ignore="", color="never", verbose=False, quiet=False)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Declare `--quiet`."""
    parser.add_argument("--quiet", action="store_true", help="print nothing when nothing is wrong")


def without_effect(arguments: argparse.Namespace, beside: str, names: Iterable[str]) -> None:
    """Raise UserError for an option that is given, and says nothing beside another one.

    `names` are attributes of the arguments.
    """
    for name in names:
        if getattr(arguments, name) not in (None, "", [], False):
            option = f"--{name.replace('_', '-')}"
            raise UserError(
                "{option} has no effect with {beside}; leave it out.", option=option, beside=beside
            )


def number(most: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number from 1 to `most`."""

    def read(text: str) -> int:
        found = natural_number(text)
        if found is None or not 0 < found <= most:
            wrong = message("takes a number from 1 to {most}; got {text}.", most=most, text=text)
            raise argparse.ArgumentTypeError(in_terminal(wrong))  # which takes its words alone
        return found

    return read


def add_gpus(parser: argparse.ArgumentParser) -> None:
    """Declare `--gpus`."""
    parser.add_argument(
        "--gpus",
        metavar="N",
        type=number(1 << 20),
        help="GPUs, where the script leaves them to its launcher (default: those in its name)",
    )


def note_gpus(given: int | None, counted: int | None, path: str) -> None:
    """Say that `--gpus` does not count where the script's own settings give another number."""
    if given is not None and counted not in (None, given):
        notice(
            "--gpus {given} does not count for {path}: its settings give {found}.",
            given=given,
            path=path,
            found=counted,
        )


def add_config(parser: argparse.ArgumentParser) -> None:
    """Declare `--config`."""
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="configuration (default: .rlbot.yml here or above, in the same repository)",
    )


def add_color(parser: argparse.ArgumentParser) -> None:
    """Declare `--color`."""
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour in text output"
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that say how a script is read, and in which language it is answered."""
    add_config(parser)
    parser.add_argument(
        "--framework",
        "--against",
        metavar="NAME@RELEASE",
        action="append",
        default=[],
        help="check against this release, such as verl@0.4.1 (default: the script's own comment, "
        "else the newest known)",
    )
    parser.add_argument(
        "--framework-tree",
        metavar="DIR",
        help="check verl's settings against the configuration of this checkout instead",
    )
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="the accelerator, such as h100, a100-40 or npu: launches for another maker's do not "
        "count (default: the one in the script's comment or name)",
    )
    parser.add_argument(
        "--env",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a variable that the caller sets: what would be launched then?",
    )
    parser.add_argument(
        "--lang",
        choices=("en", "zh"),
        help="language of the result (default: the configuration's; else the terminal's for text, "
        "and en for other formats)",
    )


def options_of(arguments: argparse.Namespace, config: Config, **more: object) -> CheckOptions:
    """The options that the common arguments ask for."""
    from bot.check.request import CheckOptions
    from bot.commands.checkouts import DiskCheckouts

    root = getattr(arguments, "root", None)
    folders = [Path(path) for path in (*getattr(arguments, "paths", ()), *filter(None, [root]))]
    return CheckOptions(
        config=replace(config, language=arguments.lang) if arguments.lang else config,
        versions=_versions(arguments.framework),
        environment=_environment(arguments.env),
        device=_device(arguments.device),
        trees=_trees(arguments),
        place=DiskCheckouts(folders).place,
        select=_selected(arguments.select),
        ignore=_ids(arguments.ignore),
        **more,  # type: ignore[arg-type]
    )


def _trees(arguments: argparse.Namespace) -> dict[str, ConfigTree]:
    """The configuration that `--framework-tree` names; raises UserError when there is none."""
    if not arguments.framework_tree:
        return {}
    if "verl" in _versions(arguments.framework):
        raise UserError("--framework-tree and a release of verl exclude each other; give one.")
    return {"verl": tree_at(Path(arguments.framework_tree), "--framework-tree")}


def tree_at(folder: Path, option: str) -> ConfigTree:
    """The configuration in a folder that an option names; raises UserError when there is none."""
    from bot.frameworks import read_tree
    from bot.frameworks.repository.verl_copies import CONFIG

    try:
        tree = read_tree(folder)
        in_verl = (folder / CONFIG).is_dir() or folder.resolve().as_posix().endswith(f"/{CONFIG}")
        if not (in_verl or tree.starts_something):
            raise UserError(
                "{folder} holds no configuration of verl: no program of it starts with one of the "
                "{suffix} files there.",
                folder=folder,
                suffix=".yaml",
            )
    except UserError as error:
        raise UserError(
            "{why} {option} takes a checkout of verl, or its folder verl/trainer/config.",
            why=sentence_of(error),
            option=option,
        ) from None
    return tree


def _environment(given: list[str]) -> dict[str, str]:
    variables: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not is_variable(name):
            raise UserError('--env takes NAME=VALUE, such as DEVICE=npu; got "{text}".', text=text)
        if variables.setdefault(name, value) != value:
            raise UserError("--env gives {name} two values; give one.", name=name)
    return variables


def _device(name: str | None) -> str | None:
    """The token or the word for a maker that --device means, as people write cards."""
    from bot.base.device_words import is_maker
    from bot.base.devices import by_token, devices

    if name is None or by_token(name) or is_maker(name):
        return name
    # They take a start ten milliseconds.
    from bot.recommend.option_values import card_option
    from bot.recommend.question import parse_question

    try:
        question = parse_question([name])
    except UserError:
        tokens = [device.token for device in devices()]
        if not difflib.get_close_matches(name.lower(), tokens, n=1):
            raise UserError(
                '--device takes an accelerator, such as h100, "RTX 4090", npu or rocm, or its '
                'memory, such as 24GB; "{name}" is none that is known.',
                name=name,
            ) from None
    else:
        if _MEMORY.fullmatch(name) and len(question.cards) == 1:
            token = question.cards[0].token
            notice("--device {memory} is taken for {card}, which has it.", memory=name, card=token)
            return token
    return card_option(name)


def _ids(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _selected(text: str | None) -> tuple[str, ...]:
    """The rules of --select; raises UserError where it names none, which would be all of them."""
    found = _ids(text or "")
    if text is not None and not found:
        raise UserError(
            "--select takes rules, separated by commas, such as RLB020; leave it out for all."
        )
    return found


def _versions(given: list[str]) -> dict[str, str]:
    """The release that is asked for of each framework; the newest known where none is named."""
    from bot.frameworks.configuration import known_release
    from bot.frameworks.settings.releases import releases

    versions: dict[str, str] = {}
    for text in given:
        name, at, release = text.partition("@")
        if not name or (at and not release):
            raise UserError(
                '--framework takes a name and a release, such as verl@0.9.1; got "{text}".',
                text=text,
            )
        if name.lower() not in FRAMEWORKS:
            raise UserError(
                "{name} is no framework that is known: use one of {names}.",
                name=name,
                names=", ".join(FRAMEWORKS),
            )
        low = name.lower()
        one = known_release(low, release) if release else releases(low)[-1]
        if versions.setdefault(low, one) != one:
            raise UserError("--framework gives {name} two releases; give one.", name=name)
    return versions
