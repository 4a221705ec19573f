"""What a method does to the object it is called on: the attributes that it sets. Read off its body; nothing is
executed.

In: a function's parameters and body. Out: `Effects` on its first parameter, whatever branch a run takes. What is set by
a computed name counts as `anything`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lua_cli.records import field, record
from lua_cli.source import ir
from lua_cli.source.spans import Span


@record
class Effects:
    """
    writes    attribute → where it is set first
    assigned  those of them that are set by an assignment, which `__setattr__` and properties see
    given     attribute → the parameter whose value it gets, where that is all that is done
    anything  an attribute is set by a name that is computed
    calls     methods that it calls on the object
    supers    methods of a base that it calls on the object, by `super()` or by the base's name
    passed    functions that get the object as an argument, as written
    returns   what it returns
    """

    writes: dict[str, Span] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    given: dict[str, str] = field(default_factory=dict)
    anything: bool = False
    calls: set[str] = field(default_factory=set)
    supers: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    returns: list[ir.Expr | None] = field(default_factory=list)


def effects_of(params: tuple[ir.Parameter, ...], body: tuple[ir.Stmt, ...], *, any_object: bool = False) -> Effects:
    """The effects of a function on its first parameter; with `any_object` those on any local name, as `__new__` has."""
    out = Effects()
    receiver = params[0].name if params else ""
    names = {param.name for param in params}
    for node in _with_lambdas(body):
        match node:
            case ir.Assign(targets=targets, value=value):
                if isinstance(value, ir.Name) and value.id == receiver and receiver and not any_object:
                    out.anything = True  # by another name, it may be written to as well
                for target in targets:
                    _written(target, value, receiver, names, out, any_object)
            case ir.Annotate(target=target, value=value) if value is not None:
                _written(target, value, receiver, names, out, any_object)
            case ir.Augment(target=target):
                _written(target, None, receiver, names, out, any_object)
            case ir.For(target=target) | ir.Loop(target=target):
                _written(target, None, receiver, names, out, any_object)
            case ir.Delete(targets=targets):
                for target in targets:
                    _written(target, None, receiver, names, out, any_object)
            case ir.With(items=items):
                for _, bound in items:
                    if bound is not None:
                        _written(bound, None, receiver, names, out, any_object)
            case ir.Return(value=value):
                out.returns.append(value)
            case ir.Call():
                _called(node, receiver, out, any_object)
    return out


def _with_lambdas(body: tuple[Any, ...]) -> Iterator[Any]:
    """The nodes of a body and of the lambdas in it."""
    for node in walk(body, functions=True):
        if isinstance(node, ir.Lambda):
            yield from _with_lambdas((node.body,))
        elif not isinstance(node, ir.Function):
            yield node


def _written(
    target: ir.Expr, value: ir.Expr | None, receiver: str, names: set[str], out: Effects, any_object: bool
) -> None:
    match target:
        case ir.Attr(value=ir.Name(id=owner), attr=name) if owner == receiver or any_object:
            seen = name in out.writes
            out.assigned.add(name)
            out.writes.setdefault(name, target.span)
            if isinstance(value, ir.Name) and value.id in names and not seen:
                out.given[name] = value.id
            else:
                out.given.pop(name, None)
        case ir.Display(items=items):
            for item in items:
                _written(item, None, receiver, names, out, any_object)
        case ir.Starred(value=inner):
            _written(inner, None, receiver, names, out, any_object)
        case ir.Subscript(value=ir.Attr(value=ir.Name(id=owner), attr="__dict__"), key=key) if owner == receiver:
            _by_key(key, target.span, out)
        case ir.Subscript(value=ir.Call(func=ir.Name(id="vars"), args=(ir.Arg(value=ir.Name(id=owner)),)), key=key) if (
            owner == receiver
        ):
            _by_key(key, target.span, out)
        case ir.Subscript(value=ir.Name(id=owner), key=key) if any_object and owner in names:
            _by_key(key, target.span, out)  # the namespace of a class that is being made


def _by_key(key: ir.Expr, span: Span, out: Effects) -> None:
    if isinstance(key, ir.Const) and isinstance(key.value, str):
        out.writes.setdefault(key.value, span)
    else:
        out.anything = True


def _called(node: ir.Call, receiver: str, out: Effects, any_object: bool) -> None:
    match node.func:
        case ir.Name(id="setattr") | ir.Attr(attr="__setattr__"):
            args = [arg.value for arg in node.args]
            at = next((i for i, arg in enumerate(args) if isinstance(arg, ir.Name) and arg.id == receiver), None)
            if at is not None and at + 1 < len(args):
                _by_key(args[at + 1], node.span, out)
            elif isinstance(node.func, ir.Attr) and args and _is_super(node.func.value):
                _by_key(args[0], node.span, out)
        case ir.Attr(value=ir.Attr(value=ir.Name(id=owner), attr="__dict__"), attr="update") if owner == receiver:
            for arg in node.args:
                if arg.keyword:
                    out.writes.setdefault(arg.keyword, node.span)
                else:
                    out.anything = True
        case ir.Call(func=ir.Name(id="getattr"), args=(ir.Arg(value=ir.Name(id=owner)), *_)) if owner == receiver:
            out.anything = True
        case ir.Call(func=ir.Name(id="vars"), args=(ir.Arg(value=ir.Name(id=owner)),)) if owner == receiver:
            out.anything = True
        case ir.Attr(value=ir.Name(id=owner), attr=name) if owner == receiver:
            out.calls.add(name)
        case ir.Attr(value=value, attr=name) if _is_super(value):
            out.supers.add(name)
        case func:
            first = node.args[0].value if node.args else None
            if isinstance(first, ir.Name) and first.id == receiver:
                if isinstance(func, ir.Attr) and func.attr.startswith("__"):
                    out.supers.add(func.attr)
                elif isinstance(func, ir.Name):
                    out.passed.add(func.id)


def _is_super(node: ir.Expr) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "super"


def walk(body: tuple[Any, ...], *, functions: bool = False) -> Iterator[Any]:
    """Every node of a body, in the order of the source; not into functions, lambdas and classes within. With
    `functions` the functions and lambdas themselves are among the nodes."""
    stack: list[Any] = list(reversed(body))
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Function | ir.Lambda | ir.Class):
            if functions and not isinstance(node, ir.Class):
                yield node
            continue
        if type(node) in _NODES:
            yield node
            parts = node[1:] if type(node) not in _WITHOUT_SPAN else node
        elif isinstance(node, tuple):
            parts = node
        else:
            continue
        stack.extend(part for part in reversed(parts) if isinstance(part, tuple))


def docstring(body: tuple[ir.Stmt, ...]) -> str | None:
    """The docstring of a class or a module."""
    first = body[0].value if body and isinstance(body[0], ir.Do) else None
    return first.value if isinstance(first, ir.Const) and isinstance(first.value, str) else None


def children(node: object) -> Iterator[Any]:
    """The nodes right below a node, or in a tuple of nodes; into lambdas and classes too."""
    if not isinstance(node, tuple):
        return
    parts = node[1:] if type(node) in _NODES and type(node) not in _WITHOUT_SPAN else node
    stack = [part for part in parts if isinstance(part, tuple)]
    while stack:
        part = stack.pop()
        if type(part) in _NODES:
            yield part
        else:
            stack.extend(inner for inner in part if isinstance(inner, tuple))


_NODES = frozenset(
    value
    for value in vars(ir).values()
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
)
_WITHOUT_SPAN = frozenset({ir.Loop, ir.Handler, ir.Case, ir.ModuleFacts, ir.FunctionBody})
