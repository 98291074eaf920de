"""Whose reports the App shows: repositories and installations that change, by real webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.base.config import Config
from bot.check.request import CheckOptions
from bot.service.database import Database
from bot.service.sweep import sweep
from bot.service.verifications import HiddenSubject, Verifications
from tests.github.store import Pull
from tests.github.world import BROKEN, SCRIPT, World, asked
from tests.service.test_whole_app import Running, running

CHECK = "opened"


@pytest.fixture
def app(here: World, key: rsa.RSAPrivateKey, sqlite: Database) -> Iterator[Running]:
    with running(here, key, sqlite) as started:
        yield started


def _answered(app: Running, branch: str = "tuning") -> Pull:
    pull = app.here.pull({SCRIPT: BROKEN}, branch=branch)
    app.deliver(pull)
    app.wait(len(app.ended) + 1)
    return pull


def _shown(app: Running) -> set[str]:
    """The repositories that the pages name; every address that ever showed something is asked."""
    names = {line.repository for line in app.verifications.search()}
    listed = app.client.get("/").text
    for name in names:
        assert name in listed
    if not names:
        assert SCRIPT not in listed
        for number in range(1, 6):
            for address in (f"/reports/{number}", f"/reports/{number}.json"):
                assert app.client.get(address).status_code == 404
    return names


def _tell(app: Running, event: str, action: str, **more: Any) -> tuple[str, str]:
    """GitHub's delivery; gives how its job ended."""
    before = len(app.ended)
    base = app.here.base
    payload: dict[str, Any] = {
        "action": action,
        "sender": {"login": "maintainer", "type": "User"},
        "installation": {"id": app.installation, "account": {"login": base.owner.login}},
        **({"repository": _named(app)} if event == "repository" else {}),
        **more,
    }
    assert app.hook.send(event, payload).status == 202
    app.wait(before + 1)
    return app.ended[-1]


def _named(app: Running) -> dict[str, Any]:
    base = app.here.base
    return {"id": base.id, "full_name": base.full_name, "private": base.private}


def _installation(app: Running) -> Any:
    return app.here.store.installations[app.installation]


def test_t25_renamed_and_then_private(app: Running) -> None:
    _answered(app)
    first = app.here.base.full_name
    assert _shown(app) == {first}
    app.here.store.rename(app.here.base, "verl-project/secret")
    changes = {"repository": {"name": {"from": first.partition("/")[2]}}}
    assert _tell(app, "repository", "renamed", changes=changes) == ("renamed", "shown")
    # What stands under the old name stays hidden: anybody may take that name now.
    assert _shown(app) == set()
    _answered(app, "more")
    assert _shown(app) == {"verl-project/secret"}
    app.here.base.private = True
    assert _tell(app, "repository", "privatized") == ("privatized", "hidden")
    assert _shown(app) == set()


def test_t25_private_after_a_rename_that_nobody_told_of(app: Running) -> None:
    _answered(app)
    app.here.store.rename(app.here.base, "verl-project/secret")
    app.here.base.private = True
    _tell(app, "repository", "privatized")
    assert _shown(app) == set()


def _sweep(app: Running) -> int:
    """How many repositories the App's periodic look hides; waits for the jobs."""
    before = len(app.ended)
    hidden = sweep(app.identity, app.jobs.submit, app.verifications.shown_repositories).hidden
    app.wait(before + hidden)
    return hidden


def test_t25_private_although_the_webhook_was_lost(app: Running) -> None:
    _answered(app)
    assert _sweep(app) == 0
    assert _shown(app) == {"verl-project/verl"}
    app.here.base.private = True
    assert _sweep(app) == 1
    assert _shown(app) == set()
    assert _sweep(app) == 0
    # Public again, as an event says, and private again without one.
    app.here.base.private = False
    _tell(app, "repository", "publicized")
    assert _shown(app) == {"verl-project/verl"}
    app.here.base.private = True
    assert _sweep(app) == 1
    assert _shown(app) == set()


def test_t25_removed_although_the_webhook_was_lost(app: Running) -> None:
    _answered(app)
    app.here.store.installations.pop(app.installation)
    assert _sweep(app) == 1
    assert _shown(app) == set()


@contextmanager
def _while_it_is_checked(
    here: World, key: rsa.RSAPrivateKey, database: Database, happens: list[Any]
) -> Iterator[Running]:
    """The App; what is in `happens` is called once, after a change was read and before its end."""
    wanted = asked()

    def options(config: Config) -> CheckOptions:
        while happens:
            happens.pop()()
        return wanted.options(config)

    with running(here, key, database, replace(wanted, options=options)) as app:
        yield app


def test_t25_private_between_check_and_publish(
    here: World, key: rsa.RSAPrivateKey, sqlite: Database
) -> None:
    happens = [lambda: setattr(here.base, "private", True)]
    with _while_it_is_checked(here, key, sqlite, happens) as app:
        _answered(app)
        assert app.ended == [(CHECK, "published")]
        assert _shown(app) == set()


