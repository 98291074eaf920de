"""libyaml reads what it is given as PyYAML's own parser does, which is Hydra's."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from bot.frameworks.files.config_files import ConfigLimits
from bot.frameworks.files.quick_yaml import omegaconf_class, quick_loader
from bot.frameworks.files.yaml_data import read_yaml

_LIMITS = ConfigLimits()
_COMPILED = pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML is without libyaml here")
_KEYS = st.sampled_from(["a", "b", "x.y", "'k'", "../o@p", "/a", "a b", "? a", "<<"])
_PARTS = st.sampled_from(
    [
        *(
            "a",
            "b",
            "key",
            "- ",
            ":",
            ": ",
            ", ",
            " ",
            "  ",
            "#",
            "# c",
            " # c",
            "'q'",
            '"d"',
            "''",
        ),
        *(
            r'"\n\"\\"',
            r'"\x"',
            "[]",
            "{}",
            "[a, b]",
            "['a','b']",
            "[1,2]",
            "${a.b}",
            "${oc.select:a.b,{}}",
            "???",
            "~",
        ),
        *(
            "null",
            "-1",
            "1e-5",
            "-",
            "?",
            "0x1f",
            "012",
            "1:20",
            "2020-01-01",
            ".inf",
            "a:b",
            "a::b",
        ),
        *("http://x/y", "a, b", "a]", "}", "it's", "%a", "@b", "`", ">", "!t", "&a", "*a", "---"),
        *("...", "--- a", "a#b", "é", "\u2028", "\t", "\r", "\ufeff", "[a", "- - a", "- a: b"),
    ]
)
_VALUES = st.lists(_PARTS, max_size=3).map("".join)
_LINES = st.one_of(
    st.tuples(_KEYS, st.sampled_from([":", ": ", ":  "]), _VALUES).map("".join),
    _VALUES.map(lambda value: f"- {value}"),
    _VALUES,
)
_TEXTS = st.lists(
    st.tuples(st.integers(0, 6).map(" ".__mul__), _LINES).map("".join), max_size=7
).map("\n".join)


def tree(node: yaml.Node | None) -> Any:
    """Tags and values of a tree, without places."""
    if isinstance(node, yaml.MappingNode):
        return node.tag, [(tree(key), tree(value)) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return node.tag, [tree(item) for item in node.value]
    return node and (node.tag, node.value)


@given(_TEXTS)
@example("a: b\n  c: d")
@example("a: [1,2]#c")
@example("a: 'b'\r\nc:\r\n  - d # e\r\n")
def test_the_trees_are_the_same(text: str) -> None:
    quick = quick_loader(text)
    if quick is None:
        return
    try:
        found = tree(quick.get_single_node())
    except yaml.YAMLError:
        return  # It is read again by the other.
    assert found == tree(omegaconf_class()(text).get_single_node())


@_COMPILED
@pytest.mark.parametrize(
    "value",
    ["1e5", "1e-5", "-1.5E+3", "1.e3", "1_0e1", "1_0.5", ".5", ".5e1", ".5e+1", "1.5e", "e5", "08",
     "1.", "1.5.2", "0x1f", "2026-01-01", "12:30.5", "+1", "-.inf", ".NaN", "1e5x", "yes", "null"],
)  # fmt: skip
def test_the_values_are_those_of_omegaconf(value: str) -> None:
    text = f"a: {value}\n"
    found = quick_loader(text)
    if found is not None:
        node = found.get_single_node()
        assert node is not None
        assert repr(found.construct_document(node)) == repr(omegaconf_class()(text).get_data())


@_COMPILED
def test_a_key_that_stands_twice_is_left_to_the_other() -> None:
    found = quick_loader("a: 1\na: 2\n")
    node = found.get_single_node() if found is not None else None
    assert found is not None
    assert node is not None
    with pytest.raises(yaml.YAMLError):
        found.construct_document(node)


@_COMPILED
@pytest.mark.parametrize(
    "text",
    [
        "# a comment — with a dash\na:\n  b: ${oc.select:c.d,null} # why\n  e: [ ]\n\n- f\n",
        "defaults:\n  - ../optim@optim: fsdp\n  - _self_\nname: ???\n'n': 1\nurl: file://a/b\n",
        "defaults:\r\n  - _self_\r\n\r\nname: ??? # of Windows\r\n",
        "rate: 1e-5\nlist: ['model', 'a b', -1]\ntext: \"it's\"\n",
        'template: "{% if a == \\"b\\" %}\\n\\t\\\\n{% endif %}" # a chat template\n',
    ],
)
def test_configurations_are_read_quickly(text: str) -> None:
    assert quick_loader(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "a:\tb",
        "a: &x 1\nb: *x",
        "a: !!int 1",
        "a: |\n  b",
        'a: "\\x41"',
        "a: {b: 1}",
        "--- a",
        "%YAML 1.1",
        "a: b\u2028c: d",
        "a: 1 # \ufeff",
        f"{' ' * 65}a: 1",
        "[" * 9_000,
        "- " * 9_000,
        "a: 1\n" * 60_000,
    ],
)
def test_what_might_differ_is_left_to_pyyaml(text: str) -> None:
    assert quick_loader(text) is None


@_COMPILED
def test_what_libyaml_refuses_is_refused_in_pyyamls_words() -> None:
    text = "a: 1\n b: 2\n"
    assert quick_loader(text) is not None
    with pytest.raises(Exception, match="line 2: mapping values are not allowed here"):
        read_yaml("x.yaml", text, _LIMITS)


@_COMPILED
def test_the_scalars_are_omegaconfs() -> None:
    text = "a: 1e-5\nb: 2020-01-01\nc: 012\nd: 1:20\ne: yes\n"
    assert quick_loader(text) is not None
    assert read_yaml("x.yaml", text, _LIMITS) == {
        "a": 1e-5,
        "b": "2020-01-01",
        "c": 10,
        "d": 80,
        "e": True,
    }


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(Exception, match="found duplicate key a"):
        read_yaml("x.yaml", "a: 1\na: 2\n", _LIMITS)
