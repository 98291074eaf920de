"""The key for Weights & Biases: there, and taken by the server that it belongs to."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.base.errors import UserError
from bot.base.http import Reply, ask
from bot.doctor._support.base import Answer, Surroundings

_NAME = "WANDB_API_KEY"
_QUERY = {"query": "query Viewer { viewer { username } }"}
_REMEDY = "Make one at https://wandb.ai/authorize, and set WANDB_API_KEY or run `wandb login`."


def check(around: Surroundings) -> Iterator[Answer]:
    """Whether there is a key and the server takes it; public runs are read without one."""
    from bot.evidence.facts import EvidenceError
    from bot.evidence.links import parse_link
    from bot.evidence.online.access import Access

    try:
        access = Access.from_environment(around.environment, home=around.home)
        origin = next(iter(access.page_origins), "https://wandb.ai")
        link = parse_link(f"{origin}/entity/project/runs/run", origins=access.page_origins)
        key = access.key_for(link)
    except (UserError, EvidenceError) as error:
        yield Answer(
            subject="W&B",
            state="wrong",
            said=str(error),
            remedy="Correct it, or unset it: public runs are read without a key.",
        )
        return
    api = access.api_of(link)
    if not key:
        yield Answer(
            subject=_NAME,
            state="missing",
            said=f"There is no key for {urlsplit(api).hostname}: runs of public projects are read "
            "without one, others are not.",
            remedy=_REMEDY,
        )
        return
    if around.offline:
        yield Answer(subject=_NAME, state="skipped", said="There is a key; it was not tried.")
        return
    basic = b64encode(f"api:{key.reveal()}".encode()).decode()
    headers = {"Authorization": f"Basic {basic}", "Content-Type": "application/json"}
    data = json.dumps(_QUERY).encode()
    reply = ask(f"{api}/graphql", headers=headers, data=data, timeout=around.timeout)
    yield _judged(reply, str(urlsplit(api).hostname))


def _judged(reply: Reply, host: str) -> Answer:
    content = reply.json()
    data = content.get("data") if isinstance(content, dict) else None
    viewer = data.get("viewer") if isinstance(data, dict) else None
    if reply.status == 200 and isinstance(viewer, dict):
        said = f"{host} takes the key, of {viewer.get('username')}."
        return Answer(subject=_NAME, state="ok", said=said)
    if reply.status in (401, 403) or (reply.status == 200 and isinstance(data, dict)):
        said = f"{host} refuses the key: it is wrong, revoked, or another server's."
        return Answer(subject=_NAME, state="wrong", said=said, remedy=_REMEDY)
    why = reply.problem or f"it answered with status {reply.status}"
    return Answer(
        subject=_NAME,
        state="unknown",
        said=f"{host} could not say whether it takes the key: {why}.",
        remedy="Check WANDB_BASE_URL, the network and the proxy (HTTPS_PROXY), and try again.",
    )
