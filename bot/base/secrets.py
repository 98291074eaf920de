"""Texts that must not be printed: tokens, keys, webhook secrets."""

from __future__ import annotations

import re
from typing import Final

from bot.base.regex import regex

COVERED: Final = "***"
"""What stands for a secret."""
TOKENS: Final = (
    ("Hugging Face", ("hf_",), regex(r"(?<![A-Za-z0-9_])hf_[A-Za-z]\w{28,}")),
    (
        "GitHub",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        regex(r"(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})"),
    ),
    ("OpenAI", ("sk-",), regex(r"(?<![A-Za-z0-9_])sk-(?:proj-|ant-)?[A-Za-z0-9_\-]{32,}")),
    ("AWS", ("AKIA",), regex(r"(?<![A-Z0-9])AKIA[0-9A-Z]{16}(?![0-9A-Z])")),
    ("Google", ("AIza",), regex(r"(?<![A-Za-z0-9_])AIza[0-9A-Za-z_\-]{35}")),
    ("Slack", ("xox",), regex(r"(?<![A-Za-z0-9_])xox[baprs]-[0-9A-Za-z\-]{20,}")),
    ("GitLab", ("glpat-",), regex(r"(?<![A-Za-z0-9_])glpat-[0-9A-Za-z_\-]{20}")),
)
"""Service, what a text with one of its tokens holds, and the form of one."""
_NAME: Final = (
    r"(?:api_?key|access_?key|secret|passw(?:or)?d|credentials?"
    r"|(?:auth|access|hf|hub|wandb|github|gitlab)_?token)"
)
_SECRET_NAME = regex(rf"(?:{_NAME}|(?:\A|\.)wandb\.key|(?:\A|\.|-)use_wandb)\Z", re.IGNORECASE)
_NAMED = regex(rf"({_NAME}[\"']?\s{{0,9}}[:=]\s{{0,9}}[\"']?)([^\s\"',}}]+)", re.IGNORECASE)
_PLAIN: Final = frozenset({"", "true", "false", "none", "null", "0", "1"})
"""Values of a secret's name that are none, such as OpenRLHF's `--use_wandb True`."""


def is_secret(name: str, value: str | None = None) -> bool:
    """Whether a setting holds a key or a password, by its name; OpenRLHF's use_wandb takes one.

    Without `value`: whether it may.
    """
    if _SECRET_NAME.search(name) is None:
        return False
    return value is None or (value.lower() not in _PLAIN and "${" not in value)


def covered(text: str, name: str = "") -> str:
    """The text of the setting `name` with every key, token and password in it as `***`."""
    if is_secret(name, text):
        return COVERED
    shown = text
    for _, words, form in TOKENS:
        if any(word in text for word in words):
            shown = form.sub(COVERED, shown)
    shown = _NAMED.sub(_cover, shown)
    return text if shown == text else shown  # A message that holds none stays one.


def _cover(found: re.Match[str]) -> str:
    return found[1] + (COVERED if is_secret("secret", found[2]) else found[2])


class Secret:
    """Holds a secret; every way to print it gives `***`, and it cannot be pickled by mistake."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the one place that needs it."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return COVERED

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(COVERED, spec)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not stored")
