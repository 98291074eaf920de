"""The whole way for a change: what every front end does with a branch or a pull request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from bot.base.config import FILE_NAME, SCRIPT_SUFFIXES, Config, read_config
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.isolated import IsolationLimits, prepare
from bot.base.messages import Language, sentence_of
from bot.check.request import CheckOptions, InCheckout
from bot.evidence.links import RunGiven
from bot.frameworks import Checkout, needed, started
from bot.github.change import ChangeFiles, ChangeSource, FileSelection
from bot.github.errors import TooMuchError
from bot.render.next_step import Conversation
from bot.report import Report
from bot.review.configuration_change import changed_configuration
from bot.review.dependents import candidates, with_dependents
from bot.review.models import ChangeModels
from bot.review.page import for_scripts, pinned_places
from bot.review.reading import ReadRequest, read_isolated
from bot.review.runs import LinkedRun
from bot.script.name import is_recipe, read_name
from bot.script.recipe import holds_recipe

_DEEPEST = 3
"""How often what was found to be started is looked through for what it starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedChange:
    """The report on a change, and what renderers and publishers want beside it."""

    report: Report
    config: Config
    touches: bool
    """True when the change concerns us: it adds or alters a tuning script, also one that could not
    be read, or it adds, alters or removes the documentation page, or leaves a row of it without its
    script, or its configuration breaks another script, or it breaks our own."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Path to the text of each script, for excerpts and suggestions."""
    page: str | None = None
    """Text of the page when the change alters it, so that a suggestion can stand on it."""
    options: CheckOptions = field(default_factory=CheckOptions)
    """What the scripts were checked with."""
    web_url: str | None = None
    """The https address of the repository that shows the checked commit; None when there is
    none."""

    @property
    def conversation(self) -> Conversation:
        """What a comment on this change has to know of its pull request."""
        return Conversation(web_url=self.web_url, permissions=self.config.permissions)

    @property
    def texts(self) -> Mapping[str, str]:
        """Path to the text of every file that findings stand in."""
        pages = {page.path: self.page for page in self.report.pages if self.page is not None}
        return {**self.sources, **pages}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What a front end asks for, before the change is read."""

    options: Callable[[Config], CheckOptions]
    """The options under a configuration."""
    config: Config | None = None
    """Stands in the place of the base's own configuration."""
    unstated: Language = "en"
    """The language where the base's configuration states none."""
    runs: Callable[[Sequence[str], CheckOptions], Mapping[str, RunGiven | LinkedRun]] = (
        lambda _scripts, _options: {}
    )
    """Run folders or links for the paths of the scripts; the scripts' own links otherwise."""
    limits: IsolationLimits = field(default_factory=IsolationLimits)
    """What the reading of one file of the change may use."""
    ahead: Literal["runs", "page"] | None = None
    """What will surely be asked for, so that it is read early: the scripts that a run is looked for
    in, and with `page` also where the page's links lead."""


def base_config(source: ChangeSource, unstated: Language = "en") -> Config:
    """The configuration at the base: a change cannot relax the rules that it is checked by.

    Where it states no language, that is `unstated`. Raises UserError when it is wrong or could not
    be read.
    """
    stored = source.base_file(FILE_NAME)
    if stored is None:
        return Config(language=unstated)
    file = read_config(stored, f"{FILE_NAME} of the base, commit {source.base[:12]}")
    return file.config if "language" in file.lines else replace(file.config, language=unstated)


def _beside(config: Config) -> dict[str, bytes]:
    """Where scripts of the page stand that the change does not touch."""
    return {f"{folder.rstrip('/')}/any.sh": b"" for folder in config.scripts}


def _is_read(path: str, data: bytes | None) -> bool:
    """Whether a changed file is a script or a recipe, and no YAML of another kind."""
    return not is_recipe(path) or data is None or holds_recipe(data)


def _ahead(
    request: CheckRequest,
) -> Callable[[bytes | None], Sequence[tuple[str, str]]] | None:
    if request.ahead is None:
        return None
    return pinned_places if request.ahead == "page" else lambda _page: ()


