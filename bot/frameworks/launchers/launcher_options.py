"""The options of a launcher, which stand before the program that it starts."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.fast_dataclass import dataclass
from bot.frameworks.launchers.launch import DISTRIBUTED, MODULE, is_hidden
from bot.frameworks.plan import Launch
from bot.shell.source import Span
from bot.shell.words import Word


@dataclass(frozen=True, slots=True)
class LauncherOption:
    """An option of a launcher that stands before the launched program."""

    name: str
    value: str | None
    """None when it is not known."""
    span: Span
    text: str = ""
    """As it is given, with what only a run knows."""


def launcher_option(launch: Launch, *names: str) -> LauncherOption | None:
    """The last of the launcher's options with one of these names, dashes and underscores alike.

    What the launcher's file says has the place of the option that names the file.
    """
    wanted = {name.replace("-", "_") for name in names}
    words = _before_arguments(launch)
    found = None
    for at, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name[:2] != "--" or name[2:].replace("-", "_") not in wanted:
            continue
        if equals:
            span = word.span_of(len(name) + 1, len(word.text))
            found = LauncherOption(name[2:], value if word.complete else None, span, value)
        elif at + 1 < len(words):
            given = words[at + 1]
            text = given.text if given.complete else None
            span = given.span_of(0, len(given.text))
            found = LauncherOption(name[2:], text, span, given.text)
    of_file = next((name for name in names if name in launch.launcher_file), None)
    if found is None and of_file is not None:
        file = launcher_option(launch, "config_file")
        shown = launch.launcher_file[of_file]
        known = None if "${?" in shown else shown
        found = file and LauncherOption(of_file, known, file.span, shown)
    return found


def unknown_options(launch: Launch) -> Span | None:
    """The place of a launcher's options that only a run knows: `torchrun $FLAGS train.py`."""
    flags = DISTRIBUTED.get(launch.launcher[-1] if launch.launcher else "")
    words = _before_arguments(launch)[:-1]
    if words and words[-1].text in MODULE:
        words = words[:-1]
    if flags is None or not words or not is_hidden(words[-1]):
        return None
    before = words[-2].text if len(words) > 1 else ""
    valued = before.startswith("-") and "=" not in before and before not in flags
    return None if valued else words[-1].span


def _before_arguments(launch: Launch) -> Sequence[Word]:
    """The words of a launch up to the program's own arguments."""
    own = len(launch.argv) - len(launch.command.settings)
    return launch.command.argv[: len(launch.command.argv) - own]
