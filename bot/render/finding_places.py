"""Where findings stand, as Markdown: the file and the line, linked to the checked commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from bot.base.config import SCRIPT_SUFFIXES
from bot.base.fast_dataclass import dataclass
from bot.render.escape import clip, code_link
from bot.report import Finding, Report, ScriptReport

PATH = 160
"""Characters of a path that are shown."""


@dataclass(frozen=True, slots=True)
class FindingPlaces:
    """The names of a report's scripts, and where their lines can be read."""

    names: Mapping[str, str]
    """Path of a script to what names it for a reader."""
    address: str | None = None
    """The https address of the files at the checked commit; None when there is none."""

    @classmethod
    def of(cls, report: Report, web_url: str | None) -> FindingPlaces:
        """The places of a report; `web_url` is the address of its repository."""
        address = f"{web_url}/blob/{report.change.head}" if web_url and report.change else None
        return cls(labels(report.scripts), address)

    def __getitem__(self, path: str) -> str:
        """What names a script."""
        return self.names[path]

    def link(self, finding: Finding) -> str:
        """`folder/script.sh:10` as code, so that GitHub makes neither a link nor an emoji of it."""
        path, line = finding.path, finding.line
        name = f"{clip(self.names.get(path, path), PATH)}:{line}"
        return code_link(name, self._address(path, line))

    def _address(self, path: str, line: int) -> str | None:
        if self.address is None:
            return None
        # GitHub shows the lines of what it renders only when it is asked to.
        plain = "" if path.endswith(SCRIPT_SUFFIXES) else "?plain=1"
        return f"{self.address}/{quote(path)}{plain}#L{line}"


def labels(scripts: Iterable[ScriptReport]) -> dict[str, str]:
    """Path to what names the script for a reader: folder and file, or all where two share those."""
    paths = [script.path for script in scripts]
    short = {path: "/".join(path.split("/")[-2:]) for path in paths}
    shared = Counter(short.values())
    return {path: short[path] if shared[short[path]] == 1 else path for path in paths}
