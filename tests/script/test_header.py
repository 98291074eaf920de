"""What scripts say about themselves in comments."""

from __future__ import annotations

from bot.script.header import read_header
from bot.shell.source import Span
from bot.shell.words import Comment


def _comments(*texts: str) -> list[Comment]:
    return [Comment(text, Span(100, 100 + len(text))) for text in texts]


def test_ordinary_comments_say_nothing() -> None:
    header = read_header(
        _comments("#!/bin/bash", "# we use wandb: it is nice", "# tags: MIN", "# verl:", "#")
    )
    assert (header.links, header.tag, header.versions, header.contributor) == ((), None, {}, None)


def test_statements_are_read_with_their_place() -> None:
    header = read_header(
        _comments(
            "# wandb: https://wandb.ai/a/b/runs/c  ",
            "#  VERL: 0.8.0",
            "# openrlhf: 0.11.2",
            "# tag: min",
            "# contributor: ada",
            "## wandb: https://wandb.ai/a/b/runs/d",
            "# tag: RECOMMENDED",
        )
    )
    assert [link.text[-1] for link in header.links] == ["c", "d"]
    assert {name: at.text for name, at in header.versions.items()} == {
        "verl": "0.8.0",
        "openrlhf": "0.11.2",
    }
    assert header.tag is not None
    assert header.tag.text == "MIN"
    assert header.links[0].span == Span(109, 109 + len("https://wandb.ai/a/b/runs/c"))


def test_a_folder_of_mlflow_is_a_note() -> None:
    link = "https://mlflow.example.org/#/experiments/1/runs/abc"
    header = read_header(
        _comments("# mlflow: ./mlruns", "# mlflow: see the wiki", f"# mlflow: {link}")
    )
    assert [stated.text for stated in header.links] == [link]
