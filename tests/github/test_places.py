"""What must hold on the stand-in and on GitHub itself alike: the stand-in's own test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bot.github.change import FileSelection
from bot.github.errors import GitHubError, NotFoundError
from bot.github.pull import PullId, read_pull
from bot.github.remote import GitHubChange, read_change
from bot.review.pull import answer_pull
from tests.github.places import Live, Place, StandIn, ours
from tests.github.world import BROKEN, GOOD, SCRIPT, World, asked

LIVE = bool(os.environ.get("RLBOT_LIVE_REPO") and os.environ.get("GITHUB_TOKEN"))
NEEDS = pytest.mark.skipif(not LIVE, reason="RLBOT_LIVE_REPO and GITHUB_TOKEN are not set")


@pytest.fixture(
    params=["stand-in", pytest.param("github", marks=[pytest.mark.live, NEEDS])],
)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    here: World | None = None
    if request.param == "stand-in":
        here = request.getfixturevalue("here")
    made: Place = StandIn(here) if here else Live()
    try:
        yield made
    finally:
        made.close()


def test_every_byte_of_a_pull_request_arrives(place: Place) -> None:
    files = {
        SCRIPT: GOOD,
        "examples/tuning/7b/latin.sh": b"echo caf\xe9\n",
        "examples/tuning/7b/bom and blank.sh": "\ufeffecho ä\r\n".encode(),
        "examples/tuning/7b/long.sh": b"# long\n" * 100_000,
        "examples/tuning/7b/empty.sh": b"",
    }
    pull = place.open({**files, "elsewhere/notes.txt": b"notes\n"})
    read = read_pull(place.client(), pull)
    assert (read.state, set(read.files.values()), read.changed_files) == ("OPEN", {"ADDED"}, 6)
    change = GitHubChange(place.client(), read)
    wanted = FileSelection(
        script=lambda path: path.endswith(".sh"), others=lambda _paths, scripts: [*scripts]
    )
    found = change.read(wanted)
    assert {file.path: file.data for file in found.scripts} == files
    assert found.others == files
    assert change.base_file("no such file") is None
    assert change.head_file("elsewhere/notes.txt") == b"notes\n"
    assert change.head_file("elsewhere") is None
    assert change.head_file("no such file") is None
    with pytest.raises(GitHubError, match="has 6 bytes; at most 5 are read"):
        GitHubChange(place.client(), read).head_file("elsewhere/notes.txt", 5)


def test_a_conversation(place: Place) -> None:
    pull = place.open({SCRIPT: BROKEN})
    assert not answer_pull(read_change(place.client(), pull), asked()).published.superseded
    assert ours(place, pull) == [("**Not ready: 1 script has 1 error", False)]
    assert not answer_pull(read_change(place.client(), pull), asked()).published.wrote
    head = place.push({SCRIPT: BROKEN + b"# more\n"})
    done = answer_pull(read_change(place.client(), pull), asked())
    assert (done.pull.head, done.published.wrote) == (head, True)
    assert ours(place, pull) == [("**Not ready: 1 script has 1 error", False)]
    place.push({SCRIPT: GOOD})
    answer_pull(read_change(place.client(), pull), asked())
    assert ours(place, pull) == [
        ("**Not ready: 1 script has 1 error", True),
        ("**Could not be checked: No run is linked", False),
    ]


def test_what_is_not_there_is_said(place: Place) -> None:
    pull = place.open({"elsewhere/notes.txt": b"notes\n"})
    with pytest.raises(NotFoundError):
        read_pull(place.client(), PullId(pull.repository, 999_999))
    answer_pull(read_change(place.client(), pull), asked())
    assert ours(place, pull) == []
