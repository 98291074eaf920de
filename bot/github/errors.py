"""What can go wrong between us and GitHub, each as a sentence that says what to do next."""

from __future__ import annotations

from bot.base.errors import UserError


class GitHubError(UserError):
    """GitHub did not do what was asked."""

    status: int | None = None
    """Status of the answer; None when there was none."""

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status


class NotAllowedError(GitHubError):
    """The token may not do this (401, 403)."""


class NotFoundError(GitHubError):
    """No such thing, or it is private and the token may not see it (404)."""


class RefusedError(GitHubError):
    """GitHub understood and refuses the content (409, 422)."""


class LimitedError(GitHubError):
    """A rate limit stands, for longer than we wait."""

    wait: float | None = None
    """Seconds until it is lifted, as GitHub says or asks."""


class UnreachableError(GitHubError):
    """No answer, or an answer that is none, after several attempts (5xx, network)."""


class TooMuchError(GitHubError):
    """What is there is over our limits, or over what GitHub lists."""
