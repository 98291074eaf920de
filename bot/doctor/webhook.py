"""The webhook: its secret, where GitHub sends it, and whether it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.base.messages import message, plural_message, sentence_of
from bot.doctor._support.base import CheckAnswer, Surroundings
from bot.doctor._support.service import client_of, settings_of, signs_in
from bot.github.app import deliveries
from bot.github.client import Client
from bot.github.errors import NotFoundError

_SECRET = "RLBOT_WEBHOOK_SECRET"  # noqa: S105


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether forged webhooks can be told from real ones, and whether real ones arrive."""
    if not around.runs_app:
        return
    settings, wrong = settings_of(around)
    from bot.service.settings import require_secret

    try:
        require_secret(settings)
    except UserError as error:
        remedy = message(
            "Set it to the secret on the App's page; `openssl rand -hex 32` makes a new one."
        )
        yield CheckAnswer(_SECRET, "wrong", sentence_of(error), remedy)
        return
    yield CheckAnswer(_SECRET, "ok", message("{secret} is set.", secret=_SECRET))
    if around.offline or not signs_in(settings, wrong):
        return
    try:
        with closing(client_of(around, settings)) as client:
            yield _address(client, settings.public_url)
            yield _arriving(client)
    except NotFoundError:
        remedy = message(
            "Make it active on the App's page, with the address of this App and /webhook."
        )
        yield CheckAnswer("webhook", "wrong", message("The App has no webhook."), remedy)
    except UserError:
        text = message("GitHub could not be asked about the webhook.")
        remedy = message("Fix what GitHub App reports first.")
        yield CheckAnswer("webhook", "unknown", text, remedy)


def _address(client: Client, public_url: str | None) -> CheckAnswer:
    hook = client.get("/app/hook/config")
    url = str(hook.get("url") or "")
    if not hook.get("secret"):
        problem = message("The webhook has no secret on GitHub, so every delivery is refused.")
    elif hook.get("content_type") != "json":
        problem = message(
            "The webhook's content type is {type}, not JSON.", type=hook.get("content_type")
        )
    elif str(hook.get("insecure_ssl")) not in ("0", "None"):
        problem = message("GitHub does not check the certificate of the webhook's address.")
    elif public_url and url.rstrip("/") != f"{public_url}/webhook":
        problem = message(
            "GitHub sends to {url}, and RLBOT_PUBLIC_URL says {public}/webhook.",
            url=url,
            public=public_url,
        )
    elif urlsplit(url).path.rstrip("/") != "/webhook":
        problem = message("GitHub sends to {url}, which does not end with /webhook.", url=url)
    else:
        return CheckAnswer("webhook", "ok", message("GitHub sends to {url}.", url=url))
    remedy = message("Correct it on the App's page under Webhook.")
    return CheckAnswer("webhook", "wrong", problem, remedy)


def _arriving(client: Client) -> CheckAnswer:
    attempts = list(deliveries(client, most=1))
    every = {attempt.guid for attempt in attempts}
    failed = every - {attempt.guid for attempt in attempts if attempt.delivered}
    if not every:
        return CheckAnswer("deliveries", "ok", message("GitHub has delivered nothing yet."))
    if not failed:
        text = plural_message(
            "The last delivery arrived.", "The last {count} deliveries arrived.", len(every)
        )
        return CheckAnswer("deliveries", "ok", text)
    text = plural_message(
        "The last delivery did not arrive.",
        "{failed} of the last {count} deliveries did not arrive.",
        len(every),
        failed=len(failed),
    )
    remedy = message(
        "See their answers on the App's page under Advanced, and whether the reverse proxy and "
        "`rlbot serve` are up; a running App asks for them again by itself."
    )
    return CheckAnswer("deliveries", "wrong", text, remedy)