def test_t25_hidden_between_check_and_publish(
    here: World, key: rsa.RSAPrivateKey, database: Database
) -> None:
    """Even where GitHub says "public" to the late job, what hid the repository stands."""
    happens: list[Any] = []
    with _while_it_is_checked(here, key, database, happens) as app:

        def hidden() -> None:
            here.base.private = True
            _tell(app, "repository", "privatized")
            here.base.private = False

        happens.append(hidden)
        _answered(app)
        app.wait(2)
        assert sorted(app.ended) == [(CHECK, "published"), ("privatized", "hidden")]
        assert _shown(app) == set()
        _answered(app, "more")
        assert _shown(app) == set(), "no later job ends it either"
        # Only an event after which GitHub says that it is public does.
        assert _tell(app, "repository", "publicized") == ("publicized", "shown")
        assert _shown(app) == {here.base.full_name}


def test_t25_renamed_between_check_and_publish(
    here: World, key: rsa.RSAPrivateKey, sqlite: Database
) -> None:
    happens = [lambda: here.store.rename(here.base, "verl-project/other")]
    with _while_it_is_checked(here, key, sqlite, happens) as app:
        _answered(app)
        assert _shown(app) == set()


def test_t25_removed_from_the_installation_and_added_again(app: Running) -> None:
    _answered(app)
    name = app.here.base.full_name
    _installation(app).repositories = ()
    removed = {"repositories_removed": [_named(app)], "repositories_added": []}
    event = "installation_repositories"
    assert _tell(app, event, "removed", **removed) == ("removed", "hidden")
    assert _shown(app) == set()
    # Another repository that is added changes nothing for this one.
    other = {"repositories_added": [{"id": 9, "full_name": "verl-project/other"}]}
    assert _tell(app, event, "added", **other) == ("added", "nothing")
    assert _shown(app) == set()
    _installation(app).repositories = (name,)
    added = {"repositories_added": [_named(app)], "repositories_removed": []}
    assert _tell(app, event, "added", **added) == ("added", "shown")
    assert _shown(app) == {name}


def test_t25_suspended_and_not_any_more(app: Running) -> None:
    _answered(app)
    _installation(app).suspended = True
    assert _tell(app, "installation", "suspend") == ("suspend", "hidden")
    assert _shown(app) == set()
    # Told late, it does not help: GitHub is asked.
    assert _tell(app, "installation", "unsuspend", late=True) == ("unsuspend", "hidden")
    _installation(app).suspended = False
    assert _tell(app, "installation", "unsuspend") == ("unsuspend", "shown")
    assert _shown(app) == {app.here.base.full_name}


def test_t25_uninstalled(app: Running) -> None:
    _answered(app)
    del app.here.store.installations[app.installation]
    assert _tell(app, "installation", "deleted") == ("deleted", "hidden")
    assert _shown(app) == set()


def test_t25_transferred_to_an_owner_without_the_app(app: Running) -> None:
    _answered(app)
    _installation(app).repositories = ()
    app.here.store.rename(app.here.base, "elsewhere/verl")
    changes = {"owner": {"from": {"organization": {"login": "verl-project"}}}}
    assert _tell(app, "repository", "transferred", changes=changes) == ("transferred", "hidden")
    assert _shown(app) == set()


def test_t25_deleted(app: Running) -> None:
    _answered(app)
    name = app.here.base.full_name
    _installation(app).repositories = ()
    app.here.base.gone = True
    assert _tell(app, "repository", "deleted") == ("deleted", "hidden")
    assert _shown(app) == set()
    # Somebody else's repository of that name does not bring the reports back.
    app.here.store.repositories.pop(name)
    app.here.store.repository(name).id = 999
    _installation(app).repositories = (name,)
    added = {"repositories_added": [{"id": 999, "full_name": name}]}
    assert _tell(app, "installation_repositories", "added", **added)[1] == "nothing"
    assert _shown(app) == set()


def test_t25_a_late_word_that_it_is_public_is_not_believed(app: Running) -> None:
    _answered(app)
    app.here.base.private = True
    _tell(app, "repository", "privatized")
    assert _tell(app, "repository", "publicized") == ("publicized", "hidden")
    assert _shown(app) == set()


def test_a_hiding_that_comes_while_github_is_asked_stands(stored: Verifications) -> None:
    subject = HiddenSubject("repository", 1)
    stored.hide([subject])
    version = stored.hidden([subject])[subject]
    stored.hide([subject])
    assert not stored.show(subject, version)
    assert stored.hidden([subject])
    assert stored.show(subject, stored.hidden([subject])[subject])
    assert stored.hidden([subject]) == {}


@pytest.fixture
def stored(database: Database) -> Iterator[Verifications]:
    with closing(Verifications(database)) as verifications:
        verifications.migrate()
        yield verifications
