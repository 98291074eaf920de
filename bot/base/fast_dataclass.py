"""`dataclass` as in the standard library, made in a quarter of the time.

Up to Python 3.12 the standard one compiles six functions for each frozen class, half a millisecond;
`rlbot lint` defines two hundred classes before it reads its first line. Here `__init__` alone is
compiled, when the first object is made, since half of the classes get none in a plain check; the
other methods are closures over the names of the fields. In all else the class is the standard
library's: `fields`, `replace`, `asdict`, `match` and pickling work, and type checkers see the
standard decorator. A class and its bases are made by the same one of the two.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, kw_only: bool = False, eq: bool = True
    ) -> Callable[[type], type]:
        """As the standard one with these options; `repr` and `init` are always made."""

        def made(cls: type) -> type:
            if not cls.__doc__:
                cls.__doc__ = cls.__name__  # The standard one would read a signature for it.
            plain = dataclasses.dataclass(
                init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
            )
            return _completed(plain(cls), frozen=frozen, eq=eq)

        return made


def _completed(cls: type, *, frozen: bool, eq: bool) -> type:
    fields = dataclasses.fields(cls)
    methods: dict[str, object] = {
        "__init__": _first_init(cls, fields, frozen=frozen),
        "__repr__": _repr([field.name for field in fields if field.repr]),
    }
    if eq:
        values = _values([field.name for field in fields if field.compare])
        methods["__eq__"] = _eq(values)
        methods["__hash__"] = _hash(values) if frozen else None
    if frozen:
        names = [field.name for field in fields]
        methods |= {"__setattr__": _no_set, "__delattr__": _no_delete}
        methods |= {"__getstate__": _get_state(names), "__setstate__": _set_state(names)}
    # What the class defines itself stays; a class with __eq__ alone has its __hash__ set to None.
    own = {name for name in vars(cls) if name != "__hash__" or vars(cls)[name] is not None}
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _first_init(cls: type, fields: tuple[Field[Any], ...], *, frozen: bool) -> Callable[..., None]:
    """Puts the real one in its own place, and calls it."""

    def __init__(*given: Any, **named: Any) -> None:  # noqa: N807
        init = _init(cls, fields, frozen=frozen)
        cls.__init__ = init  # type: ignore[misc]
        init(*given, **named)

    return __init__


def _init(cls: type, fields: tuple[Field[Any], ...], *, frozen: bool) -> Callable[..., None]:
    """Compiled, since it runs for each object: positional fields, then those by keyword."""
    known: dict[str, object] = {"_set": object.__setattr__, "_default": MISSING}
    given = [field for field in fields if field.init]
    positional = [_parameter(field, known) for field in given if not field.kw_only]
    named = [_parameter(field, known) for field in given if field.kw_only]
    parameters = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    lines = [f"  {line}" for field in fields for line in _assigned(cls, field, known, frozen)]
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    code = "\n".join([f"def __init__({parameters}):", *lines, "  return None"])
    exec(code, known)  # noqa: S102  (made of the names of fields, as in the standard library)
    init: Any = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init  # type: ignore[no-any-return]


def _parameter(field: Field[Any], known: dict[str, object]) -> str:
    if field.default is not MISSING:
        known[f"_default_{field.name}"] = field.default
        return f"{field.name}=_default_{field.name}"
    return field.name if field.default_factory is MISSING else f"{field.name}=_default"


def _assigned(
    cls: type, field: Field[Any], known: dict[str, object], frozen: bool
) -> Iterator[str]:
    name, value = field.name, field.name
    if field.default_factory is not MISSING:
        known[f"_make_{name}"] = field.default_factory
        made = f"_make_{name}()"
        value = f"{made} if {name} is _default else {name}" if field.init else made
    elif not field.init:
        if field.default is MISSING:
            return  # Its own __post_init__ sets it.
        known[f"_default_{name}"] = field.default
        value = f"_default_{name}"
    slot = getattr(cls, name, None)
    if not frozen:
        yield f"self.{name} = {value}"
    elif isinstance(slot, MemberDescriptorType):  # A third less than by the name.
        known[f"_set_{name}"] = slot.__set__
        yield f"_set_{name}(self, {value})"
    else:
        yield f"_set(self, {name!r}, {value})"


def _values(names: list[str]) -> Callable[[Any], object]:
    return attrgetter(*names) if names else _nothing


def _nothing(_: object) -> object:
    return ()


def _repr(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _eq(values: Callable[[Any], object]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hash(values: Callable[[Any], object]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _no_set(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_delete(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(names: list[str]) -> Callable[[Any], list[object]]:
    def __getstate__(self: Any) -> list[object]:  # noqa: N807
        return [getattr(self, name) for name in names]

    return __getstate__


def _set_state(names: list[str]) -> Callable[[Any, list[object]], None]:
    def __setstate__(self: Any, state: list[object]) -> None:  # noqa: N807
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __setstate__
