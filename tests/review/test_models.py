"""A model's `config.json` counts in each front end; in a change it is read as data, bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.base.errors import UserError
from bot.review.models import MAX_CONFIG, MAX_CONFIGS, ChangeModels
from bot.rules._support.example import verl
from tests.command import rlbot
from tests.review.test_local_change import Repository
from tests.review.test_runs import Change

SCRIPT = "examples/tuning/7b/own-7b_grpo_1_rtx4090_fsdp_vllm.sh"
TEXT = verl(
    "actor_rollout_ref.model.path=models/own",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.tensor_model_parallel_size=1",
    "data.max_prompt_length=512",
    "data.max_response_length=512",
    "trainer.n_gpus_per_node=1",
    "trainer.nnodes=1",
)
MODEL = {
    "model_type": "qwen2",
    "hidden_size": 3584,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "intermediate_size": 18944,
    "vocab_size": 152064,
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.write("README.md", "# tuning\n")
    made.commit()
    made.git("switch", "--quiet", "--create", "work")
    made.write(SCRIPT, TEXT)
    made.write("models/own/config.json", json.dumps(MODEL))
    made.commit()
    return made


def memory(report: dict[str, Any]) -> list[tuple[str, str]]:
    (script,) = report["scripts"]
    return [(f["id"], f["message"]) for f in script["findings"] if f["id"].startswith("RLB11")]


@pytest.mark.process
def test_every_door_gives_the_same_verdict(repository: Repository) -> None:
    root = repository.folder

    def asked(*arguments: str) -> Any:
        return json.loads(rlbot(*arguments, "--format", "json", cwd=root).out)

    linted = memory(asked("lint", SCRIPT, "--root", "."))
    (estimated,) = asked("estimate", SCRIPT, "--root", ".")["scripts"]
    most = max(estimated["estimate"]["stages"], key=lambda stage: stage["floor_gib"])
    assert [rule for rule, _ in linted] == ["RLB110"]
    assert linted[0][1].startswith(f"the {most['stage']} stage needs at least ")
    assert estimated["estimate"]["outcome"] == "impossible"
    assert memory(asked("verify", SCRIPT, "--root", ".")) == linted
    assert memory(asked("pr", "--base", "main", "--head", "work")) == linted
    # In a clone the tree is there without being named.
    assert memory(asked("lint", SCRIPT)) == linted
    assert asked("estimate", SCRIPT)["scripts"][0]["estimate"]["outcome"] == "impossible"
    # Without a tree the shape is not known, and nothing is guessed.
    alone = root.parent / "alone" / Path(SCRIPT).name
    alone.parent.mkdir()
    alone.write_bytes((root / SCRIPT).read_bytes())
    assert memory(asked("lint", str(alone))) == []
    assert asked("estimate", str(alone))["scripts"][0]["estimate"]["outcome"] == "no prediction"


@pytest.mark.process
def test_a_config_that_is_a_link_is_not_followed(repository: Repository) -> None:
    file = repository.folder / "models/own/config.json"
    file.unlink()
    file.symlink_to("/etc/passwd")
    repository.commit()
    result = rlbot("pr", "--base", "main", "--format", "json", cwd=repository.folder)
    report = json.loads(result.out)
    assert memory(report) == []
    assert report["unchecked"] == [
        {
            "check": "models/own/config.json",
            "reason": "models/own/config.json is a symbolic link; commit a file.",
        }
    ]


@pytest.mark.process
def test_a_config_as_large_as_none_is_is_not_read(repository: Repository) -> None:
    repository.write("models/own/config.json", b" " * (MAX_CONFIG + 1))
    repository.commit()
    result = rlbot("pr", "--base", "main", "--format", "json", cwd=repository.folder)
    (item,) = json.loads(result.out)["unchecked"]
    assert item["reason"] == (
        "models/own/config.json has 1,048,577 bytes; at most 1,048,576 are read."
    )


class Head(Change):
    """A change whose head holds a configuration at every path; it counts the questions."""

    def head_file(self, path: str, most: int = 0) -> bytes | None:
        self.asked = [*getattr(self, "asked", []), path]
        if path.startswith("broken"):
            raise UserError("GitHub does not answer.")
        return b"{}"


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/config.json", "../config.json", "a/../../config.json", "hdfs://x/config.json"),
        *("a/passwd", "a\n/config.json", "a\0/config.json", "\udc80/config.json", "x" * 1000),
        "Qwen/Qwen2.5-7B-Instruct/config.json",  # a name of the hub, which is no folder
    ],
)
def test_no_other_file_is_asked_for(path: str) -> None:
    head = Head({})
    assert ChangeModels(head)(path) is None
    assert not hasattr(head, "asked")


def test_each_model_costs_one_question() -> None:
    head = Head({})
    models = ChangeModels(head)
    assert [models(path) for path in ("a/config.json", "./a/config.json", "a//config.json")] == [
        b"{}"
    ] * 3
    assert head.asked == ["a/config.json"]
    assert models.unchecked == ()


def test_a_change_of_many_models_is_cut_with_a_sentence() -> None:
    head = Head({})
    models = ChangeModels(head)
    given = [models(f"{n}/config.json") for n in range(MAX_CONFIGS + 2)]
    assert given.count(None) == 2
    assert len(head.asked) == MAX_CONFIGS
    assert [item.reason for item in models.unchecked] == [
        f"{n}/config.json is beyond the {MAX_CONFIGS} models that are looked up for one change; "
        "split it."
        for n in (MAX_CONFIGS, MAX_CONFIGS + 1)
    ]


def test_what_could_not_be_looked_up_is_said() -> None:
    models = ChangeModels(Head({}))
    assert models("broken/config.json") is None
    (item,) = models.unchecked
    assert (item.check, item.reason) == ("broken/config.json", "GitHub does not answer.")
