"""Reads the files of a change in a process of its own, since a stranger wrote them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Final, cast

from bot.base.config import FILE_NAME, Config, parse_config
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.isolated import Caller, IsolationLimits, isolated, within_limits
from bot.base.messages import message, sentence_of
from bot.check.configuration_change import with_change
from bot.check.read import ScriptReader
from bot.check.request import CheckOptions, InCheckout, PageText, ScriptFile
from bot.check.script import check_read, make_report
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import RunGiven, RunLink
from bot.frameworks import Checkout
from bot.github.change import ChangedFile, ChangeFiles, ChangeLookup, ChangeSource
from bot.github.errors import TooMuchError
from bot.report import Change, ConfigurationChange, PageReport, Report, ScriptReport, Unchecked
from bot.review.configuration_change import ChangedConfiguration, compare
from bot.review.dependents import Dependent
from bot.review.models import ChangeModels
from bot.review.page import change_page, for_scripts, permalink, row_links
from bot.review.runs import ChangeRuns, LinkedRun, change_runs, with_runs
from bot.rules._support.base import RuleContext
from bot.rules._support.registry import check_context
from bot.table import PageError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """What the process is given."""

    base: str
    head: str
    web_url: str | None
    files: ChangeFiles
    options: CheckOptions
    """Without its functions, which stay with the caller."""
    fetches: bool
    """Whether linked runs may be read."""
    runs: Mapping[str, RunGiven | LinkedRun]
    """Runs that the front end names, by the paths of the scripts."""
    dependents: Mapping[str, Dependent] = field(default_factory=dict)
    """The scripts among the files that the change leaves alone, by path."""
    names: frozenset[str] = frozenset()
    """The paths of all scripts at the head."""
    configuration: ChangedConfiguration | None = None
    """What tells which scripts a change of the configuration breaks."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Subject to the reason why it is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """What the process gives back."""

    report: Report
    sources: Mapping[str, str]
    """Path to the text of each script."""
    page: str | None
    """Text of the page when the change alters it."""


def read_isolated(
    source: ChangeSource, request: ReadRequest, options: CheckOptions, limits: IsolationLimits
) -> ReadResult:
    """Read the files; `options` hold the functions that the process may call.

    A file that uses up its limits is left out, with the reason. Raises UserError when what the
    source is asked for cannot be read.
    """
    functions: dict[str, Callable[..., object]] = {
        "head_file": source.head_file,
        "below": source.below,
        "files": source.files,
        "texts": source.texts,
    }
    if options.linked is not None:
        functions["linked"] = options.linked

    def attempt(left_out: Mapping[str, str]) -> ReadResult:
        return isolated(
            _read_in_child,
            (replace(request, left_out=left_out),),
            functions=functions,
            errors=(UserError, EvidenceError),
            limits=limits,
        )

    every = [*_PARTS, *(file.path for file in (*request.files.scripts, *request.files.recipes))]
    every += request.configuration.scripts if request.configuration else ()
    return within_limits(attempt, every, request.left_out)


_PAGE: Final = "page"
_EVIDENCE: Final = "evidence"
_OF_TUNING_SCRIPTS: Final = ("no-launch", "name-pattern")
"""The rules that ask for a launch, and for a name that tells of one."""
_PARTS: Final = (FILE_NAME, _PAGE, _EVIDENCE)
"""The subjects besides the scripts."""


def _read_in_child(caller: Caller, request: ReadRequest) -> ReadResult:
    return _Reading(caller, request).result()


class _Reading:
    """The files of a change while they are read, in the process."""

    def __init__(self, caller: Caller, request: ReadRequest) -> None:
        self.caller = caller
        self.request = request
        self.files = request.files
        self.source: ChangeLookup = _RemoteSource(caller, request)
        self.unchecked = [Unchecked(check=check, reason=why) for check, why in self.files.gaps]
        linked = cast("Callable[[RunLink], Facts]", caller.function("linked"))
        self.options = replace(request.options, linked=linked if request.fetches else None)
        self.config_broken = False

    def result(self) -> ReadResult:
        """Read everything."""
        self._validate_config()
        scripts = {file.path: file.data for file in self.files.scripts if file.data is not None}
        files = {**scripts, **self.files.others}
        place = InCheckout(Checkout(self.files.others), files.get, self.request.names)
        self.options = replace(self.options, place=place)
        page = _page(self.files, self.options.config, self.unchecked)
        models = ChangeModels(self.source)
        for_page = self.options
        recipes = frozenset(file.path for file in self.files.recipes)
        self.options = replace(for_scripts(self.options), files=models, recipes=recipes)
        reader = ScriptReader(self.options)
        # Before the page, which is compared with them: each is read on its own account.
        contexts = {
            file.path: reader.read(file.path, file.data)
            for file in self.files.scripts
            if file.data is not None and self._begin(file.path)
        }
        pages = self._changed_page(page, for_page, reader)
        runs, links = ChangeRuns(), dict[str, str]()
        if self.files.scripts and self._begin(_EVIDENCE):
            backed = {p: c for p, c in contexts.items() if not self._is_helper(p, c)}
            runs = change_runs(self.source, self.files, backed, self.request.runs, self.options)
            links = row_links(self.source, self.files, page)
        reports = [
            self._script(file, contexts[file.path], runs, links, page)
            for file in self.files.scripts
            if file.path in contexts and self._begin(file.path)
        ]
        reports += [
            self._recipe(file.path, file.data, reader)
            for file in self.files.recipes
            if file.data is not None and self._begin(file.path)
        ]
        self.unchecked += [
            Unchecked(check=file.path, reason=file.reason)
            for file in (*self.files.scripts, *self.files.recipes)
            if file.data is None
        ]
        self.unchecked += models.unchecked
        change = self._configuration()
        made = make_report(
            reports,
            unchecked=self.unchecked,
            pages=pages,
            change=Change(base=self.request.base, head=self.request.head),
            language=self.options.config.language,
        )
        report = with_change(made, change) if change is not None else made
        return ReadResult(
            # Merged, it would stop the check of every later change.
            report=replace(report, verdict="fail") if self.config_broken else report,
            sources={
                file.path: file.data.decode("utf-8", "replace")
                for file in (*self.files.scripts, *self.files.recipes)
                if file.data is not None
            },
            page=page.text if page and self.files.page_changed else None,
        )

    def _configuration(self) -> ConfigurationChange | None:
        """What a change of the configuration breaks; None without one that was read."""
        changed = self.request.configuration
        if changed is None:
            return None
        if changed.problem is not None:
            self.unchecked.append(Unchecked(check="configuration", reason=changed.problem))
            return None
        return compare(changed, replace(self.options, linked=None, files=None), self._begin)

    def _begin(self, subject: str) -> bool:
        """Go on to a subject; False, and a line in the report, when it is left out."""
        reason = self.request.left_out.get(subject)
        if reason is None:
            self.caller.begin(subject)
            return True
        item = Unchecked(check=subject, reason=reason)
        if item not in self.unchecked:
            self.unchecked.append(item)
        return False

    def _validate_config(self) -> None:
        """Validated, not applied: this configuration is none before it is merged."""
        if self.files.config is None or not self._begin(FILE_NAME):
            return
        try:
            parse_config(self.files.config, f"{FILE_NAME} of this change")
        except UserError as error:
            self.config_broken = True
            self.unchecked.append(Unchecked(check=FILE_NAME, reason=sentence_of(error)))

    def _changed_page(
        self, page: PageText | None, options: CheckOptions, reader: ScriptReader
    ) -> list[PageReport]:
        """The report on the page when the change alters it, or leaves rows without their scripts.

        None when it could not be checked.
        """
        left = self.files.scripts_removed and not self.files.page_changed
        if page is None or not (self.files.page_changed or left) or not self._begin(_PAGE):
            return []
        try:
            report = change_page(self.source, self.files, page, options, reader)
        except (PageError, TooMuchError) as error:
            self.unchecked.append(Unchecked(check=_PAGE, reason=sentence_of(error)))
            return []
        if report is None or (left and not report.findings):
            return []
        return [report]

    def _recipe(self, path: str, data: bytes, reader: ScriptReader) -> ScriptReport:
        options = replace(self.options, linked=None, evidence="off")
        return check_read(ScriptFile(path=path, data=data), reader.read(path, data), options).report

    def _is_helper(self, path: str, context: RuleContext) -> bool:
        """Whether a file is only there for scripts to source or start: no run or row is its own."""
        if context.plans or context.name.valid or context.header.links:
            return False
        if path in self.request.runs:
            return False
        found, _ = check_context(context, select=["no-launch"])
        return path in self.files.others or any(finding.severity == "note" for finding in found)

    def _script(
        self,
        file: ChangedFile,
        context: RuleContext,
        runs: ChangeRuns,
        links: Mapping[str, str],
        page: PageText | None,
    ) -> ScriptReport:
        script = ScriptFile(
            path=file.path,
            data=file.data or b"",
            link=links.get(file.path) or permalink(self.source, file.path),
            contributor=file.contributor,
            asked=runs.questions.get(file.path),
        )
        around = with_runs(self.options, runs, file.path, page.text if page else None)
        if self._is_helper(file.path, context):
            around = replace(around, evidence="off", ignore=[*around.ignore, *_OF_TUNING_SCRIPTS])
        run = runs.runs.get(file.path)
        report = check_read(script, context, around, run=run, page=page).report
        dependent = self.request.dependents.get(file.path)
        return dependent.news(report) if dependent is not None else report


class _RemoteSource:
    """A `ChangeLookup`: each part of the change is asked of the caller when it is wanted."""

    def __init__(self, caller: Caller, request: ReadRequest) -> None:
        self.base, self.head, self.web_url = request.base, request.head, request.web_url
        self.head_file: Any = caller.function("head_file")
        self.below: Any = caller.function("below")
        self.files: Any = caller.function("files")
        self.texts: Any = caller.function("texts")


def _page(files: ChangeFiles, config: Config, unchecked: list[Unchecked]) -> PageText | None:
    if config.page and files.page_removed:
        removed = message(
            "This change removes the page {path}. Move the rows to another page and name it as "
            "`page` in .rlbot.yml, or keep this one.",
            path=config.page,
        )
        unchecked.append(Unchecked(check=_PAGE, reason=removed))
    if not config.page or files.page is None:
        return None
    try:
        return PageText(path=config.page, text=files.page.decode("utf-8"))
    except UnicodeDecodeError:
        unchecked.append(
            Unchecked(check=_PAGE, reason=message("{path} is not UTF-8.", path=config.page))
        )
        return None
