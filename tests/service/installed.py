"""The App installed in the stand-in's repository: its key, its webhook, what GitHub delivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github.hooks import Hook
from tests.github.store import Pull
from tests.github.world import World
from tests.service.server import SECRET

KEY = SECRET.reveal().replace(" ", "-")
"""The webhook's secret as the environment takes it: spaces would part two of them."""


@dataclass
class Installed:
    """The App as GitHub knows it, and what its processes need to know."""

    here: World
    hook: Hook
    private_key: str
    installation: int
    link: str = ""
    """The last line of every script from now on."""

    def environment(self) -> dict[str, str]:
        """Variables for a process of the App."""
        return {
            **self.here.server.environment(),
            "RLBOT_APP_ID": str(self.hook.app.id),
            "RLBOT_PRIVATE_KEY": self.private_key,
        }

    def payload(self, pull: Pull, action: str) -> dict[str, Any]:
        """The event `pull_request`, with what GitHub says of the pull request now."""
        return {
            "action": action,
            "number": pull.number,
            "repository": {
                "id": self.here.base.id,
                "full_name": self.here.base.full_name,
                "private": False,
            },
            "sender": {"login": pull.author.login, "type": "User"},
            "installation": {"id": self.installation},
            "pull_request": {
                "number": pull.number,
                "state": pull.state,
                "draft": pull.draft,
                "head": {"sha": pull.head},
                "body": pull.body,
                "updated_at": self.here.store.now(),
            },
        }


def new_key() -> rsa.RSAPrivateKey:
    """A key for an App; making one takes a moment, so tests may share it."""
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def install(here: World, *, secret: str = KEY, key: rsa.RSAPrivateKey | None = None) -> Installed:
    """Make the App and install it; where its webhook goes is set later."""
    key = key or new_key()
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    app = here.store.app("rlbot", public.decode())
    installation = here.store.install(app, here.base)
    hook = Hook(app, "", secret)
    here.server.hooks.append(hook)
    return Installed(here, hook, private.decode(), installation.id)
