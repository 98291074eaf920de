"""Each class is made twice, by the standard decorator and by ours: nobody can tell them apart."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import asdict, field, fields, replace
from typing import Any, Generic, TypeVar

import pytest

from bot.base.fast_dataclass import dataclass as fast
from tests.parsed import modules, nodes

OPTIONS: tuple[dict[str, bool], ...] = (
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "kw_only": True},
    {"frozen": True},
    {"slots": True},
    {"slots": True, "kw_only": True},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True, "eq": False},
    {},
)
T = TypeVar("T")


def made(decorator: Callable[..., Any], **options: bool) -> Any:
    """A class with a field of each kind."""

    @decorator(**options)
    class Shape(Generic[T]):
        """A shape."""

        name: str
        sides: tuple[int, ...] = (1, 2)
        tags: list[str] = field(default_factory=list)
        hidden: int = field(default=7, repr=False, compare=False)
        area: int = field(init=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "area", sum(self.sides))

    return Shape


@fast(frozen=True, slots=True)
class Base:
    first: int


@fast(frozen=True, slots=True)
class Derived(Base):
    second: int = 2


@fast(slots=True)
class Nothing:
    """No field at all."""


@fast(frozen=True, slots=True)
class Own:
    """What a class defines itself stays."""

    value: int

    def __repr__(self) -> str:
        return "mine"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 5


@pytest.mark.parametrize("before", [0, 100], ids=["few", "many"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda given: " ".join(given) or "plain")
def test_nobody_can_tell_them_apart(options: dict[str, bool], before: int) -> None:
    ours, theirs = (made(make, **options) for make in (fast, dataclasses.dataclass))
    slow = ours.__init__
    for _ in range(before):
        ours(name="a")
    assert (ours.__init__ is slow) == (not before)  # That of many objects is compiled.
    one, other = ours(name="a"), theirs(name="a")
    assert repr(one) == repr(other)
    assert asdict(one) == asdict(other)
    assert asdict(replace(one, sides=(3,))) == asdict(replace(other, sides=(3,)))
    assert ours.__match_args__ == theirs.__match_args__
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]
    for cls in (ours, theirs):
        assert (cls(name="a") == cls(name="a", hidden=8)) is options.get("eq", True)
        assert cls(name="a") != cls(name="b")
        assert cls(name="a") != "a"
        assert cls(name="a").tags is not cls(name="a").tags
        with pytest.raises(TypeError):
            cls()
        with pytest.raises(TypeError):
            cls(name="a", area=3)
        if options.get("kw_only"):
            with pytest.raises(TypeError):
                cls("a")
        else:
            assert cls("a", (4,)).area == 4
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    assert hasattr(one, "__dict__") == hasattr(other, "__dict__")
    if not options.get("frozen"):  # Which the type checker holds alone.
        for thing in (one, other):
            thing.name = "b"
            assert thing.name == "b"


def test_copies_and_pickles() -> None:
    one = Derived(1, 5)
    assert copy.copy(one) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one  # noqa: S301
    assert hash(one) == hash(Derived(1, 5))
    assert one != Base(1)
    match one:
        case Derived(first, second):
            assert (first, second) == (1, 5)


def test_edges() -> None:
    assert Nothing() == Nothing()
    assert repr(Nothing()) == "Nothing()"
    assert repr(Own(1)) == "mine"
    assert hash(Own(1)) == 5
    assert Own(1) == Own(2)


def test_the_program_uses_it() -> None:
    """One that is ordered is made by the standard decorator; no other."""
    own = "bot.base.fast_dataclass"
    for path, tree in modules().items():
        for node in nodes(tree, ast.ImportFrom):
            if node.module in ("dataclasses", own):
                names = {name.name for name in node.names}
                standard = "dataclass" in names and node.module == "dataclasses"
                assert not standard or path.name in ("fast_dataclass.py", "pull.py"), path
