"""Finds the rules of a package by walking it, and runs them."""

from __future__ import annotations

import difflib
import os
import posixpath
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType
from typing import Generic, Protocol, TypeVar

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.resources import DOCUMENTATION
from bot.registry.base import Hit, Rule, Skip
from bot.report import Edit, Finding, Fix, Unchecked, WrittenIn
from bot.shell.source import Source, Span


class Subject(Protocol):
    """What rules look at: a script or a page, read."""

    @property
    def source(self) -> Source:
        """Its path and text."""


C = TypeVar("C", bound=Subject)


@dataclass(frozen=True, kw_only=True)
class Registry(Generic[C]):
    """The rules of one package, one in each module; all of them look at the same kind of thing."""

    package: ModuleType
    folder: str
    """Where their pages lie below docs/; a page is named after the rule's slug."""
    fault: str
    """The template, with {id} and {kind}, of the reason when a rule raises an error."""
    index: str
    """The template of the list of all rules, with {rows}."""

    @cached_property
    def rules(self) -> tuple[Rule[C], ...]:
        """Every rule, ordered by id; see `entries`."""
        return tuple(
            Rule(name.replace("_", "-"), module.META, module.check)
            for name, module in entries(self.package)
        )

    @cached_property
    def _labels(self) -> dict[str, Rule[C]]:
        return {label: r for r in self.rules for label in (r.meta.id.lower(), r.slug)}

    def url(self, slug: str) -> str:
        """Address of a rule's page."""
        return f"{DOCUMENTATION}/{self.folder}/{slug}.md"

    def lookup(self, name: str) -> Rule[C] | None:
        """The rule with this id (RLB020) or slug (unknown-key), in any case; None without one."""
        return self._labels.get(name.strip().lower())

    def nearest(self, name: str) -> Rule[C] | None:
        """The rule whose id or slug is nearest to a name; None when none is near."""
        # Two ids are always alike in most of their characters.
        near = difflib.get_close_matches(name.strip().lower(), self._labels, n=1, cutoff=0.75)
        return self._labels[near[0]] if near else None

    def find(self, name: str) -> Rule[C]:
        """As `lookup`; raises UserError, with the nearest known one, when there is none."""
        rule = self.lookup(name)
        if rule is not None:
            return rule
        near = self.nearest(name)
        hint = (
            message("did you mean {id} ({slug})?", id=near.meta.id, slug=near.slug)
            if near
            else message("rlbot rule lists the rules.")
        )
        raise UserError('There is no rule "{name}"; {hint}', name=name, hint=hint)

    def selected(
        self, select: Sequence[str] = (), ignore: Sequence[str] = ()
    ) -> tuple[Rule[C], ...]:
        """The rules that are left by `select` (all when empty) and `ignore`: ids or slugs.

        Raises UserError when a name is no rule's.
        """
        if not select and not ignore:
            return self.rules
        chosen = {self.find(name).meta.id for name in select}
        dropped = {self.find(name).meta.id for name in ignore}
        return tuple(
            rule
            for rule in self.rules
            if (not chosen or rule.meta.id in chosen) and rule.meta.id not in dropped
        )

    def run(
        self, rules: Iterable[Rule[C]], context: C
    ) -> tuple[tuple[Finding, ...], tuple[Unchecked, ...]]:
        """Run these rules: what they found, and what could not be checked.

        Findings are ordered by place, then id; the same finding twice counts once. A rule that
        raises becomes an `Unchecked`, so that one fault does not hide what the other rules found.
        """
        source = context.source
        findings: dict[tuple[object, ...], Finding] = {}
        unchecked: dict[Unchecked, None] = {}
        for rule in rules:
            try:
                results = list(rule.check(context))
            except Exception as error:  # A fault in one rule must not hide what the others find.
                reason = message(self.fault, id=rule.meta.id, kind=type(error).__name__)
                unchecked[Unchecked(check=rule.label, reason=reason)] = None
                continue
            for result in results:
                if isinstance(result, Skip):
                    unchecked[Unchecked(check=rule.label, reason=result.reason)] = None
                else:
                    finding = self.finding(rule, result, source)
                    key = (finding.id, finding.path, finding.line, finding.column, finding.message)
                    findings.setdefault(key, finding)
        return tuple(sorted(findings.values(), key=order)), tuple(unchecked)

    def finding(self, rule: Rule[C], hit: Hit, source: Source) -> Finding:
        """What a rule found, as the report has it."""
        fix, file = None, source.part(hit.span.start)[0]
        if hit.edits and file is source and source.exact:
            edits = tuple(Edit(**_place(source, edit.span), text=edit.text) for edit in hit.edits)
            title = hit.fix_title or hit.help or message("apply the edit")
            fix = Fix(title=title, safe=hit.fix_safe, edits=edits)
        place = source.place(hit.span)
        return Finding(
            id=rule.meta.id,
            slug=rule.slug,
            severity=hit.severity or rule.meta.severity,
            message=hit.message,
            path=file.path,
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
            help=hit.help,
            url=self.url(rule.slug),
            fix=fix,
            rename=_moved(source.path, hit.rename) if hit.rename else None,
            written_in=_written_in(hit.span),
        )


def _written_in(span: Span) -> WrittenIn | None:
    return None if span.inside is None else WrittenIn(path=span.inside[0], line=span.inside[1])


def order(finding: Finding) -> tuple[object, ...]:
    """Sorts findings by place, then id."""
    place = (finding.line, finding.column, finding.end_line, finding.end_column)
    return (*place, finding.id, finding.message)


def _place(source: Source, span: Span) -> dict[str, int]:
    place = source.place(span)
    return {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _moved(path: str, new: str) -> str:
    """The path of a file under another name, or below another folder beside its own."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), new))


def entries(package: ModuleType) -> Iterator[tuple[str, ModuleType]]:
    """The modules of a package, by name, in the order of their ids.

    Modules whose name starts with an underscore are helpers. Raises ValueError when two share an
    id, which is a fault of the program.
    """
    found: dict[str, tuple[str, ModuleType]] = {}
    for folder in package.__path__:
        with os.scandir(folder) as listed:
            files = {item.name.removesuffix(".py"): item for item in listed}
        for name, file in sorted(files.items()):
            if name == file.name or name.startswith("_"):
                continue
            module = _module(package, name, file.path)
            id_ = module.META.id
            if id_ in found:
                raise ValueError(f"{name} and {found[id_][0]} share an id")
            found[id_] = name, module
    for id_ in sorted(found):
        yield found[id_]


def _module(package: ModuleType, name: str, path: str) -> ModuleType:
    """As `import_module`, which would look again for the file that was just listed."""
    full = f"{package.__name__}.{name}"
    if full in sys.modules:
        return import_module(full)
    loader = SourceFileLoader(full, path)
    spec = spec_from_loader(full, loader, is_package=False)
    if spec is None:
        raise ImportError(path)
    module = module_from_spec(spec)
    loader.exec_module(module)
    # Not before: another thread would find it half made.
    module = sys.modules.setdefault(full, module)
    setattr(package, name, module)
    return module
