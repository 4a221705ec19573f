"""Records: classes of plain data, as `dataclasses` makes them, without what that costs at import.

In: a class with annotations. Out: one with slots, `__init__`, `__repr__`, and comparison by value. The methods are
compiled when they are first called: the command line loads some three hundred such classes, `dataclasses` takes a
millisecond for each (docs/performance.md), and most are never made in one run. What is `frozen` is so to the type
checker alone, which every check runs; at run time nothing stands in the way of an assignment, and making one costs a
third.

Of `dataclasses` this knows `frozen`, `eq`, `order` of nothing but all fields, defaults and factories. Imports nothing
of the product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform, overload

_T = TypeVar("_T")
_FIELDS = "__record_fields__"


class _Field:
    """What stands for a default in a class body."""

    __slots__ = ("compare", "default", "factory", "shown")

    def __init__(self, default: Any, factory: Callable[[], Any] | None, shown: bool, compare: bool) -> None:
        self.default, self.factory, self.shown, self.compare = default, factory, shown, compare


class _Missing:
    """No default."""


def field(
    *,
    default: Any = _Missing,
    default_factory: Callable[[], Any] | None = None,
    repr: bool = True,  # the names that `dataclasses` uses
    compare: bool = True,
) -> Any:
    """A default that is made for each instance, or a field that is not shown or not compared."""
    return _Field(default, default_factory, repr, compare)


@overload
def record(cls: type[_T], /) -> type[_T]: ...
@overload
def record(
    *, frozen: bool = False, eq: bool = True, order: bool = False, slots: bool = True
) -> Callable[[type[_T]], type[_T]]: ...
@dataclass_transform(field_specifiers=(field,))
def record(
    cls: Any = None, /, *, frozen: bool = False, eq: bool = True, order: bool = False, slots: bool = True
) -> Any:
    """Make a record of a class. With `eq` and `frozen` it can be hashed; without `eq` it is compared by identity.
    Without `slots` it has a `__dict__`, as `cached_property` needs.
    """
    if cls is None:
        return lambda own: _made(own, frozen, eq, order, slots)
    return _made(cls, frozen, eq, order, slots)


def replace(one: _T, /, **changes: Any) -> _T:
    """A copy with some fields changed. Raises TypeError for one that is not there."""
    given = {name: getattr(one, name) for name in getattr(one, _FIELDS)}
    return type(one)(**{**given, **changes})


def as_dict(one: Any) -> dict[str, Any]:
    """The fields by name, records within included."""
    return {name: _plain(getattr(one, name)) for name in getattr(one, _FIELDS)}


def _plain(value: Any) -> Any:
    if hasattr(value, _FIELDS):
        return as_dict(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _made(cls: type, frozen: bool, eq: bool, order: bool, slots: bool) -> type:
    fields = {name: one for base in reversed(cls.__mro__[1:]) for name, one in base.__dict__.get(_FIELDS, {}).items()}
    inherited = set(fields)
    for name, annotation in _annotations(cls).items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            given = cls.__dict__.get(name, _Missing)
            fields[name] = given if isinstance(given, _Field) else _Field(given, None, True, True)
            if given is not _Missing:
                delattr(cls, name)
    compared = [name for name, one in fields.items() if one.compare]
    late: dict[str, Callable[[], str]] = {"__init__": lambda: _init(fields), "__repr__": lambda: _repr(fields)}
    if eq:
        late["__eq__"] = lambda: _eq(compared)
    if eq and frozen:
        late["__hash__"] = lambda: _hash(compared)
    if order:
        late["__lt__"] = lambda: _lt(compared)
    own = set(cls.__dict__)
    made = _slotted(cls, tuple(name for name in fields if name not in inherited)) if slots else cls
    setattr(made, _FIELDS, fields)
    made.__match_args__ = tuple(fields)  # type: ignore[attr-defined,misc,unused-ignore]  # the class is ours to make
    if eq and not frozen:
        made.__hash__ = None  # type: ignore[assignment]
    for name, source in late.items():
        if name not in own:
            setattr(made, name, _late(made, name, source, fields))
    return made


def _annotations(cls: type) -> dict[str, Any]:
    """The annotations of the class itself, as they are written: `inspect` would cost what is to be saved."""
    found = cls.__dict__.get("__annotations__")  # noqa: RUF063
    if found is None and "__annotate_func__" in cls.__dict__:  # Python 3.14 without the future import
        import annotationlib  # type: ignore[import-not-found,unused-ignore]

        found = annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return dict(found or {})


def _slotted(cls: type, slots: tuple[str, ...]) -> type:
    """The class anew, with slots: one that exists cannot be given any."""
    body = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    made = type(cls)(cls.__name__, cls.__bases__, {**body, "__slots__": slots})
    for value in body.values():  # `super()` and `__class__` in methods mean the class that there was before
        _move_class_cell(value, cls, made)
    return made


def _late(owner: type, name: str, source: Callable[[], str], fields: dict[str, _Field]) -> Any:
    """A method that is compiled when it is called first, and takes its own place then."""

    def first(self: Any, *args: Any, **kwargs: Any) -> Any:
        names: dict[str, Any] = {"_fields": fields, "_missing": _Missing}
        exec(source(), names)  # noqa: S102  # our own text, made of the names of fields
        method = names[name]
        method.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, method)
        return method(self, *args, **kwargs)

    first.__name__ = name
    return first


def _init(fields: dict[str, _Field]) -> str:
    head, lines, after = [], [], False
    for name, one in fields.items():
        if one.factory is not None:
            head.append(f"{name}=_missing")
            lines.append(f" self.{name} = _fields[{name!r}].factory() if {name} is _missing else {name}")
            after = True
        elif one.default is not _Missing:
            head.append(f"{name}=_fields[{name!r}].default")
            lines.append(f" self.{name} = {name}")
            after = True
        elif after:
            raise TypeError(f"the field {name} has no default, and one before it has")
        else:
            head.append(name)
            lines.append(f" self.{name} = {name}")
    return f"def __init__({', '.join(['self', *head])}):\n" + "\n".join(lines or [" pass"])


def _repr(fields: dict[str, _Field]) -> str:
    shown = ", ".join(f"{name}={{self.{name}!r}}" for name, one in fields.items() if one.shown)
    return f"def __repr__(self):\n return f'{{self.__class__.__qualname__}}({shown})'"


def _tuple_of(who: str, names: list[str]) -> str:
    return "(" + "".join(f"{who}.{name}, " for name in names) + ")"


def _eq(names: list[str]) -> str:
    same = f"{_tuple_of('self', names)} == {_tuple_of('other', names)}"
    return f"def __eq__(self, other):\n return {same} if other.__class__ is self.__class__ else NotImplemented"


def _hash(names: list[str]) -> str:
    return f"def __hash__(self):\n return hash({_tuple_of('self', names)})"


def _lt(names: list[str]) -> str:
    less = f"{_tuple_of('self', names)} < {_tuple_of('other', names)}"
    return f"def __lt__(self, other):\n return {less} if other.__class__ is self.__class__ else NotImplemented"


def _move_class_cell(value: Any, old: type, new: type) -> None:
    function = getattr(value, "__func__", getattr(value, "fget", value))
    for cell in getattr(function, "__closure__", None) or ():
        if cell.cell_contents is old:
            cell.cell_contents = new
