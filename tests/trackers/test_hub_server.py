"""Runs in trackio's Spaces: the facts of the database, and a sentence for whatever goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from bot.base.errors import UserError
from bot.evidence import EvidenceError, Facts, read
from bot.evidence.find_links import find_links
from bot.evidence.links import parse_link
from bot.evidence.online import Access, Bounds, read_online
from bot.evidence.online.trackio_space import is_store
from tests.evidence.online.conftest import forked  # noqa: F401
from tests.trackers.conftest import PLACES
from tests.trackers.hub_server import BUCKET, TOKEN, Hub
from tests.trackers.mlflow_server import Answer
from tests.trackers.test_sources import evidence, over_space, verdicts

pytestmark = pytest.mark.usefixtures("forked")
PAGE: Final = "https://huggingface.co/spaces/ada/tuning?project=rlbot-tuning&run_ids=5f0c"


@pytest.fixture
def database(launch: Path) -> Path:
    return launch / PLACES["trackio"]


@pytest.fixture
def hub(database: Path) -> Iterator[Hub]:
    """The Hub with a Space of the launch."""
    with Hub().serving() as made:
        made.load(database)
        yield made


def access_to(hub: Hub, token: str = "", *, allow_private: bool = False) -> Access:
    environment = {"HF_ENDPOINT": hub.url, "HF_TOKEN": token}
    return Access.from_environment(environment, allow_private_runs=allow_private)


def facts_of(hub: Hub, database: Path, access: Access | None = None, **bounds: Any) -> Facts:
    access = access or access_to(hub)
    run = read(database).run.id
    assert run is not None
    found = parse_link(hub.link(run), access.run_hosts())
    return read_online(found, access, bounds=Bounds(retry_seconds=0.01, **bounds))


def refused(hub: Hub, database: Path, access: Access | None = None, **bounds: Any) -> str:
    """The sentence of a reading that fails."""
    with pytest.raises(EvidenceError) as caught:
        facts_of(hub, database, access, **bounds)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert TOKEN not in sentence
    return sentence.replace(hub.url.partition("://")[2], "HOST")


def test_the_facts_are_those_of_the_database(hub: Hub, database: Path) -> None:
    found, files = facts_of(hub, database), read(database)
    assert found.run.entity == "ada/tuning"
    assert replace(found, source="", run=files.run) == replace(files, source="")
    assert found.source == f"trackio run {files.run.id} on {hub.url.partition('://')[2]}"
    assert [path for path, _ in hub.asked][:3] == [BUCKET, f"/store{BUCKET}", f"{BUCKET}-wal"]


def test_a_comment_with_the_link_backs_the_script(database: Path) -> None:
    found, files = over_space(database), evidence(database)
    claims = verdicts(found)
    assert claims.pop("run") == "consistent"
    assert claims == verdicts(files)
    assert found.strength == files.strength


def test_a_key_reads_what_only_it_may_and_goes_to_no_store(hub: Hub, database: Path) -> None:
    hub.locked = True
    assert "set HF_TOKEN" in refused(hub, database)
    own = access_to(hub, TOKEN)
    assert "reported: set allow_private_runs" in refused(hub, database, own)
    hub.asked.clear()
    assert facts_of(hub, database, access_to(hub, TOKEN, allow_private=True)).private
    keys = [(path.startswith("/store"), key) for path, key in hub.asked]
    assert keys[:2] == [(False, None), (False, f"Bearer {TOKEN}")]
    assert {key for store, key in keys if store} == {None}
    assert "HOST refused the key (HTTP 401)" in refused(hub, database, access_to(hub, "hf_other"))


def test_everybodys_view_comes_first(hub: Hub, database: Path) -> None:
    assert not facts_of(hub, database, access_to(hub, TOKEN)).private
    assert {key for _, key in hub.asked} == {None}


# Links.


def test_a_link_is_built_anew() -> None:
    link = parse_link(f"{PAGE}&metric_filter=x&smoothing=3")
    assert (link.url, link.entity, link.project, link.run_id) == (
        PAGE, "ada/tuning", "rlbot-tuning", "5f0c",
    )  # fmt: skip
    assert parse_link(link.url) == link
    # A project's file is called by the plain characters of its name.
    assert parse_link(PAGE.replace("rlbot-tuning", "my.run%20one")).project == "myrunone"


@pytest.mark.parametrize(
    "rest",
    ["", "?project=p", "?run_ids=a", "?project=p&run_ids=a,b", "?project=%2e%2e&run_ids=a",
     "?project=p&run_ids=a%2fb", "/x?project=p&run_ids=a"],
)  # fmt: skip
def test_an_address_that_names_no_one_run_is_refused(rest: str) -> None:
    with pytest.raises(EvidenceError, match="does not name one run"):
        parse_link(f"https://huggingface.co/spaces/ada/tuning{rest}")


def test_a_token_in_a_link_is_found() -> None:
    with pytest.raises(EvidenceError, match="lets everybody write; remove it, and renew the token"):
        parse_link(f"{PAGE}&write_token=abc")


def test_other_pages_of_the_hub_are_no_links_to_runs() -> None:
    text = f"[demo](https://huggingface.co/spaces/ada/demo) of Qwen/Qwen3-8B, run: {PAGE}"
    found = find_links(text)
    assert [each.link.url for each in found.links] == [PAGE]
    assert found.refused == ()


def test_a_key_belongs_to_one_server(hub: Hub) -> None:
    own = access_to(hub, TOKEN)
    assert own.key_for(parse_link(PAGE)) is None
    assert own.key_for(parse_link(hub.link("a"), own.run_hosts())) is not None
    assert Access.from_environment({"HF_TOKEN": TOKEN}).key_for(parse_link(PAGE)) is not None
    with pytest.raises(UserError, match="HF_ENDPOINT must begin with https://"):
        Access.from_environment({"HF_ENDPOINT": "http://hub.example.com"})


@pytest.mark.parametrize(
    ("url", "store"),
    [
        ("https://cas-bridge.xethub.hf.co/xet-bridge-us/1?X-Amz=1", True),
        ("https://cdn-lfs.huggingface.co/a", True),
        ("https://evilhf.co/a", False),
        ("https://hf.co.evil.org/a", False),
        ("http://cdn.hf.co/a", False),
        ("https://cdn.hf.co:8443/a", False),
        ("https://127.0.0.1/a", False),
        ("https://[/", False),
    ],
)
def test_where_a_file_may_lie(url: str, store: bool) -> None:
    assert is_store(url, "https://huggingface.co") is store


# What goes wrong.


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(b"", 404), "does not keep its data in the bucket that trackio makes for it"),
        (Answer(b"<html>", 200), "something that is no database of trackio"),
        (Answer(b"SQLite format 3\0" + b"\xff" * 5_000), "something that is no database"),
        (Answer(b"SQLite format 3\0", announced=10_000), "failed to answer"),
        (Answer(b"", 302, {"Location": "https://evil.org/x"}), "which is not followed"),
        (Answer(b"", 302, {"Location": "file:///etc/passwd"}), "which is not followed"),
        (Answer(b"", 500), "failed to answer (HTTP 500)"),
        (Answer(b"", 429), "asks for fewer requests"),
        (Answer(b"", 400), "gave an unexpected answer (HTTP 400)"),
    ],
)
def test_what_a_server_may_answer(hub: Hub, database: Path, answer: Answer, expected: str) -> None:
    hub.hook = lambda path: answer if path == BUCKET else None
    assert expected in refused(hub, database)


def test_a_store_leads_nowhere_else(hub: Hub, database: Path) -> None:
    on = Answer(b"", 302, {"Location": f"{hub.url}/store{BUCKET}"})
    hub.hook = lambda path: on if path.startswith("/store") else None
    assert "which is not followed" in refused(hub, database)


def test_a_run_that_is_not_there(hub: Hub, database: Path) -> None:
    access = access_to(hub)
    for run in ("none", str(read(database).run.name).replace(".", "")):
        link = parse_link(hub.link(run), access.run_hosts())
        with pytest.raises(EvidenceError, match=f"The run ada/tuning/.*/{run} was not found"):
            read_online(link, access, bounds=Bounds(retry_seconds=0.01))


def test_more_than_the_reading_takes_in(hub: Hub, database: Path) -> None:
    assert "sent more than the reading takes in" in refused(hub, database, bytes=1_000)
