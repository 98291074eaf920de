"""Commands that scripts run to find something out about the machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.base.regex import regex
from bot.shell.pieces import known
from bot.shell.words import Word

_PROBES = frozenset(
    {
        "grep", "egrep", "fgrep", "rg", "which", "pgrep", "nvidia-smi", "rocm-smi",
        "nvcc", "npu-smi", "diff", "cmp", "mountpoint", "lspci", "ping", "nc", "curl",
        "lsof", "id", "getent", "ss", "netstat",
    }
)  # fmt: skip
"""Programs of which failing is an ordinary answer."""
_LOOKUPS = frozenset({"which", "command", "type", "hash"})
_PYTHON = regex(r"python[0-9.]*")
_IMPORTS = regex(r"\s*(?:import|from)\s")
_ACTS = regex(r"print|write|open|system|subprocess|exec|urllib|requests")
"""What tells that a program does more than importing and testing."""
_HARDWARE = regex(
    r"(?i)\b(?:(?:nvidia|npu|rocm|amd|xpu)-smi|nvcc|torch[._](?:npu|cuda|xpu)|torch\.version\.hip)\b"
)
"""What tells that the answer is the machine's, which stays the same while a script runs."""


def _code(words: Sequence[Word]) -> str | None:
    """The text of `python -c text` that imports and perhaps tests, and does nothing else."""
    program = (known(words[0].pieces) or "").rsplit("/", 1)[-1]
    if len(words) < 3 or not _PYTHON.fullmatch(program) or known(words[1].pieces) != "-c":
        return None
    text = known(words[2].pieces)
    if text is None or not _IMPORTS.match(text) or _ACTS.search(text):
        return None
    return text


def is_probe(words: Sequence[Word]) -> bool:
    """Whether a command finds something out: failing is an ordinary answer."""
    return known(words[0].pieces) in _PROBES or _code(words) is not None


def is_silent(words: Sequence[Word]) -> bool:
    """Whether a command writes nothing to its output."""
    options = [known(word.pieces) or "" for word in words[1:]]
    if known(words[0].pieces) in ("grep", "egrep", "fgrep"):
        return any(re.fullmatch(r"-[a-zA-Z]*q[a-zA-Z]*|--quiet|--silent", one) for one in options)
    return _code(words) is not None


def question_of(words: Sequence[Word]) -> str:
    """What has to be known of the machine for the status of a command; "" for anything else."""
    looks_up = known(words[0].pieces) in _LOOKUPS
    if not looks_up and not is_probe(words):
        return ""
    texts = [known(word.pieces) or "" for word in words]
    if looks_up:
        texts = ["which", *(text for text in texts[1:] if text[:1] != "-")]
    question = "\0".join(texts)
    return question if all(texts) and _HARDWARE.search(question) else ""
