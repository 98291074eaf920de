"""The signature of a webhook: HMAC-SHA256 over the raw body, as GitHub documents it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from bot.base.secrets import Secret

PREFIX = "sha256="


def signature(body: bytes, secret: Secret) -> str:
    """The value of `X-Hub-Signature-256` for a body."""
    return PREFIX + hmac.new(secret.reveal().encode(), body, hashlib.sha256).hexdigest()


def is_signed(body: bytes, header: str | None, secrets: Iterable[Secret]) -> bool:
    """True when one of the secrets made the header's signature; compared in constant time.

    SHA-1 signatures are not accepted, and without a secret nothing is.
    """
    if header is None or not header.startswith(PREFIX):
        return False
    sent = header.encode("utf-8", "surrogateescape")
    # Every secret is tried, so that the time tells nothing about which of them is meant.
    matches = [hmac.compare_digest(signature(body, secret).encode(), sent) for secret in secrets]
    return any(matches)
