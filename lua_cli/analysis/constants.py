"""Abstract values to Python constants and back. Pure."""

from __future__ import annotations

from lua_cli.analysis.values import ClassValue, Constant, DictValue, EnumMember, Item, ListValue, Value, Where

MAX_DEPTH = 60
MAX_PARTS = 200_000


class NotConstantError(Exception):
    """The value is no constant that is known whole."""


def plain(value: Value) -> object:
    """The Python constant that a value is: str, numbers, tuple, list, dict, set of such. Raises NotConstantError, also
    for what is too large to be looked at whole."""
    return _plain(value, 0, [MAX_PARTS])


def _plain(value: Value, depth: int, left: list[int]) -> object:
    left[0] -= 1
    if depth > MAX_DEPTH or left[0] < 0:  # a list may hold itself, or another many times over
        raise NotConstantError
    match value:
        case Constant(value=constant):
            return constant
        case EnumMember(cls=cls, value=inner) if mixes_in(cls, "str") or mixes_in(cls, "int"):
            return _plain(inner, depth + 1, left)
        case ListValue(kind=kind, items=items, unknown=None):
            if any(item.maybe is not None for item in items):
                raise NotConstantError
            found = [_plain(item.value, depth + 1, left) for item in items]
            return tuple(found) if kind == "tuple" else found if kind == "list" else _frozen(found)
        case DictValue(items=entries, unknown=None):
            if any(item.maybe is not None for item in entries.values()):
                raise NotConstantError
            return {key: _plain(item.value, depth + 1, left) for key, item in entries.items()}
    raise NotConstantError


def _frozen(found: list[object]) -> frozenset[object]:
    try:
        return frozenset(found)
    except TypeError as error:
        raise NotConstantError from error


def lifted(constant: object, where: Where) -> Value:
    """The value of a computed constant; its parts are all said to stand at `where`."""
    if isinstance(constant, tuple):
        return ListValue("tuple", [Item(lifted(part, where), where) for part in constant])
    if isinstance(constant, list):
        return ListValue("list", [Item(lifted(part, where), where) for part in constant])
    if isinstance(constant, dict):
        return DictValue({key: Item(lifted(part, where), where) for key, part in constant.items()})
    return Constant(constant)


def mixes_in(cls: ClassValue, name: str) -> bool:
    """Whether a class derives from the built-in class of that name."""
    return any(one.dotted == f"builtins.{name}" for one in cls.mro or ())


def text_of_member(member: EnumMember) -> object:
    """What `str()` and f-strings give for a member of an enum: the value where the enum is a ReprEnum, else its full
    name."""
    mro = member.cls.mro or ()
    if any({"__str__", "__format__"} & one.namespace.keys() for one in mro if one.origin != "builtin"):
        raise NotConstantError
    if any(one.dotted == "enum.ReprEnum" for one in mro):
        return plain(member.value)
    return f"{member.cls.name}.{member.name}"
