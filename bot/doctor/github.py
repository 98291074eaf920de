"""The token for GitHub: there, taken by the server, and how much it may still ask."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.base.http import Reply, ask
from bot.base.secrets import Secret
from bot.doctor._support.base import Answer, Surroundings

_NAME = "GITHUB_TOKEN"
_API = "https://api.github.com"
_REMEDY = (
    "Make one at https://github.com/settings/tokens, or take the one of GitHub's own command: "
    "`export GITHUB_TOKEN=$(gh auth token)`."
)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def check(around: Surroundings) -> Iterator[Answer]:
    """Whether GITHUB_TOKEN is set and the API takes it."""
    token = Secret(around.environment.get(_NAME, "").strip())
    api = around.environment.get("GITHUB_API_URL", "").strip().rstrip("/") or _API
    parts = urlsplit(api)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        yield Answer(
            subject="GITHUB_API_URL",
            state="wrong",
            said=f"GITHUB_API_URL is {api}, which is no https address.",
            remedy=f"Set it to {_API}, or to https://HOST/api/v3 of your own server.",
        )
        return
    if not token:
        yield Answer(
            subject=_NAME,
            state="missing",
            said=f"{_NAME} is not set; `rlbot pr OWNER/REPO#N` needs it.",
            remedy=_REMEDY,
        )
        return
    if around.offline:
        yield Answer(subject=_NAME, state="skipped", said=f"{_NAME} is set; it was not tried.")
        return
    headers = {
        "Authorization": f"Bearer {token.reveal()}",
        "Accept": "application/vnd.github+json",
    }
    # Answered for every kind of token, and not counted.
    reply = ask(f"{api}/rate_limit", headers=headers, timeout=around.timeout)
    yield _judged(reply, str(parts.hostname))


def _judged(reply: Reply, host: str) -> Answer:
    if reply.status == 200:
        content = reply.json()
        core = content.get("resources", {}).get("core", {}) if isinstance(content, dict) else {}
        left = f", {core['remaining']} of {core['limit']} requests left" if core else ""
        scopes = reply.headers.get("x-oauth-scopes", "").strip()
        may = f"; its scopes are {scopes}" if scopes else ""
        return Answer(subject=_NAME, state="ok", said=f"{host} takes the token{left}{may}.")
    if reply.status == 401:
        said = f"{host} refuses the token: it is wrong, expired or revoked."
        return Answer(subject=_NAME, state="wrong", said=said, remedy=_REMEDY)
    if reply.status == 404:
        said = f"{host} is no GitHub API: it does not know /rate_limit."
        remedy = f"Set GITHUB_API_URL to {_API}, or to https://HOST/api/v3 of your own server."
        return Answer(subject="GITHUB_API_URL", state="wrong", said=said, remedy=remedy)
    why = reply.problem or f"it answered with status {reply.status}"
    return Answer(
        subject=_NAME,
        state="unknown",
        said=f"{host} could not say whether it takes the token: {why}.",
        remedy="Check the network and the proxy (HTTPS_PROXY), and try again.",
    )
