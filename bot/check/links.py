"""The link that the row of a script should have; every front end takes it from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.check.page import own_links
from bot.check.request import PageText
from bot.table.links import COMMIT, FileLink, Website, leads_to_branch, new_address, repository_name

PlacesReader: TypeAlias = Callable[
    [Sequence[tuple[str, str]]], Mapping[tuple[str, str], bytes | None]
]
"""The files at (commit, path). Raises UserError when the repository could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSource:
    """What a link to a script is made of."""

    website: Website
    commit: str | None
    """One that has the scripts; None where no commit has them yet."""
    contents: PlacesReader
    """To see whether a link of the page leads to the script already."""


def script_links(
    page: PageText | None, scripts: Mapping[str, bytes], source: LinkSource
) -> dict[str, str]:
    """Path of each script to the link of its row.

    A link of the page that leads to the script already stays: it names the branch, or a commit that
    has the same script, and each commit of a pull request would ask for a new one otherwise. A new
    one has the form of the page's other rows. Raises UserError when the repository could not be
    read.
    """
    try:
        links = own_links(page, source.website) if page else {}
    except UserError:
        links = {}
    standing = _standing(links, scripts, source)
    at = page.path if page else None
    return {
        path: standing.get(path) or new_address(path, links, source.website, source.commit, at)
        for path in scripts
    }


def _standing(
    links: Mapping[str, FileLink], scripts: Mapping[str, bytes], source: LinkSource
) -> dict[str, str]:
    name = source.website.name
    leading = {a: link for a, link in links.items() if link.path in scripts}
    found = {
        link.path: address
        for address, link in leading.items()
        if leads_to_branch(link, address, links, name or link.repository or "")
    }
    pinned = {
        (link.ref, link.path): address
        for address, link in leading.items()
        # A fork, and with it what is linked there, may be gone tomorrow.
        if link.ref
        and COMMIT.match(link.ref)
        and (name is None or link.repository == repository_name(name))
    }
    contents = source.contents(list(pinned)) if pinned else {}
    return found | {
        path: address
        for (ref, path), address in pinned.items()
        if contents.get((ref, path)) == scripts[path]
    }
