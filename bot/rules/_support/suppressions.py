"""Comments that suppress findings: `# rlbot: ignore[RLB021, trial-log] the reason`.

A comment at the end of a line covers the statement that ends there, with the lines that a
backslash joins to it; inside an array only its own line. A comment on a line of its own covers the
statement below it, since none can stand inside a statement that backslashes continue. In the
comments above the first statement it also covers what is found about the file as a whole.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.report import Finding
from bot.rules._support.base import RuleContext, TextEdit
from bot.shell.source import Source, Span
from bot.shell.words import Comment

# A comment may say something else first: `# 44√ 45× # rlbot: ignore[trial-log] the reason`.
_DIRECTIVE = regex(r"#\s*rlbot\s*:\s*(?P<word>[A-Za-z]+)\s*(?P<rest>\[|\Z|.)")
_LIST = regex(r"\[(?P<names>[^\[\]]*)\](?P<reason>.*)\Z", re.DOTALL)
_NAME = regex(r"[^\s,](?:[^,]*[^\s,])?")
LIMIT = 200
"""Comments that are read; one more is told by the rule `suppression`."""
_SEPARATORS = " \t\r:-–—"


@dataclass(frozen=True, slots=True)
class Named:
    """A rule's id or slug as the comment writes it."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Suppression:
    """One such comment, whether it is written rightly or not."""

    word: str
    """ignore, or what stands in its place."""
    names: tuple[Named, ...]
    reason: str
    span: Span
    """From its `#` to the end of the comment."""
    first: int
    """First line that it covers."""
    last: int
    of_file: bool
    """True when it covers findings about the file as a whole too."""

    def covers(self, finding: Finding) -> bool:
        """Whether the finding's first line is one of those covered."""
        start = (finding.line, finding.column, finding.end_line, finding.end_column)
        if start == (1, 1, 1, 1):
            return self.of_file
        return self.first <= finding.line <= self.last


@lru_cache(maxsize=8)
def _find_suppressions(source_text: str, comments: tuple[Comment, ...]) -> tuple[Suppression, ...]:
    source = Source("", source_text)
    alone: dict[int, bool] = {}
    for comment in comments:
        line, column = source.line_column(comment.span.start)
        alone[line] = not source.line(line)[: column - 1].strip()
    found: list[Suppression] = []
    for comment in comments:
        directive = _DIRECTIVE.search(comment.text)
        if directive is None:
            continue
        if len(found) > LIMIT:
            break
        start = comment.span.start + directive.start()
        names, reason = _content(comment, directive)
        line, _ = source.line_column(comment.span.start)
        first, last = _covered(source, line, alone)
        found.append(
            Suppression(
                directive["word"],
                names,
                reason,
                Span(start, comment.span.end),
                first,
                last,
                alone[line] and _is_top(source, line, alone),
            )
        )
    return tuple(found)


def suppressions(context: RuleContext) -> tuple[Suppression, ...]:
    """Every comment of the script that is meant to suppress, in order; LIMIT and one at most."""
    if "rlbot" not in context.source.text:
        return ()
    return _find_suppressions(context.source.text, context.reading.comments)


def removal(context: RuleContext, suppression: Suppression) -> TextEdit:
    """The edit that takes the comment out, with the line when nothing else stands on it."""
    text = context.source.text
    start, end = suppression.span.start, suppression.span.end
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    alone = start == 0 or text[start - 1] == "\n"
    if alone and end < len(text):
        end = text.index("\n", end) + 1
    return TextEdit(span=Span(start, end), text="")


def _content(comment: Comment, directive: re.Match[str]) -> tuple[tuple[Named, ...], str]:
    found = _LIST.match(comment.text, directive.start("rest"))
    if found is None:
        return (), ""
    base = comment.span.start + found.start("names")
    names = tuple(
        Named(name[0], Span(base + name.start(), base + name.end()))
        for name in _NAME.finditer(found["names"])
    )
    return names, found["reason"].strip(_SEPARATORS)


def _covered(source: Source, line: int, alone: dict[int, bool]) -> tuple[int, int]:
    """First and last line of the statement that a comment at `line` belongs to."""
    if not alone[line]:
        first = line
        while first > 1 and _continues(source.line(first - 1)) and (first - 1) not in alone:
            first -= 1
        return first, line
    first = line + 1
    while alone.get(first):
        first += 1
    last = first
    while last < source.lines and _continues(source.line(last)) and last not in alone:
        last += 1
    return first, last


def _continues(line: str) -> bool:
    """Whether a backslash at its end joins the next line to it."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _is_top(source: Source, line: int, alone: dict[int, bool]) -> bool:
    return all(alone.get(n) or not source.line(n).strip() for n in range(1, line))
