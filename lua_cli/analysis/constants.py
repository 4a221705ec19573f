"""Abstract values to Python constants and back. Pure."""

from __future__ import annotations

from lua_cli.analysis.values import ClassValue, Constant, DictValue, EnumMember, Item, ListValue, Value, Where

MAX_DEPTH = 60


class NotConstantError(Exception):
    """The value is no constant that is known whole."""


def plain(value: Value, depth: int = 0) -> object:
    """The Python constant that a value is: str, numbers, tuple, list, dict, set of such. Raises NotConstantError."""
    if depth > MAX_DEPTH:  # a list may hold itself
        raise NotConstantError
    match value:
        case Constant(value=constant):
            return constant
        case EnumMember(cls=cls, value=inner) if mixes_in(cls, "str") or mixes_in(cls, "int"):
            return plain(inner, depth + 1)
        case ListValue(kind=kind, items=items, unknown=None):
            if any(item.maybe is not None for item in items):
                raise NotConstantError
            found = [plain(item.value, depth + 1) for item in items]
            return tuple(found) if kind == "tuple" else found if kind == "list" else _frozen(found)
        case DictValue(items=entries, unknown=None):
            if any(item.maybe is not None for item in entries.values()):
                raise NotConstantError
            return {key: plain(item.value, depth + 1) for key, item in entries.items()}
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
