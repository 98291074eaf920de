"""Which run belongs to which script of a change, and what else in the repository rests on it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import PurePosixPath
from typing import Final, Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import mark, message
from bot.base.regex import regex
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.find_links import FoundLink
from bot.evidence.links import PUBLIC_ONLY, RunHosts, RunLink, parse_link
from bot.evidence.subject import known
from bot.evidence.values import Missing, lookup, same
from bot.frameworks.plan import Plan

By: TypeAlias = Literal["command line", "header", "text", "only link", "configuration"]

_SCRIPT_NAME = regex(r"[\w./+\-]{1,300}\.sh\b")
_CLEAR: Final = 0.9
"""Share of a script's settings that a run must have to be taken for its run."""
_ASK: Final = mark(
    "{links} runs are linked and {scripts} scripts are changed, and nothing says which run belongs "
    "to {script}: write a comment `# wandb: LINK` into the script, or the link on the line of its "
    "name."
)
_ASK_ONE: Final = mark(
    "One run is linked and {scripts} scripts are changed, and nothing says which of them it "
    "belongs to: write a comment `# wandb: LINK` into that script, or the link on the line of its "
    "name."
)
_SEVERAL: Final = mark(
    "{links} runs are linked for {script}, of which one can back its row: write a comment "
    "`# wandb: LINK` into the script for the one that is meant."
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The run of a script, and what said so."""

    link: RunLink
    by: By


@dataclass(frozen=True, slots=True)
class Choice:
    """Path of a script to its run, or to the sentence that asks for it."""

    chosen: Mapping[str, Chosen] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)
    candidates: Mapping[str, tuple[RunLink, ...]] = field(default_factory=dict)
    """Of the scripts that are asked about: the runs that it may be, for `by_configuration`."""


def choose(
    scripts: Sequence[str],
    *,
    given: Mapping[str, RunLink] | None = None,
    headers: Mapping[str, Sequence[RunLink]] | None = None,
    found: Iterable[FoundLink] = (),
    meant: Collection[str] = (),
) -> Choice:
    """Say which run belongs to each of the scripts (paths).

    `given` comes from the command line, `headers` from the scripts' comments, `found` from texts of
    the pull request's author; a link that stands beside no script's name is for `meant`, where one
    is. A script without any run is neither chosen nor asked about.
    """
    given, headers, links = given or {}, headers or {}, tuple(found)
    chosen: dict[str, Chosen] = {}
    named = {path: _beside(path, scripts, links) for path in scripts}
    for path in scripts:
        header = tuple(dict.fromkeys(headers.get(path, ())))
        if path in given:
            chosen[path] = Chosen(given[path], "command line")
        elif len(header) == 1:
            chosen[path] = Chosen(header[0], "header")
        elif not header and len(named[path]) == 1:
            chosen[path] = Chosen(named[path][0], "text")
    taken = {choice.link for choice in chosen.values()}
    beside = {link for of_script in named.values() for link in of_script}
    free = [each.link for each in links if each.link not in taken and each.link not in beside]
    open_ = [path for path in scripts if path not in chosen]
    open_ = [path for path in open_ if path in meant] or open_
    asked: dict[str, str] = {}
    candidates: dict[str, tuple[RunLink, ...]] = {}
    for path in open_:
        own = tuple(dict.fromkeys(headers.get(path, ()))) or named[path]
        if not own and len(open_) == 1 and len(free) == 1:
            chosen[path] = Chosen(free[0], "only link")
        elif own:
            asked[path] = message(_SEVERAL, links=len(own), script=PurePosixPath(path).name)
            candidates[path] = own
        elif free:
            name = PurePosixPath(path).name
            asked[path] = (
                message(_ASK_ONE, scripts=len(scripts))
                if len(free) == 1
                else message(_ASK, links=len(free), scripts=len(scripts), script=name)
            )
            candidates[path] = tuple(free)
    return Choice(chosen, asked, candidates)


def by_configuration(
    plans: Mapping[str, Plan], runs: Mapping[RunLink, Facts], choice: Choice
) -> Choice:
    """Settle what `choice` asks about by the configurations of the candidate runs.

    A run is a script's when it has nearly all of the script's settings, more of them than every
    other candidate, and is not as much another script's. The rest stays asked about.
    """
    chosen, asked = dict(choice.chosen), dict(choice.asked)
    shares = {
        path: {link: _share(plans[path], runs[link]) for link in links if link in runs}
        for path, links in choice.candidates.items()
        if path in plans
    }
    for path, of_links in shares.items():
        best = max(of_links.values(), default=0.0)
        first = [link for link, share in of_links.items() if share == best]
        if best < _CLEAR or len(first) != 1:
            continue
        rivals = [other.get(first[0], 0.0) for name, other in shares.items() if name != path]
        if all(rival < best for rival in rivals):
            chosen[path] = Chosen(first[0], "configuration")
            del asked[path]
    return Choice(chosen, asked, choice.candidates)


def _share(plan: Plan, facts: Facts) -> float:
    """The share of the known settings of a plan that a run's configuration has."""
    decided = equal = 0
    for key, value in plan.resolved().items():
        claimed = known(value)
        if isinstance(claimed, Missing):
            continue
        observed = lookup(facts.config, key)
        agrees = False if isinstance(observed, Missing) else same(claimed, observed)
        decided += agrees is not None
        equal += agrees is True
    return equal / decided if decided else 0.0


def _beside(path: str, scripts: Sequence[str], links: Sequence[FoundLink]) -> tuple[RunLink, ...]:
    """The links that stand beside a script's name: in its block, or as the next ones after it."""
    return tuple(
        dict.fromkeys(
            each.link
            for each in links
            if (
                names := _scripts_named_in(each.around, scripts)
                or _script_named_last(each.before, scripts)
            )
            and names == {path}
        )
    )


def _scripts_named_in(text: str, scripts: Sequence[str]) -> set[str]:
    """The scripts that a text names, by path or by a file name that only one has."""
    return {
        path for match in _SCRIPT_NAME.finditer(text) for path in _scripts_at(match[0], scripts)
    }


def _script_named_last(text: str, scripts: Sequence[str]) -> set[str]:
    """The script that is named last in a text, when it is one of ours."""
    names = list(_SCRIPT_NAME.finditer(text))
    return set(_scripts_at(names[-1][0], scripts)) if names else set()


def _scripts_at(name: str, scripts: Sequence[str]) -> list[str]:
    """The script of this path, or the one whose path ends with it; none when several do."""
    name = name.removeprefix("./")
    fitting = [path for path in scripts if path == name or path.endswith("/" + name)]
    return fitting if len(fitting) == 1 else []


MAX_NAMED: Final = 5_000
"""Links of one text that are looked at."""
_ADDRESS = regex(r"https?://[^\s<>\"'`|\\]{1,2000}")
_ROW = regex(r"^[ \t]*[-+*][ \t]+[-+*](?=[ \t]|$)", re.MULTILINE)


def runs_named(text: str, hosts: RunHosts) -> Iterator[RunLink]:
    """The runs that a script or a page links to, in its order, comments included."""
    for count, match in enumerate(_ADDRESS.finditer(text)):
        if count >= MAX_NAMED:
            return
        try:
            yield parse_link(match[0].rstrip(").,;:!?*_~]}"), hosts)
        except EvidenceError:
            continue


def in_use(
    path: str,
    scripts: Mapping[str, str],
    page: str | None = None,
    *,
    chosen: Mapping[str, RunLink] | None = None,
    hosts: RunHosts = PUBLIC_ONLY,
) -> dict[str, tuple[str, ...]]:
    """Run to what rests on it besides the script `path`: other scripts, and rows of the page.

    `scripts` are texts by path; `chosen` the runs that other scripts of the change were given. A
    row that names the script's own file is its own.
    """
    found: dict[str, dict[str, None]] = {}
    for other, text in scripts.items():
        if other != path:
            for link in runs_named(text, hosts):
                found.setdefault(link.name, {}).setdefault(other)
    for other, link in (chosen or {}).items():
        if other != path:
            found.setdefault(link.name, {}).setdefault(other)
    own = PurePosixPath(path).name
    for row in _ROW.split(page or ""):
        if own not in row:
            for link in runs_named(row, hosts):
                found.setdefault(link.name, {}).setdefault("a row of the page")
    return {run: tuple(places) for run, places in found.items()}
