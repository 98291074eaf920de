"""What all tests share: the marks of what they need, and runs written by the real SDK."""

from __future__ import annotations

import gc
import itertools
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings

from bot.base.isolated import isolated, prepare
from tests.hub_server import Hub, serving_hub
from tests.isolation import ISOLATING, run_here
from tests.needs import FREE, MARKS, Guard, needs_of
from tests.profiles import QUICK
from tests.runs.kept import kept_run
from tests.runs.recipe import RunRecipe

ROOT = Path(__file__).resolve().parents[1]
_GUARD = pytest.StashKey[Guard]()

WrittenRun: TypeAlias = Callable[[RunRecipe], Path]

# What collecting makes stays to the end, and walking it again and again takes a fifth of all time.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for cycles among what the tests make, and seldom."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="only tests without a mark of tests/needs.py: two cases and few examples of each",
    )


def pytest_configure(config: pytest.Config) -> None:
    for mark, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{mark}: {meaning}")
    if config.getoption("quick"):
        settings.load_profile(QUICK)
        config.stash[_GUARD] = Guard()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    name = _name(collection_path)
    left = needs_of(name) and not any(file.startswith(f"{name}/") for file in FREE)
    return True if config.getoption("quick") and left else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for mark in needs_of(_name(item.path), getattr(item, "fixturenames", ())):
            item.add_marker(mark)
    if config.getoption("quick"):
        left = {item for item in items if any(map(item.get_closest_marker, MARKS))}
        left |= _between(item for item in items if item not in left)
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
        config.stash[_GUARD].taken()  # what modules asked for while they were imported


def _between(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """The cases of each function between the first and the last."""
    left: set[pytest.Item] = set()
    for _, found in itertools.groupby(items, lambda item: item.nodeid.partition("[")[0]):
        left.update(list(found)[1:-1])
    return left


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    yield
    guard = item.config.stash.get(_GUARD, None)
    if guard and (started := guard.taken()):
        pytest.fail(f"{', '.join(started)}: name what the test needs in tests/needs.py")


@pytest.fixture(scope="session", autouse=True)
def _isolated_work_done_here() -> Iterator[None]:
    """What is isolated works in the process of the test, which is faster."""
    if sys.platform == "emscripten":  # A browser's Python has no processes, and nothing isolated.
        yield
        return
    prepare("bot.service.preload", start=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.review.check.prepare", lambda _module: None)
        for user in ISOLATING:
            patch.setattr(f"{user}.isolated", run_here)
        yield


@pytest.fixture(autouse=True)
def _isolated_work_isolated(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for users, in tests that may start processes."""
    if any(map(request.node.get_closest_marker, ("process", "database"))):
        monkeypatch.setattr("bot.review.check.prepare", prepare)
        for user in ISOLATING:
            monkeypatch.setattr(f"{user}.isolated", isolated)


@cache  # Thousands of tests stand in hundreds of files.
def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> WrittenRun:
    """The folder of a recipe's run; it is shared, so a test copies what it changes."""
    folders: dict[str, Path] = {}

    def folder(recipe: RunRecipe) -> Path:
        key = recipe.to_json()
        if key not in folders:
            source = kept_run(recipe)
            folders[key] = tmp_path_factory.mktemp("run") / "wandb" / source.name
            shutil.copytree(source, folders[key], symlinks=True)
        return folders[key]

    return folder


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A server that answers as the Hugging Face Hub does of models' configurations."""
    with serving_hub() as found:
        yield found
