"""Finding run links in what people write, and refusing what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence.find_links import FoundLinks, find_links
from bot.evidence.links import RunHosts
from tests.profiles import scaled
from tests.render.judge import hostile

RUN = "https://wandb.ai/team/proj/runs/abc123"
NEW = "https://forge.coreweave.com/wandb/team/proj/runs/abc124"


def urls(text: str, *hosts: str) -> list[str]:
    return [each.link.url for each in find_links(text, RunHosts(hosts)).links]


def refused(text: str, *hosts: str) -> list[tuple[str, str]]:
    return [(each.text, each.reason) for each in find_links(text, RunHosts(hosts)).refused]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No run yet.",
        "See https://docs.wandb.ai/guides/track and https://github.com/wandb/wandb/issues/5994.",
        "https://github.com/verl-project/verl/actions/runs/123456",
        "https://wandb.readthedocs.io/en/latest/",
        "[a](/team/proj/runs/abc) and [b](#runs) and <mailto:support@wandb.ai>",
        "We log to wandb.ai, as always (wandb).",
        f"<!-- Paste your run here: {RUN} -->",
        "<!-- " + RUN,
        "git@github.com:wandb/wandb.git",
    ],
)
def test_what_is_no_link_to_a_run_says_nothing(text: str) -> None:
    assert find_links(text) == FoundLinks()


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        f"The run: {RUN}.",
        f"({RUN}), {RUN}; **{RUN}** _{RUN}_ ~~{RUN}~~",
        f"<{RUN}>",
        f"[the run]({RUN}?nw=nwuserada)",
        f"[the run][1]\n\n[1]: {RUN}/overview",
        f"| script | run |\n| --- | --- |\n| a.sh | {RUN} |",
        f"- one\n  - two {RUN}/logs\n",
        f'<details><summary>Run</summary>\n\n{RUN}\n\n</details>\n<a href="{RUN}">x</a>',
        f"运行记录见{RUN}，峰值 71 GiB。",
        f"# {RUN}\n",
    ],
)
def test_where_a_link_may_stand(text: str) -> None:
    found = find_links(text)
    assert [each.link.url for each in found.links] == [RUN]
    assert found.links[0].where == "text"
    assert found.refused == ()


def test_both_hosts_and_those_of_the_configuration() -> None:
    own = "https://wandb.example.org/team/proj/runs/x"
    assert urls(f"{RUN}\n{NEW}\n{own}", "wandb.example.org") == [RUN, NEW, own]
    ((text, reason),) = refused(own)
    assert text == own
    assert "not one that evidence is read from" in reason


def test_a_link_with_underscores_and_an_escape_is_read_whole() -> None:
    assert urls("https://wandb.ai/a_b/my_long_project/runs/_x_y") == [
        "https://wandb.ai/a_b/my_long_project/runs/_x_y"
    ]


@pytest.mark.parametrize("weak", [f"> {RUN}", f"`{RUN}`", f"```\nwandb: {RUN}\n```", f"    {RUN}"])
def test_quotes_and_code_count_only_without_a_link_outside(weak: str) -> None:
    found = find_links(weak)
    assert [each.link.url for each in found.links] == [RUN]
    assert found.links[0].where in ("quote", "code")
    assert urls(f"{weak}\n\nMine is {NEW}\n") == [NEW]
    assert urls(f"{weak}\n\n{RUN} and {NEW}\n") == [RUN, NEW]


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("https://wandb.ai/team/proj/reports/Tuning--Vmlldzo1", "it is a report"),
        ("https://api.wandb.ai/links/team/abcd", "it is a report"),
        ("https://wandb.ai/team/proj/sweeps/ab12", "it is a sweep"),
        ("https://wandb.ai/team/proj", "a project's or a user's page"),
        ("https://wandb.ai/team/proj?nw=abc", "a project's or a user's page"),
        ("https://wandb.ai/team/proj/workspace", "a project's or a user's page"),
        ("https://wandb.ai/team/proj/groups/g", "it is a group"),
        ("https://wandb.ai/team/proj/artifacts/model/m/v0", "it is an artifact"),
        ("http://wandb.ai/team/proj/runs/a", "it does not begin with https://"),
        ("wandb.ai/team/proj/runs/a", "it does not begin with https://"),
        ("//wandb.ai/team/proj/runs/a", "it does not begin with https://"),
        ("https://wandb.ai:8443/team/proj/runs/a", "it names a port"),
        ("https://wandb.ai.evil.example/team/proj/runs/a", "not one that evidence"),
        ("https://evil.example/team/proj/runs/a", "not one that evidence"),
        ("https://wandb-ai.example/team/proj/runs/a", "not one that evidence"),
        ("https://vvandb.ai/team/proj/runs/a", "not one that evidence"),
        ("https://wаndb.ai/team/proj/runs/a", "outside of printable ASCII"),
        ("https://ｗandb.ai/team/proj/runs/a", "outside of printable ASCII"),
        ("https://xn--wndb-53d.ai/team", "not one that evidence is read from"),
    ],
)
def test_what_looks_like_a_link_of_wandb_is_named_and_refused(link: str, why: str) -> None:
    found = find_links(f"The run: {link} (mine)")
    assert found.links == ()
    (only,) = found.refused
    assert only.text == link
    assert why in only.reason


def test_a_password_is_not_repeated() -> None:
    ((text, reason),) = refused("https://ada:hunter2@wandb.ai/team/proj/runs/a")
    assert text == "https://***@wandb.ai/team/proj/runs/a"
    assert "user name or password" in reason
    assert "hunter2" not in reason


def test_many_links_and_long_texts_are_bounded_and_said() -> None:
    many = "\n\n".join(f"https://wandb.ai/t/p/runs/r{n}" for n in range(1000))
    assert len(find_links(many).links) == 200
    long = find_links("x " * 200_000)
    assert "links after the first 65536 were not looked for" in long.refused[0].reason


@given(
    hostile
    | st.lists(
        st.sampled_from(
            [
                RUN,
                "https://",
                "wandb.ai/",
                "[",
                "](",
                ")",
                "<",
                ">",
                "|",
                "\n",
                "`",
                "runs/",
                "@",
                "xn--a",
            ]
        ),
        max_size=12,
    ).map("".join)
)
@settings(max_examples=scaled(200))
def test_no_text_breaks_the_search(text: str) -> None:
    found = find_links(text)
    for each in found.links:
        assert each.link.url.startswith(("https://wandb.ai/", "https://forge.coreweave.com/"))
    for other in found.refused:
        assert other.reason.endswith((".", "/runs/ID."))


def test_what_stands_around() -> None:
    text = f"# `a.sh`\n\nSome words.\n\n- x\n- b.sh: {RUN}\n"
    (found,) = find_links(text).links
    assert found.around == f"b.sh: {RUN}"
    assert "a.sh" in found.before


def test_what_is_read_of_no_server_is_no_link_to_a_run() -> None:
    found = find_links("See https://huggingface.co/spaces/ada/trackio and https://swanlab.cn/@ada")
    assert found.links == ()
    assert len(found.refused) == 1
