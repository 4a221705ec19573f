"""Whether somebody other than the rules may ask for what a tool is called and what is said of it: code that is not read
and gets a tool, a skill or an agent into its hands.

In: the machine after the import. Out: `hands_on`, and for each class which of the two its own body writes as a plain
text. Code that is read asks by name, which source/word_reads.py sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lua_cli.analysis.values import (
    AgentValue,
    Ambiguous,
    Binding,
    Bound,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    Generator,
    Generic,
    Given,
    Instance,
    Lazy,
    ListValue,
    ModuleValue,
    Partial,
    SkillValue,
    Super,
    Unknown,
    Value,
)
from lua_cli.source import ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

WORDS = ("name", "description")
_MAX_DEPTH = 6
_OWN = ("first-party", "sdk", "builtin")


def gets_a_tool(machine: Machine, func: Value, given: Sequence[Given]) -> bool:
    """Whether a call that is not followed hands a tool to code that is not read. Python's own functions and those of
    the SDK ask no tool for its words."""
    match func:
        case External(dotted=dotted) if dotted.startswith("builtins."):
            return False
        case ClassValue(module="builtins") | ClassValue(origin="sdk"):
            return False
        case FunctionValue(module=module) if module.startswith("lua_cli."):
            return False
        case Bound(owner=owner) if _holds(machine, owner, 0):
            return True
    return any(_holds(machine, arg.value, 0) for arg in given)


def _holds(machine: Machine, value: Value, depth: int) -> bool:
    """Whether a tool can be got at from a value."""
    if depth > _MAX_DEPTH:
        return True
    match value:
        case SkillValue() | AgentValue() | Super():
            return True
        case ModuleValue():
            return not value.lazy
        case Unknown(taint=taint):
            return taint
        case ClassValue():
            return machine.class_maker.is_tool(value) is not False
        case Generic(cls=cls):
            return _holds(machine, cls, depth)
        case Instance(cls=cls, attributes=attributes):
            inside = [binding.value for binding in attributes.values()]
            return _holds(machine, cls, depth) or any(_holds(machine, one, depth + 1) for one in inside)
        case Ambiguous(candidates=inside):
            return any(_holds(machine, one, depth + 1) for one in inside)
        case ListValue(items=items, unknown=unknown):
            return any(_holds(machine, one.value, depth + 1) for one in items) or bool(unknown and unknown.taint)
        case DictValue(items=named, unknown=unknown):
            inside_ = [item.value for item in named.values()]
            return any(_holds(machine, one, depth + 1) for one in inside_) or bool(unknown and unknown.taint)
        case Partial(args=args):
            return any(_holds(machine, arg.value, depth + 1) for arg in args)
        case Bound(owner=owner):
            return _holds(machine, owner, depth + 1)
        case Lazy(value=found):
            return found is not None and _holds(machine, found, depth + 1)
        case Generator():
            return True
    return False


def hands_on(machine: Machine) -> bool:
    """Whether a tool got to code that is not read: by a call, or because a base, a metaclass or a decorator of that
    kind made its class."""
    return machine.reach.handed or any(map(_is_odd, _tools(machine)))


def _tools(machine: Machine) -> list[ClassValue]:
    return [
        cls for cls in machine.classes if cls.origin == "first-party" and machine.class_maker.is_tool(cls) is not False
    ]


def _is_odd(cls: ClassValue) -> bool:
    if cls.mro is None or cls.dynamic is not None or cls.impossible:
        return True
    if cls.metaclass is not None and cls.metaclass.dotted not in ("builtins.type", "abc.ABCMeta"):
        return True
    return any(one.fields is not None or one.origin not in (*_OWN, "stdlib") for one in cls.mro)


def plain_words(cls: ClassValue) -> tuple[str, ...]:
    """Which of the two the class's own body writes, as a text by itself."""
    if cls.node is None or cls.origin != "first-party":
        return ()
    return tuple(key for key in WORDS if _is_plain(cls.namespace.get(key), key, cls.node))


def _is_plain(binding: Binding | None, key: str, node: ir.Class) -> bool:
    where = binding.where if binding is not None else None
    if where is None:
        return False
    for statement in node.body:
        match statement:
            case (
                ir.Assign(targets=(ir.Name(id=name),), value=ir.Const(span=span, value=str()))
                | ir.Annotate(target=ir.Name(id=name), value=ir.Const(span=span, value=str()))
            ) if name == key and span == where.span:
                return True
    return False
