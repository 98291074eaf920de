"""The ways with Megatron: layouts that exist, scripts that are clean and estimated as they say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.base.devices import GIB
from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.frameworks.settings.releases import releases
from bot.memory.from_plan import device_named
from bot.memory.shapes.models import find
from bot.recommend.answer import RecommendAnswer, recommend
from bot.recommend.cards import usable_device
from bot.recommend.megatron import has_megatron, last_stage, layouts
from bot.recommend.methods import fewest
from bot.recommend.model_answer import LARGE
from bot.recommend.options import steps
from bot.recommend.request import Hardware, Sizes, make_request
from bot.recommend.search import Search
from tests.command import rlbot

MODELS = [
    ("Qwen/Qwen3-235B-A22B", "h800", 64),
    ("meta-llama/Llama-3.1-405B", "h100", 128),
    ("deepseek-ai/DeepSeek-V3", "h800", 128),
    ("Qwen/Qwen3-30B-A3B", "h100", 8),
]


def _answer(model: str, device: str, gpus: int) -> RecommendAnswer:
    sizes = Sizes(prompt=1024, response=1024, batch=128)
    request = make_request(model, task="grpo", method="full", framework="verl", sizes=sizes)
    search = Search(request, releases("verl")[-1])
    return recommend(search, Hardware(devices=(usable_device(device),), budget=gpus, whole=True))


@pytest.mark.slow
@pytest.mark.parametrize(("model", "device", "gpus"), MODELS)
def test_large_models_get_a_script_that_is_clean_and_as_estimated(
    model: str, device: str, gpus: int
) -> None:
    answer = _answer(model, device, gpus)
    first = answer.recommendations.predicted[0]
    assert (first.gpus, first.may_fit) == (gpus, False)
    name, text = answer.scripts[first.rank]
    assert name.endswith(f"_{gpus}_{device}_megatron_vllm.sh")
    report = check_script(ScriptFile(path=name, data=text.encode()), CheckOptions())
    wrong = [f for f in report.findings if f.severity in ("error", "warning")]
    assert not wrong, [(f.id, f.message) for f in wrong]
    made = estimate_script(ScriptFile(path=name, data=text.encode()), CheckOptions()).estimate
    assert made is not None
    assert (made.outcome, made.binding, made.gpus) == (first.verdict, first.binding, gpus)
    assert (made.peak_gib, made.host_gib) == (first.peak_gib, first.host_gib)


@pytest.mark.parametrize("model", ["Falcon-H1-34B", "gemma-4-31B", "LFM2-8B-A1B"])
def test_no_way_with_megatron_for_layers_that_it_does_not_have(model: str) -> None:
    sizes = Sizes(prompt=1024, response=1024, batch=128)
    request = make_request(model, task="grpo", method="full", framework="verl", sizes=sizes)
    assert not has_megatron(request, 16)
    other = make_request("Qwen3-32B", task="grpo", method="full", framework="verl", sizes=sizes)
    assert has_megatron(other, 16)


def test_no_sequence_is_shared_out_where_a_state_is_passed_on() -> None:
    for model, able in (("Falcon-H1-34B", False), ("LFM2-1.2B", False), ("gemma-4-31B", True)):
        sizes = Sizes(prompt=1024, response=1024, batch=128)
        request = make_request(model, task="grpo", method="full", framework="verl", sizes=sizes)
        assert any(name == "sequence" for name, _ in steps(request, 8)) is able


_SHAPES = st.sampled_from(
    ["Qwen3-8B", "Qwen3-32B", "Qwen3-30B-A3B", "Qwen3-235B-A22B", "DeepSeek-V3", "Llama-3.1-405B"]
)


@given(_SHAPES, st.sampled_from([8, 16, 24, 32, 64, 96, 128, 256]))
def test_every_layout_divides_the_gpus_and_the_model(model: str, gpus: int) -> None:
    shape = find(model).shape  # type: ignore[union-attr]
    for layout in layouts(shape, gpus, 1000.0):
        assert gpus % (layout.tensor * layout.pipeline) == 0
        assert gpus % (layout.expert * layout.pipeline) == 0
        assert shape.heads % layout.tensor == 0
        assert layout.expert == 1 or shape.experts
        last = last_stage(shape.layers, layout.pipeline)
        assert last is not None
        if layout.pipeline > 1:
            assert last >= 1
            assert (shape.layers - last) % (layout.pipeline - 1) == 0


@given(_SHAPES, st.sampled_from([8, 64, 128]), st.floats(1, 300))
def test_a_smaller_card_has_no_layout_that_a_larger_one_lacks(
    model: str, gpus: int, gib: float
) -> None:
    shape = find(model).shape  # type: ignore[union-attr]
    assert set(layouts(shape, gpus, gib)) <= set(layouts(shape, gpus, 2 * gib))
    weights = 2 * shape.parameters / gpus / GIB
    if gib < weights:
        assert not list(layouts(shape, gpus, gib))


def test_verls_split_of_61_layers() -> None:
    assert last_stage(61, 12) == 6
    assert last_stage(61, 16) == 1
    assert last_stage(64, 8) == 8
    assert last_stage(3, 3) is None


@pytest.mark.slow
@pytest.mark.parametrize("model", ["Qwen/Qwen3-235B-A22B", "deepseek-ai/DeepSeek-V3"])
def test_a_larger_card_never_takes_more_of_them(model: str) -> None:
    sizes = Sizes(prompt=1024, response=1024, batch=128)
    request = make_request(model, task="grpo", method="full", framework="verl", sizes=sizes)
    search = Search(request, releases("verl")[-1])
    found = [fewest(search, device_named(name), 256) for name in ("h100", "h200", "b200", "b300")]
    gpus = [one.gpus for one in found if one is not None and one.verdict == "fits"]
    assert len(gpus) == len(found)
    assert gpus == sorted(gpus, reverse=True)


@pytest.mark.slow
def test_a_model_that_no_node_holds_is_answered_for_clusters() -> None:
    result = rlbot("recommend", "Qwen3-235B-A22B", "--format", "json")
    assert result.status == 0
    answer = json.loads(result.out)
    assert {one["device"] for one in answer["methods"]} == {token.upper() for token in LARGE}
    assert all(one["verdict"] == "fits" for one in answer["methods"])
