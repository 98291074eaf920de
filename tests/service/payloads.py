"""Payloads of GitHub's webhooks, with the fields that it documents for them."""

from __future__ import annotations

from typing import Any

HEAD = "a" * 40
BASE: dict[str, Any] = {
    "repository": {"id": 1, "full_name": "Owner/repo", "private": False},
    "sender": {"login": "contributor", "id": 2, "type": "User"},
    "installation": {"id": 3},
}


def pull_request(action: str = "opened", **changes: Any) -> dict[str, Any]:
    """The event `pull_request`; `changes` go into the pull request, `extra` beside it."""
    extra = changes.pop("extra", {})
    pull = {
        "number": 12,
        "state": "open",
        "draft": False,
        "head": {"sha": HEAD, "ref": "topic"},
        "body": None,
        "updated_at": "2026-11-21T10:00:00Z",
        **changes,
    }
    return {**BASE, "action": action, "number": pull["number"], "pull_request": pull, **extra}


def comment(body: str, action: str = "created", **extra: Any) -> dict[str, Any]:
    """The event `issue_comment` on a pull request."""
    return {
        **BASE,
        "action": action,
        "issue": {"number": 12, "state": "open", "pull_request": {"url": "…"}},
        "comment": {
            "id": 99,
            "node_id": "IC_99",
            "body": body,
            "user": {"login": "contributor", "type": "User"},
            "updated_at": "2026-11-21T10:00:00Z",
        },
        **extra,
    }


def check_run(action: str = "rerequested", **extra: Any) -> dict[str, Any]:
    """The event `check_run` for a check run of our App (id 7)."""
    return {
        **BASE,
        "action": action,
        "check_run": {
            "id": 55,
            "head_sha": HEAD,
            "external_id": "rlbot:12:0123456789abcdef",
            "app": {"id": 7},
            "pull_requests": [],
        },
        **extra,
    }
