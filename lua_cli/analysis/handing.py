"""Whether somebody other than the rules may ask for what a tool is called and what is said of it: code that is not read
and gets a tool, a skill or an agent into its hands.

In: the machine after the import. Out: `hands_on`, and for each class which of the two its own body writes as a plain
text. Code that is read asks by name, which source/word_reads.py sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    LambdaValue,
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
from lua_cli.source.word_reads import WORDS

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_MOST = 2_000  # values that are looked through before it is taken for granted
_OWN = ("first-party", "sdk", "builtin")


def gets_a_tool(machine: Machine, func: Value, given: Sequence[Given]) -> bool:
    """Whether a call that is not followed hands a tool to code that is not read. Python's own functions and those of
    the SDK ask no tool for its words; what they call may."""
    values = [arg.value for arg in given]
    dotted = func.dotted if isinstance(func, External | ClassValue) else ""
    if dotted.startswith("builtins.") and not any(_is_foreign(machine, one) for one in values):
        return False
    match func:
        case ClassValue(origin="sdk"):
            return False
        case FunctionValue(module=module) if module.startswith("lua_cli."):
            return False
        case Bound() | FunctionValue() | LambdaValue() | Partial():
            return _holds(machine, [func, *values])
    return _holds(machine, values)


def takes_a_tool(machine: Machine, holder: Value, value: Value) -> bool:
    """Whether an assignment to an attribute or an item of something hands a tool to code that is not read."""
    return _is_foreign(machine, holder) and _holds(machine, [value])


def _is_foreign(machine: Machine, value: Value) -> bool:
    """Whether code that is not read may stand behind a value."""
    match value:
        case Unknown() | Lazy() | Generator():
            return True
        case External(dotted=dotted):
            return not dotted.startswith("builtins.")
        case ModuleValue():
            return value.lazy
        case ClassValue(origin=origin) | Instance(cls=ClassValue(origin=origin)):
            return origin not in _OWN
        case FunctionValue(path=path, module=module):
            return machine.is_lazy(path) and not module.startswith("lua_cli.")
        case Partial(func=func) | Bound(owner=func):
            return _is_foreign(machine, func)
        case Ambiguous(candidates=candidates):
            return any(_is_foreign(machine, one) for one in candidates)
    return False


def _holds(machine: Machine, values: Iterable[Value]) -> bool:
    """Whether a tool can be got at from one of the values."""
    stack = list(values)
    seen: dict[int, Value] = {}  # held, so that no other value gets the number of one that is gone
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        inside = _inside(machine, value)
        if inside is None or len(seen) > _MOST:
            return True
        stack += inside
    return False


def _inside(machine: Machine, value: Value) -> list[Value] | None:
    """What a value leads to; None where that is a tool, or may be one."""
    match value:
        case SkillValue() | AgentValue() | Super() | Generator() | Unknown(taint=True):
            return None
        case ModuleValue():
            return [] if value.lazy else None
        case ClassValue(namespace=namespace):
            if machine.class_maker.is_tool(value) is not False:
                return None
            return [binding.value for binding in namespace.values()] if value.origin == "first-party" else []
        case Generic(cls=cls):
            return [cls]
        case Instance(cls=cls, attributes=attributes):
            return [cls, *(binding.value for binding in attributes.values())]
        case Ambiguous(candidates=candidates):
            return list(candidates)
        case ListValue(items=items, unknown=unknown):
            return [*(one.value for one in items), *([unknown] if unknown else [])]
        case DictValue(items=named, unknown=unknown):
            return [*(one.value for one in named.values()), *([unknown] if unknown else [])]
        case Partial(func=func, args=args):
            return [func, *(arg.value for arg in args)]
        case Bound(owner=owner):
            return [owner]
        case Lazy(value=found):
            return [found] if found is not None else []
        case FunctionValue() | LambdaValue():
            return machine.reach.mentioned(value)
    return []


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
    if any(one.fields is not None or one.origin not in (*_OWN, "stdlib") for one in cls.mro):
        return True
    # An object of a package may be told of the class that it becomes an attribute of.
    values = [binding.value for one in cls.mro if one.path for binding in one.namespace.values()]
    return any(isinstance(value, Instance) and value.cls.origin not in (*_OWN, "stdlib") for value in values)


def plain_words(cls: ClassValue, *, is_tool: bool | None) -> tuple[str, ...]:
    """Which of the two the body of a tool's class writes, as a text by itself."""
    if cls.origin != "first-party" or not is_tool:
        return ()
    return tuple(key for key in WORDS if any(cls.namespace.get(key) is text for text in cls.texts))


def plain_texts(body: tuple[ir.Stmt, ...], namespace: Mapping[str, Binding]) -> Iterator[Binding]:
    """What binds the two words in a class, where its body writes them as texts by themselves."""
    for statement in body:
        match statement:
            case (
                ir.Assign(targets=(ir.Name(id=name),), value=ir.Const(span=span, value=str()))
                | ir.Annotate(target=ir.Name(id=name), value=ir.Const(span=span, value=str()))
            ) if name in WORDS:
                found = namespace.get(name)
                if found is not None and found.where is not None and found.where.span == span:
                    yield found
