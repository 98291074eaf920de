"""The threats to a bot on pull requests, each with the test that the defence against it holds.

T1 running a pull request's code · T3 a push between check and answer · T4 forged dates · T8 rules
relaxed by the pull request itself · T11 markup and mentions · T12 patches and suggestions that
hide something · T13 a copied marker · T18 late results · T20 rate limits · T22 secrets in output ·
T23 characters that deceive.
"""

from __future__ import annotations

import logging
import pickle
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.base.errors import UserError
from bot.github import queries
from bot.github.answer import answer_of, mark_of
from bot.github.client import Client, Patience, Repeat
from bot.github.publish import publish
from bot.github.pull import PullId
from bot.github.remote import read_change
from bot.github.suggestions import suggestions_of
from bot.render.json_report import to_json
from bot.render.markdown import MARKER
from bot.report import Edit, Fix
from bot.review.check import check_change
from bot.review.pull import answer_pull
from tests.github.store import Fault
from tests.github.world import BROKEN, GOOD, PAGE, QUICK, SCRIPT, World, asked
from tests.isolation import run_here
from tests.render import judge
from tests.render.factories import finding, good, report

PULL = PullId("verl-project/verl", 1)


class _Watch:
    """Notes what a thread starts and where it writes; Python calls it for every such act."""

    thread: int | None = None
    acts: list[str]
    STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn")

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if threading.get_ident() != self.thread:
            return
        if event in self.STARTS:
            self.acts.append(f"{event} {arguments}")
        elif event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
            self.acts.append(f"writes {arguments[0]!r}")
        elif event == "import" and str(arguments[0]).startswith(("evil", "verl")):
            self.acts.append(f"imports {arguments[0]}")


WATCH = _Watch()


@contextmanager
def _watched() -> Iterator[list[str]]:
    if not hasattr(_Watch, "installed"):
        _Watch.installed = True  # type: ignore[attr-defined]
        sys.addaudithook(WATCH)
    WATCH.acts = []
    WATCH.thread = threading.get_ident()
    try:
        yield WATCH.acts
    finally:
        WATCH.thread = None


