"""What a script says about itself in comments: `# wandb: LINK`, `# verl: 0.9.1`, `# tag: MIN`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field

from bot.base.config import FRAMEWORKS
from bot.base.device_words import only_card, vendor_of
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.settings.releases import find_release
from bot.shell.run.slurm import header_words, requested_cards
from bot.shell.source import Span
from bot.shell.words import Comment

TAGS = ("MIN", "RECOMMENDED")

_LINE = regex(
    r"#+\s*(wandb|swanlab|mlflow|trackio|tag|contributor|device|verl|openrlhf|trl|open-instruct)\s*:\s*(\S(?:.*\S)?)\s*\Z",
    re.IGNORECASE,
)
_RELEASE = regex(r"v?\d+\.\d")
_NAMES = "verl|openrlhf|trl|open-instruct"
_PINNED = regex(
    rf"#[#\s*-]{{0,20}}(?:pip3?\s{{1,9}}install\s[^#]{{0,200}}?|"
    rf"(?:requires?|needs|tested\s{{1,9}}(?:on|with))[\s:]{{0,9}})?"
    rf"\b({_NAMES})==v?(\d[\w.]{{0,40}})[\s.,;]{{0,9}}\Z",
    re.IGNORECASE,
)
_TESTED = regex(
    rf"#[#\s*-]{{0,20}}(?:\w{{1,12}}\s+){{0,3}}?tested\s+(?:on|with|against)\s[^#!]{{0,80}}?"
    rf"\b({_NAMES})\s+(?:release\s+|version\s+)?v?(\d[\d.]*\d)\b",
    re.IGNORECASE,
)
_COUNTED = regex(
    r"(?<![\w.])\d{1,3}\s?[x\u00d7*]\s?([a-z]{0,4}\d[a-z0-9]{1,12}(?:-?pcie|-?sxm)?)\b"
    r"(?:[\s-]{0,2}\(?(\d{2,3})\s?gi?b?\b)?(?!\s?/)",
    re.IGNORECASE,
)
"""How people write cards and their number: `8xH100`, `4 x A100 80GB`, `2x4090`."""
_DENIED = regex(r"\b(?:not|never|fails?|breaks?)\b|n't\b", re.IGNORECASE)
_TOP = 4000
"""Characters of the beginning in which an author says what the script was tested with."""


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
    requested: str | None = None
    """The one that `#SBATCH` lines ask Slurm for, where they name a single card unmistakably."""
    mentioned: str | None = None
    """The one that sentences of comments count (`run on 8xH100`), where they name a single card."""
    versions: dict[str, Stated] = field(default_factory=dict)
    """Framework to the release that the script is written for, or else was tested with."""


def read_header(comments: Iterable[Comment], text: str = "") -> Header:
    """Read the statements out of a script's comments, wherever they stand.

    Of its text the lines above the first command count, as Slurm reads them.
    """
    comments = tuple(comments)
    links: list[Stated] = []
    first: dict[str, Stated] = {}
    tested: dict[str, Stated] = {}
    for comment in comments:
        for name, stated in _tested(comment):
            tested.setdefault(name, stated)
        found = _LINE.match(comment.text)
        if not found:
            continue
        kind, value = found[1].lower(), found[2]
        start = comment.span.start + found.start(2)
        stated = Stated(value, Span(start, start + len(value)))
        if kind in ("mlflow", "trackio") and "://" not in value:
            continue  # A note on a folder of its author's machine names no run that can be read.
        if kind in FRAMEWORKS and len(value.split()) > 1 and not _RELEASE.match(value):
            continue  # A sentence on the framework states no release.
        if kind == "tag" and len(value.split()) > 2 and value.split()[0].upper() not in TAGS:
            continue  # What an argument of this name is for.
        if kind in ("wandb", "swanlab", "mlflow", "trackio"):
            links.append(stated)
        else:
            first.setdefault(kind, stated)
    first = {**tested, **first}
    tag, device = first.get("tag"), first.get("device")
    return Header(
        links=tuple(links),
        tag=Stated(tag.text.upper(), tag.span) if tag else None,
        contributor=first.get("contributor"),
        device=device if device and vendor_of(device.text) else None,
        requested=only_card(map(str.lower, requested_cards(header_words(text)))),
        mentioned=only_card(_mentioned(comments)),
        versions={name: first[name] for name in FRAMEWORKS if name in first},
    )


def _mentioned(comments: Iterable[Comment]) -> Iterator[str]:
    """The cards that comments count, each with its memory where that is said."""
    for comment in comments:
        for found in _COUNTED.finditer(comment.text):
            memory = f"-{found[2]}gb" if found[2] else ""
            yield f"{found[1].lower().removesuffix('s')}{memory}"


def _tested(comment: Comment) -> Iterator[tuple[str, Stated]]:
    """The known release that a comment at the top was tested with, or installs.

    It says so in passing, so that one which is not known is no mistake.
    """
    text = comment.text
    if comment.span.start > _TOP or not ("==" in text or "ested" in text):
        return
    found = _PINNED.match(text) or _TESTED.match(text)
    if found and not _DENIED.search(text) and find_release(found[1].lower(), found[2]):
        start = comment.span.start + found.start(2)
        yield found[1].lower(), Stated(found[2], Span(start, start + len(found[2])))
