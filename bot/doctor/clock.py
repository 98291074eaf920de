"""The clock: GitHub refuses what an App signs when it is minutes off."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

from bot.base.http import ask
from bot.doctor._support.base import Answer, Surroundings
from bot.doctor._support.service import is_asked

MOST = 30.0
"""Seconds: an App's token lives ten minutes, counted by GitHub's clock."""


def check(around: Surroundings) -> Iterator[Answer]:
    """Compare this machine's clock with GitHub's."""
    if not is_asked(around.environment) or around.offline:
        return
    api = around.environment.get("GITHUB_API_URL", "").strip().rstrip("/")
    reply = ask(f"{api or 'https://api.github.com'}/rate_limit", timeout=around.timeout)
    yield judged(reply.headers.get("date", ""), time.time())


def judged(date: str, now: float) -> Answer:
    """The answer for the `Date` header of GitHub and the seconds since the epoch here."""
    try:
        off = now - parsedate_to_datetime(date).timestamp()
    except ValueError:
        said = "GitHub did not tell its time."
        remedy = "Check the network and GITHUB_API_URL, and try again."
        return Answer(subject="clock", state="unknown", said=said, remedy=remedy)
    if abs(off) > MOST:
        way = "ahead of" if off > 0 else "behind"
        return Answer(
            subject="clock",
            state="wrong",
            said=f"This machine's clock is {abs(off):,.0f} s {way} GitHub's.",
            remedy="Set it by NTP: `timedatectl set-ntp true`.",
        )
    return Answer(subject="clock", state="ok", said="The clock agrees with GitHub's.")
