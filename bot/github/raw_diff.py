"""What `git diff-tree --raw -z` prints, taken apart."""

from __future__ import annotations


def changed_entries(raw: bytes) -> list[tuple[str, str, str]]:
    """Mode, blob and path of each entry of `git diff-tree --raw -z`, as they are at the head."""
    parts = raw.split(b"\0")
    found: list[tuple[str, str, str]] = []
    at = 0
    while at < len(parts) and parts[at].startswith(b":"):
        _, mode, _, digest, status = parts[at].decode().split()
        paths = 2 if status[0] in "RC" else 1
        found.append((mode, digest, parts[at + paths].decode("utf-8", "surrogateescape")))
        at += 1 + paths
    return found


def renamed_paths(raw: bytes) -> frozenset[str]:
    """The paths that files of `git diff-tree --raw -z` had before they were renamed."""
    parts, at, found = raw.split(b"\0"), 0, set[str]()
    while at < len(parts) and parts[at].startswith(b":"):
        status = parts[at].split()[-1][:1]
        if status == b"R":
            found.add(parts[at + 1].decode("utf-8", "surrogateescape"))
        at += 3 if status in (b"R", b"C") else 2
    return frozenset(found)
