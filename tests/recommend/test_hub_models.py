"""A question about a model that no table has: its configuration is asked of the Hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import rlbot
from tests.hub_server import CONFIG, Hub


def ask(hub: Hub, folder: Path, *words: str) -> dict[str, Any]:
    where = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0"}
    made = rlbot("recommend", *words, "--format", "json", cwd=folder, environment=where)
    assert made.out, made.err
    answer: dict[str, Any] = json.loads(made.out)
    return answer


def predicted(answer: dict[str, Any]) -> list[object]:
    """What is expected of each way, whatever the model is called."""
    return [one["peak_gib"] for one in answer["predicted"]]


def test_a_model_of_the_hub_is_answered_as_one_of_its_shape(hub: Hub, tmp_path: Path) -> None:
    hub.holds("some-lab/Newcomer-1B")
    answer = ask(hub, tmp_path, "2x4090", "some-lab/Newcomer-1B", "grpo")
    alike = ask(hub, tmp_path, "2x4090", "Llama-3.2-1B", "grpo")
    assert predicted(answer) == predicted(alike) != []
    assert {path for path, _ in hub.asked} == {"/some-lab/Newcomer-1B/resolve/main/config.json"}
    option = ask(hub, tmp_path, "--model", "some-lab/Newcomer-1B", "--device", "rtx4090")
    assert option["predicted"]


def test_a_script_names_it_as_the_hub_does(hub: Hub, tmp_path: Path) -> None:
    hub.holds("some-lab/Newcomer-1B")
    where = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0"}
    words = ("recommend", "2x4090", "some-lab/Newcomer-1B", "sft", "--write", "run.sh")
    assert rlbot(*words, cwd=tmp_path, environment=where).status == 0
    assert "some-lab/Newcomer-1B" in (tmp_path / "run.sh").read_text("utf-8")


def test_what_is_known_is_not_asked_for(hub: Hub, tmp_path: Path) -> None:
    hub.holds("Qwen/Qwen3-8B", CONFIG)
    ask(hub, tmp_path, "8xh100", "Qwen/Qwen3-8B", "grpo", "lora", "1k+2k")
    assert hub.asked == []


def test_offline_and_an_unknown_name_are_a_sentence(hub: Hub, tmp_path: Path) -> None:
    hub.holds("some-lab/Newcomer-1B")
    where = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0"}
    words = ("recommend", "2x4090", "some-lab/Newcomer-1B")
    made = rlbot(*words, "--offline", cwd=tmp_path, environment=where)
    assert made.status == 2
    assert "is no card, model, task or method that is known here" in made.err
    assert hub.asked == []
    other = rlbot("recommend", "2x4090", "some-lab/Nobody-1B", cwd=tmp_path, environment=where)
    assert "is no card, model, task or method that is known here" in other.err


@pytest.mark.parametrize("asked", [("lab/Model-1B",), ("--model", "lab/Model-1B")])
@pytest.mark.parametrize(
    ("status", "why"),
    [
        (404, "has no config.json of it for everybody."),
        (503, "cannot be asked: it answered with status 503."),
    ],
)
def test_why_the_hub_says_nothing_of_it_is_told(
    hub: Hub, tmp_path: Path, asked: tuple[str, ...], status: int, why: str
) -> None:
    hub.pages["/lab/Model-1B/resolve/main/config.json"] = status, b""
    where = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0"}
    made = rlbot("recommend", *asked, "--device", "h100", cwd=tmp_path, environment=where)
    assert made.status == 2
    assert made.err.rstrip().endswith(f"{hub.address.removeprefix('http://')} {why}")
