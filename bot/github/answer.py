"""The answer that a pull request should get, made from the report before GitHub is asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from bot.base.config import Config
from bot.base.fast_dataclass import dataclass
from bot.base.messages import translated
from bot.base.regex import regex
from bot.github.suggestions import Suggestion, suggestions_of
from bot.render import notices, wording
from bot.render.escape import clip, markdown_inline, visible
from bot.render.finding_places import FindingPlaces
from bot.render.markdown import HERE, MARKER, comment
from bot.render.next_step import Conversation, next_step
from bot.render.places import PlacedFinding, placed, way_out
from bot.render.speech import speaking
from bot.report import Report, Verdict

AnswerState: TypeAlias = Verdict | Literal["none"]
"""A verdict, or none where nothing is left to check."""

CHECK = "rlbot"
"""Name of the check run and context of the commit status."""

BODY_LIMIT = 65_536
SUMMARY_BYTES = 65_535
STEP_BYTES = 1 << 20
_TITLE = 120
BATCH = 50
"""Annotations that GitHub takes with one request."""

MOST_ANNOTATIONS = 200
"""Annotations of a check run: four requests; the comment and the JSON report hold the others."""

_LEVELS: dict[str, Literal["failure", "warning", "notice"]] = {
    "error": "failure",
    "warning": "warning",
    "note": "notice",
}
_ANNOTATION_MESSAGE = 2_000
_ANNOTATION_TITLE = 255
_STATUS = 140
_STATE = regex(
    r"<!-- rlbot:state verdict=(?P<verdict>pass|fail|inconclusive|none) "
    r"head=(?P<head>[0-9a-f]{40,64}) digest=(?P<digest>[0-9a-f]{16}) -->\s*\Z"
)
_STATE_LENGTH = 160


@dataclass(frozen=True, slots=True)
class CommentMark:
    """What a posted comment says of itself, hidden at its end; only our own comments are asked."""

    verdict: AnswerState
    head: str
    digest: str

    def __str__(self) -> str:
        return f"<!-- rlbot:state verdict={self.verdict} head={self.head} digest={self.digest} -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The wanted state of a pull request."""

    head: str
    """The commit that was checked; the answer is good for no other."""
    verdict: AnswerState
    title: str
    """The verdict in words, one line of plain text."""
    body: str
    """The comment, with its marks."""
    mark: CommentMark
    summary: str
    """Markdown of the check run, at most SUMMARY_BYTES."""
    annotations: tuple[Annotation, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    added: frozenset[str] = frozenset()
    """Files that are new, so that the diff shows all of their lines."""

    @property
    def touches(self) -> bool:
        """True when the pull request alters a tuning script or the page of rows."""
        return self.verdict != "none"

    @property
    def digest(self) -> str:
        """Of what the check run shows; a posted one with the same digest is left alone."""
        shown = [self.title, self.summary, [a.as_json() for a in self.annotations]]
        return _digest(json.dumps(shown, sort_keys=True))


def answer_of(
    report: Report,
    *,
    touches: bool,
    sources: Mapping[str, str],
    page: str | None = None,
    conversation: Conversation = HERE,
) -> Answer:
    """The answer to a pull request.

    `touches` says whether it alters a tuning script or the page of rows, `sources` gives the text
    of the scripts by path, `page` the text of the documentation page when the pull request alters
    it, `conversation` what else is known of the pull request.
    Raises ValueError for a report without a change.
    """
    if report.change is None:
        raise ValueError("only a change can be answered")
    head = report.change.head
    with speaking(report.language):
        if not touches:
            text = f"{notices.no_script(report)}\n\n{notices.after_none()}\n\n{MARKER}\n"
            return _plain(head, "none", notices.no_script_title(), text)
        chosen, rest = annotations_of(report)
        plain = _plain(
            head,
            report.verdict,
            clip(_title(report), _TITLE),
            _text(report, BODY_LIMIT - _STATE_LENGTH, conversation),
        )
        return replace(
            plain,
            summary=_summary(report, rest, conversation),
            annotations=chosen,
            suggestions=suggestions_of(report, sources, page),
            added=conversation.added,
        )


def failure_of(head: str, sentence: str, config: Config) -> Answer:
    """The answer where the check itself could not be made, neither passed nor failed.

    `sentence` says what is wrong and what to do; it may hold text of the repository. `config` is
    the base's, for the language and for who may ask again.
    """
    with speaking(config.language):
        reason = clip(translated(sentence, config.language), 2_000)
        last = notices.after_failure(config.permissions.verify)
        text = f"{notices.failure(reason)}\n\n{last}\n\n{MARKER}\n"
        title = clip(notices.failure_title(reason), _TITLE)
    return _plain(head, "inconclusive", title, text)


def mark_of(body: str) -> CommentMark | None:
    """The mark at the end of a comment of ours; None when it has none."""
    found = _STATE.search(body)
    if found is None:
        return None
    return CommentMark(found["verdict"], found["head"], found["digest"])  # type: ignore[arg-type]


def is_marked(body: str) -> bool:
    """True when the text holds the marker of a comment of ours; GitHub says who wrote it."""
    return MARKER in body


def step_summary(
    report: Report, notes: tuple[str, ...] = (), conversation: Conversation = HERE
) -> str:
    """Markdown for `$GITHUB_STEP_SUMMARY`, below its limit; `notes` are sentences above it."""
    above = "\n\n".join(f"> {markdown_inline(sentence)}" for sentence in notes)
    text = _under(report, STEP_BYTES - len(above.encode()) - 2, conversation)
    return f"{above}\n\n{text}" if above and text else above + "\n" * bool(above) + text


def status_description(answer: Answer) -> str:
    """The text of a commit status."""
    return clip(answer.title, _STATUS)


def _plain(head: str, verdict: AnswerState, title: str, text: str) -> Answer:
    """An answer that says `text` everywhere; the comment has its mark too."""
    mark = CommentMark(verdict, head, _digest(text))
    body = f"{text.rstrip()}\n{mark}\n"
    return Answer(head=head, verdict=verdict, title=title, body=body, mark=mark, summary=text)


def _title(report: Report) -> str:
    read = report.scripts or report.pages or report.configuration_change
    return wording.verdict(report) if read else notices.not_read_title(report)


def _text(report: Report, limit: int, conversation: Conversation) -> str:
    """The comment below `limit`; empty for a report that says nothing."""
    text = comment(report, limit=limit, conversation=conversation)
    if text or not report.unchecked:
        return text
    with speaking(report.language):
        places = FindingPlaces.of(report, conversation.web_url)
        last = next_step(report, conversation.permissions, places)
        return f"{notices.not_read(report)}\n\n{last}\n\n{MARKER}\n"


def _summary(report: Report, unannotated: int, conversation: Conversation) -> str:
    more = f"\n{notices.without_annotation(unannotated)}\n" if unannotated else ""
    return _under(report, SUMMARY_BYTES - len(more.encode()), conversation) + more


def _under(report: Report, most: int, conversation: Conversation) -> str:
    """The comment's text in at most `most` bytes."""
    limit = most
    while True:
        text = _text(report, limit, conversation)
        length = len(text.encode())
        if length <= most:
            return text
        limit = min(limit * most // length, limit * 99 // 100)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A sentence at a place; lines start at 1."""

    path: str
    line: int
    end_line: int
    columns: tuple[int, int] | None
    """First and last column, for a place within one line."""
    level: Literal["failure", "warning", "notice"]
    title: str
    message: str

    def as_json(self) -> dict[str, str | int]:
        """As the Checks API takes it."""
        place: dict[str, str | int] = {
            "path": self.path,
            "start_line": self.line,
            "end_line": self.end_line,
        }
        if self.columns:
            place |= {"start_column": self.columns[0], "end_column": self.columns[1]}
        return place | {
            "annotation_level": self.level,
            "title": self.title,
            "message": self.message,
        }

    def as_graphql(self) -> dict[str, Any]:
        """As the mutation `createCheckRun` takes it."""
        first, last = self.columns or (None, None)
        place = {"startLine": self.line, "endLine": self.end_line}
        return {
            "path": self.path,
            "location": {**place, "startColumn": first, "endColumn": last},
            "annotationLevel": self.level.upper(),
            "title": self.title,
            "message": self.message,
        }


def annotations_of(report: Report) -> tuple[tuple[Annotation, ...], int]:
    """The findings of a report as annotations, errors first, and how many are left over."""
    found = placed(report)
    return tuple(map(_annotation, found[:MOST_ANNOTATIONS])), max(0, len(found) - MOST_ANNOTATIONS)


def _annotation(one: PlacedFinding) -> Annotation:
    finding, columns = one.finding, None
    path, line, end_line = finding.path, finding.line, finding.end_line
    if one.altered is not None:
        path, line, end_line = one.altered.path, one.altered.line, one.altered.line
    elif line == end_line:
        last = max(finding.column, finding.end_column - 1)
        columns = (finding.column, last)
    way = finding.help if one.altered is not None else way_out(finding)
    text = finding.message + (f"\n{way}" if way else "")
    text += f"\n{one.user}" if one.altered is not None else ""
    return Annotation(
        path=path,
        line=line,
        end_line=max(line, end_line),
        columns=columns,
        level=_LEVELS[finding.severity],
        title=clip(f"{finding.id} {finding.slug}", _ANNOTATION_TITLE),
        message=clip(visible(text, keep="\n"), _ANNOTATION_MESSAGE),
    )
