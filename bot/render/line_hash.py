"""The fingerprint of a line that GitHub code scanning compares results by.

GitHub reads one fingerprint of a SARIF result, `primaryLocationLineHash`. This is the one that
github/codeql-action computes itself where a file lacks it: a rolling polynomial hash over the
hundred characters from the line's first one on, blanks left out and line ends alike, and the number
of the line among those of the same hash. So a result keeps its identity when lines move, also
between files that were uploaded with and without the fingerprint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

_BLOCK = 100
_BASE = 37
_MASK = (1 << 64) - 1
_FIRST = pow(_BASE, _BLOCK, 1 << 64)
_END_OF_FILE = 0xFFFF


def line_hashes(text: str, lines: Collection[int]) -> dict[int, str]:
    """Line, from 1, to its fingerprint, for the wanted lines that the text has."""
    codes, starts = _codes(text)
    if not lines:
        return {}
    wanted = set(lines)
    seen: Counter[int] = Counter()
    found: dict[int, str] = {}
    # The hash of a line is known a block behind its first character; zeros follow the text.
    value = 0
    ends = {start + _BLOCK: number for number, start in enumerate(starts, 1)}
    padded = codes + [0] * _BLOCK
    for at, code in enumerate(padded, 1):
        gone = padded[at - 1 - _BLOCK] if at > _BLOCK else 0
        value = (value * _BASE + code - _FIRST * gone) & _MASK
        number = ends.get(at)
        if number is not None:
            seen[value] += 1
            if number in wanted:
                found[number] = f"{value:x}:{seen[value]}"
    return found


def _codes(text: str) -> tuple[list[int], list[int]]:
    """UTF-16 code units without blanks, and where among them each line starts."""
    codes: list[int] = []
    starts: list[int] = []
    fresh = True
    units = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-le", "surrogatepass")
    for code in memoryview(units).cast("H"):
        if code in (0x20, 0x09):
            continue
        if fresh:
            starts.append(len(codes))
        fresh = code == 0x0A
        codes.append(code)
    if fresh:
        starts.append(len(codes))
    codes.append(_END_OF_FILE)
    return codes, starts
