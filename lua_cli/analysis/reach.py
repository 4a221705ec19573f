"""What code that is not followed may change: lists, dicts, skills and agents that it can get at.

In: a call whose result is not known. Out: nothing; what the called code may change is marked as not known, with the
call as the reason, so that no list is taken for complete that something else may have added to. Only the code's own
statements count: reading a list, or handing it to a built-in function that only looks at it, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.analysis.effects import children
from lua_cli.analysis.handing import gets_a_tool, takes_a_tool
from lua_cli.analysis.scopes import either
from lua_cli.analysis.values import (
    AgentValue,
    Binding,
    Bound,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    Generator,
    Given,
    Instance,
    LambdaValue,
    Lazy,
    ListValue,
    Maybe,
    ModuleValue,
    Partial,
    SkillValue,
    Unknown,
    Value,
    Where,
)
from lua_cli.source import SourceError, ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine
    from lua_cli.analysis.scopes import Frame

MAX_DEPTH = 6

# Methods and functions that only look at what they are given.
_LOOKING_METHODS = frozenset(
    [
        "get",
        "items",
        "keys",
        "values",
        "index",
        "count",
        "copy",
        "join",
        "format",
        "startswith",
        "endswith",
        "split",
        "strip",
        "lower",
        "upper",
        "title",
        "replace",
        "union",
        "intersection",
        "difference",
        "issubset",
        "issuperset",
        "isdisjoint",
        "debug",
        "info",
        "warning",
        "error",
        "exception",
        "log",
    ]
)
_LOOKING = frozenset(
    [
        "len",
        "print",
        "isinstance",
        "issubclass",
        "sorted",
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "str",
        "repr",
        "iter",
        "any",
        "all",
        "sum",
        "min",
        "max",
        "enumerate",
        "zip",
        "reversed",
        "type",
        "id",
        "bool",
        "int",
        "float",
        "hash",
        "callable",
        "getattr",
        "hasattr",
        "range",
        "format",
        "super",
        "vars",
        "dir",
    ]
)
# Functions of the standard library that change their first argument.
_CHANGING = frozenset(
    [
        "iadd",
        "iconcat",
        "imul",
        "ior",
        "setitem",
        "delitem",
        "heappush",
        "heappop",
        "heapify",
        "heapreplace",
        "heappushpop",
        "shuffle",
        "insort",
        "insort_left",
        "insort_right",
    ]
)

Path_ = tuple[str, ...]


class Reach:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.handed = False  # whether such code got a tool into its hands (handing.py)
        self._touched: dict[int, tuple[set[Path_], object]] = {}

    def not_followed(self, func: Value, given: Sequence[Given], where: Where) -> None:
        """A call that is not followed: marks what the called code and the functions among its arguments may change."""
        if self.machine.is_lazy(where.path):
            return
        self.hands(func, given)
        reason = f"only a run knows what `{self.machine.text(where)}` does to it"
        self._run(func, given, reason, where, 0, set())
        name = _name_of(func)
        foreign = not isinstance(func, FunctionValue | LambdaValue) or self.machine.is_lazy(func.path)
        if foreign and given and name in _CHANGING:
            self._spoil(given[0].value, reason, where, 0)
        if foreign and name == "reduce" and len(given) > 2:
            self._spoil(given[2].value, reason, where, 0)
        for arg in given:
            self._run(arg.value, (), reason, where, 0, set())

    def hands(self, func: Value, given: Sequence[Given]) -> None:
        """A call of code that may ask whatever it is given for anything."""
        self.handed = self.handed or gets_a_tool(self.machine, func, given)

    def stored(self, holder: Value, value: Value, where: Where) -> None:
        """An assignment to an attribute or an item of something."""
        if not self.handed and not self.machine.is_lazy(where.path):
            self.handed = takes_a_tool(self.machine, holder, value)

    def mentioned(self, function: FunctionValue | LambdaValue) -> list[Value]:
        """What the names in a function of the project stand for."""
        if self.machine.is_lazy(function.path):
            return []
        own = self._names(function)
        paths = set(_named(self._nodes(function)))
        found = (self._resolved(path, function.frame) for path in sorted(paths) if path[0] not in own)
        return [value for value in found if value is not None]

    def _run(self, func: Value, given: Sequence[Given], reason: str, where: Where, depth: int, seen: set[int]) -> None:
        """A value that may be called."""
        if depth > MAX_DEPTH:
            return
        match func:
            case Generator():
                self.machine.evaluator.items(func)
            case Partial(func=inner, args=args):
                self._run(inner, [*args, *given], reason, where, depth + 1, seen)
            case Bound(owner=owner, function=None, name=name):
                if name not in _LOOKING_METHODS and isinstance(owner, ListValue | DictValue | SkillValue | AgentValue):
                    self._spoil(owner, reason, where, depth)
            case Bound(owner=owner, function=function) if function is not None:
                self._code(function, [Given(owner, where), *given], reason, where, depth, seen)
            case FunctionValue() | LambdaValue():
                self._code(func, given, reason, where, depth, seen)
            case Instance(cls=cls):
                found = self.machine.evaluator.lookup(cls, "__call__")
                if isinstance(found, tuple) and isinstance(found[0].value, FunctionValue):
                    self._code(found[0].value, [Given(func, where), *given], reason, where, depth, seen)

    def _code(
        self,
        function: FunctionValue | LambdaValue,
        given: Sequence[Given],
        reason: str,
        where: Where,
        depth: int,
        seen: set[int],
    ) -> None:
        if id(function.node) in seen or self.machine.is_lazy(function.path):
            return
        seen.add(id(function.node))
        own = self._names(function)
        changes_own = False
        for path in sorted(self._paths(function)):
            if path[-1].startswith("="):
                self._assigned(path, function, reason, where)
                continue
            if path[0] in own:
                changes_own = True
                continue
            value = self._resolved(path, function.frame)
            if value is None:
                continue
            if isinstance(value, FunctionValue | LambdaValue | Partial):
                self._run(value, (), reason, where, depth + 1, seen)
            else:
                self._spoil(value, reason, where, depth)
        if isinstance(function, FunctionValue) and function.wrapper is not None:
            self._run(function.wrapper, given, reason, where, depth + 1, seen)
        if changes_own:
            for arg in given:
                self._spoil(arg.value, reason, where, depth)

    def _assigned(self, path: Path_, function: FunctionValue | LambdaValue, reason: str, where: Where) -> None:
        """An assignment that the code may make: to a global name, or to an attribute of a class or a module."""
        gone = Binding(Unknown(reason, taint=True), where)
        name = path[-1][1:]
        if len(path) == 1:
            frame = function.frame.module.frame
            old = frame.names.get(name)
            values = [gone.value] if old is None else [old.value, gone.value]
            frame.names[name] = Binding(either(values, Maybe(reason, where), partial=True), where, "rebound")
            return
        holder = self._resolved(path[:-1], function.frame) if path[0] not in self._names(function) else None
        if isinstance(holder, ClassValue) and holder.origin == "first-party":
            holder.namespace[name] = gone
        elif isinstance(holder, ModuleValue) and not holder.lazy:
            holder.frame.names[name] = gone

    def _resolved(self, path: Path_, frame: Frame) -> Value | None:
        binding = frame.lookup(path[0])
        value = binding.value if binding is not None else None
        for name in path[1:]:
            value = self.machine.settled(value) if value is not None else None
            if isinstance(value, ModuleValue):
                found = value.frame.names.get(name) if not value.lazy else None
                value = found.value if found is not None else None
            elif isinstance(value, ClassValue):
                found_in = self.machine.evaluator.lookup(value, name)
                value = found_in[0].value if isinstance(found_in, tuple) else None
            elif isinstance(value, Instance) and name in value.attributes:
                value = value.attributes[name].value
            elif isinstance(value, SkillValue) and name == "tools":
                value = value.tools
            elif isinstance(value, AgentValue) and name == "skills":
                value = value.skills
            else:
                return value if isinstance(value, Instance | SkillValue | AgentValue) else None
        return self.machine.settled(value) if value is not None else None

    def _spoil(self, value: Value, reason: str, where: Where, depth: int) -> None:
        """What may be changed is no longer known."""
        value = self.machine.settled(value)
        if depth > MAX_DEPTH:
            return
        match value:
            case ListValue(kind="list" | "set") | DictValue():
                self.machine.caller.spoil(value, reason, where)
            case SkillValue():
                self.machine.caller.spoil(value.tools, reason, where)
            case AgentValue():
                self.machine.caller.spoil(value.skills, reason, where)
            case Instance() if not self.machine.class_maker.is_tool(value.cls):
                for binding in list(value.attributes.values()):
                    if isinstance(binding.value, ListValue | DictValue | SkillValue):
                        self._spoil(binding.value, reason, where, depth + 1)
                self._spoil(value.cls, reason, where, depth + 1)
            case ClassValue(origin="first-party"):
                for binding in list(value.namespace.values()):
                    if isinstance(binding.value, ListValue | DictValue):
                        self._spoil(binding.value, reason, where, depth + 1)

    # Reading code

    def _names(self, function: FunctionValue | LambdaValue) -> set[str]:
        return {param.name for param in self.machine.params(function)}

    def _paths(self, function: FunctionValue | LambdaValue) -> set[Path_]:
        """What a function's statements may change or call, as dotted paths from a name: `REG`, `orders.tools`."""
        key = id(function.node)
        if key not in self._touched:
            self._touched[key] = (set(self._found(function)), function.node)
        return self._touched[key][0]

    def _found(self, function: FunctionValue | LambdaValue) -> Iterator[Path_]:
        for node in self._nodes(function):
            if isinstance(node, ir.Global) and node.kind == "global":
                yield from ((f"={name}",) for name in node.names)
            yield from _changes(node)

    def _nodes(self, function: FunctionValue | LambdaValue) -> Iterator[Any]:
        """The nodes of a function's body, functions within included."""
        stack: list[Any] = [function.node.body] if isinstance(function, LambdaValue) else []
        if isinstance(function, FunctionValue):
            try:
                stack.extend(self.machine.index.body(function.path, function.node).body)
            except SourceError:
                return
        while stack:
            node = stack.pop()
            if isinstance(node, ir.Function):
                try:
                    stack.extend(self.machine.index.body(function.path, node).body)
                except SourceError:
                    continue
            yield node
            stack.extend(children(node))


