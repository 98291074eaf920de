"""The token for GitHub: there, taken by the server, and how many requests it has left."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.base.http import Reply, ask
from bot.base.messages import message, sentence_of
from bot.base.secrets import Secret
from bot.doctor._support.base import TIMEOUT, CheckAnswer, Surroundings
from bot.github.addresses import Addresses

_NAME = "GITHUB_TOKEN"
_API = message(
    "Set it to {api}, or to https://HOST/api/v3 of your own server.", api=Addresses().api
)
_REMEDY = message(
    "Make one at https://github.com/settings/tokens, or take the one of GitHub's own command: "
    "`export GITHUB_TOKEN=$(gh auth token)`."
)


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether GITHUB_TOKEN is set and the API takes it."""
    try:
        api = Addresses.of(around.environment).api
    except UserError as error:
        yield CheckAnswer("GITHUB_API_URL", "wrong", sentence_of(error), _API)
        return
    token = Secret(around.environment.get(_NAME, "").strip())
    if not token and around.runs_app:
        return  # The App signs in by its key.
    if not token:
        text = message("{name} is not set; `rlbot pr OWNER/REPO#N` needs it.", name=_NAME)
        yield CheckAnswer(_NAME, "missing", text, _REMEDY)
    elif around.offline:
        yield CheckAnswer(_NAME, "skipped", message("{name} is set; it was not tried.", name=_NAME))
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
        left = message(", {remaining} of {limit} requests left", **core) if core else ""
        names = reply.headers.get("x-oauth-scopes", "").strip()
        scopes = message("; its scopes are {names}", names=names) if names else ""
        text = message("{host} takes the token{left}{scopes}.", host=host, left=left, scopes=scopes)
        return CheckAnswer(_NAME, "ok", text)
    if reply.status == 401:
        text = message("{host} refuses the token: it is wrong, expired or revoked.", host=host)
        return CheckAnswer(_NAME, "wrong", text, _REMEDY)
    if reply.status == 404:
        text = message("{host} is no GitHub API: it does not know /rate_limit.", host=host)
        return CheckAnswer("GITHUB_API_URL", "wrong", text, _API)
    text = message(
        "{host} could not say whether it takes the token: {why}.", host=host, why=reply.why
    )
    remedy = message("Check the network and the proxy (HTTPS_PROXY), and try again.")
    return CheckAnswer(_NAME, "unknown", text, remedy)
