"""RLB006: a statement of the header that nobody can use."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.tables import find_release, releases
from bot.header import TAGS, read_header
from bot.rules._example import verl
from bot.rules.base import Case, Example, Hit, Meta

META = Meta(
    id="RLB006",
    slug="header-statement",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    summary="A comment states a tag or a release that is not known.",
    why=(
        "What a script says about itself in comments decides the row's tag and the release that "
        "its settings are checked against. A statement that is not understood is left out, and "
        "the row or the check is then another one than the author meant."
    ),
    instead="Write `# tag: MIN` or `# tag: RECOMMENDED`, and a released version: `# verl: 0.9.1`.",
    limits="Links to runs (`# wandb: …`) are looked at when the run is, not here.",
    source="The tags of verl's docs/perf/device_tuning.rst; the wheels of verl and OpenRLHF",
    example=Example(
        bad=verl(before="# tag: FASTEST"),
        good=verl(before="# tag: RECOMMENDED\n# verl: 0.9.1"),
    ),
)


def check(case: Case) -> Iterator[Hit]:
    """The tag and the releases that the script's comments state."""
    header = read_header(case.reading.comments)
    if header.tag and header.tag.text not in TAGS:
        yield Hit(
            message=f'"{header.tag.text}" is no tag of the page',
            span=header.tag.span,
            help=f"write {' or '.join(TAGS)}",
        )
    for framework, stated in header.versions.items():
        if find_release(framework, stated.text) is None:
            yield Hit(
                message=f'"{stated.text}" is no known release of {framework}',
                span=stated.span,
                help=f"write one of {', '.join(releases(framework))}",
            )
