"""`dataclass` as in the standard library, made in a twentieth of the time.

Up to Python 3.12 the standard one compiles six functions for each frozen class, half a millisecond;
`rlbot lint` defines two hundred classes before it reads its first line. Here `__init__` alone is
compiled, for a class that gets many objects, since most get a few in a plain check, and once for
all classes whose fields are of the same kinds; the other methods take the names of the fields. That
a class is `frozen` the type checker alone holds, as it reads all of this package and of its tests:
a class that refuses to be changed takes six times as long to make an object. In all else the class
is the standard library's: `fields`, `replace`, `asdict`, `match` and pickling work, and type
checkers see the standard decorator. A class and its bases are made by the same one
of the two. Annotations are text (`from __future__ import annotations`), and there is no `InitVar`
and no `KW_ONLY`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from types import CodeType, FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

_FEW = 8
"""Objects of a class that are made without compiled code."""

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, kw_only: bool = False, eq: bool = True
    ) -> Callable[[type], type]:
        """As the standard one with these options; `repr` and `init` are always made."""

        def made(cls: type) -> type:
            found, inside = _gathered(cls, kw_only=kw_only)
            fields = tuple(found.values())
            inside = _methods(fields, frozen=frozen, eq=eq) | inside
            whole = _with_slots(cls, inside, found) if slots else _with_members(cls, inside)
            if "__init__" not in inside:
                whole.__init__ = _first_init(whole, fields)
            return whole

        return made


def _gathered(cls: Any, *, kw_only: bool) -> tuple[dict[str, Field[Any]], dict[str, Any]]:
    """What `fields` finds: those of the bases, then the class's own; and what the class holds."""
    kinds, inside = cls.__annotations__, dict(vars(cls))
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[:0:-1]:
        found |= getattr(base, "__dataclass_fields__", {})
    for name, kind in kinds.items():
        if not kind.startswith("ClassVar"):
            found[name] = own = _own_field(name, getattr(cls, name, MISSING))
            own.type = kind
            if own.kw_only is MISSING:
                own.kw_only = kw_only
            inside[name] = own.default
            if own.default is MISSING:  # The class keeps defaults alone.
                del inside[name]
    inside["__dataclass_fields__"] = found
    inside["__dataclass_params__"] = _STANDARD.__dataclass_params__
    if "__match_args__" not in inside:
        names = [name for name, one in found.items() if one.init and not one.kw_only]
        inside["__match_args__"] = tuple(names)
    if replaces := getattr(_STANDARD, "__replace__", None):  # Python 3.13
        inside["__replace__"] = replaces
    if not cls.__doc__:
        inside["__doc__"] = cls.__name__  # The standard one would read a signature for it.
    if inside.get("__hash__", MISSING) is None:  # As Python sets it beside an __eq__.
        del inside["__hash__"]
    return found, inside


def _own_field(name: str, given: Any) -> Field[Any]:
    """The field of a name, of what the class holds below it."""
    if isinstance(given, Field):
        given.__setattr__("_field_type", _KIND)
        field = given
    else:
        field = _PlainField(MISSING if isinstance(given, MemberDescriptorType) else given)
    if field.default.__class__.__hash__ is None:
        raise ValueError(f"{name} has a default that objects would share: use default_factory")
    field.name = name
    return field


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Standard:
    """What the standard decorator gives to every class, and to every field."""

    field: int


_STANDARD: Any = _Standard
_FIELD = dataclasses.fields(_Standard)[0]
_KIND = attrgetter("_field_type")(_FIELD)


class _PlainField(Field[Any]):
    """One of which nothing is said but its default: what all such share the class holds."""

    __slots__ = ()

    def __init__(self, default: Any) -> None:
        self.default, self.kw_only = default, MISSING


for _name in set(Field.__slots__) - {"name", "type", "default", "kw_only"}:
    setattr(_PlainField, _name, getattr(_FIELD, _name))


