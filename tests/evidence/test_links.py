"""The grammar of run links: real ones, and everything that only looks like one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.base.errors import UserError
from bot.check.request import CheckOptions
from bot.commands.runs import run_of
from bot.evidence.facts import EvidenceError
from bot.evidence.links import RunHosts, RunLink, parse_link
from tests.profiles import scaled

OWN = RunHosts(("wandb.example.org",))
BASE = "https://wandb.ai/team/proj/runs/abc123"

segment = st.from_regex(r"[A-Za-z0-9_.-]{1,128}", fullmatch=True).filter(
    lambda text: text not in (".", "..")
)
project = st.from_regex(r"[A-Za-z0-9_. -]{1,40}", fullmatch=True).filter(
    lambda text: text not in (".", "..")
)
links = st.builds(
    RunLink,
    st.sampled_from(("wandb.ai", "forge.coreweave.com", *OWN.names)),
    segment,
    project,
    segment,
)


@given(links)
@settings(max_examples=scaled(200))
def test_an_address_built_from_a_link_reads_back(link: RunLink) -> None:
    assert parse_link(link.url, OWN) == link


@pytest.mark.parametrize(
    "tail",
    [
        *("", "/", "?nw=nwuser", "/overview", "/logs", "/system?a=b&c=%20", "/files/"),
        *("/workspace?nw=abc", "?", "/overview/"),
    ],
)
def test_what_may_follow_a_run(tail: str) -> None:
    link = parse_link(BASE + tail)
    assert link == RunLink("wandb.ai", "team", "proj", "abc123")
    assert link.url == BASE


def test_both_hosts_of_the_service() -> None:
    new = parse_link("https://forge.coreweave.com/wandb/team/proj/runs/abc123/overview")
    assert new == RunLink("forge.coreweave.com", "team", "proj", "abc123")
    assert new.url == "https://forge.coreweave.com/wandb/team/proj/runs/abc123"


def test_a_project_may_hold_a_space() -> None:
    link = parse_link("https://wandb.ai/team/my%20project/runs/x")
    assert link.project == "my project"
    assert link.url == "https://wandb.ai/team/my%20project/runs/x"


REFUSED = [
    ("", "does not begin with https://"),
    ("http://wandb.ai/team/proj/runs/abc123", "does not begin with https://"),
    ("HTTPS://wandb.ai/team/proj/runs/abc123", "does not begin with https://"),
    ("wandb.ai/team/proj/runs/abc123", "does not begin with https://"),
    ("https://user:secret@wandb.ai/team/proj/runs/abc123", "user name or password"),
    ("https://wandb.ai@evil.example/team/proj/runs/abc123", "user name or password"),
    ("https://wandb.ai:443/team/proj/runs/abc123", "names a port"),
    ("https://wandb.ai.evil.example/team/proj/runs/abc123", "is not one that evidence"),
    ("https://evil.example/wandb.ai/team/proj/runs/abc123", "is not one that evidence"),
    ("https://WANDB.AI/team/proj/runs/abc123", "is not one that evidence"),
    ("https://wandb.ai./team/proj/runs/abc123", "is not one that evidence"),
    ("https:///team/proj/runs/abc123", "is not one that evidence"),
    ("https://wandb.example.org/team/proj/runs/abc123", "is not one that evidence"),
    ("https://wаndb.ai/team/proj/runs/abc123", "outside of printable ASCII"),
    ("https://wandb.ai/team/proj/runs/abc123\u202e", "outside of printable ASCII"),
    ("https://wandb.ai/team/proj/runs/abc123\n", "spaces, backslashes"),
    (" " + BASE, "spaces, backslashes"),
    (BASE + "\\..", "spaces, backslashes"),
    ("https://wandb.ai/team/proj/reports/My-report--Vmlldzo", "it is a report"),
    ("https://wandb.ai/team/proj/sweeps/abc", "it is a sweep"),
    ("https://wandb.ai/team/proj/groups/g/workspace", "it is a group of runs"),
    ("https://wandb.ai/team/proj/artifacts/model/m/v0", "it is an artifact"),
    ("https://wandb.ai/team/proj", "a project's or a user's page"),
    ("https://wandb.ai/team/proj/workspace?nw=x", "a project's or a user's page"),
    ("https://wandb.ai/", "a project's or a user's page"),
    ("https://wandb.ai", "a project's or a user's page"),
    ("https://wandb.ai/team/proj/runs", "does not name one run"),
    ("https://wandb.ai/team/proj/runs/", "does not name one run"),
    ("https://wandb.ai/team/../runs/abc123", "does not name one run"),
    ("https://wandb.ai/team/proj/runs/..", "does not name one run"),
    ("https://wandb.ai/../proj/runs/abc123", "does not name one run"),
    ("https://wandb.ai/team//runs/abc123", "does not name one run"),
    ("https://wandb.ai/team/pr%2Foj/runs/abc123", "does not name one run"),
    ("https://wandb.ai/team/proj/runs/abc%20", "does not name one run"),
    ("https://wandb.ai/wandb/team/proj/runs/abc123", "does not name one run"),
    ("https://forge.coreweave.com/team/proj/runs/abc123", "does not name one run"),
    ("https://forge.coreweave.com/wandbx/team/proj/runs/abc123", "does not name one run"),
    (BASE + "/files/output.log", "does not name one run"),
    (BASE + "#section", "does not name one run"),
    (BASE + "?a#b", "does not name one run"),
    (BASE + "?" + "x" * 2048, "characters, more than 2048"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_is_refused_and_why(text: str, words: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        parse_link(text)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_server_of_ones_own_is_named_where_it_is_looked_for() -> None:
    hosts = RunHosts(names=("wb.example.com",), mlflow=("https://ml.example.com/mlflow",))
    with pytest.raises(EvidenceError) as caught:
        parse_link("https://example.com/x", hosts)
    assert str(caught.value) == (
        "The link's host 'example.com' is not one that evidence is read from "
        "(forge.coreweave.com, huggingface.co, swanlab.cn, wandb.ai, wb.example.com); name a "
        "server of your own in .rlbot.yml: W&B's in `wandb_hosts`, "
        "MLflow's in `mlflow_hosts`."
    )


# The grammar once more, as one expression, to hold the parser against.
GRAMMAR = re.compile(
    r"https://(wandb\.ai|forge\.coreweave\.com/wandb)/[\w.-]{1,128}/([\w.-]|%20){1,128}/runs/"
    r"[\w.-]{1,128}(/(overview|logs|system|files|workspace))?/?(\?[!-~]*)?",
    re.ASCII,
)
pieces = st.lists(
    st.sampled_from(
        [
            *("https://", "http://", "wandb.ai", "forge.coreweave.com", "/", "//", "/wandb", "a"),
            *("/team", "/proj", "/runs", "/runs/", "abc", "..", ".", "%20", "%2e", "?", "#", "@"),
            *(":443", " ", "\n", "\\", "é", "/overview", "/reports/", "runs", "&x=1"),
        ]
    ),
    max_size=9,
).map("".join)


@given(
    st.one_of(
        pieces,
        st.text(max_size=60),
        st.builds(lambda a, b, c: f"https://wandb.ai/{a}/{b}/runs/{c}", pieces, pieces, pieces),
    )
)
@example(BASE)
@settings(max_examples=scaled(500))
def test_nothing_else_is_accepted(text: str) -> None:
    try:
        link = parse_link(text)
    except EvidenceError:
        return
    assert GRAMMAR.fullmatch(text)
    assert not {".", ".."} & {link.entity, link.project, link.run_id}
    assert text.startswith(link.url.rstrip("/"))
    assert parse_link(link.url) == link


@pytest.mark.parametrize(
    ("link", "run"),
    [
        ("wandb.ai/team/proj/runs/abc123", "https://wandb.ai/team/proj/runs/abc123"),
        ("swanlab.cn/@me/proj/runs/abc123", "https://swanlab.cn/@me/proj/runs/abc123"),
        ("own.example.com/team/proj/runs/a", "https://own.example.com/team/proj/runs/a"),
        ("other.example.com/team/proj/runs/a", None),
        ("wandb/run-20260101_120000-abc", None),
    ],
)
def test_a_command_line_takes_links_as_browsers_show_them(
    link: str, run: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = CheckOptions(hosts=RunHosts(names=("own.example.com",)))
    if run is None:
        with pytest.raises(UserError, match=f"{link} does not exist"):
            run_of([link], options)
    else:
        found = run_of([link], options)
        assert isinstance(found, RunLink)
        assert found.url == run
    Path(link).mkdir(parents=True)
    assert run_of([link], options) == Path(link)
