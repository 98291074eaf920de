"""SHA-256 without OpenSSL, which `hashlib` loads: a fiftieth of a cold `rlbot lint`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


def hex_digest(data: bytes) -> str:
    """The SHA-256 of data, in lower case."""
    return str(_sha256()(data).hexdigest())


@cache
def _sha256() -> Any:
    for name in ("_sha2", "_sha256"):  # Python's own since 3.12, and before.
        try:
            return import_module(name).sha256
        except ImportError:
            continue
    from hashlib import sha256  # A Python built without them.

    return sha256
