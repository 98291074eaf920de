"""The token for GitHub: there, taken by the server, and how many requests it has left."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.base.http import Reply, ask
from bot.base.secrets import Secret
from bot.doctor._support.base import TIMEOUT, CheckAnswer, Surroundings
from bot.github.client import Addresses

_NAME = "GITHUB_TOKEN"
_API = f"Set it to {Addresses().api}, or to https://HOST/api/v3 of your own server."
_REMEDY = (
    "Make one at https://github.com/settings/tokens, or take the one of GitHub's own command: "
    "`export GITHUB_TOKEN=$(gh auth token)`."
)


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether GITHUB_TOKEN is set and the API takes it."""
    try:
        api = Addresses.of(around.environment).api
    except UserError as error:
        yield CheckAnswer("GITHUB_API_URL", "wrong", str(error), _API)
        return
    token = Secret(around.environment.get(_NAME, "").strip())
    if not token:
        text = f"{_NAME} is not set; `rlbot pr OWNER/REPO#N` needs it."
        yield CheckAnswer(_NAME, "missing", text, _REMEDY)
    elif around.offline:
        yield CheckAnswer(_NAME, "skipped", f"{_NAME} is set; it was not tried.")
    else:
        headers = {
            "Authorization": f"Bearer {token.reveal()}",
            "Accept": "application/vnd.github+json",
        }
        # Answered for every kind of token, and not counted.
        reply = ask(f"{api}/rate_limit", headers=headers, timeout=TIMEOUT)
        yield _judge(reply, str(urlsplit(api).hostname))


def _judge(reply: Reply, host: str) -> CheckAnswer:
    if reply.status == 200:
        content = reply.json()
        core = content.get("resources", {}).get("core", {}) if isinstance(content, dict) else {}
        left = f", {core['remaining']} of {core['limit']} requests left" if core else ""
        names = reply.headers.get("x-oauth-scopes", "").strip()
        scopes = f"; its scopes are {names}" if names else ""
        return CheckAnswer(_NAME, "ok", f"{host} takes the token{left}{scopes}.")
    if reply.status == 401:
        text = f"{host} refuses the token: it is wrong, expired or revoked."
        return CheckAnswer(_NAME, "wrong", text, _REMEDY)
    if reply.status == 404:
        text = f"{host} is no GitHub API: it does not know /rate_limit."
        return CheckAnswer("GITHUB_API_URL", "wrong", text, _API)
    why = reply.problem or f"it answered with status {reply.status}"
    text = f"{host} could not say whether it takes the token: {why}."
    remedy = "Check the network and the proxy (HTTPS_PROXY), and try again."
    return CheckAnswer(_NAME, "unknown", text, remedy)
