"""Every hostile input, and variations of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from tests.hostile.comments import COMMENTS
from tests.hostile.configs import CONFIGS
from tests.hostile.logs import LOGS
from tests.hostile.mlflow import MLFLOW
from tests.hostile.numbers import NUMBERS
from tests.hostile.pages import PAGES
from tests.hostile.places import PLACES
from tests.hostile.runs import CONSOLES, MODELS, RUNS
from tests.hostile.scripts import SCRIPTS
from tests.hostile.sources import SOURCES
from tests.hostile.swanlab_server import SWANLAB_ANSWERS
from tests.hostile.trackers import DATABASES, EVENTS, MANIFESTS, STEPS, SWANLAB
from tests.hostile.trees import TREES
from tests.shell.cases import CASES

INPUTS: Final[dict[str, dict[str, str]]] = {
    "script": SCRIPTS, "numbers": NUMBERS, "page": PAGES, "model": MODELS, "run": RUNS,
    "console": CONSOLES, "comment": COMMENTS, "tree": TREES, "config": CONFIGS, "log": LOGS,
    "events": EVENTS, "steps": STEPS, "swanlab": SWANLAB, "database": DATABASES,
    "manifest": MANIFESTS, "python": SOURCES, "place": PLACES,
    "mlflow": MLFLOW, "swanlab server": SWANLAB_ANSWERS,
}  # fmt: skip
"""Class of an input to the inputs by name."""
_LONGEST: Final = 1 << 20
_ODD: Final = (
    # Digits that are none, letters that grow in lower case, ends of lines to some, nothing to see.
    "²", "٣", "１", "İ", "ß", "\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\0", "\r", "\ufeff",
    "\ud800", "\U0001f600", "a\u0301", "\u202e", "\u200b", "\xa0", "\x1b[31m", "]]>", "-->",
    "{{", "%s", "{}", "\\", "::error::", "9" * 5_000, "-1", "1e400", "nan", "null", "[]",
)  # fmt: skip


def varied(source: Random) -> tuple[str, str, bytes]:
    """Class, name and content of an input that is like a few of the known ones."""
    kind = source.choice(list(INPUTS))
    names = list(INPUTS[kind])
    others = list(CASES.values()) if kind == "script" else list(INPUTS[kind].values())
    name = source.choice(names)
    text = INPUTS[kind][name]
    for _ in range(source.randint(1, 4)):
        text = _changed(text, source, others)[:_LONGEST]
    return kind, name, text.encode("utf-8", "surrogatepass")


def _changed(text: str, source: Random, others: list[str]) -> str:
    """One change: a stretch repeated, moved, left out or of another input, or an odd character."""
    start = source.randint(0, len(text))
    stretch = text[start : start + source.choice((1, 2, 3, 5, 9, 30, 200, 5_000))]
    at = source.randint(0, len(text))
    match source.randint(0, 5):
        case 0:
            return text[:start] + stretch * source.choice((2, 3, 9, 100, 4_000)) + text[start:]
        case 1:
            return text[:at] + stretch + text[at:]
        case 2:
            return text[:start] + text[start + len(stretch) :]
        case 3:
            other = source.choice(others)
            place = source.randint(0, len(other))
            return text[:at] + other[place : place + 4_000] + text[at:]
        case 4:
            return text[:at] + source.choice(_ODD) + text[at + source.randint(0, 1) :]
        case _:
            return text + source.choice(others)[:100_000]


def batches(seed: int, count: int, size: int) -> Iterator[list[tuple[str, str, bytes]]]:
    """Batches of variations, the same ones for the same seed."""
    source = Random(seed)  # noqa: S311
    for _ in range(count):
        yield [varied(source) for _ in range(size)]
