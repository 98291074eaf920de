"""`dataclass` as in the standard library, made in a tenth of the time.

Up to Python 3.12 the standard one compiles six functions for each frozen class, half a millisecond;
`rlbot lint` defines two hundred classes before it reads its first line. Here `__init__` alone is
compiled, when the first object is made, since half of the classes get none in a plain check, and
once for all classes whose fields are of the same kinds; the other methods are closures over the
names of the fields. In all else the class is the standard library's: `fields`, `replace`, `asdict`,
`match` and pickling work, and type checkers see the standard decorator. A class and its bases are
made by the same one of the two. Annotations are text (`from __future__ import annotations`), and
there is no `InitVar` and no `KW_ONLY`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from types import CodeType, FunctionType, MemberDescriptorType
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
            _gather_fields(cls, kw_only=kw_only)
            return _completed(_with_slots(cls) if slots else cls, frozen=frozen, eq=eq)

        return made


def _gather_fields(cls: Any, *, kw_only: bool) -> None:
    """What `fields` finds: those of the bases, then the class's own."""
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[:0:-1]:
        found |= getattr(base, "__dataclass_fields__", {})
    for name, kind in cls.__annotations__.items():
        if not kind.startswith("ClassVar"):
            found[name] = _own_field(cls, name)
            found[name].type = kind
            if found[name].kw_only is MISSING:
                found[name].kw_only = kw_only
    cls.__dataclass_fields__ = found
    cls.__dataclass_params__ = _STANDARD.__dataclass_params__
    if "__match_args__" not in vars(cls):
        names = tuple(f.name for f in found.values() if f.init and not f.kw_only)
        type.__setattr__(cls, "__match_args__", names)
    if replaces := getattr(_STANDARD, "__replace__", None):  # Python 3.13
        cls.__replace__ = replaces


def _own_field(cls: type, name: str) -> Field[Any]:
    """The field of a name, whose default alone stays in the class."""
    given: Any = getattr(cls, name, MISSING)
    if isinstance(given, Field):
        field = given
        if field.default is MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, field.default)
    elif isinstance(given, MemberDescriptorType):  # The slot of a base.
        field = dataclasses.field()
    else:
        field = dataclasses.field(default=given)
    if field.default.__class__.__hash__ is None:
        raise ValueError(f"{name} has a default that objects would share: use default_factory")
    field.name = name
    field.__setattr__("_field_type", _KIND)
    return field


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Standard:
    """What the standard decorator gives to every class, and to every field."""

    field: int


_STANDARD: Any = _Standard
_KIND = attrgetter("_field_type")(dataclasses.fields(_Standard)[0])


def _with_slots(cls: Any) -> type:
    """The class again, since slots are made with it."""
    names = list(cls.__dataclass_fields__)
    there = {slot for base in cls.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    inside = {k: v for k, v in vars(cls).items() if k not in (*names, "__dict__", "__weakref__")}
    inside["__slots__"] = tuple(name for name in names if name not in there)
    again: type = type(cls)(cls.__name__, cls.__bases__, inside)
    again.__qualname__ = cls.__qualname__
    return again


def _completed(cls: type, *, frozen: bool, eq: bool) -> type:
    fields = dataclasses.fields(cls)
    methods: dict[str, object] = {
        "__init__": _first_init(cls, fields),
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


def _first_init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Puts the real one in its own place, and calls it."""

    def __init__(*given: Any, **named: Any) -> None:  # noqa: N807
        init = _init(cls, fields)
        cls.__init__ = init  # type: ignore[misc]
        init(*given, **named)

    return __init__


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Positional fields, then those by keyword; compiled once for all classes of one shape."""
    given = [field for field in fields if field.init]
    positional = [field for field in given if not field.kw_only]
    named = [field for field in given if field.kw_only]
    places = {field.name: at for at, field in enumerate([*positional, *named])}
    shape = tuple(_part(field, places.get(field.name)) for field in fields)
    code = _compiled(shape, len(places), hasattr(cls, "__post_init__")).replace(
        co_varnames=("self", *places),
        co_argcount=1 + len(positional),
        co_kwonlyargcount=len(named),
    )
    known: dict[str, object] = {"missing": MISSING}
    for number, field in enumerate(fields):
        known[f"set{number}"] = _setter(cls, field.name)
        known[f"make{number}"], known[f"value{number}"] = field.default_factory, field.default
    init: Any = FunctionType(code, known, "__init__")
    init.__defaults__ = tuple(_default(field) for field in positional if _is_optional(field))
    init.__kwdefaults__ = {field.name: _default(field) for field in named if _is_optional(field)}
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init  # type: ignore[no-any-return]


def _part(field: Field[Any], place: int | None) -> tuple[str, int]:
    """What a field is set to, as `_compiled` writes it, and the number of its parameter."""
    if place is None:
        made = field.default_factory is not MISSING
        return ("make" if made else "value" if field.default is not MISSING else ""), -1
    return ("given" if field.default_factory is MISSING else "given or make"), place


@cache
def _compiled(shape: tuple[tuple[str, int], ...], parameters: int, after: bool) -> CodeType:
    """The code of an `__init__`, its parameters numbered and its fields' parts found by number."""
    names = "".join(f", a{at}" for at in range(parameters))
    lines = [f"def __init__(self{names}):"]
    for number, (kind, place) in enumerate(shape):
        value = {
            "given": f"a{place}",
            "given or make": f"make{number}() if a{place} is missing else a{place}",
            "make": f"make{number}()",
            "value": f"value{number}",
        }.get(kind)
        if value is not None:  # Its own __post_init__ sets the others.
            lines.append(f"  set{number}(self, {value})")
    lines.append("  self.__post_init__()" if after else "  return None")
    made: dict[str, Any] = {}
    exec("\n".join(lines), made)  # noqa: S102  (made of numbers alone)
    return made["__init__"].__code__  # type: ignore[no-any-return]


def _is_optional(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _default(field: Field[Any]) -> object:
    """The parameter's; that of a factory is made at each call."""
    return field.default if field.default_factory is MISSING else MISSING


def _setter(cls: type, name: str) -> Callable[[Any, Any], None]:
    """Sets a field of an object: that of its slot is the quickest."""
    slot = getattr(cls, name, None)
    if isinstance(slot, MemberDescriptorType):
        return slot.__set__
    return lambda self, value: object.__setattr__(self, name, value)


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
