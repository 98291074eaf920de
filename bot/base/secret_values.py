"""Keys and passwords in a script or among the settings of a run, which no report repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from bot.base.regex import regex

COVERED: Final = "***"
"""What stands for a secret."""
_TOKEN = regex(
    r"(?<![A-Za-z0-9_])(?:hf_|gh[pousr]_|github_pat_|sk-|glpat-|xox[baprs]-|AKIA|AIza)[\w\-]{16,}"
)
"""What begins as tokens of Hugging Face, GitHub, OpenAI, GitLab, Slack, AWS and Google do."""
_NAME: Final = (
    r"(?:api_?key|access_?key|secret|passw(?:or)?d|credentials?"
    r"|(?:auth|access|hf|hub|wandb|github|gitlab)_?token)"
)
_SECRET_NAME = regex(rf"(?:{_NAME}|(?:\A|\.)wandb\.key|(?:\A|\.|-)use_wandb)\Z", re.IGNORECASE)
_NAMED = regex(rf"({_NAME}[\"']?\s{{0,9}}[:=]\s{{0,9}}[\"']?)([^\s\"',}}]+)", re.IGNORECASE)
_PLAIN: Final = frozenset({"", "true", "false", "none", "null", "0", "1"})
"""Values of a secret's name that are none, such as OpenRLHF's `--use_wandb True`."""
_SHORTEST: Final = 8
"""Characters of a secret that is looked for in other texts; as many tell where to look."""
_COMPARED: Final = 1 << 24
"""Characters that are compared with secrets which begin alike."""


def is_secret(name: str, value: str | None = None) -> bool:
    """Whether a setting holds a key or a password, by its name; OpenRLHF's use_wandb takes one.

    Without `value`: whether it may.
    """
    if _SECRET_NAME.search(name) is None:
        return False
    if value is None:
        return True
    return value.lower() not in _PLAIN and "${" not in value and not value.startswith("$")


def covered(text: str, name: str) -> str:
    """The text of the setting `name` with every key, token and password in it as `***`."""
    if is_secret(name, text):
        return COVERED
    shown = _NAMED.sub(_cover, _TOKEN.sub(COVERED, text))
    return text if shown == text else shown  # A message that holds none stays one.


def masked(line: str) -> str:
    """A line of a script with each key, token and password in it as stars, as many as it has."""
    shown = _TOKEN.sub(lambda found: "*" * len(found[0]), line)
    return _NAMED.sub(lambda found: _cover(found, "*" * len(found[2])), shown)


def _cover(found: re.Match[str], stars: str = COVERED) -> str:
    return found[1] + (stars if is_secret("secret", found[2]) else found[2])


class KnownSecrets:
    """Secrets that are looked for wherever they may stand.

    That takes as long for thousands as for one, unless they begin alike and are of many lengths:
    then, after a while, all that stands behind such a beginning is taken for one.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._alike: dict[str, dict[int, set[str]]] = {}
        self._left = _COMPARED
        for secret in sorted(secrets, key=len, reverse=True):
            if len(secret) >= _SHORTEST:
                lengths = self._alike.setdefault(secret[:_SHORTEST], {})
                lengths.setdefault(len(secret), set()).add(secret)

    def cover(self, text: str) -> str:
        """The text with `***` for each of them, and for several that overlap."""
        shown, done = "", 0
        for at, end in self._places(text):
            if at >= done:
                shown += text[done:at] + COVERED
            done = max(done, end)
        return shown + text[done:] if done else text

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where a secret begins, and where the longest that begins there ends."""
        if not self._alike:
            return
        for at in range(len(text) - _SHORTEST + 1):
            lengths = self._alike.get(text[at : at + _SHORTEST])
            if lengths is not None and (end := self._end(text, at, lengths)):
                yield at, end

    def _end(self, text: str, at: int, lengths: dict[int, set[str]]) -> int:
        for length, secrets in lengths.items():  # The longest first.
            self._left -= length
            if self._left < 0:
                return len(text)
            if text[at : at + length] in secrets:
                return at + length
        return 0