def test_t1_nothing_of_a_pull_request_is_started_imported_or_written(
    here: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "ran"
    evil = f"touch {mark}"
    hostile = (
        f"#!/bin/bash\n{evil}\nx=$({evil})\ny=`{evil}`\n. ./evil.sh\nsource <({evil})\n"
        f"eval '{evil}'\ntrap '{evil}' EXIT\nz=${{q:-$({evil})}}\na[$({evil})]=1\n"
        f"python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=$(({evil}))\n"
    )
    here.pull(
        {
            SCRIPT: GOOD + hostile.encode(),
            f"examples/tuning/$({evil.replace('/', '_')}).sh": hostile,
            "examples/tuning/evil.sh": hostile,
            "evil.py": f"import os; os.system({evil!r})\n",
            "verl/__init__.py": f"import os; os.system({evil!r})\n",
            "verl/trainer/config/ppo_trainer.yaml": f"!!python/object/apply:os.system [{evil!r}]\n",
            ".rlbot.yml": f"!!python/object/apply:os.system [{evil!r}]\n",
            ".gitattributes": "* filter=evil diff=evil\n",
            "sitecustomize.py": f"import os; os.system({evil!r})\n",
        }
    )
    # In its own process first, as ever; then in this one, which is watched. The first time also
    # does what our own modules do when they are imported.
    check_change(read_change(here.client(), PULL), asked())
    monkeypatch.setattr("bot.review.reading.isolated", run_here)
    check_change(read_change(here.client(), PULL), asked())
    with _watched() as acts:
        done = answer_pull(read_change(here.client(), PULL), asked())
    assert done.published.notes == []
    assert acts == []
    assert not mark.exists()


@pytest.mark.process
def test_t1_the_watch_sees_what_it_is_to_see(tmp_path: Path) -> None:
    import subprocess

    with _watched() as acts:
        subprocess.run(["true"], check=True)
        (tmp_path / "x").write_text("x", encoding="utf-8")
    assert any(act.startswith("subprocess.Popen") for act in acts)
    assert any(act.startswith("writes") for act in acts)


def test_t3_a_push_after_the_check_keeps_the_old_result_back(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    checked = check_change(read_change(here.client(), PULL), asked())
    here.push({SCRIPT: BROKEN})
    answer = answer_of(checked.report, touches=True, sources={})
    done = publish(here.client(), PULL, answer)
    assert (done.superseded, done.wrote) == (True, False)
    assert (pull.comments, here.store.checks) == ([], [])


def test_t3_the_verdict_is_bound_to_the_commit_that_was_read(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD})
    first = pull.head
    here.push({SCRIPT: BROKEN})
    with pytest.raises(UserError, match="it has moved on"):
        answer_pull(read_change(here.client(), PULL), asked(), head=first)
    change = read_change(here.client(), PULL)
    change.require_head(pull.head[:12])
    done = check_change(change, asked())
    assert done.report.change is not None
    assert done.report.change.head == pull.head
    answer_pull(read_change(here.client(), PULL), asked())
    assert [run.head for run in here.store.checks] == [pull.head]
    assert f"`{pull.head[:7]}`" in pull.comments[0].body


def test_t4_dates_change_nothing(here: World) -> None:
    texts = set()
    for number, date in enumerate((0, 1_767_225_600, 4_102_444_800), start=1):
        branch = f"dated-{number}"
        ref = here.fork.ref(branch)
        start = here.base.head("main")
        head = here.base.objects.commit(ref, {SCRIPT: GOOD}, parent=start, date=date)
        here.store.pull(here.base, here.fork, branch)
        done = check_change(read_change(here.client(), PullId(PULL.repository, number)), asked())
        texts.add(to_json(done.report).replace(head, "HEAD"))
    assert len(texts) == 1
    questions = "".join(map(queries.operation, ("Pull", "Files", "Comments"))) + queries.entries(1)
    assert "date" not in questions.lower().replace("update", "")


def test_t8_a_pull_request_does_not_relax_its_own_rules(here: World) -> None:
    relaxed = "scripts: [elsewhere/]\nrules:\n  unknown-key: 'off'\n"
    here.pull({SCRIPT: BROKEN, ".rlbot.yml": relaxed})
    done = check_change(read_change(here.client(), PULL), asked())
    assert done.report.verdict == "fail"
    here.base.commit("main", {".rlbot.yml": "rules:\n  unknown-key: 'off'\n"})
    done = check_change(read_change(here.client(), PULL), asked())
    assert done.report.verdict == "inconclusive"


def test_t8_the_configuration_of_a_pull_request_is_validated(here: World) -> None:
    here.pull({SCRIPT: GOOD, ".rlbot.yml": "ruls: {}\n"})
    done = check_change(read_change(here.client(), PULL), asked())
    reasons = [item.reason for item in done.report.unchecked if item.check == ".rlbot.yml"]
    assert len(reasons) == 1
    assert 'unknown key "ruls"' in reasons[0]


@pytest.mark.parametrize(
    "name",
    [
        "@maintainer",
        "<img src=x onerror=alert(1)>",
        "`|`<!--",
        "](https://evil.example) ![b](https://evil.example/b.png)",
        "a\n\n# b\n@maintainer",
        "www.evil.example #1 GH-2",
        MARKER,
    ],
)
def test_t11_names_and_texts_are_no_markup_and_call_nobody(here: World, name: str) -> None:
    script = GOOD + f"\n# {name}\nactor_rollout_ref.{name}=1\n".encode()
    path = f"examples/tuning/{name.replace('/', '-')}.sh"
    pull = here.pull({path: script, SCRIPT: BROKEN}, title=name, body=name)
    answer_pull(read_change(here.client(), PULL), asked())
    for text in (pull.comments[0].body, here.store.checks[0].summary):
        seen = judge.read(text)
        assert seen.live() == []
        # A file's own name may say anything: its line stands in this repository all the same.
        ours = f"https://github.com/verl-project/verl/blob/{pull.head}/examples/tuning/"
        elsewhere = [link for link in seen.links if not link.startswith(ours)]
        assert not [link for link in elsewhere if "evil" in link]
        assert not [tag for tag in seen.html if "img" in tag.lower() or "onerror" in tag]
        assert seen.html.count(MARKER) == 1


def test_t12_suggestions_hide_nothing_and_end_where_they_should() -> None:
    source = "echo '```'\nx=1\ny=\u202e2\n"
    start = Edit(line=1, column=1, end_line=1, end_column=5, text="````suggestion\nrm")
    fix = Fix(title="t `@ada`", safe=True, edits=(start,))
    fenced = replace(finding("m @ada <b>", path=SCRIPT, line=1), fix=fix)
    turned = Edit(line=3, column=1, end_line=3, end_column=2, text="z")
    hidden = replace(fenced, fix=Fix(title="t", safe=True, edits=(turned,)))
    made = report(replace(good(SCRIPT), findings=(fenced, hidden), page_edit=None))
    (offered,) = suggestions_of(made, {SCRIPT: source}, None)
    seen = judge.read(offered.body())
    assert seen.blocks == ["````suggestion\nrm '```'\n"]
    assert seen.live() == []


def test_t12_a_patch_that_does_not_fit_the_page_is_not_suggested() -> None:
    edit = good(SCRIPT).page_edit
    assert edit is not None
    patch = f"--- a/{PAGE}\n+++ b/{PAGE}\n@@ -1,1 +1,1 @@\n-other\n+text\n"
    made = report(replace(good(SCRIPT), findings=(), page_edit=replace(edit, patch=patch)))
    assert suggestions_of(made, {}, "the page\n") == ()
    assert len(suggestions_of(made, {}, "other\n")) == 1


def test_t13_a_copied_marker_makes_nobody_us(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN}, body=MARKER)
    answer_pull(read_change(here.client(), PULL), asked())
    ours = pull.comments[0]
    copied = here.store.comment(pull, here.store.account("eve"), ours.body)
    quoted = here.store.comment(pull, here.store.account("maintainer"), f"> {ours.body}")
    here.push({SCRIPT: BROKEN + b"# more\n"})
    answer_pull(read_change(here.client(), PULL), asked())
    here.push({SCRIPT: GOOD})
    answer_pull(read_change(here.client(), PULL), asked())
    for other in (copied, quoted):
        assert (other.history, other.minimized, other.deleted) == ([other.body], None, False)
    bots = [comment for comment in pull.comments if comment.author is ours.author]
    assert [comment.minimized for comment in bots] == ["outdated", None]
    mark = mark_of(bots[-1].body)
    assert mark is not None
    assert mark.head == pull.head


