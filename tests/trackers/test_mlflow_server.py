"""Runs on an MLflow server: the facts of the files, and a sentence for whatever goes wrong."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest

from bot.base.errors import UserError
from bot.evidence import EvidenceError, Facts, read
from bot.evidence.find_links import find_links
from bot.evidence.links import RunHosts, RunLink, parse_link
from bot.evidence.online import Access, Bounds, read_online
from tests.evidence.online.conftest import forked  # noqa: F401
from tests.trackers.mlflow_server import PASSWORD, USER, Answer, Mlflow, as_json, missing
from tests.trackers.test_sources import evidence, over_server, verdicts

pytestmark = pytest.mark.usefixtures("forked")
RUN: Final = "a" * 32
METRIC: Final = "perf/max_memory_allocated_gb"
KEYS: Final = {"MLFLOW_TRACKING_USERNAME": USER, "MLFLOW_TRACKING_PASSWORD": PASSWORD}


@pytest.fixture
def server() -> Iterator[Mlflow]:
    """A server with one run of three steps."""
    with Mlflow().serving() as made:
        for step in (1, 2, 3):
            made.point(RUN, METRIC, 60.0 + step, step, 1_700_000_000_000 + step)
            made.point(RUN, "training/global_step", step, step, 1_700_000_000_000 + step)
        made.add(RUN, params=[{"key": "trainer/n_gpus_per_node", "value": "2"}])
        yield made


def access_to(
    server: Mlflow, keys: Mapping[str, str] = MappingProxyType({}), *, allow_private: bool = False
) -> Access:
    return Access.from_environment(
        {"MLFLOW_TRACKING_URI": server.url, **keys}, allow_private_runs=allow_private
    )


def facts_of(server: Mlflow, link: str = "", access: Access | None = None, **bounds: Any) -> Facts:
    access = access or access_to(server)
    found = parse_link(link or server.link(RUN), access.run_hosts())
    return read_online(found, access, bounds=Bounds(retry_seconds=0.01, **bounds))


def refused(server: Mlflow, link: str = "", access: Access | None = None, **bounds: Any) -> str:
    """The sentence of a reading that fails."""
    with pytest.raises(EvidenceError) as caught:
        facts_of(server, link, access, **bounds)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert PASSWORD not in sentence
    return sentence.replace(server.url.partition("://")[2], "HOST").replace(RUN, "RUN")


def test_the_facts_are_those_of_the_database(server: Mlflow, launch: Path) -> None:
    database = launch / "main/mlruns.db"
    [run] = server.load(database)
    found, files = facts_of(server, server.link(run)), read(database)
    assert replace(found, source=files.source) == files
    assert found.source == f"MLflow run {run} on {server.url.partition('://')[2]}"
    methods = [method for method, _ in server.asked]
    assert methods[0] == "runs/get"
    assert methods.count("metrics/get-history") == len(files.history) + len(files.system)


def test_a_comment_with_the_link_backs_the_script(launch: Path) -> None:
    database = launch / "main/mlruns.db"
    found, files = over_server(database), evidence(database)
    claims = verdicts(found)
    assert claims.pop("run") == "consistent"
    assert claims == verdicts(files)
    assert found.run.url is not None
    assert found.run.url.startswith("http://127.0.0.1:")
    assert found.strength == files.strength


# Which server, and whose key.


def test_only_servers_that_are_named_are_asked(server: Mlflow) -> None:
    for hosts in (RunHosts(), RunHosts(mlflow=("https://mlflow.example.com",))):
        with pytest.raises(EvidenceError, match="is no MLflow server that evidence is read from"):
            parse_link(server.link(RUN), hosts)
    assert server.asked == []


@pytest.mark.parametrize(
    "rest",
    ["", "/", "/#/experiments/1", "/#/experiments/1/runs/", "/#/experiments/x/runs/a",
     "/#/experiments/1/runs/a%2fb", "/#/compare-runs?runs=[%22a%22]", "/x/#/experiments/1/runs/a",
     "/#/experiments/1/runs/a/../../b/#/experiments/2/runs/b\\"],
)  # fmt: skip
def test_an_address_that_names_no_one_run_is_refused(rest: str) -> None:
    hosts = RunHosts(mlflow=("https://mlflow.example.com",))
    with pytest.raises(EvidenceError) as caught:
        parse_link(f"https://mlflow.example.com{rest}", hosts)
    assert str(caught.value).endswith(".")


def test_an_address_is_built_anew() -> None:
    hosts = RunHosts(mlflow=("https://ml.example.com/mlflow", "http://127.0.0.1:5000"))
    tail = "/#/experiments/7/runs/0123abc/model-metrics?x=%22"
    link = parse_link(f"https://ml.example.com/mlflow{tail}", hosts)
    assert link.url == "https://ml.example.com/mlflow/#/experiments/7/runs/0123abc"
    assert parse_link(link.url, hosts) == link
    assert parse_link(f"http://127.0.0.1:5000{tail}", hosts).host == "127.0.0.1:5000"


def test_links_are_found_in_a_pull_requests_text(server: Mlflow) -> None:
    hosts = access_to(server).run_hosts()
    text = f"Trained it, see {server.link(RUN)}/model-metrics. Not [this](https://x.org/#/about)."
    found = find_links(text, hosts)
    assert [each.link.url for each in found.links] == [server.link(RUN)]
    assert found.refused == ()
    other = find_links("https://other.example.com/#/experiments/1/runs/abc", hosts)
    assert "add its host to mlflow_hosts" in other.refused[0].reason


def test_everybodys_view_comes_first(server: Mlflow) -> None:
    assert not facts_of(server, access=access_to(server, KEYS)).private
    assert {key for _, key in server.asked} == {None}


@pytest.mark.parametrize("keys", [KEYS, {"MLFLOW_TRACKING_TOKEN": "a-token"}])
def test_a_key_reads_what_only_it_may(server: Mlflow, keys: dict[str, str]) -> None:
    server.locked = True
    assert "could not be read without a key (HTTP 401)" in refused(server)
    assert "only with a key" in refused(server, access=access_to(server, keys))
    found = facts_of(server, access=access_to(server, keys, allow_private=True))
    assert (found.private, found.gaps) == (True, ())


def test_a_key_that_is_not_known_is_refused(server: Mlflow) -> None:
    server.locked = True
    access = access_to(server, {"MLFLOW_TRACKING_TOKEN": "another"})
    assert refused(server, access=access).startswith("HOST refused the key (HTTP 401): set")


def test_a_key_goes_to_its_own_server_alone(server: Mlflow) -> None:
    with Mlflow().serving() as other:
        other.locked = True
        access = access_to(server, KEYS)
        link = parse_link(other.link(RUN), RunHosts(mlflow=(other.url,)))
        with pytest.raises(EvidenceError, match="without a key"):
            read_online(link, access, bounds=Bounds(retry_seconds=0.01))
        assert {key for _, key in other.asked} == {None}
    assert server.asked == []


def test_a_key_is_not_sent_where_others_can_read_it() -> None:
    environment = {"MLFLOW_TRACKING_URI": "http://mlflow.internal:5000", **KEYS}
    access = Access.from_environment(environment)
    link = parse_link("http://mlflow.internal:5000/#/experiments/1/runs/a", access.run_hosts())
    with pytest.raises(EvidenceError, match="is not sent over plain http") as caught:
        read_online(link, access)
    assert PASSWORD not in str(caught.value)
    assert access_of("http://mlflow.internal:5000").key_for(link) is None


def access_of(uri: str) -> Access:
    return Access.from_environment({"MLFLOW_TRACKING_URI": uri})


@pytest.mark.parametrize("uri", ["https://ada:pw@ml.example.com", "https://", "https://a/?b=c"])
def test_an_address_that_no_key_may_go_to_is_an_error(uri: str) -> None:
    with pytest.raises(UserError, match="MLFLOW_TRACKING_URI must"):
        access_of(uri)


@pytest.mark.parametrize("uri", ["sqlite:///mlruns.db", "databricks", "file:///tmp/x", "./mlruns"])
def test_a_store_that_is_no_server_is_none(uri: str) -> None:
    assert access_of(uri).run_hosts().mlflow == ()


# What a server can do.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("locked", [False, True])
def test_no_redirect_is_followed(server: Mlflow, status: int, locked: bool) -> None:
    with Mlflow().serving() as other:
        there = {"Location": f"{other.url}/api/2.0/mlflow/runs/get"}
        server.hook = lambda _method, _question: Answer(b"", status, there)
        access = access_to(server, KEYS, allow_private=True) if locked else access_to(server)
        assert refused(server, access=access) == (
            f"HOST redirects elsewhere (HTTP {status}), which is not followed: set "
            "MLFLOW_TRACKING_URI to the address of the server itself."
        )
        assert other.asked == []


NO_ANSWERS: Final = {
    "a page": Answer(b"<html><body>Sign in</body></html>"),
    "nothing": Answer(b""),
    "cut JSON": Answer(b'{"run": {"info": {"run_id": "'),
    "a list": as_json([]),
    "nested": Answer(b"[" * 200_000),
    "another shape": as_json({"run": {"info": [], "data": 7}}),
    "no run": as_json({}),
    "metrics that are none": as_json({"run": {"info": {"run_id": RUN, "experiment_id": "1"},
                                              "data": {"metrics": {}}}}),
}  # fmt: skip


@pytest.mark.parametrize("kind", NO_ANSWERS)
def test_what_is_no_answer_is_called_so(server: Mlflow, kind: str) -> None:
    server.hook = lambda _method, _question: NO_ANSWERS[kind]
    assert refused(server).startswith("HOST answered with something that is no answer of MLflow")


def test_a_body_that_is_cut_is_asked_for_again(server: Mlflow) -> None:
    whole = server.answer("runs/get", {"run_id": RUN}, None).body
    cut = Answer(whole[: len(whole) // 2], announced=len(whole))
    server.hook = lambda _method, _question: cut
    assert refused(server) == (
        "HOST failed to answer while the run was read, several times in a row: try again later."
    )
    server.asked.clear()
    server.hook = lambda *_: cut if len(server.asked) == 1 else None
    assert facts_of(server).gaps == ()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (missing("Run"), "The run RUN was not found in experiments/1 on HOST"),
        (Answer(b"Not Found", 404), "HOST gave an unexpected answer (HTTP 404)"),
        (Answer(b"", 500), "HOST failed to answer (HTTP 500)"),
        (Answer(b"", 403), "The run RUN could not be read without a key (HTTP 403)"),
        (Answer(b"", 429, {"Retry-After": "900"}), "HOST asks for fewer requests (HTTP 429)"),
    ],
)
def test_each_refusal_has_its_sentence(server: Mlflow, answer: Answer, sentence: str) -> None:
    server.hook = lambda _method, _question: answer
    assert refused(server).startswith(sentence)


def test_another_run_than_the_links_is_none(server: Mlflow) -> None:
    server.runs["b" * 32] = server.runs[RUN]
    assert "answered with another run" in refused(server, server.link("b" * 32))
    assert "was not found in experiments/2" in refused(server, server.link(RUN, "2"))
    server.runs[RUN]["run"]["info"]["lifecycle_stage"] = "deleted"
    assert "was not found" in refused(server)


def test_values_of_another_metric_are_no_answer(server: Mlflow) -> None:
    server.history[RUN, METRIC][1]["key"] = "another"
    assert "no answer of MLflow while the history was read" in refused(server)


@pytest.mark.parametrize("value", ["NaN", "Infinity", float("nan"), 1.7976931348623157e308, None,
                                   True, [], "71.5", 10**400])  # fmt: skip
def test_what_is_no_number_is_passed_over(server: Mlflow, value: object) -> None:
    server.point(RUN, METRIC, value, 2, 1_700_000_000_002)
    series = facts_of(server).history[METRIC]
    assert (series.rows, series.maximum) == (3, 63.0)


def test_steps_may_be_text_or_left_out(server: Mlflow) -> None:
    first, second, third = server.history[RUN, METRIC]
    first["step"], second["timestamp"] = "1", str(second["timestamp"])
    del third["step"]
    third["value"] = 99.0
    series = facts_of(server).history[METRIC]
    assert (series.rows, series.maximum, series.at_step) == (3, 99.0, 0)


def test_pages_that_never_end_do_end(server: Mlflow) -> None:
    page = {"metrics": server.history[RUN, METRIC]}
    server.hook = lambda method, _: (
        as_json({**page, "next_page_token": "same"}) if method.endswith("history") else None
    )
    assert "no answer of MLflow" in refused(server)
    asked = iter(range(10_000))
    server.hook = lambda _, question: (
        as_json({"metrics": [], "next_page_token": f"t{next(asked)}"})
        if question.get("metric_key") == METRIC
        else None
    )
    [gap] = facts_of(server, pages=50).gaps
    assert "stopped after 50 pages" in gap


def test_more_than_the_bounds_is_said(server: Mlflow) -> None:
    [gap] = facts_of(server, rows=4).gaps
    assert "stopped after 4 values" in gap
    server.hook = lambda method, _: (
        Answer(b" " * 300_000 + b"{}") if method.endswith("history") else None
    )
    [gap, *_] = facts_of(server, bytes=200_000).gaps
    assert "stopped after more than 200000 bytes" in gap
    server.hook = lambda *_: Answer(b" " * 300_000 + b"{}")
    assert "more than 200000 bytes" in refused(server, bytes=200_000)


def test_many_short_metrics_end_at_the_clock(server: Mlflow) -> None:
    """A request for each: the clock is looked at after each, and not after so many values."""
    found = facts_of(server, server.link(RUN), seconds=0.0)
    assert len(found.history) == 1
    assert "stopped after 0 s" in found.gaps[0]


def test_a_server_that_hangs_is_left(server: Mlflow) -> None:
    def hang(_method: str, _question: dict[str, str]) -> None:
        time.sleep(2.0)

    server.hook = hang
    assert "gave no sign for" in refused(server, stall_seconds=0.5)


def test_a_history_without_its_last_value_is_incomplete(server: Mlflow) -> None:
    server.history[RUN, METRIC].pop()
    [gap] = facts_of(server).gaps
    assert gap.startswith(f"The server gave 1 metric without its last value ({METRIC})")


def test_a_run_that_changes_meanwhile_is_said_to(server: Mlflow) -> None:
    def change(method: str, _question: dict[str, str]) -> None:
        if method == "metrics/get-history":
            server.runs[RUN]["run"]["info"]["end_time"] = 2

    server.hook = change
    [gap] = facts_of(server).gaps
    assert gap.startswith("The run was changed while it was read")


def test_a_run_without_anything_says_so(server: Mlflow) -> None:
    server.add("c" * 32)
    assert "holds neither a metric nor a parameter" in refused(server, server.link("c" * 32))


# The real server.


@pytest.mark.skipif("RLBOT_MLFLOW" not in os.environ, reason="`make trackers` has MLflow")
def test_a_real_server_gives_the_same(launch: Path, tmp_path: Path, server: Mlflow) -> None:
    database = tmp_path / "mlruns.db"
    shutil.copy(launch / "main/mlruns.db", database)
    [run] = server.load(database)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [os.environ["RLBOT_MLFLOW"], "server", "--backend-store-uri",
               f"sqlite:///{database}", "--port", str(port), "--workers", "1"]  # fmt: skip
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
    log = tmp_path / "log"
    with log.open("wb") as out:
        started = subprocess.Popen(
            command, stdout=out, stderr=out, env=environment, cwd=tmp_path, start_new_session=True
        )
    try:
        access = access_of(url)
        link = parse_link(f"{url}/#/experiments/1/runs/{run}", access.run_hosts())
        found = when_up(link, access)
        assert replace(found, source="") == replace(read(launch / "main/mlruns.db"), source="")
        assert replace(found, source="") == replace(facts_of(server, server.link(run)), source="")
        with pytest.raises(EvidenceError, match="was not found"):
            read_online(replace(link, run_id="0" * 32), access)
    finally:
        os.killpg(started.pid, signal.SIGTERM)
        started.wait()


def when_up(link: RunLink, access: Access) -> Facts:
    """The facts, once the server answers."""
    for _ in range(60):
        try:
            return read_online(link, access, bounds=Bounds(retry_seconds=0.01))
        except EvidenceError as error:
            if "could not be reached" not in str(error):
                raise
            time.sleep(1.0)
    raise AssertionError("the server did not start")
