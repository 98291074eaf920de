"""Comparing values: what is the same to a framework, and what is not decided."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence.values import MAX_SHOWN, MISSING, fits, lookup, same, shown
from bot.report import JsonValue
from tests.profiles import scaled

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=12),
    st.sampled_from(["1e-6", "1e-06", "True", "null", "None", "???", "${a.b}", "inf", "0x1"]),
)
lists: st.SearchStrategy[JsonValue] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4), max_leaves=8
)
trees: st.SearchStrategy[JsonValue] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(lists, lists)
@settings(max_examples=scaled(300))
def test_without_mappings_neither_side_is_special(a: JsonValue, b: JsonValue) -> None:
    assert same(a, b) == same(b, a)


@given(trees)
@settings(max_examples=scaled(300))
def test_a_value_is_never_different_from_itself(value: JsonValue) -> None:
    assert same(value, value) is not False


@pytest.mark.parametrize(
    ("claimed", "observed"),
    [
        (1e-6, 1e-06),
        ("1e-6", 1e-06),
        ("1e-6", "0.000001"),
        (1, 1.0),
        ("5", 5),
        (True, "True"),
        ("true", True),
        (True, 1),
        (None, "null"),
        ("None", None),
        (float("nan"), math.nan),
        ([1, "two"], [1.0, "two"]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ([], []),
        (10**400, 10**400),
        (["a"], "['a']"),
        # As TrainingArguments of transformers takes them from a command line.
        ("wandb", ["wandb"]),
        ("full_shard auto_wrap", ["full_shard", "auto_wrap"]),
        ('{"use_reentrant": false}', {"use_reentrant": False}),
        ("[0.9, 0.95]", [0.9, 0.95]),
    ],
)
def test_the_same(claimed: JsonValue, observed: JsonValue) -> None:
    assert same(claimed, observed) is True


@pytest.mark.parametrize(
    ("claimed", "observed"),
    [
        (1e-6, 1e-5),
        (128, 64),
        (True, False),
        (None, 0),
        (None, ""),
        (None, False),
        ("grpo", "GRPO"),
        ("a", "a "),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([1], 1),
        ({"a": 1, "b": 2}, {"a": 1}),
        (10**400, 1.5),
        ("1_000", 1000),
        ("wandb", ["wandb", "tensorboard"]),
        ("wandb tensorboard", ["tensorboard", "wandb"]),
        ('{"use_reentrant": true}', {"use_reentrant": False}),
        ('{"a": 1}', [1]),
        ("", []),
        ("[" * 5000, ["["]),
    ],
)
def test_different(claimed: JsonValue, observed: JsonValue) -> None:
    assert same(claimed, observed) is False


@pytest.mark.parametrize(
    ("claimed", "observed"),
    [
        ("${data.train_batch_size}", 128),
        (128, "${data.train_batch_size}"),
        ("/data/${?variable X is not set}/x", "/data/a/x"),
        ("???", 1),
        (["${a}", 1], ["x", 1]),
    ],
)
def test_not_decided(claimed: JsonValue, observed: JsonValue) -> None:
    assert same(claimed, observed) is None


def test_a_difference_beside_an_open_value_is_a_difference() -> None:
    assert same(["${a}", 1], ["x", 2]) is False


def test_endless_nesting_is_not_decided() -> None:
    deep: JsonValue = 1
    for _ in range(500):
        deep = [deep]
    assert same(deep, deep) is None


def test_looking_up_nested_and_flattened_keys() -> None:
    config: dict[str, JsonValue] = {
        "a": {"b": {"c": 1}, "b.d": 2, "null": None},
        "a.b.e": 3,
        "x.y": {"z": 4},
        "zero_stage": 3,
        "list": [1],
    }
    assert lookup(config, "a.b.c") == 1
    assert lookup(config, "a.b.d") == 2
    assert lookup(config, "a.b.e") == 3
    assert lookup(config, "x.y.z") == 4
    assert lookup(config, "zero-stage") == 3
    assert lookup(config, "a.null") is None
    assert lookup(config, "a.b.q") is MISSING
    assert lookup(config, "list.0") is MISSING
    assert lookup(config, "a.b.c.d") is MISSING
    assert lookup({}, "") is MISSING


HEX = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("use_wandb", True),
        ("use_wandb", "True"),
        ("use_wandb", "${?variable WANDB_API_KEY is not set in the script}"),
        ("logger.wandb.key", None),
        ("data.max_token_len_per_gpu", 8192),
        ("actor_rollout_ref.model.path", f"/models/{HEX}"),
        ("tokenizer.pad_token", "<|endoftext|>"),
    ],
)
def test_what_is_no_secret_is_shown(key: str, value: JsonValue) -> None:
    assert shown(value, key) == value


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("use_wandb", HEX),
        ("logger.wandb.key", HEX),
        ("ray_kwargs.ray_init.runtime_env.env_vars.WANDB_API_KEY", HEX),
        ("env_vars", {"WANDB_API_KEY": HEX, "NCCL_DEBUG": "WARN"}),
        ("env_vars", f"{{WANDB_API_KEY:{HEX}}}"),
        ("trainer.note", f"hf_a{HEX}"),
        ("hub_token", HEX),
    ],
)
def test_a_key_that_the_run_recorded_is_not_shown(key: str, value: JsonValue) -> None:
    text = str(shown(value, key))
    assert "***" in text
    assert HEX not in text
    assert isinstance(value, str) or '"NCCL_DEBUG": "WARN"' in text


def test_long_values_say_what_was_cut() -> None:
    assert shown("x" * MAX_SHOWN) == "x" * MAX_SHOWN
    assert shown("x" * 1234) == "x" * MAX_SHOWN + "…(+1034 characters)"
    assert shown([1, "é"]) == '[1, "é"]'
    assert shown(math.inf) == "inf"
    assert shown(MISSING) is None
    assert shown(True) is True


@pytest.mark.parametrize(
    ("text", "observed", "outcome"),
    [
        ("${?HOME}/data/a.parquet", "/home/ada/data/a.parquet", True),
        ("['${?HOME}/a','${?HOME}/b']", ["/root/a", "/root/b"], True),
        ("['${?HOME}/a', '${?HOME}/b']", "['/root/a','/root/b']", True),
        ("${?HOME}/data/a.parquet", "/home/ada/data/a.parquet.old", False),
        ("${?HOME}/data/a.parquet", "/home/ada/data/aXparquet", False),
        ("['${?HOME}/a']", ["/root/a", "/root/b"], False),
        ("${?HOME}/a", None, False),
        ("${?directory that cd leads to}/data/a.parquet", "/root/x/data/a.parquet", True),
        ("${?directory that cd leads to}/data/a.parquet", "/root/x/data/b.parquet", False),
        ("${?HOME}", "/home/ada", None),
        ("${?HOME}/${?USER}", "/home/ada", None),
        ("${?HOME}/a", {"path": "/home/ada/a"}, None),
    ],
)
def test_the_known_parts_of_a_value(text: str, observed: JsonValue, outcome: bool | None) -> None:
    assert fits(text, observed) is outcome
