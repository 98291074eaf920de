"""The GitHub App: its key, its permissions, its events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.base.errors import UserError
from bot.doctor._support.base import CheckAnswer, Surroundings
from bot.doctor._support.service import client_of, settings_of
from bot.github.app import PERMISSIONS
from bot.github.errors import LimitedError, NotAllowedError, NotFoundError, UnreachableError

EVENTS = ("check_run", "issue_comment", "pull_request")
HELPFUL = "repository"
"""Without it a repository that becomes private stays on the pages until the App is removed."""
_NAME = "GitHub App"
_KEY = (
    "Make a new private key on the App's page, and name its file in RLBOT_PRIVATE_KEY_FILE; "
    "`rlbot app create` makes an App with everything."
)


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether the App can sign in, and has the permissions and events that it needs."""
    if not around.runs_app:
        return
    try:
        settings = settings_of(around)
    except UserError as error:
        yield CheckAnswer(_NAME, "wrong", str(error), "Correct it.")
        return
    if settings.app_id is None or settings.private_key is None:
        text = "RLBOT_APP_ID and RLBOT_PRIVATE_KEY_FILE are not both set."
        remedy = "Set them, or make an App with `rlbot app create`."
        yield CheckAnswer(_NAME, "missing", text, remedy)
        return
    if around.offline:
        yield CheckAnswer(_NAME, "skipped", "There is a key; it was not tried.")
        return
    try:
        with client_of(around, settings) as client:
            app = client.get("/app")
    except Exception as error:
        yield _not_signed_in(error, settings.app_id)
        return
    text = f"GitHub knows the App {app.get('slug')} ({settings.app_id}) by its key."
    yield CheckAnswer(_NAME, "ok", text)
    yield _permissions(app)
    yield _events(app)


def _not_signed_in(error: Exception, app_id: int) -> CheckAnswer:
    if isinstance(error, UnreachableError | LimitedError):
        remedy = "Check the network and GITHUB_API_URL, and try again."
        return CheckAnswer(_NAME, "unknown", str(error), remedy)
    if isinstance(error, NotAllowedError | NotFoundError):
        text = f"GitHub does not take the key for the App {app_id}."
    elif isinstance(error, UserError):
        text = str(error)
    else:
        # The libraries that sign have many exceptions for a key that is none.
        text = f"The private key cannot be used to sign in ({type(error).__name__})."
    return CheckAnswer(_NAME, "wrong", text, _KEY)


def _permissions(app: dict[str, Any]) -> CheckAnswer:
    granted = app.get("permissions") or {}
    lacking = [
        f"{scope}: {level}"
        for scope, level in PERMISSIONS.items()
        if granted.get(scope) not in (level, "write", "admin")
    ]
    if lacking:
        remedy = (
            "Grant them on the App's page under Permissions & events; each installation "
            "must accept the change."
        )
        text = f"The App lacks {', '.join(lacking)}."
        return CheckAnswer("permissions", "wrong", text, remedy)
    apply = "" if granted.get("contents") == "write" else "; `/apply` would need contents: write"
    return CheckAnswer("permissions", "ok", f"The App has all it needs{apply}.")


def _events(app: dict[str, Any]) -> CheckAnswer:
    subscribed = app.get("events") or ()
    lacking = [event for event in EVENTS if event not in subscribed]
    remedy = "Subscribe to them on the App's page under Permissions & events."
    if lacking:
        text = f"The App does not hear of {', '.join(lacking)}."
        return CheckAnswer("events", "wrong", text, remedy)
    if HELPFUL not in subscribed:
        text = "The App does not hear of repository: what becomes private stays on its pages."
        return CheckAnswer("events", "missing", text, remedy)
    return CheckAnswer("events", "ok", "The App hears of all it needs.")
