"""The whole way for a change: what every front end does with a branch or a pull request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from bot.base.config import FILE_NAME, Config, parse_config
from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.check.read import ScriptReader
from bot.check.request import CheckOptions, PageText, ScriptFile
from bot.check.script import check_read, make_report
from bot.evidence.links import RunLink
from bot.frameworks import ConfigTree, tree_table
from bot.github.change import ChangeFiles, ChangeSource, FileSelection
from bot.github.errors import TooMuchError
from bot.report import Change, PageReport, Report, Unchecked
from bot.review.models import ChangeModels
from bot.review.page import change_page, for_scripts, standing_links
from bot.review.runs import ChangeRuns, change_runs, with_runs
from bot.table import PageError

TREE = "verl/trainer/config"
"""Where a repository that is verl itself keeps its configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedChange:
    """The report on a change, and what renderers and publishers want beside it."""

    report: Report
    config: Config
    touches: bool
    """True when the change concerns us: it adds or alters a tuning script, also one that could not
    be read, or it adds, alters or removes the documentation page."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Path to the text of each script, for excerpts and suggestions."""
    page: str | None = None
    """Text of the page when the change alters it, so that a suggestion can stand on it."""
    options: CheckOptions = field(default_factory=CheckOptions)
    """What the scripts were checked with."""

    @property
    def texts(self) -> Mapping[str, str]:
        """Path to the text of every file that findings stand in."""
        pages = {page.path: self.page for page in self.report.pages if self.page is not None}
        return {**self.sources, **pages}


def _no_runs(_scripts: Sequence[str], _options: CheckOptions) -> Mapping[str, Path | RunLink]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What a front end asks for, before the change is read."""

    options: Callable[[Config], CheckOptions]
    """The options under a configuration."""
    config: Config | None = None
    """Stands in the place of the base's own configuration."""
    runs: Callable[[Sequence[str], CheckOptions], Mapping[str, Path | RunLink]] = _no_runs
    """Run folders or links for the paths of the scripts; the scripts' own links otherwise."""


def configuration(source: ChangeSource) -> Config:
    """The configuration at the base: a change cannot relax the rules that it is checked by.

    Raises UserError when it is wrong or could not be read.
    """
    stored = source.base_file(FILE_NAME)
    if stored is None:
        return Config()
    return parse_config(stored, f"{FILE_NAME} of the base, commit {source.base[:12]},")


def check_change(source: ChangeSource, request: CheckRequest) -> CheckedChange:
    """Check every tuning script that a change adds or alters, and what it does to the page.

    Raises UserError when the change or the configuration cannot be read.
    """
    config = request.config or configuration(source)
    options = request.options(config)
    own_tree = not options.trees and "verl" not in options.versions
    files = source.read(
        FileSelection(
            script=config.owns,
            page=config.page,
            config=FILE_NAME,
            folder=TREE if own_tree else None,
            suffix=".yaml",
            later=config.scripts,
        )
    )
    unchecked = [Unchecked(check=check, reason=reason) for check, reason in files.gaps]
    if files.config is not None:
        try:
            # Validated, not applied: this configuration is none before it is merged.
            parse_config(files.config, f"{FILE_NAME} of this change")
        except UserError as error:
            unchecked.append(Unchecked(check=FILE_NAME, reason=sentence_of(error)))
    run_of = request.runs([file.path for file in files.scripts], options)
    if files.folder:
        try:
            options = replace(options, trees=_own_tree(files.folder))
        except UserError as error:
            unchecked.append(Unchecked(check="configuration", reason=sentence_of(error)))
    page = _page(files, config, unchecked)
    models = ChangeModels(source)
    of_scripts = replace(for_scripts(options), files=models)
    reader = ScriptReader(of_scripts)
    pages, gaps = _changed_page(source, files, page, options, reader)
    unchecked += gaps
    options = of_scripts
    contexts = {
        file.path: reader.read(file.path, file.data)
        for file in files.scripts
        if file.data is not None
    }
    runs = change_runs(source, files, contexts, run_of, options) if files.scripts else ChangeRuns()
    links = standing_links(source, files, page)
    reports, sources = [], {}
    for file in files.scripts:
        if file.data is None:
            unchecked.append(Unchecked(check=file.path, reason=file.reason))
            continue
        sources[file.path] = file.data.decode("utf-8", "replace")
        link = links.get(file.path)
        if link is None and source.web_url:
            link = f"{source.web_url}/blob/{source.head}/{quote(file.path)}"
        script = ScriptFile(
            path=file.path,
            data=file.data,
            link=link,
            contributor=file.contributor,
            asked=runs.questions.get(file.path),
        )
        around = with_runs(options, runs, file.path, page.text if page else None)
        run = runs.runs.get(file.path)
        reports.append(check_read(script, contexts[file.path], around, run=run, page=page).report)
    unchecked += models.unchecked
    report = make_report(
        reports,
        unchecked=unchecked,
        pages=pages,
        change=Change(base=source.base, head=source.head),
        language=options.config.language,
    )
    return CheckedChange(
        report=report,
        config=config,
        touches=bool(files.scripts) or files.page_changed or files.page_removed,
        sources=sources,
        page=page.text if page and files.page_changed else None,
        options=options,
    )


def _page(files: ChangeFiles, config: Config, unchecked: list[Unchecked]) -> PageText | None:
    if config.page and files.page_removed:
        removed = message(
            "This change removes the page {path}. Move the rows to another page and name it as "
            "`page` in .rlbot.yml, or keep this one.",
            path=config.page,
        )
        unchecked.append(Unchecked(check="page", reason=removed))
    if not config.page or files.page is None:
        return None
    try:
        return PageText(path=config.page, text=files.page.decode("utf-8"))
    except UnicodeDecodeError:
        unchecked.append(
            Unchecked(check="page", reason=message("{path} is not UTF-8.", path=config.page))
        )
        return None


def _changed_page(
    source: ChangeSource,
    files: ChangeFiles,
    page: PageText | None,
    options: CheckOptions,
    reader: ScriptReader,
) -> tuple[list[PageReport], list[Unchecked]]:
    """The report on the page when the change alters it, and why it could not be checked."""
    if page is None or not files.page_changed:
        return [], []
    try:
        report = change_page(source, files, page, options, reader)
    except (PageError, TooMuchError) as error:
        return [], [Unchecked(check="page", reason=sentence_of(error))]
    return [report] if report else [], []


def _own_tree(files: Mapping[str, bytes]) -> dict[str, ConfigTree]:
    """The configuration of verl that the change itself holds, which its scripts will meet."""
    return {"verl": tree_table(files, f"this change, {TREE}")}
