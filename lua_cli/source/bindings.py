"""Where names are bound and things are called in a syntax tree: look-ups that follow nothing.

In: a tree, a name. Out: nodes, and chains of nodes from the module down to one, which say in which scopes it stands.
Must not run anything, nor know what the names are for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from lua_cli.source.spans import Span, span_of

Chain = Sequence[ast.AST]
NOT_TOLD: Final[ast.expr] = ast.Tuple(elts=[], ctx=ast.Load())  # a value that nobody takes for a text


def named_argument(call: ast.AST) -> ast.expr | None:
    """What a call of `os.getenv`, `os.environ.get` or `env` asks for."""
    if not isinstance(call, ast.Call):
        return None
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    return next((keyword.value for keyword in call.keywords if keyword.arg in ("key", "name")), None)


def chain_to(tree: ast.Module, span: Span) -> list[ast.AST]:
    """The nodes from the module down to the one at `span`."""
    chain: list[ast.AST] = [tree]
    while True:
        inner = next((child for child in _located(chain[-1]) if _holds(child, span)), None)
        if inner is None:
            return chain
        chain.append(inner)
        if span_of(inner) == span and isinstance(inner, ast.Call | ast.Subscript):
            return chain


def _located(node: ast.AST) -> Iterator[ast.AST]:
    """The nearest nodes below that have a place: `comprehension` and `arguments` have none."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _located(child)


def _holds(node: ast.AST, span: Span) -> bool:
    line, column, end_line, end_column = span_of(node)
    return (line, column) <= span[:2] and span[2:] <= (end_line, end_column)


def assigned(name: str, scope: ast.AST) -> list[tuple[ast.expr, bool]]:
    """What is bound to a name in a scope: (the value, whether its elements are meant). Inner functions and classes are
    scopes of their own. For what is bound in another way (`+=`, unpacking, `match`, by an inner function) NOT_TOLD
    stands."""
    found: list[tuple[ast.expr, bool]] = []
    stores = 0
    stack = [*getattr(scope, "body", ())] if not isinstance(scope, ast.Lambda) else []
    while stack:
        node = stack.pop(0)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                if any(isinstance(n, ast.Global | ast.Nonlocal) and name in n.names for n in ast.walk(node)):
                    stores += 1
                continue
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                stack.extend(n for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
                continue
            case ast.AnnAssign(value=None):
                continue
            case ast.For(target=target, iter=each) | ast.AsyncFor(target=target, iter=each) if is_name(target, name):
                found.append((each, True))
            case ast.Name(id=one, ctx=ast.Store()) if one == name:
                stores += 1
            case ast.MatchAs(name=one) | ast.MatchStar(name=one) | ast.ExceptHandler(name=one) if one == name:
                stores += 1
        value = _value_for(node, name)
        if value is not None:
            found.append((value, False))
        stack.extend(ast.iter_child_nodes(node))
    return [*found, (NOT_TOLD, False)] if stores > len(found) else found


def bound_in(body: Sequence[ast.stmt], name: str) -> list[ast.expr]:
    """What the statements of a body themselves bind to a name."""
    return [value for node in body if (value := _value_for(node, name)) is not None]


def _value_for(node: ast.AST, name: str) -> ast.expr | None:
    """The value that an assignment binds to a name."""
    match node:
        case ast.Assign(targets=targets, value=value) if any(is_name(target, name) for target in targets):
            return value
        case ast.AnnAssign(target=target, value=ast.expr() as value) if is_name(target, name):
            return value
        case ast.NamedExpr(target=target, value=value) if is_name(target, name):
            return value
    return None


def chains(tree: ast.Module, wanted: Callable[[ast.AST], bool]) -> Iterator[list[ast.AST]]:
    """The nodes from the module down to each one that is wanted."""
    stack: list[list[ast.AST]] = [[tree]]
    while stack:
        chain = stack.pop()
        if wanted(chain[-1]):
            yield chain
        stack.extend([*chain, child] for child in ast.iter_child_nodes(chain[-1]))


def called(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return None


def sets_attribute(node: ast.AST, attribute: str) -> bool:
    """`self.token_env = …`"""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and any(
        isinstance(target, ast.Attribute) and target.attr == attribute for target in targets
    )


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    given = function.args
    return {argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def given_for(call: ast.AST, name: str, positions: set[int]) -> ast.expr | None:
    """What a call gives for a parameter that stands at one of the positions: the lower one in a call of a method."""
    if not isinstance(call, ast.Call):
        return None
    method = isinstance(call.func, ast.Attribute)
    at = min(positions) if method and positions else max(positions, default=-1)
    by_position = call.args[at] if 0 <= at < len(call.args) else None
    return next((k.value for k in call.keywords if k.arg == name), by_position)


def default_of(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> ast.expr | None:
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(plain), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return next((default for argument, default in pairs if argument.arg == name and default is not None), None)


def classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def last_name(base: ast.expr) -> str:
    """`Base`, `shared.Base` and `Base[Input]` → "Base"."""
    node = base.value if isinstance(base, ast.Subscript) else base
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_name(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name