def test_t18_a_result_that_comes_late_is_followed_by_the_right_one(here: World) -> None:
    """The head moves between the last look and the write, which nothing can keep from happening."""
    pull = here.pull({SCRIPT: BROKEN})
    answer_pull(read_change(here.client(), PULL), asked())
    here.push({SCRIPT: BROKEN + b"# second\n"})
    pushed: list[str] = []

    class Slow(Client):
        """A client whose first write arrives late: after a push, and after that push's answer."""

        def graphql(
            self,
            query: str,
            variables: Mapping[str, Any],
            *,
            repeat: Repeat = True,
            parts: bool = False,
        ) -> dict[str, Any]:
            if parts and not pushed:
                pushed.append(here.push({SCRIPT: BROKEN + b"# third\n"}))
                answer_pull(read_change(here.client(), PULL), asked())
            return super().graphql(query, variables, repeat=repeat, parts=parts)

    plain = here.client()
    answer_pull(read_change(Slow(plain.auth, plain.addresses, plain.patience), PULL), asked())
    (comment,) = pull.visible()
    mark = mark_of(comment.body)
    assert mark is not None
    assert mark.head == pushed[0] == pull.head


def test_t20_a_second_passes_between_writes(here: World) -> None:
    here.pull({SCRIPT: BROKEN})
    client = here.client(patience=Patience(first_pause=0.001))
    waits: list[float] = []
    client.sleep = waits.append
    answer_pull(read_change(client, PULL), asked())
    writes = [sent for sent in client.log if sent.write]
    assert len(writes) == 2
    assert len(waits) == 1
    assert 0.3 < waits[0] <= 1.0


def test_t20_what_a_limit_asks_is_waited(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    told = {"Retry-After": "7"}
    body = {"message": "You have exceeded a secondary rate limit"}
    here.store.faults.append(Fault("POST", "/graphql pull", 403, body, told))
    client = here.client(patience=replace(QUICK, longest_wait=10))
    waits: list[float] = []
    client.sleep = waits.append
    check_change(read_change(client, PULL), asked())
    assert waits == [7.0]


def test_t22_the_token_stands_in_no_text(
    here: World, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    here.pull({SCRIPT: GOOD})
    token = here.store.workflow_token(here.base)
    client = here.client(token)
    answer_pull(read_change(client, PULL), asked())
    echoed = {"message": f"no such thing: {token}"}
    here.store.faults.append(Fault("GET", "/user", 422, echoed))
    with pytest.raises(UserError) as told:
        client.get("/user")
    said = "".join((str(told.value), repr(told.value), repr(client), str(client.secrets)))
    said += caplog.text + "".join(capsys.readouterr())
    said += "".join(comment.body for comment in here.store.pulls[here.base.id, 1].comments)
    assert token not in said
    with pytest.raises(TypeError):
        pickle.dumps(client.secrets)


def test_t22_the_token_goes_to_the_api_alone(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    for status in (301, 302, 307, 308):
        away = {"Location": "http://other.example/x"}
        here.store.faults.append(Fault("GET", "/user", status, {}, away))
        with pytest.raises(UserError):
            here.client().get("/user")


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u2066", "\u00ad", "\u0430"])
def test_t23_characters_that_deceive_are_shown_and_found(here: World, hidden: str) -> None:
    path = f"examples/tuning/7b/qwen2.5-7b_grpo_2_h8{hidden}00_fsdp_vllm.sh"
    pull = here.pull({path: GOOD})
    done = answer_pull(read_change(here.client(), PULL), asked())
    (script,) = done.checked.report.scripts
    assert script.name is None or not script.name.valid
    assert "name-pattern" in {finding.slug for finding in script.findings}
    body = pull.comments[0].body
    if hidden == "\u0430":
        return  # A letter that can be seen: it is found, and shown as it is.
    assert hidden not in body
    assert hidden.encode("ascii", "backslashreplace").decode() in body
    assert here.store.checks[0].annotations
    for note in here.store.checks[0].annotations:
        assert hidden not in note["message"]