def _with_started(source: ChangeSource, files: ChangeFiles) -> ChangeFiles:
    """Also what the files that scripts source or start use in turn. Raises UserError."""
    others = dict(files.others)
    found = {path: data for path, data in others.items() if path.endswith(SCRIPT_SUFFIXES)}

    def further(paths: Sequence[str]) -> Sequence[str]:
        every = set().union(*started(paths, found).values())
        return sorted(path for path in every if path not in others)

    for _ in range(_DEEPEST):
        if not found:
            break
        try:
            found = dict(source.chosen(further))
        except TooMuchError as error:
            gaps = (*files.gaps, ("configuration", sentence_of(error)))
            return replace(files, others=others, gaps=gaps)
        others |= found
    return replace(files, others=others)


def _selection(
    config: Config, request: CheckRequest, also: Mapping[str, bytes], names: set[str]
) -> FileSelection:
    """The files of a change that are read, and those beside them that say how.

    `names` gets the paths of all scripts.
    """

    def others(paths: Sequence[str], files: Mapping[str, bytes]) -> Sequence[str]:
        names.update(filter(config.owns, paths))
        read = {path: data for path, data in files.items() if _is_read(path, data)}
        return needed(paths, {**_beside(config), **also, **read})

    return FileSelection(
        script=lambda path: config.owns(path) or config.may_be_recipe(path),
        page=config.page,
        others=others,
        alone=not also,
        later=config.scripts,
        ahead=_ahead(request),
    )


def _runs(
    request: CheckRequest, files: ChangeFiles, options: CheckOptions
) -> Mapping[str, RunGiven | LinkedRun]:
    """The runs that the front end names: one that names no script is none of a helper's."""
    scripts = [file.path for file in files.scripts]
    try:
        return request.runs(scripts, options)
    except UserError:
        profiles = options.config.name_profiles()
        named = [p for p in scripts if p not in files.others or read_name(p, profiles).valid]
        if not named or named == scripts:
            raise
        return request.runs(named, options)


def check_change(source: ChangeSource, request: CheckRequest) -> CheckedChange:
    """Check every tuning script that a change adds or alters, and what it does to the page.

    Raises UserError when the change or the configuration cannot be read.
    """
    prepare("bot.review.preload")
    config = request.config or base_config(source, request.unstated)
    options = request.options(config)
    using = candidates(source, config)
    names = set[str]()
    selection = _selection(config, request, using.scripts, names)
    files = _with_started(source, source.read(selection))
    read = [file for file in files.scripts if _is_read(file.path, file.data)]
    files = replace(
        files,
        scripts=tuple(file for file in read if not is_recipe(file.path)),
        recipes=tuple(file for file in read if is_recipe(file.path)),
    )
    if using.problem is not None:
        files = replace(files, gaps=(*files.gaps, ("script", using.problem)))
    pure = replace(options, linked=None, files=None, place=None)
    files, dependents = with_dependents(files, using, pure, request.limits)
    scripts = [file.path for file in files.scripts]
    changed = changed_configuration(source, set(scripts) - dependents.keys())
    result = read_isolated(
        source,
        ReadRequest(
            base=source.base,
            head=source.head,
            web_url=source.web_url,
            files=files,
            options=pure,
            fetches=options.linked is not None,
            runs=_runs(request, files, options),
            dependents=dependents,
            names=frozenset(names),
            configuration=changed,
        ),
        options,
        request.limits,
    )
    report, change = result.report, result.report.configuration_change
    breaks = bool(change and change.broken) or report.verdict != "pass"
    return CheckedChange(
        report=report,
        config=config,
        touches=bool(files.scripts or files.recipes or report.pages)
        or files.page_changed
        or files.page_removed
        or using.problem is not None
        or (changed is not None and breaks)
        or report.verdict == "fail",
        sources=result.sources,
        page=result.page,
        web_url=source.web_url,
        options=replace(
            for_scripts(options),
            place=InCheckout(Checkout(files.others), files.others.get, frozenset(names)),
            files=ChangeModels(source),
        ),
    )
