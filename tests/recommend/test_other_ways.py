"""Sequences that are shared out where nothing else fits, and what to ask for where nothing does."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.frameworks.settings.releases import releases
from bot.recommend.answer import RecommendAnswer, recommend
from bot.recommend.cards import usable_device
from bot.recommend.request import Hardware, Sizes, make_request
from bot.recommend.search import Search
from tests.command import rlbot

LONG = ("--task", "sft", "--lengths", "1024+64000", "--device", "a100")
ASKED = ("recommend", "--model", "Qwen/Qwen2.5-7B")


def _predicted(*more: str) -> list[dict[str, Any]]:
    result = rlbot(*ASKED, *LONG, *more, "--format", "json")
    assert result.status == 0, result.err
    predicted: list[dict[str, Any]] = json.loads(result.out)["predicted"]
    return predicted


def test_a_long_sequence_is_shared_out() -> None:
    predicted = _predicted("--framework", "openrlhf")
    assert predicted
    for one in predicted:
        settings = [option["setting"] for option in one["options"]]
        assert re.search(r"--ds\.ring_attn_size \d", " ".join(settings)), settings


def test_a_short_one_is_not() -> None:
    asked = ("--task", "sft", "--lengths", "1024+1024", "--device", "a100")
    result = rlbot(*ASKED, *asked, "--framework", "openrlhf")
    assert result.status == 0
    assert "ring" not in result.out


def _ring(task: str, lengths: tuple[int, int]) -> RecommendAnswer:
    request = make_request(
        "Qwen/Qwen2.5-7B",
        task=task,
        method="lora",
        framework="openrlhf",
        sizes=Sizes(prompt=lengths[0], response=lengths[1], batch=128),
    )
    hardware = Hardware(devices=(usable_device("a100"),), budget=8)
    return recommend(Search(request, releases("openrlhf")[-1]), hardware)


@pytest.mark.parametrize("task", ["sft", "dpo", "grpo"])
def test_its_script_starts_and_is_estimated_alike(task: str) -> None:
    answer = _ring(task, (1024, 48_000))
    ringed = [
        one
        for one in answer.recommendations.predicted
        if any("ring_attn" in option.setting for option in one.options)
    ]
    assert ringed
    for one in ringed:
        name, text = answer.scripts[one.rank]
        # OpenRLHF refuses a ring without it.
        assert text.count("--ds.packing_samples") == 1
        report = check_script(ScriptFile(path=name, data=text.encode()), CheckOptions())
        wrong = [f for f in report.findings if f.severity in ("error", "warning")]
        assert not wrong, (name, [(f.id, f.message) for f in wrong])
        made = estimate_script(ScriptFile(path=name, data=text.encode()), CheckOptions()).estimate
        assert made is not None
        assert made.peak_gib == pytest.approx(one.peak_gib, abs=0.011)


def _notes(*asked: str) -> str:
    result = rlbot("recommend", *asked)
    assert result.status in (0, 1), result.err
    return " ".join(result.out.split())


def test_what_does_not_fit_names_a_framework_that_shares_sequences_out() -> None:
    asked = ("--model", "Qwen/Qwen2.5-7B", "--task", "dpo", "--lengths", "1024+100000")
    said = _notes(*asked, "--framework", "trl", "--device", "a100")
    assert "Nothing that is searched fits on A100" in said
    way = r"On 8 × A100 would fit: openrlhf \(--framework openrlhf\); shorter responses \((.*?)\)"
    found = re.search(way, said)
    assert found
    # What it names does fit.
    shorter = _notes(*asked[:4], *found[1].split(), "--framework", "trl", "--device", "a100")
    assert "Nothing that is searched fits" not in shorter
    other = _notes(*asked, "--framework", "openrlhf", "--device", "a100")
    assert "Nothing that is searched fits" not in other


def test_what_does_not_fit_in_full_names_lora() -> None:
    of = ("--model", "Qwen/Qwen2.5-7B", "--task", "grpo", "--framework", "verl")
    asked = (*of, "--device", "a100", "--budget-gpus", "1")
    said = _notes(*asked)
    assert "On 1 × A100 would fit: LoRA (--method lora)" in said
    assert "Nothing that is searched fits" not in _notes(*asked, "--method", "lora")


def test_what_does_not_fit_by_lora_names_qlora_where_a_script_is_made_for_it() -> None:
    of = ("--model", "Qwen/Qwen2.5-14B", "--lengths", "1024", "--framework", "openrlhf")
    hardware, way = (
        ("--device", "rtx4090", "--budget-gpus", "1"),
        ("--framework", "trl", "--method", "qlora"),
    )
    named = f"QLoRA ({' '.join(way)})"
    assert named in _notes(*of, *hardware, "--method", "lora", "--task", "sft")
    online = (*of[:2], *of[4:], *hardware, "--method", "lora", "--task", "grpo")
    assert named not in _notes(*online)
    assert "Nothing that is searched fits" not in _notes(*of[:4], *hardware, *way, "--task", "sft")


def test_where_no_way_fits_none_is_named() -> None:
    asked = ("--model", "Qwen/Qwen2.5-72B", "--task", "grpo", "--framework", "verl")
    said = _notes(*asked, "--device", "rtx4090", "--budget-gpus", "1")
    assert "Nothing that is searched fits" in said
    assert "would fit" not in said
