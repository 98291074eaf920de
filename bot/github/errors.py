"""What can go wrong between us and GitHub, each as a sentence that says what to do next."""

from __future__ import annotations

from enum import StrEnum

from bot.base.errors import UserError


class Refusal(StrEnum):
    """Why GitHub refuses something, where nothing but its own message says so."""

    PERSONAL = "personal"
    READ_ONLY = "read-only"
    APPS_ONLY = "apps-only"
    SSO = "sso"
    ARCHIVED = "archived"
    LOCKED = "locked"
    OTHER = "other"


class GitHubError(UserError):
    """GitHub did not do what was asked."""

    def __init__(
        self,
        sentence: str,
        status: int | None = None,
        *,
        again: bool = False,
        wait: float | None = None,
        refusal: Refusal = Refusal.OTHER,
        **values: object,
    ) -> None:
        """`sentence` and `values` as of UserError."""
        super().__init__(sentence, **values)
        self.status = status
        """Status of the answer; None when there was none."""
        self.again = again
        """True when another attempt may succeed."""
        self.wait = wait
        """Seconds until then, as GitHub asks; None when it asks for nothing."""
        self.refusal = refusal


class NotAllowedError(GitHubError):
    """The token may not do this (401, 403)."""


class NotFoundError(GitHubError):
    """No such thing, or it is private and the token may not see it (404)."""


class RefusedError(GitHubError):
    """GitHub understood and refuses the content (409, 422)."""


class LimitedError(GitHubError):
    """A rate limit stands, for longer than we wait."""


class UnreachableError(GitHubError):
    """No answer, or an answer that is none, after several attempts (5xx, network)."""


class TooMuchError(GitHubError):
    """What is there is over our limits, or over what GitHub lists."""
