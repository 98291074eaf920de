"""Makes up for missed webhooks: failed deliveries are requested anew, unseen heads are found.

GitHub never repeats a failed delivery by itself. So at start and every ten minutes one process
requests the failed ones of GitHub's own list, and looks for open pull requests whose head has no
check run of ours.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.github.app import (
    AppIdentity,
    Delivery,
    deliver_again,
    deliveries,
    installations,
    repositories,
    unanswered,
)
from bot.github.errors import GitHubError
from bot.service.job import Job
from bot.service.lease import Lease

INTERVAL = 600.0
"""Seconds between two sweeps."""
MOST_ATTEMPTS = 5
"""Attempts of one delivery, after which it is left to the look at open pull requests."""
MOST_AGAIN = 100
"""Deliveries that one sweep requests anew, oldest first: a second apart, as GitHub wants."""
NAME = "the sweep"
"""Whose lease the sweeping process holds."""

_log = logging.getLogger("rlbot.sweep")


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The result of one sweep."""

    delivered_again: int
    found: int
    """Jobs for heads that had never been looked at."""


def failed(attempts: Iterable[Delivery]) -> list[Delivery]:
    """The newest attempt of each delivery that never succeeded, oldest delivery first.

    `attempts` come newest first, as GitHub lists them. Deliveries with too many are left out.
    """
    newest: dict[str, Delivery] = {}
    tried: Counter[str] = Counter()
    done: set[str] = set()
    for attempt in attempts:
        newest.setdefault(attempt.guid, attempt)
        tried[attempt.guid] += 1
        if attempt.delivered:
            done.add(attempt.guid)
    missing = [
        attempt
        for guid, attempt in newest.items()
        if guid not in done and tried[guid] < MOST_ATTEMPTS
    ]
    return sorted(missing, key=lambda attempt: attempt.delivered_at)[:MOST_AGAIN]


def sweep(identity: AppIdentity, submit: Callable[[Job], str]) -> SweepResult:
    """Look once. One installation that cannot be read does not keep the others from it.

    Raises GitHubError when the App itself cannot sign in.
    """
    client = identity.client()
    try:
        redelivered = 0
        for delivery in failed(deliveries(client)):
            deliver_again(client, delivery)
            redelivered += 1
        found = 0
        for number in installations(client):
            try:
                found += _installation(identity, number, submit)
            except GitHubError as error:
                _log.warning("installation %d was not swept: %s", number, error)
    finally:
        client.close()
    if redelivered or found:
        _log.info("asked for %d deliveries again, found %d unseen heads", redelivered, found)
    return SweepResult(redelivered, found)


def _installation(identity: AppIdentity, number: int, submit: Callable[[Job], str]) -> int:
    client = identity.installation(number)
    found = 0
    try:
        for repository in repositories(client):
            for pull in unanswered(client, repository, identity.app_id):
                # A head that was looked at once and needs no answer is known by this meaning.
                job = Job(
                    kind="check",
                    repository=pull.repository,
                    number=pull.number,
                    head=pull.head,
                    installation=number,
                    meaning=f"sweep:{pull.head[:12]}",
                )
                found += submit(job) == "stored"
    finally:
        client.close()
    return found


class Sweeper:
    """Sweeps at start and then regularly, in one process of all."""

    def __init__(
        self, lease: Lease, once: Callable[[], object], *, interval: float = INTERVAL
    ) -> None:
        self._lease = lease
        self._once = once
        self._interval = interval
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweep", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; a sweep that is running is not waited for."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with self._lease.over(NAME) as ours:
                    if ours:
                        self._once()
            except Exception as error:
                # An outage today must not end the sweeps of tomorrow.
                _log.warning("the sweep failed: %s: %s", type(error).__name__, error)
            self._stopped.wait(self._interval)
