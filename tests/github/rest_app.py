"""The stand-in's REST operations of an App: installations, their tokens, deliveries."""

from __future__ import annotations

import time
from typing import Any

import jwt

from tests.github.context import Context, ProblemError
from tests.github.hooks import Delivery, Hook
from tests.github.rest import REPOSITORY, handles
from tests.github.store import App, Identity, Installation, Store

_LONGEST = 600
"""Seconds that a token which an App signs for itself may live."""
HOUR = 3_600


def app_of(store: Store, token: str) -> App | None:
    """The App that signed a JSON Web Token; None when it is not one that GitHub accepts."""
    try:
        issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
        app = store.apps.get(int(issuer)) if issuer is not None else None
        if app is None or not app.public_key:
            return None
        claims = jwt.decode(
            token, app.public_key, algorithms=["RS256"], options={"require": ["exp", "iat", "iss"]}
        )
    except (jwt.InvalidTokenError, ValueError):
        return None
    lives = claims["exp"] - max(claims["iat"], time.time() - 60)
    return app if lives <= _LONGEST + 60 else None


def _signed(asked: Context) -> App:
    app = asked.app
    if app is None:
        raise ProblemError(401, "A JSON web token could not be decoded")
    return app


@handles("get", "/app")
def this_app(asked: Context) -> tuple[int, Any]:
    return 200, asked.views.app(_signed(asked))


@handles("post", "/app-manifests/{code}/conversions")
def conversion(asked: Context, code: str) -> tuple[int, Any]:
    made = asked.store.conversions.pop(code, None)
    if made is None:
        raise ProblemError(404, "Not Found")
    app, pem, secret = made
    return 201, {
        **asked.views.app(app),
        "client_id": "Iv1.0123456789abcdef",
        "client_secret": "0" * 40,
        "webhook_secret": secret,
        "pem": pem,
    }


def _installation(asked: Context, made: Installation) -> dict[str, Any]:
    full_name = made.repositories[0]
    owner = asked.store.repositories[full_name].owner
    url = f"{asked.views.api}/app/installations/{made.id}"
    return {
        "id": made.id,
        "account": asked.views.account(owner),
        "repository_selection": "selected",
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{asked.views.api}/installation/repositories",
        "html_url": "https://github.com/settings/installations/1",
        "app_id": made.app.id,
        "app_slug": made.app.slug,
        "target_id": owner.id,
        "target_type": owner.kind,
        "permissions": dict(made.app.permissions),
        "events": ["pull_request", "issue_comment"],
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "suspended_at": "2026-01-01T00:00:00Z" if made.suspended else None,
    }


def _own(asked: Context) -> list[Installation]:
    app = _signed(asked)
    return [made for made in asked.store.installations.values() if made.app is app]


@handles("get", "/app/installations")
def installations(asked: Context) -> tuple[int, Any]:
    return 200, asked.page([_installation(asked, made) for made in _own(asked)])


@handles("get", "/app/installations/{installation_id}")
def installation(asked: Context, installation_id: str) -> tuple[int, Any]:
    for made in _own(asked):
        if made.id == int(installation_id):
            return 200, _installation(asked, made)
    raise ProblemError(404, "Not Found")


@handles("get", f"{REPOSITORY}/installation")
def installation_of(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    for made in _own(asked):
        if f"{owner}/{repo}" in made.repositories:
            return 200, _installation(asked, made)
    raise ProblemError(404, "Not Found")


@handles("post", "/app/installations/{installation_id}/access_tokens")
def access_token(asked: Context, installation_id: str) -> tuple[int, Any]:
    found = next((made for made in _own(asked) if made.id == int(installation_id)), None)
    if found is None:
        raise ProblemError(404, "Not Found")
    if found.suspended:
        raise ProblemError(403, "This installation has been suspended")
    body = asked.body or {}
    granted = dict(body.get("permissions") or found.app.permissions)
    for scope, level in granted.items():
        if level == "write" and found.app.permissions.get(scope) != "write":
            raise ProblemError(
                422, "The permissions requested are not granted to this installation."
            )
    token = f"ghs_{asked.store.next_id()}"
    expires = time.time() + HOUR
    asked.store.tokens[token] = Identity(
        found.app.bot, found.app, granted, frozenset(found.repositories), expires=expires
    )
    return 201, {
        "token": token,
        "expires_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(expires)),
        "permissions": granted,
        "repository_selection": "selected",
    }


@handles("get", "/installation/repositories")
def own_repositories(asked: Context) -> tuple[int, Any]:
    names = sorted(asked.asker().repositories or ())
    listed = [
        asked.views.repository(asked.store.repositories[name])
        for name in names
        if name in asked.store.repositories
    ]
    return 200, {"total_count": len(listed), "repositories": asked.page(listed)}


def _hook(asked: Context) -> Hook:
    app = _signed(asked)
    for hook in asked.hooks:
        if hook.app is app:
            return hook
    raise ProblemError(404, "Not Found")


@handles("get", "/app/hook/config")
def hook_config(asked: Context) -> tuple[int, Any]:
    hook = _hook(asked)
    return 200, {"url": hook.url, "content_type": "json", "insecure_ssl": "0", "secret": "********"}


@handles("get", "/app/hook/deliveries")
def deliveries(asked: Context) -> tuple[int, Any]:
    newest_first = list(reversed(_hook(asked).deliveries))
    if cursor := asked.query.get("cursor"):
        newest_first = [made for made in newest_first if made.id <= int(cursor)]
    size = int(asked.query.get("per_page", "30"))
    if len(newest_first) > size:
        following = newest_first[size].id
        address = f"{asked.views.api}/app/hook/deliveries?per_page={size}&cursor={following}"
        asked.headers["Link"] = f'<{address}>; rel="next"'
    return 200, [_delivery(made) for made in newest_first[:size]]


def _delivery(made: Delivery) -> dict[str, Any]:
    return {
        "id": made.id,
        "guid": made.guid,
        "delivered_at": "2026-01-01T00:00:00Z",
        "redelivery": made.redelivery,
        "duration": 0.1,
        "status": "OK" if made.status < 300 else "Invalid HTTP Response",
        "status_code": made.status,
        "event": made.event,
        "action": made.action,
        "installation_id": made.payload.get("installation", {}).get("id"),
        "repository_id": made.repository_id,
        "throttled_at": None,
    }


def _found(hook: Hook, number: str) -> Delivery:
    for made in hook.deliveries:
        if made.id == int(number):
            return made
    raise ProblemError(404, "Not Found")


@handles("get", "/app/hook/deliveries/{delivery_id}")
def delivery(asked: Context, delivery_id: str) -> tuple[int, Any]:
    made = _found(_hook(asked), delivery_id)
    request = {"headers": {"X-GitHub-Delivery": made.guid}, "payload": made.payload}
    response = {"headers": {}, "payload": ""}
    return 200, {**_delivery(made), "url": "", "request": request, "response": response}


@handles("post", "/app/hook/deliveries/{delivery_id}/attempts")
def redeliver(asked: Context, delivery_id: str) -> tuple[int, Any]:
    hook = _hook(asked)
    made = _found(hook, delivery_id)
    # After the answer, as GitHub does it: the receiver may ask GitHub something meanwhile.
    asked.later.append(lambda: hook.send(made.event, made.payload, guid=made.guid))
    return 202, {}
