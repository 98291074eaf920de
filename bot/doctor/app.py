"""The GitHub App: its key, its permissions, the events that it hears of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.base.errors import UserError
from bot.doctor._support.base import Answer, Surroundings
from bot.doctor._support.service import client_of, is_asked, settings_of
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


def check(around: Surroundings) -> Iterator[Answer]:
    """Whether the App can sign in, and may do what it is asked to."""
    if not is_asked(around.environment):
        return
    try:
        settings = settings_of(around)
    except UserError as error:
        yield Answer(subject=_NAME, state="wrong", said=str(error), remedy="Correct it.")
        return
    if settings.app_id is None or settings.private_key is None:
        yield Answer(
            subject=_NAME,
            state="missing",
            said="RLBOT_APP_ID and RLBOT_PRIVATE_KEY_FILE are not both set.",
            remedy="Set them, or make an App with `rlbot app create`.",
        )
        return
    if around.offline:
        yield Answer(subject=_NAME, state="skipped", said="There is a key; it was not tried.")
        return
    try:
        with client_of(around) as client:
            found = client.get("/app")
    except (NotAllowedError, NotFoundError):
        said = f"GitHub does not take the key for the App {settings.app_id}."
        yield Answer(subject=_NAME, state="wrong", said=said, remedy=_KEY)
        return
    except (UnreachableError, LimitedError) as error:
        remedy = "Check the network and GITHUB_API_URL, and try again."
        yield Answer(subject=_NAME, state="unknown", said=str(error), remedy=remedy)
        return
    except UserError as error:
        yield Answer(subject=_NAME, state="wrong", said=str(error), remedy=_KEY)
        return
    except Exception as error:
        # The libraries that sign tell of a key that is none in many ways.
        said = f"The private key cannot be used to sign in ({type(error).__name__})."
        yield Answer(subject=_NAME, state="wrong", said=said, remedy=_KEY)
        return
    said = f"GitHub knows the App {found.get('slug')} ({settings.app_id}) by its key."
    yield Answer(subject=_NAME, state="ok", said=said)
    yield _permissions(found)
    yield from _events(found)


def _permissions(found: dict[str, Any]) -> Answer:
    granted = found.get("permissions") or {}
    lacking = [
        f"{scope}: {level}"
        for scope, level in PERMISSIONS.items()
        if granted.get(scope) not in (level, "write", "admin")
    ]
    if lacking:
        return Answer(
            subject="permissions",
            state="wrong",
            said=f"The App lacks {', '.join(lacking)}.",
            remedy="Grant them on the App's page under Permissions & events; each installation "
            "must accept the change.",
        )
    may = "" if granted.get("contents") == "write" else "; `/apply` would need contents: write"
    return Answer(subject="permissions", state="ok", said=f"The App has all it needs{may}.")


def _events(found: dict[str, Any]) -> Iterator[Answer]:
    heard = set(found.get("events") or ())
    lacking = [event for event in EVENTS if event not in heard]
    remedy = "Subscribe to them on the App's page under Permissions & events."
    if lacking:
        said = f"The App does not hear of {', '.join(lacking)}."
        yield Answer(subject="events", state="wrong", said=said, remedy=remedy)
    elif HELPFUL not in heard:
        said = "The App does not hear of repository: what becomes private stays on its pages."
        yield Answer(subject="events", state="missing", said=said, remedy=remedy)
    else:
        yield Answer(subject="events", state="ok", said="The App hears of all it needs.")
