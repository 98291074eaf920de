"""What a script says about itself in comments: `# wandb: LINK`, `# verl: 0.9.1`, `# tag: MIN`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field

from bot.base.config import FRAMEWORKS
from bot.base.devices import vendor_of
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.shell.source import Span
from bot.shell.words import Comment

TAGS = ("MIN", "RECOMMENDED")

_LINE = regex(
    r"#+\s*(wandb|swanlab|mlflow|trackio|tag|contributor|device|verl|openrlhf|trl|open-instruct)\s*:\s*(\S(?:.*\S)?)\s*\Z",
    re.IGNORECASE,
)
_RELEASE = regex(r"v?\d+\.\d")


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of the header, with its place."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The statements of a script's comments; of several of one kind the first counts, links all."""

    links: tuple[Stated, ...] = ()
    """Texts given as run links, unparsed."""
    tag: Stated | None = None
    """MIN or RECOMMENDED as written, upper case; other words are kept for a rule to refuse."""
    contributor: Stated | None = None
    device: Stated | None = None
    """The accelerator, where the word names one that is known."""
    versions: dict[str, Stated] = field(default_factory=dict)
    """Framework to the release that the script is written for."""


def read_header(comments: Iterable[Comment]) -> Header:
    """Read the statements out of a script's comments, wherever they stand."""
    links: list[Stated] = []
    first: dict[str, Stated] = {}
    for comment in comments:
        found = _LINE.match(comment.text)
        if not found:
            continue
        kind, text = found[1].lower(), found[2]
        start = comment.span.start + found.start(2)
        stated = Stated(text, Span(start, start + len(text)))
        if kind in ("mlflow", "trackio") and "://" not in text:
            continue  # A note on a folder of its author's machine names no run that can be read.
        if kind in FRAMEWORKS and len(text.split()) > 1 and not _RELEASE.match(text):
            continue  # A sentence on the framework states no release.
        if kind in ("wandb", "swanlab", "mlflow", "trackio"):
            links.append(stated)
        else:
            first.setdefault(kind, stated)
    tag, device = first.get("tag"), first.get("device")
    return Header(
        links=tuple(links),
        tag=Stated(tag.text.upper(), tag.span) if tag else None,
        contributor=first.get("contributor"),
        device=device if device and vendor_of(device.text) else None,
        versions={name: first[name] for name in FRAMEWORKS if name in first},
    )
