"""What scripts say about themselves in comments."""

from __future__ import annotations

import pytest

from bot.script.header import read_header
from bot.shell import read
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


@pytest.mark.parametrize(
    "comment",
    [
        "# not tested with verl 0.5.0",
        "# untested on verl 0.5.0",
        "# does not run with: verl==0.5.0",
        "# tested with vllm 0.5.0 and a verl of our own",
        "# tested with verl 0.5.9",
        "# verl>=0.5.0",
        "# verl==0.5.9",
        "# see https://example.org/verl==0.5.0/notes",
        "# the release after verl 0.5.0",
        "# pip install verl==0.5.0 fails here",
    ],
)
def test_a_release_that_is_mentioned_alone(comment: str) -> None:
    assert read_header(_comments(comment)).versions == {}


@pytest.mark.parametrize(
    "comment",
    [
        "# Tested on verl 0.5.0",
        "# tested with vllm 0.8.5, torch 2.6 and verl v0.5.0 on 8 H100",
        "# This script was tested with verl version 0.5.0.",
        "# verl==0.5.0",
        "#   - verl==0.5.0",
        "# pip install vllm==0.8.5 verl==0.5.0",
        "# Requires: verl==0.5.0",
    ],
)
def test_a_release_that_the_script_was_tested_with(comment: str) -> None:
    found = read_header(_comments(comment)).versions["verl"]
    assert found.text == "0.5.0"
    start = found.span.start - 100
    assert comment[start : start + 5] == "0.5.0"


def test_a_statement_counts_before_a_release_in_passing() -> None:
    header = read_header(_comments("# tested on verl 0.5.0", "# verl: 0.8.0"))
    assert header.versions["verl"].text == "0.8.0"


def test_a_release_in_passing_counts_at_the_top_alone() -> None:
    text = "# tested on verl 0.5.0"
    assert read_header([Comment(text, Span(9000, 9000 + len(text)))]).versions == {}


@pytest.mark.parametrize(
    ("comment", "card"),
    [
        ("# run on 8xH100", "h100"),
        ("# Should run on 4 nodes of 8xH100s", "h100"),
        ("# Tested on 8x A100 40GB. Parallelism (TP=8)", "a100-40gb"),
        ("# Defaults for 8× MI300X node", "mi300x"),
        ("# text only, 2xA800-80G", "a800-80gb"),
        ("# 4 x A100", None),  # of 40 or of 80 GB
        ("# NVIDIA GPUs (8xH20/H100/H200)", None),
        ("# 8xH100, or 8xH200", None),
        ("# 8x larger than 2x7b, 3x3, and Mixtral 8x22B", None),
        ("# v8xH100 of x2h100", None),
    ],
)
def test_a_sentence_that_counts_cards(comment: str, card: str | None) -> None:
    source = f"{comment}\necho\n"
    assert read_header(read(source.encode(), "x.sh").comments, source).mentioned == card


def test_what_slurm_is_asked_for_beside_a_statement() -> None:
    source = "#!/bin/bash\n#SBATCH --gres=gpu:h100:8\n# verl: 0.9.1\necho\n"
    header = read_header(read(source.encode(), "x.sh").comments, source)
    assert header.requested == "h100"
