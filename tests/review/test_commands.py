"""Commands in comments, carried out: who may, what is left on the pull request, how often."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.github.actions import Nothing, subject_of
from bot.github.pull import PullId
from bot.github.remote import read_change
from bot.github.talk import COOLDOWN, REPLY, reply
from bot.render.markdown import MARKER
from bot.report import PageEdit
from bot.review.apply import with_rows
from bot.review.check import check_change
from bot.review.commands import CommandRequest, CommandResult, handle_command
from tests.conftest import WrittenRun
from tests.github.runner import comment_event, step
from tests.github.store import FULL, Comment, Pull, Reaction
from tests.github.world import BROKEN, GOOD, OTHER, PAGE, ROOT, SCRIPT, World, asked
from tests.runs.recipe import RunRecipe

PULL = PullId("verl-project/verl", 1)
READ_CONTENTS = {**FULL, "contents": "read"}


def _say(here: World, login: str, body: str) -> Comment:
    (pull,) = here.store.pulls.values()
    return here.store.comment(pull, here.store.account(login), body)


def _handle(
    here: World,
    comment: Comment,
    *,
    before: str = "",
    token: str | None = None,
    runs: Mapping[str, Path] | None = None,
) -> CommandResult:
    request = CommandRequest(
        pull=PULL,
        author=comment.author.login,
        body=comment.body,
        before=before,
        comment=comment.id,
    )
    return handle_command(here.client(token or _token(here)), request, asked(**(runs or {})))


def _token(here: World) -> str:
    known = [text for text, who in here.store.tokens.items() if who.account.login == "writer"]
    return known[0] if known else here.store.person_token("writer")


def _reactions(here: World, comment: Comment) -> list[str]:
    return [reaction.content for reaction in here.store.reactions.get(comment.id, ())]


def _replies(pull: Pull) -> list[str]:
    return [c.body.partition(REPLY)[0].strip() for c in pull.visible() if REPLY in c.body]


@pytest.mark.parametrize("login", ["ada-l", "triager", "writer", "maintainer"])
def test_verify(here: World, login: str) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    comment = _say(here, login, "/verify")
    done = _handle(here, comment)
    assert not done.refused
    assert _reactions(here, comment) == ["eyes", "rocket"]
    assert [run.head for run in here.store.checks] == []  # a person's token makes a status
    assert [status.state for status in here.store.statuses[pull.head]] == ["failure"]
    assert [MARKER in c.body for c in pull.visible()] == [False, True]
    assert _replies(pull) == []


def test_t14_who_may_verify(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    comment = _say(here, "passer-by", "/verify")
    assert _handle(here, comment).refused
    assert _reactions(here, comment) == ["eyes", "confused"]
    assert _replies(pull) == [
        (
            "`/verify` is for this pull request's author and for people with triage rights here. "
            "A maintainer can run it for you."
        )
    ]
    assert (here.store.checks, here.store.statuses) == ([], {})


@pytest.mark.parametrize("login", ["passer-by", "ada-l", "triager"])
def test_t14_who_may_apply(here: World, login: str) -> None:
    pull = here.pull({SCRIPT: GOOD})
    before = pull.head
    comment = _say(here, login, "/apply")
    assert _handle(here, comment).refused
    assert _reactions(here, comment) == ["eyes", "confused"]
    assert "for people with write rights here" in _replies(pull)[0]
    assert pull.head == before


def test_t14_the_base_says_who_may_and_the_pull_request_does_not(here: World) -> None:
    here.base.commit("main", {".rlbot.yml": "permissions: {verify: maintain}\n"})
    pull = here.pull({SCRIPT: BROKEN, ".rlbot.yml": "permissions: {verify: read, apply: read}\n"})
    assert _handle(here, _say(here, "triager", "/verify")).refused
    assert "for people with maintain rights here" in _replies(pull)[0]
    assert not _handle(here, _say(here, "maintainer", "/verify")).refused


def test_t14_a_person_waits_between_two_commands(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    first = _say(here, "triager", "/verify")
    assert not _handle(here, first).refused
    again = _say(here, "triager", "/verify")
    assert _handle(here, again).refused
    assert _reactions(here, again) == ["eyes", "confused"]
    (reply,) = _replies(pull)
    assert reply.startswith("A command of yours ran here a moment ago; wait ")
    assert 0 < int(reply.split()[-2]) <= COOLDOWN
    # Somebody else need not wait, and neither does the same person a minute later.
    assert not _handle(here, _say(here, "maintainer", "/verify")).refused
    for reaction in here.store.reactions[first.id]:
        reaction.created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - COOLDOWN))
    assert not _handle(here, _say(here, "triager", "/verify")).refused


def test_t14_a_flood_of_refused_commands_is_answered_once(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    for _ in range(4):
        comment = _say(here, "passer-by", "/verify")
        assert _handle(here, comment).refused
        assert _reactions(here, comment) == ["eyes", "confused"]
    assert len(_replies(pull)) == 1


def test_a_mistake_may_be_mended_at_once(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    assert _handle(here, _say(here, "triager", "/verify pleese")).refused
    assert _replies(pull) == [
        (
            "`/verify` takes a commit, the link of a run and the path of a script. `pleese` is "
            "none of them. `/verify help` says more."
        )
    ]
    assert not _handle(here, _say(here, "triager", "/verify")).refused


def test_a_command_that_was_mended_keeps_no_sign_of_the_mistake(here: World) -> None:
    here.pull({SCRIPT: BROKEN})
    comment = _say(here, "triager", "/verify pleese")
    _handle(here, comment)
    assert _reactions(here, comment) == ["eyes", "confused"]
    before, comment.body = comment.body, "/verify"
    assert not _handle(here, comment, before=before).refused
    assert _reactions(here, comment) == ["eyes", "rocket"]
    # Still wrong, it stays; a 😕 that somebody else left is not ours to take.
    other = _say(here, "maintainer", "/apply now")
    _handle(here, other)
    theirs = Reaction(
        here.store.next_id(), here.store.account("ada-l"), "confused", "2026-01-01T00:00:00Z"
    )
    here.store.reactions[other.id].append(theirs)
    before, other.body = other.body, "/apply then"
    _handle(here, other, before=before)
    assert _reactions(here, other) == ["eyes", "confused", "confused"]
    before, other.body = other.body, "/verify help"
    _handle(here, other, before=before)
    assert _reactions(here, other) == ["eyes", "confused", "rocket"]


def test_repeating_is_harmless(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    for body in ("/verify", "/verify help", "/verify nonsense"):
        comment = _say(here, "maintainer", body)
        _handle(here, comment)
        for reactions in here.store.reactions.values():
            for reaction in reactions:
                reaction.created = "2026-01-01T00:00:00Z"
        written = [(c.id, c.body) for c in pull.visible()]
        _handle(here, comment)
        assert [(c.id, c.body) for c in pull.visible()] == written


def test_t15_an_edit_that_adds_nothing_is_nothing(here: World) -> None:
    here.pull({SCRIPT: BROKEN})
    comment = _say(here, "maintainer", "mended\n/verify")
    assert _handle(here, comment, before="mendde\n/verify").commands == ()
    assert here.store.calls == []


def test_t15_our_own_words_are_no_commands(here: World) -> None:
    here.pull({SCRIPT: BROKEN})
    for mark in (MARKER, f"{REPLY}0123456789abcdef -->"):
        comment = _say(here, "writer", f"/verify\n\n{mark}")
        assert _handle(here, comment).commands == ()
    assert here.store.calls == []


def test_t13_a_copied_mark_keeps_no_reply_back(here: World) -> None:
    """Who posts the mark of our reply first, in a comment of their own, silences nobody."""
    pull = here.pull({SCRIPT: BROKEN})
    request = PullId(pull.repository.full_name, pull.number)
    client = here.client(_token(here))
    reply(client, request, "Not for you.", to="7")
    (ours,) = (c for c in pull.visible() if REPLY in c.body)
    assert ours.body.startswith("Not for you.")
    reply(client, request, "Not for you.", to="7")
    assert [c.id for c in pull.visible() if REPLY in c.body] == [ours.id], "said once"

    ours.deleted = True
    copy = _say(here, "passer-by", ours.body)
    for _ in range(2):
        reply(client, request, "Not for you.", to="7")
        said = [c for c in pull.visible() if REPLY in c.body and c.id != copy.id]
        assert [(c.author.login, c.body) for c in said] == [("writer", ours.body)]


def test_t15_bots_are_not_obeyed(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    bot = here.store.account("renovate[bot]", "Bot")
    comment = here.store.comment(pull, bot, "/verify")
    assert subject_of("issue_comment", comment_event(here, comment)) == Nothing(
        "Commands of bots are not carried out."
    )
    other = _say(here, "maintainer", "/verify")
    for payload in (
        comment_event(here, other, sender=bot),
        comment_event(here, other, before="", sender=here.store.account("writer")),
    ):
        assert isinstance(subject_of("issue_comment", payload), Nothing)


def test_verify_a_commit(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    old = pull.head
    assert not _handle(here, _say(here, "triager", f"/verify {old[:8]}")).refused
    here.push({SCRIPT: GOOD})
    assert _handle(here, _say(here, "writer", f"/verify {old[:8]}")).refused
    assert _replies(pull)[-1].startswith("The head of verl-project/verl#&#8203;1 is ")
    assert pull.head not in here.store.statuses


def test_verify_with_a_run_that_could_be_of_two_scripts(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD, OTHER: GOOD})
    link = "https://wandb.ai/a/b/runs/c"
    assert _handle(here, _say(here, "triager", f"/verify {link}")).refused
    assert "name the one that the run is for" in _replies(pull)[-1]
    assert _handle(here, _say(here, "writer", f"/verify {link} other.sh")).refused
    assert "holds no tuning script other.sh" in _replies(pull)[-1]
    done = _handle(here, _say(here, "maintainer", f"/verify {link} {SCRIPT.rpartition('/')[2]}"))
    assert done.answered is not None
    reasons = [u.reason for s in done.answered.checked.report.scripts for u in s.unchecked]
    assert any("a/b/runs/c" in reason or "offline" in reason for reason in reasons), reasons


def test_help(here: World, snapshot: SnapshotAssertion) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    comment = _say(here, "passer-by", "/verify help")
    assert not _handle(here, comment).refused
    assert _reactions(here, comment) == ["eyes", "rocket"]
    assert _replies(pull)[0] == snapshot


def test_a_closed_pull_request_stays_as_it_is(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    pull.state = "closed"
    assert _handle(here, _say(here, "writer", "/verify")).refused
    assert _replies(pull) == ["The pull request is closed."]


def test_a_pull_request_without_a_script(here: World) -> None:
    pull = here.pull({"README.md": "x\n"})
    assert not _handle(here, _say(here, "writer", "/verify")).refused
    assert _replies(pull) == [
        "This pull request alters neither a tuning script nor the page of rows."
    ]


def test_the_door_of_actions_obeys_too(here: World, tmp_path: Path) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    comment = _say(here, "ada-l", "/verify")
    ran = step(here, tmp_path, "issue_comment", comment_event(here, comment))
    assert (ran.status, ran.outputs and ran.outputs["verdict"]) == (1, "fail")
    assert _reactions(here, comment) == ["eyes", "rocket"]
    assert len(here.store.checks) == 1
    quiet = _say(here, "ada-l", "`/verify` is a command")
    calls = len(here.store.calls)
    assert step(here, tmp_path, "issue_comment", comment_event(here, quiet)).status == 0
    assert here.store.calls[calls:] == []
    assert pull.head


FIXABLE = GOOD.replace(b"trainer.nnodes=1", b"+trainer.nnodes=1")


def _offered(here: World, files: Mapping[str, bytes | str]) -> Pull:
    """A pull request; the page of its base has no rows yet."""
    page = (ROOT / "examples" / "demo" / "device_tuning.rst").read_bytes()
    here.base.commit("main", {PAGE: page})
    return here.pull(files)


@pytest.fixture(scope="module")
def run(written: WrittenRun) -> Path:
    """A run that agrees with the script."""
    return written(RunRecipe(config=import_module("examples.demo.__main__").CONFIG))


def _apply(
    here: World, run: Path, login: str = "writer", token: str | None = None
) -> tuple[Comment, CommandResult]:
    comment = _say(here, login, "/apply")
    return comment, _handle(here, comment, token=token, runs={SCRIPT: run})


def _files(here: World, old: str, new: str) -> list[str]:
    return [change.path for change in here.base.objects.changes(old, new)]


def test_apply_commits_the_row_on_the_branch(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: GOOD})
    old = pull.head
    comment, done = _apply(here, run)
    assert not done.refused, done.replies
    assert _reactions(here, comment) == ["eyes", "rocket"]
    assert _files(here, old, pull.head) == [PAGE]
    page = here.base.objects.git("show", f"{pull.head}:{PAGE}").decode()
    assert SCRIPT.rpartition("/")[2] in page
    assert f"/blob/{old}/" in page
    log = here.base.objects.git("log", "-1", "--format=%P%n%B", pull.head).decode()
    assert log.startswith(f"{old}\nAdd the row of ")
    number = here.store.account("writer").id
    assert f"Co-authored-by: writer <{number}+writer@users.noreply.github.com>" in log
    # The new head is checked, and a second time there is nothing to do.
    assert done.answered is not None
    assert done.answered.pull.head == pull.head
    _, again = _apply(here, run, "maintainer", here.store.person_token("maintainer"))
    assert (again.refused, again.replies) == (
        False,
        ["There is nothing to fix, and the page holds every row."],
    )


def _edit_of(here: World, run: Path) -> PageEdit:
    (script,) = check_change(
        read_change(here.client(), PULL), asked(**{SCRIPT: run})
    ).report.scripts
    assert script.page_edit is not None
    return script.page_edit


def test_a_row_is_not_offered_again_because_a_commit_came_after_it(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: GOOD})
    old = pull.head
    assert _edit_of(here, run).action == "add"
    _, done = _apply(here, run)
    assert done.answered is not None
    assert done.answered.checked.report.scripts[0].page_edit == _edit_of(here, run)
    assert _edit_of(here, run).action == "none"
    here.push({"README.md": "another word\n"})
    assert _edit_of(here, run).action == "none"
    # Another script than the row links to: the row has to follow.
    here.push({SCRIPT: GOOD + b"# more\n"})
    edit = _edit_of(here, run)
    assert edit.action == "replace"
    assert f"/blob/{old}/" not in edit.rst
    assert f"/blob/{pull.head}/" in edit.rst
    _apply(here, run, "maintainer", here.store.person_token("maintainer"))
    assert _edit_of(here, run).action == "none"


def test_a_link_to_a_fork_or_to_a_branch_becomes_a_permalink(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: GOOD})
    commit = pull.head
    _apply(here, run)
    page = here.base.objects.git("show", f"{pull.head}:{PAGE}").decode()
    server = here.client().addresses.server
    for other in (f"ada-l/verl/blob/{commit}", "verl-project/verl/blob/main"):
        here.push({PAGE: page.replace(f"verl-project/verl/blob/{commit}", other)})
        edit = _edit_of(here, run)
        assert edit.action == "replace"
        assert f"{server}/verl-project/verl/blob/{pull.head}/" in edit.rst


def test_apply_commits_safe_fixes_first(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: FIXABLE})
    old = pull.head
    _, done = _apply(here, run)
    assert not done.refused, done.replies
    log = here.base.objects.git("log", "--format=%s", f"{old}..{pull.head}").decode().split("\n")
    assert [line.partition(" qwen")[0] for line in log if line] == ["Add the row of", "Fix"]
    assert here.base.objects.git("show", f"{pull.head}:{SCRIPT}") == GOOD
    assert sorted(_files(here, old, pull.head)) == sorted([PAGE, SCRIPT])


def test_apply_keeps_the_mode_of_a_file(here: World, run: Path) -> None:
    pull = _offered(here, {"README.md": "x\n"})
    here.fork.objects.commit(
        here.fork.ref("tuning"), {SCRIPT: FIXABLE}, parent=pull.head, executable=True
    )
    _, done = _apply(here, run)
    assert not done.refused, done.replies
    entry = here.base.objects.entry(pull.head, SCRIPT)
    assert entry is not None
    assert entry.mode == "100755"


def test_t3_apply_never_overwrites_a_push(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: GOOD})
    pushed: list[str] = []
    here.store.meanwhile.append(
        ("/git/commits$", lambda: pushed.append(here.push({SCRIPT: GOOD + b"# more\n"})))
    )
    comment, done = _apply(here, run)
    assert done.refused
    assert [pull.head] == pushed
    assert _reactions(here, comment) == ["eyes", "confused"]
    assert "moved on meanwhile; nothing was committed" in _replies(pull)[0]


def test_t3_apply_does_not_bring_back_what_was_taken_away(here: World, run: Path) -> None:
    pull = _offered(here, {"README.md": "first\n"})
    first = pull.head
    here.push({SCRIPT: GOOD, "secret.txt": "oops\n"})
    ref = here.fork.ref("tuning")
    here.store.meanwhile.append(
        ("/git/commits$", lambda: here.fork.objects.git("update-ref", ref, first))
    )
    _, done = _apply(here, run)
    assert done.refused
    assert pull.head == first


def test_t3_apply_is_never_forced(here: World, run: Path) -> None:
    _offered(here, {SCRIPT: FIXABLE})
    _apply(here, run)
    moves = [call for call in here.store.calls if "/git/refs/" in call.path]
    assert len(moves) == 2
    assert all(call.body["force"] is False for call in moves)


def test_apply_explains_what_it_may_not_do(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: GOOD})
    pull.maintainer_can_modify = False
    old = pull.head
    _, done = _apply(here, run)
    assert (done.refused, pull.head) == (True, old)
    assert _replies(pull) == [
        (
            "The author does not allow edits by maintainers on this branch. The comment of the "
            "check has the row to paste."
        )
    ]


def test_apply_with_a_token_that_may_not_write_there(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: GOOD})
    _, done = _apply(here, run, token=here.store.workflow_token(here.base))
    assert done.refused
    assert "may not write to `ada-l/verl:tuning`" in _replies(pull)[0]


def test_apply_writes_no_row_for_a_script_with_errors(here: World, run: Path) -> None:
    pull = _offered(here, {SCRIPT: BROKEN})
    old = pull.head
    _, done = _apply(here, run)
    assert (done.refused, pull.head) == (True, old)
    assert _replies(pull) == [f"No row for `{SCRIPT}`: it has errors."]


def test_apply_without_a_run_offers_no_row(here: World) -> None:
    pull = _offered(here, {SCRIPT: GOOD})
    comment = _say(here, "writer", "/apply")
    assert _handle(here, comment).refused
    assert _replies(pull) == [f"No row for `{SCRIPT}`: no run that could be read backs it."]


def test_two_rows_come_one_after_the_other(here: World, run: Path) -> None:
    _offered(here, {SCRIPT: GOOD})
    page = (ROOT / "examples" / "demo" / "device_tuning.rst").read_text(encoding="utf-8")
    checked = check_change(read_change(here.client(), PULL), asked(**{SCRIPT: run}))
    (one,) = checked.report.scripts
    assert one.row
    link = one.row.link.replace("_2_h800", "_4_h800")
    other = replace(one, path=OTHER, row=replace(one.row, link=link, resource="4*H800"))
    rows = with_rows(replace(checked.report, scripts=(one, other)), page, PAGE)
    assert rows.scripts == (SCRIPT, OTHER)
    assert rows.left == ()
    assert "2*H800" in rows.text.replace("\\", "")
    assert "4*H800" in rows.text.replace("\\", "")
    assert with_rows(replace(checked.report, scripts=(one, other)), rows.text, PAGE).scripts == ()
