"""Whose reports may be seen: what changed about a repository or an installation, carried out.

Events arrive late, twice and in any order, so that none is believed when it says "public". What one
names is hidden first, by GitHub's number. Then GitHub is asked, and only what is public and covered
by the App at that moment is shown again, unless another event hid it meanwhile.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict

from bot.base.fast_dataclass import dataclass
from bot.github.app import AppIdentity, installation_of, is_active, repository_state
from bot.github.client import Client
from bot.github.errors import NotAllowedError, NotFoundError
from bot.service.job import Job, JsonObject
from bot.service.limits import outages
from bot.service.metrics import Metrics
from bot.service.verifications import HiddenSubject, Verifications

MOST_ASKED = 500
"""Repositories of one event about which GitHub is asked; further ones stay hidden."""
_KEY = "visibility"
_log = logging.getLogger("rlbot.work")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibilityChange:
    """What a job of the kind `hide` is about."""

    hide: bool
    """False for events that can only end a time of hiding."""
    repositories: tuple[tuple[int, str], ...] = ()
    """Number and present name."""
    installation: int | None = None
    """An installation as a whole."""

    def detail(self) -> dict[str, str | int | None]:
        """The stored form, as a job's detail."""
        return {_KEY: json.dumps(asdict(self))}

    @property
    def subjects(self) -> list[HiddenSubject]:
        """What is hidden, or asked about."""
        found = [HiddenSubject("repository", number) for number, _ in self.repositories]
        if self.installation is not None:
            found.append(HiddenSubject("installation", self.installation))
        return found


def change_of(job: Job) -> VisibilityChange:
    """What a job is about."""
    read = json.loads(str(job.detail[_KEY]))
    return VisibilityChange(**read | {"repositories": tuple(map(tuple, read["repositories"]))})


class VisibilityWork:
    """Carries out the jobs of the kind `hide`."""

    def __init__(
        self, identity: AppIdentity, verifications: Verifications, metrics: Metrics
    ) -> None:
        self._identity = identity
        self._verifications = verifications
        self._metrics = metrics

    def hide(self, job: Job) -> JsonObject:
        """The first step: hide, and find out what GitHub is to be asked about."""
        change = change_of(job)
        if change.hide:
            self._verifications.hide(change.subjects)
            _log.info("hid the reports of %s", job.repository)
        hidden = self._verifications.hidden(change.subjects)
        if not hidden:
            return {"outcome": "nothing"}
        return {"hidden": [[one.kind, one.id, version] for one, version in hidden.items()]}

    def show(self, job: Job, step: JsonObject) -> JsonObject:
        """The second step: show again what GitHub says is public and covered by the App."""
        names = dict(change_of(job).repositories)
        shown = 0
        with outages(), self._metrics.counted(self._identity.client()) as app:
            for kind, number, version in step["hidden"][:MOST_ASKED]:
                name = names.get(number)
                if kind == "installation":
                    may = is_active(app, number)
                else:
                    name = self._public_name(app, number, str(name))
                    may = name is not None
                if may:
                    subject = HiddenSubject(kind, number)
                    shown += self._verifications.show(subject, version, name=name)
        return {"outcome": "shown" if shown == len(step["hidden"]) else "hidden"}

    def _public_name(self, app: Client, number: int, name: str) -> str | None:
        """The present name of a repository that is public and covered by the App, else None."""
        try:
            installation = installation_of(app, name)
            if installation is None:
                return None
            with self._metrics.counted(self._identity.installation(installation)) as client:
                state = repository_state(client, name)
        except (NotFoundError, NotAllowedError):
            return None
        return state.name if state.id == number and not state.private else None
