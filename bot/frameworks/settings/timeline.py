"""All releases of a framework's options in one file, each option with the releases that have it.

Neighbouring releases have nearly the same options, so `<framework>/options.json` keeps one line
for each option and each way it stayed the same; modules that agree about an option share its line:

- `dashed`: whether an option with underscores may be written with dashes in their place;
- `releases`: release → the packages that it was read from, oldest release first;
- `modules`: `[name, [[first, last], …]]`, a module and the releases that have it;
- `options`: `[name, [module, …], [[first, last, type, arity, default, choices, dest], …]]`, the
  modules as numbers; an option is in those of the releases from first to last that have the module.
  What is missing at the end of a row is null; `dest` null is the name, its dashes as underscores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

OptionRow: TypeAlias = list[Any]
"""`[dest, type, arity, default, choices]`; types and arities as `generate.py` says."""
Modules: TypeAlias = dict[str, dict[str, OptionRow]]
"""Module → option → row, of one release."""


class Timeline:
    """The options of every release."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """`data` is the content of an `options.json`."""
        self.dashed: bool = data["dashed"]
        self.sources: Mapping[str, str] = data["releases"]
        self.releases: tuple[str, ...] = tuple(self.sources)
        self._at = {release: at for at, release in enumerate(self.releases)}
        self._modules: list[list[Any]] = data["modules"]
        self._options: list[list[Any]] = data["options"]
        self._rows: dict[str, list[list[Any]]] = {}
        for row in self._options:
            self._rows.setdefault(row[0], []).append(row)
        self.every_module: frozenset[str] = frozenset(name for name, _ in self._modules)
        """The modules of all releases."""
        self._asked = {None, *self.every_module}
        self._having: dict[tuple[str, str | None], tuple[str, ...]] = {}

    def _within(self, spans: Iterable[Sequence[Any]], at: int) -> Sequence[Any] | None:
        return next((one for one in spans if self._at[one[0]] <= at <= self._at[one[1]]), None)

    def modules(self, release: str) -> Modules:
        """The options of one release; raises `KeyError` for an unknown one."""
        at = self._at[release]
        there = [self._within(spans, at) is not None for _, spans in self._modules]
        found: Modules = {
            str(module[0]): {}
            for module, is_there in zip(self._modules, there, strict=True)
            if is_there
        }
        for name, modules, spans in self._options:
            span = self._within(spans, at)
            if span is None:
                continue
            written = list(span[2:]) + [None] * (7 - len(span))
            row = [written[4] or name.replace("-", "_"), *written[:4]]
            for number in modules:
                if there[number]:
                    found[self._modules[number][0]][name] = row
        return found

    def having(self, option: str, module: str | None = None) -> tuple[str, ...]:
        """The releases in which a module, or any, has an option."""
        if option not in self._rows or module not in self._asked:
            return ()  # Nothing is kept of names that are not its own.
        key = (option, module)
        if key not in self._having:
            self._having[key] = self._releases_with(option, module)
        return self._having[key]

    def _releases_with(self, option: str, module: str | None) -> tuple[str, ...]:
        having: set[str] = set()
        for _, modules, spans in self._rows[option]:
            for number in modules:
                wanted, lives = self._modules[number]
                if module in (None, wanted):
                    having.update(
                        release
                        for release, at in self._at.items()
                        if self._within(spans, at) and self._within(lives, at)
                    )
        return tuple(release for release in self.releases if release in having)

    def modules_having(self, option: str) -> list[str]:
        """The modules that have an option in some release."""
        numbers = {n for _, modules, _ in self._rows.get(option, ()) for n in modules}
        return [self._modules[number][0] for number in sorted(numbers)]
