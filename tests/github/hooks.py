"""Webhooks of the stand-in: signed, delivered over HTTP, listed, delivered again on request."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.github.store import App

SECONDS = 10
"""How long GitHub waits for an answer."""


@dataclass(frozen=True)
class Delivery:
    id: int
    guid: str
    event: str
    action: str | None
    payload: dict[str, Any]
    status: int
    redelivery: bool
    repository_id: int | None


@dataclass
class Hook:
    """The webhook of an App."""

    app: App
    url: str
    secret: str
    deliveries: list[Delivery] = field(default_factory=list)
    _listing: threading.Lock = field(default_factory=threading.Lock)

    def send(
        self,
        event: str,
        payload: Mapping[str, Any],
        *,
        guid: str | None = None,
        lost: bool = False,
    ) -> Delivery:
        """Delivers; `lost` keeps it from arriving, as in an outage of the receiver.

        Several threads may do so at once. With the `guid` of an earlier delivery it is delivered
        again.
        """
        body = json.dumps(payload, ensure_ascii=False).encode()
        known = guid or str(uuid.uuid4())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/1234567",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": known,
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-GitHub-Hook-Installation-Target-ID": str(self.app.id),
            "X-Hub-Signature-256": signature(self.secret, body),
        }
        status = 502 if lost else _posted(self.url, body, headers)
        with self._listing:
            made = Delivery(
                id=12_345_678_901 + len(self.deliveries),
                guid=known,
                event=event,
                action=payload.get("action"),
                payload=dict(payload),
                status=status,
                redelivery=guid is not None,
                repository_id=payload.get("repository", {}).get("id"),
            )
            self.deliveries.append(made)
        return made


def signature(secret: str, body: bytes) -> str:
    """The header `X-Hub-Signature-256`."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _posted(url: str, body: bytes, headers: dict[str, str]) -> int:
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 502
