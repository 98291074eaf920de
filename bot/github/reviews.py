"""Review suggestions: posted once each, in one review, at lines that the diff shows.

PyGithub posts a review; which suggestion stands already, and where, it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot.base.regex import regex
from bot.github.answer import Answer
from bot.github.client import Client
from bot.github.failures import understood
from bot.github.posted import Posted
from bot.github.pull import MOST_PAGES_OF_FILES, PullId
from bot.github.suggestions import Suggestion

_HUNK = regex(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@understood
def publish_suggestions(client: Client, pull: PullId, answer: Answer, posted: Posted) -> int:
    """Post the suggestions that are not there yet; gives how many the diff does not show.

    Costs a request for each 100 changed files, unless all are on new ones. Raises GitHubError.
    """
    new = [offered for offered in answer.suggestions if offered.mark not in posted.reviewed]
    if not new:
        return 0
    altered = {offered.path for offered in new} - answer.added
    shown = _lines_in_diff(client, pull, altered) if altered else {}
    possible = [o for o in new if o.path in answer.added or _is_shown(o, shown)]
    if possible:
        body = {
            "commit_id": answer.head,
            "event": "COMMENT",
            "comments": [offered.as_json() for offered in possible],
        }
        path = f"/repos/{pull.repository}/pulls/{pull.number}/reviews"
        client.write("POST", path, body, repeat=False)
    return len(new) - len(possible)


def _is_shown(offered: Suggestion, shown: Mapping[str, Sequence[range]]) -> bool:
    return any(
        offered.line in hunk and offered.end_line in hunk for hunk in shown.get(offered.path, ())
    )


def _lines_in_diff(client: Client, pull: PullId, paths: set[str]) -> dict[str, list[range]]:
    """The lines of files at the head that the diff shows, hunk by hunk."""
    found: dict[str, list[range]] = {}
    path = f"/repos/{pull.repository}/pulls/{pull.number}/files"
    for file in client.pages(path, most=MOST_PAGES_OF_FILES):
        if file["filename"] in paths:
            found[file["filename"]] = [
                range(int(first), int(first) + int(count or 1))
                for first, count in _HUNK.findall(file.get("patch") or "")
            ]
        if len(found) == len(paths):
            break
    return found
