"""Where GitHub is: github.com, or a server of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import mark

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where GitHub is, by the variables that GitHub Actions sets."""

    api: str = "https://api.github.com"
    """GraphQL is beside it, as PyGithub derives."""
    server: str = "https://github.com"

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Addresses:
        """From GITHUB_API_URL and GITHUB_SERVER_URL.

        Raises UserError when one is not an https address (plain http only for this machine), or
        when GITHUB_GRAPHQL_URL is on another host than the token is meant for.
        """
        api = _address(environment, "GITHUB_API_URL", cls().api)
        graphql = _address(environment, "GITHUB_GRAPHQL_URL", api)
        if urlsplit(graphql)[:2] != urlsplit(api)[:2]:
            raise UserError(
                "GITHUB_GRAPHQL_URL and GITHUB_API_URL name different hosts; the token is sent "
                "to one host alone."
            )
        return cls(api=api, server=_address(environment, "GITHUB_SERVER_URL", cls().server))


def _address(environment: Mapping[str, str], name: str, otherwise: str) -> str:
    text = environment.get(name, "").rstrip("/")
    if not text:
        return otherwise
    parts = urlsplit(text)
    local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if not (parts.scheme == "https" or local) or not parts.hostname or parts.username:
        wrong = mark("{name} must be an https address without a user name; got {text}.")
        raise UserError(wrong, name=name, text=f"{text!r}")
    return text
