"""What is left on a pull request, and with how few calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from bot.base.config import Config, Permissions
from bot.base.messages import message
from bot.check.request import CheckOptions
from bot.evidence.links import RunLink
from bot.github.answer import BODY_LIMIT, answer_of, failure_of, mark_of, step_summary
from bot.github.errors import LimitedError, UnreachableError
from bot.github.publish import Channels, publish
from bot.github.pull import PullId
from bot.github.remote import read_change
from bot.render.markdown import MARKER
from bot.report import Edit, Finding, Fix, PageEdit, Report, Unchecked
from bot.review.check import CheckRequest
from bot.review.pull import AnsweredPull, answer_pull
from tests.github.objects import Link
from tests.github.store import FULL, READ_ONLY, Fault, Pull
from tests.github.world import BROKEN, GOOD, OTHER, PAGE, SCRIPT, World, asked
from tests.render.factories import CHANGE, big, finding, good, report

PULL = PullId("verl-project/verl", 1)


def _answer(here: World, token: str | None = None, ask: CheckRequest | None = None) -> AnsweredPull:
    return answer_pull(read_change(here.client(token), PULL), ask or asked())


def _writes(here: World, start: int = 0) -> list[str]:
    """What was written since; ids and commits are left out."""
    calls = [
        c for c in here.requests(start) if not re.match(r"GET|POST /graphql (?!mini|post|edit)", c)
    ]
    return [re.sub(r"/verl-project/verl|[0-9a-f]{40}|\d{10}", "…", call) for call in calls]


def _bodies(pull: Pull) -> list[str]:
    return [comment.body for comment in pull.visible()]


def test_the_first_answer_is_a_comment_and_a_check_run(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    done = _answer(here)
    assert _writes(here) == ["POST /graphql post_check"]
    (body,) = _bodies(pull)
    assert body.startswith("**Could not be checked: No run is linked.** Checked at ")
    assert MARKER in body
    assert mark_of(body) is not None
    (run,) = here.store.checks
    assert (run.head, run.status, run.conclusion) == (pull.head, "completed", "neutral")
    assert done.published.notes == []
    page = "https://github.com/verl-project/verl/pull/1"
    assert done.published.comment_url == f"{page}#issuecomment-{pull.comments[0].id}"


def test_a_second_time_nothing_is_written(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    token = here.store.workflow_token(here.base)
    _answer(here, token)
    start = len(here.store.calls)
    assert not _answer(here, token).published.wrote
    assert _writes(here, start) == []


def test_the_same_verdict_edits_silently(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    _answer(here)
    here.push({SCRIPT: BROKEN + b"# more\n"})
    start = len(here.store.calls)
    _answer(here)
    assert _writes(here, start) == ["POST /graphql edit_check"]
    (comment,) = pull.comments
    assert f"`{pull.head[:7]}`" in comment.body
    assert [run.head for run in here.store.checks][1:] == [pull.head]


def test_a_changed_verdict_is_a_new_comment_and_the_old_one_is_folded_away(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    _answer(here)
    here.push({SCRIPT: GOOD})
    start = len(here.store.calls)
    _answer(here)
    assert _writes(here, start) == ["POST /graphql post_check", "POST /graphql minimize"]
    old, new = pull.comments
    assert (old.minimized, new.minimized) == ("outdated", None)
    assert old.body.startswith("**Not ready")
    assert new.body.startswith("**Could not be checked")


def test_nothing_on_a_pull_request_without_scripts(here: World) -> None:
    pull = here.pull({"README.md": "word\n"})
    _answer(here)
    assert here.requests() == ["POST /graphql pull"]
    assert pull.comments == []


def test_when_the_scripts_are_gone_the_old_comment_says_so(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN, "README.md": "word\n"})
    _answer(here)
    here.push({SCRIPT: None})
    start = len(here.store.calls)
    _answer(here)
    assert _writes(here, start) == ["POST /graphql edit"]
    (body,) = _bodies(pull)
    assert body.startswith(
        "**Nothing is left to check.** This pull request no longer alters a tuning script"
    )
    assert _last_line(body) == (
        "Next: a push that alters a script or the page is checked without a command"
    )
    start = len(here.store.calls)
    _answer(here)
    assert _writes(here, start) == []
    here.push({SCRIPT: GOOD})
    _answer(here)
    assert len(pull.comments) == 1
    assert _bodies(pull)[0].startswith("**Could not be checked")


def test_a_check_that_could_not_be_made_says_what_comes_next_and_for_whom() -> None:
    config = Config(permissions=Permissions(verify="maintain"))
    body = failure_of("0" * 40, "The configuration is wrong.", config).body
    assert body.startswith("**Could not be checked.** The configuration is wrong.")
    assert _last_line(body) == (
        "Next: `/verify` (the author, maintain rights) checks again, and so does a push"
    )


def test_a_check_that_could_not_be_made_says_so_in_chinese() -> None:
    reason = message("The pull request is closed.")
    answer = failure_of("0" * 40, reason, Config(language="zh"))
    assert not re.search(r"[A-Za-z]{3,} [a-z]{2,}", answer.summary.partition("<!--")[0])
    assert not re.search(r"[A-Za-z]{3,} [a-z]{2,}", answer.title)


def _last_line(body: str) -> str:
    return [line for line in body.split("\n") if line and not line.startswith("<!--")][-1]


def test_a_script_that_cannot_be_read_is_answered_too(here: World) -> None:
    pull = here.pull({"examples/tuning/7b/link.sh": Link("/etc/passwd")})
    _answer(here)
    (body,) = _bodies(pull)
    assert body.startswith("**Could not be checked: 1 script not read.**")
    assert "is a symbolic link; commit a file" in body


def test_a_deleted_comment_is_posted_anew(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    _answer(here)
    pull.comments[0].deleted = True
    _answer(here)
    assert len(pull.visible()) == 1


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_nothing_is_posted_on_a_closed_pull_request(
    here: World, state: Literal["closed", "merged"]
) -> None:
    pull = here.pull({SCRIPT: GOOD})
    pull.state = state
    done = _answer(here)
    assert (pull.comments, here.store.checks) == ([], [])
    assert done.published.notes == ["The pull request is closed, so nothing was posted."]


def test_a_folded_comment_counts_as_gone(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    _answer(here)
    pull.comments[0].minimized = "off_topic"
    _answer(here)
    assert [comment.minimized for comment in pull.comments] == ["off_topic", None]


def test_our_comment_is_found_behind_many_others(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    for number in range(130):
        here.store.comment(pull, here.store.account("triager"), f"{number}")
    _answer(here)
    _answer(here)
    assert len([body for body in _bodies(pull) if MARKER in body]) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("scripts", "most"), [(1, 7), (20, 11)])
def test_a_check_costs_few_requests_and_none_twice(here: World, scripts: int, most: int) -> None:
    """On verl itself, whose configuration is read too; beside what is written."""
    tree = {f"verl/trainer/config/{n}/{n}.yaml": f"number: {n}\n" for n in range(80)}
    here.base.commit("main", {**tree, "verl/trainer/config/ppo_trainer.yaml": "actor: {}\n"})
    here.pull({SCRIPT.replace("2_h800", f"{n}_h800"): GOOD for n in range(1, scripts + 1)})
    client = here.client()
    answer_pull(read_change(client, PULL), asked())
    reads = [f"{sent.method} {sent.path}" for sent in client.log if not sent.write]
    assert len(reads) <= most
    assert len(set(reads)) == len(reads)


def test_nothing_is_posted_when_the_head_has_moved(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    client = here.client()
    answer = answer_of(report(good()), touches=True, sources={})
    assert answer.head == CHANGE.head
    done = publish(client, PULL, answer)
    assert (done.superseded, done.wrote) == (True, False)
    assert _writes(here) == []
    assert pull.comments == []


def test_a_head_that_moves_while_it_is_checked_is_checked_again(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    pushed: list[str] = []

    def push_once(_scripts: Sequence[str], _options: CheckOptions) -> Mapping[str, Path | RunLink]:
        if not pushed:
            pushed.append(here.push({SCRIPT: GOOD}))
        return {}

    moving = CheckRequest(options=asked().options, runs=push_once)
    done = _answer(here, ask=moving)
    assert not done.published.superseded
    assert done.pull.head == pushed[0]
    (body,) = _bodies(pull)
    assert body.startswith("**Could not be checked")
    assert [run.head for run in here.store.checks] == [pushed[0]]


def test_annotations_go_in_batches_of_fifty(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    many = [
        finding(f"finding {n}", severity="error" if n >= 180 else "note", path=SCRIPT, line=n + 1)
        for n in range(230)
    ]
    made = _at(pull, _report(*many, failed=True))
    answer = answer_of(made, touches=True, sources={})
    publish(here.client(), PULL, answer, Channels(comment=False))
    assert _writes(here) == [
        "POST /repos…/check-runs",
        "PATCH /repos…/check-runs/…",
        "PATCH /repos…/check-runs/…",
        "PATCH /repos…/check-runs/…",
    ]
    (run,) = here.store.checks
    assert (len(run.annotations), run.conclusion) == (200, "failure")
    assert [note["annotation_level"] for note in run.annotations[:51:50]] == ["failure", "notice"]
    assert "30 further findings have no annotation." in run.summary


@pytest.mark.parametrize("carried_out", [False, True], ids=["refused", "carried out"])
def test_batches_that_were_cut_off_go_on_in_the_same_check_run(
    here: World, carried_out: bool
) -> None:
    pull = here.pull({SCRIPT: GOOD})
    many = [finding(f"finding {n}", path=SCRIPT, line=n + 1) for n in range(120)]
    answer = answer_of(_at(pull, _report(*many)), touches=True, sources={})
    cut = Fault("PATCH", r"/check-runs/\d+", 502, after=carried_out)
    here.store.faults.append(cut)
    first = publish(here.client(), PULL, answer, Channels(comment=False))
    assert isinstance(first.unsettled, UnreachableError)
    (run,) = here.store.checks
    assert (len(run.annotations), run.status) == (100 if carried_out else 50, "in_progress")
    assert publish(here.client(), PULL, answer, Channels(comment=False)).unsettled is None
    (run,) = here.store.checks
    assert (len(run.annotations), run.status) == (120, "completed")
    assert len({note["message"] for note in run.annotations}) == 120


def test_a_limit_stops_what_else_would_be_written(here: World) -> None:
    here.pull({SCRIPT: BROKEN})
    limit = Fault("POST", "/graphql post", 429, headers={"Retry-After": "60"}, times=9)
    here.store.faults.append(limit)
    done = _answer(here)
    assert isinstance(done.published.unsettled, LimitedError)
    assert done.published.unsettled.wait == 60
    assert here.store.checks == []
    assert [call.status for call in here.store.calls].count(429) == 1


def test_a_check_run_with_annotations_is_not_added_to(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    one, other = finding("one", path=SCRIPT), finding("another", path=SCRIPT)
    for given in ((one,), (one,), (other,)):
        made = _at(pull, _report(*given))
        answer = answer_of(made, touches=True, sources={})
        publish(here.client(), PULL, answer, Channels(comment=False))
    assert [[n["message"] for n in run.annotations] for run in here.store.checks] == [
        ["one"],
        ["another"],
    ]
    shown = here.client().get(f"/repos/{PULL.repository}/commits/{pull.head}/check-runs")
    assert shown["total_count"] == 1


def test_a_person_leaves_a_commit_status(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    token = here.store.person_token("writer")
    done = _answer(here, token)
    (status,) = here.store.statuses[pull.head]
    assert (status.context, status.state) == ("rlbot", "failure")
    assert status.description.startswith("Not ready: 1 script has")
    (said,) = done.published.notes
    assert said == (
        "A commit status stands in the place of the check run. Check runs are for Apps; this token "
        "belongs to a person."
    )
    _answer(here, token)
    assert len(here.store.statuses[pull.head]) == 1
    # That check runs are for Apps is known beforehand.
    assert [call.path for call in here.store.calls if call.status == 403] == []


def test_a_status_without_a_result_waits_for_nothing(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    _answer(here, here.store.person_token("writer"))
    (status,) = here.store.statuses[pull.head]
    assert status.state == "error"
    assert status.description.startswith("Could not be checked: ")


def test_a_read_only_token_leaves_nothing_and_says_so(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    done = answer_pull(read_change(here.client(permissions=READ_ONLY), PULL), asked())
    assert done.checked.report.verdict == "fail"
    assert (pull.comments, here.store.checks, here.store.statuses) == ([], [], {})
    sentence = (
        "The token may not do this here. Pull requests from forks get a read-only token under "
        "`pull_request`; otherwise grant the job `pull-requests: write` and `checks: write`."
    )
    assert done.published.notes == [
        f"The comment was not posted: {sentence}",
        f"The check run was not posted: {sentence}",
        f"The suggestions were not posted: {sentence}",
    ]


def test_safe_fixes_become_suggestions_once(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    source = GOOD.decode()
    line = source.split("\n").index("NGPUS_PER_NODE=2") + 1
    fix = Fix(
        title="use 4",
        safe=True,
        edits=(Edit(line=line, column=16, end_line=line, end_column=17, text="4"),),
    )
    fixable = replace(finding("2 GPUs | `code` @ada", path=SCRIPT, line=line), fix=fix)
    unsafe = replace(fixable, fix=replace(fix, safe=False), line=line + 1)
    made = _at(pull, _report(fixable, unsafe))
    for _ in "12":
        answer = answer_of(made, touches=True, sources={SCRIPT: source})
        publish(here.client(), PULL, answer, Channels(comment=False, check=False))
    (review,) = pull.reviews
    (note,) = review.comments
    assert (note["path"], note["line"], note["side"]) == (SCRIPT, line, "RIGHT")
    assert "```suggestion\nNGPUS_PER_NODE=4\n```" in note["body"]
    assert "@ada" not in note["body"]


def test_the_page_is_suggested_where_the_pull_request_alters_it(here: World) -> None:
    old = here.base.objects.entry(here.base.head("main") or "", PAGE)
    assert old is not None
    page = here.base.objects.blob(old.oid).decode()
    theirs = page.replace("      - 2*H800\n", "      - 8*H20\n")
    here.pull({SCRIPT: GOOD, PAGE: theirs})
    pull = here.store.pulls[here.base.id, 1]
    patch = (
        f"--- a/{PAGE}\n+++ b/{PAGE}\n@@ -{_line(theirs, '8*H20')},1 +1,1 @@\n"
        "-      - 8*H20\n+      - 2*H800\n"
    )
    edit = PageEdit(path=PAGE, section="7B", action="replace", rst="", patch=patch)
    made = _at(pull, report(replace(good(SCRIPT), page_edit=edit, findings=())))
    answer = answer_of(made, touches=True, sources={}, page=theirs)
    publish(here.client(), PULL, answer, Channels(comment=False, check=False))
    (review,) = pull.reviews
    (note,) = review.comments
    assert (note["path"], note["line"]) == (PAGE, _line(theirs, "8*H20"))
    assert note["body"].startswith("The row of `7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh`.\n")
    assert "```suggestion\n      - 2*H800\n```" in note["body"]


def test_a_misspelt_key_is_suggested(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD.replace(b"ppo_mini_batch_size", b"ppo_minibatch_size")})
    _answer(here)
    (review,) = pull.reviews
    (note,) = review.comments
    assert "actor_rollout_ref.actor.ppo_mini_batch_size=256\n```" in note["body"]


@pytest.mark.parametrize(
    ("written", "offered"),
    [
        ("data.train_batch_sizes", "data.train_batch_size=1024"),
        ("data.trian_batch_size", "data.train_batch_size=1024"),
        ("data.rollout_batch_size", None),
        ("data.eval_batch_size", None),
        ("data.batch_size", None),
        ("data.mini_batch_size", None),
        ("data.num_workers", None),
    ],
)
def test_a_key_that_is_only_alike_is_not_suggested(
    here: World, written: str, offered: str | None
) -> None:
    pull = here.pull({SCRIPT: GOOD.replace(b"data.train_batch_size", written.encode())})
    answer = _answer(here).answer
    assert "did you mean" in answer.annotations[0].message
    bodies = [note["body"] for review in pull.reviews for note in review.comments]
    assert [f"{offered}\n```" in body for body in bodies] == [True] * (offered is not None)


def test_scripts_that_were_not_read_are_counted_and_named_whatever_is_left_out() -> None:
    why = "At most 200 scripts of one change are read; split it."
    left = tuple(Unchecked(check=f"{n}.sh", reason=why) for n in range(200, 300))
    made = replace(big(200, 4000, ("many words " * 5,)), unchecked=left)
    answer = answer_of(made, touches=True, sources={})
    assert "of 300 scripts" in answer.title
    assert "100 scripts were not read" in answer.title
    assert "Left out to stay under" in answer.body
    for text in (answer.body, answer.summary, step_summary(made)):
        assert why in text


def test_a_wrong_cell_is_suggested(here: World) -> None:
    from tests.table.checks.helpers import SCRIPTS, page, row, section

    here.base.commit("main", {PAGE: page(section(row())), **SCRIPTS})
    wrong = page(section(row(Resource="16*H100")))
    pull = here.pull({PAGE: wrong})
    _answer(here)
    (review,) = pull.reviews
    (note,) = review.comments
    assert (note["path"], note["line"]) == (PAGE, _line(wrong, "16*H100"))
    assert "```suggestion\n      - 8*H100\n```" in note["body"]


def test_a_suggestion_outside_of_the_diff_is_left_out_and_said(here: World) -> None:
    here.base.commit("main", {OTHER: GOOD})
    pull = here.pull({OTHER: GOOD + b"# last line\n"})
    fix = Fix(
        title="x", safe=True, edits=(Edit(line=1, column=1, end_line=1, end_column=2, text="!"),)
    )
    made = _at(pull, _report(replace(finding(path=OTHER), fix=fix)))
    answer = answer_of(made, touches=True, sources={OTHER: GOOD.decode()})
    done = publish(here.client(), PULL, answer, Channels(comment=False, check=False))
    assert pull.reviews == []
    (said,) = done.notes
    assert said == (
        "1 suggested change is outside of what the pull request's diff shows, where GitHub takes "
        "no suggestion; the comment has it."
    )


@pytest.mark.slow
@pytest.mark.parametrize(("scripts", "findings"), [(1, 0), (40, 500), (200, 5_000)])
def test_the_body_and_the_summary_stay_below_their_limits(scripts: int, findings: int) -> None:
    made = big(scripts, findings, ("a long word " * 20, "ä🚀" * 90, "`|@<!--", "x"))
    made = replace(made, change=CHANGE)
    answer = answer_of(made, touches=True, sources={})
    assert len(answer.body.encode("utf-16-le")) // 2 < BODY_LIMIT
    assert len(answer.summary.encode()) <= 65_535
    assert answer.body.startswith("**")
    assert mark_of(answer.body) == answer.mark
    assert ("Left out to stay under" in answer.body) == (findings > 0)


def test_the_answer_speaks_the_language_of_the_configuration(here: World) -> None:
    here.base.commit("main", {".rlbot.yml": "language: zh\n"})
    pull = here.pull({SCRIPT: BROKEN, "README.md": "word\n"})
    token = here.store.workflow_token(here.base)
    _answer(here, token)
    assert pull.comments[0].body.startswith("**尚未就绪")
    assert here.store.checks[0].title.startswith("尚未就绪")
    here.push({SCRIPT: None})
    _answer(here, token)
    assert pull.comments[0].body.startswith("**已没有需要检查的内容。**")


@pytest.mark.slow
def test_the_step_summary_holds_what_was_not_posted_and_stays_below_its_limit() -> None:
    said = ("The comment was not posted: <b>@ada</b>.",)
    text = step_summary(report(good(SCRIPT)), said)
    first, _, rest = text.partition("\n\n")
    assert first.startswith("> The comment was not posted: &lt;b&gt;@")
    assert "@ada" not in first
    assert rest.startswith("**Ready")
    assert step_summary(report()) == ""
    huge = big(200, 5_000, ("a long word " * 30, "ä🚀" * 90))
    assert len(step_summary(huge, said).encode()) <= 1 << 20


def test_a_rehearsal_writes_nothing_and_says_what_it_would(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    client = here.client()
    client.dry_run = []
    answer_pull(read_change(client, PULL), asked())
    assert _writes(here) == []
    assert pull.comments == []
    calls = [f"{call.method} {call.path}" for call in client.dry_run]
    assert calls == [
        "POST /graphql post",
        "POST /repos/verl-project/verl/check-runs",
        "POST /repos/verl-project/verl/pulls/1/reviews",
    ]


def _line(text: str, what: str) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if what in line)


def _report(*findings: Finding, failed: bool = False) -> Report:
    one = replace(good(SCRIPT), findings=findings, page_edit=None)
    return report(replace(one, verdict="fail" if failed else "pass"))


def _at(pull: Pull, made: Report) -> Report:
    return replace(made, change=replace(CHANGE, head=pull.head))


def test_a_token_that_may_not_see_check_runs_posts_the_comment_all_the_same(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    granted = {name: may for name, may in FULL.items() if name != "checks"}
    client = here.client(permissions=granted)
    answered = answer_pull(read_change(client, PULL), asked())
    assert len(pull.visible()) == 1
    assert [status.state for status in here.store.statuses[pull.head]] == ["failure"]
    assert "A commit status stands in the place" in answered.published.notes[0]


def test_nothing_new_asks_for_nothing_but_the_pull_request_and_its_files(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    _answer(here)
    calls = len(here.store.calls)
    answered = _answer(here)
    assert all("/graphql comments" not in call for call in here.requests(calls))
    assert (answered.published.wrote, answered.published.annotated) == (False, True)
    assert answered.published.comment_url is not None


def test_a_second_check_run_of_ours_is_looked_at_again(here: World) -> None:
    """The newest counts, and only the list of REST says which that is."""
    here.pull({SCRIPT: BROKEN})
    _answer(here)
    (first,) = here.store.checks
    other = replace(first, id=here.store.next_id(), external_id=f"{first.external_id[:-4]}0000")
    here.store.checks.append(other)
    _answer(here)
    assert here.store.checks[-1].external_id == first.external_id
    assert here.store.checks[-1] is not first
