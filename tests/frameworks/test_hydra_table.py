"""The table's verdicts against Hydra's own composition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from types import ModuleType
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from bot.frameworks.hydra import tree as trees
from bot.frameworks.hydra.rules import choice
from bot.frameworks.hydra.table import HydraTable
from tests.frameworks.conftest import Made
from tests.frameworks.made import setting
from tests.profiles import scaled

KEYS = (
    "name", "data", "data.size", "data.files", "data.must", "data.new", "data.shuffle", "data.seed",
    "cluster", "cluster.empty", "cluster.empty.a", "cluster.empty.a.b", "cluster.nothing",
    "cluster.nothing.a", "cluster.list", "cluster.list.0", "cluster.list.a", "cluster.nested.deep",
    "cluster.nested.deep.leaf", "cluster.nested.deep.leaf.below", "cluster.reference",
    "cluster.reference.deep", "cluster.dangling", "cluster.fallback", "cluster.relative",
    "cluster.text", "job.gpus", "job.split", "job.tensor", "job.options.fused",
    "job.strategy", "absent", "absent.far.below", "only_mega", "job.gpus.x",
)  # fmt: skip
VALUES = ("1", "null", "text", "[x]", "{leaf:2}", "{deep:{leaf:3}}", "{}", "${cluster.nodes}")
GROUPS = (
    "engine=mega", "engine=none", "+engine=mega", "++engine=mega", "~engine", "engine=1",
    "worker@job=mega_worker", "worker=mega_worker", "worker@elsewhere=mega_worker",
    "extra@data=other", "extra@data=base", "extra=other", "+extra@more=other", "~extra@data",
    "nogroup@data=x",
)  # fmt: skip

few = settings(max_examples=scaled(60))


def mappings() -> st.SearchStrategy[dict[str, Any]]:
    """Trees whose mappings are alike: few names, and values that Python takes for each other."""
    leaf = st.sampled_from(
        [0, 1, 1.0, True, False, None, "a long value of one of them", [1], [True]]
    )
    names = st.sampled_from(["one", "two", "three", "four"])
    return st.recursive(
        st.dictionaries(names, leaf, max_size=4),
        lambda below: st.dictionaries(names, below | leaf, max_size=4),
        max_leaves=12,
    )


@few
@given(st.lists(mappings(), min_size=1, max_size=4))
def test_a_table_gives_back_what_the_generator_packed(
    generate: ModuleType, trees_of: list[dict[str, Any]]
) -> None:
    wanted = {"tree": trees_of[0], "choices": {}}
    options = {str(at): {"tree": tree, "choices": {}} for at, tree in enumerate(trees_of)}
    roots, pool = generate.share({"root": {**wanted, "alternatives": {"group": options}}})
    data = {"framework": "made", "version": "1", "groups": {}, "roots": roots, "pool": pool}
    table = HydraTable(json.loads(json.dumps(data)), "root")
    assert json.dumps(table.tree, sort_keys=True) == json.dumps(trees_of[0], sort_keys=True)
    again = [tree for _, tree in table.alternatives]
    assert json.dumps(again, sort_keys=True) == json.dumps(trees_of, sort_keys=True)


def hydra_says(made: Made, overrides: Sequence[str]) -> dict[str, Any] | None:
    """The configuration that Hydra composes, None when it refuses."""
    try:
        with initialize_config_dir(config_dir=str(made.folder), version_base=None):
            config = compose("top_trainer", overrides=list(overrides))
    # Hydra lets ValueError, TypeError and the like of OmegaConf through for keys into lists.
    except (HydraException, OmegaConfBaseException, ValueError, TypeError, IndexError, KeyError):
        return None
    tree = OmegaConf.to_container(config, resolve=False)
    assert isinstance(tree, dict)
    return {str(key): value for key, value in tree.items()}


def compare(made: Made, overrides: Sequence[str]) -> bool:
    """Assert that table and Hydra agree; whether the table was sure."""
    given_settings = [setting(text) for text in overrides]
    verdicts = made.table.verdicts(given_settings)
    refused = [v for v in verdicts if v.accepted is False]
    said = hydra_says(made, overrides)
    shown = (overrides, verdicts)
    if refused:
        assert said is None, shown
    elif all(v.accepted for v in verdicts):
        assert said is not None, shown
        if not any("extra@more" in text or text[0] == "~" for text in overrides):
            assert made.table.composed(given_settings) == said, shown
    return bool(refused) or all(v.accepted for v in verdicts)


@few
@given(
    puts=st.lists(
        st.tuples(
            st.sampled_from(("name", "a", "a.b", "a.b.c", "a.b.d", "a.l", "a.l.0", "b", "b.c.d")),
            st.sampled_from((1, None, [1], {}, {"b": 2}, {"b": {"c": 3}}, "drop")),
            st.booleans(),
        )
    )
)
def test_a_draft_is_what_its_changes_give_one_by_one(puts: list[tuple[str, Any, bool]]) -> None:
    start: dict[str, Any] = {"name": 0, "a": {"b": {"c": 1}, "l": [1, 2]}, "b": {"c": {}}}
    before = deepcopy(start)
    draft, tree = trees.Draft(start), start
    for key, value, force in puts:
        try:
            tree = (
                trees.drop(tree, key)
                if value == "drop"
                else trees.put(tree, key, value, force=force)
            )
        except trees.CannotPutError:
            with pytest.raises(trees.CannotPutError):
                draft.drop(key) if value == "drop" else draft.put(key, value, force=force)
        else:
            draft.drop(key) if value == "drop" else draft.put(key, value, force=force)
        assert draft.tree == tree
    assert start == before


@pytest.mark.slow
def test_every_group_override(made: Made) -> None:
    unsure = [text for text in GROUPS if not compare(made, [text])]
    assert unsure == ["~engine", "~extra@data"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "texts",
    [
        ["+extra@data=base"],
        ["+extra@more=other", "+extra@more=other"],
        ["+extra@more=other", "+extra@more=base"],
        ["+extra@more=other", "extra@more=base"],
        ["extra@more=base", "+extra@more=other"],
    ],
)
def test_what_is_added_is_added_once(made: Made, texts: list[str]) -> None:
    sure = compare(made, texts)
    assert sure == all(text.startswith("+") for text in texts)


@pytest.mark.slow
@pytest.mark.parametrize("option", ["plain_worker", "mega_worker"])
def test_a_choice_beside_one_that_decides_it(made: Made, option: str) -> None:
    """Hydra takes the default that is chosen again; what it gives beside the other is not known."""
    sure = compare(made, ["engine=mega", f"worker@job={option}"])
    assert sure == (option == "mega_worker")


overrides = st.builds(
    lambda operator, key, value: f"{operator}{key}={value}",
    st.sampled_from(("", "+", "++", "~")),
    st.sampled_from(KEYS),
    st.sampled_from(VALUES),
)


@pytest.mark.slow
@few
@given(text=overrides)
def test_one_override(made: Made, text: str) -> None:
    # Only a run knows what a text with references in it reads.
    assert compare(made, [text]) or text.startswith("~cluster.text")


choices = st.sampled_from(
    ("engine=mega", "extra@data=other", "worker@job=mega_worker", "worker@job=plain_worker")
)


@pytest.mark.slow
@few
@given(texts=st.lists(overrides | choices, min_size=2))
def test_overrides_one_after_another(made: Made, texts: list[str]) -> None:
    compare(made, texts[:4])


@pytest.mark.parametrize(
    ("text", "status", "suggestion"),
    [
        ("data.size=1", "ok", None),
        ("+data.new=1", "ok", None),
        ("++data.size=1", "ok", None),
        ("+data.files=x", "ok", None),
        ("+data.must=1", "ok", None),
        ("data.sise=1", "unknown", "data.size"),
        ("+data.size=1", "exists", "data.size"),
        ("cluster.empty.a=1", "needs-plus", "+cluster.empty.a"),
        ("cluster.nothing.a=1", "needs-plus", "+cluster.nothing.a"),
        ("~data.new", "absent", None),
        ("data.size.a=1", "below-leaf", None),
        ("+data.size.a=1", "below-leaf", None),
        ("engine=none", "group", None),
        ("worker=mega_worker", "group", "worker@job"),
        ("cluster.list={a:1}", "invalid", None),
    ],
)
def test_status(made: Made, text: str, status: str, suggestion: str | None) -> None:
    verdict = made.table.verdicts((setting(text),))[0]
    assert (verdict.status, verdict.suggestion) == (status, suggestion)


def test_an_addition_below_a_value_is_taken_but_reported(made: Made) -> None:
    verdict = made.table.verdicts((setting("+data.size.a=1"),))[0]
    assert verdict.accepted
    assert not verdict
    assert verdict.message == (
        "data.size is a single setting: data.size.a replaces its value by a mapping"
    )


def test_a_key_of_another_choice_names_the_choice(made: Made) -> None:
    verdict = made.table.verdicts((setting("job.tensor=4"),))[0]
    assert (verdict.status, verdict.choice) == ("unknown", "engine=mega")
    assert all(made.table.verdicts([setting("job.tensor=4"), setting("engine=mega")]))


def test_choices_that_stay_apart_are_exact_together(made: Made) -> None:
    pair = [setting("engine=mega"), setting("extra@data=other")]
    after = [setting(text) for text in ("data.seed=2", "job.tensor=4", "data.absent=2")]
    statuses = [verdict.status for verdict in made.table.verdicts([*pair, *after])]
    assert statuses == ["ok", "ok", "ok", "ok", "unknown"]


@pytest.mark.parametrize(
    ("worker", "status"), [("mega_worker", "unknown"), ("plain_worker", "undecided")]
)
def test_choices_that_decide_others(made: Made, worker: str, status: str) -> None:
    pair = [setting("engine=mega"), setting(f"worker@job={worker}")]
    for texts in (pair, pair[::-1]):
        found = made.table.verdicts([*texts, setting("data.size=2"), setting("job.absent=2")])[2:]
        assert [verdict.status for verdict in found] == ["ok", status]
        assert found[0].accepted is (True if status == "unknown" else None)


def test_a_search_path_makes_groups_undecidable(made: Made) -> None:
    texts = ["hydra.searchpath=[pkg://x]", "engine=none", "new@data=x", "data.size=1", "data.x=1"]
    found = made.table.verdicts([setting(text) for text in texts])
    assert [v.status for v in found] == ["ok", "undecided", "undecided", "ok", "undecided"]
    assert [v.accepted for v in found] == [None] * 5
    assert found[4].message == "hydra.searchpath adds configuration that is not known"


def test_the_last_choice_of_a_group_wins(made: Made) -> None:
    texts = ["engine=mega", "engine=plain", "job.split=2"]
    assert all(v.accepted for v in made.table.verdicts([setting(text) for text in texts]))
    assert compare(made, texts)


def test_the_types_of_keys(made: Made) -> None:
    table: HydraTable = made.table
    found = {
        key: (known.type, known.default, known.free)
        for key in (
            "data.size", "data.must", "data.files", "cluster.empty", "cluster.nested", "name",
            "cluster.list", "cluster.relative", "cluster.fallback", "cluster.text", "job.gpus",
            "cluster.nested.deep.leaf", "data.shuffle", "cluster.reference",
        )
        if (known := table.get(key))
    }  # fmt: skip
    assert found == {
        "data.size": ("int", 8, False),
        "data.must": ("mandatory", "???", False),
        "data.files": ("null", None, False),
        "cluster.empty": ("dict", {}, True),
        "cluster.nested": ("dict", None, False),
        "name": ("str", "made", False),
        "cluster.list": ("list", ["a", "b"], False),
        "cluster.relative": ("int", "${.nodes}", False),
        "cluster.fallback": ("int", "${oc.select:cluster.absent,7}", False),
        "cluster.text": ("str", "run-${cluster.nodes}", False),
        "job.gpus": ("int", "${cluster.gpus}", False),
        "cluster.nested.deep.leaf": ("float", 1.5, False),
        "data.shuffle": ("bool", True, False),
        "cluster.reference": ("dict", "${cluster.nested}", False),
    }
    assert "data.new" not in table
    assert table.choices == {"engine": "plain", "worker@job": "plain_worker", "extra@data": "base"}


def test_a_verdict_has_its_hint_whether_it_was_asked_before(made: Made) -> None:
    both = (setting("data.sise=1"), setting("data.size=1"))
    assert made.table.refused(both) == (True, False)
    assert made.table.verdicts(both)[0].suggestion == "data.size"
    taken = (setting("data.size=1"), setting("+data.new=1"))
    assert made.table.refused(taken) == (False, False)
    assert made.table.verdicts(taken) == made.table.verdicts([*taken])


def test_of_many_options_those_are_named_that_hold_what_is_wanted() -> None:
    """Of 25 of mh-amani/LLM-RL's group `data`, as `data=parity` asks for."""
    options = [f"gsm8k_{number}" for number in range(10)] + ["parity_16", "parity_64"]
    verdict = choice(setting("data=parity"), "data", options, {"data": "gsm8k_0"})
    assert verdict.message == (
        "data has no option parity; it has parity_16, parity_64, gsm8k_0, gsm8k_1, gsm8k_2, "
        "gsm8k_3, gsm8k_4, gsm8k_5 and 4 more"
    )
