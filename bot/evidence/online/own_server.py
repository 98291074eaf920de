"""The address of a server of the caller's own, from the environment."""

from __future__ import annotations

from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.base.messages import message
from bot.evidence.online.loopback import is_loopback


def origin_of(variable: str, given: str, example: str) -> str | None:
    """Scheme and host of the address in an environment variable; https where it says none.

    None where nothing is given; raises UserError for what is no address that a key may be sent to.
    """
    text = given.strip()
    if not text:
        return None
    if "://" not in text:
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not host or not text.isascii() or not text.isprintable() or "@" in parts.netloc:
        raise UserError(
            message(
                "{variable} must be the address of a server, such as {example}.",
                variable=variable,
                example=example,
            )
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise UserError(
            message(
                "{variable} must begin with https://, so that the key and the run cannot be read "
                "on the way; plain http is for this machine alone (127.0.0.1, localhost).",
                variable=variable,
            )
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"
