"""Where defaults lists are composed without Hydra, Hydra gives the same."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.frameworks.files.config_files import LIMITS, ComposeError
from bot.frameworks.hydra.config_folder import ConfigFolder
from bot.frameworks.hydra.memory_source import MemoryRepository, compose
from bot.frameworks.hydra.plain_defaults import NotPlainError, compose_plainly
from tests.profiles import scaled

ROOT = "root"
ENTRIES = (
    "_self_", "one", "/one", "group/a", "group: a", "group: b", "group@x.y: a", "/group@z: b",
    "override group: b", "override group@x.y: b", "override /group@z: a", "other: ${group}",
    "other@w: ${group}", "other: x${group}", "../other: a", "../other@v: b", "deep/er: a",
    "other: a", "one@p", "other@@q.r: a", "group@@x: ${other}", "gone: a", "optional group: a",
    "group: null", "group: [a, b]",
    "group@_here_: a", "group@_global_: a", "group: ???", "other: ${defaults}", "other: ${gone}",
)  # fmt: skip
LINES = ("v: 1", "v: {w: 2}", "z: 3", "x: {y: {v: 4}}", "v: ${z}", "group: g", "a: ???")
HEADERS = ("", "", "", "# @package _global_", "# @package q", "# a remark")
PATHS = (
    f"{ROOT}.yaml", "one.yaml", "group/a.yaml", "group/b.yaml", "other/a.yaml", "other/b.yaml",
    "other/xb.yaml", "deep/er/a.yaml",
)  # fmt: skip
_texts = st.builds(
    lambda header, listed, lines: "\n".join(
        [header, *(["defaults:", *(f"  - {item}" for item in listed)] if listed else []), *lines]
    ),
    st.sampled_from(HEADERS),
    st.lists(st.sampled_from(ENTRIES), max_size=3),
    st.lists(st.sampled_from(LINES), max_size=2, unique_by=lambda line: line[0]),
)


def plainly(files: Mapping[str, str], chosen: Mapping[str, str], root: str = ROOT) -> object:
    """The plain answer and its cost; None where Hydra is to say."""
    folder = ConfigFolder({path: text.encode() for path, text in files.items()}, LIMITS)
    try:
        tree, choices, nodes = compose_plainly((folder,), LIMITS, root, chosen)
    except NotPlainError:
        return None
    return tree, list(choices.items()), nodes


def by_hydra(files: Mapping[str, str], chosen: Mapping[str, str], root: str = ROOT) -> object:
    """Hydra's answer and its cost, or its refusal."""
    folder = ConfigFolder({path: text.encode() for path, text in files.items()}, LIMITS)
    repository = MemoryRepository((folder,), LIMITS)
    try:
        tree, choices = compose(repository, root, chosen)
    except ComposeError as error:
        return error
    return tree, list(choices.items()), repository.nodes


@settings(max_examples=scaled(400))
@given(
    files=st.fixed_dictionaries(dict.fromkeys(PATHS, _texts)),
    chosen=st.dictionaries(
        st.sampled_from(["group", "other", "group@x.y", "group@z", "gone"]),
        st.sampled_from(["a", "b", "xb", "gone"]),
        max_size=2,
    ),
    root=st.sampled_from([ROOT, ROOT, "group/a"]),
)
def test_an_answer_without_hydra_is_that_of_hydra(
    files: dict[str, str], chosen: dict[str, str], root: str
) -> None:
    found = plainly(files, chosen, root)
    if found is not None:
        assert repr(found) == repr(by_hydra(files, chosen, root))


USUAL = {
    f"{ROOT}.yaml": "defaults:\n  - engine: dp\n  - actor@job.actor: ${engine}_actor\n  - data\n"
    "  - _self_\njob: {n: 1}\n",
    "fork.yaml": "defaults:\n  - root\n  - override engine: mega\n  - _self_\njob: {n: 2}\n",
    "twice.yaml": "defaults:\n  - actor@@job.actor: dp_actor\n  - _self_\njob: {n: 1}\n",
    "engine/dp.yaml": "# @package _global_\nengine_name: dp\n",
    "engine/mega.yaml": "# @package _global_\nengine_name: mega\n",
    "actor/dp_actor.yaml": "defaults:\n  - ../optim@optim: sgd\n  - base\n  - _self_\nlr: 1e-5\n",
    "actor/mega_actor.yaml": "defaults: [base, _self_]\nsplit: 2\n",
    "actor/base.yaml": "size: ${..n}\n",
    "optim/sgd.yaml": "name: sgd\n",
    "optim/adam.yaml": "name: adam\n",
    "data.yaml": "files: ~/data\n",
}
"""What verl's own configuration holds."""


@pytest.mark.parametrize(
    ("root", "chosen"),
    [
        (ROOT, {}),
        (ROOT, {"engine": "mega"}),
        (ROOT, {"actor/../optim@job.actor.optim": "adam"}),
        (ROOT, {"actor@job.actor": "mega_actor"}),
        ("fork", {}),
        ("twice", {}),
        ("actor/dp_actor", {}),
    ],
)
def test_usual_lists_need_no_hydra(root: str, chosen: dict[str, str]) -> None:
    found = plainly(USUAL, chosen, root)
    assert found is not None
    assert repr(found) == repr(by_hydra(USUAL, chosen, root))


@pytest.mark.parametrize(
    "text",
    [
        "defaults: [gone]", "defaults: [{optional engine: dp}]", "defaults: [{engine: null}]",
        "defaults: [{engine: [dp, mega]}]", "defaults: [engine@_here_: dp]", "defaults: 5",
        "defaults: [{engine: dp}, {engine: mega}]", "defaults: [_self_, _self_]", "a: ${x:1}",
        "defaults: [{override engine: dp}]", "defaults: [{override engine: dp}, data]",
        "defaults: [{actor: '${gone}_actor'}]", "defaults: [root]", "# @package x\na: 1",
        "defaults: [data.yaml]", "a: &a [1]\nb: *a", "- 1", "a: [", "a: 1\na: 2",
    ],
)  # fmt: skip
def test_other_lists_are_left_to_hydra(text: str) -> None:
    found = plainly({**USUAL, f"{ROOT}.yaml": text}, {})
    assert found is None or repr(found) == repr(by_hydra({**USUAL, f"{ROOT}.yaml": text}, {}))
