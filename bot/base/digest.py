"""SHA-256 without OpenSSL, which `hashlib` loads: a fiftieth of a cold `rlbot lint`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def hex_digest(data: bytes) -> str:
    """The SHA-256 of data, in lower case."""
    for name in ("_sha2", "_sha256"):  # Python's own since 3.12, and before.
        try:
            own: Any = import_module(name)
        except ImportError:
            continue
        return str(own.sha256(data).hexdigest())
    from hashlib import sha256  # A Python built without them.

    return sha256(data).hexdigest()
