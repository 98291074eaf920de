"""All releases in one file give each release back as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.frameworks.settings.timeline import Modules, Timeline
from tests.frameworks.generator import beside_generator
from tests.profiles import scaled

fold = beside_generator("options_file").fold
RELEASES = ("0.1", "0.2", "0.2.post1", "0.10")

rows = st.tuples(
    st.sampled_from(("a_b", "other")),
    st.sampled_from(("int", "str", "flag")),
    st.sampled_from(("", "0", "+")),
    st.sampled_from((None, 0, False, "x", [1.5])),
    st.sampled_from((None, ["x", "y"])),
).map(list)
modules: st.SearchStrategy[Modules] = st.dictionaries(
    st.sampled_from(("m.one", "m.two", "m.three")),
    st.dictionaries(st.sampled_from(("a_b", "a-b", "c.d", "e")), rows, max_size=4),
    max_size=3,
)
histories = st.fixed_dictionaries(dict.fromkeys(RELEASES, modules))


def folded(each: Mapping[str, Modules]) -> Timeline:
    data = fold("made", {release: f"{release}.whl" for release in RELEASES}, each)
    return Timeline(json.loads(json.dumps(data)))


@settings(max_examples=scaled(300))
@given(each=histories)
def test_every_release_comes_back(each: dict[str, Modules]) -> None:
    found = folded(each)
    assert found.releases == RELEASES
    assert found.every_module == {name for rows in each.values() for name in rows}
    assert not found.having("a_b", "m.none")
    for release in RELEASES:
        assert found.modules(release) == each[release]
    for module in ("m.one", "m.two", "m.three"):
        for option in ("a_b", "a-b", "c.d", "e"):
            having = [r for r in RELEASES if option in each[r].get(module, {})]
            assert list(found.having(option, module)) == having
            assert (module in found.modules_having(option)) == bool(having)
    for option in ("a_b", "e", "nothing"):
        anywhere = [r for r in RELEASES if any(option in rows for rows in each[r].values())]
        assert list(found.having(option)) == anywhere


@settings(max_examples=scaled(50))
@given(each=histories)
def test_folding_again_changes_nothing(each: dict[str, Modules]) -> None:
    found = folded(each)
    again = folded({release: found.modules(release) for release in RELEASES})
    assert [again.modules(release) for release in RELEASES] == [each[r] for r in RELEASES]


def test_what_stays_the_same_is_written_once() -> None:
    row = ["a_b", "int", "", 1, None]
    each: dict[str, Modules] = {r: {"m.one": {"a_b": row}, "m.two": {"a_b": row}} for r in RELEASES}
    each["0.10"] = {"m.two": {"a_b": row}}
    data = fold("made", dict.fromkeys(RELEASES, ""), each)
    assert data["options"] == [["a_b", [0, 1], [["0.1", "0.10", "int", "", 1]]]]
    assert data["modules"] == [["m.one", [["0.1", "0.2.post1"]]], ["m.two", [["0.1", "0.10"]]]]


def test_an_unknown_release() -> None:
    with pytest.raises(KeyError):
        folded({release: {} for release in RELEASES}).modules("9.9")