def _name_of(func: Value) -> str:
    """The name under which a called function is defined, whatever it is called by here."""
    match func:
        case FunctionValue(node=node):
            return node.name
        case External(dotted=dotted) | Lazy(text=dotted):
            return dotted.rpartition(".")[2]
    return ""


def _changes(node: object) -> Iterator[Path_]:
    """What one node changes, or calls."""
    match node:
        case ir.Call(func=func, args=args):
            name = func.id if isinstance(func, ir.Name) else ""
            if isinstance(func, ir.Attr) and func.attr not in _LOOKING_METHODS:
                yield from _path(func.value)
                yield from _path(func)
            elif name and name not in _LOOKING:
                yield (name,)
            if name not in _LOOKING and not (isinstance(func, ir.Attr) and func.attr in _LOOKING_METHODS):
                for arg in args:
                    yield from _path(arg.value)
        case ir.Assign(targets=targets) | ir.Delete(targets=targets):
            for target in targets:
                yield from _holder(target)
                if isinstance(target, ir.Attr):
                    yield from ((*path, f"={target.attr}") for path in _path(target.value))
        case ir.Augment(target=target):
            yield from _path(target)
            yield from _holder(target)
        case ir.Operation(operands=operands):
            for operand in operands[:1]:
                yield from _path(operand)


def _named(nodes: Iterable[object]) -> Iterator[Path_]:
    """The names that nodes say, each before what is in it: `tools.orders.FindOrder`, not `tools`."""
    within: set[int] = set()
    for node in nodes:
        if isinstance(node, ir.Attr):
            within.add(id(node.value))
        if isinstance(node, ir.Name | ir.Attr) and id(node) not in within:
            yield from _path(node)


def _holder(target: ir.Expr) -> Iterator[Path_]:
    """What holds what is assigned to: `REG` of `REG[0] = …`, `orders` of `orders.tools = …`."""
    match target:
        case ir.Subscript(value=value) | ir.Attr(value=value):
            yield from _path(value)
        case ir.Display(items=items):
            for item in items:
                yield from _holder(item)


def _path(node: ir.Expr) -> Iterator[Path_]:
    names: list[str] = []
    while isinstance(node, ir.Attr | ir.Subscript):
        if isinstance(node, ir.Attr):
            names.append(node.attr)
        else:
            names.clear()  # an element of what stands before it
        node = node.value
    if isinstance(node, ir.Name):
        yield (node.id, *reversed(names))
