"""Dataclasses as transformers' parser makes options of them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.options import read_line
from bot.frameworks.settings.releases import timeline
from bot.frameworks.settings.setting import BadArgument
from tests.frameworks.generator import beside_generator
from tests.frameworks.made import word

BASE = """
from enum import Enum
class Strategy(ExplicitEnum):
    NO = "no"
    STEPS = "steps"
@dataclass
class Base:
    framework = "pt"
    lr: float = field(default=5e-5, metadata={"help": "x"})
    strategy: Union[Strategy, str] = field(default="no")
    steps: Optional[int] = None
    report: Union[None, str, list[str]] = None
    kwargs: Optional[Union[dict, str]] = field(default_factory=dict)
    level: str = field(default="a", metadata={"choices": ["a", "b"], "aliases": ["--lv"]})
    hidden: int = field(init=False, default=1)
    shared: ClassVar[int] = 3
    pin: bool = True
    shards: str | None = field(default=None, metadata={"nargs": "?", "const": True})
    spared: bool | None = field(default=None, metadata={"nargs": "?", "const": True})
"""
OWN = """
from made.base import Base
from made.other import Twin
@dataclass
class Config(Base):
    lr: float = 1e-6
    kind: Literal["x", "y"] | None = "x"
    codes: Literal[0, 1] = 0
    on: bool = field(default=False)
    maybe: bool | None = None
    names: "list[str] | None" = None
    strategy: Strategy = Strategy.STEPS
    alias: Words = "p"
@dataclass
class Twin:
    mine: int = 1
Words = Literal["p", "q"]
if __name__ == "__main__":
    kinds = (Config, other.Twin)
    parser = TrlParser(kinds)
"""
OTHER = "@dataclass\nclass Twin:\n    theirs: int = 1\n"


@pytest.fixture(scope="session")
def reader() -> ModuleType:
    return beside_generator("dataclass_options")


@pytest.fixture(scope="session")
def found(reader: ModuleType) -> dict[str, list[Any]]:
    files = {"made/config.py": OWN, "made/base.py": BASE, "made/other.py": OTHER}
    sources = reader.Sources.of(files)
    names = reader.parsed_classes(sources.trees["made/config.py"])
    assert names == ["Config", "other.Twin"]
    rows: dict[str, list[Any]] = reader.options_of_classes(sources, "made/config.py", names)
    return rows


def test_fields_become_options(found: dict[str, list[Any]]) -> None:
    assert {name: row[1:] for name, row in found.items()} == {
        "lr": ["float", "", 1e-6, None],
        "strategy": ["str", "", "steps", ["no", "steps"]],
        "steps": ["int", "", None, None],
        "report": ["str", "", None, None],
        "kwargs": ["str", "", {}, None],
        "level": ["str", "", "a", ["a", "b"]],
        "lv": ["str", "", "a", ["a", "b"]],
        "pin": ["bool", "?", True, None],
        "no_pin": ["off", "0", True, None],
        "shards": ["str", "?true", None, None],
        "spared": ["bool", "?", None, None],
        "kind": ["str", "", "x", ["x", "y"]],
        "codes": ["int", "", 0, [0, 1]],
        "on": ["bool", "?", False, None],
        "maybe": ["bool", "", None, None],
        "names": ["str", "+", None, None],
        "alias": ["str", "", "p", ["p", "q"]],
        "mine": ["int", "", 1, None],
    }
    assert (found["no_pin"][0], found["lv"][0]) == ("pin", "level")


def test_a_class_is_found_by_the_imports_of_its_file(reader: ModuleType) -> None:
    files = {"made/one.py": "class Twin: ...", "made/other.py": OTHER}
    user = "from made import other\nfrom made.other import Twin as Second\n"
    sources = reader.Sources.of({**files, "made/user.py": user})
    for name in ("other.Twin",):
        assert sources.find(name, "made/user.py")[0] == "made/other.py"
    assert sources.find("Twin", "made/other.py")[0] == "made/other.py"
    assert sources.find("Twin", "elsewhere.py")[0] == "made/one.py"
    assert sources.find("Nothing", "made/user.py") is None


def test_an_unknown_class(reader: ModuleType) -> None:
    with pytest.raises(KeyError):
        reader.options_of_classes(reader.Sources.of({}), "x.py", ["Gone"])


@pytest.fixture(scope="session")
def options(found: dict[str, list[Any]]) -> OptionTable:
    rows = {**found, "limit": ["limit", "int?", "", 3, None], "use_it": found["on"]}
    data = {"framework": "made", "version": "1", "dashed": True, "roots": {"made.m": rows}}
    return OptionTable(data, "made.m")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("--on", "on", True),
        ("--on false", "on", False),
        ("--on=NO", "on", False),
        ("--maybe T", "maybe", True),
        ("--no_pin", "pin", False),
        ("--no-pin", "pin", False),
        ("--shards", "shards", True),
        ("--shards full", "shards", "full"),
        ("--spared", "spared", True),
        ("--spared no", "spared", False),
        ("--limit None", "limit", None),
        ("--limit 4", "limit", 4),
        ("--names a b", "names", ["a", "b"]),
        ("--use-it", "use_it", True),
        ("--lr 1e-5", "lr", 1e-5),
    ],
)
def test_values(options: OptionTable, text: str, key: str, value: object) -> None:
    line = read_line([word(part) for part in text.split()], options)
    (setting,) = line.settings
    assert (setting.key, setting.value, line.bad) == (key, value, [])
    assert options.verdict(setting)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("--on perhaps", "--on takes true or false, not 'perhaps'"),
        ("--maybe", "--maybe needs a value"),
        ("--steps none", "--steps takes a whole number, not 'none'"),
        ("--kind z", "--kind takes one of x, y, not 'z'"),
        ("--nothing 1", "made.m of made 1 has no --nothing"),
    ],
)
def test_refusals(options: OptionTable, text: str, refusal: str) -> None:
    line = read_line([word(part) for part in text.split()], options)
    bad: list[BadArgument] = line.bad
    messages = [b.message for b in bad] + [v.message for v in options.verdicts(line.settings)]
    assert refusal in messages


MOVED = "@dataclass\nclass Config(Base):\n    lr: float = 0.5\n    moved: int = 1\n"
SHIM = """
with quiet():
    from ..later.made import Config as _Config
@dataclass
class Config(_Config):
    def __post_init__(self):
        super().__post_init__()
"""


def test_a_class_that_moved_and_left_one_of_its_name(reader: ModuleType) -> None:
    """TRL 0.26 to 0.28 has `class KTOConfig(_KTOConfig)`, which lost all that it had."""
    files = {"made/config.py": SHIM, "later/made/made_config.py": MOVED, "made/base.py": BASE}
    options = reader.options_of_classes(reader.Sources.of(files), "made/config.py", ["Config"])
    assert (options["lr"][3], options["moved"][3], options["steps"][3]) == (0.5, 1, None)


def test_each_trainer_of_trl_has_what_transformers_has() -> None:
    tables = timeline("trl")
    assert tables is not None
    lacking = {
        (release, module)
        for release in tables.releases
        for module, options in tables.modules(release).items()
        if module not in ("accelerate.commands.launch", "trl.scripts.chat")
        if not {"output_dir", "learning_rate", "model_name_or_path"} <= options.keys()
    }
    assert lacking == set()
