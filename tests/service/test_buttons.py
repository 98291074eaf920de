"""The buttons of the App's check run, from the press on GitHub to the commit: who, when, where."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.github.checks import BUTTONS
from bot.service.database import Database
from tests.conftest import WrittenRun
from tests.github.server import Server
from tests.github.store import CheckRun, Pull
from tests.github.world import BROKEN, GOOD, PAGE, ROOT, SCRIPT, asked, world
from tests.runs.recipe import RunRecipe
from tests.service.process import eventually
from tests.service.test_whole_app import Running, running, shown


@pytest.fixture(scope="module")
def run(written: WrittenRun) -> Path:
    """A run that agrees with the script."""
    return written(RunRecipe(config=import_module("examples.demo.__main__").CONFIG))


@pytest.fixture
def app(server: Server, key: rsa.RSAPrivateKey, sqlite: Database, run: Path) -> Iterator[Running]:
    here = world(server)
    page = (ROOT / "examples" / "demo" / "device_tuning.rst").read_bytes()
    here.base.commit("main", {PAGE: page})
    with running(here, key, sqlite, asked(**{SCRIPT: run})) as started:
        yield started


def _answered(app: Running, pull: Pull) -> CheckRun:
    app.deliver(pull)
    app.wait(len(app.ended) + 1)
    return app.here.store.checks[-1]


def _inside(app: Running, script: bytes = GOOD) -> Pull:
    """A pull request whose branch is in the repository itself, where the App may write."""
    here = app.here
    here.base.commit("work", {SCRIPT: script}, start=here.base.head("main"))
    return here.store.pull(here.base, here.base, "work")


def _press(app: Running, check: CheckRun, button: str | None, by: str = "writer") -> str:
    """Presses a button, or asks for the check run again without one; gives the outcome."""
    # Nobody presses in the very second in which the check run ended.
    eventually(lambda: app.here.store.now() > (check.completed or ""))
    payload: dict[str, Any] = {
        "action": "requested_action" if button else "rerequested",
        "repository": {"id": app.here.base.id, "full_name": app.here.base.full_name},
        "sender": {"login": by, "type": "User"},
        "installation": {"id": app.installation},
        "check_run": app.here.server.views.check(check),
    }
    if button:
        payload["requested_action"] = {"identifier": button}
    before = len(app.ended)
    assert app.hook.send("check_run", payload).status == 202
    app.wait(before + 1)
    return app.ended[-1][1]


def _subjects(app: Running, pull: Pull, since: str) -> list[str]:
    log = app.here.base.objects.git("log", "--format=%s", f"{since}..{pull.head}")
    return log.decode().splitlines()


def _replies(pull: Pull) -> list[str]:
    """What was said beside the check's own comment."""
    return [body.split("\n\n<!--")[0] for body in shown(pull) if "rlbot:reply" in body]


def test_the_buttons_keep_to_githubs_limits() -> None:
    assert len(BUTTONS) <= 3
    for button in BUTTONS:
        assert len(button["label"]) <= 20
        assert len(button["description"]) <= 40
        assert len(button["identifier"]) <= 20


def test_a_check_run_of_the_app_has_them_and_one_of_a_workflow_has_none(app: Running) -> None:
    pull = app.here.pull({SCRIPT: BROKEN})
    assert [button["identifier"] for button in _answered(app, pull).actions] == ["verify", "apply"]
    from bot.github.pull import PullId
    from bot.github.remote import read_change
    from bot.review.pull import answer_pull

    number = PullId(app.here.base.full_name, pull.number)
    answer_pull(read_change(app.here.client(), number), asked())
    workflow = app.here.store.checks[-1]
    assert (workflow.app.slug, workflow.actions) == ("github-actions", [])


@pytest.mark.parametrize("button", ["verify", None])
def test_verify_again_checks_the_newest_commit(app: Running, button: str | None) -> None:
    pull = app.here.pull({SCRIPT: BROKEN})
    old = _answered(app, pull)
    app.here.push({SCRIPT: GOOD})
    assert _press(app, old, button) == "published"
    assert [(check.head, check.conclusion) for check in app.here.store.checks] == [
        (old.head, "failure"),
        (pull.head, "success"),
    ]
    # Pressed again, nothing changes: the same answer is not posted twice.
    before = len(app.here.store.checks), shown(pull)
    assert _press(app, app.here.store.checks[-1], button) == "published"
    assert (len(app.here.store.checks), shown(pull)) == before


