"""The signature of a webhook: HMAC-SHA256 over the raw body, as GitHub documents it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from bot.base.regex import regex
from bot.base.secrets import Secret

PREFIX = "sha256="
_FORM = regex(r"sha256=[0-9a-f]{64}")


def signature(body: bytes | bytearray, secret: Secret) -> str:
    """The value of `X-Hub-Signature-256` for a body."""
    return PREFIX + hmac.new(secret.reveal().encode(), body, hashlib.sha256).hexdigest()


def may_be_signed(header: str | None) -> bool:
    """Whether a header has the form of a signature: else the body need not be read."""
    return header is not None and _FORM.fullmatch(header) is not None


def is_signed(body: bytes | bytearray, header: str | None, secrets: Iterable[Secret]) -> bool:
    """True when one of the secrets made the header's signature; compared in constant time.

    SHA-1 signatures are not accepted, and without a secret nothing is.
    """
    if header is None or not may_be_signed(header):
        return False
    sent = header.encode()
    # Every secret is tried, so that the time tells nothing about which of them is meant.
    matches = [hmac.compare_digest(signature(body, secret).encode(), sent) for secret in secrets]
    return any(matches)
