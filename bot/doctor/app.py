"""The GitHub App: its key, its permissions, its events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.doctor._support.base import CheckAnswer, Surroundings
from bot.doctor._support.service import client_of, settings_of, signs_in
from bot.github.app import PERMISSIONS
from bot.github.errors import LimitedError, NotAllowedError, NotFoundError, UnreachableError

if TYPE_CHECKING:
    from bot.service.settings import ServiceSettings

_NAME = "GitHub App"
_KEY = message(
    "Make a new private key on the App's page, and name its file in RLBOT_PRIVATE_KEY_FILE; "
    "`rlbot app create` makes an App with everything."
)

_REFUSED = message(
    "GitHub also refuses what is signed a minute off: set this machine's clock by NTP "
    "(`timedatectl set-ntp true`). Where it is right, make a new private key on the App's page, "
    "and name its file in RLBOT_PRIVATE_KEY_FILE."
)


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether the App can sign in, and has the permissions and events that it needs."""
    if not around.runs_app:
        return
    settings, wrong = settings_of(around)
    from bot.service.settings import DATABASE

    for name, text in wrong.items():
        if name != DATABASE:
            yield CheckAnswer(name, "wrong", text, message("Correct it."))
    if settings.app_id is None or settings.private_key is None:
        text = message("RLBOT_APP_ID and RLBOT_PRIVATE_KEY_FILE are not both set.")
        remedy = message("Set them, or make an App with `rlbot app create`.")
        yield CheckAnswer(_NAME, "missing", text, remedy)
    elif signs_in(settings, wrong):
        yield from _signed_in(around, settings, settings.app_id)


def _signed_in(
    around: Surroundings, settings: ServiceSettings, number: int
) -> Iterator[CheckAnswer]:
    from bot.service.settings import require_identity

    try:
        require_identity(settings)
        if around.offline:
            yield CheckAnswer(_NAME, "skipped", message("There is a key; it was not tried."))
            return
        with closing(client_of(around, settings)) as client:
            app = client.get("/app")
    except (UnreachableError, LimitedError) as error:
        remedy = message("Run `rlbot doctor` again when it answers.")
        yield CheckAnswer(_NAME, "unknown", sentence_of(error), remedy)
    except (NotAllowedError, NotFoundError):
        text = message("GitHub does not take the key for the App {app_id}.", app_id=number)
        yield CheckAnswer(_NAME, "wrong", text, _REFUSED)
    except UserError as error:
        yield CheckAnswer(_NAME, "wrong", sentence_of(error), _KEY)
    else:
        text = message(
            "GitHub knows the App {app} ({app_id}) by its key.", app=app.get("slug"), app_id=number
        )
        yield CheckAnswer(_NAME, "ok", text)
        yield _permissions(app)
        yield _events(app)


def _permissions(app: dict[str, Any]) -> CheckAnswer:
    granted = app.get("permissions") or {}
    lacking = [
        f"{scope}: {level}"
        for scope, level in PERMISSIONS.items()
        if granted.get(scope) not in (level, "write", "admin")
    ]
    if lacking:
        remedy = message(
            "Grant them on the App's page under Permissions & events; each installation must "
            "accept the change."
        )
        text = message("The App lacks {names}.", names=", ".join(lacking))
        return CheckAnswer("permissions", "wrong", text, remedy)
    without = granted.get("contents") != "write"
    apply = message("; `/apply` would need contents: write") if without else ""
    return CheckAnswer(
        "permissions", "ok", message("The App has all it needs{apply}.", apply=apply)
    )


def _events(app: dict[str, Any]) -> CheckAnswer:
    from bot.service.manifest import EVENTS

    subscribed = app.get("events") or ()
    lacking = [event for event in EVENTS if event not in subscribed]
    if not lacking:
        return CheckAnswer("events", "ok", message("The App hears of all it needs."))
    remedy = message("Subscribe to them on the App's page under Permissions & events.")
    if lacking == ["repository"]:
        text = message(
            "The App does not hear of repository: what becomes private stays on its pages."
        )
        return CheckAnswer("events", "missing", text, remedy)
    text = message("The App does not hear of {names}.", names=", ".join(lacking))
    return CheckAnswer("events", "wrong", text, remedy)
