"""What is known of the standard library, pydantic and attrs without reading them: by dotted name.

In: a dotted name. Out: an abstract value, or None when the module has to be read for it. Everything else of the
standard library and of packages is read from its source, when it matters.
"""

from __future__ import annotations

import builtins
import os
import sys
import typing
from functools import cache
from typing import TYPE_CHECKING

from lua_cli.analysis.values import Binding, ClassValue, Constant, External, Unknown, Value

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

# Known by name alone: what they do is said where they are called, used as a base, or decorate.
_NAMES = {
    "abc": "abstractmethod abstractproperty abstractclassmethod abstractstaticmethod update_abstractmethods",
    "attr": "s attrs attributes dataclass define frozen mutable ib attr field attrib Factory NOTHING make_class",
    "attrs": "define frozen mutable field Factory NOTHING make_class",
    "collections": "namedtuple deque",
    "contextlib": "suppress contextmanager asynccontextmanager",
    "copy": "copy deepcopy",
    "dataclasses": "dataclass field KW_ONLY InitVar MISSING make_dataclass",
    "enum": "auto unique member nonmember",
    "functools": "partial total_ordering wraps update_wrapper cached_property partialmethod lru_cache cache "
    "singledispatch singledispatchmethod reduce",
    "importlib": "import_module",
    "inspect": "cleandoc",
    "itertools": "chain",
    "os": "environ getenv",
    "pydantic": "Field ConfigDict PrivateAttr computed_field field_validator model_validator validator root_validator "
    "field_serializer model_serializer validate_call create_model",
    "pydantic.dataclasses": "dataclass",
    "pydantic.fields": "Field PrivateAttr",
    "textwrap": "dedent indent",
    "types": "new_class",
    "warnings": "deprecated",
}
EXTERNAL = frozenset(f"{module}.{name}" for module, names in _NAMES.items() for name in names.split())

# Classes: (bases, metaclass).
_CLASSES: dict[str, tuple[tuple[str, ...], str]] = {
    "abc.ABC": ((), "abc.ABCMeta"),
    "abc.ABCMeta": (("builtins.type",), ""),
    "typing.Generic": ((), ""),
    "typing._ProtocolMeta": (("abc.ABCMeta",), ""),
    "typing.Protocol": (("typing.Generic",), "typing._ProtocolMeta"),
    "enum.EnumMeta": (("builtins.type",), ""),
    "enum.Enum": ((), "enum.EnumMeta"),
    "enum.ReprEnum": (("enum.Enum",), "enum.EnumMeta"),
    "enum.IntEnum": (("builtins.int", "enum.ReprEnum"), "enum.EnumMeta"),
    "enum.StrEnum": (("builtins.str", "enum.ReprEnum"), "enum.EnumMeta"),
    "enum.Flag": (("enum.Enum",), "enum.EnumMeta"),
    "enum.IntFlag": (("builtins.int", "enum.ReprEnum", "enum.Flag"), "enum.EnumMeta"),
    "pydantic._internal._model_construction.ModelMetaclass": (("abc.ABCMeta",), ""),
    "pydantic.main.BaseModel": ((), "pydantic._internal._model_construction.ModelMetaclass"),
    "pydantic.v1.main.ModelMetaclass": (("abc.ABCMeta",), ""),
    "pydantic.v1.main.BaseModel": ((), "pydantic.v1.main.ModelMetaclass"),
}
# What these make of a class statement is not what they are themselves: known as bases only.
_AS_BASES: dict[str, tuple[tuple[str, ...], str]] = {
    "typing.NamedTuple": ((), ""),
    "typing.TypedDict": ((), ""),
}
_ALIASES = {
    "enum.EnumType": "enum.EnumMeta",
    "pydantic.BaseModel": "pydantic.main.BaseModel",
    "pydantic.v1.BaseModel": "pydantic.v1.main.BaseModel",
}
# The machine that compiles is the one that is asked about.
_CONSTANTS: dict[str, object] = {
    "os.name": os.name,
    "sys.platform": sys.platform,
    "sys.maxsize": sys.maxsize,
    "sys.byteorder": sys.byteorder,
}
# Built-in classes that cannot be called without arguments.
NEEDS_ARGUMENTS = frozenset(
    {"UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError", "enumerate", "filter", "map", "memoryview"}
    | {"range", "reversed", "slice", "classmethod", "staticmethod", "BaseExceptionGroup", "ExceptionGroup"}
)


def known_external(dotted: str, machine: Machine) -> Value | None:
    """The value of a dotted name of a package or of the standard library, when it is known without reading its
    source."""
    dotted = _canonical(dotted)
    if dotted == "typing.TYPE_CHECKING":
        return Constant(False)
    if dotted in _CLASSES:
        return machine.known_class(dotted)
    if dotted in _CONSTANTS:
        return Constant(_CONSTANTS[dotted])
    if dotted in EXTERNAL or dotted.startswith("sys."):
        return _external(dotted)
    module, _, name = dotted.rpartition(".")
    if module == "typing" and hasattr(typing, name):
        return _external(dotted)
    if module == "builtins":
        return builtin(name, machine)
    return None


@cache
def _external(dotted: str) -> External:
    return External(dotted)


def _canonical(dotted: str) -> str:
    module, _, name = dotted.rpartition(".")
    if module == "typing_extensions":
        dotted = "warnings.deprecated" if name == "deprecated" else f"typing.{name}"
    return _ALIASES.get(dotted, dotted)


def builtin(name: str, machine: Machine) -> Value | None:
    """A built-in name."""
    found = getattr(builtins, name, None)
    if isinstance(found, type):
        return machine.known_class(f"builtins.{found.__name__}")
    if name in ("True", "False", "None", "Ellipsis", "__debug__"):
        return Constant(found)
    return External(name) if hasattr(builtins, name) else None


def complete(cls: ClassValue, machine: Machine) -> None:
    """Fills in the class value of a known class."""
    if cls.module == "builtins":
        _complete_builtin(cls, getattr(builtins, cls.name), machine)
        return
    bases, metaclass = _CLASSES.get(cls.dotted) or _AS_BASES[cls.dotted]
    parents = [machine.known_class(base) for base in bases]
    cls.bases = tuple(parents)
    rest = [known for base in parents for known in (base.mro or ()) if known.dotted != "builtins.object"]
    last_first = dict.fromkeys(reversed(rest))
    cls.mro = (cls, *reversed(last_first), machine.known_class("builtins.object"))
    cls.metaclass = machine.known_class(metaclass or "builtins.type")


def _complete_builtin(cls: ClassValue, real: type, machine: Machine) -> None:
    others = [one for one in real.__mro__[1:] if one.__module__ == "builtins"]
    cls.mro = (cls, *(machine.known_class(f"builtins.{one.__name__}") for one in others))
    cls.bases = cls.mro[1:2]
    if real is not object and real is not type:
        given = Unknown(f"it is given by the built-in class {real.__name__}")
        cls.namespace = {name: Binding(given, None) for name in vars(real) if not name.startswith("__")}
        if real in (list, dict, set):
            for name in cls.namespace:
                cls.namespace[name] = Binding(External(f"builtins.{real.__name__}.{name}"), None)
    cls.metaclass = cls if real is type else machine.known_class("builtins.type")