def test_apply_commits_to_a_branch_of_the_repository(app: Running) -> None:
    pull = _inside(app, GOOD.replace(b"trainer.nnodes=1", b"+trainer.nnodes=1"))
    check = _answered(app, pull)
    old = pull.head
    assert _press(app, check, "apply") == "published"
    assert [line.split(" qwen")[0] for line in _subjects(app, pull, old)] == [
        "Add the row of",
        "Fix",
    ]
    author = app.here.base.objects.git("log", "-1", "--format=%B", pull.head).decode()
    assert "Co-authored-by: writer <" in author
    # The new head is checked in the same job, and its row is up to date.
    assert app.here.store.checks[-1].head == pull.head
    assert app.here.store.checks[-1].conclusion == "success"
    head = pull.head
    assert _press(app, app.here.store.checks[-1], "apply") == "published"
    assert pull.head == head
    assert _replies(pull)[-1] == "There is nothing to fix, and the page holds every row."


def test_pressing_twice_commits_once(app: Running) -> None:
    """The second press is on a commit that is not the head any more."""
    pull = _inside(app)
    check = _answered(app, pull)
    assert _press(app, check, "apply") == "published"
    head = pull.head
    assert _press(app, check, "apply") == "refused"
    assert _press(app, check, "apply") == "refused"
    assert pull.head == head
    (said,) = [text for text in _replies(pull) if "button" in text]
    assert said == (
        f"The button was that of `{check.head[:7]}`, and the head is `{head[:7]}` now: press the "
        "one of its check."
    )


def test_t5_a_replayed_press_under_another_delivery_id_is_one_job(app: Running) -> None:
    """A delivery's id is a header, which nobody signed; a press later is another one."""
    check = _answered(app, app.here.pull({SCRIPT: BROKEN}))
    assert _press(app, check, "verify") == "published"
    pressed = app.hook.deliveries[-1]
    jobs = len(app.jobs.jobs())
    assert app.hook.send("check_run", pressed.payload).status == 202
    assert app.hook.send("check_run", pressed.payload, guid=pressed.guid).status == 202
    assert len(app.jobs.jobs()) == jobs
    assert _press(app, check, "verify") == "published"
    assert len(app.jobs.jobs()) == jobs + 1


def test_t5_a_press_that_failed_is_carried_out_when_it_is_delivered_again(app: Running) -> None:
    pull = app.here.pull({SCRIPT: BROKEN})
    check = _answered(app, pull)
    app.here.base.gone = True
    assert _press(app, check, "verify") == "failed"
    app.here.base.gone = False
    pressed = app.hook.deliveries[-1]
    eventually(lambda: len(app.jobs.jobs(["failed"])) == 1)
    before = len(app.ended)
    assert app.hook.send("check_run", pressed.payload, guid=pressed.guid).status == 202
    app.wait(before + 1)
    assert app.ended[-1][1] == "published"


def test_t3_what_was_pushed_after_the_check_is_not_applied(app: Running) -> None:
    pull = _inside(app)
    check = _answered(app, pull)
    app.here.base.commit("work", {SCRIPT: GOOD + b"# more\n"}, start=app.here.base.head("main"))
    head = pull.head
    assert _press(app, check, "apply") == "refused"
    assert pull.head == head


@pytest.mark.parametrize("by", ["triager", "ada-l", "passer-by"])
def test_t14_who_may_press_apply(app: Running, by: str) -> None:
    app.here.store.account(by)
    pull = _inside(app)
    check = _answered(app, pull)
    head = pull.head
    assert _press(app, check, "apply", by) == "refused"
    assert pull.head == head
    assert _replies(pull) == [
        "`/apply` is for people with write rights here. A maintainer can do it for you."
    ]


def test_a_fork_that_the_app_may_not_write_to(app: Running) -> None:
    """The token of an installation is good for the repositories of the installation alone."""
    pull = app.here.pull({SCRIPT: GOOD})
    check = _answered(app, pull)
    head = pull.head
    assert _press(app, check, "apply") == "refused"
    assert pull.head == head
    (said,) = _replies(pull)
    assert "may not write to `ada-l/verl:tuning`" in said
    assert said.endswith("The comment of the check has the row to paste.")
    pull.maintainer_can_modify = False
    assert _press(app, check, "apply") == "refused"
    assert _replies(pull)[-1].startswith("The author does not allow edits by maintainers")


def test_a_closed_pull_request_stays_as_it_is(app: Running) -> None:
    pull = _inside(app)
    check = _answered(app, pull)
    pull.state = "closed"
    head = pull.head
    assert _press(app, check, "apply") == "refused"
    assert _press(app, check, "verify") == "nothing"
    assert pull.head == head
