"""The run that a command line names: a folder, a file, or a link; and how links are read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from bot.base.errors import UserError
from bot.base.messages import sentence_of
from bot.commands.output import notice
from bot.commands.terminal import ProgressLine

if TYPE_CHECKING:
    from bot.base.config import Config
    from bot.check.request import CheckOptions
    from bot.evidence.facts import Facts
    from bot.evidence.links import RunGiven, RunLink
    from bot.evidence.online import Access

RUN = "LINK_OR_PATH"
Audience: TypeAlias = Literal["caller", "others"]
"""Whom an answer is for: the caller alone, or whoever reads the page, comment or log."""
_AFTER = 1.0
"""Seconds after which a reading says how far it is."""


def add_offline(parser: argparse.ArgumentParser) -> None:
    """Declare `--offline`."""
    parser.add_argument(
        "--offline",
        action="store_true",
        help="fetch nothing: neither linked runs nor models' configurations",
    )


def run_of(texts: Sequence[str], options: CheckOptions) -> RunGiven:
    """What one `--run` or several name, each once.

    Raises UserError for a link that is none to a run, and for a path that does not exist.
    """
    from bot.evidence.links import RunSources

    parts = tuple(dict.fromkeys(_part(text, options) for text in texts))
    return parts[0] if len(parts) == 1 else RunSources(parts)


def _part(text: str, options: CheckOptions) -> Path | RunLink:
    if not text:
        raise UserError("--run is empty: is a variable not set?")
    from bot.evidence.facts import EvidenceError
    from bot.evidence.links import HOSTS, parse_link

    if not text.startswith(("http://", "https://")):
        host, link = text.partition("/")[0], f"https://{text}"
        known = host in {*HOSTS, *options.hosts.names} or options.hosts.has_tracker(link)
        if not known or Path(text).exists():
            return run_path(text)
        text = link
    try:
        return parse_link(text, options.hosts)
    except EvidenceError as error:
        raise UserError("--run: {error}", error=sentence_of(error)) from None


def run_path(text: str) -> Path:
    """The path of a run's folder or file; raises UserError where there is none."""
    from bot.evidence.locate import no_such_run
    from bot.evidence.trackers.places import place_of

    path = Path(text)
    with suppress(OSError):  # One that may not be looked at is for its reader.
        if not place_of(path).path.exists():
            raise UserError(no_such_run(path))
    return path


def reading(offline: bool, config: Config, audience: Audience = "others") -> dict[str, object]:
    """The options that say how linked runs are read, from the environment of the command line.

    Private runs that the key can read are read for the caller alone, on their own terminal: not in
    CI, whose logs others see. The key is WANDB_API_KEY, else the entry of the user's
    netrc file that `wandb login` made. Raises UserError for a WANDB_BASE_URL that no key may be
    sent to.
    """
    from bot.evidence.online.access import Access

    private = config.allow_private_runs or (audience == "caller" and not os.environ.get("CI"))
    access = Access.from_environment(os.environ, home=Path.home(), allow_private_runs=private)
    return {
        "hosts": access.run_hosts(config.wandb_hosts, config.mlflow_hosts),
        "linked": None if offline else linked(access),
    }


def linked(access: Access) -> Callable[[RunLink], Facts]:
    """Reads linked runs with `access`, showing progress on a terminal; one after the other."""

    def fetch(link: RunLink) -> Facts:
        from bot.evidence.online import read_online

        line = ProgressLine(_AFTER)

        def progress(stage: str, done: int, of: int | None) -> None:
            far = f", row {done:,}" + (f" of {of:,}" if of else "") if done else ""
            line.show(f"Reading {stage} of {link.name}{far}")

        try:
            facts = read_online(link, access, progress=progress)
        finally:
            line.clear()
        if facts.private:
            notice(
                "The project {project} is private: the report holds what not everybody may "
                "see, and says so.",
                project=link.project_name,
            )
        return facts

    return fetch
