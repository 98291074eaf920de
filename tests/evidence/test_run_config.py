"""Configurations as they arrive: wrapped, flattened, or as the text of a namespace."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence.run_config import plain
from bot.report import JsonValue
from tests.profiles import scaled


def test_a_plain_configuration_stays_as_it_is() -> None:
    config: dict[str, JsonValue] = {"data": {"value": 1, "other": 2}, "x": None, "s": "Name(a=1)"}
    assert plain(config, []) == config
    assert plain({}, []) == {}


def test_the_sdks_own_entries_and_wrapping_are_left_out() -> None:
    wrapped: dict[str, JsonValue] = {
        "_wandb": {"value": {"cli_version": "0.31.0"}},
        "wandb_version": 1,
        "data": {"desc": None, "value": {"n": 1}},
        "x": {"value": None},
    }
    assert plain(wrapped, []) == {"data": {"n": 1}, "x": None}


def test_one_entry_without_wrapping_means_that_none_is_wrapped() -> None:
    config: dict[str, JsonValue] = {"a": {"value": 1}, "b": 2}
    assert plain(config, []) == config


def test_a_namespace_as_text_is_read_as_data() -> None:
    text = (
        "Namespace(batch_size=128, lr=1e-06, neg=-1, name='x', flag=True, none=None, "
        "inner=Namespace(list=[1, (2, 'b')], map={'k': 1}), obj=<object>)"
    )
    assert plain({"train": text}, []) == {"train": text}  # Not an expression: stays text.
    assert plain({"train": text.replace("<object>", "torch.bfloat16")}, []) == {
        "train": {
            "batch_size": 128,
            "lr": 1e-06,
            "neg": -1,
            "name": "x",
            "flag": True,
            "none": None,
            "inner": {"list": [1, [2, "b"]], "map": {"k": 1}},
            "obj": "torch.bfloat16",
        }
    }


@pytest.mark.parametrize(
    "text",
    [
        "Namespace(",
        "Namespace(a=1" + ")" * 3,
        "Namespace(" + "a=Namespace(" * 300 + ")" * 301,
        "Namespace(a=" + "[" * 5000 + "]" * 5000 + ")",
        "Namespace(a='\\q')x",
        "Namespace(" + "x" * 300_000 + "=1)",
    ],
)
def test_what_is_no_namespace_stays_text(text: str) -> None:
    assert plain({"k": text}, []) == {"k": text}


def test_a_namespace_of_any_depth_stays_text() -> None:
    text = "Namespace(a=" * 60 + "1" + ")" * 60
    assert plain({"args": text}, []) == {"args": text}


def test_nothing_in_a_namespace_is_evaluated() -> None:
    found = plain({"k": "Namespace(a=__import__('os').getcwd(), b=1)"}, [])
    assert found == {"k": {"a": "__import__('os').getcwd()", "b": 1}}


@given(st.text(max_size=60))
@settings(max_examples=scaled(200))
def test_any_text_is_taken(text: str) -> None:
    plain({"k": f"Namespace({text})"}, [])


@pytest.mark.parametrize(
    "config", [{"a": [0] * 9}, {"a": {"b": [{}] * 8}}, {str(n): 1 for n in range(10)}]
)
def test_a_configuration_of_any_size_is_left_out(config: dict[str, JsonValue]) -> None:
    gaps: list[str] = []
    assert plain(config, gaps, most=10) == config
    assert gaps == []
    assert plain(config | {"z": None}, gaps, most=10) == {}
    assert len(gaps) == 1
