"""Names of environment variables that are not written where they are read: constants, attributes of classes, elements
of a literal, parameters.

In: the syntax trees of the modules that a skill consists of, a read whose name is computed. Out: the names that it may
be, and whether these are all. Must not run anything; what it cannot follow makes the answer incomplete, never wrong.

A shared base that reads `env(self.token_env)`, and thirty subclasses with a `token_env` each: the names are those of
all classes of the skill's modules, since a name too many costs nothing and one too few is a value that a run does not
have.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from lua_cli.records import record
from lua_cli.source.bindings import (
    Chain,
    assigned,
    bound_in,
    called,
    chain_to,
    chains,
    classes,
    default_of,
    given_for,
    is_name,
    last_name,
    named_argument,
    parameters,
    sets_attribute,
)
from lua_cli.source.spans import Span

_DEEP: Final = 12  # a chain of names that is longer is not followed: it may be a circle
_MANY: Final = 200  # names of one read
_CASES: Final[Mapping[str, Callable[[str], str]]] = {"upper": str.upper, "lower": str.lower, "strip": str.strip}


@record(frozen=True)
class Names:
    """What a read may ask for. `complete`: it asks for nothing else."""

    found: frozenset[str] = frozenset()
    complete: bool = True

    def __or__(self, other: Names) -> Names:
        return Names(self.found | other.found, self.complete and other.complete)


_UNKNOWN: Final = Names(complete=False)
Trees = Mapping[str, Callable[[], ast.Module]]


class Variables:
    """The modules of one skill: dotted name → what gives its tree. Trees are made when a read needs them."""

    def __init__(self, trees: Trees, texts: Mapping[str, Callable[[], str]]) -> None:
        self._trees = trees
        self._texts = texts
        self._overridden: set[str] = set()
        self._held: set[str] = set()

    @property
    def spare(self) -> frozenset[str]:
        """Names told so far that only a base has, each class that derives from it having one of its own: a run may need
        them, and probably does not."""
        return frozenset(self._overridden - self._held)

    def names(self, module: str, span: Span) -> Names:
        """What the read at `span` of the module asks for."""
        chain = chain_to(self._trees[module](), span)
        node = chain[-1]
        asked = node.slice if isinstance(node, ast.Subscript) else named_argument(node)
        return self._strings(asked, module, chain, 0) if asked is not None else _UNKNOWN

    def _strings(self, node: ast.expr, module: str, chain: Chain, depth: int) -> Names:
        """The texts that an expression may be."""
        if depth > _DEEP:
            return _UNKNOWN
        deeper = depth + 1
        match node:
            case ast.Constant(value=str(text)):
                return Names(frozenset({text}))
            case ast.JoinedStr(values=parts):
                return self._joined(parts, module, chain, deeper)
            case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
                return self._strings(inner, module, chain, deeper)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], module, chain, deeper)
            case ast.IfExp(body=body, orelse=orelse):
                return self._strings(body, module, chain, deeper) | self._strings(orelse, module, chain, deeper)
            case ast.Call(func=ast.Attribute(value=inner, attr=method), args=[]) if method in _CASES:
                found = self._strings(inner, module, chain, deeper)
                return Names(frozenset(map(_CASES[method], found.found)), found.complete)
            case ast.Attribute(attr=attribute):
                return self._attribute(attribute, deeper)
            case ast.Name(id=name):
                return self._name(name, module, chain, deeper)
        return _UNKNOWN

    def _joined(self, parts: Sequence[ast.expr], module: str, chain: Chain, depth: int) -> Names:
        each = [self._strings(part, module, chain, depth) for part in parts]
        count = 1
        for names in each:
            count *= max(len(names.found), 1)
        if count > _MANY:
            return _UNKNOWN
        texts = frozenset("".join(chosen) for chosen in product(*(names.found for names in each)))
        return Names(texts, all(names.complete for names in each))

    def _elements(self, node: ast.expr, module: str, chain: Chain, depth: int) -> Names:
        """The texts that iterating over an expression gives."""
        match node:
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return _union(self._strings(element, module, chain, depth) for element in elements)
            case ast.Dict(keys=keys):
                return _union(self._strings(key, module, chain, depth) if key else _UNKNOWN for key in keys)
            case ast.Name(id=name) | ast.Attribute(attr=name) if depth < _DEEP:
                local = assigned(name, self._trees[module]()) if isinstance(node, ast.Name) else []
                everywhere = [(where, value) for where, value, _ in self._everywhere(name)]
                values = [(module, value) for value, _ in local] or everywhere
                return _union([self._elements(v, where, (), depth + 1) for where, v in values]) if values else _UNKNOWN
        return _UNKNOWN

    def _attribute(self, attribute: str, depth: int) -> Names:
        """What any class or module of the skill has under that name."""
        found = []
        for module, value, owner in self._everywhere(attribute):
            names = self._strings(value, module, (), depth)
            (self._overridden if owner and self._always_overridden(owner, attribute) else self._held).update(
                names.found
            )
            found.append(names)
        for module in self._mentioning(attribute):
            tree = self._trees[module]()
            for chain in chains(tree, lambda node: sets_attribute(node, attribute)):
                plain = isinstance(chain[-1], ast.Assign | ast.AnnAssign)
                given: ast.expr | None = getattr(chain[-1], "value", None) if plain else None
                found.append(self._strings(given, module, chain, depth) if given is not None else _UNKNOWN)
        return _union(found) if found else _UNKNOWN

    def _everywhere(self, name: str) -> Iterator[tuple[str, ast.expr, str]]:
        """(module, value, class) of what modules and classes have under a name; "" for a module's own."""
        for module in self._mentioning(name):
            tree = self._trees[module]()
            yield from ((module, value, "") for value in bound_in(tree.body, name))
            for each in classes(tree):
                yield from ((module, value, each.name) for value in bound_in(each.body, name))

    def _always_overridden(self, owner: str, attribute: str) -> bool:
        """Whether classes derive from the one with that name, and each of them has the attribute itself."""
        derived = [
            each
            for module in self._mentioning(owner)
            for each in classes(self._trees[module]())
            if any(last_name(base) == owner for base in each.bases)
        ]
        return bool(derived) and all(bound_in(each.body, attribute) for each in derived)

    def _name(self, name: str, module: str, chain: Chain, depth: int) -> Names:
        for position in range(len(chain) - 1, -1, -1):
            scope, outer = chain[position], chain[:position]
            if isinstance(scope, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
                loops = [g for g in scope.generators if is_name(g.target, name)]
                if loops:
                    return _union(self._elements(loop.iter, module, outer, depth) for loop in loops)
            elif isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                here = chain[: position + 1]
                found = [self._bound(value, loops, module, here, depth) for value, loops in assigned(name, scope)]
                if isinstance(scope, ast.Lambda) and name in parameters(scope):
                    return _UNKNOWN
                if not isinstance(scope, ast.Lambda) and name in parameters(scope):
                    found.append(self._parameter(scope, name, depth))
                if found:
                    return _union(found)
        tree = self._trees[module]()
        found = [self._bound(value, loops, module, (), depth) for value, loops in assigned(name, tree)]
        return _union(found) if found else self._imported(name, tree, depth)

    def _bound(self, value: ast.expr, loops: bool, module: str, chain: Chain, depth: int) -> Names:
        return self._elements(value, module, chain, depth) if loops else self._strings(value, module, chain, depth)

    def _imported(self, name: str, tree: ast.Module, depth: int) -> Names:
        """`from settings import TOKEN_NAME`: whatever a module of the skill has under the name at its top."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return self._attribute(alias.name, depth)
        return _UNKNOWN

    def _parameter(self, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str, depth: int) -> Names:
        """What the calls of the function give, as far as something of its name is called."""
        arguments = [*function.args.posonlyargs, *function.args.args]
        names = [argument.arg for argument in arguments]
        positions = {names.index(name)} if name in names else set()
        if names and names[0] in ("self", "cls") and positions:
            positions.add(names.index(name) - 1)
        found = []
        for module in self._mentioning(function.name):
            for chain in chains(self._trees[module](), lambda node: called(node) == function.name):
                given = given_for(chain[-1], name, positions)
                if given is not None:
                    found.append(self._strings(given, module, chain, depth))
        default = default_of(function, name)
        if default is not None:
            found.append(self._strings(default, next(iter(self._trees)), (), depth))
        return _union(found) if found else _UNKNOWN

    def _mentioning(self, word: str) -> Iterator[str]:
        return (module for module, text in self._texts.items() if word in text())


def _union(names: Iterator[Names] | Sequence[Names]) -> Names:
    found = Names()
    for each in names:
        found |= each
    return found if len(found.found) <= _MANY else _UNKNOWN
