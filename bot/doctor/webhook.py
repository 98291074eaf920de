"""The webhook: its secret, where GitHub sends it, and whether it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.doctor._support.base import Answer, Surroundings
from bot.doctor._support.service import client_of, is_asked, settings_of
from bot.github.app import deliveries
from bot.github.client import Client
from bot.github.errors import NotFoundError

_SECRET = "RLBOT_WEBHOOK_SECRET"  # noqa: S105


def check(around: Surroundings) -> Iterator[Answer]:
    """Whether forged webhooks can be told from real ones, and whether real ones arrive."""
    if not is_asked(around.environment):
        return
    try:
        from bot.service.settings import require_secret

        settings = settings_of(around)
        require_secret(settings)
        yield Answer(subject=_SECRET, state="ok", said=f"{_SECRET} is set.")
    except (UserError, ModuleNotFoundError) as error:
        remedy = "Set it to the secret on the App's page; `openssl rand -hex 32` makes a new one."
        yield Answer(subject=_SECRET, state="wrong", said=str(error), remedy=remedy)
        return
    if around.offline or settings.app_id is None or settings.private_key is None:
        return
    try:
        with client_of(around) as client:
            yield from _config(client, settings.public_url)
            yield _arriving(client)
    except NotFoundError:
        yield Answer(
            subject="webhook",
            state="wrong",
            said="The App has no webhook.",
            remedy="Make it active on the App's page, with the address of this App and /webhook.",
        )
    except Exception as error:
        # Whether the key is right is told by the check of the App.
        said = f"GitHub could not be asked about the webhook: {type(error).__name__}."
        remedy = "Mend what stands at GitHub App first."
        yield Answer(subject="webhook", state="unknown", said=said, remedy=remedy)


def _config(client: Client, public_url: str | None) -> Iterator[Answer]:
    found = client.get("/app/hook/config")
    url = str(found.get("url") or "")
    wanted = f"{public_url}/webhook" if public_url else None
    problem = None
    if not found.get("secret"):
        problem = "The webhook has no secret on GitHub, so every delivery is refused"
    elif found.get("content_type") != "json":
        problem = f"The webhook's content type is {found.get('content_type')}, not JSON"
    elif str(found.get("insecure_ssl")) not in ("0", "None"):
        problem = "GitHub does not check the certificate of the webhook's address"
    elif wanted and url.rstrip("/") != wanted:
        problem = f"GitHub sends to {url}, and RLBOT_PUBLIC_URL says {wanted}"
    elif urlsplit(url).path.rstrip("/") != "/webhook":
        problem = f"GitHub sends to {url}, which does not end with /webhook"
    if problem:
        remedy = "Correct it on the App's page under Webhook."
        yield Answer(subject="webhook", state="wrong", said=f"{problem}.", remedy=remedy)
    else:
        yield Answer(subject="webhook", state="ok", said=f"GitHub sends to {url}.")


def _arriving(client: Client) -> Answer:
    newest: dict[str, bool] = {}
    for attempt in deliveries(client, most=1):
        newest[attempt.guid] = newest.get(attempt.guid, False) or attempt.delivered
    failed = sum(not delivered for delivered in newest.values())
    if not newest:
        return Answer(subject="deliveries", state="ok", said="GitHub has delivered nothing yet.")
    if failed:
        return Answer(
            subject="deliveries",
            state="wrong",
            said=f"{failed} of the last {len(newest)} deliveries did not arrive.",
            remedy="See their answers on the App's page under Advanced, and whether the reverse "
            "proxy and `rlbot serve` are up; a running App asks for them again by itself.",
        )
    said = f"The last {len(newest)} deliveries arrived."
    return Answer(subject="deliveries", state="ok", said=said)
