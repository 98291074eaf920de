"""Which tracker servers besides W&B may be read; each gets its own key and no other.

MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME with MLFLOW_TRACKING_PASSWORD, belongs to the
server of MLFLOW_TRACKING_URI, and goes over plain http on this machine alone. SWANLAB_API_KEY
belongs to the server of SWANLAB_API_HOST, or to swanlab.cn where that is not set; a server of one's
own shows its pages where SWANLAB_WEB_HOST says, or at the address of its API (swanlab 0.10.3,
`resolve_hosts`). HF_TOKEN belongs to the server of HF_ENDPOINT, or to huggingface.co where that is
not set (huggingface_hub's own variables).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration
from bot.base.secrets import Secret
from bot.evidence.facts import EvidenceError
from bot.evidence.links import HUB, SWANLAB, RunLink
from bot.evidence.online.own_server import address_of, is_loopback, key_of, origin_of

PUBLIC_API: Final = "https://api.swanlab.cn"
_MLFLOW: Final = (
    "MLFLOW_TRACKING_URI",
    "MLFLOW_TRACKING_TOKEN",
    "MLFLOW_TRACKING_USERNAME",
    "MLFLOW_TRACKING_PASSWORD",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MlflowAccess:
    """What the caller has of MLflow: a server, and a key for it."""

    server: str | None = None
    """MLFLOW_TRACKING_URI without a slash at the end; None where it names no server."""
    authorization: Secret | None = None
    """The header's value."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> MlflowAccess:
        """What the environment says; raises UserError for a server's address with a password.

        A store that is no server (`sqlite:///…`, a folder, `databricks`) is none to ask.
        """
        uri, _, user, password = (environment.get(name, "").strip() for name in _MLFLOW)
        if not uri.startswith(("http://", "https://")):
            return cls()
        keys = enumeration(_MLFLOW[2:])
        address_of("MLFLOW_TRACKING_URI", uri, "https://mlflow.example.com", keys)
        key = key_of(environment, "MLFLOW_TRACKING_TOKEN", "Bearer {key}")
        if key is None and user:
            pair = base64.b64encode(f"{user}:{password}".encode()).decode()
            key = Secret(f"Basic {pair}")
        return cls(server=uri.rstrip("/"), authorization=key)

    def api_of(self, link: RunLink) -> str:
        """The address of the server that a link names."""
        return f"{link.origin}{link.path}"

    def key_for(self, link: RunLink) -> Secret | None:
        """The header's value for a link's server; raises EvidenceError where it would be open."""
        if self.authorization is None or self.api_of(link) != self.server:
            return None
        if link.scheme != "https" and not is_loopback(urlsplit(link.origin).hostname or ""):
            raise EvidenceError(
                "The key of {host} is not sent over plain http, where others could read it: "
                "give MLFLOW_TRACKING_URI with https://, or leave the key out.",
                host=link.host,
            )
        return self.authorization


@dataclass(frozen=True, slots=True, kw_only=True)
class SwanlabAccess:
    """What the caller has of SwanLab: a server, and a key for it."""

    api: str = PUBLIC_API
    """Scheme and host of the API."""
    pages: str = SWANLAB
    """Scheme and host of the pages."""
    key: Secret | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> SwanlabAccess:
        """What the environment says; raises UserError for what is no address of a server."""
        api, pages = (
            origin_of(
                name, environment.get(name, ""), "https://swanlab.example.com", "SWANLAB_API_KEY"
            )
            for name in ("SWANLAB_API_HOST", "SWANLAB_WEB_HOST")
        )
        if api is None or api == PUBLIC_API:
            api, pages = PUBLIC_API, SWANLAB
        return cls(api=api, pages=pages or api, key=key_of(environment, "SWANLAB_API_KEY"))

    def api_of(self, link: RunLink) -> str:
        """The address of the API that answers for a link."""
        return self.api if link.origin == self.pages else PUBLIC_API

    def key_for(self, link: RunLink) -> Secret | None:
        """The key for a link's server; None where it belongs to another."""
        return self.key if link.origin == self.pages else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackioAccess:
    """What the caller has of the Hugging Face Hub: a server, and a key for it."""

    server: str = HUB
    """Scheme and host."""
    authorization: Secret | None = None
    """The header's value."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> TrackioAccess:
        """What the environment says; raises UserError for what is no address of a server."""
        server = origin_of("HF_ENDPOINT", environment.get("HF_ENDPOINT", ""), HUB, "HF_TOKEN")
        return cls(
            server=server or HUB, authorization=key_of(environment, "HF_TOKEN", "Bearer {key}")
        )

    def key_for(self, link: RunLink) -> Secret | None:
        """The header's value for a link's server; None where the key belongs to another."""
        return self.authorization if link.origin == self.server else None