def _with_slots(cls: Any, inside: dict[str, Any], fields: dict[str, Field[Any]]) -> Any:
    """The class again, since slots are made with it."""
    there = {slot for base in cls.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    left = {k: v for k, v in inside.items() if k not in fields and k not in _OF_OBJECTS}
    left["__slots__"] = tuple([name for name in fields if name not in there])
    left["__qualname__"] = cls.__qualname__
    return type(cls)(cls.__name__, cls.__bases__, left)


_OF_OBJECTS = ("__dict__", "__weakref__")


def _with_members(cls: Any, inside: dict[str, Any]) -> Any:
    """The class itself, holding this."""
    before = dict(vars(cls))
    for name in before.keys() - inside.keys() - {"__hash__"}:
        delattr(cls, name)
    for name, value in inside.items():
        if before.get(name, MISSING) is not value:
            setattr(cls, name, value)
    return cls


def _methods(fields: tuple[Field[Any], ...], *, frozen: bool, eq: bool) -> dict[str, Any]:
    """Those that a class has unless it defines them itself."""
    methods: dict[str, Any] = {"__repr__": _repr}
    if eq:
        values = _values([field.name for field in fields if field.compare])
        methods |= {"__eq__": _eq(values), "__hash__": _hash(values) if frozen else None}
    return methods


def _first_init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Sets field by field; puts the compiled one in its own place when objects are many.

    What is wrong with arguments the compiled one says.
    """
    left, after = _FEW, hasattr(cls, "__post_init__")
    positional = [field.name for field in fields if field.init and not field.kw_only]

    def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: N807
        nonlocal left
        left -= 1
        values = dict(zip(positional, given, strict=False)) | named
        fitting = len(values) == len(given) + len(named)
        if left < 0 or not fitting or not _are_set(self, fields, values):
            init = _init(cls, fields)
            cls.__init__ = init  # type: ignore[misc]
            init(self, *given, **named)
        elif after:
            self.__post_init__()

    return __init__


def _are_set(self: Any, fields: tuple[Field[Any], ...], values: dict[str, Any]) -> bool:
    """Sets the fields; whether these are the values that they take."""
    for field in fields:
        name = field.name
        if field.init and name in values:
            setattr(self, name, values.pop(name))
        elif field.default is not MISSING:
            setattr(self, name, field.default)
        elif field.default_factory is not MISSING:
            setattr(self, name, field.default_factory())
        elif field.init:
            return False
    return not values


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Positional fields, then those by keyword; compiled once for all classes of one shape."""
    given = [field for field in fields if field.init]
    positional = [field for field in given if not field.kw_only]
    named = [field for field in given if field.kw_only]
    places = {field.name: at for at, field in enumerate([*positional, *named])}
    shape = tuple(_part(field, places.get(field.name)) for field in fields)
    code = _compiled(shape, len(places), hasattr(cls, "__post_init__"))
    names = {f"field{number}": field.name for number, field in enumerate(fields)}
    code = code.replace(
        co_varnames=("self", *places),
        co_argcount=1 + len(positional),
        co_kwonlyargcount=len(named),
        co_names=tuple(names.get(name, name) for name in code.co_names),
    )
    known: dict[str, object] = {"missing": MISSING}
    for number, field in enumerate(fields):
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
            lines.append(f"  self.field{number} = {value}")
    lines.append("  self.__post_init__()" if after else "  return None")
    made: dict[str, Any] = {}
    exec("\n".join(lines), made)  # noqa: S102  (made of numbers alone)
    return made["__init__"].__code__  # type: ignore[no-any-return]


def _is_optional(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _default(field: Field[Any]) -> object:
    """The parameter's; that of a factory is made at each call."""
    return field.default if field.default_factory is MISSING else MISSING


def _values(names: list[str]) -> Callable[[Any], object]:
    return attrgetter(*names) if names else _nothing


def _nothing(_: object) -> object:
    return ()


@recursive_repr()
def _repr(self: Any) -> str:
    names = [field.name for field in dataclasses.fields(self) if field.repr]
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
    return f"{type(self).__qualname__}({shown})"


def _eq(values: Callable[[Any], object]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or values(self) == values(other)

    return __eq__


def _hash(values: Callable[[Any], object]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__
