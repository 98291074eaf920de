"""The key for Weights & Biases: there, and taken by the server that it belongs to."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.base.http import Reply, ask
from bot.base.messages import message, sentence_of
from bot.doctor._support.base import TIMEOUT, CheckAnswer, Surroundings

_NAME = "WANDB_API_KEY"
_QUERY = json.dumps({"query": "query Viewer { viewer { username } }"}).encode()
_REMEDY = message(
    "Make one at https://wandb.ai/authorize, and set WANDB_API_KEY or run `wandb login`."
)


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether there is a key and the server takes it; public runs are read without one."""
    from bot.evidence.facts import EvidenceError
    from bot.evidence.links import parse_link
    from bot.evidence.online.access import Access

    try:
        access = Access.from_environment(around.environment, home=around.home)
        origin = next(iter(access.page_origins), "https://wandb.ai")
        link = parse_link(f"{origin}/entity/project/runs/run", access.run_hosts())
        key = access.key_for(link)
    except (UserError, EvidenceError) as error:
        remedy = message("Correct it, or unset it: public runs are read without a key.")
        yield CheckAnswer("W&B", "wrong", sentence_of(error), remedy)
        return
    api = access.api_of(link)
    host = str(urlsplit(api).hostname)
    if not key:
        text = message(
            "There is no key for {host}: runs of public projects are read without one, others are "
            "not.",
            host=host,
        )
        yield CheckAnswer(_NAME, "missing", text, _REMEDY)
    elif around.offline:
        yield CheckAnswer(_NAME, "skipped", message("There is a key; it was not tried."))
    else:
        basic = b64encode(f"api:{key.reveal()}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}", "Content-Type": "application/json"}
        reply = ask(f"{api}/graphql", headers=headers, data=_QUERY, timeout=TIMEOUT)
        yield _judge(reply, host)


def _judge(reply: Reply, host: str) -> CheckAnswer:
    content = reply.json()
    data = content.get("data") if isinstance(content, dict) else None
    viewer = data.get("viewer") if isinstance(data, dict) else None
    if reply.status == 200 and isinstance(viewer, dict):
        name = viewer.get("username")
        text = message("{host} takes the key, of {viewer}.", host=host, viewer=name)
        return CheckAnswer(_NAME, "ok", text)
    if reply.status in (401, 403) or (reply.status == 200 and isinstance(data, dict)):
        text = message(
            "{host} refuses the key: it is wrong, revoked, or another server's.", host=host
        )
        return CheckAnswer(_NAME, "wrong", text, _REMEDY)
    text = message(
        "{host} could not say whether it takes the key: {why}.", host=host, why=reply.why
    )
    remedy = message(
        "Check WANDB_BASE_URL, the network and the proxy (HTTPS_PROXY), and try again."
    )
    return CheckAnswer(_NAME, "unknown", text, remedy)
