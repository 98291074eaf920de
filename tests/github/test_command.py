"""`rlbot pr OWNER/REPO#N`, as a person runs it."""

from __future__ import annotations

import json

import pytest

from bot.github.pull import PullId
from bot.github.remote import read_change
from bot.render.json_report import to_json
from bot.render.markdown import comment
from bot.review.check import check_change
from bot.review.pull import answer_pull
from tests.command import Result, rlbot
from tests.github.store import READ_ONLY
from tests.github.world import BROKEN, GOOD, SCRIPT, World, asked

pytestmark = pytest.mark.usefixtures("unpaced")

NAME = "verl-project/verl#1"
PULL = PullId("verl-project/verl", 1)


def _run(here: World, *arguments: str, token: str | None = None) -> Result:
    given = token or here.store.workflow_token(here.base)
    return rlbot("pr", *arguments, "--offline", environment=here.server.environment(given))


def test_it_prints_the_comment_and_writes_nothing(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    result = _run(here, NAME, token=here.store.workflow_token(here.base, READ_ONLY))
    assert (result.status, result.err) == (1, "")
    assert result.out.startswith("**Not ready: 1 script has ")
    assert f"`{pull.head[:7]}`" in result.out
    assert pull.comments == []


def test_an_address_names_a_pull_request_too(here: World) -> None:
    here.pull({SCRIPT: GOOD})
    address = "https://github.com/verl-project/verl/pull/1/files"
    assert _run(here, address).out == _run(here, NAME).out
    assert _run(here, address).status == 3


def test_command_and_library_give_the_same_bytes(here: World) -> None:
    here.pull({SCRIPT: GOOD}, body="https://wandb.ai/ada/tuning/runs/abc12345")
    printed = _run(here, NAME, "--format", "json").out
    answered = answer_pull(read_change(here.client(), PULL), asked()).checked
    assert json.loads(printed)["change"]["head"] == here.store.pulls[here.base.id, 1].head
    assert printed == to_json(answered.report)
    checked = check_change(read_change(here.client(), PULL), asked())
    assert _run(here, NAME).out == comment(checked.report, conversation=checked.conversation)


def test_publish_posts_it_once(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    token = here.store.workflow_token(here.base)
    first = _run(here, NAME, "--publish", token=token)
    assert (first.status, first.err) == (1, "")
    assert pull.comments[0].body.startswith(first.out.rstrip())
    assert _run(here, NAME, "--publish", token=token).out == first.out
    assert (len(pull.comments), len(here.store.checks)) == (1, 1)


def test_a_dry_run_says_what_it_would_write(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    result = _run(here, NAME, "--dry-run", "--verbose")
    assert pull.comments == []
    lines = result.err.splitlines()
    repository = "/repos/verl-project/verl"
    assert lines[0].startswith("rlbot: would send POST /graphql post with ")
    assert lines[1].startswith(f"rlbot: would send POST {repository}/check-runs with ")
    assert lines[2].startswith(f"rlbot: would send POST {repository}/pulls/1/reviews with ")
    assert lines[3] == "rlbot: 4 requests read from GitHub, 0 wrote to it"
    token = here.store.workflow_token(here.base)
    _run(here, NAME, "--publish", token=token)
    again = _run(here, NAME, "--dry-run", token=token)
    assert again.err == "rlbot: nothing would be written\n"


def test_what_may_not_be_written_is_said_and_the_verdict_stays(here: World) -> None:
    here.pull({SCRIPT: BROKEN})
    token = here.store.workflow_token(here.base, READ_ONLY)
    result = _run(here, NAME, "--publish", token=token)
    assert result.status == 1
    assert "rlbot: The comment was not posted: The token may not do this here." in result.err


def test_no_script_no_word(here: World) -> None:
    here.pull({"README.md": "word\n"})
    result = _run(here, NAME, "--publish", "--quiet")
    assert (result.status, result.out, result.err) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Name a pull request, OWNER/REPO#NUMBER, or a local base with --base REF."),
        ((NAME, "--base", "main"), "Name a pull request, OWNER/REPO#NUMBER, or a local base"),
        (("verl#1",), '"verl#1" names no pull request; write OWNER/REPO#NUMBER or its address.'),
        ((NAME, "--head", "x"), "--head and --repo are for a local branch"),
        (("--base", "main", "--publish"), "--publish and --dry-run take a pull request"),
        (
            ("verl-project/verl#7",),
            "There is no pull request verl-project/verl#7, or it is private",
        ),
        (("nobody/nothing#1",), "There is no pull request nobody/nothing#1, or it is private"),
    ],
)
def test_mistakes_are_sentences(here: World, arguments: tuple[str, ...], sentence: str) -> None:
    here.pull({SCRIPT: GOOD})
    result = _run(here, *arguments)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"rlbot: {sentence}")


def test_without_a_token_it_says_where_to_get_one() -> None:
    result = rlbot("pr", NAME)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("rlbot: GITHUB_TOKEN is not set; GitHub answers")


def test_a_wrong_token_is_a_sentence(here: World) -> None:
    result = _run(here, NAME, token="ghp_wrong")
    assert result.status == 2
    assert result.err.startswith("rlbot: GitHub does not accept the token: it is wrong, revoked")
    assert "ghp_wrong" not in result.err


def test_blanks_around_an_equals_sign_become_a_suggestion(here: World) -> None:
    pull = here.pull({SCRIPT: GOOD.replace(b"rollout.n=5", b"rollout.n = 5")})
    answer_pull(read_change(here.client(), PULL), asked())
    (note,) = (note for review in pull.reviews for note in review.comments)
    assert "```suggestion\n    actor_rollout_ref.rollout.n=5\n```" in note["body"]
