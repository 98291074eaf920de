"""The clock: GitHub refuses what an App signs when it is minutes off."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

from bot.base.http import ask
from bot.base.messages import message
from bot.doctor._support.base import TIMEOUT, CheckAnswer, Surroundings
from bot.github.addresses import Addresses

MOST = 30.0
"""Seconds: an App's token lives ten minutes, counted by GitHub's clock."""


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Compare this machine's clock with GitHub's."""
    if around.offline or not around.runs_app:
        return
    api = Addresses.of(around.environment).api
    reply = ask(f"{api}/rate_limit", timeout=TIMEOUT)
    yield compare(reply.headers.get("date", ""), time.time())


def compare(date: str, now: float) -> CheckAnswer:
    """The answer for the `Date` header of GitHub and the seconds since the epoch here."""
    try:
        off = now - parsedate_to_datetime(date).timestamp()
    except ValueError:
        remedy = message("Check the network and GITHUB_API_URL, and try again.")
        return CheckAnswer("clock", "unknown", message("GitHub did not tell its time."), remedy)
    if abs(off) <= MOST:
        return CheckAnswer("clock", "ok", message("The clock agrees with GitHub's."))
    text = message("This machine's clock is {abs} s ahead of GitHub's.", abs=f"{off:,.0f}")
    if off < 0:
        text = message("This machine's clock is {abs} s behind GitHub's.", abs=f"{-off:,.0f}")
    remedy = message("Set it by NTP: `timedatectl set-ntp true`.")
    return CheckAnswer("clock", "wrong", text, remedy)
