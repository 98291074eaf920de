"""Names of scripts without what people write differently."""

from __future__ import annotations


def bare_stem(name: str) -> str:
    """A file name without its ending, in lower case, with dashes for underscores."""
    return name.rsplit("/", 1)[-1].strip().lower().removesuffix(".sh").replace("_", "-")
