"""The packages of `bot`, their order, and what a module may be."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import grimp
import pytest

from tests.command import ROOT

LAYERS: tuple[str, ...] = tuple(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]["layers"]
)
LINES = 400


def _lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from importlinter import cli; sys.exit(cli.lint_imports(no_cache=True))"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
    )


@pytest.mark.process
def test_packages_import_only_what_stands_below_them() -> None:
    done = _lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.process
def test_an_import_of_the_package_above_breaks_the_contract(tmp_path: Path) -> None:
    """For each package, hidden as well as one can be: inside a function, in a new module.

    So do an import of a rule by another, one of the memory model's readers by its arithmetic, one
    of what carries a script out by what it works on, and a package outside the order.
    """
    shutil.copytree(ROOT / "bot", tmp_path / "bot", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for upper, lower in pairwise(LAYERS):
        text = f"def f() -> None:\n    import bot.{upper}\n"
        (tmp_path / "bot" / lower / "planted.py").write_text(text, encoding="utf-8")
    rule = tmp_path / "bot" / "rules" / "another.py"
    rule.write_text("from bot.rules import unknown_key\n", encoding="utf-8")
    part = tmp_path / "bot" / "memory" / "components" / "planted.py"
    part.write_text("import bot.memory.readers.settings\n", encoding="utf-8")
    world = tmp_path / "bot" / "shell" / "world" / "planted.py"
    world.write_text("import bot.shell.run.runner\n", encoding="utf-8")
    done = _lint_imports(tmp_path)
    assert done.returncode == 1
    for upper, lower in pairwise(LAYERS):
        assert f"bot.{lower} is not allowed to import bot.{upper}:" in done.stdout
        assert f"bot.{lower}.planted -> bot.{upper}" in done.stdout
    assert "bot.rules.another -> bot.rules.unknown_key" in done.stdout
    assert "bot.memory.components is not allowed to import bot.memory.readers:" in done.stdout
    assert "bot.shell.world is not allowed to import bot.shell.run:" in done.stdout
    (tmp_path / "bot" / "loose.py").write_text("", encoding="utf-8")
    done = _lint_imports(tmp_path)
    assert done.returncode == 1
    assert "loose" in done.stdout


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports inside functions and under TYPE_CHECKING count too."""
    graph = grimp.build_graph("bot", cache_dir=None)
    circles = []
    for module in sorted(graph.modules):
        for imported in graph.find_modules_directly_imported_by(module):
            if graph.chain_exists(imported, module):
                circles.append(f"{module} -> {imported}")
    assert circles == []


def test_the_first_screen_shows_packages_only() -> None:
    loose = {path.name for path in (ROOT / "bot").iterdir() if path.is_file()}
    assert loose == {"__init__.py", "__main__.py", "py.typed"}
    packages = {
        path.name for path in (ROOT / "bot").iterdir() if path.is_dir() and path.name[0] != "_"
    }
    assert packages - {"locale"} == set(LAYERS)


@pytest.mark.process
def test_the_repository_shows_what_it_is_made_of() -> None:
    """A file that came in by mistake is seen here, not by a stranger."""
    command = ["git", "ls-files"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    folders = {"benchmarks", "bot", "deploy", "docs", "examples", "requirements", "schemas",
               "tests", "tools"}  # fmt: skip
    files = {"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md",
             "action.yml", "mkdocs.yml", "pyproject.toml"}  # fmt: skip
    shown = {path.partition("/")[0] for path in done.stdout.splitlines()}
    assert {name for name in shown if name[0] != "."} == folders | files


def test_no_module_is_long() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / "bot").rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LINES
    }
    assert long == {}
